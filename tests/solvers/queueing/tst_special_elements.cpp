// Forks and joins, regions, pools, places and transitions: drawn, simulated, and compared with the balance equations of
// a plain chain.
#include <QtTest>
#include <algorithm>

#include "core/des/lowering.h"
#include "solvers/model/analysis_model.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

struct SpecialElementsDrawing : DrawnNetwork {
  SpecialElementsDrawing() : DrawnNetwork("4000 s") {}
  ResultSet run() const { return solved(m.document(), {.replications = 60, .confidence = 0.999}); }
  /// A closed class, its customers thinking for 1 s in the mean at "think".
  ElementId users(int population) {
    node("job_class", "users", {{"population", std::to_string(population)}});
    return node("delay", "think", {{"time", "exponential(mean = 1 s)"}});
  }
  ElementId exponential(const std::string& name, const std::string& mean, Value more = Value::object()) {
    more["service"] = "exponential(mean = " + mean + " s)";
    return node("station", name, std::move(more));
  }
  ElementId stay(const std::string& name, const std::string& mean) {
    return node("delay", name, {{"time", "exponential(mean = " + mean + " s)"}});
  }
};

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 46 of them, a fresh seed fails once in 22.
class TestSpecialElements : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // First come, first served: of those in the fork and join as many as the longer queue has are not done.
  void parts_wait_for_each_other() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(4), fork = d.node("fork", "split"), a = d.exponential("a", "0.5"),
                    b = d.exponential("b", "0.8"), join = d.node("join", "together");
    d.flow(think, fork), d.flow(fork, a), d.flow(fork, b), d.flow(a, join), d.flow(b, join), d.flow(join, think);
    for (const char* one : {"a", "b", "think", "together"}) d.mean(one, std::string(one) + ".number");
    d.mean_of("whole", "together.response_time");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      go({s[0] + 1, s[1] + 1}, 4 - std::max(s[0], s[1]));
      if (s[0] > 0) go(with(s, 0, -1), 2.0);
      if (s[1] > 0) go(with(s, 1, -1), 1.25);
    });
    const ResultSet r = d.run();
    const double inside = chain.mean([](const S& s) { return std::max(s[0], s[1]); });
    compare_inside(r, "a", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "b", chain.mean([](const S& s) { return at(s, 1); }));
    compare_inside(r, "think", 4 - inside);
    compare_inside(r, "together", chain.mean([](const S& s) { return std::abs(s[0] - s[1]); }));
    compare_inside(r, "whole", inside / (4 - inside));  // Little
  }
  void who_was_refused_holds_no_place_in_a_region_when_the_next_comes_data() {
    QTest::addColumn<QString>("four");
    QTest::newRow("of his batch") << "batch";
    QTest::newRow("part") << "fork";
  }
  // Of four at once the first is served; the station refuses each of the others, who holds no place in the region then.
  void who_was_refused_holds_no_place_in_a_region_when_the_next_comes() {
    QFETCH(QString, four);
    const bool parts = four == "fork";
    DrawnNetwork d("20 s");
    const ElementId in = d.node("source", "in",
                                {{"interarrival", "schedule(times = [1 s])"}, {"batch", parts ? "1" : "4"}}),
                    work = d.node("station", "work", {{"service", "1 s"}, {"capacity", "1"}, {"when_full", "lose"}}),
                    out = d.node("sink", "out"), refused = d.node("sink", "refused");
    d.node("region", "limits", {{"stations", "work"}, {"capacity", "2"}, {"when_full", "lose"}});
    if (parts) {
      const ElementId fork = d.node("fork", "split");
      d.flow(in, fork), d.flow(fork, work, {{"count", "4"}});
    } else {
      d.flow(in, work);
    }
    d.flow(work, out), d.flow(work, refused, {{"taken_by", "refused"}});
    for (const char* of : {"work.lost", "limits.lost", "out.arrived", "refused.arrived"})
      d.m.measure(std::string(of).replace(std::string(of).find('.'), 1, "_"), "final_value", of);
    const ResultSet r = solved(d.m.document(), {.replications = 1});
    QCOMPARE(estimate(r, "work_lost"), 3.0);
    QCOMPARE(estimate(r, "limits_lost"), 0.0);
    QCOMPARE(estimate(r, "out_arrived"), 1.0);
    QCOMPARE(estimate(r, "refused_arrived"), 3.0);
  }
  // Times are constant: 0.2 s until both are there, and 0.4 s more behind the scaler.
  void who_was_split_is_whom_he_was_whatever_his_parts_became() {
    for (const char* end : {"join", "scaler"}) {
      DrawnNetwork d("20 s");
      d.node("job_class", "a"), d.node("job_class", "b");
      const ElementId in = d.node("source", "in",
                                  {{"interarrival", "schedule(times = [1 s, 2 s, 3 s])"}, {"class", "a"}}),
                      fork = d.node("fork", "split"), meet = d.node(end, "meet"), out = d.node("sink", "out");
      d.flow(in, fork);
      for (const char* time : {"0.1 s", "0.2 s"}) {
        const ElementId way = d.node("delay", std::string("way") + time[2], {{"time", time}});
        const ElementId turn = d.node("class_switch", std::string("turn") + time[2]);
        d.flow(fork, way), d.flow(way, turn), d.flow(turn, meet, {{"becomes", "b"}});
      }
      const bool again = std::string(end) == "scaler";
      if (again) {
        const ElementId join = d.node("join", "last");
        for (const char* time : {"0.3 s", "0.4 s"}) {
          const ElementId way = d.node("delay", std::string("way") + time[2], {{"time", time}});
          d.flow(meet, way), d.flow(way, join);
        }
        d.flow(join, out);
      } else {
        d.flow(meet, out);
      }
      d.m.measure("arrived", "final_value", "out.arrived");
      d.m.measure("time", "observed_mean", "", {{"of", "out.time_in_system"}});
      const ResultSet r = solved(d.m.document(), {.replications = 1});
      QCOMPARE(estimate(r, "arrived"), 3.0);
      near(r, "time", again ? 0.6 : 0.2);
    }
  }
  void the_first_part_may_do() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(1), fork = d.node("fork", "split"), a = d.exponential("a", "0.25"),
                    b = d.exponential("b", "0.5"), join = d.node("join", "together", {{"wait_for", "1"}});
    d.flow(think, fork), d.flow(fork, a), d.flow(fork, b), d.flow(a, join), d.flow(b, join), d.flow(join, think);
    for (const char* one : {"a", "b", "think"}) d.mean(one, std::string(one) + ".number");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      if (std::min(s[0], s[1]) == 0 && std::max(s[0], s[1]) < 40) go({s[0] + 1, s[1] + 1}, 1.0);
      if (s[0] > 0) go(with(s, 0, -1), 4.0);
      if (s[1] > 0) go(with(s, 1, -1), 2.0);
    });
    const ResultSet r = d.run();
    compare_inside(r, "a", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "b", chain.mean([](const S& s) { return at(s, 1); }));
    compare_inside(r, "think", chain.mean([](const S& s) { return std::min(s[0], s[1]) == 0 ? 1.0 : 0.0; }));
  }
  // One customer: think 1 s; of three parts the first after 1/3 s, the second 1/2 s later, the last 1 s later. Then two
  // parts: 1/2 s and 1 s.
  void semaphores_and_scalers_count() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(1), fork = d.node("fork", "split"), work = d.stay("work", "1"),
                    gate = d.node("semaphore", "gate", {{"threshold", "2"}}), scaler = d.node("scaler", "anew"),
                    more = d.stay("more", "1"), join = d.node("join", "together");
    d.flow(think, fork), d.flow(fork, work, {{"count", "3"}}), d.flow(work, gate), d.flow(gate, scaler);
    d.flow(scaler, more, {{"count", "2"}}), d.flow(more, join), d.flow(join, think);
    for (const char* one : {"think", "work", "gate", "anew", "more", "together"})
      d.mean(one, std::string(one) + ".number");
    const ResultSet r = d.run();
    const double cycle = 1 + 1.0 / 3 + 0.5 + 1 + 0.5 + 1;
    compare_inside(r, "think", 1 / cycle), compare_inside(r, "work", 3 / cycle);
    compare_inside(r, "gate", 0.5 / cycle), compare_inside(r, "anew", 2 * 1 / cycle);
    compare_inside(r, "more", 2 / cycle), compare_inside(r, "together", 1 / cycle);
  }
  // Of three parts, of stays of mean 1 s each, gold ones wait for two of them and bulk ones, whose parts are gold here,
  // for all three; the others for one: mean times between the order statistics of exponential times.
  void semaphores_open_by_the_class_of_the_whole() {
    SpecialElementsDrawing d;
    for (const char* of : {"gold", "bulk", "mail"}) d.node("job_class", of);
    const ElementId gate =
                        d.node("semaphore", "gate", {{"threshold", "1"}, {"threshold_of", "gold = 2, bulk = 1 + 2"}}),
                    fork = d.node("fork", "split"), work = d.stay("work", "1"), join = d.node("join", "together"),
                    out = d.node("sink", "out");
    for (const std::string of : {"gold", "bulk", "mail"})
      d.flow(d.node("source", "of_" + of, {{"rate", "0.5 /s"}, {"class", of}}), fork);
    d.flow(fork, work, {{"count", "3"}, {"class", "gold"}}), d.flow(fork, work, {{"count", "3"}, {"class", "mail"}});
    d.flow(fork, work, {{"count", "3"}, {"class", "bulk"}, {"becomes", "gold"}});
    d.flow(work, gate), d.flow(gate, join), d.flow(join, out);
    d.mean("gate", "gate.number"), d.mean("together", "together.number"), d.mean("work", "work.number");
    const ResultSet r = d.run();
    // At the gate: of gold one for 1/2 s; of bulk one for 1/2 s, then two for 1 s. At the join: of gold two for 1 s; of
    // mail one for 1/2 s, two for 1 s.
    compare_inside(r, "gate", 0.5 * (0.5 + 0.5 + 2.0));
    compare_inside(r, "together", 0.5 * (2.0 + 0.5 + 2.0));
    compare_inside(r, "work", 0.5 * 9);
    QCOMPARE(d.problems(), std::string());
  }
  // One customer: think 1 s; two of his parts stay 1 s each and wait for each other, two others 1/2 s each likewise.
  void semaphores_side_by_side_count_their_own() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(1), fork = d.node("fork", "split"), slow = d.stay("slow", "1"),
                    fast = d.stay("fast", "0.5"), slow_gate = d.node("semaphore", "slow_gate", {{"threshold", "2"}}),
                    fast_gate = d.node("semaphore", "fast_gate", {{"threshold", "2"}}),
                    join = d.node("join", "together");
    d.flow(think, fork), d.flow(fork, slow, {{"count", "2"}}), d.flow(fork, fast, {{"count", "2"}});
    d.flow(slow, slow_gate), d.flow(fast, fast_gate), d.flow(slow_gate, join), d.flow(fast_gate, join);
    d.flow(join, think);
    for (const char* one : {"think", "slow_gate", "fast_gate", "together"}) d.mean(one, std::string(one) + ".number");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      if (s[0] + s[1] == 0) go({2, 2}, 1.0);
      go(with(s, 0, -1), s[0]), go(with(s, 1, -1), 2.0 * s[1]);
    });
    const ResultSet r = d.run();
    const auto thinks = [](const S& s) { return s[0] + s[1] == 0; };
    compare_inside(r, "think", chain.mean(thinks));
    compare_inside(r, "slow_gate", chain.mean([](const S& s) { return at(s, 0) == 1 ? 1.0 : 0.0; }));
    compare_inside(r, "fast_gate", chain.mean([](const S& s) { return at(s, 1) == 1 ? 1.0 : 0.0; }));
    compare_inside(r, "together", chain.mean([&](const S& s) {
      return thinks(s) ? 0.0 : (s[0] == 0 ? 2.0 : 0.0) + (s[1] == 0 ? 2.0 : 0.0);
    }));
  }
  // Who was let through by one is not by the next: of three parts each waits for two.
  void semaphores_in_a_line_count_their_own() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(1), fork = d.node("fork", "split"), work = d.stay("work", "1"),
                    more = d.stay("more", "0.5"), first = d.node("semaphore", "first", {{"threshold", "2"}}),
                    second = d.node("semaphore", "second", {{"threshold", "2"}}), join = d.node("join", "together");
    d.flow(think, fork), d.flow(fork, work, {{"count", "3"}}), d.flow(work, first), d.flow(first, more);
    d.flow(more, second), d.flow(second, join), d.flow(join, think);
    for (const char* one : {"think", "first", "second", "together"}) d.mean(one, std::string(one) + ".number");
    const auto through = [](const S& s) { return 3 - s[0] - (s[0] == 2 ? 1 : 0) - s[1]; };
    const auto thinks = [&](const S& s) { return s[0] + s[1] == 0; };
    const PlainChain chain({0, 0}, [&](const S& s, const Go& go) {  // at work, at more
      if (thinks(s)) return go({3, 0}, 1.0);
      if (s[0] > 0) go({s[0] - 1, s[1] + (s[0] == 3 ? 0 : s[0] == 2 ? 2 : 1)}, s[0]);
      if (s[1] > 0) go(with(s, 1, -1), 2.0 * s[1]);
    });
    const ResultSet r = d.run();
    compare_inside(r, "think", chain.mean(thinks));
    compare_inside(r, "first", chain.mean([](const S& s) { return at(s, 0) == 2 ? 1.0 : 0.0; }));
    compare_inside(r, "second", chain.mean([&](const S& s) { return !thinks(s) && through(s) == 1 ? 1.0 : 0.0; }));
    compare_inside(r, "together", chain.mean([&](const S& s) { return through(s) == 2 ? 2.0 : 0.0; }));
  }
  // The whole goes on from the join to which the last part comes; each counts who stands there.
  void parts_may_come_to_several_joins() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(1), fork = d.node("fork", "split"), slow = d.stay("slow", "1"),
                    fast = d.stay("fast", "0.5"), one = d.node("join", "one"), other = d.node("join", "other");
    d.flow(think, fork), d.flow(fork, slow), d.flow(fork, fast, {{"count", "2"}}), d.flow(slow, one);
    d.flow(fast, other), d.flow(one, think), d.flow(other, think);
    for (const char* join : {"one", "other"}) d.mean(join, std::string(join) + ".number");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      if (s[0] + s[1] == 0) go({1, 2}, 1.0);
      go(with(s, 0, -1), s[0]), go(with(s, 1, -1), 2.0 * s[1]);
    });
    const ResultSet r = d.run();
    compare_inside(r, "one", chain.mean([](const S& s) { return s[0] == 0 && s[1] > 0 ? 1.0 : 0.0; }));
    compare_inside(r, "other", chain.mean([](const S& s) { return s[0] == 0 && s[1] == 0 ? 0.0 : 2.0 - s[1]; }));
  }
  // One of two parts leaves: the other goes on as the customer.
  void a_part_that_leaves_is_not_waited_for() {
    SpecialElementsDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), fork = d.node("fork", "split"),
                    stay = d.stay("stay", "2"), gone = d.node("sink", "gone"), join = d.node("join", "together"),
                    out = d.node("sink", "out");
    d.flow(in, fork), d.flow(fork, stay), d.flow(fork, gone), d.flow(stay, join), d.flow(join, out);
    d.mean("stay", "stay.number"), d.mean_of("whole", "out.time_in_system");
    const ResultSet r = d.run();
    compare_inside(r, "stay", 2.0), compare_inside(r, "whole", 2.0);
  }

  void a_region_lets_in_so_many() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(6), a = d.exponential("a", "0.4"), b = d.exponential("b", "0.5");
    d.node("region", "yard", {{"stations", "a, b"}, {"capacity", "3"}});
    d.flow(think, a), d.flow(a, b), d.flow(b, think);
    for (const char* one : {"a", "b", "yard"}) d.mean(one, std::string(one) + ".number");
    d.mean("before", "yard.waiting");
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {  // waiting, at a, at b
      const int inside = s[1] + s[2];
      go(inside < 3 ? with(s, 1, 1) : with(s, 0, 1), 6 - s[0] - inside);
      if (s[1] > 0) go({s[0], s[1] - 1, s[2] + 1}, 2.5);
      if (s[2] > 0) go(s[0] > 0 ? S{s[0] - 1, s[1] + 1, s[2] - 1} : with(s, 2, -1), 2.0);
    });
    const ResultSet r = d.run();
    compare_inside(r, "a", chain.mean([](const S& s) { return at(s, 1); }));
    compare_inside(r, "b", chain.mean([](const S& s) { return at(s, 2); }));
    compare_inside(r, "yard", chain.mean([](const S& s) { return at(s, 1) + at(s, 2); }));
    compare_inside(r, "before", chain.mean([](const S& s) { return at(s, 0); }));
  }
  void a_region_may_turn_away_by_class() {
    SpecialElementsDrawing d;
    d.node("job_class", "x"), d.node("job_class", "y");
    const ElementId in_x = d.node("source", "in_x", {{"rate", "2 /s"}, {"class", "x"}}),
                    in_y = d.node("source", "in_y", {{"rate", "1 /s"}, {"class", "y"}}), stay = d.stay("stay", "1"),
                    out = d.node("sink", "out");
    d.node("region", "yard",
           {{"stations", "stay"}, {"capacity", "3"}, {"capacity_of", "x = 2"}, {"when_full", "lose"}});
    d.flow(in_x, stay), d.flow(in_y, stay), d.flow(stay, out);
    d.mean("x", "stay.number.x"), d.mean("y", "stay.number.y");
    d.m.measure("lost", "final_value", "yard.lost / 4000");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      if (s[0] + s[1] < 3 && s[0] < 2) go(with(s, 0, 1), 2.0);
      if (s[0] + s[1] < 3) go(with(s, 1, 1), 1.0);
      if (s[0] > 0) go(with(s, 0, -1), s[0]);
      if (s[1] > 0) go(with(s, 1, -1), s[1]);
    });
    const ResultSet r = d.run();
    compare_inside(r, "x", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "y", chain.mean([](const S& s) { return at(s, 1); }));
    compare_inside(r, "lost", chain.mean([](const S& s) {
      const bool all = s[0] + s[1] == 3;
      return (all || s[0] == 2 ? 2.0 : 0.0) + (all ? 1.0 : 0.0);
    }));
  }

  // Four customers, two units: as at a station of two servers.
  void customers_hold_units_of_a_pool() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(4), take = d.node("seize", "take"), work = d.stay("work", "0.8"),
                    give = d.node("release", "give");
    d.node("pool", "tools", {{"units", "2"}});
    d.flow(think, take), d.flow(take, work), d.flow(work, give), d.flow(give, think);
    d.mean("waiting", "take.number"), d.mean("busy", "tools.busy"), d.mean("free", "tools.free");
    d.mean_of("wait", "take.waiting_time");
    const PlainChain chain({0}, [](const S& s, const Go& go) {
      go(with(s, 0, 1), 4 - s[0]);
      if (s[0] > 0) go(with(s, 0, -1), std::min(s[0], 2) / 0.8);
    });
    const ResultSet r = d.run();
    const double waiting = chain.mean([](const S&s) { return std::max(0, s[0] - 2); }),
                 busy = chain.mean([](const S&s) { return std::min(2, s[0]); });
    compare_inside(r, "waiting", waiting), compare_inside(r, "busy", busy), compare_inside(r, "free", 2 - busy);
    compare_inside(r, "wait", waiting / (busy / 0.8));
  }
  void who_is_urgent_seizes_first() {
    SpecialElementsDrawing d;
    d.node("job_class", "x", {{"population", "2"}, {"priority", "1"}}), d.node("job_class", "y", {{"population", "2"}});
    const ElementId think = d.stay("think", "1"), take = d.node("seize", "take"), work = d.stay("work", "0.6"),
                    give = d.node("release", "give");
    d.node("pool", "tool");
    d.flow(think, take), d.flow(take, work), d.flow(work, give), d.flow(give, think);
    d.mean("x", "think.number.x"), d.mean("y", "think.number.y");
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {  // not thinking of x, y; who holds it
      for (const std::size_t c : {0U, 1U}) {
        S to = with(s, c, 1);
        if (to[2] == 0) to[2] = static_cast<int>(c) + 1;
        if (s[c] < 2) go(to, 2 - s[c]);
      }
      if (s[2] == 0) return;
      S to = with(s, static_cast<std::size_t>(s[2]) - 1, -1);
      to[2] = to[0] > 0 ? 1 : to[1] > 0 ? 2 : 0;
      go(to, 1 / 0.6);
    });
    const ResultSet r = d.run();
    compare_inside(r, "x", 2 - chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "y", 2 - chain.mean([](const S& s) { return at(s, 1); }));
  }

  // A generalised stochastic Petri net: one server, any number of servers, a choice without time, an inhibitor.
  void transitions_take_tokens_from_places() {
    SpecialElementsDrawing d;
    const ElementId ready = d.node("place", "ready", {{"tokens", "3"}}), chosen = d.node("place", "chosen"),
                    left = d.node("place", "left"), right = d.node("place", "right");
    const ElementId start = d.node("transition", "start", {{"time", "exponential(mean = 1 s)"}}),
                    go_left = d.node("transition", "go_left"),
                    go_right = d.node("transition", "go_right", {{"weight", "3"}}),
                    from_left = d.node("transition", "from_left",
                                       {{"time", "exponential(mean = 0.5 s)"}, {"servers", "infinite"}}),
                    from_right = d.node("transition", "from_right", {{"time", "exponential(mean = 2 s)"}});
    d.flow(ready, start), d.flow(start, chosen), d.flow(chosen, go_left), d.flow(chosen, go_right);
    d.flow(go_left, left), d.flow(go_right, right), d.flow(left, from_left), d.flow(right, from_right);
    d.flow(from_left, ready), d.flow(from_right, ready);
    d.flow(right, start, {{"inhibits", "true"}, {"count", "2"}});
    for (const char* one : {"ready", "left", "right", "chosen"}) d.mean(one, std::string(one) + ".number");
    d.m.measure("fired", "final_value", "start.fired / 4000");
    const PlainChain chain({3, 0, 0}, [](const S& s, const Go& go) {
      if (s[0] > 0 && s[2] < 2) {
        go({s[0] - 1, s[1] + 1, s[2]}, 0.25), go({s[0] - 1, s[1], s[2] + 1}, 0.75);
      }
      if (s[1] > 0) go({s[0] + 1, s[1] - 1, s[2]}, 2.0 * s[1]);
      if (s[2] > 0) go({s[0] + 1, s[1], s[2] - 1}, 0.5);
    });
    const ResultSet r = d.run();
    QCOMPARE(d.problems(), std::string());
    compare_inside(r, "ready", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "left", chain.mean([](const S& s) { return at(s, 1); }));
    compare_inside(r, "right", chain.mean([](const S& s) { return at(s, 2); }));
    compare_inside(r, "fired", chain.mean([](const S& s) { return s[0] > 0 && s[2] < 2 ? 1.0 : 0.0; }));
    QVERIFY(r.measure("chosen")->estimate == 0.0);  // never for a time
  }
  // Two become one and one becomes two; a place before a station, whose customers come back as tokens.
  void tokens_are_customers() {
    SpecialElementsDrawing d;
    const ElementId many = d.node("place", "many", {{"tokens", "5"}}), few = d.node("place", "few"),
                    pair = d.node("transition", "pair", {{"time", "exponential(mean = 1 s)"}, {"servers", "2"}}),
                    part = d.node("transition", "part"), desk = d.exponential("desk", "0.7");
    d.flow(many, pair, {{"count", "2"}}), d.flow(pair, desk), d.flow(desk, few);
    d.flow(few, part), d.flow(part, many, {{"count", "2"}});
    d.mean("many", "many.number"), d.mean("desk", "desk.number");
    const PlainChain chain({5, 0}, [](const S& s, const Go& go) {
      if (s[0] > 1) go({s[0] - 2, s[1] + 1}, std::min(2, s[0] / 2));
      if (s[1] > 0) go({s[0] + 2, s[1] - 1}, 1 / 0.7);
    });
    const ResultSet r = d.run();
    compare_inside(r, "many", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "desk", chain.mean([](const S& s) { return at(s, 1); }));
  }
  void transports_and_loggers() {
    SpecialElementsDrawing d;
    const ElementId in = d.node("source", "in", {{"interarrival", "10 s"}}),
                    belt = d.node("transport", "belt", {{"distance", "30 m"}, {"speed", "2 m/s"}}),
                    log = d.node("logger", "log"), out = d.node("sink", "out");
    d.flow(in, belt), d.flow(belt, log), d.flow(log, out);
    d.m.measure("interval", "observed_maximum", "", {{"of", "log.interval"}});
    d.m.measure("age", "observed_maximum", "", {{"of", "log.age"}});
    d.m.measure("passed", "final_value", "log.passed");
    const ResultSet r = d.run();
    QVERIFY(r.measure("interval")->estimate == 10.0 && r.measure("age")->estimate == 15.0);
    QVERIFY(r.measure("passed")->estimate == 398.0);  // the first at 10 + 15 s, the last at 3995 s
  }
  void a_saved_moment_goes_on_as_it_was() {
    SpecialElementsDrawing d;
    const ElementId think = d.users(4), fork = d.node("fork", "split"), a = d.exponential("a", "0.5"),
                    b = d.exponential("b", "0.8"), join = d.node("join", "together"), take = d.node("seize", "take"),
                    give = d.node("release", "give"), place = d.node("place", "p"), t = d.node("transition", "t");
    d.node("pool", "tools"), d.node("region", "yard", {{"stations", "a"}, {"capacity", "1"}});
    d.flow(think, fork), d.flow(fork, a), d.flow(fork, b), d.flow(a, join), d.flow(b, join), d.flow(join, take);
    d.flow(take, give), d.flow(give, place), d.flow(place, t), d.flow(t, think);
    d.mean("think", "think.number");
    QCOMPARE(d.problems(), std::string());
    compare_saved_moment(d.m.document());
  }
  void what_is_wrong_is_refused_by_name() {
    const auto problem = [](const std::function<void(SpecialElementsDrawing&)>& draw) {
      SpecialElementsDrawing d;
      draw(d);
      return d.problems();
    };
    const auto line = [](SpecialElementsDrawing& d, ElementId middle) {
      const ElementId in = d.node("source", "in"), out = d.node("sink", "out");
      d.flow(in, middle), d.flow(middle, out);
    };
    QCOMPARE(problem([&](SpecialElementsDrawing& d) { line(d, d.node("seize", "s")); }), std::string("QN005"));
    QCOMPARE(problem([&](SpecialElementsDrawing& d) {
               line(d, d.node("semaphore", "s", {{"threshold", "0"}}));
             }),
             std::string("QN004"));
    QStringList told;
    for (const char* bad :
         {"gold = 0", "gold = 1.5", "gold = gate.number", "gold = 2, gold = 3", "silver = 2", "gold = all", "gold ="})
      told << QString(bad) + ": " + QString::fromStdString(problem([&](SpecialElementsDrawing& d) {
                d.node("job_class", "gold");
                line(d, d.node("semaphore", "gate", {{"threshold_of", bad}}));
              }));
    QCOMPARE(told,
             (QStringList{"gold = 0: QN004", "gold = 1.5: EXP003", "gold = gate.number: QN004",
                          "gold = 2, gold = 3: QN004", "silver = 2: QN005", "gold = all: EXP002", "gold =: EXP001"}));
    QCOMPARE(problem([&](SpecialElementsDrawing& d) {
               line(d, d.node("join", "s", {{"wait_for", "0"}}));
             }),
             std::string("QN004"));
    QCOMPARE(problem([&](SpecialElementsDrawing& d) {
               line(d, d.node("station", "s"));
               d.node("region", "r", {{"stations", "s, t"}});
             }),
             std::string("QN013"));
    QCOMPARE(problem([&](SpecialElementsDrawing& d) {
               line(d, d.node("station", "s"));
               d.node("region", "r", {{"stations", "s"}}), d.node("region", "q", {{"stations", "s"}});
             }),
             std::string("QN013"));
    QCOMPARE(problem([](SpecialElementsDrawing& d) {
               const ElementId t = d.node("transition", "t"), p = d.node("place", "p");
               d.flow(t, p);
             }),
             std::string("QN014"));
  }
};

QTEST_APPLESS_MAIN(TestSpecialElements)
#include "tst_special_elements.moc"
