// How long customers are in all networks together, and how long they wait there, from end to end: against closed forms,
// mean value analysis and what can be worked out by hand. Random networks: tst_plain_networks.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/simulation/model_history.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

void ask_mean(DrawnNetwork& d, const std::string& name, const std::string& stream, const std::string& of_class = "") {
  Value properties = {{"of", stream}};
  if (!of_class.empty()) properties["class"] = of_class;
  d.m.measure(name, "steady_state_mean", "", std::move(properties));
}
void ask_rate(DrawnNetwork& d, const std::string& name, const std::string& of_class) {
  Value properties = {{"of", "system.response_time"}, {"unit", "/s"}};
  if (!of_class.empty()) properties["class"] = of_class;
  d.m.measure(name, "observed_rate", "", std::move(properties));
}

/// A desk at which everybody is served, then gold ones at a second one; each class has a sink of its own.
struct TwoSinks : DrawnNetwork {
  static constexpr double gold_rate = 0.3, bulk_rate = 0.4, desk_s = 0.8, second_s = 1.5;
  /// Burke, The output of a queuing system, Operations Research 4(6), 1956: the second desk is an M/M/1 too.
  static constexpr double at_desk = desk_s / (1 - (gold_rate + bulk_rate) * desk_s),
                          at_second = second_s / (1 - gold_rate * second_s), gold = at_desk + at_second,
                          gold_waits = gold - desk_s - second_s, bulk_waits = at_desk - desk_s,
                          share = gold_rate / (gold_rate + bulk_rate);
  TwoSinks() {
    node("job_class", "gold"), node("job_class", "bulk");
    const ElementId desk = node("station", "desk", {{"service", exponential(desk_s)}}),
                    second = node("station", "second", {{"service", exponential(second_s)}}), out = node("sink", "out"),
                    exit = node("sink", "exit");
    for (const auto& [of, rate] : {std::pair{"gold", gold_rate}, std::pair{"bulk", bulk_rate}})
      flow(node("source", std::string("of_") + of, {{"interarrival", exponential(1 / rate)}, {"class", of}}), desk);
    flow(desk, second, {{"class", "gold"}}), flow(desk, exit, {{"class", "bulk"}}), flow(second, out);
    for (const char* of : {"", "gold", "bulk"}) {
      ask_mean(*this, std::string("response") + of, "system.response_time", of);
      ask_mean(*this, std::string("wait") + of, "system.waiting_time", of);
      ask_rate(*this, std::string("rate") + of, of);
    }
  }
  template <class Is>
  static void wanted(const Is& is) {
    is("responsegold", gold), is("responsebulk", at_desk), is("response", share * gold + (1 - share) * at_desk);
    is("waitgold", gold_waits), is("waitbulk", bulk_waits), is("wait", share * gold_waits + (1 - share) * bulk_waits);
    is("rategold", gold_rate), is("ratebulk", bulk_rate), is("rate", gold_rate + bulk_rate);
  }
};

/// A delay and two stations in a circle, by mean value analysis of one class (Reiser and Lavenberg, J. ACM 27(2),
/// 1980).
struct Circle : DrawnNetwork {
  static constexpr int population = 4;
  static constexpr double service_s[] = {0.5, 0.3}, think_s = 2.0;
  double number[2] = {0.0, 0.0}, response[2] = {0.0, 0.0}, throughput = 0.0;
  explicit Circle(const char* reference) {
    for (int n = 1; n <= population; ++n) {
      for (int k = 0; k < 2; ++k) response[k] = service_s[k] * (1 + number[k]);
      throughput = n / (think_s + response[0] + response[1]);
      for (int k = 0; k < 2; ++k) number[k] = throughput * response[k];
    }
    node("job_class", "users", {{"population", std::to_string(population)}, {"reference", reference}});
    const ElementId think = node("delay", "think", {{"time", exponential(think_s)}}),
                    cpu = node("station", "cpu", {{"service", exponential(service_s[0])}}),
                    disk = node("station", "disk", {{"service", exponential(service_s[1])}});
    flow(think, cpu), flow(cpu, disk), flow(disk, think);
    ask_mean(*this, "response", "system.response_time"), ask_mean(*this, "of_users", "system.response_time", "users");
    ask_mean(*this, "wait", "system.waiting_time");
    ask_rate(*this, "rate", "");
  }
};

