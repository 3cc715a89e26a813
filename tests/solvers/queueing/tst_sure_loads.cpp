// Stations that surely get more than they can do, where traffic equations alone do not tell.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/overloads_told.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// 1 customer a second to `first`, drawn nodes, "out".
struct Line : DrawnNetwork {
  ElementId in, out;
  explicit Line(const std::string& rate = "1 /s") {
    in = node("source", "in", {{"rate", rate}}), out = node("sink", "out");
  }
  ElementId station(const std::string& name, const std::string& service_s, Value more = Value::object()) {
    more["service"] = "exponential(mean = " + service_s + " s)";
    return node("station", name, std::move(more));
  }
  /// One station between them.
  Line& alone(const std::string& service_s, Value more) {
    const ElementId a = station("desk", service_s, std::move(more));
    flow(in, a), flow(a, out);
    return *this;
  }
};

/// A customer becomes two of "left" and one of "right", which meet, and goes to "behind".
Line split(const std::string& left_s, const std::string& right_s, const std::string& behind_s,
           Value join = Value::object()) {
  Line d;
  const ElementId fork = d.node("fork", "split"), left = d.station("left", left_s), right = d.station("right", right_s),
                  meet = d.node("join", "meet", std::move(join)), behind = d.station("behind", behind_s);
  d.flow(d.in, fork), d.flow(fork, left, {{"count", "2"}}), d.flow(fork, right), d.flow(left, meet);
  d.flow(right, meet), d.flow(meet, behind), d.flow(behind, d.out);
  return d;
}

/// Customers choose between "a" and "b", and go to "behind".
Line choice(const std::string& how, const std::string& a_s, const std::string& b_s, const std::string& behind_s) {
  Line d;
  const ElementId router = d.node("router", "which", {{"routing", how}}), a = d.station("a", a_s),
                  b = d.station("b", b_s), behind = d.station("behind", behind_s);
  d.flow(d.in, router), d.flow(router, a), d.flow(router, b), d.flow(a, behind), d.flow(b, behind);
  d.flow(behind, d.out);
  return d;
}

}  // namespace

