// Who is served, how, when a station is full, and where customers choose to go: drawn, simulated, and compared with the
// balance equations of a plain chain or with textbooks' integrals.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>

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
using Moves = std::function<void(const S&, const Go&)>;

struct DisciplinesDrawing : DrawnNetwork {
  DisciplinesDrawing() : DrawnNetwork("4000 s") {}
  ResultSet run() const { return solved(m.document(), {.replications = 60, .confidence = 0.999}); }
  /// Two classes at one station "desk": 0.4 /s of "a" with mean service 0.8 s, 0.5 /s of "b" with 1.2 s.
  ElementId two_classes(Value more, const std::string& capacity = "12") {
    node("job_class", "a", {{"priority", "1"}}), node("job_class", "b");
    const ElementId in_a = node("source", "in_a", {{"rate", "0.4 /s"}, {"class", "a"}}),
                    in_b = node("source", "in_b", {{"rate", "0.5 /s"}, {"class", "b"}}), out = node("sink", "out");
    more["service"] = "exponential(mean = 0.8 s)", more["service_of"] = "b = exponential(mean = 1.2 s)";
    more["capacity"] = capacity;
    const ElementId desk = node("station", "desk", std::move(more));
    flow(in_a, desk), flow(in_b, desk), flow(desk, out);
    mean("number_a", "desk.number.a"), mean("number_b", "desk.number.b");
    return desk;
  }
};

constexpr double rate_a = 0.4, rate_b = 0.5, mu_a = 1 / 0.8, mu_b = 1 / 1.2;
constexpr int room = 12;

/// The chain of two_classes(), where `speeds` says how fast each class is served.
PlainChain two_classes(const std::function<std::pair<double, double>(double a, double b)>& speeds) {
  return PlainChain({0, 0}, [&](const S& s, const Go& go) {
    if (s[0] + s[1] < room) go(with(s, 0, 1), rate_a), go(with(s, 1, 1), rate_b);
    const auto [a, b] = speeds(at(s, 0), at(s, 1));
    if (s[0] > 0) go(with(s, 0, -1), a * mu_a);
    if (s[1] > 0) go(with(s, 1, -1), b * mu_b);
  });
}
void compare_classes(const ResultSet& r, const PlainChain& chain) {
  compare_inside(r, "number_a", chain.mean([](const S& s) { return at(s, 0); }));
  compare_inside(r, "number_b", chain.mean([](const S& s) { return at(s, 1); }));
}

