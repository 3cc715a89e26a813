// Which station holds a network up. Oracles: Jackson's traffic equations and Buzen's convolution by hand, closed forms
// of M/M/1.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/markov/long_run_value.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const ResultTable& utilisations(const ResultSet& r) {
  for (const ResultTable& t : r.tables)
    if (t.name == "utilisation") return t;
  throw std::runtime_error("no table of utilisations");
}
std::size_t column(const ResultTable& t, const std::string& label) {
  for (std::size_t c = 0; c < t.columns.size(); ++c)
    if (t.columns[c].label == label) return c;
  throw std::runtime_error("no column " + label);
}
bool has(const ResultTable& t, const std::string& label) {
  return std::any_of(t.columns.begin(), t.columns.end(), [&](const auto& c) { return c.label == label; });
}
double number(const ResultTable& t, std::size_t row, const std::string& label) {
  return std::get<double>(t.rows[row][column(t, label)]);
}
std::string word(const ResultTable& t, std::size_t row, const std::string& label) {
  return std::get<std::string>(t.rows[row][column(t, label)]);
}
bool says(const ResultTable& t, const std::string& text) { return t.note.find(text) != std::string::npos; }

/// One after the other, from a source of 1 /s, with these mean services [s] and servers.
struct Line : DrawnNetwork {
  Line(const std::vector<double>& service_s, const std::vector<int>& servers, bool measured,
       const std::string& horizon = "4000 s")
      : DrawnNetwork(horizon) {
    ElementId before = node("source", "in", {{"rate", "1 /s"}});
    for (std::size_t i = 0; i < service_s.size(); ++i) {
      const std::string name(1, static_cast<char>('a' + i)), many = std::to_string(servers[i]);
      const ElementId here = node("station", name, {{"service", exponential(service_s[i])}, {"servers", many}});
      flow(before, here);
      before = here;
      if (measured) m.measure(name + "_use", "time_average", name + ".busy", {{"scale", "1/" + many}});
    }
    flow(before, node("sink", "out"));
  }
};

RunRequest replications(std::uint64_t n, double confidence = 0.95) {
  return {.seed = 3, .replications = n, .confidence = confidence};
}

}  // namespace

