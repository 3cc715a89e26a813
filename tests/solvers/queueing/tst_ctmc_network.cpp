// Networks state by state: against plain chains written out by hand, formulas for single stations, product forms, and
// the roots of textbooks.
#include <QtTest>
#include <cmath>
#include <random>
#include <utility>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"
#include "tests/support/peak_memory.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

ResultSet chain_of(const DrawnNetwork& d, const char* error = "1e-9") {
  return solved(d.m.document(), {.solver = "ctmc-network", .options = {{"error-bound", error}}});
}
/// Every measure that both have is the same.
int compare(const ResultSet& seen, const ResultSet& wanted, const std::string& what, double digits) {
  int compared = 0;
  for (const MeasureResult& m : wanted.measures)
    if (const MeasureResult* other = seen.measure(m.id); other != nullptr && std::isfinite(m.estimate)) {
      near(other->estimate, m.estimate, what + " " + m.id, digits);
      ++compared;
    }
  return compared;
}

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  double real(double from, double to) { return std::uniform_real_distribution<>(from, to)(random_); }
  int whole(int from, int to) { return std::uniform_int_distribution<>(from, to)(random_); }
  /// A phase-type law of this mean.
  std::string law(double mean) {
    switch (whole(0, 2)) {
      case 0:
        return exponential(mean);
      case 1:
        return "erlang(k = " + std::to_string(whole(2, 3)) + ", mean = " + number_text(mean) + " s)";
      default: {
        const double p = real(0.2, 0.8), part = real(0.3, 0.7);
        return "hyperexponential(p = [" + number_text(p) + ", " + number_text(1 - p) + "], rate = [" +
               number_text(p / (part * mean)) + " /s, " + number_text((1 - p) / ((1 - part) * mean)) + " /s])";
      }
    }
  }

 private:
  std::mt19937 random_;
};

/// Classes "a" (priority 1) and "b" at the station "desk".
struct Desk : DrawnNetwork {
  ElementId desk, in_a, in_b, out;
  Desk(double rate_a, double rate_b, const std::string& service_a, const std::string& service_b, Value more) {
    node("job_class", "a", {{"priority", "1"}}), node("job_class", "b");
    in_a = node("source", "in_a", {{"rate", number_text(rate_a) + " /s"}, {"class", "a"}});
    in_b = node("source", "in_b", {{"rate", number_text(rate_b) + " /s"}, {"class", "b"}});
    out = node("sink", "out");
    more["service_of"] = "a = " + service_a + ", b = " + service_b;
    desk = node("station", "desk", std::move(more));
    flow(in_a, desk), flow(in_b, desk), flow(desk, out);
  }
};

}  // namespace