/// Simpson's rule.
double integral(const std::function<double(double)>& f, double from, double to, int steps = 4000) {
  const double h = (to - from) / steps;
  double sum = f(from) + f(to);
  for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(from + i * h);
  return sum * h / 3;
}

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 71 of them, a fresh seed fails once in 14.
class TestDisciplines : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void classes_of_higher_priority_interrupt() {
    for (const char* what : {"resume", "resample", "finish"}) {
      DisciplinesDrawing d;
      d.two_classes({{"servers", "2"}, {"priorities", "preemptive"}, {"interruption", what}});
      compare_classes(d.run(), two_classes([](double a, double b) {
                        const double first = std::min(a, 2.0);
                        return std::pair(first, std::min(b, 2.0 - first));
                      }));
    }
  }
  void classes_of_higher_priority_go_first() {
    DisciplinesDrawing d;
    d.two_classes({});
    // The third: who is served, 0 nobody.
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {
      if (s[0] + s[1] < room)
        for (const std::size_t c : {0U, 1U}) {
          S to = with(s, c, 1);
          if (s[2] == 0) to[2] = static_cast<int>(c) + 1;
          go(to, c == 0 ? rate_a : rate_b);
        }
      if (s[2] == 0) return;
      S to = with(s, static_cast<std::size_t>(s[2]) - 1, -1);
      to[2] = to[0] > 0 ? 1 : to[1] > 0 ? 2 : 0;
      go(to, s[2] == 1 ? mu_a : mu_b);
    });
    compare_classes(d.run(), chain);
  }
  // Priority by expected time: class a is shorter; its drawn priority is ignored, and again where b were first.
  void the_shortest_expected_goes_first_whatever_its_priority() {
    DisciplinesDrawing d, by_due;
    d.two_classes({{"discipline", "sept"}, {"priorities", "ignored"}});
    d.mean("waiting", "desk.waiting");
    DisciplinesDrawing same;
    same.two_classes({});
    same.mean("waiting", "desk.waiting");
    const ResultSet r = d.run(), s = same.run();
    // The same customers in the same order: bit for bit.
    QVERIFY(r.measure("waiting")->estimate == s.measure("waiting")->estimate);
  }
  void shares_are_even_or_by_weight_data() {
    QTest::addColumn<QString>("discipline");
    for (const char* one : {"ps", "dps", "gps"}) QTest::addRow("%s", one) << one;
  }
  void shares_are_even_or_by_weight() {
    QFETCH(QString, discipline);
    DisciplinesDrawing d;
    d.two_classes({{"servers", "2"}, {"discipline", discipline.toStdString()}, {"weights", "a = 3"}});
    compare_classes(d.run(), two_classes([&](double a, double b) {
                      if (a + b <= 2) return std::pair(a, b);
                      if (discipline == "ps") return std::pair(2 * a / (a + b), 2 * b / (a + b));
                      const double weight_a = a == 0                ? 0
                                              : discipline == "dps" ? 3 * a
                                                                    : 3,
                                   weight_b = b == 0                ? 0
                                              : discipline == "dps" ? b
                                                                    : 1;
                      // Nobody has more than a server; the rest goes to the others.
                      double of_a = 2 * weight_a / (weight_a + weight_b), of_b = 2 - of_a;
                      if (of_a > a) of_a = a, of_b = 2 - a;
                      if (of_b > b) of_b = b, of_a = 2 - b;
                      return std::pair(of_a, of_b);
                    }));
  }

  // One server, general laws: what textbooks integrate.
  void jobs_are_chosen_by_their_size_data() {
    QTest::addColumn<QString>("discipline");
    for (const char* one : {"lcfs_pr", "srpt", "sjf", "ljf", "las"}) QTest::addRow("%s", one) << one;
  }
  void jobs_are_chosen_by_their_size() {
    QFETCH(QString, discipline);
    constexpr double lambda = 0.6, p = 0.7, fast = 2.0, slow = 0.3 / (1 - p / fast);  // mean 1
    const auto density = [&](double x) {
      return p * fast * std::exp(-fast * x) + (1 - p) * slow * std::exp(-slow * x);
    };
    const auto tail = [&](double x) { return p * std::exp(-fast * x) + (1 - p) * std::exp(-slow * x); };
    constexpr double end = 100.0;
    const double second = 2 * (p / (fast * fast) + (1 - p) / (slow * slow));
    const auto load_to = [&](double x) {
      return lambda * integral([&](double t) { return t * density(t); }, 0, x, 400);
    };
    double exact = 0.0;
    if (discipline == "lcfs_pr") exact = 1 / (1 - lambda);
    if (discipline == "sjf")
      exact = 1 + integral([&](double x) { return density(x) * lambda * second / 2 / std::pow(1 - load_to(x), 2); }, 0,
                           end);
    if (discipline == "ljf")
      exact =
          1 +
          integral([&](double x) { return density(x) * lambda * second / 2 / std::pow(1 - (lambda - load_to(x)), 2); },
                   0, end);
    if (discipline == "srpt")
      exact = integral(
          [&](double x) {
            const double below = integral([&](double t) { return t * t * density(t); }, 0, x, 400) + x * x * tail(x);
            const double walk = integral([&](double t) { return 1 / (1 - load_to(t)); }, 0, x, 40);
            return density(x) * (lambda * below / 2 / std::pow(1 - load_to(x), 2) + walk);
          },
          0, 60, 600);
    if (discipline == "las")
      exact = integral(
          [&](double x) {
            const double rho = lambda * integral(tail, 0, x, 400),
                         below = integral([&](double t) { return 2 * t * tail(t); }, 0, x, 400);
            return density(x) * (lambda * below / 2 / std::pow(1 - rho, 2) + x / (1 - rho));
          },
          0, end);
    DisciplinesDrawing d;
    d.queue("exponential(rate = 0.6 /s)",
            "hyperexponential(p = [0.7, 0.3], rate = [2 /s, " + std::to_string(slow) + " /s])",
            {{"discipline", discipline.toStdString()}});
    compare_inside(d.run(), "response", exact);
  }
  void servers_of_their_own_speed_take_the_fastest_first() {
    DisciplinesDrawing d;
    d.queue("exponential(mean = 0.5 s)", "exponential(mean = 1 s)", {{"server_speeds", "[1, 2]"}, {"capacity", "8"}});
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {  // slow, fast, waiting
      if (s[1] == 0) go(with(s, 1, 1), 2.0);
      else if (s[0] == 0) go(with(s, 0, 1), 2.0);
      else if (s[2] < 6) go(with(s, 2, 1), 2.0);
      const bool more = s[2] > 0;
      if (s[0] == 1) go(more ? with(s, 2, -1) : with(s, 0, -1), 1.0);
      if (s[1] == 1) go(more ? with(s, 2, -1) : with(s, 1, -1), 2.0);
    });
    const ResultSet r = d.run();
    compare_inside(r, "number", chain.mean([](const S& s) { return at(s, 0) + at(s, 1) + at(s, 2); }));
    compare_inside(r, "busy", chain.mean([](const S& s) { return at(s, 0) + at(s, 1); }));
  }
  void speed_may_follow_the_queue() {
    DisciplinesDrawing d;
    d.queue("exponential(mean = 1 s)", "exponential(mean = 1 s)",
            {{"capacity", "10"}, {"speed", "if(desk.number > 3, 2, 0.8)"}});
    const PlainChain chain({0}, [](const S& s, const Go& go) {
      if (s[0] < 10) go(with(s, 0, 1), 1.0);
      if (s[0] > 0) go(with(s, 0, -1), s[0] > 3 ? 2.0 : 0.8);
    });
    compare_inside(d.run(), "number", chain.mean([](const S& s) { return at(s, 0); }));
  }
  void customers_turn_round_and_give_up() {
    DisciplinesDrawing d;
    d.queue("exponential(mean = 0.4 s)", "exponential(mean = 1 s)",
            {{"servers", "2"},
             {"capacity", "20"},
             {"balking", "desk.number / 20"},
             {"patience", "exponential(mean = 3 s)"}});
    d.m.measure("gave_up", "final_value", "desk.gave_up / 4000"),
        d.m.measure("lost", "final_value", "desk.lost / 4000");
    const PlainChain chain({0}, [](const S& s, const Go& go) {
      if (s[0] < 20) go(with(s, 0, 1), 2.5 * (1 - at(s, 0) / 20));
      if (s[0] > 0) go(with(s, 0, -1), std::min(at(s, 0), 2.0) + std::max(at(s, 0) - 2, 0.0) / 3);
    });
    const ResultSet r = d.run();
    compare_inside(r, "number", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "waiting", chain.mean([](const S& s) { return std::max(at(s, 0) - 2, 0.0); }));
    compare_inside(r, "gave_up", chain.mean([](const S& s) { return std::max(at(s, 0) - 2, 0.0) / 3; }));
    compare_inside(r, "lost", chain.mean([](const S& s) { return 2.5 * at(s, 0) / 20; }));
  }
  // Each of two servers fails at rate 0.1 and is repaired at 0.5, working or not.
  void servers_fail_data() {
    QTest::addColumn<QString>("interruption");
    for (const char* one : {"resume", "resample"}) QTest::addRow("%s", one) << one;
  }
  void servers_fail() {
    QFETCH(QString, interruption);
    DisciplinesDrawing d;
    d.queue("exponential(mean = 1 s)", "exponential(mean = 1 s)",
            {{"servers", "2"},
             {"capacity", "10"},
             {"interruption", interruption.toStdString()},
             {"time_to_failure", "exponential(mean = 10 s)"},
             {"time_to_repair", "exponential(mean = 2 s)"}});
    const PlainChain chain({0, 2}, [](const S& s, const Go& go) {
      if (s[0] < 10) go(with(s, 0, 1), 1.0);
      if (s[0] > 0) go(with(s, 0, -1), std::min(s[0], s[1]));
      if (s[1] > 0) go(with(s, 1, -1), 0.1 * s[1]);
      if (s[1] < 2) go(with(s, 1, 1), 0.5 * (2 - s[1]));
    });
    const ResultSet r = d.run();
    compare_inside(r, "number", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "busy", chain.mean([](const S& s) { return std::min(at(s, 0), at(s, 1)); }));
  }
  void servers_are_set_up_and_take_vacations() {
    DisciplinesDrawing set_up, away, once;
    const Value common = {{"capacity", "10"}};
    Value a = common, b = common, c = common;
    a["setup"] = "exponential(mean = 2 s)";
    b["vacation"] = c["vacation"] = "exponential(mean = 2 s)", c["vacations"] = "single";
    set_up.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)", a);
    away.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)", b);
    once.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)", c);
    // Second: 0 idle, 1 serving, 2 being set up or away.
    const auto chain = [](int idle_at_first, const std::function<int(int)>& when_empty,
                          const std::function<int(int)>& back) {
      return PlainChain({0, idle_at_first}, [=](const S& s, const Go& go) {
        if (s[0] < 10) {
          S to = with(s, 0, 1);
          if (s[1] == 0) to[1] = when_empty(1);
          go(to, 0.5);
        }
        if (s[1] == 1) go({s[0] - 1, s[0] > 1 ? 1 : when_empty(0)}, 1.0);
        if (s[1] == 2) go({s[0], back(s[0])}, 0.5);
      });
    };
    const auto number = [](const S& s) { return at(s, 0); };
    compare_inside(set_up.run(), "number",
                   chain(
                       0, [](int n) { return n > 0 ? 2 : 0; }, [](int) { return 1; })
                       .mean(number));
    compare_inside(away.run(), "number",
                   chain(
                       2, [](int) { return 2; }, [](int n) { return n > 0 ? 1 : 2; })
                       .mean(number));
    compare_inside(once.run(), "number",
                   chain(
                       2, [](int n) { return n > 0 ? 1 : 2; }, [](int n) { return n > 0 ? 1 : 0; })
                       .mean(number));
  }
  void customers_are_served_in_batches() {
    DisciplinesDrawing d;
    d.queue("exponential(mean = 0.6 s)", "exponential(mean = 1 s)",
            {{"batch", "3"}, {"least_batch", "2"}, {"capacity", "12"}});
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {  // waiting, in service
      const auto settled = [](int waiting, int served) {
        if (served > 0 || waiting < 2) return S{waiting, served};
        return S{waiting - std::min(waiting, 3), std::min(waiting, 3)};
      };
      if (s[0] + s[1] < 12) go(settled(s[0] + 1, s[1]), 1 / 0.6);
      if (s[1] > 0) go(settled(s[0], 0), 1.0);
    });
    const ResultSet r = d.run();
    compare_inside(r, "number", chain.mean([](const S& s) { return at(s, 0) + at(s, 1); }));
    compare_inside(r, "busy", chain.mean([](const S& s) { return s[1] > 0 ? 1.0 : 0.0; }));
    compare_inside(r, "waiting", chain.mean([](const S& s) { return at(s, 0); }));
  }
  void customers_come_several_at_once() {
    DisciplinesDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "0.4 /s"}, {"batch", "2"}}), out = d.node("sink", "out"),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 1 s)"}, {"capacity", "5"}});
    d.flow(in, desk), d.flow(desk, out), d.mean("number", "desk.number");
    d.m.measure("lost", "final_value", "desk.lost / 4000");
    const PlainChain chain({0}, [](const S& s, const Go& go) {
      go({std::min(s[0] + 2, 5)}, 0.4);
      if (s[0] > 0) go(with(s, 0, -1), 1.0);
    });
    const ResultSet r = d.run();
    compare_inside(r, "number", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "lost", chain.mean([](const S& s) { return 0.4 * std::max(0, s[0] + 2 - 5); }));
  }

  // Two stations in a row; the second has room for three.
  void who_finds_no_room_blocks_his_server_data() {
    QTest::addColumn<QString>("when_full");
    for (const char* one : {"block", "block_before", "retry"}) QTest::addRow("%s", one) << one;
  }
  void who_finds_no_room_blocks_his_server() {
    QFETCH(QString, when_full);
    DisciplinesDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "0.7 /s"}}), out = d.node("sink", "out"),
                    a = d.node("station", "a", {{"service", "exponential(mean = 1 s)"}, {"capacity", "8"}}),
                    b = d.node("station", "b",
                               {{"service", "exponential(mean = 1.25 s)"},
                                {"capacity", "3"},
                                {"when_full", when_full.toStdString()},
                                {"retry_after", "exponential(mean = 2 s)"}});
    d.flow(in, a), d.flow(a, b), d.flow(b, out);
    d.mean("number_a", "a.number"), d.mean("number_b", "b.number"), d.mean("blocked", "a.blocked");
    d.mean("busy", "a.busy");
    const bool after = when_full == "block", before = when_full == "block_before";
    // Third: the first server is blocked; with retry, those who will come again.
    const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {
      if (s[0] < 8) go(with(s, 0, 1), 0.7);
      if (s[0] > 0 && !(after && s[2] == 1) && !(before && s[1] == 3)) {
        if (s[1] < 3) go({s[0] - 1, s[1] + 1, s[2]}, 1.0);
        else if (after) go({s[0], s[1], 1}, 1.0);
        else if (s[2] < 40) go({s[0] - 1, s[1], s[2] + 1}, 1.0);
      }
      if (s[1] > 0) {
        if (after && s[2] == 1) go({s[0] - 1, s[1], 0}, 0.8);
        else go(with(s, 1, -1), 0.8);
      }
      if (!after && !before && s[1] < 3) go({s[0], s[1] + 1, s[2] - 1}, s[2] * 0.5);
    });
    const ResultSet r = d.run();
    compare_inside(r, "number_a", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "number_b", chain.mean([](const S& s) { return at(s, 1); }));
    if (after) compare_inside(r, "blocked", chain.mean([](const S& s) { return at(s, 2); }));
    if (before) compare_inside(r, "blocked", chain.mean([](const S& s) { return s[0] > 0 && s[1] == 3 ? 1.0 : 0.0; }));
    if (after || before)
      compare_inside(r, "busy", chain.mean([&](const S& s) {
        return s[0] > 0 && !(after && s[2] == 1) && !(before && s[1] == 3) ? 1.0 : 0.0;
      }));
  }
  // Two stations that feed each other and are full: both servers wait, and nothing ever happens.
  void servers_that_wait_for_each_other_are_found() {
    DisciplinesDrawing d;
    d.node("job_class", "users", {{"population", "4"}});
    const ElementId a = d.node("station", "a", {{"capacity", "2"}, {"when_full", "block"}}),
                    b = d.node("station", "b", {{"capacity", "2"}, {"when_full", "block"}});
    d.flow(a, b), d.flow(b, a), d.mean("number", "a.number");
    try {
      d.run();
      QFAIL("it ran");
    } catch (const std::runtime_error& error) {
      QVERIFY2(std::string(error.what()).find("wait for each other's room") != std::string::npos, error.what());
    }
  }

  void a_polling_server_goes_round_data() {
    QTest::addColumn<QString>("visit");
    QTest::addColumn<bool>("walks");
    for (const char* visit : {"exhaustive", "gated", "limited"})
      for (const bool walks : {false, true}) QTest::addRow("%s %d", visit, walks) << visit << walks;
  }
  void a_polling_server_goes_round() {
    QFETCH(QString, visit);
    QFETCH(bool, walks);
    DisciplinesDrawing d;
    d.two_classes({{"discipline", "polling"},
                   {"visit", visit.toStdString()},
                   {"limit", "2"},
                   {"switchover", walks ? "exponential(mean = 0.5 s)" : ""}},
                  "8");
    constexpr int places = 8;
    // Numbers of both, where the server is, what it does (0 nothing, 1 serves, 2 walks), taken, gate.
    const auto next = [&](S s) {  // the server is free
      for (int tries = 0; tries < 4; ++tries) {
        const auto here = static_cast<std::size_t>(s[2]);
        const bool stays = visit == "exhaustive" || (visit == "gated" && s[5] > 0) || (visit == "limited" && s[4] < 2);
        if (s[here] > 0 && stays) {
          s[3] = 1;
          if (visit == "limited") ++s[4];
          if (visit == "gated") --s[5];
          return s;
        }
        if (walks) {
          s[3] = 2, s[4] = s[5] = 0;
          return s;
        }
        s[3] = 0;
        if (s[0] + s[1] == 0) {
          s[4] = s[5] = 0;
          return s;
        }
        s[2] = 1 - s[2], s[4] = 0;
        s[5] = visit == "gated" ? s[static_cast<std::size_t>(s[2])] : 0;
        if (s[static_cast<std::size_t>(s[2])] == 0) {
          s[2] = 1 - s[2];
          s[5] = visit == "gated" ? s[static_cast<std::size_t>(s[2])] : 0;
        }
      }
      return s;
    };
    const PlainChain chain(next({0, 0, 0, 0, 0, 0}), [&](const S& s, const Go& go) {
      if (s[0] + s[1] < places)
        for (const std::size_t c : {0U, 1U}) {
          S to = with(s, c, 1);
          if (to[3] == 0) to = next(to);
          go(to, c == 0 ? rate_a : rate_b);
        }
      if (s[3] == 1) go(next(with(s, static_cast<std::size_t>(s[2]), -1)), s[2] == 0 ? mu_a : mu_b);
      if (s[3] == 2) {
        S to = s;
        to[2] = 1 - to[2];
        if (visit == "gated") to[5] = to[static_cast<std::size_t>(to[2])];
        go(next(to), 2.0);
      }
    });
    const ResultSet r = d.run();
    compare_classes(r, chain);
  }

  // Two stations, one twice as fast.
  void customers_choose_where_to_go_data() {
    QTest::addColumn<QString>("routing");
    for (const char* one : {"random", "round_robin", "shortest_queue", "power_of_d", "fastest"})
      QTest::addRow("%s", one) << one;
  }
  void customers_choose_where_to_go() {
    QFETCH(QString, routing);
    DisciplinesDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "2 /s"}, {"routing", routing.toStdString()}}),
                    out = d.node("sink", "out"),
                    a = d.node("station", "a", {{"service", "exponential(mean = 1 s)"}, {"capacity", "9"}}),
                    b = d.node("station", "b", {{"service", "exponential(mean = 0.5 s)"}, {"capacity", "9"}});
    d.flow(in, a), d.flow(in, b), d.flow(a, out), d.flow(b, out);
    d.mean("number_a", "a.number"), d.mean("number_b", "b.number");
    const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {
      double to_a = 0.5;
      if (routing == "round_robin") to_a = s[2] == 0 ? 1.0 : 0.0;
      const double delay_a = routing == "fastest" ? s[0] + 1.0 : s[0],
                   delay_b = routing == "fastest" ? (s[1] + 1.0) / 2 : s[1];
      if (routing == "shortest_queue" || routing == "power_of_d" || routing == "fastest")
        to_a = delay_a < delay_b ? 1.0 : delay_a > delay_b ? 0.0 : 0.5;
      const int turn = routing == "round_robin" ? 1 - s[2] : 0;
      go({std::min(s[0] + 1, 9), s[1], turn}, 2 * to_a), go({s[0], std::min(s[1] + 1, 9), turn}, 2 * (1 - to_a));
      if (s[0] > 0) go(with(s, 0, -1), 1.0);
      if (s[1] > 0) go(with(s, 1, -1), 2.0);
    });
    const ResultSet r = d.run();
    compare_inside(r, "number_a", chain.mean([](const S& s) { return at(s, 0); }));
    compare_inside(r, "number_b", chain.mean([](const S& s) { return at(s, 1); }));
  }
  // To the least work left is as if all waited in one line: M/M/2 by Erlang's C.
  void the_least_work_left_is_one_line() {
    DisciplinesDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "1.5 /s"}, {"routing", "least_work"}}),
                    out = d.node("sink", "out"), a = d.node("station", "a"), b = d.node("station", "b");
    d.flow(in, a), d.flow(in, b), d.flow(a, out), d.flow(b, out);
    d.mean_of("whole", "out.time_in_system");
    compare_inside(d.run(), "whole", 1 / (1 - 0.75 * 0.75));
  }
  // Constant times, 2 s at a and 1 s at b, by hand. One at each at 0 s. Until 3.7 s the last one at b stayed 1 s, at
  // 5.1 s it is 1.5 s, from 6 s on 2.4 s, so that the last two go to a.
  void where_the_last_one_stayed_shortest() {
    DrawnNetwork d("20 s");
    d.node("job_class", "x");
    const auto source = [&](const char* name, const char* times, const char* routing = "probabilities") {
      return d.node(
          "source", name,
          {{"interarrival", std::string("schedule(times = [") + times + "])"}, {"class", "x"}, {"routing", routing}});
    };
    const ElementId to_a = source("to_a", "0 s"), to_b = source("to_b", "0 s"),
                    choose = source("choose", "3 s, 3.5 s, 3.6 s, 3.7 s, 5.1 s, 6.1 s, 6.2 s", "last_response"),
                    a = d.node("station", "a", {{"service", "2 s"}}), b = d.node("station", "b", {{"service", "1 s"}}),
                    from_a = d.node("sink", "from_a"), from_b = d.node("sink", "from_b");
    d.flow(to_a, a), d.flow(to_b, b), d.flow(choose, a), d.flow(choose, b), d.flow(a, from_a), d.flow(b, from_b);
    for (const char* one : {"a", "b"}) {
      d.m.measure(std::string("came_") + one, "final_value", std::string("from_") + one + ".arrived");
      d.m.measure(std::string("stay_") + one, "observed_mean", "", {{"of", std::string(one) + ".response_time"}});
    }
    const ResultSet r = solved(d.m.document(), {.replications = 1});
    QCOMPARE(estimate(r, "came_a"), 3.0);
    QCOMPARE(estimate(r, "came_b"), 6.0);
    QCOMPARE(estimate(r, "stay_a"), (2 + 2 + 3.9) / 3);
    QCOMPARE(estimate(r, "stay_b"), (1 + 1 + 1.5 + 2.4 + 3.3 + 2.9) / 6);
  }
  // Those whom the first turns away go to the second, those who give up at it to the third.
  void who_is_turned_away_or_gives_up_may_go_elsewhere() {
    DisciplinesDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "2 /s"}}), out = d.node("sink", "out"),
                    a = d.node("station", "a", {{"capacity", "2"}}),
                    b = d.node("station", "b", {{"capacity", "6"}, {"patience", "exponential(mean = 2 s)"}}),
                    c = d.node("station", "c", {{"capacity", "6"}});
    d.flow(in, a), d.flow(a, out), d.flow(a, b, {{"taken_by", "refused"}}), d.flow(b, out);
    d.flow(b, c, {{"taken_by", "reneged"}}), d.flow(c, out);
    for (const char* one : {"a", "b", "c"}) d.mean(std::string("number_") + one, std::string(one) + ".number");
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {
      if (s[0] < 2) go(with(s, 0, 1), 2.0);
      else if (s[1] < 6) go(with(s, 1, 1), 2.0);
      for (const std::size_t i : {0U, 1U, 2U})
        if (s[i] > 0) go(with(s, i, -1), 1.0);
      if (s[1] > 1) go(s[2] < 6 ? S{s[0], s[1] - 1, s[2] + 1} : with(s, 1, -1), (s[1] - 1) / 2.0);
    });
    const ResultSet r = d.run();
    for (const std::size_t i : {0U, 1U, 2U})
      compare_inside(r, std::string("number_") + "abc"[i], chain.mean([&](const S& s) { return at(s, i); }));
  }
  // One customer who is slow every other time: a class of its own.
  void customers_become_another_class() {
    DisciplinesDrawing d;
    d.node("job_class", "day", {{"population", "1"}}), d.node("job_class", "night", {{"population", "1"}});
    const ElementId home =
                        d.node("delay", "home",
                               {{"time", "exponential(mean = 1 s)"}, {"time_of", "night = exponential(mean = 4 s)"}}),
                    door = d.node("class_switch", "door");
    d.flow(home, door);
    d.flow(door, home, {{"class", "day"}, {"becomes", "night"}}),
        d.flow(door, home, {{"class", "night"}, {"becomes", "day"}});
    d.mean("day", "home.number.day"), d.mean("night", "home.number.night");
    const ResultSet r = d.run();
    compare_inside(r, "day", 2 * 0.2), compare_inside(r, "night", 2 * 0.8);
  }
  // 12 h without customers, then 10 an hour: expected 120; by thinning below the greatest rate.
  void a_rate_may_change_between_events() {
    DisciplinesDrawing d;
    const ElementId in = d.node("source", "in", {{"rate", "0.1 /s + now / 4000 s * 1 /s"}}),
                    out = d.node("sink", "out");
    d.flow(in, out), d.m.measure("emitted", "final_value", "in.emitted");
    compare_inside(d.run(), "emitted", 400 + 2000);
    DisciplinesDrawing unbounded, servers;
    servers.queue("1 s", "1 s", {{"servers", "if(now > 5 s, 2, 1)"}});
    QCOMPARE(servers.problems(), std::string("QN012"));
  }
  // What charts are in at time zero is known when the first service is drawn.
  void a_network_opens_when_charts_are_entered() {
    DisciplinesDrawing d;
    ChartBuilder chart(d.m, "C");
    const ElementId on = chart.state("On");
    chart.initial(on);
    d.m.component("c", "C");
    d.node("job_class", "users", {{"population", "5"}});
    const ElementId desk = d.node("station", "desk", {{"servers", "if(in(c.On), 1, 5)"}, {"service", "10 s"}});
    d.flow(desk, desk);
    d.m.measure("longest", "observed_maximum", "", {{"of", "desk.response_time"}});
    QCOMPARE(d.problems(), std::string());
    const ResultSet r = d.run();
    QVERIFY(r.measure("longest")->estimate == 50.0);
  }
  // Two classes through a station of every kind.
  void a_saved_moment_goes_on_as_it_was() {
    DisciplinesDrawing d;
    d.node("job_class", "a", {{"priority", "1"}, {"due", "uniform(low = 1 s, high = 9 s)"}}), d.node("job_class", "b");
    const ElementId in_a = d.node("source", "in_a", {{"rate", "0.3 /s"}, {"class", "a"}, {"batch", "2"}}),
                    in_b = d.node("source", "in_b", {{"rate", "0.2 /s + now / 5000 s * 1 /s"}, {"class", "b"}}),
                    out = d.node("sink", "out");
    std::vector<ElementId> row;
    const auto add = [&](Value more) {
      more["service"] = "lognormal(median = 0.6 s, ef = 3)";
      row.push_back(d.node("station", "s" + std::to_string(row.size()), std::move(more)));
    };
    for (const char* one : {"dps", "gps", "las", "srpt", "lcfs_pr", "edd", "sept"}) add({{"discipline", one}});
    add({{"discipline", "polling"}, {"visit", "gated"}, {"switchover", "0.1 s"}});
    add({{"priorities", "preemptive"}, {"interruption", "repeat"}, {"patience", "exponential(mean = 5 s)"}});
    add({{"servers", "2"}, {"interruption", "resume"}, {"time_to_failure", "10 s"}, {"time_to_repair", "2 s"}});
    add({{"capacity", "3"}, {"when_full", "retry"}, {"speed", "if(s10.number > 1, 2, 1)"}});
    add({{"vacation", "1 s"}}), add({{"setup", "1 s"}}), add({{"batch", "3"}});
    add({{"capacity", "2"}, {"when_full", "block"}}), add({{"balking", "0.1"}});
    d.flow(in_a, row.front()), d.flow(in_b, row.front());
    for (std::size_t i = 1; i < row.size(); ++i) d.flow(row[i - 1], row[i]);
    d.flow(row.back(), out), d.mean("number", "s0.number");
    compare_saved_moment(d.m.document());
  }
  void what_does_not_go_together_is_refused() {
    const auto problem = [](Value more) {
      DisciplinesDrawing d;
      d.queue("exponential(mean = 2 s)", "1 s", std::move(more));
      return d.problems();
    };
    QCOMPARE(problem({{"discipline", "ps"}, {"setup", "1 s"}}), std::string("QN008"));
    QCOMPARE(problem({{"discipline", "polling"}, {"servers", "2"}}), std::string("QN008"));
    DrawnNetwork fails;  // it is pointed to what is written
    fails.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)",
                {{"discipline", "ps"}, {"time_to_failure", "exponential(mean = 10 s)"}, {"time_to_repair", "2 s"}});
    Diagnostics found;
    build_model(fails.m.document(), {}, "", found);
    QVERIFY(find_code(found, "QN008") != nullptr);
    QCOMPARE(find_code(found, "QN008")->pointer, std::string("time_to_failure"));
    QCOMPARE(problem({{"discipline", "las"}, {"batch", "2"}}), std::string("QN008"));
    // Priorities where nobody goes first by them; not of classes that are alike, nor where nothing is written.
    for (const char* discipline : {"ps", "dps", "gps", "las", "polling"})
      for (const char* priorities : {"", "ignored", "nonpreemptive", "preemptive"})
        for (const char* level : {"0", "1"}) {
          DrawnNetwork ranks;
          ranks.node("job_class", "gold", {{"priority", level}}), ranks.node("job_class", "bulk");
          const ElementId gold = ranks.node("source", "in", {{"rate", "0.1 /s"}, {"class", "gold"}}),
                          bulk = ranks.node("source", "others", {{"rate", "0.1 /s"}, {"class", "bulk"}}),
                          out = ranks.node("sink", "out");
          Value properties = {{"discipline", discipline}, {"service", "1 s"}};
          if (*priorities != 0) properties["priorities"] = priorities;
          const ElementId desk = ranks.node("station", "desk", properties);
          ranks.flow(gold, desk), ranks.flow(bulk, desk), ranks.flow(desk, out);
          ranks.mean("number", "desk.number");
          const bool refused = *level == '1' && std::string(priorities).ends_with("preemptive");
          Diagnostics told;
          build_model(ranks.m.document(), {}, "", told);
          QVERIFY2(codes(told) == (refused ? "QN008" : ""), listed(told).c_str());
          if (refused)
            QVERIFY2(told[0].element == desk && told[0].pointer == "priorities" &&
                         told[0].message.find('"' + std::string(priorities) + '"') != std::string::npos &&
                         told[0].message.find('"' + std::string(discipline) + '"') != std::string::npos,
                     listed(told).c_str());
        }
    QCOMPARE(problem({{"server_speeds", "[1, 2]"}, {"servers", "3"}}), std::string("QN004"));
    QCOMPARE(problem({{"server_speeds", "[1, 0]"}}), std::string("QN004"));
    QCOMPARE(problem({{"batch", "2"}, {"least_batch", "3"}}), std::string("QN004"));
    QCOMPARE(problem({{"speed", "0"}}), std::string("QN004"));
    QCOMPARE(problem({{"discipline", "fastest"}}), std::string("DOC002"));
    QCOMPARE(problem({{"patience", "-1 s"}}), std::string("QN004"));
    DisciplinesDrawing d;
    const ElementId in = d.node("source", "in", {{"routing", "shortest_queue"}}), out = d.node("sink", "out"),
                    a = d.node("station", "a");
    d.flow(in, a), d.flow(in, out), d.flow(a, out);
    QCOMPARE(d.problems(), std::string("QN009"));
  }
};

QTEST_APPLESS_MAIN(TestDisciplines)
#include "tst_disciplines.moc"
