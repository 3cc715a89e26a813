// Overloads that no single station has by itself: stations that hold each other up, services that begin anew, units of
// pools, and customers who come again through what they overload.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/des/lowering.h"
#include "solvers/queueing/exact/blocking_line.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/queueing/model/begun_again.h"
#include "tests/solvers/queueing/overloads_told.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Customers go from "in" to `at`, and from `at` to "out".
struct Way : DrawnNetwork {
  ElementId at;
  explicit Way(const std::string& rate, const std::string& horizon = "4000 s") : DrawnNetwork(horizon) {
    at = node("source", "in", {{"rate", rate}});
    m.measure("all", "final_value", "in.emitted - out.arrived");
  }
  Way& then(const std::string& kind, const std::string& name, Value more = Value::object()) {
    const ElementId next = node(kind, name, std::move(more));
    flow(at, next), at = next;
    return *this;
  }
  Way& station(const std::string& name, double mean_s, Value more = Value::object()) {
    more["service"] = exponential(mean_s);
    return then("station", name, std::move(more));
  }
  Way& out() { return then("sink", "out"); }
};
std::string per_s(double rate) { return number_text(rate) + " /s"; }

Way line(double rate, std::vector<double> means, int room, const char* when_full) {
  Way d(per_s(rate));
  for (std::size_t i = 0; i < means.size(); ++i)
    d.station("s" + std::to_string(i), means[i],
              i == 0 ? Value::object() : Value{{"capacity", std::to_string(room)}, {"when_full", when_full}});
  return std::move(d.out());
}
/// Class "high" interrupts "low" at "desk".
DrawnNetwork two_classes(double high, double low, const std::string& service, const char* interruption) {
  DrawnNetwork d;
  d.node("job_class", "high", {{"priority", "1"}}), d.node("job_class", "low");
  const ElementId desk = d.node("station", "desk",
                                {{"service_of", "high = exponential(mean = 1 s), low = " + service},
                                 {"priorities", "preemptive"},
                                 {"interruption", interruption}}),
                  out = d.node("sink", "out");
  for (const auto& [name, rate] : {std::pair("high", high), {"low", low}})
    d.flow(d.node("source", std::string("of_") + name, {{"rate", per_s(rate)}, {"class", name}}), desk);
  d.flow(desk, out);
  d.m.measure("all", "final_value", "of_high.emitted + of_low.emitted - out.arrived");
  return d;
}
double left_at_the_end(const DrawnNetwork& d, std::uint64_t seed = 1) {
  return estimate(solved(d.m.document(), {.seed = seed, .replications = 6}), "all");
}
Distribution law(const char* family, std::vector<NamedArgument> args) {
  return std::get<Distribution>(make_distribution(family, args));
}

}  // namespace

