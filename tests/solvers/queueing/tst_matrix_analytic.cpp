// MAP/PH/1: against formulas, roots, and chains cut far out; and drawn.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/des/lowering.h"
#include "core/random/correlated_arrivals.h"
#include "core/random/two_moments.h"
#include "solvers/queueing/exact/matrix_analytic.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

MapPhMeans must(const Solved<MapPhMeans>& found) {
  if (const auto* bad = std::get_if<Diagnostic>(&found)) throw std::runtime_error(bad->code + " " + bad->message);
  return std::get<MapPhMeans>(found);
}
void equal(double seen, double wanted, double digits = 1e-10) {
  QVERIFY2(std::fabs(seen - wanted) <= digits * std::max(1.0, std::fabs(wanted)),
           qPrintable(QString("%1, wanted %2").arg(seen, 0, 'g', 17).arg(wanted, 0, 'g', 17)));
}
PhaseService markov(double rate) { return {{1}, {-rate}}; }
MarkovianArrivals poisson(double rate) { return {1, {-rate}, {rate}}; }

}  // namespace

class TestMatrixAnalytic : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  /// Phases that last ever longer: the mean number of this process is 3 scv + O(1), as far as rounding leaves digits,
  /// and then there is no number instead of a wrong one.
  void what_rounding_has_taken_is_not_told() {
    bool refused = false;
    for (double scv = 1e3; scv < 1e19; scv *= 10) {
      const TwoExponentials gaps = balanced_exponentials(1.25, scv);
      const ModulatedRates law = modulated_of_exponentials(1.25, gaps.rate[0], gaps.rate[1], 0.5);
      const auto made = MarkovianArrivalProcess::modulated(law.rate, law.leaving);
      const auto& process = std::get<MarkovianArrivalProcess>(made);
      const auto found = map_ph_1({process.phases(), process.without(), process.with()}, markov(1));
      if (std::holds_alternative<Diagnostic>(found)) {
        QCOMPARE(std::get<Diagnostic>(found).code, std::string("QUE107"));
        refused = true;
        continue;
      }
      QVERIFY(!refused && scv < 1e10);
      equal(must(found).number / (3 * scv), 1.0, 1.0 / scv + 2e-6);
    }
    QVERIFY(refused);
  }

  void formulas_of_single_servers() {
    for (const double load : {0.1, 0.5, 0.9, 0.999, 0.99999}) {
      const MapPhMeans m = must(map_ph_1(poisson(load), markov(1)));
      equal(m.number, load / (1 - load), 1e-9), equal(m.empty, 1 - load), equal(m.wait_probability, load);
      equal(m.decay, load);
      equal(m.number_probability[3], (1 - load) * std::pow(load, 3));
      // Erlang of three phases: Pollaczek and Khinchine.
      const MapPhMeans e = must(map_ph_1(poisson(load), {{1, 0, 0}, {-3, 3, 0, 0, -3, 3, 0, 0, -3}}));
      equal(e.waiting_s, load * (1 + 1.0 / 3) / 2 / (1 - load), 1e-9);
    }
  }
  // Gaps of two phases, and of two speeds: the root of the transform.
  void roots_of_general_arrivals() {
    for (const double service : {0.3, 0.8, 0.97}) {
      double x = 0.5, y = 0.5;
      for (int i = 0; i < 100000; ++i) {
        x = std::pow(2 / (2 + (1 - x) / service), 2);
        y = 0.5 * 0.6 / (0.6 + (1 - y) / service) + 0.5 * 3 / (3 + (1 - y) / service);
      }
      const MapPhMeans m = must(map_ph_1(renewal_arrivals({{1, 0}, {-2, 2, 0, -2}}), markov(1 / service)));
      equal(m.wait_probability, x), equal(m.waiting_s, x * service / (1 - x), 1e-9), equal(m.decay, x);
      const MapPhMeans h = must(map_ph_1(renewal_arrivals({{0.5, 0.5}, {-0.6, 0, 0, -3}}), markov(1 / service)));
      equal(h.wait_probability, y), equal(h.waiting_s, y * service / (1 - y), 1e-9);
    }
  }
  // Rates, phases and loads at random; numbers to 300 in a plain chain.
  void phases_of_both_kinds_against_plain_chains() {
    std::mt19937 random(2);
    const auto any = [&](double from, double to) { return std::uniform_real_distribution<>(from, to)(random); };
    for (int trial = 0; trial < 40; ++trial) {
      const double turn_0 = any(0.1, 2), turn_1 = any(0.1, 2), rate_0 = any(0, 0.5), rate_1 = any(0.2, 1.0),
                   both = any(0, 0.3);  // a turn to phase 0 may bring a customer
      const double first = any(0.1, 0.9), mu_0 = any(1.2, 3), mu_1 = any(1.2, 3), again = any(0, 0.3);
      const MarkovianArrivals arrivals{
          2, {-turn_0 - rate_0, turn_0, turn_1 * (1 - both), -turn_1 - rate_1}, {rate_0, 0, turn_1 * both, rate_1}};
      const PhaseService service{{first, 1 - first}, {-mu_0, again * mu_0, 0, -mu_1}};
      const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {  // number, phase of arrivals, of service
        const auto comes = [&](int phase, double rate) {
          if (s[0] == 300) return;
          if (s[0] > 0) return go({s[0] + 1, phase, s[2]}, rate);
          go({1, phase, 0}, rate * first), go({1, phase, 1}, rate * (1 - first));
        };
        comes(s[1], s[1] == 0 ? rate_0 : rate_1);
        if (s[1] == 1) comes(0, turn_1 * both);
        go({s[0], 1 - s[1], s[2]}, s[1] == 0 ? turn_0 : turn_1 * (1 - both));
        if (s[0] == 0) return;
        if (s[2] == 0) go({s[0], s[1], 1}, again * mu_0);
        const double done = s[2] == 0 ? (1 - again) * mu_0 : mu_1;
        if (s[0] == 1) return go({0, s[1], 0}, done);
        go({s[0] - 1, s[1], 0}, done * first), go({s[0] - 1, s[1], 1}, done * (1 - first));
      });
      const MapPhMeans m = must(map_ph_1(arrivals, service));
      equal(m.number, chain.mean([](const S& s) { return s[0]; }), 1e-8);
      equal(m.number_probability[2], chain.mean([](const S& s) { return s[0] == 2 ? 1.0 : 0.0; }), 1e-9);
      equal(m.utilisation, chain.mean([](const S& s) { return s[0] > 0 ? 1.0 : 0.0; }), 1e-9);
    }
  }
  // The same of services that depend on those before: their phase stands while nobody is there.
  void services_with_memory_against_plain_chains() {
    std::mt19937 random(3);
    const auto any = [&](double from, double to) { return std::uniform_real_distribution<>(from, to)(random); };
    for (int trial = 0; trial < 40; ++trial) {
      const double turn = any(0.05, 1), rate_0 = any(0, 0.4), rate_1 = any(0.2, 0.8);
      const double on = any(0.02, 1), back = any(0.02, 1), mu_0 = any(1, 2), mu_1 = any(2, 4), ends = any(0, 0.5);
      const MarkovianArrivals arrivals{2, {-turn - rate_0, turn, turn, -turn - rate_1}, {rate_0, 0, 0, rate_1}};
      // From phase 0 some turns end a service.
      const MarkovianArrivals service{2, {-on - mu_0, (1 - ends) * on, back, -back - mu_1}, {mu_0, ends * on, 0, mu_1}};
      const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {  // number, phase of arrivals, of services
        if (s[0] < 300) go({s[0] + 1, s[1], s[2]}, s[1] == 0 ? rate_0 : rate_1);
        go({s[0], 1 - s[1], s[2]}, turn);
        if (s[0] == 0) return;
        go({s[0] - 1, s[1], s[2]}, s[2] == 0 ? mu_0 : mu_1);
        if (s[2] == 0) go({s[0], s[1], 1}, (1 - ends) * on), go({s[0] - 1, s[1], 1}, ends * on);
        else go({s[0], s[1], 0}, back);
      });
      const MapPhMeans m = must(map_map_1(arrivals, service));
      const auto probability = [&](int n) { return chain.mean([&](const S& s) { return s[0] == n ? 1.0 : 0.0; }); };
      equal(m.number, chain.mean([](const S& s) { return s[0]; }), 1e-8);
      equal(m.number_probability[2], probability(2), 1e-9), equal(m.empty, probability(0), 1e-9);
      equal(m.utilisation, 1 - probability(0), 1e-9);
      const auto comes = [&](const S& s) { return s[1] == 0 ? rate_0 : rate_1; };
      equal(m.throughput, chain.mean(comes), 1e-9);
      equal(m.wait_probability, chain.mean([&](const S& s) { return s[0] > 0 ? comes(s) : 0; }) / m.throughput, 1e-9);
    }
    // Services that forget are phases, begun anew each time.
    const PhaseService phases{{0.3, 0.7}, {-2, 1.5, 0.2, -4}};
    const MapPhMeans one = must(map_ph_1(poisson(0.7), phases)),
                     other = must(map_map_1(poisson(0.7), renewal_arrivals(phases)));
    equal(one.number, other.number), equal(one.waiting_s, other.waiting_s), equal(one.decay, other.decay);
  }
  void what_is_no_generator_or_unstable() {
    const auto code = [](const Solved<MapPhMeans>& found) {
      const auto* bad = std::get_if<Diagnostic>(&found);
      return bad == nullptr ? std::string() : bad->code;
    };
    QCOMPARE(code(map_ph_1(poisson(1), markov(1))), std::string("QUE103"));
    QCOMPARE(code(map_ph_1({1, {-1}, {2}}, markov(3))), std::string("QUE102"));
    QCOMPARE(code(map_ph_1(poisson(1), {{0.5}, {-2}})), std::string("QUE102"));
    QCOMPARE(code(map_ph_1({2, {-1}, {1}}, markov(3))), std::string("QUE101"));
    QCOMPARE(code(map_map_1(poisson(1), poisson(1))), std::string("QUE103"));
    QCOMPARE(code(map_map_1(poisson(1), {1, {-3}, {2}})), std::string("QUE102"));
    QCOMPARE(code(map_map_1(poisson(1), {1, {-3, 1}, {2}})), std::string("QUE101"));
  }

  // Two sources, one of them thinned, superposed: against the same network state by state.
  void drawn_stations_and_what_they_may_not_be() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"interarrival", "erlang(k = 2, mean = 2 s)"}}),
                    more = d.node("source", "more",
                                  {{"interarrival", "hyperexponential(p = [0.5, 0.5], rate = [0.3 /s, 2 /s])"}}),
                    fork = d.node("router", "fork"),
                    desk = d.node("station", "desk", {{"service", "erlang(k = 2, mean = 0.8 s)"}}),
                    out = d.node("sink", "out");
    d.flow(in, fork), d.flow(fork, desk, {{"probability", "0.6"}}), d.flow(fork, out);
    d.flow(more, desk, {{"probability", "0.5"}}), d.flow(more, out), d.flow(desk, out);
    d.mean("number", "desk.number"), d.mean_of("wait", "desk.waiting_time");
    const ResultSet r = solved(d.m.document(), {.solver = "qbd"}),
                    chain = solved(d.m.document(), {.solver = "ctmc-network"});
    for (const char* id : {"number", "wait", "utilisation/desk", "throughput/desk"})
      equal(estimate(r, id), estimate(chain, id), 1e-7);
    equal(std::get<double>(r.tables[2].rows[0][1]), 1 - estimate(r, "utilisation/desk"));
    const auto why = [](const std::string& gap, Value with) {
      DrawnNetwork other;
      other.queue(gap, "exponential(mean = 0.5 s)", std::move(with));
      std::string all;
      for (const Diagnostic& one : find_solver("qbd")->fits(other.m.document(), {})) {
        all += one.message;
        if (!one.element) all += " (nowhere)";
      }
      return all;
    };
    QCOMPARE(why("erlang(k = 2, mean = 1 s)", {}), std::string());
    QVERIFY(why("1 s", {}).find("no phases") != std::string::npos);
    QVERIFY(why("exponential(mean = 1 s)", {{"servers", "2"}}).find("not one server") != std::string::npos);
    QVERIFY(why("exponential(mean = 1 s)", {{"capacity", "2"}}).find("turns customers away") != std::string::npos);
    QVERIFY(why("exponential(mean = 0.4 s)", {}).find("open load") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestMatrixAnalytic)
#include "tst_matrix_analytic.moc"