/// Whatever is observed, in its order.
struct Listener : ObservationSink {
  std::vector<double> seen;
  void observed(std::uint32_t stream, double value, std::uint32_t of_class) override {
    seen.push_back(stream), seen.push_back(value), seen.push_back(of_class);
  }
};

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed.
class TestPassages : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void open_customers_are_told_over_all_sinks() {
    TwoSinks d;
    const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
    TwoSinks::wanted([&](const std::string& id, double value) { compare_inside(r, id, value); });
    for (const char* solver : {"mva", "gg-approximation"}) {
      const ResultSet exact = solved(d.m.document(), {.solver = solver});
      TwoSinks::wanted([&](const std::string& id, double value) { near(exact, id, value, 1e-7); });
      near(exact, "system_waiting_time/gold", TwoSinks::gold_waits, 1e-7);
      near(exact, "system_response_time/gold", TwoSinks::gold, 1e-7);
    }
  }

  void one_long_run_tells_them_too() {
    TwoSinks d;
    for (const char* of : {"response_time", "waiting_time"})
      d.m.measure(std::string("cycles_") + of, "regenerative_mean", "",
                  {{"of", std::string("system.") + of}, {"renewal", "desk.number + second.number == 0"}});
    for (const char* analysis : {"batch-means", ""}) {
      RunRequest request{.seed = 2, .confidence = 0.999};
      if (*analysis != '\0') request.options["output-analysis"] = analysis, request.precision = 0.03;
      else request.replications = 60;
      const ResultSet r = solved(d.m.document(), request);
      TwoSinks::wanted([&](const std::string& id, double value) {
        compare_inside(r, id, value);
        if (id == "response") compare_inside(r, "cycles_response_time", value);
        if (id == "wait") compare_inside(r, "cycles_waiting_time", value);
      });
    }
  }

  // The time in an M/M/1 is exponential, and here it is the same before either sink.
  void their_distribution_is_asked_like_that_of_a_station() {
    DrawnNetwork d("20000 s");
    const ElementId in = d.node("source", "in", {{"interarrival", exponential(1.25)}}), half = d.node("router", "half"),
                    left = d.node("station", "left", {{"service", exponential(1)}}),
                    right = d.node("station", "right", {{"service", exponential(1)}});
    d.flow(in, half), d.flow(half, left, {{"probability", "0.5"}}), d.flow(half, right, {{"probability", "0.5"}});
    d.flow(left, d.node("sink", "out")), d.flow(right, d.node("sink", "exit"));
    const double at_each = 1 / (1 - 0.4);
    d.m.measure("most", "observed_quantile", "", {{"of", "system.response_time"}, {"level", "0.9"}});
    const ResultSet r = solved(d.m.document(), {.replications = 20, .confidence = 0.999});
    near(r, "most", at_each * std::log(10.0), 0.02);
  }

  // M/M/2/5, in series with a delay where asked: who is turned away at the only place was never there; behind another
  // place he was, and nobody tells how long.
  void who_is_turned_away_where_he_comes_was_never_there() {
    constexpr double rate = 1.2, mu = 0.8, servers = 2;
    constexpr int most = 5;
    double weight = 1.0, sum = 1.0, number = 0.0;
    for (int n = 1; n <= most; ++n) {
      weight *= rate / (mu * std::min<double>(n, servers));
      sum += weight, number += n * weight;
    }
    const double served = rate * (1 - weight / sum), response = number / sum / served;
    for (const bool in_series : {false, true}) {
      DrawnNetwork d("3000 s");
      const ElementId in = d.node("source", "in", {{"interarrival", exponential(1 / rate)}}),
                      out = d.node("sink", "out"),
                      desk = d.node("station", "desk",
                                    {{"service", exponential(1 / mu)}, {"servers", "2"}, {"capacity", "5"}});
      if (in_series) {
        const ElementId way = d.node("delay", "way", {{"time", exponential(1)}});
        d.flow(in, way), d.flow(way, desk);
      } else {
        d.flow(in, desk);
      }
      d.flow(desk, out);
      ask_mean(d, "response", "system.response_time"), ask_mean(d, "wait", "system.waiting_time");
      ask_mean(d, "at_sink", "out.time_in_system"), ask_rate(d, "rate", "");
      const ResultSet exact = solved(d.m.document(), {.solver = "ctmc-network"});
      near(exact, "rate", served, 1e-7);
      QCOMPARE(exact.measure("response") == nullptr, in_series);
      if (in_series) continue;
      const ResultSet closed = solved(d.m.document(), {.solver = "queueing-closed-form"}),
                      r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
      for (const auto& [id, value] : {std::pair{"response", response}, std::pair{"at_sink", response},
                                      std::pair{"wait", response - 1 / mu}, std::pair{"rate", served}})
        near(exact, id, value, 1e-7), near(closed, id, value, 1e-9), compare_inside(r, id, value);
    }
  }

  void closed_customers_go_from_reference_to_reference() {
    for (const char* reference : {"think", "cpu"}) {
      Circle d(reference);
      const bool at_delay = reference == std::string("think");
      const double response = at_delay ? d.response[0] + d.response[1] : Circle::population / d.throughput;
      const double wait = d.response[0] + d.response[1] - Circle::service_s[0] - Circle::service_s[1];
      const ResultSet exact = solved(d.m.document(), {.solver = "mva"});
      const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
      for (const auto& [id, value] : {std::pair{"response", response}, std::pair{"of_users", response},
                                      std::pair{"wait", wait}, std::pair{"rate", d.throughput}})
        near(exact, id, value), compare_inside(r, id, value);
      near(exact, "system_response_time/users", response), near(exact, "system_waiting_time/users", wait);
    }
  }

  // One customer goes round: cpu as a, disk, cpu as b, rest. Where b names the cpu he ends two passages each time: as a
  // after rest and cpu, as b after disk and cpu. Where it names none, one.
  void who_becomes_another_ends_at_the_reference_of_that_class() {
    constexpr double cpu_s = 1, disk_s = 2, rest_s = 4, round_s = 2 * cpu_s + disk_s + rest_s;
    const auto draw = [](const char* reference) {
      DrawnNetwork d("4000 s");
      d.node("job_class", "a", {{"population", "1"}, {"reference", "cpu"}});
      d.node("job_class", "b", {{"reference", reference}});
      const ElementId cpu = d.node("station", "cpu", {{"service", exponential(cpu_s)}}),
                      disk = d.node("station", "disk", {{"service", exponential(disk_s)}}),
                      rest = d.node("delay", "rest", {{"time", exponential(rest_s)}});
      d.flow(cpu, disk, {{"class", "a"}, {"becomes", "b"}}), d.flow(disk, cpu);
      d.flow(cpu, rest, {{"class", "b"}, {"becomes", "a"}}), d.flow(rest, cpu);
      ask_mean(d, "response", "system.response_time"), ask_rate(d, "rate", "");
      for (const char* of : {"a", "b"}) ask_mean(d, std::string("response_") + of, "system.response_time", of);
      ask_mean(d, "residence", "disk.residence_time");
      return d;
    };
    for (const bool named : {true, false}) {
      const DrawnNetwork d = draw(named ? "cpu" : "");
      const double ends = named ? 2 : 1;
      const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
      compare_inside(r, "response", round_s / ends), compare_inside(r, "rate", ends / round_s);
      compare_inside(r, "residence", disk_s / ends);
      compare_inside(r, "response_a", named ? rest_s + cpu_s : round_s);
      if (named) compare_inside(r, "response_b", disk_s + cpu_s);
      for (const char* solver : {"mva", "ctmc-network"}) {
        const ResultSet exact = solved(d.m.document(), {.solver = solver});
        near(exact, "response", round_s / ends, 1e-9), near(exact, "rate", ends / round_s, 1e-9);
        near(exact, "residence", disk_s / ends, 1e-9);
        near(exact, "system_response_time/a+b", round_s / ends, 1e-9);
        QCOMPARE(exact.measure("response_a") == nullptr, named);
      }
    }
    QCOMPARE(draw("nowhere").problems(), std::string("QN006"));
  }

  // They leave where they begin for ever, and go round as another class, whose reference is the disk or none.
  void passages_may_all_end_as_another_class() {
    const auto draw = [](const char* reference) {
      DrawnNetwork d("4000 s");
      d.node("job_class", "a", {{"population", "2"}, {"reference", "begin"}});
      d.node("job_class", "b", {{"reference", reference}});
      const ElementId begin = d.node("delay", "begin", {{"time", exponential(1)}}),
                      cpu = d.node("station", "cpu", {{"service", exponential(1)}}),
                      disk = d.node("station", "disk", {{"service", exponential(2)}});
      d.flow(begin, cpu, {{"class", "a"}, {"becomes", "b"}}), d.flow(cpu, disk), d.flow(disk, cpu);
      ask_mean(d, "response", "system.response_time"), ask_rate(d, "rate", "");
      return d;
    };
    const DrawnNetwork d = draw("disk");
    // Two in a circle of two: busy unless both are at the other one.
    const double rate = 1.0 / 2.0 * (4.0 + 2.0) / (1.0 + 2.0 + 4.0);
    const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999}),
                    exact = solved(d.m.document(), {.solver = "mva"});
    for (const auto& [id, value] : {std::pair{"rate", rate}, std::pair{"response", 2 / rate}})
      compare_inside(r, id, value), near(exact, id, value, 1e-9);
    QCOMPARE(draw("").problems(), std::string("QN006"));
  }

  // Of two parts one waits for the other's service of 1 s, then the whole is served alone for 2 s; the next customer
  // comes when nobody is there.
  void what_parts_wait_is_of_their_customer() {
    DrawnNetwork d("100 s");
    const ElementId in = d.node("source", "in", {{"interarrival", "schedule(times = [1 s, 20 s])"}}),
                    fork = d.node("fork", "split"), desk = d.node("station", "desk", {{"service", "1 s"}}),
                    join = d.node("join", "meet"), last = d.node("station", "last", {{"service", "2 s"}});
    d.flow(in, fork), d.flow(fork, desk, {{"count", "2"}}), d.flow(desk, join), d.flow(join, last);
    d.flow(last, d.node("sink", "out"));
    d.m.measure("wait", "observed_mean", "", {{"of", "system.waiting_time"}});
    d.m.measure("response", "observed_mean", "", {{"of", "system.response_time"}});
    const ResultSet r = solved(d.m.document(), {.replications = 1});
    near(r, "wait", 1.0), near(r, "response", 4.0);
  }

  // The first is served for 5 s; the second gives up after 2 s, and is served elsewhere for 1 s.
  void who_gives_up_and_goes_on_has_waited() {
    DrawnNetwork d("100 s");
    const ElementId in = d.node("source", "in", {{"interarrival", "schedule(times = [1 s, 1.5 s])"}}),
                    desk = d.node("station", "desk", {{"service", "5 s"}, {"patience", "2 s"}}),
                    other = d.node("station", "other", {{"service", "1 s"}}), out = d.node("sink", "out");
    d.flow(in, desk), d.flow(desk, out), d.flow(other, out);
    d.flow(desk, other, {{"taken_by", "reneged"}});
    d.m.measure("wait", "observed_mean", "", {{"of", "system.waiting_time"}});
    d.m.measure("response", "observed_mean", "", {{"of", "system.response_time"}});
    const ResultSet r = solved(d.m.document(), {.replications = 1});
    near(r, "wait", 1.0), near(r, "response", 4.0);
  }

  void any_number_of_threads_tells_the_same() {
    Circle d("think");
    const ResultSet one = solved(d.m.document(), {.replications = 40, .threads = 1}),
                    two = solved(d.m.document(), {.replications = 40, .threads = 2});
    for (const char* id : {"response", "wait", "rate"}) {
      QCOMPARE(estimate(one, id), estimate(two, id));
      QCOMPARE(one.measure(id)->lower, two.measure(id)->lower);
    }
  }

  // A passage that is under way when a history is saved ends with what it had then.
  void a_saved_moment_keeps_passages_under_way() {
    for (const bool open : {true, false}) {
      const Circle circle("think");
      const TwoSinks sinks;
      Diagnostics found;
      const auto model = build_model(open ? sinks.m.document() : circle.m.document(), {}, "", found);
      QVERIFY2(model != nullptr, listed(found).c_str());
      const auto& streams = model->charts.table->streams;
      std::vector<std::uint8_t> wanted(streams.size(), 0);
      for (std::size_t s = 0; s < streams.size(); ++s) wanted[s] = streams[s].name.starts_with("system.");
      QCOMPARE(std::count(wanted.begin(), wanted.end(), 1), 2);
      const CcfProgram groups(*model);
      NobodyWatches nobody;
      ModelHistory history(*model, groups, 5), other(*model, groups, 5);
      Listener heard;
      for (ModelHistory* one : {&history, &other})
        one->world().observations.listen(&heard, wanted, one->world().slots());
      history.start(3);
      while (history.step(100.0, nobody)) {
      }
      ModelHistory::Saved saved;
      history.save(saved);
      const auto rest = [&](ModelHistory& from) {
        from.restore(saved, 9);
        heard.seen.clear();
        while (from.step(500.0, nobody)) {
        }
        return heard.seen;
      };
      other.start(77);
      while (other.step(250.0, nobody)) {
      }
      const std::vector<double> once = rest(history);
      QVERIFY(once.size() > 300);
      QVERIFY(once == rest(other));
    }
  }

  void a_node_called_system_keeps_its_name() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"interarrival", exponential(2)}}),
                    desk = d.node("station", "system", {{"service", exponential(1)}});
    d.flow(in, desk), d.flow(desk, d.node("sink", "out"));
    d.mean_of("wait", "system.waiting_time");
    QCOMPARE(d.problems(), std::string());
    near(solved(d.m.document(), {.solver = "mva"}), "wait", 1.0);
  }
};

QTEST_APPLESS_MAIN(TestPassages)
#include "tst_passages.moc"