class TestHeldUpLoads : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Hunt, Sequential arrays of waiting lines, Operations Research 4(6), 1956: without room between them three stations
  // let 22/39 through and two 2/3; with room for q in front of each (q + 2)/(q + 3).
  void lines_without_room_let_through_what_hunt_says() {
    const auto through = [](std::vector<LineStation> all) { return *saturated_throughput(all, 1e8); };
    near(through({{}, {}}), 2.0 / 3.0, "two", 1e-14);
    near(through({{}, {}, {}}), 22.0 / 39.0, "three", 1e-14);
    for (std::uint32_t room : {2U, 5U, 40U})
      near(through({{}, {1, 1, room}}), (room + 1.0) / (room + 2.0), "room", 1e-13);
    // Of unlike rates a and b and room for n - 1: a b (a^n - b^n) / (a^(n+1) - b^(n+1)), as of M/M/1/n.
    const double a = 1.7, b = 0.6;
    near(through({{a}, {b, 1, 4}}), a * b * (std::pow(a, 5) - std::pow(b, 5)) / (std::pow(a, 6) - std::pow(b, 6)),
         "unlike", 1e-13);
    // Before the service: one or the other, then as M/M/1/n.
    near(through({{1, 1, 1, true}, {}}), 0.5, "before", 1e-14);
    near(through({{a, 1, 1, true}, {b, 1, 4}}),
         a * b * (std::pow(a, 4) - std::pow(b, 4)) / (std::pow(a, 5) - std::pow(b, 5)), "before, room", 1e-13);
    QVERIFY(!saturated_throughput(std::vector<LineStation>(9, LineStation{1, 2, 9}), 1e6));
    QVERIFY(!saturated_throughput(std::vector<LineStation>(1), 1e6));
  }
  // Several servers, and both ways of blocking in one line: against a line to which far too many come.
  void lines_let_through_what_simulation_does() {
    for (int kind = 0; kind < 3; ++kind) {
      Way d("6 /s", "20000 s");
      d.station("a", 1.1, {{"servers", kind == 0 ? "2" : "1"}});
      d.station(
          "b", 1.3,
          {{"servers", "2"}, {"capacity", kind == 2 ? "2" : "3"}, {"when_full", kind == 1 ? "block_before" : "block"}});
      d.station("c", 0.7, {{"capacity", "2"}, {"when_full", "block"}}).out();
      d.m.measure("through", "observed_rate", "", {{"of", "c.response_time"}});
      const double seen = estimate(solved(d.m.document(), {.replications = 20}), "through");
      near(seen * load_of(d), 6.0, "kind " + std::to_string(kind), 0.004);  // standard error some 0.001
    }
  }
  void a_line_is_judged_as_a_whole() {
    for (const char* how : {"block", "block_before"}) {
      const double most = std::string(how) == "block" ? 0.75 : 2.0 / 3.0;  // room for 2
      is_silent(line(0.98 * most, {1, 1}, 2, how));
      says(line(1.02 * most, {1, 1}, 2, how),
           "\"s0\" gets 1.02 times the work that its servers, held up on the line to \"s1\", can do, the most of all "
           "stations: its queue grows without end.");
    }
    is_silent(line(0.55, {1, 1, 1}, 1, "block"));
    says(line(0.6, {1, 1, 1}, 1, "block"), "gets 1.064 times");
    // As many go on as come, and no more than the line lets through.
    for (const double rate : {0.5, 0.7}) {
      Way d(per_s(rate));
      d.station("a", 1).station("b", 1, {{"capacity", "1"}, {"when_full", "block"}}).station("c", 1.9).out();
      const std::string said = overloads_of(d);
      QCOMPARE(said.find("\"a\" gets") != std::string::npos, rate == 0.7);
      QCOMPARE(said.find("\"c\" gets 1.267 times") != std::string::npos, rate == 0.7);  // 2/3 of 1.9 s
    }
    // Too long for one chain: of its parts known is that they let no more through.
    says(line(0.62, std::vector<double>(14, 1.0), 3, "block_before"), "s0\" gets at least 1.");
    is_silent(line(0.3, std::vector<double>(14, 1.0), 3, "block_before"));
  }
  void where_a_line_is_none_its_stations_are_judged() {
    // Fixed times: nothing holds up whom the slower one does not.
    for (const double rate : {0.95, 1.05}) {
      Way d(per_s(rate));
      d.then("station", "a", {{"service", "0.5 s"}})
          .then("station", "b", {{"service", "1 s"}, {"capacity", "1"}, {"when_full", "block"}})
          .out();
      if (rate < 1.0) is_silent(d);
      else says(d, "\"a\" gets at least 1.05 times the work that its servers, held up on the line to \"b\", can do");
      QCOMPARE(left_at_the_end(d) > 100.0, rate > 1.0);
    }
    // Who is sent to the second by another too, and one without anybody before it.
    for (const double mean_s : {1.7, 2.2}) {
      Way d("0.5 /s");
      const ElementId other = d.node("source", "other", {{"rate", "0.05 /s"}}),
                      a = d.node("station", "a", {{"service", exponential(0.1)}});
      d.flow(other, a);
      d.station("b", 0.1);
      const ElementId last =
          d.node("station", "last", {{"service", exponential(mean_s)}, {"capacity", "5"}, {"when_full", "block"}});
      d.flow(a, last), d.flow(d.at, last), d.at = last;
      d.out();
      if (mean_s < 2.0) is_silent(d);
      else
        says(d,
             "\"last\" gets at least 1.21 times the work that its servers can do, the most of all stations: before it, "
             "or on the way to it, customers become ever more.");
      Way alone("0.5 /s");
      alone.station("desk", mean_s, {{"capacity", "3"}, {"when_full", "block"}}).out();
      if (mean_s < 2.0) is_silent(alone);
      else says(alone, "\"desk\" gets at least 1.1 times");
    }
  }

  // Closed forms of what a service takes that begins anew: 1 / (m - r) of rate m, (e^(r d) - 1) / r of a fixed time.
  void services_that_begin_anew_take_longer() {
    const double r = 0.4;
    const auto again = [&](const Distribution& one) { return time_begun_again(one, r).mean_s; };
    near(again(Distribution::exponential(1.0)), 1.0 / 0.6, "exponential", 1e-13);
    QVERIFY(std::isinf(again(Distribution::exponential(0.4))));
    near(again(Distribution::deterministic(2.0)), (std::exp(0.8) - 1.0) / r, "fixed", 1e-13);
    near(again(law("erlang", {{"k", {3}}, {"mean", {1.5}}})), (std::pow(1.0 - r * 0.5, -3) - 1.0) / r, "erlang", 1e-13);
    const Distribution two = law("hyperexponential", {{"p", {0.3, 0.7}}, {"rate", {0.5, 2.0}}});
    near(again(two), 0.3 / 0.1 + 0.7 / 1.6, "hyperexponential", 1e-12);
    QVERIFY(std::isinf(time_begun_again(two, 0.5).mean_s));
    const double l = 0.3 * 0.5 / 0.9 + 0.7 * 2.0 / 2.4;
    near(time_drawn_again(two, r).mean_s, (1.0 / l - 1.0) / r, "drawn again", 1e-12);
    near(time_drawn_again(Distribution::deterministic(2.0), r).mean_s, (std::exp(0.8) - 1.0) / r, "fixed, drawn",
         1e-13);
    near(time_drawn_again(Distribution::exponential(3.0), r).mean_s, 1.0 / 3.0, "exponential, drawn", 1e-13);
    // Sums from below: uniform on 0 to 2, E e^(r S) = (e^(2 r) - 1) / (2 r).
    const MeanTime even = time_begun_again(law("uniform", {{"low", {0}}, {"high", {2}}}), r);
    const double exact = ((std::exp(0.8) - 1.0) / 0.8 - 1.0) / r;
    QVERIFY(!even.exactly && even.mean_s < exact && even.mean_s > 0.999 * exact);
    for (const auto& [family, args] : {std::pair("lognormal", std::vector<NamedArgument>{{"mean", {1}}, {"scv", {2}}}),
                                       {"pareto", {{"shape", {3}}, {"scale", {1}}}}}) {
      const Distribution heavy = law(family, args);
      QVERIFY2(
          std::isinf(again(heavy)) && time_drawn_again(heavy, r).mean_s < 10.0 && !to_draw_again_never_helps(heavy),
          family);
    }
  }
  // 0.4/s of 1 s interrupt: a service of 1 s in the mean takes 1/0.6 s with its own time again.
  void interrupted_services_count_as_often_as_they_begin() {
    const std::string one = "exponential(mean = 1 s)";
    is_silent(two_classes(0.4, 0.35, one, "repeat"));
    is_silent(two_classes(0.4, 0.35, one, "resume"));
    says(two_classes(0.4, 0.4, one, "repeat"),
         "\"desk\" gets 1.067 times the work that its servers beside what they begin in vain can do, the most of all "
         "stations: its queue grows without end.");
    is_silent(two_classes(0.4, 0.4, one, "resample"));
    says(two_classes(0.4, 0.66, one, "resample"), "\"desk\" gets 1.06 times the work that its servers can do");
    for (const char* how : {"repeat", "resample"}) {  // (e^0.8 - 1) / 0.4 = 3.064 s
      is_silent(two_classes(0.4, 0.19, "2 s", how));
      says(two_classes(0.4, 0.2, "2 s", how), "\"desk\" gets 1.013 times");
    }
    says(two_classes(0.4, 0.01, "exponential(mean = 2.5 s)", "repeat"),
         "Services at \"desk\" that begin anew whenever they are interrupted have no finite mean in all");
  }
  // Of some long and many short times another draw helps: asked are 1.1 of 1, but what is begun anew takes less.
  void a_new_time_may_be_shorter() {
    const std::string two = "hyperexponential(p = [0.1, 0.9], rate = [0.05 /s, 5 /s])";
    const DrawnNetwork anew = two_classes(0.4, 0.32, two, "resample");
    is_silent(anew);
    says(two_classes(0.4, 0.32, two, "resume"), "gets 1.098 times");
    QVERIFY(left_at_the_end(anew) < 40.0);
  }
  // Who comes last is served first: a M/M/1 whose services begin anew ends where e^(r S) is 2 in the mean, at 1/2.
  void the_last_who_come_interrupt_their_own() {
    for (const double rate : {0.49, 0.52}) {
      Way d(per_s(rate));
      d.station("desk", 1, {{"discipline", "lcfs_pr"}, {"interruption", "repeat"}}).out();
      if (rate < 0.5) is_silent(d);
      else says(d, "\"desk\" gets 1.083 times");  // 0.52 / 0.48
    }
  }
  void failures_let_services_begin_anew() {
    const auto fails = [](double rate, const char* how) {
      Way d(per_s(rate));
      d.then("station", "desk",
             {{"service", "1 s"},
              {"servers", "2"},
              {"interruption", how},
              {"time_to_failure", "exponential(mean = 2 s)"},
              {"time_to_repair", "1 s"}});
      return std::move(d.out());
    };
    const double can = 2.0 * (2.0 / 3.0) / ((std::exp(0.5) - 1.0) / 0.5);
    for (const char* how : {"repeat", "resample"}) {
      is_silent(fails(0.97 * can, how));
      says(fails(1.05 * can, how),
           "\"desk\" gets 1.05 times the work that its servers, up 66.67 % of the time, beside what they begin in vain "
           "can do");
    }
    QVERIFY(left_at_the_end(fails(0.95 * can, "repeat")) < 100.0 &&
            left_at_the_end(fails(1.1 * can, "repeat")) > 200.0);
  }

  // Little's law: 1.2 hold two units for 1 s.
  void units_of_pools_are_held_for_as_long_as_services_take() {
    for (const double rate : {1.4, 1.6}) {
      Way d(per_s(rate));
      d.node("pool", "tools", {{"units", "3"}});
      d.then("seize", "take", {{"pool", "tools"}, {"units", "2"}}).then("delay", "use", {{"time", "1 s"}});
      d.then("release", "back", {{"pool", "tools"}, {"units", "1"}}).then("delay", "clean", {{"time", "0.001 s"}});
      d.then("release", "rest", {{"pool", "tools"}}).out();
      if (rate < 1.5) is_silent(d);
      else
        says(d,
             "Of \"tools\" customers hold at least 1.067 times as many as there are, if all go on: before it, or on "
             "the way to it, they become ever more.");
    }
    // A station within, and one behind it.
    for (const auto& [inside_s, behind_s, wanted] : {std::tuple(0.9, 0.9, ""),
                                                     {1.1, 0.9, "\"inside\" gets at least 1.1"},
                                                     {0.9, 1.2, "\"behind\" gets at least 1.2"}}) {
      Way d("1 /s");
      d.node("pool", "tools", {{"units", "50"}});
      d.then("seize", "take", {{"pool", "tools"}})
          .station("inside", inside_s)
          .then("release", "back", {{"pool", "tools"}});
      d.station("behind", behind_s).out();
      if (*wanted == 0) is_silent(d);
      else says(d, wanted);
    }
  }

  // A share comes again behind the join: 1 / (1 - p) in all.
  void who_comes_again_from_a_join_is_counted() {
    for (const auto& [p, said] : {std::pair("0.3", ""), {"0.5", "\"right\" gets at least 1.2 times"}}) {
      Way d("1 /s");
      d.then("fork", "split");
      const ElementId fork = d.at;
      const ElementId left = d.node("station", "left", {{"service", exponential(0.5)}}),
                      right = d.node("station", "right", {{"service", exponential(0.6)}}),
                      meet = d.node("join", "meet");
      d.flow(fork, left), d.flow(fork, right), d.flow(left, meet), d.flow(right, meet);
      d.flow(meet, fork, {{"probability", p}});
      d.at = meet;
      d.out();
      if (*said == 0) is_silent(d);
      else says(d, said);
    }
  }
  void choices_behind_choices_are_followed() {
    for (const auto& [second_s, behind_s, said] :
         {std::tuple(1.8, 0.9, ""),
          {2.3, 0.9, "\"c\" and \"d\", among which customers choose at \"second\", together get at least 1.15 times"},
          {1.8, 1.3, "\"behind\" gets at least 1.3 times"}}) {
      Way d("1 /s");
      d.then("router", "first", {{"routing", "shortest_queue"}});
      const ElementId second = d.node("router", "second", {{"routing", "shortest_queue"}}),
                      last = d.node("station", "behind", {{"service", exponential(behind_s)}});
      for (const char* name : {"a", "b"}) {
        const ElementId one = d.node("station", name, {{"service", exponential(1.6)}});
        d.flow(d.at, one), d.flow(one, second);
      }
      for (const char* name : {"c", "d"}) {
        const ElementId one = d.node("station", name, {{"service", exponential(second_s)}});
        d.flow(second, one), d.flow(one, last);
      }
      d.at = last;
      d.out();
      if (*said == 0) is_silent(d);
      else says(d, said);
    }
  }

  /// Random networks of all this: where something is said ever more customers are inside, as simulation shows, which
  /// knows nothing of it; where few are, after a tenth of the time and at the end, nothing is.
  void whatever_is_said_to_grow_grows() {
    std::mt19937 random(5);
    const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    int grown = 0, told = 0, silent = 0;
    for (int round = 0; round < 160; ++round) {
      Way d("1 /s", "6000 s");
      std::string kinds;
      const double most = between(0.5, 1.3);
      const auto mean_s = [&] { return between(0.4 * most, most); };
      for (std::size_t stage = 0, stages = 1 + pick(3); stage < stages; ++stage) {
        const std::string name = std::to_string(stage);
        const std::size_t kind = pick(6);
        kinds += "bpjfsr"[kind];
        const Value little = {{"capacity", std::to_string(1 + pick(4))},
                              {"when_full", pick(2) == 0 ? "block" : "block_before"}};
        if (kind == 0) {
          d.station("a" + name, mean_s()).station("b" + name, mean_s(), little);
          if (pick(2) == 0) d.station("c" + name, mean_s(), little);
          d.station("d" + name, 0.1 * mean_s());
        } else if (kind == 1) {
          const std::string pool = "pool" + name;
          d.node("pool", pool, {{"units", std::to_string(1 + pick(6))}});
          d.then("seize", "take" + name, {{"pool", pool}});
          if (pick(2) == 0) d.then("delay", "stay" + name, {{"time", exponential(2.0 * mean_s())}});
          d.station("used" + name, mean_s()).then("release", "back" + name, {{"pool", pool}});
        } else if (kind == 2) {
          const ElementId choice = d.node("router", "choice" + name,
                                          {{"routing", pick(2) == 0 ? "shortest_queue" : "power_of_d"}}),
                          meet = d.node("router", "meet" + name);
          d.flow(d.at, choice);
          for (const char* side : {"l", "r"}) {
            const ElementId one = d.node("station", side + name, {{"service", exponential(1.9 * mean_s())}});
            d.flow(choice, one), d.flow(one, meet);
          }
          d.at = meet;
        } else if (kind == 3) {
          const ElementId fork = d.node("fork", "fork" + name), join = d.node("join", "join" + name),
                          back = d.node("router", "again" + name);
          d.flow(d.at, fork);
          for (const char* side : {"l", "r"}) {
            const ElementId one = d.node("station", side + name, {{"service", exponential(mean_s())}});
            d.flow(fork, one), d.flow(one, join);
          }
          d.flow(join, back), d.flow(back, fork, {{"probability", "0.2"}});
          d.at = back;
        } else {
          d.station("s" + name, mean_s(),
                    {{"time_to_failure", exponential(5.0)},
                     {"time_to_repair", exponential(0.5)},
                     {"interruption", kind == 4 ? "repeat" : "resample"}});
        }
      }
      d.out();
      const std::string said = overloads_of(d);
      QVERIFY2(said.find("no model") == std::string::npos, (kinds + said).c_str());
      const double left = left_at_the_end(d, static_cast<std::uint64_t>(round));
      const double load = said.empty() ? 0.0 : load_of(d);
      if (load > 1.03 && left <= 60.0) QFAIL((kinds + ": " + said + number_text(left)).c_str());
      if (left < 15.0) {
        ++silent;
        QVERIFY2(said.empty(), (kinds + ": " + said + number_text(left)).c_str());
      }
      if (left > 300.0) ++grown, told += said.empty() ? 0 : 1;
    }
    QVERIFY2(grown > 50 && told > 0.8 * grown && silent > 30,
             qPrintable(QString("%1 grown, of these %2 told, %3 silent").arg(grown).arg(told).arg(silent)));
    qInfo("%d grown, of these %d told, %d silent", grown, told, silent);
  }
};

QTEST_GUILESS_MAIN(TestHeldUpLoads)
#include "tst_held_up_loads.moc"