class TestBottlenecks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering), register_long_run_values(); }

  void the_station_of_the_greatest_load_is_named_first() {
    const Line d({0.5, 1.6, 0.3}, {1, 2, 1}, true);
    const ResultSet r = solved(d.m.document(), replications(20, 0.999));
    const ResultTable& t = utilisations(r);
    QCOMPARE(t.solver, std::string("simulation"));
    const std::vector<std::string> order = {"b", "a", "c"};
    const std::vector<double> load = {0.8, 0.5, 0.3};
    for (std::size_t row = 0; row < 3; ++row) {
      QCOMPARE(word(t, row, "Station"), order[row]);
      near(number(t, row, "Offered load per server"), load[row], "offered load", 1e-12);
      const MeasureResult& m = *r.measure(order[row] + "_use");
      near(number(t, row, "Utilisation"), m.estimate, "utilisation", 1e-12);
      near(number(t, row, "Lower"), m.lower, "lower", 1e-12);
      QVERIFY(number(t, row, "Lower") <= load[row] && load[row] <= number(t, row, "Upper"));
      QCOMPARE(word(t, row, "Bottleneck"), std::string(row == 0 ? "yes" : ""));
    }
    QVERIFY2(says(t, "The bottleneck is \"b\": its servers are busy "), t.note.c_str());
    bool concluded = false;
    for (const auto& [about, sentence] : r.conclusions())
      concluded = concluded || (about == "Bottleneck" && sentence == t.note);
    QVERIFY(concluded);
  }

  void one_long_run_says_it_too() {
    const Line d({0.5, 0.8}, {1, 1}, true);
    RunRequest request{.seed = 3};
    request.options["output-analysis"] = "batch-means";
    const ResultTable t = utilisations(solved(d.m.document(), request));
    QCOMPARE(word(t, 0, "Station"), std::string("b"));
    QVERIFY(says(t, "The bottleneck is \"b\""));
  }

  void without_measures_the_traffic_equations_say_it() {
    const Line d({0.5, 0.8}, {1, 1}, false);
    const ResultTable t = utilisations(solved(d.m.document(), replications(2)));
    QVERIFY(!has(t, "Utilisation"));
    QVERIFY2(says(t, "The bottleneck is \"b\": 0.8 times what its servers can do is offered to it."), t.note.c_str());
    const Line alike({0.8, 0.4, 1.6}, {1, 1, 2}, false);
    const ResultTable ties = utilisations(solved(alike.m.document(), replications(2)));
    QVERIFY2(says(ties, "No single bottleneck: \"a\" and \"c\" are asked alike."), ties.note.c_str());
    QCOMPARE(word(ties, 0, "Bottleneck"), std::string("with others"));
    QCOMPARE(word(ties, 2, "Bottleneck"), std::string());
  }

  // Exact: of 0.9 offered to a station without room to wait 0.9 / 1.9 is served, which is less than the 0.6 of the
  // other.
  void what_is_offered_does_not_decide_where_it_may_be_lost() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), out = d.node("sink", "out"),
                    a = d.node("station", "a", {{"service", exponential(0.9)}, {"capacity", "1"}}),
                    other = d.node("source", "other", {{"rate", "1 /s"}}),
                    b = d.node("station", "b", {{"service", exponential(0.6)}});
    d.flow(in, a), d.flow(a, out), d.flow(other, b), d.flow(b, out);
    const ResultTable t = utilisations(solved(d.m.document(), replications(2)));
    QCOMPARE(word(t, 0, "Station"), std::string("a"));
    QCOMPARE(word(t, 0, "Bottleneck"), std::string("may be"));
    QVERIFY2(says(t, "Most is offered to \"a\", 0.9 times what its servers can do, of which some may be lost"),
             t.note.c_str());
    const ResultTable exact = utilisations(solved(d.m.document(), {.solver = "ctmc-network"}));
    QVERIFY2(says(exact, "The bottleneck is \"b\""), exact.note.c_str());
    near(number(exact, 1, "Utilisation"), 0.9 / 1.9, "where some is lost", 1e-6);
  }

  // Half of 1 /s finds the first station full (M/M/1/1 at 1) and goes to the second one, which has 0.3 /s of its own:
  // it is busy for 0.8 of its time, of which the traffic equations know 0.3. Long runs may not take that for known
  // either.
  void who_is_turned_away_comes_elsewhere() {
    DrawnNetwork d("4000 s");
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), out = d.node("sink", "out"),
                    a = d.node("station", "a", {{"service", exponential(1)}, {"capacity", "1"}}),
                    other = d.node("source", "other", {{"rate", "0.3 /s"}}),
                    b = d.node("station", "b", {{"service", exponential(1)}});
    d.flow(in, a), d.flow(a, out), d.flow(other, b), d.flow(b, out);
    d.flow(a, b, {{"taken_by", "refused"}});
    const ResultTable t = utilisations(solved(d.m.document(), replications(2)));
    QCOMPARE(word(t, 1, "Station"), std::string("b"));
    QVERIFY(std::isnan(number(t, 1, "Offered load per server")));
    QVERIFY2(says(t, "It is not known how busy \"b\" is."), t.note.c_str());
    d.m.measure("use", "steady_state_mean", "b.busy"), d.m.measure("number", "steady_state_mean", "b.number");
    RunRequest long_run{.seed = 3, .confidence = 0.999};
    long_run.precision = 0.02;
    long_run.options["output-analysis"] = "batch-means";
    const ResultSet r = solved(d.m.document(), long_run), many = solved(d.m.document(), replications(60, 0.999));
    compare_inside(r, "use", 0.8), compare_inside(many, "use", 0.8);
    const MeasureResult &one = *r.measure("number"), &other_one = *many.measure("number");
    QVERIFY2(one.lower < other_one.upper && other_one.lower < one.upper,
             qPrintable(QString("%1 %2").arg(one.estimate).arg(other_one.estimate)));
  }

  // Where the full station blocks nobody is lost: what is offered comes, or is held up.
  void who_blocks_loses_nobody() {
    const auto note = [](const char* when_full, const char* patience) {
      DrawnNetwork d;
      const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), out = d.node("sink", "out"),
                      a = d.node("station", "a", {{"service", exponential(0.4)}, {"patience", patience}}),
                      b = d.node("station", "b",
                                 {{"service", exponential(0.6)}, {"capacity", "2"}, {"when_full", when_full}});
      d.flow(in, a), d.flow(a, b), d.flow(b, out);
      return utilisations(solved(d.m.document(), replications(2))).note;
    };
    const std::string blocks = note("block", ""), loses = note("lose", ""), both = note("block", "9 s");
    QVERIFY2(blocks.find("lost") == std::string::npos &&
                 blocks.find("if nothing is held up before it comes") != std::string::npos,
             blocks.c_str());
    QVERIFY2(loses.find("of which some may be lost:") != std::string::npos, loses.c_str());
    QVERIFY2(blocks.ends_with("are held up on their way."), blocks.c_str());
    QVERIFY2(both.ends_with("are lost or held up on their way."), both.c_str());
  }

  // Alike in the long run: the first is filled sooner, and many missions tell its interval from the other's.
  void who_is_asked_alike_is_no_bottleneck_by_being_first() {
    const Line d({0.9, 0.9}, {1, 1}, true, "200 s");
    const ResultTable t = utilisations(solved(d.m.document(), replications(2000)));
    QVERIFY(number(t, 0, "Lower") > number(t, 1, "Upper"));
    QVERIFY2(says(t, "No single bottleneck: \"a\" and \"b\" are asked alike."), t.note.c_str());
    QCOMPARE(word(t, 0, "Bottleneck"), std::string("with others"));
  }

  // Servers of the first are up for a fifth of the time: more comes than they do, and they are busy for less than the
  // other's.
  void who_cannot_work_always_may_be_the_bottleneck() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}),
                    a = d.node("station", "a",
                               {{"service", exponential(0.3)},
                                {"time_to_failure", exponential(20)},
                                {"time_to_repair", exponential(80)}}),
                    b = d.node("station", "b", {{"service", exponential(0.9)}});
    d.flow(in, a), d.flow(a, b), d.flow(b, d.node("sink", "out"));
    for (const char* name : {"a", "b"})
      d.m.measure(std::string(name) + "_use", "time_average", std::string(name) + ".busy");
    const ResultTable t = utilisations(solved(d.m.document(), replications(20)));
    QVERIFY2(!says(t, "The bottleneck is"), t.note.c_str());
    QVERIFY2(says(t, "customers may wait at \"a\", whose servers are also away"), t.note.c_str());
    QCOMPARE(word(t, 0, "Bottleneck"), std::string("may be"));
  }

  void intervals_that_are_not_apart_tell_no_single_one() {
    const Line d({0.8, 0.79}, {1, 1}, true, "200 s");
    const ResultTable t = utilisations(solved(d.m.document(), replications(10)));
    QVERIFY2(says(t, "No single bottleneck is told: the intervals of "), t.note.c_str());
    QVERIFY2(says(t, " By the traffic equations it is \"a\"."), t.note.c_str());
    QCOMPARE(word(t, 0, "Bottleneck"), std::string("may be"));
    QCOMPARE(word(t, 1, "Bottleneck"), std::string("may be"));
    const Line equal({0.8, 0.8}, {1, 1}, true, "200 s");
    const ResultTable e = utilisations(solved(equal.m.document(), replications(10)));
    QVERIFY2(says(e, "By the traffic equations \"a\" and \"b\" are asked alike."), e.note.c_str());
  }

  // Both are always busy; the load says which of them is worse.
  void saturated_stations_are_told_apart_by_what_is_offered() {
    const Line d({1.5, 2.5, 0.2}, {1, 1, 1}, true);
    const ResultTable t = utilisations(solved(d.m.document(), replications(5)));
    const auto offered = [&](const std::string& name) {
      for (std::size_t row = 0; row < 3; ++row)
        if (word(t, row, "Station") == name) return number(t, row, "Offered load per server");
      return 0.0;
    };
    near(offered("a"), 1.5, "offered", 1e-12);
    near(offered("b"), 2.5 / 1.5, "offered behind", 1e-12);  // no more pass than the first serves
    QVERIFY2(says(t, "By the traffic equations it is \"b\"."), t.note.c_str());
  }

  // Two stations of one circle of 4 customers: by Buzen utilisations are as demands, U(k) = d(k) G(3) / G(4).
  void of_a_closed_network_demands_are_compared() {
    DrawnNetwork d;
    d.node("job_class", "job", {{"population", "4"}, {"reference", "think"}});
    const ElementId think = d.node("delay", "think", {{"time", exponential(2)}}),
                    cpu = d.node("station", "cpu", {{"service", exponential(0.5)}}),
                    disk = d.node("station", "disk", {{"service", exponential(1.2)}, {"servers", "2"}});
    d.flow(think, cpu), d.flow(cpu, disk, {{"probability", "0.5"}}), d.flow(cpu, think), d.flow(disk, cpu);
    d.mean("cpu_use", "cpu.busy"), d.mean("disk_use", "disk.busy / 2");
    // A passage visits the processor twice and the disk once: 1 s there, 1.2 s / 2 here.
    const ResultTable t = utilisations(solved(d.m.document(), replications(10)));
    QCOMPARE(word(t, 0, "Station"), std::string("cpu"));
    near(number(t, 0, "Asked per server, relative"), 1.0, "of the processor", 1e-12);
    near(number(t, 1, "Asked per server, relative"), 0.6, "of the disk", 1e-12);
    QVERIFY(says(t, "The bottleneck is \"cpu\""));
    const ResultSet exact = solved(d.m.document(), {.solver = "mva"});
    const ResultTable& of_mva = utilisations(exact);
    QVERIFY(of_mva.exact && of_mva.solver == "mva");
    near(number(of_mva, 1, "Utilisation") / number(of_mva, 0, "Utilisation"), 0.6, "by mva", 1e-9);
    near(number(of_mva, 0, "Utilisation"), estimate(exact, "cpu_use"), "by mva", 1e-12);
    QVERIFY(says(of_mva, "The bottleneck is \"cpu\""));
  }

  void approximate_and_exact_solvers_name_it() {
    const Line d({0.5, 0.8}, {1, 1}, true);
    for (const char* solver : {"mva", "gg-approximation", "fluid"}) {
      const ResultSet r = solved(d.m.document(), {.solver = solver});
      const ResultTable& t = utilisations(r);
      QCOMPARE(t.exact, std::string(solver) == "mva");
      near(number(t, 0, "Utilisation"), 0.8, solver, 1e-6);
      QVERIFY2(says(t, "The bottleneck is \"b\": its servers are busy 0.8 of their time."), t.note.c_str());
    }
    DrawnNetwork small;  // 3 customers in a circle of two, state by state
    small.node("job_class", "job", {{"population", "3"}, {"reference", "a"}});
    const ElementId a = small.node("station", "a", {{"service", exponential(1)}}),
                    b = small.node("station", "b", {{"service", exponential(2)}});
    small.flow(a, b), small.flow(b, a), small.mean("use", "b.busy");
    const ResultTable t = utilisations(solved(small.m.document(), {.solver = "ctmc-network"}));
    // Powers of the ratio of rates: the slow one is idle with probability 1 / (1 + 2 + 4 + 8).
    near(number(t, 0, "Utilisation"), 1.0 - 1.0 / 15.0, "of the slow one");
    QCOMPARE(word(t, 0, "Station"), std::string("b"));
  }

  void what_is_not_known_is_said() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}),
                    a = d.node("station", "a", {{"service", exponential(0.5)}}),
                    b = d.node("station", "b", {{"service", exponential(0.8)}, {"patience", exponential(3)}});
    d.flow(in, a), d.flow(a, b), d.flow(b, d.node("sink", "out"));
    const ResultTable t = utilisations(solved(d.m.document(), replications(2)));
    QVERIFY2(says(t, "It is not known how busy \"b\" is."), t.note.c_str());
    // The other may well be the bottleneck.
    QVERIFY2(says(t, "Among the stations that are known \"a\" is ahead: 0.5 times "), t.note.c_str());
    QCOMPARE(word(t, 0, "Bottleneck"), std::string("may be"));
    // With b measured alone, most is known of the equations' a or the run's b: neither is complete.
    d.m.measure("b_squared", "time_average", "b.busy * b.busy + b.waiting");
    QVERIFY(!has(utilisations(solved(d.m.document(), replications(2))), "Utilisation"));
  }

  // A chart says how many servers there are: 2 for most of the time, sometimes none.
  void servers_that_come_and_go_are_seen() {
    DrawnNetwork d;
    ChartBuilder chart(d.m, "Server");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up), chart.transition(up, down, "rate(1 /h)"), chart.transition(down, up, "rate(60 /h)");
    d.m.component("blade", "Server", "2");
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}),
                    a = d.node("station", "a", {{"service", exponential(0.2)}}),
                    b = d.node("station", "b", {{"service", exponential(1.2)}, {"servers", "count(blade[*].Up)"}});
    d.flow(in, a), d.flow(a, b), d.flow(b, d.node("sink", "out"));
    d.m.measure("a_use", "time_average", "a.busy");
    for (const char* share : {"b.busy / max(1, count(blade[*].Up))", "min(1, b.busy / max(1, count(blade[*].Up)))",
                              "min(1, b.busy / max(1, b.servers))", "b.busy / max(1, 2 * count(blade[*].Up))"}) {
      DrawnNetwork one = d;
      one.m.measure("b_use", "time_average", share);
      const ResultSet r = solved(one.m.document(), replications(20));
      const ResultTable& t = utilisations(r);
      const bool is = std::string(share).find("2 *") == std::string::npos;
      // What is offered for each server there is in the mean is known all the same, but for who finishes.
      QCOMPARE(word(t, 0, "Station"), std::string("b"));
      near(number(t, 0, "Offered load per server"), 1.2 * 61.0 / 120.0, "offered", 3e-4);
      QCOMPARE(word(t, 0, "Bottleneck"), std::string("yes"));
      if (!is) continue;
      near(number(t, 0, "Utilisation"), r.measure("b_use")->estimate, "as measured", 1e-12);
      QVERIFY2(says(t, "The bottleneck is \"b\": on average 0."), t.note.c_str());
      QVERIFY2(says(t, " of the servers it has are busy"), t.note.c_str());
    }
  }

  void one_station_alone_has_no_table() {
    DrawnNetwork d;
    d.queue(exponential(1), exponential(0.5));
    const ResultSet r = solved(d.m.document(), replications(2));
    QVERIFY(std::none_of(r.tables.begin(), r.tables.end(), [](const auto& t) { return t.name == "utilisation"; }));
  }
};

QTEST_APPLESS_MAIN(TestBottlenecks)
#include "tst_bottlenecks.moc"
