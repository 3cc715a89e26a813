// Networks that nobody would draw but files may hold: refused with a sentence, or run to what they mean.
#include <QtTest>
#include <regex>

#include "core/des/lowering.h"
#include "solvers/model/analysis_model.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/simulation/model_history.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

struct HostileNetworksNet : DrawnNetwork {
  HostileNetworksNet() : DrawnNetwork("4000 s") {}
  ElementId place(const std::string& name, const std::string& tokens, const std::string& of_class = "") {
    Value more = {{"tokens", tokens}};
    if (!of_class.empty()) more["class"] = of_class;
    return node("place", name, std::move(more));
  }
  ElementId timed(const std::string& name, const std::string& mean) {
    return node("transition", name, {{"time", "exponential(mean = " + mean + " s)"}});
  }
  /// Source, what is given, sink.
  void line(ElementId first, ElementId last) { flow(node("source", "in"), first), flow(last, node("sink", "out")); }
  void line(ElementId through) { line(through, through); }
  ResultSet run(int replications = 40) const {
    return solved(m.document(), {.replications = static_cast<std::uint64_t>(replications), .confidence = 0.999});
  }
  Diagnostics found() const {
    Diagnostics out;
    build_model(m.document(), {}, "", out);
    return out;
  }
};

struct Nobody {
  void until(double) {}
  template <class Path>
  void follow(double, double, const Path&) {}
};

void is_near(const ResultSet& r, const std::string& id, double wanted) {
  const double seen = estimate(r, id);
  QVERIFY2(std::fabs(seen - wanted) <= 1e-8 * std::max(1.0, wanted),
           qPrintable(QString("%1: %2, wanted %3").arg(id.c_str()).arg(seen, 0, 'g', 15).arg(wanted, 0, 'g', 15)));
}

std::string said(const Diagnostics& problems) {
  std::string out;
  for (const Diagnostic& d : problems)
    if (d.code != "MEA008") out += d.code + " " + d.pointer + ": " + d.message + "\n";
  return out;
}