class TestSureLoads : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void parts_come_as_often_as_the_fork_sends_them() {
    is_silent(split("0.4", "0.9", "0.9"));
    says(split("0.6", "0.9", "0.9"), "QN010 \"left\" gets 1.2 times the work that its servers can do, the most of all");
    says(split("0.4", "1.5", "0.9"), "QN010 \"right\" gets 1.5 times the work");
  }
  // One goes on for each who was split, of however many parts; behind an overloaded branch fewer do.
  void who_was_joined_comes_as_often_as_he_was_split() {
    says(split("0.4", "0.9", "1.25"), "QN010 \"behind\" gets 1.25 times the work");
    says(split("0.4", "0.9", "1.25", {{"wait_for", "2"}}), "QN010 \"behind\" gets 1.25 times the work");
    const std::string said = overloads_of(split("0.6", "0.9", "1.1"));
    QVERIFY2(said.find("\"left\" gets 1.2") != std::string::npos && said.find("behind") == std::string::npos,
             said.c_str());
  }
  void forks_in_forks() {
    for (const char* last_s : {"0.9", "1.3"}) {
      Line d;
      const ElementId outer = d.node("fork", "outer"), inner = d.node("fork", "inner"), a = d.station("a", "0.8"),
                      b = d.station("b", "0.8"), c = d.station("c", "0.8"), small = d.node("join", "small"),
                      between = d.station("between", "0.7"), great = d.node("join", "great"),
                      last = d.station("last", last_s);
      d.flow(d.in, outer), d.flow(outer, inner), d.flow(outer, c), d.flow(inner, a), d.flow(inner, b);
      d.flow(a, small), d.flow(b, small), d.flow(small, between), d.flow(between, great), d.flow(c, great);
      d.flow(great, last), d.flow(last, d.out);
      if (std::string(last_s) == "0.9") is_silent(d);
      else says(d, "QN010 \"last\" gets 1.3 times the work");
    }
  }
  void who_may_choose_is_counted_together() {
    is_silent(choice("shortest_queue", "1.9", "1.9", "0.9"));
    says(choice("shortest_queue", "2.4", "2.4", "0.9"),
         "QN010 \"a\" and \"b\", among which customers choose at \"which\", together get at least 1.2 times the work "
         "that their servers can do: their queues grow without end.");
    // Wherever they go, they come on.
    says(choice("least_work", "1.5", "1.5", "1.1"), "QN010 \"behind\" gets at least 1.1 times the work");
    // A slow one gets no more than it can do.
    says(choice("shortest_queue", "0.1", "2.5", "1.1"), "QN010 \"behind\" gets at least 1.1 times the work");
    // In turn each gets half.
    says(choice("round_robin", "1.5", "2.2", "0.9"), "QN010 \"b\" gets 1.1 times the work");
  }
  // Of one class all stations together serve so many a second, whatever each takes: 1/s and 0.1/s. But only who goes
  // where the queue is shortest evens out what stations of different speeds get, and several classes in turn do not.
  void unlike_stations_may_be_overloaded_one_by_one() {
    Line d("1.5 /s");
    const ElementId router = d.node("router", "which", {{"routing", "shortest_queue"}}), a = d.station("a", "1"),
                    b = d.station("b", "10");
    d.flow(d.in, router), d.flow(router, a), d.flow(router, b), d.flow(a, d.out), d.flow(b, d.out);
    says(d, "\"a\" and \"b\", among which customers choose at \"which\", together get at least 1.364 times");
    const std::string there = "QN010 \"behind\" gets at least 1.2 times";
    const std::string somewhere = ": before it, or on the way to it, customers become ever more.";
    for (const char* how : {"power_of_d", "last_service", "last_response", "fastest"}) {
      is_silent(choice(how, "0.8", "3", "0.9"));
      says(choice(how, "0.8", "3", "1.2"), there), says(choice(how, "0.8", "3", "1.2"), somewhere);
      if (std::string(how) != "power_of_d") says(choice(how, "0.8", "0.8", "1.2"), somewhere);
    }
    says(choice("power_of_d", "0.8", "0.8", "1.2"), "QN010 \"behind\" gets at least 1.2 times");
    DrawnNetwork two;
    two.node("job_class", "one"), two.node("job_class", "other");
    const ElementId out = two.node("sink", "out"), turn = two.node("router", "turn", {{"routing", "round_robin"}}),
                    x = two.node("station", "x", {{"service", "exponential(mean = 1.5 s)"}}),
                    y = two.node("station", "y", {{"service", "exponential(mean = 1.5 s)"}}),
                    z = two.node("station", "z", {{"service", "exponential(mean = 0.9 s)"}});
    for (const char* name : {"one", "other"}) {
      const ElementId in = two.node("source", std::string("of_") + name, {{"rate", "0.6 /s"}, {"class", name}});
      two.flow(in, turn);
    }
    two.flow(turn, x), two.flow(turn, y), two.flow(x, z), two.flow(y, z), two.flow(z, out);
    says(two, "QN010 \"z\" gets at least 1.08 times"), says(two, somewhere);
  }
  // A server that goes round and takes so many of a class on a visit: load and most arrivals times a round over these.
  void servers_that_move_on_do_less() {
    for (const auto& [limit, switchover, said] : {std::tuple("1", "0.5 s", "1.25"),
                                                  {"2", "0.5 s", "1.042"},
                                                  {"3", "0.5 s", ""},
                                                  {"1", "exponential(mean = 0.19 s)", ""}}) {
      Line d("0.8333333333333 /s");
      d.alone("1", {{"discipline", "polling"}, {"visit", "limited"}, {"limit", limit}, {"switchover", switchover}});
      if (*said == 0) is_silent(d);
      else
        says(d,
             std::string("QN010 \"desk\" gets ") + said + " times the work that its servers beside moving on can do");
    }
    Line all("0.8333333333333 /s");
    all.alone("1", {{"discipline", "polling"}, {"visit", "exhaustive"}, {"switchover", "5 s"}});
    is_silent(all);
    // Two lines: 0.3 * 0.5 + 0.4 * 1 of work, and 0.4 customers for each of which it goes round in 1.2 s.
    DrawnNetwork two;
    const ElementId desk = two.node("station", "desk",
                                    {{"service_of", "a = 0.5 s, b = 1 s"},
                                     {"discipline", "polling"},
                                     {"visit", "limited"},
                                     {"switchover", "0.6 s"}}),
                    out = two.node("sink", "out");
    for (const auto& [name, rate] : {std::pair("a", "0.3 /s"), {"b", "0.4 /s"}}) {
      two.node("job_class", name);
      two.flow(two.node("source", std::string("of_") + name, {{"rate", rate}, {"class", name}}), desk);
    }
    two.flow(desk, out);
    says(two, "QN010 \"desk\" gets 1.03 times");
  }
  // What a region holds bounds the stations in it: who is lost before it is no queue.
  void a_region_bounds_its_stations() {
    for (const char* when_full : {"lose", "wait"}) {
      Line d;
      d.alone("1.2", Value::object());
      d.node("region", "yard", {{"stations", "desk"}, {"capacity", "4"}, {"when_full", when_full}});
      if (std::string(when_full) == "lose") is_silent(d);
      else says(d, "those who wait before \"yard\"");
    }
  }
  // Rounded to whole numbers: of exponential ones of mean 0.6 come 0.536, of 0.5 to 0.6 always one.
  void batches_are_whole() {
    for (const auto& [law, service_s, load] :
         {std::tuple("exponential(mean = 0.6)", "1.8", ""), std::tuple("exponential(mean = 0.6)", "2", "1.072"),
          std::tuple("uniform(low = 0.5, high = 0.6)", "1.1", "1.1"), std::tuple("3", "0.4", "1.2")}) {
      Line d;
      d.m.set(d.in, "batch", law);
      d.alone(service_s, Value::object());
      if (*load == 0) is_silent(d);
      else says(d, std::string("QN010 \"desk\" gets ") + load + " times the work");
    }
  }
  // Nobody knows for how long they are up: what comes behind is not known either.
  void servers_of_unknown_outages_let_pass_nobody_knows_how_many() {
    for (const Value& fails :
         {Value{{"time_to_failure", "10 s + 0 s * a.number"}, {"time_to_repair", "10 s"}, {"interruption", "resume"}},
          Value{{"time_to_failure", "exponential(mean = 10 s)"},
                {"time_to_repair", "pareto(shape = 0.9, scale = 1 s)"},
                {"interruption", "resume"}}}) {
      Line d;
      const ElementId fork = d.node("fork", "split"), a = d.station("a", "0.9", fails), c = d.station("c", "0.5"),
                      meet = d.node("join", "meet"), behind = d.station("behind", "1.2");
      d.flow(d.in, fork), d.flow(fork, a), d.flow(fork, c), d.flow(a, meet), d.flow(c, meet), d.flow(meet, behind);
      d.flow(behind, d.out);
      is_silent(d);
    }
  }
  void servers_that_fail_are_up_for_a_part_of_the_time() {
    const Value fails = {
        {"time_to_failure", "exponential(mean = 80 s)"}, {"time_to_repair", "20 s"}, {"interruption", "resume"}};
    is_silent(Line().alone("0.79", fails));
    says(Line().alone("0.88", fails),
         "QN010 \"desk\" gets 1.1 times the work that its servers, up 80 % of the time, can do");
  }
  // Who is never idle works from repair to failure and what is left of a service then, of exponential ones their mean:
  // of 50 s for 30 s here.
  void servers_that_finish_are_up_for_longer() {
    const Value finish = {
        {"time_to_failure", "exponential(mean = 10 s)"}, {"time_to_repair", "20 s"}, {"interruption", "finish"}};
    const auto line = [&](const char* rate, Value more = Value::object()) {
      for (const auto& [name, value] : finish.items()) more[name] = value;
      return Line(rate).alone("20", std::move(more));
    };
    is_silent(line("0.029 /s"));  // it can do 0.03 /s
    says(line("0.031 /s"), "gets 1.033 times the work");
    says(line("0.045 /s"), "QN010 \"desk\" gets 1.5 times the work that its servers, up 60 % of the time, can do");
    says(line("0.09 /s", {{"servers", "2"}, {"discipline", "siro"}}), "gets 1.5 times the work");
    // Longer for having lasted, and failures at fixed times: at most (1 + 4) 20 s are left, 110 of 130 s.
    Line longer("0.045 /s");
    const ElementId desk = longer.node("station", "desk",
                                       {{"service", "weibull(mean = 20 s, scv = 4)"},
                                        {"time_to_failure", "10 s"},
                                        {"time_to_repair", "20 s"},
                                        {"interruption", "finish"}});
    longer.flow(longer.in, desk), longer.flow(desk, longer.out);
    says(longer, "gets at least 1.064 times the work that its servers, up at most 84.62 % of the time, can do");
    // What the next ones ask may depend on what was left.
    is_silent(line("0.045 /s", {{"discipline", "sjf"}}));
    Line all = line("0.1 /s");
    all.m.measure("served", "observed_rate", "", {{"of", "desk.response_time"}});
    all.m.header("horizon", "40000 s");
    compare_inside(solved(all.m.document(), {.replications = 40, .confidence = 0.999}), "served", 0.03);
  }
  void servers_of_their_own_speeds_and_batches() {
    is_silent(Line().alone("2.9", {{"servers", "2"}, {"server_speeds", "[1, 2]"}}));
    says(Line().alone("3.6", {{"servers", "2"}, {"server_speeds", "[1, 2]"}}),
         "QN010 \"desk\" gets 1.2 times the work");
    is_silent(Line().alone("2.9", {{"batch", "3"}}));
    says(Line().alone("3.6", {{"batch", "3"}}), "QN010 \"desk\" gets 1.2 times the work");
  }
  void who_tries_again_comes_again() {
    const Value again = {{"capacity", "1"}, {"when_full", "retry"}, {"retry_after", "exponential(mean = 2 s)"}};
    is_silent(Line().alone("0.9", again));
    says(Line().alone("1.3", again),
         "QN010 \"desk\" gets 1.3 times the work that its servers can do, the most of all "
         "stations: those who try again become ever more.");
    // Who balks or gives up keeps the queue short.
    is_silent(Line().alone("1.3", {{"balking", "min(1, 0.1 * desk.number)"}}));
    is_silent(Line().alone("1.3", {{"patience", "exponential(mean = 5 s)"}}));
  }
  void what_changes_counts_with_its_least_and_greatest() {
    Line d("if(desk.number > 3, 2 /s, 1.5 /s)");
    d.alone("1", Value::object());
    says(d, "QN010 \"desk\" gets at least 1.5 times the work");
    is_silent(Line().alone("1.5", {{"speed", "if(desk.number > 3, 2, 1)"}}));
    says(Line().alone("2.2", {{"speed", "if(desk.number > 3, 2, 1)"}}),
         "QN010 \"desk\" gets 1.1 times the work that its servers at their fastest can do");
  }
  /// Tokens that keep their class come as any; what transitions send is not known.
  void transitions_do_not_hide_others() {
    for (const char* service_s : {"0.8", "1.2"}) {
      Line d;
      d.node("job_class", "a"), d.node("job_class", "b");
      d.m.set(d.in, "class", "a");
      const ElementId stock = d.node("place", "stock", {{"tokens", "3"}, {"class", "b"}}),
                      fires = d.node("transition", "fires"), other = d.station("other", "5"),
                      desk = d.station("desk", service_s);
      d.flow(stock, fires), d.flow(fires, other), d.flow(other, stock), d.flow(d.in, desk), d.flow(desk, d.out);
      if (std::string(service_s) == "0.8") is_silent(d);
      else says(d, "QN010 \"desk\" gets 1.2 times the work");
    }
  }
  /// One class of which nothing is known does not hide another.
  void an_unknown_class_hides_nobody() {
    DrawnNetwork d;
    d.node("job_class", "known"), d.node("job_class", "other");
    const ElementId a = d.node("source", "a", {{"rate", "1 /s"}, {"class", "known"}}),
                    b = d.node("source", "b", {{"rate", "if(desk.number > 3, 0 /s, 0.5 /s)"}, {"class", "other"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 1.4 s)"}}),
                    out = d.node("sink", "out");
    d.flow(a, desk), d.flow(b, desk), d.flow(desk, out);
    says(d, "QN010 \"desk\" gets at least 1.4 times the work");
  }

  /// Random networks in every combination: whoever is said to get too much has ever more customers, as simulation
  /// shows, which knows nothing of this. 200 of them, of which some 60 are overloaded.
  void whatever_is_said_to_grow_grows() {
    std::mt19937 random(11);
    const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    int grown = 0, silent = 0;
    for (int round = 0; round < 200; ++round) {
      Line d;
      std::vector<std::string> stations;
      const auto station = [&] {
        Value more = Value::object();
        switch (pick(8)) {
          case 0:
            more = {{"time_to_failure", "exponential(mean = 8 s)"},
                    {"time_to_repair", "exponential(mean = 2 s)"},
                    {"interruption", pick(2) != 0 ? "resume" : "repeat"}};
            break;
          case 1:
            more = {{"servers", "2"}, {"server_speeds", "[0.5, 1.5]"}};
            break;
          case 2:
            more = {{"setup", "exponential(mean = 0.5 s)"}};
            break;
          case 3:
            more = {{"capacity", "4"}};
            break;
          case 4:
            more = {{"discipline", "ps"}};
            break;
          default:
            break;
        }
        stations.push_back("s" + std::to_string(stations.size()));
        return d.station(stations.back(), number_text(between(0.3, 1.4)), std::move(more));
      };
      ElementId at = d.in;
      std::string kinds;
      for (std::size_t stage = 0, stages = 2 + pick(3); stage < stages; ++stage) {
        const std::string name = std::to_string(stage);
        const std::size_t kind = pick(4);
        kinds += "splr"[kind];
        if (kind == 0 || kind == 3) {
          const ElementId first = d.node(
                              kind == 0 ? "fork" : "router", "divide" + name,
                              kind == 0
                                  ? Value::object()
                                  : Value{{"routing", std::vector<const char*>{"shortest_queue", "round_robin",
                                                                               "random", "power_of_d"}[pick(4)]}}),
                          last = d.node(kind == 0 ? "join" : "router", "meet" + name);
          d.flow(at, first);
          for (int i = 0; i < 2; ++i) {
            const ElementId way = station();
            d.flow(first, way), d.flow(way, last);
          }
          at = last;
        } else if (kind == 1) {
          const ElementId one = station();
          d.flow(at, one), at = one;
        } else {
          // Some come again.
          const ElementId one = station(), router = d.node("router", "back" + name);
          d.flow(at, one), d.flow(one, router), d.flow(router, one, {{"probability", "0.2"}});
          at = router;
        }
      }
      d.flow(at, d.out);
      for (const std::string& name : stations) d.m.measure(name + "_end", "final_value", name + ".number");
      Diagnostics found;
      const auto model = build_model(d.m.document(), {}, "", found);
      QVERIFY2(model != nullptr, kinds.c_str());
      std::set<std::string> sure;
      for (const Diagnostic& one : found) {
        if (one.code != "QN010" || one.message.find("may grow") != std::string::npos) continue;
        sure.insert(one.message);
      }
      if (sure.empty()) {
        ++silent;
        continue;
      }
      const ResultSet r = solved(d.m.document(), {.seed = static_cast<std::uint64_t>(round), .replications = 4});
      for (const std::string& message : sure) {
        // Quoted names up to "gets": those who grow, together.
        double number = 0.0;
        for (std::size_t from = message.find('"'); from != std::string::npos && from < message.find("get");) {
          const std::size_t to = message.find('"', from + 1);
          const std::string name = message.substr(from + 1, to - from - 1);
          if (r.measure(name + "_end") != nullptr) number += estimate(r, name + "_end");
          from = message.find('"', to + 1);
        }
        const std::size_t times = message.find(" times");
        const double share =
            times == std::string::npos ? 1.0 : std::stod(message.substr(message.rfind(' ', times - 1) + 1));
        // 4,000 s: those who come beyond what is served are at least a tenth of a second's work each.
        if (share < 1.05) continue;
        ++grown;
        QVERIFY2(number > 40.0, (kinds + ": " + message + " " + number_text(number)).c_str());
      }
    }
    QVERIFY2(grown > 40 && silent > 20, qPrintable(QString("%1 grown, %2 silent").arg(grown).arg(silent)));
  }
};

QTEST_GUILESS_MAIN(TestSureLoads)
#include "tst_sure_loads.moc"