class TestCtmcNetwork : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Stations of two classes with phases: the other way to their means knows no states.
  void single_stations_against_formulas() {
    Dice dice(3);
    int compared = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const char* const disciplines[] = {"siro", "ps", "sept", "fcfs", "fcfs"};
      const int which = trial % 5;
      Value more = {{"discipline", disciplines[which]}};
      more["priorities"] = which == 3 ? "preemptive" : which == 4 ? "nonpreemptive" : "ignored";
      if (which == 3) more["interruption"] = "resume";
      const double load = dice.real(0.1, 0.3), mean_a = dice.real(0.5, 2.0), mean_b = dice.real(0.5, 2.0);
      // Sharing keeps everybody's phase: few phases.
      Desk d(load / mean_a, dice.real(0.05, 0.15) / mean_b, which == 1 ? exponential(mean_a) : dice.law(mean_a),
             which == 1 ? "erlang(k = 2, mean = " + number_text(mean_b) + " s)" : dice.law(mean_b), more);
      const std::string name = std::string(disciplines[which]) + " " + std::to_string(trial);
      compared += compare(chain_of(d, "1e-7"), solved(d.m.document(), {.solver = "queueing-closed-form"}), name, 1e-6);
    }
    QVERIFY(compared > 400);
  }
  // The order of two classes is part of the state; a limit keeps it small, and patience makes the limit matter little.
  void orders_of_service_against_plain_chains() {
    constexpr double a = 0.5, b = 0.4, mean_a = 0.7, mean_b = 1.4;
    constexpr int room = 5;
    for (const char* discipline : {"fcfs", "lcfs", "lcfs_pr"}) {
      Desk d(a, b, exponential(mean_a), exponential(mean_b),
             {{"discipline", discipline}, {"capacity", "5"}, {"priorities", "ignored"}});
      const std::string order = discipline;
      const PlainChain chain({}, [&](const S& s, const Go& go) {  // first the one who is served
        for (const int c : {1, 2}) {
          if (s.size() == room) break;
          S to = s;
          if (order == "lcfs" && !s.empty()) to.insert(to.begin() + 1, c);
          else if (order == "lcfs_pr") to.insert(to.begin(), c);
          else to.push_back(c);
          go(to, c == 1 ? a : b);
        }
        if (!s.empty()) go(S(s.begin() + 1, s.end()), 1 / (s[0] == 1 ? mean_a : mean_b));
      });
      const auto number = [&](int c) {
        return chain.mean([&](const S& s) { return static_cast<double>(std::count(s.begin(), s.end(), c)); });
      };
      const ResultSet r = chain_of(d);
      near(r, "queue_length/desk/a", number(1)), near(r, "queue_length/desk/b", number(2));
      near(r, "utilisation/desk/a", chain.mean([](const S& s) { return !s.empty() && s[0] == 1 ? 1.0 : 0.0; }));
      near(r, "loss_probability/desk/b", chain.mean([](const S& s) { return s.size() == room ? 1.0 : 0.0; }));
      QVERIFY(r.measure("queue_length/desk/a")->upper - r.measure("queue_length/desk/a")->lower < 1e-9);
    }
  }
  // Shares by weight, rooms, servers and patience at random.
  void random_stations_against_plain_chains() {
    Dice dice(5);
    for (int trial = 0; trial < 150; ++trial) {
      const int servers = dice.whole(1, 3), room = servers + dice.whole(0, 6), kind = trial % 5;
      const double a = dice.real(0.2, 2), b = dice.real(0.2, 2), mean_a = dice.real(0.3, 2), mean_b = dice.real(0.3, 2),
                   weight = dice.real(0.3, 4), patience = dice.real(0.5, 4);
      Value more = {{"servers", std::to_string(servers)}, {"capacity", std::to_string(room)}};
      if (kind == 0) more["discipline"] = "ps";
      if (kind == 1) more["discipline"] = "dps", more["weights"] = "a = " + number_text(weight);
      if (kind == 2) more["discipline"] = "gps", more["weights"] = "a = " + number_text(weight);
      if (kind == 3) more["priorities"] = "preemptive", more["interruption"] = trial % 2 == 0 ? "resume" : "resample";
      if (kind == 4)
        more["discipline"] = "siro", more["priorities"] = "ignored", more["patience"] = exponential(patience);
      Desk d(a, b, exponential(mean_a), exponential(mean_b), more);
      const ResultSet r = chain_of(d);
      const std::string name = "trial " + std::to_string(trial);
      if (kind == 4) {  // waiting a, b; served a, b
        const PlainChain chain({0, 0, 0, 0}, [&](const S& s, const Go& go) {
          const auto next = [&](const S& to, double rate) {
            const int waiting = to[0] + to[1];
            if (to[2] + to[3] == servers || waiting == 0) return go(to, rate);
            for (const std::size_t c : {0U, 1U})
              if (to[c] > 0) go(with(with(to, c, -1), c + 2, 1), rate * to[c] / waiting);
          };
          for (const std::size_t c : {0U, 1U}) {
            if (s[0] + s[1] + s[2] + s[3] < room) next(with(s, c, 1), c == 0 ? a : b);
            if (s[c] > 0) go(with(s, c, -1), s[c] / patience);
            if (s[c + 2] > 0) next(with(s, c + 2, -1), s[c + 2] / (c == 0 ? mean_a : mean_b));
          }
        });
        near(estimate(r, "queue_length/desk/a"), chain.mean([](const S& s) { return at(s, 0) + at(s, 2); }), name);
        near(estimate(r, "throughput/desk/b"), chain.mean([&](const S& s) { return s[3] / mean_b; }), name);
        if (room > servers)
          near(estimate(r, "abandonment_probability/desk/a"),
               chain.mean([&](const S& s) { return s[0] / patience; }) / a, name);
        continue;
      }
      const auto speeds = [&](double n_a, double n_b) -> std::pair<double, double> {
        if (kind == 3) return {std::min<double>(n_a, servers), std::min(n_b, std::max(0.0, servers - n_a))};
        if (n_a + n_b <= servers) return {n_a, n_b};
        if (kind == 0) return {servers * n_a / (n_a + n_b), servers * n_b / (n_a + n_b)};
        const double w_a = n_a == 0 ? 0 : kind == 1 ? weight * n_a : weight, w_b = n_b == 0 ? 0 : kind == 1 ? n_b : 1;
        double of_a = servers * w_a / (w_a + w_b), of_b = servers - of_a;
        if (of_a > n_a) of_a = n_a, of_b = servers - n_a;
        if (of_b > n_b) of_b = n_b, of_a = servers - n_b;
        return {of_a, of_b};
      };
      const PlainChain chain({0, 0}, [&](const S& s, const Go& go) {
        if (s[0] + s[1] < room) go(with(s, 0, 1), a), go(with(s, 1, 1), b);
        const auto [of_a, of_b] = speeds(at(s, 0), at(s, 1));
        if (s[0] > 0) go(with(s, 0, -1), of_a / mean_a);
        if (s[1] > 0) go(with(s, 1, -1), of_b / mean_b);
      });
      near(estimate(r, "queue_length/desk/a"), chain.mean([](const S& s) { return at(s, 0); }), name);
      near(estimate(r, "queue_length/desk/b"), chain.mean([](const S& s) { return at(s, 1); }), name);
      near(estimate(r, "utilisation/desk/a"),
           chain.mean([&](const S& s) { return speeds(at(s, 0), at(s, 1)).first; }) / servers, name);
    }
  }
  // A hundred networks with product form, closed or open or both, with the algorithms that know no states.
  void networks_against_product_forms() {
    Dice dice(9);
    int compared = 0;
    for (int trial = 0; trial < 100; ++trial) {
      DrawnNetwork d;
      const bool closed = trial % 2 == 0;
      const int stations = dice.whole(2, 3);
      if (closed) d.node("job_class", "c", {{"population", std::to_string(dice.whole(1, 4))}});
      if (closed && trial % 3 == 0) d.node("job_class", "d", {{"population", std::to_string(dice.whole(1, 3))}});
      if (!closed) d.node("job_class", "o");
      std::vector<ElementId> all;
      for (int k = 0; k < stations; ++k) {
        const double mean = dice.real(0.2, closed ? 1.0 : 0.8);
        const std::string name = std::string("s") + std::to_string(k);
        switch (dice.whole(0, 3)) {
          case 0:
            all.push_back(d.node("delay", name, {{"time", closed ? dice.law(mean) : exponential(mean)}}));
            break;
          case 1:
            all.push_back(d.node("station", name,
                                 {{"service", closed ? dice.law(mean) : exponential(mean)}, {"discipline", "ps"}}));
            break;
          default:
            all.push_back(d.node("station", name,
                                 {{"service", exponential(mean)}, {"servers", std::to_string(dice.whole(1, 2))}}));
        }
      }
      if (closed) {
        for (std::size_t k = 0; k < all.size(); ++k) {
          const std::size_t next = (k + 1) % all.size(), other = (k + 2) % all.size();
          d.flow(all[k], all[next], {{"probability", number_text(0.7)}}), d.flow(all[k], all[other]);
        }
      } else {
        const ElementId in = d.node("source", "in", {{"rate", "0.35 /s"}}), out = d.node("sink", "out");
        d.flow(in, all[0]);
        for (std::size_t k = 0; k + 1 < all.size(); ++k) d.flow(all[k], all[k + 1]);
        d.flow(all.back(), all[0], {{"probability", "0.2"}}), d.flow(all.back(), out);
      }
      compared += compare(chain_of(d, "1e-7"), solved(d.m.document(), {.solver = "mva"}),
                          "trial " + std::to_string(trial), 1e-6);
    }
    QVERIFY(compared > 700);
  }

  // The root of Kleinrock (1975), section 6.4.
  void gaps_in_phases_against_the_root() {
    DrawnNetwork d;
    d.queue("erlang(k = 2, mean = 1 s)", exponential(0.8));
    double x = 0.5;
    for (int i = 0; i < 5000; ++i) x = std::pow(2 / (2 + (1 - x) / 0.8), 2);
    const ResultSet r = chain_of(d);
    near(r, "wait", x * 0.8 / (1 - x)), near(r, "queue_length/desk", 0.8 / (1 - x));
    QVERIFY(r.measure("number")->upper > r.measure("number")->lower);
    compare_inside(r, "number", 0.8 / (1 - x));
  }
  void customers_choose_among_stations_data() {
    QTest::addColumn<QString>("routing");
    for (const char* one : {"shortest_queue", "power_of_d", "round_robin", "random", "fastest"})
      QTest::addRow("%s", one) << one;
  }
  void customers_choose_among_stations() {
    QFETCH(QString, routing);
    constexpr double rate = 1.5, services[] = {1.0, 0.6, 0.8};
    constexpr int room = 4;
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "1.5 /s"}}), out = d.node("sink", "out"),
                    fork = d.node("router", "fork", {{"routing", routing.toStdString()}, {"choices", "2"}});
    d.flow(in, fork);
    for (std::size_t k = 0; k < 3; ++k) {
      const ElementId station = d.node("station", "s" + std::to_string(k),
                                       {{"service", exponential(services[k])}, {"capacity", std::to_string(room)}});
      d.flow(fork, station), d.flow(station, out);
    }
    const PlainChain chain({0, 0, 0, 0}, [&](const S& s, const Go& go) {  // the last: whose turn it is
      const auto send = [&](std::size_t k, double part) {
        if (part <= 0) return;
        S to = s;
        if (s[k] < room) ++to[k];
        if (routing == "round_robin") to[3] = (s[3] + 1) % 3;
        go(to, part);
      };
      const auto least = [&](const std::vector<std::size_t>& of, double part) {
        const auto burden = [&](std::size_t k) {
          return routing == "fastest" ? (1 + at(s, k)) * services[k] : at(s, k);
        };
        double lowest = 1e9;
        for (const std::size_t k : of) lowest = std::min(lowest, burden(k));
        const auto alike = std::count_if(of.begin(), of.end(), [&](std::size_t k) { return burden(k) == lowest; });
        for (const std::size_t k : of)
          if (burden(k) == lowest) send(k, part / static_cast<double>(alike));
      };
      if (routing == "round_robin") send(static_cast<std::size_t>(s[3]), rate);
      if (routing == "random")
        for (const std::size_t k : {0U, 1U, 2U}) send(k, rate / 3);
      if (routing == "shortest_queue" || routing == "fastest") least({0, 1, 2}, rate);
      if (routing == "power_of_d")
        for (const std::size_t k : {0U, 1U, 2U}) least({k, (k + 1) % 3}, rate / 3);
      for (const std::size_t k : {0U, 1U, 2U})
        if (s[k] > 0) go(with(s, k, -1), 1 / services[k]);
    });
    const ResultSet r = chain_of(d);
    for (const std::size_t k : {0U, 1U, 2U})
      near(r, "queue_length/s" + std::to_string(k), chain.mean([&](const S& s) { return at(s, k); }));
  }
  // Numbers decide speed, who turns round, where they go and how many come; those turned away go elsewhere.
  void expressions_over_numbers_of_customers() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "if(left.number > 2, 0.5 /s, 1.5 /s)"}}),
                    left = d.node("station", "left",
                                  {{"service", exponential(1)},
                                   {"capacity", "5"},
                                   {"speed", "if(left.number > 3, 2, 0.8)"},
                                   {"balking", "left.number / 10"}}),
                    right = d.node("station", "right", {{"service", exponential(0.7)}, {"capacity", "3"}}),
                    out = d.node("sink", "out");
    d.flow(in, left), d.flow(left, out), d.flow(left, right, {{"taken_by", "refused"}});
    d.flow(right, out, {{"probability", "if(left.number > 0, 1, 0.5)"}}), d.flow(right, right);
    d.mean("both", "left.number * right.number"), d.mean("many", "left.number > 2");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      const double rate = s[0] > 2 ? 0.5 : 1.5, turns = s[0] == 5 ? 1.0 : at(s, 0) / 10;
      if (s[0] < 5) go(with(s, 0, 1), rate * (1 - turns));
      if (s[1] < 3) go(with(s, 1, 1), rate * turns);
      if (s[0] > 0) go(with(s, 0, -1), s[0] > 3 ? 2.0 : 0.8);
      if (s[1] > 0) go(with(s, 1, -1), (s[0] > 0 ? 1.0 : 0.5) / 0.7);
    });
    const ResultSet r = chain_of(d);
    near(r, "queue_length/left", chain.mean([](const S& s) { return at(s, 0); }));
    near(r, "queue_length/right", chain.mean([](const S& s) { return at(s, 1); }));
    near(r, "both", chain.mean([](const S& s) { return at(s, 0) * at(s, 1); }));
    near(r, "many", chain.mean([](const S& s) { return s[0] > 2 ? 1.0 : 0.0; }));
  }
  void several_at_once_and_classes_that_change() {
    DrawnNetwork d;
    d.node("job_class", "raw"), d.node("job_class", "done");
    const ElementId in = d.node("source", "in", {{"rate", "0.4 /s"}, {"batch", "2"}, {"class", "raw"}}),
                    desk = d.node("station", "desk",
                                  {{"service_of", "raw = " + exponential(0.5) + ", done = " + exponential(0.25)},
                                   {"discipline", "siro"},
                                   {"capacity", "5"}}),
                    out = d.node("sink", "out");
    d.flow(in, desk), d.flow(desk, desk, {{"class", "raw"}, {"becomes", "done"}}),
        d.flow(desk, out, {{"class", "done"}});
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {  // waiting raw, done; served 0, 1, 2
      const std::function<void(S, double)> next = [&](const S& to, double rate) {
        const int waiting = to[0] + to[1];
        if (to[2] != 0 || waiting == 0) return go(to, rate);
        for (const int c : {0, 1})
          if (to[static_cast<std::size_t>(c)] > 0) {
            S begun = with(to, static_cast<std::size_t>(c), -1);
            begun[2] = c + 1;
            go(begun, rate * to[static_cast<std::size_t>(c)] / waiting);
          }
      };
      const int present = s[0] + s[1] + (s[2] != 0 ? 1 : 0);
      S two = s;
      for (int i = present; i < std::min(5, present + 2); ++i) {
        if (two[2] == 0) two[2] = 1;
        else ++two[0];
      }
      go(two, 0.4);
      if (s[2] == 2) next({s[0], s[1], 0}, 4.0);
      if (s[2] == 1) {  // the next one begins before he lines up again
        const int waiting = s[0] + s[1];
        if (waiting == 0) return go({0, 0, 2}, 2.0);
        if (s[0] > 0) go({s[0] - 1, s[1] + 1, 1}, 2.0 * s[0] / waiting);
        if (s[1] > 0) go({s[0], s[1], 2}, 2.0 * s[1] / waiting);
      }
    });
    const ResultSet r = chain_of(d);
    near(r, "queue_length/desk/raw", chain.mean([](const S& s) { return at(s, 0) + (s[2] == 1 ? 1 : 0); }));
    near(r, "queue_length/desk/done", chain.mean([](const S& s) { return at(s, 1) + (s[2] == 2 ? 1 : 0); }));
  }
  // M/M/2 that gets more than it can do, within the mission: Kolmogorov's equations by Runge and Kutta.
  void an_overloaded_station_over_time() {
    constexpr double load = 3.0;
    constexpr std::size_t room = 160;
    constexpr int steps = 4000;
    constexpr double end = 10.0, h = end / steps;
    const auto integrate = [&](bool stops, const std::function<void(double, const std::vector<double>&)>& look) {
      std::vector<double> p(room + 1, 0.0);
      p[0] = 1.0;
      const auto slope = [&](const std::vector<double>& x) {
        std::vector<double> out(x.size(), 0.0);
        for (std::size_t n = 0; n < x.size(); ++n) {
          if (stops && n >= 5) continue;
          const double up = n < room ? load * x[n] : 0.0, down = std::min<double>(static_cast<double>(n), 2) * x[n];
          out[n] -= up + down;
          if (n < room) out[n + 1] += up;
          if (n > 0) out[n - 1] += down;
        }
        return out;
      };
      const auto ahead = [](const std::vector<double>& x, const std::vector<double>& k, double by) {
        std::vector<double> out = x;
        for (std::size_t n = 0; n < x.size(); ++n) out[n] += by * k[n];
        return out;
      };
      look(0.0, p);
      for (int i = 1; i <= steps; ++i) {
        const auto a = slope(p), b = slope(ahead(p, a, h / 2)), c = slope(ahead(p, b, h / 2)),
                   e = slope(ahead(p, c, h));
        for (std::size_t n = 0; n < p.size(); ++n) p[n] += h / 6 * (a[n] + 2 * b[n] + 2 * c[n] + e[n]);
        look(i * h, p);
      }
    };
    double many_at_4 = 0, many_by_4 = 0, at_end = 0, sum = 0, before = 0;
    const auto number = [](const std::vector<double>& p) {
      double mean = 0;
      for (std::size_t n = 0; n < p.size(); ++n) mean += static_cast<double>(n) * p[n];
      return mean;
    };
    integrate(false, [&](double t, const std::vector<double>& p) {
      if (std::fabs(t - 4) < 1e-9) many_at_4 = 1 - p[0] - p[1] - p[2] - p[3] - p[4];
      at_end = number(p);
      if (t > 0) sum += h / 2 * (before + at_end);
      before = at_end;
    });
    integrate(true, [&](double t, const std::vector<double>& p) {
      if (std::fabs(t - 4) < 1e-9) many_by_4 = p[5];
    });
    DrawnNetwork d("10 s");
    d.queue(exponential(1 / load), exponential(1), {{"servers", "2"}});
    d.m.measure("many_at", "probability_at", "desk.number >= 5", {{"at", "4 s"}});
    d.m.measure("many_by", "probability_by", "desk.number >= 5", {{"at", "4 s"}, {"curve", "5"}});
    d.m.measure("end", "final_value", "desk.number"), d.m.measure("mean", "time_average", "desk.number");
    const ResultSet r = solved(d.m.document(), {.solver = "ctmc-network-transient"});
    near(r, "many_at", many_at_4, 1e-9), near(r, "many_by", many_by_4, 1e-9), near(r, "end", at_end, 1e-8);
    near(r, "mean", sum / end, 1e-5);
    QVERIFY(r.measure("many_at")->upper - r.measure("many_at")->lower < 1e-8);
    QVERIFY(!r.series.empty() && r.measure("wait") == nullptr);
  }
  // Numbers of those who never wait are Poisson at every time; closed customers all begin at their reference.
  void delays_over_time() {
    DrawnNetwork d("3 s");
    const ElementId in = d.node("source", "in", {{"rate", "2 /s"}}), out = d.node("sink", "out"),
                    stay = d.node("delay", "stay", {{"time", exponential(1.5)}});
    d.flow(in, stay), d.flow(stay, out);
    d.m.measure("none", "probability_at", "stay.number == 0", {{"at", "2 s"}}),
        d.m.measure("end", "final_value", "stay.number");
    const ResultSet r = solved(d.m.document(), {.solver = "ctmc-network-transient"});
    const auto mean = [](double t) { return 2 * 1.5 * (1 - std::exp(-t / 1.5)); };
    near(r, "none", std::exp(-mean(2)), 1e-9), near(r, "end", mean(3), 1e-8);
    DrawnNetwork c("3 s");
    c.node("job_class", "job", {{"population", "4"}, {"reference", "one"}});
    const ElementId one = c.node("delay", "one", {{"time", exponential(1)}}),
                    two = c.node("delay", "two", {{"time", exponential(2)}});
    c.flow(one, two), c.flow(two, one);
    c.m.measure("end", "final_value", "one.number");
    near(solved(c.m.document(), {.solver = "ctmc-network-transient"}), "end",
         4 * (1.0 / 3 + 2.0 / 3 * std::exp(-1.5 * 3)), 1e-9);
  }
  void what_has_no_small_states_is_refused_with_its_element() {
    const auto why = [](Value more, const std::string& service = exponential(1)) {
      DrawnNetwork d;
      const ElementId desk = d.queue(exponential(2), service, std::move(more));
      std::string all;
      for (const Diagnostic& one : find_solver("ctmc-network")->fits(d.m.document(), {})) {
        all += one.message;
        if (one.element != desk) all += " (elsewhere)";
      }
      return all;
    };
    QCOMPARE(why({}), std::string());
    const auto has = [](const std::string& all, const char* part) {
      return all.find(part) != std::string::npos && all.find("elsewhere") == std::string::npos;
    };
    QVERIFY(has(why({}, "1 s"), "no phases"));
    QVERIFY(has(why({{"discipline", "srpt"}}), "how long services will take"));
    QVERIFY(has(why({{"setup", "1 s"}}), "set up"));
    QVERIFY(has(why({{"patience", "1 s"}}), "Patience"));
    QVERIFY(has(why({}, exponential(3)), "settles at nothing"));
    // Moves that never end: routers that lead to each other, full stations that send their customers to each other.
    const auto round = [](const DrawnNetwork& net) {
      std::string all;
      for (const Diagnostic& one : find_solver("ctmc-network")->fits(net.m.document(), {})) all += one.message;
      return all.find("without time passing") != std::string::npos;
    };
    DrawnNetwork routers;
    const ElementId in = routers.node("source", "in", {{"interarrival", exponential(1)}}),
                    there = routers.node("router", "there"), back = routers.node("router", "back"),
                    desk = routers.node("station", "desk", {{"service", exponential(2)}});
    routers.flow(in, there), routers.flow(there, back), routers.flow(back, desk, {{"probability", "0.5"}});
    routers.flow(back, there, {{"probability", "0.5"}}), routers.flow(desk, routers.node("sink", "out"));
    QVERIFY(round(routers));
    DrawnNetwork full;
    const ElementId come = full.node("source", "come", {{"interarrival", exponential(1)}}),
                    a = full.node("station", "a", {{"service", exponential(2)}, {"capacity", "2"}}),
                    b = full.node("station", "b", {{"service", exponential(2)}, {"capacity", "2"}}),
                    out = full.node("sink", "out");
    full.flow(come, a), full.flow(a, out), full.flow(b, out), full.flow(a, b, {{"taken_by", "refused"}});
    QVERIFY(!round(full));
    full.flow(b, a, {{"taken_by", "refused"}});
    QVERIFY(round(full));
    // Too many states: said with their number.
    DrawnNetwork d;
    d.queue(exponential(1), exponential(0.99));
    RunControl control;
    RunRequest request{.solver = "ctmc-network"};
    request.options["state-limit"] = "30";
    const ResultSet r = find_solver("ctmc-network")->solve(d.m.document(), request, control);
    QVERIFY(r.status == RunStatus::failed && r.stop_reason.find("more than 30 states") != std::string::npos);
  }
  // How many states there are at least is known before one is made: then nobody waits for the others.
  void what_is_surely_too_large_is_declined_at_once() {
    const auto ask = [](const DrawnNetwork& d, const char* solver, const std::string& states) {
      RunControl control;
      return find_solver(solver)->solve(d.m.document(), {.solver = solver, .options = {{"state-limit", states}}},
                                        control);
    };
    // 60 customers in a circle of a delay and seven stations: C(67, 7) = 8.7e8 states, and 5e7 would take minutes.
    DrawnNetwork circle("100 s");
    circle.node("job_class", "x", {{"population", "60"}, {"reference", "think"}});
    const ElementId think = circle.node("delay", "think", {{"time", exponential(1.0)}});
    ElementId last = think;
    for (int k = 0; k < 7; ++k) {
      const ElementId next = circle.node("station", "s" + std::to_string(k), {{"service", exponential(0.1)}});
      circle.flow(std::exchange(last, next), next);
    }
    circle.flow(last, think), circle.m.measure("asked", "probability_at", "s3.number > 5");
    // 1000 customers are in the delay at the end, and the two stations behind leave room for some 50.
    DrawnNetwork line("100 s");
    const ElementId in = line.node("source", "in", {{"interarrival", exponential(0.02)}}),
                    stay = line.node("delay", "stay", {{"time", exponential(20.0)}}), out = line.node("sink", "out");
    last = stay;
    line.flow(in, stay);
    for (const char* one : {"a", "b"}) {
      const ElementId next = line.node("station", one, {{"service", exponential(0.01)}});
      line.flow(std::exchange(last, next), next);
    }
    line.flow(last, out), line.m.measure("asked", "probability_at", "a.number > 5");
    QElapsedTimer clock;
    clock.start();
    for (const char* solver : {"ctmc-network", "ctmc-network-transient"}) {
      const ResultSet r = ask(circle, solver, "50000000");
      QVERIFY2(r.status == RunStatus::failed && r.stop_reason.find("more than 50000000 states") != std::string::npos,
               r.stop_reason.c_str());
    }
    const ResultSet r = ask(line, "ctmc-network-transient", "20000");
    QVERIFY2(r.status == RunStatus::failed && r.stop_reason.find("as soon as more than") != std::string::npos,
             r.stop_reason.c_str());
    QVERIFY2(clock.elapsed() < 5000, qPrintable(QString("%1 ms").arg(clock.elapsed())));
    QVERIFY(ask(line, "ctmc-network-transient", "1000000").stop_reason.find("as soon as") != std::string::npos);
  }
  // It is never more than there are: with room for so many and no more every network is answered as before.
  void no_more_states_are_supposed_than_there_are() {
    Dice dice(7);
    int compared = 0;
    for (int i = 0; i < 60; ++i) {
      DrawnNetwork d("3 s");
      const int stations = dice.whole(1, 2), classes = dice.whole(1, 2);
      std::vector<ElementId> nodes = {d.node("delay", "think", {{"time", exponential(1.0)}})};
      static constexpr const char* disciplines[] = {"fcfs", "lcfs", "lcfs_pr", "siro", "ps"};
      for (int k = 0; k < stations; ++k)
        nodes.push_back(d.node("station", "s" + std::to_string(k),
                               {{"service", dice.law(0.5)},
                                {"servers", std::to_string(dice.whole(1, 2))},
                                {"discipline", disciplines[dice.whole(0, 4)]}}));
      const bool open = dice.whole(0, 3) == 0;
      for (int c = 0; c < classes; ++c)
        d.node("job_class", c == 0 ? "x" : "y",
               {{"population", std::to_string(dice.whole(1, 3))},
                {"priority", std::to_string(dice.whole(0, 1))},
                {"reference", dice.whole(0, 2) == 0 ? "s0" : "think"}});
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const std::size_t next = (k + 1) % nodes.size();
        d.flow(nodes[k], nodes[next]);
        if (next + 1 < nodes.size()) d.flow(nodes[k], nodes[next + 1], {{"probability", "0.3"}});
      }
      if (open) {
        d.node("job_class", "z");
        const ElementId in = d.node("source", "in", {{"interarrival", exponential(1.0)}, {"class", "z"}}),
                        desk = d.node("station", "desk", {{"service", exponential(0.5)}}), out = d.node("sink", "out");
        d.flow(in, desk), d.flow(desk, out);
      }
      d.m.measure("asked", "probability_at", "s0.number > 1");
      const auto ask = [&](const std::string& states) {
        RunControl control;
        return find_solver("ctmc-network-transient")
            ->solve(d.m.document(), {.solver = "ctmc-network-transient", .options = {{"state-limit", states}}},
                    control);
      };
      const ResultSet free = ask("5000");
      if (free.status != RunStatus::complete) continue;  // too large indeed
      ++compared;
      const std::string states = free.provenance.options.at("states");
      const ResultSet tight = ask(states);
      QVERIFY2(tight.status == RunStatus::complete, tight.stop_reason.c_str());
      QCOMPARE(estimate(tight, "asked"), estimate(free, "asked"));
    }
    QVERIFY2(compared >= 30, qPrintable(QString::number(compared)));
  }
  // A rate and a share are no times.
  void why_observations_are_not_answered_is_true_of_all_of_them() {
    DrawnNetwork d("10 s");
    d.queue(exponential(1), exponential(0.5));
    d.m.measure("number_at_end", "final_value", "desk.number");
    const char* of = "out.time_in_system";
    d.m.measure("rate", "observed_rate", "", {{"of", of}, {"unit", "/s"}});
    d.m.measure("share", "observed_share", "", {{"of", of}, {"at_most", "1 s"}});
    const ResultSet r = solved(d.m.document(), {.solver = "ctmc-network-transient"});
    QVERIFY(r.measure("number_at_end")->answered());
    int said = 0;
    for (const Diagnostic& one : r.diagnostics)
      for (const char* id : {" rate:", " share:", " response:"})
        if (one.code == "SOL002" && one.message.find(id) != std::string::npos) {
          ++said;
          QVERIFY2(one.message.find("it asks for observations of single customers") != std::string::npos,
                   one.message.c_str());
        }
    QCOMPARE(said, 3);
  }
  // Asked beside a simulation of a million customers at a load of 0.99: it finds that the mission is too long for it,
  // or that nothing of it is asked, in little memory.
  void a_long_mission_is_declined_in_little_memory() {
    const long before = peak_kilobytes();
    RunControl control;
    control.limits = {.bytes = 256000000, .operations = 9e8};
    const auto ask = [&](const char* kind) {
      DrawnNetwork d("1e6 s");
      d.queue(exponential(1), exponential(0.99));
      if (kind != nullptr) d.m.measure("asked", kind, "desk.number > 5");
      return find_solver("ctmc-network-transient")
          ->solve(d.m.document(), {.solver = "ctmc-network-transient"}, control);
    };
    const ResultSet long_run = ask(nullptr);
    QVERIFY(long_run.status == RunStatus::complete);
    QVERIFY(!long_run.provenance.options.contains("states"));
    for (const MeasureResult& m : long_run.measures) QVERIFY(!m.not_available.empty());
    const ResultSet costly = ask("probability_at");
    QCOMPARE(codes(costly.diagnostics), std::string("MKV022"));
    // What is offered instead takes networks.
    const std::string& hint = costly.diagnostics.front().hint;
    QVERIFY2(hint.find("ctmc-network ") != std::string::npos && hint.find("cvode") == std::string::npos &&
                 hint.find("steady-state") == std::string::npos,
             hint.c_str());
    QVERIFY2(peak_kilobytes() - before < 16000, qPrintable(QString::number(peak_kilobytes() - before)));
  }
};

QTEST_APPLESS_MAIN(TestCtmcNetwork)
#include "tst_ctmc_network.moc"