std::string pnml(const std::string& inside) {
  return "<pnml><net id='n' type='ptnet'><page id='g'>" + inside + "</page></net></pnml>";
}

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 7 of them, a fresh seed fails once in 140.
class TestHostileNetworks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void a_flow_that_joins_what_it_may_not_is_the_only_mistake() {
    const auto refused = [](const char* kind, Value way, const char* sentence) {
      HostileNetworksNet d;
      const ElementId desk = d.node("station", "desk");
      d.line(desk);
      const ElementId other =
          d.node(kind, "other", kind == std::string("transition") ? Value{{"time", "1 s"}} : Value::object());
      const ElementId flow = d.flow(desk, other, std::move(way));
      const Diagnostics problems = d.found();
      std::vector<Diagnostic> errors;
      for (const Diagnostic& p : problems)
        if (p.severity == Severity::error && p.code != "QN002") errors.push_back(p);
      QVERIFY2(errors.size() == 1 && errors[0].code == "QN014" && errors[0].element == flow, said(problems).c_str());
      QVERIFY2(errors[0].message.find("from station \"desk\" to ") != std::string::npos, said(problems).c_str());
      QVERIFY2(errors[0].message.find(sentence) != std::string::npos, said(problems).c_str());
    };
    refused("note", {{"probability", "0.5"}}, "stand by themselves");
    refused("pool", {{"probability", "0.5"}}, "stand by themselves");
    refused("source", Value::object(), "Nobody enters a source.");
    refused("transition", {{"probability", "0.5"}}, "Transitions take from places.");
    // Where it is the only way no second error says that there is none.
    HostileNetworksNet d;
    d.flow(d.node("source", "in"), d.node("transition", "t", {{"time", "1 s"}}));
    QCOMPARE(codes(d.found()).find("QN002"), std::string::npos);
  }

  void nets_with_arcs_that_are_none_are_not_imported() {
    const std::string nodes = "<place id='p'/><place id='q'/><transition id='t'/><transition id='u'/>";
    const auto refused = [](const std::string& net) {
      const ReadOutcome read = import_network(pnml(net), "net");
      return read.document ? std::string("imported") : said(read.diagnostics);
    };
    QCOMPARE(refused(nodes + "<arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/>"),
             std::string("imported"));
    const std::string two = refused(nodes + "<arc id='a' source='t' target='u'/><arc id='b' source='p' target='q'/>");
    QVERIFY2(two.find("\"a\": It leads from transition \"t\" to transition \"u\".") != std::string::npos, two.c_str());
    QVERIFY2(two.find("\"b\": It leads from place \"p\" to place \"q\".") != std::string::npos, two.c_str());
    const std::string nameless = refused("<place/><transition/><arc/>");
    QVERIFY2(nameless.find("A place has no id") != std::string::npos, nameless.c_str());
    const std::string twice = refused("<place id='p'/><transition id='p'/>");
    QVERIFY2(twice.find("\"p\": Two nodes have this id") != std::string::npos, twice.c_str());
  }

  // Three flows take four of seven at once, which come back one by one.
  void flows_from_one_place_take_what_they_take_together() {
    HostileNetworksNet d;
    const ElementId p = d.place("p", "7"), q = d.place("q", "0"), t = d.timed("t", "1"), u = d.timed("u", "0.5");
    d.flow(p, t), d.flow(p, t, {{"count", "2"}}), d.flow(p, t), d.flow(t, q, {{"count", "4"}});
    d.flow(q, u), d.flow(u, p);
    d.mean("left", "p.number"), d.mean("gone", "q.number");
    const PlainChain chain({7}, [](const S& s, const Go& go) {
      if (s[0] >= 4) go({s[0] - 4}, 1.0);
      if (s[0] < 7) go({s[0] + 1}, 2.0);
    });
    const double left = chain.mean([](const S& s) { return s[0]; });
    const ResultSet exact = solved(d.m.document(), {.solver = "ctmc-network"});
    is_near(exact, "left", left), is_near(exact, "gone", 7 - left);
    compare_inside(d.run(), "left", left);
    // Fewer than all together: it never fires.
    HostileNetworksNet none;
    const ElementId only = none.place("p", "1"), never = none.timed("t", "1");
    none.flow(only, never), none.flow(only, never), none.flow(never, none.node("sink", "out"));
    none.m.measure("left", "time_average", "p.number"), none.m.measure("fired", "final_value", "t.fired");
    const ResultSet r = none.run(2);
    QCOMPARE(estimate(r, "left"), 1.0);
    QCOMPARE(estimate(r, "fired"), 0.0);
  }

  // One of class gold and one of any: of three gold and one bulk tokens, who waits longest is taken for any, but never
  // the last gold one that the other flow needs.
  void a_flow_of_any_class_leaves_what_another_needs() {
    HostileNetworksNet d;
    d.node("job_class", "gold"), d.node("job_class", "bulk");
    const ElementId p = d.place("p", "1", "gold"), t = d.node("transition", "t", {{"time", "1 s"}}),
                    q = d.place("q", "2", "bulk"), move = d.node("transition", "move", {{"time", "10 s"}});
    // Of any class first as it is drawn.
    d.flow(p, t), d.flow(p, t, {{"class", "gold"}}), d.flow(t, d.node("sink", "out"), {{"count", "2"}});
    d.flow(q, move), d.flow(move, p);
    d.m.measure("fired", "final_value", "t.fired"), d.m.measure("gold", "final_value", "p.number.gold");
    d.m.measure("bulk", "final_value", "p.number.bulk");
    const ResultSet r = d.run(1);
    QCOMPARE(estimate(r, "fired"), 1.0);  // at 11 s, when the first bulk token has come
    QCOMPARE(estimate(r, "gold"), 0.0);
    QCOMPARE(estimate(r, "bulk"), 1.0);
  }

  // Nobody waits: one server without a queue, which is full a third of the time at half its load.
  void patience_of_no_time_is_none() {
    for (const char* patience : {"0 s", "deterministic(value = 0 s)", "1e-9 s"}) {
      DrawnNetwork d("4000 s");
      d.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)", {{"patience", patience}});
      const ResultSet r = solved(d.m.document(), {.replications = 40, .confidence = 0.999});
      compare_inside(r, "number", 1.0 / 3.0);
    }
    // By class: who has none of his own waits as long as it takes. All gold ones would find bulk ones before them.
    DrawnNetwork d("4000 s");
    d.node("job_class", "gold"), d.node("job_class", "bulk");
    const ElementId gold = d.node("source", "g", {{"class", "gold"}, {"interarrival", "exponential(mean = 2 s)"}}),
                    bulk = d.node("source", "b", {{"class", "bulk"}, {"interarrival", "exponential(mean = 4 s)"}}),
                    desk = d.node("station", "desk", {{"patience_of", "gold = 0 s"}}), out = d.node("sink", "out");
    d.flow(gold, desk), d.flow(bulk, desk), d.flow(desk, out);
    d.mean("number", "desk.number");
    const PlainChain chain({0}, [](const S& s, const Go& go) {
      if (s[0] < 200) go({s[0] + 1}, s[0] == 0 ? 0.75 : 0.25);
      if (s[0] > 0) go({s[0] - 1}, 1.0);
    });
    const ResultSet r = solved(d.m.document(), {.replications = 40, .confidence = 0.999});
    compare_inside(r, "number", chain.mean([](const S& s) { return s[0]; }));
  }

  void who_is_due_at_once_is_late() {
    for (const char* due : {"0 s", ""}) {
      DrawnNetwork d("1000 s");
      d.node("job_class", "gold", {{"due", due}});
      const ElementId in = d.node("source", "in", {{"class", "gold"}}), desk = d.node("station", "desk");
      d.flow(in, desk), d.flow(desk, d.node("sink", "out"));
      d.m.measure("late", "final_value", "out.late"), d.m.measure("all", "final_value", "out.arrived");
      const ResultSet r = solved(d.m.document(), {.replications = 2});
      QVERIFY(estimate(r, "all") > 0);
      QCOMPARE(estimate(r, "late"), *due == '0' ? estimate(r, "all") : 0.0);
    }
  }

  // It ends when it is told to, though nobody comes for some 10^12 intervals; else the limit of this test's time ends
  // it.
  void a_burst_of_tiny_intervals_can_be_stopped() {
    DrawnNetwork d("1e6 h");
    d.queue("burst(gaps = [exponential(mean = 1 h), 2 h], lengths = [1 us, 1 us])", "1 s");
    const ResultSet r = solved(d.m.document(), {.replications = 1, .wall_time_s = 0.05});
    QVERIFY(r.status == RunStatus::partial);
    // Without memory the ends of intervals do not count: a Poisson process.
    DrawnNetwork plain("1e4 s");
    plain.queue("burst(gaps = [exponential(mean = 20 s), exponential(mean = 20 s)], lengths = [5 ms, 2 ms])", "1 s");
    plain.m.measure("came", "final_value", "in.emitted");
    compare_inside(solved(plain.m.document(), {.replications = 20, .confidence = 0.999}), "came", 500);
  }

  // Some 10^5 times at one moment, a geometric number; then he is gone.
  void going_round_for_long_by_chance_is_not_going_round_for_ever() {
    DrawnNetwork d("100 s");
    const ElementId in = d.node("source", "in"), out = d.node("sink", "out"), r = d.node("router", "r"),
                    log = d.node("logger", "log");
    d.flow(in, r), d.flow(r, log, {{"probability", "0.99999"}}), d.flow(r, out), d.flow(log, r);
    d.m.measure("gone", "final_value", "out.arrived - in.emitted"), d.m.measure("came", "final_value", "in.emitted");
    d.m.measure("rounds", "final_value", "log.passed / out.arrived");
    const ResultSet r1 = solved(d.m.document(), {.replications = 4, .confidence = 0.999});
    QCOMPARE(estimate(r1, "gone"), 0.0);
    QVERIFY(estimate(r1, "came") > 20);
    compare_inside(r1, "rounds", 99999);
  }

  void going_round_for_ever_is_an_error_whatever_else_is_drawn() {
    const auto told = [](const HostileNetworksNet& d) {
      try {
        d.run(1);
        return std::string("it ran");
      } catch (const std::runtime_error& error) {
        return std::string(error.what());
      }
    };
    // The way out has probability 0.
    HostileNetworksNet d;
    const ElementId in = d.node("source", "in"), r = d.node("router", "r"), log = d.node("logger", "log");
    d.flow(in, r), d.flow(r, log, {{"probability", "1"}}), d.flow(r, d.node("sink", "out"), {{"probability", "0"}}),
        d.flow(log, r);
    d.m.measure("came", "final_value", "in.emitted");
    QVERIFY2(told(d).find("without end and without time passing: ") != std::string::npos, told(d).c_str());
    // Who finds it full comes again at once, and the service goes on: no chance ends that.
    HostileNetworksNet full;
    const ElementId desk =
        full.node("station", "desk", {{"capacity", "1"}, {"when_full", "retry"}, {"retry_after", "0 s"}});
    full.line(desk);
    full.m.measure("lost", "final_value", "desk.lost");
    QVERIFY2(told(full).find("without end and without time passing: \"desk\"") != std::string::npos,
             told(full).c_str());
    // Tokens.
    HostileNetworksNet net;
    const ElementId p = net.place("p", "1"), t = net.node("transition", "t"), u = net.node("transition", "u"),
                    q = net.place("q", "0");
    net.flow(p, t), net.flow(t, q), net.flow(q, u), net.flow(u, p);
    net.m.measure("left", "final_value", "p.number");
    QVERIFY2(told(net).find("without end and without time passing: ") != std::string::npos, told(net).c_str());
  }

  // Of immediate transitions the light one fires once in 10^6 times.
  void tokens_may_go_round_for_long_too() {
    HostileNetworksNet net;
    const ElementId p = net.place("p", "1"), back = net.node("transition", "back", {{"weight", "999999"}}),
                    on = net.node("transition", "on");
    net.flow(p, back), net.flow(back, p), net.flow(p, on), net.flow(on, net.node("sink", "out"));
    net.m.measure("gone", "final_value", "out.arrived");
    QCOMPARE(estimate(net.run(2), "gone"), 1.0);
  }

  void more_customers_than_fit_are_told_where_they_are() {
    HostileNetworksNet d;
    d.queue("exponential(mean = 1 s)", "exponential(mean = 1 h)");
    for (const Element* node : std::vector<const Element*>(d.m.document().nodes(d.diagram)))
      if (node->kind == "source") d.m.set(node->id, "batch", "1e6");
    try {
      d.run(1);
      QFAIL("it ran");
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      QVERIFY2(what.find("RUN002") != std::string::npos && what.find("\"desk\" at time ") != std::string::npos,
               what.c_str());
      QVERIFY2(what.find("10000000 customers in the network") != std::string::npos, what.c_str());
    }
    // At time zero it is known before.
    HostileNetworksNet tokens;
    tokens.flow(tokens.place("p", "1000000000"), tokens.timed("t", "1"));
    QVERIFY2(
        said(tokens.found()).find("QN004 tokens: The number is 1000000000; wanted 0 to 10000000.") != std::string::npos,
        said(tokens.found()).c_str());
    HostileNetworksNet both;
    both.flow(both.place("p", "6e6"), both.timed("t", "1")), both.flow(both.place("q", "6e6"), both.timed("u", "1"));
    QVERIFY2(
        said(both.found()).find("QN004 tokens: With those before there are 12000000 customers") != std::string::npos,
        said(both.found()).c_str());
  }

  // One event makes a million: it is left every 4,096 of them, and a run of one history ends where its time is over.
  void one_event_that_makes_very_many_may_be_given_up() {
    for (const std::string kind : {"transition", "fork", "source"}) {
      HostileNetworksNet d;
      const std::string some = "exponential(mean = 1 s)";
      const ElementId out = d.node("sink", "out"), desk = d.node("station", "desk", {{"service", some}});
      if (kind == "transition") {
        const ElementId p = d.place("p", "1"), t = d.timed("t", "1");
        d.flow(p, t), d.flow(t, d.place("q", "0"), {{"count", "1000000"}}), d.flow(t, desk);
      } else if (kind == "fork") {
        const ElementId in = d.node("source", "in", {{"interarrival", some}}), fork = d.node("fork", "f");
        d.flow(in, fork), d.flow(fork, desk, {{"count", "1000000"}});
      } else {
        d.flow(d.node("source", "in", {{"interarrival", some}, {"batch", "1000000"}}), desk);
      }
      d.flow(desk, out);
      d.mean("number", "desk.number");
      Diagnostics problems;
      const auto model = build_model(d.m.document(), {}, "", problems);
      QVERIFY2(model != nullptr, (kind + listed(problems)).c_str());
      const CcfProgram groups(*model);
      ModelHistory history(*model, groups, 1);
      int asked = 0;
      history.others().heed([&] { return ++asked == 10; });
      history.start(0);
      QCOMPARE(asked, 0);
      Nobody nobody;
      QVERIFY_THROWS_EXCEPTION(GivenUp, while (history.step(4000.0, nobody)));
      QCOMPARE(asked, 10);
      // Its clock goes on by 10 s at each look.
      RunRequest request{.solver = "simulation"};
      request.wall_time_s = 45.0;
      request.options["output-analysis"] = "batch-means";
      RunControl control;
      double now_s = 0.0;
      control.clock_s = [&] { return now_s += 10.0; };
      const ResultSet r = find_solver("simulation")->solve(d.m.document(), request, control);
      QCOMPARE(r.stop_reason, std::string("wall_time"));
    }
  }

  // A place that gets back a million for each that it gives: refused when more are there than fit, by chains too, which
  // put them there all at once. And tokens that chance sends two ways are as many states as numbers, not as ways.
  void tokens_by_the_million_are_refused_at_once() {
    for (const std::string count : {"1000", "100000", "1000000"}) {
      HostileNetworksNet d;
      const ElementId p = d.place("p", "1"), t = d.node("transition", "t");
      d.flow(p, t), d.flow(t, d.place("q", "0")), d.flow(t, p, {{"count", count}});
      d.mean("there", "p.number");
      RunControl control;
      control.limits.operations = 1e8;
      const ResultSet r = find_solver("ctmc-network")->solve(d.m.document(), {.solver = "ctmc-network"}, control);
      QVERIFY2(listed(r.diagnostics).find("RUN002") != std::string::npos, listed(r.diagnostics).c_str());
    }
    // All forty go at once, after 1 s, and each comes back after 1 s: the last one after 1 + 1/2 + ... + 1/40.
    HostileNetworksNet d;
    const ElementId t = d.timed("t", "1"), either = d.node("router", "either");
    const ElementId p = d.place("p", "40"), a = d.place("a", "0"), b = d.place("b", "0");
    d.flow(p, t, {{"count", "40"}}), d.flow(t, either, {{"count", "40"}});
    d.flow(either, a, {{"probability", "0.25"}}), d.flow(either, b);
    for (const ElementId from : {a, b}) {
      const ElementId back =
          d.node("transition", from == a ? "u" : "v", {{"time", "exponential(mean = 1 s)"}, {"servers", "40"}});
      d.flow(from, back), d.flow(back, p);
    }
    d.mean("at_home", "p.number"), d.mean("left", "a.number"), d.mean("right", "b.number");
    double last = 0.0;
    for (int k = 1; k <= 40; ++k) last += 1.0 / k;
    const ResultSet r = solved(d.m.document(), {.solver = "ctmc-network"});
    is_near(r, "at_home", 40.0 * last / (1.0 + last));
    is_near(r, "left", 10.0 / (1.0 + last)), is_near(r, "right", 30.0 / (1.0 + last));
  }

  void numbers_that_never_come_about_are_warned_of() {
    const auto split = [](const char* kind, const char* property, const char* value, const char* third) {
      HostileNetworksNet d;
      const ElementId fork = d.node("fork", "f"), a = d.node("delay", "a"), b = d.node("delay", "b"),
                      gate = d.node(kind, "gate", {{property, value}}), end = d.node("join", "end");
      d.line(fork, end);
      d.flow(fork, a), d.flow(fork, b, {{"count", third}}), d.flow(a, gate), d.flow(b, gate);
      // Another, of many, whose parts never come there.
      const ElementId other = d.node("fork", "other"), joined = d.node("join", "joined");
      d.flow(d.node("source", "in2"), other), d.flow(other, joined, {{"count", "9"}}),
          d.flow(joined, d.node("sink", "out2"));
      d.flow(gate, end);
      return said(d.found());
    };
    const std::string fits = split("semaphore", "threshold", "2", "1");
    QVERIFY2(fits.empty(), fits.c_str());
    QCOMPARE(split("semaphore", "threshold", "3", "2"), std::string());
    const std::string holds = split("semaphore", "threshold", "3", "1");
    QVERIFY2(
        holds.starts_with("QN019 threshold: \"gate\" waits for 3 of one customer, of whom there are never more than 2"),
        holds.c_str());
    // Of the one unnamed class nothing is said apart; of another who is split into fewer it is.
    HostileNetworksNet apart;
    apart.node("job_class", "gold"), apart.node("job_class", "bulk");
    const ElementId fork = apart.node("fork", "f"), stay = apart.node("delay", "stay"),
                    gate = apart.node("semaphore", "gate", {{"threshold", "2"}, {"threshold_of", "bulk = 3"}}),
                    join = apart.node("join", "end"), out = apart.node("sink", "out");
    for (const std::string of : {"gold", "bulk"}) {
      apart.flow(apart.node("source", "of_" + of, {{"class", of}}), fork);
      apart.flow(fork, stay, {{"class", of}, {"count", of == "gold" ? "4" : "2"}});
    }
    apart.flow(stay, gate), apart.flow(gate, join), apart.flow(join, out);
    const std::string of_bulk = said(apart.found());
    QVERIFY2(of_bulk.starts_with("QN019 threshold_of: \"gate\" waits for 3 of one customer, of whom there are never "
                                 "more than 2: they stay there for ever."),
             of_bulk.c_str());
    const std::string all = split("join", "wait_for", "1e9", "1");
    QVERIFY2(all.starts_with("QN019 wait_for: \"gate\" waits for 1000000000 of one customer"), all.c_str());
    const auto crew = [](const char* units, const char* wanted, bool released) {
      HostileNetworksNet d;
      d.node("pool", "crew", {{"units", units}});
      const ElementId seize = d.node("seize", "take", {{"units", wanted}}),
                      give = d.node(released ? "release" : "delay", "give");
      d.line(seize, give), d.flow(seize, give);
      return said(d.found());
    };
    QCOMPARE(crew("2", "2", true), std::string());
    const std::string more = crew("1", "2", true);
    QVERIFY2(more.starts_with("QN019 units: \"take\" wants 2 units of \"crew\", which has 1"), more.c_str());
    const std::string kept = crew("2", "2", false);
    QVERIFY2(kept.starts_with("QN019 : Units of \"crew\" are seized and nowhere released"), kept.c_str());
  }

  // One part of a split goes on to where parts meet, others come back: each is split again.
  void parts_that_come_back_to_their_fork_are_warned_of() {
    const auto drawn = [](const char* back, const char* parts, bool meet) {
      HostileNetworksNet d;
      const ElementId in = d.node("source", "in"), fork = d.node("fork", "f"), out = d.node("sink", "out"),
                      join = d.node("join", "j"), pause = d.node("delay", "pause", {{"time", "0.1 s"}}),
                      on = d.node("station", "on", {{"service", "exponential(mean = 0.1 s)"}}),
                      either = d.node("router", "either");
      d.flow(in, fork), d.flow(fork, on), d.flow(on, join), d.flow(fork, pause, {{"count", parts}});
      d.flow(pause, meet ? join : either), d.flow(join, meet ? either : out);
      d.flow(either, fork, {{"probability", back}}), d.flow(either, out);
      const std::string found = said(d.found());
      return found.find("QN022") != std::string::npos && found.find("Parts that \"f\" makes") != std::string::npos;
    };
    QVERIFY(drawn("1", "1", false) && drawn("0.5", "2", false) && drawn("0.4", "3", false));
    QVERIFY(!drawn("0.99", "1", false) && !drawn("0.49", "2", false) && !drawn("0.9", "3", true));
  }

  void a_pool_of_no_units_is_told_in_words() {
    HostileNetworksNet d;
    d.node("pool", "crew", {{"units", "0"}});
    const ElementId seize = d.node("seize", "take", {{"units", "1"}}), give = d.node("release", "give"),
                    stay = d.node("delay", "stay", {{"time", "1 s"}});
    d.line(seize, give), d.flow(seize, stay), d.flow(stay, give);
    const std::string found = said(d.found());
    QVERIFY2(
        found.find("There is never a unit of \"crew\"") != std::string::npos && found.find("inf ") == std::string::npos,
        found.c_str());
  }

  // Ten stations in a circle, six classes of fifty: how many states there are at least is known before one is made.
  void circles_of_many_classes_are_too_many_states_at_once() {
    HostileNetworksNet d;
    std::vector<ElementId> stations;
    for (int s = 0; s < 10; ++s)
      stations.push_back(d.node("station", "q" + std::to_string(s), {{"service", "exponential(mean = 1 s)"}}));
    for (std::size_t s = 0; s < 10; ++s) d.flow(stations[s], stations[(s + 1) % 10]);
    for (int c = 0; c < 6; ++c)
      d.node("job_class", "c" + std::to_string(c), {{"population", "50"}, {"reference", "q0"}});
    d.mean("there", "q0.number");
    // Who counts them one by one is out of work before.
    RunControl control;
    control.limits.operations = 1e5;
    const ResultSet r = find_solver("ctmc-network")->solve(d.m.document(), {.solver = "ctmc-network"}, control);
    QVERIFY2(listed(r.diagnostics).find("There are more than") != std::string::npos, listed(r.diagnostics).c_str());
  }

  void what_is_too_great_to_be_added_up_is_not_called_infinite() {
    HostileNetworksNet d;
    d.queue("exponential(rate = 0.5 /s)", "exponential(rate = 1 /s)");
    d.mean("great", "1e308");
    const ResultSet r = d.run(2);
    QVERIFY2(listed(r.diagnostics).find("too great to be added up") != std::string::npos,
             listed(r.diagnostics).c_str());
  }

  // What is seen, what is wanted, at the property where it is written.
  void values_that_cannot_be_are_refused_as_they_are_written() {
    const auto station = [](Value more) {
      HostileNetworksNet d;
      d.node("job_class", "gold"), d.node("job_class", "bulk");
      const ElementId in = d.node("source", "in", {{"class", "gold"}}),
                      desk = d.node("station", "desk", std::move(more));
      d.flow(in, desk), d.flow(desk, d.node("sink", "out"));
      d.flow(d.node("source", "in2", {{"class", "bulk"}}), desk);
      return said(d.found());
    };
    const auto at = [](const char* kind, Value more) {
      HostileNetworksNet d;
      const ElementId node = d.node(kind, "node", std::move(more));
      if (kind == std::string("source")) d.flow(node, d.node("sink", "out"));
      else d.line(node);
      return said(d.found());
    };
    const auto transition = [](const char* servers) {
      HostileNetworksNet d;
      const ElementId t = d.node("transition", "t", {{"time", "1 s"}, {"servers", servers}});
      d.flow(d.place("p", "1"), t);
      return said(d.found());
    };
    const std::pair<std::string, std::string> rows[] = {
        {station({{"discipline", "polling"}, {"limit", "0"}}),
         "QN004 limit: At most 0 customers are served in a visit; wanted 1 to "},
        {station({{"discipline", "polling"}, {"limit", "-1"}}), "QN004 limit: At most -1 customers"},
        {station({{"discipline", "dps"}, {"weights", "gold = 1, gold = 2"}}),
         "QN004 weights: The class \"gold\" comes twice"},
        {station({{"discipline", "dps"}, {"weights", "gold = -1"}}),
         "QN004 weights: The weight of \"gold\" is -1; wanted"},
        {station({{"discipline", "dps"}, {"weights", "bulk = desk.number"}}),
         "QN004 weights: The weight of \"bulk\" changes while"},
        {station({{"balking", "2"}}), "QN004 balking: Customers turn round with probability 2; wanted 0 to 1."},
        {station({{"balking", "-1"}}), "QN004 balking: Customers turn round with probability -1; wanted 0 to 1."},
        {station({{"service", "mmpp(rates = [1e308 /s, 1e-308 /s], switching = [1 /s, 1 /s])"}}),
         "QN015 service: mmpp: its rates are too great, too small or too far apart"},
        {at("source", {{"interarrival", "mmpp(rates = [1e308 /s, 1e-308 /s], switching = [1 /s, 1 /s])"}}),
         "QN015 interarrival: mmpp: its rates are too great, too small or too far apart"},
        {station({{"servers", "3e9"}}), "QN004 servers: There are 3e+09 servers; wanted at least 1, at most 1e+09"},
        {station({{"servers", "6e7"}, {"vacation", "1 h"}}),
         "QN004 servers: There are 6e+07 servers, each with vacations of its own; wanted at most 1e+06."},
        {station({{"capacity", "1e12"}}), "QN004 capacity: The capacity is 1000000000000; wanted 1 to 4294967294,"},
        {station({{"batch", "1e9"}}),
         "QN004 batch: From 1 to 1000000000 customers are served at once; wanted 1 to 1000000,"},
        {at("source", {{"batch", "2.5"}}),
         "QN004 batch: 2.5 customers come at once; wanted a whole number from 0 to 1e+06."},
        {at("source", {{"batch", "1e9"}}),
         "QN004 batch: 1e+09 customers come at once; wanted a whole number from 0 to 1e+06."},
        {at("source", {{"rate", "-1 /s"}}), "QN004 rate: The rate is -1 /s; wanted a finite rate >= 0."},
        {at("source", {{"interarrival", "mmpp(rates = [], switching = [])"}}),
         "QN015 interarrival: mmpp: rates has no value, wanted one"},
        {at("transport", {{"speed", "0 m/s"}}), "QN004 speed: The speed is 0 "},
        {at("transport", {{"speed", "1 m"}}), "EXP004 speed: "},
        {at("transport", {{"distance", "-1 m"}}), "QN004 distance: The distance is -1 m; wanted >= 0."},
        {transition("-1"), "QN004 servers: It fires -1 times at once; wanted at least 1, or infinite."}};
    for (const auto& [seen, wanted] : rows) QVERIFY2(seen.starts_with(wanted), (seen + "; wanted " + wanted).c_str());
    // What is drawn is rounded, as it says.
    const std::string drawn = at("source", {{"batch", "uniform(low = 0, high = 2.5)"}});
    QVERIFY2(drawn.empty(), drawn.c_str());
  }

  void a_number_worked_out_is_not_rounded() {
    HostileNetworksNet d;
    const ElementId in = d.node("source", "in", {{"batch", "2.5 + 0 * out.arrived"}});
    d.flow(in, d.node("sink", "out"));
    d.m.measure("came", "final_value", "in.emitted");
    try {
      d.run(1);
      QFAIL("it ran");
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      QVERIFY2(what.find("2.5 customers come at once; wanted a whole number") != std::string::npos, what.c_str());
    }
  }

  // The model's unit is the second, whatever others say.
  void what_fails_is_told_in_the_units_of_the_model() {
    const auto told = [](const char* rate, RunRequest request) {
      HostileNetworksNet d;
      const ElementId in = d.node("source", "in", {{"rate", rate}}), desk = d.node("station", "desk");
      d.flow(in, desk), d.flow(desk, d.node("sink", "out"));
      d.flow(d.node("source", "more", {{"rate", "1 /s"}}), desk);
      d.mean("number", "desk.number");
      d.m.header("time_unit", "min");
      try {
        const ResultSet r = solved(d.m.document(), std::move(request));
        return "it ran\n" + listed(r.diagnostics);
      } catch (const std::runtime_error& error) {
        return std::string(error.what());
      }
    };
    const std::string run = told("-desk.number * 1 /s", {.replications = 1});
    QVERIFY2(
        std::regex_search(run, std::regex("\"in\" at time [0-9.e-]+ min: The rate is -60 /min; wanted a finite rate")),
        run.c_str());
    const std::string chain = told("-desk.number * 1 /s", {.solver = "ctmc-network"});
    QVERIFY2(chain.find("The rate at \"in\" is -60 /min; wanted a finite one >= 0.") != std::string::npos,
             chain.c_str());
  }
};

QTEST_APPLESS_MAIN(TestHostileNetworks)
#include "tst_hostile_networks.moc"
