// Each example of a queueing network gives the exact values that its README states, worked out here from definitions.
#include <QtTest>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/plain_chain.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

struct ExampleLine {
  double parts, saw_blocked, mill_blocked;
};

/// Three machines of rate 1, the first always with work; `places` at each of the others; blocking after service.
ExampleLine line_of_three(int places) {
  // Saw blocked, parts at the mill, mill blocked, parts at the polisher.
  const PlainChain chain({0, 0, 0, 0}, [places](const S& s, const Go& go) {
    const int saw = s[0], mill = s[1], stuck = s[2], polish = s[3];
    // A place at the mill is free: the part that waits on the saw moves on.
    const auto freed = [saw](int left, int next) { return S{0, left + saw, 0, next}; };
    if (saw == 0) go(mill < places ? S{0, mill + 1, stuck, polish} : S{1, mill, stuck, polish}, 1.0);
    if (mill > 0 && stuck == 0) go(polish < places ? freed(mill - 1, polish + 1) : S{saw, mill, 1, polish}, 1.0);
    if (polish > 0) go(stuck != 0 ? freed(mill - 1, polish) : S{saw, mill, stuck, polish - 1}, 1.0);
  });
  return {chain.mean([](const S& s) { return s[3] > 0 ? 1.0 : 0.0; }), chain.mean([](const S& s) { return at(s, 0); }),
          chain.mean([](const S& s) { return at(s, 2); })};
}

/// Mean numbers at single servers of a closed network of one class, by going through all its states.
std::vector<double> numbers_at(const std::vector<double>& demand, int customers) {
  std::vector<double> number(3, 0.0);
  double sum = 0.0;
  for (int a = 0; a <= customers; ++a)
    for (int b = 0; a + b <= customers; ++b) {
      const int c = customers - a - b;
      const double weight = std::pow(demand[0], a) * std::pow(demand[1], b) * std::pow(demand[2], c);
      sum += weight, number[0] += a * weight, number[1] += b * weight, number[2] += c * weight;
    }
  for (double& each : number) each /= sum;
  return number;
}

/// Mean number at MMPP/M/1, two rates: pi(n) = pi(0) R^n, R the least solution of A0 + R A1 + R^2 A2 = 0 (Neuts,
/// Matrix-Geometric Solutions in Stochastic Models, 1981), by its plain iteration.
double number_in_bursts(const std::array<double, 2>& rates, const std::array<double, 2>& leaving, double served) {
  using Matrix = std::array<std::array<double, 2>, 2>;
  const auto inverse = [](const Matrix& m) {
    const double d = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    return Matrix{{{m[1][1] / d, -m[0][1] / d}, {-m[1][0] / d, m[0][0] / d}}};
  };
  Matrix r{};
  for (int i = 0; i < 100'000; ++i) {
    const Matrix next =
        inverse({{{rates[0] + leaving[0] + served - r[0][0] * served, -leaving[0] - r[0][1] * served},
                  {-leaving[1] - r[1][0] * served, rates[1] + leaving[1] + served - r[1][1] * served}}});
    for (std::size_t row = 0; row < 2; ++row) r[row] = {rates[row] * next[row][0], rates[row] * next[row][1]};
  }
  const double all = leaving[0] + leaving[1];
  const std::array<double, 2> phase = {leaving[1] / all, leaving[0] / all};
  const Matrix sums = inverse({{{1 - r[0][0], -r[0][1]}, {-r[1][0], 1 - r[1][1]}}});
  double out = 0.0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) out += phase[i] * r[i][j] * (sums[j][0] + sums[j][1]);
  return out;
}

}  // namespace

/// Values are asked to lie in 99.9 % intervals at the models' own seeds: 97 of them, a fresh seed fails once in 11.
class TestQueueingExamples : public QObject {
  Q_OBJECT
  static ResultSet run(const char* folder, const std::string& scenario = "") {
    return solved(example(folder), {.scenario = scenario, .confidence = 0.999});
  }
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void clerks_and_one_fast_server() {
    for (const auto& [scenario, rate] : {std::pair{"", 3.6}, std::pair{"half_load", 2.0}}) {
      const ResultSet r = run("12_mmc_queue", scenario);
      double term = 1.0, below = 0.0;
      for (int k = 0; k < 4; term *= rate / ++k) below += term;
      const double all = term * 4 / (4 - rate), waits = all / (below + all) / (4 - rate), load = rate / 4;
      compare_inside(r, "many_wait", waits);
      compare_inside(r, "many_response", waits + 1);
      compare_inside(r, "many_length", rate * (waits + 1));
      compare_inside(r, "many_busy", rate);
      compare_inside(r, "one_wait", load / (4 - rate));
      compare_inside(r, "one_response", 1 / (4 - rate));
      compare_inside(r, "one_length", load / (1 - load));
    }
  }

  void a_heavy_tail_under_three_disciplines() {
    for (const auto& [scenario, rate] : {std::pair{"", 0.7}, std::pair{"light_load", 0.3}}) {
      const ResultSet r = run("13_mg1_heavy_tail", scenario);
      // Weibull of shape 1/2 and mean 1: S = x / 2 with P(S > x) = exp(-sqrt(2 x)); E[S^2] = 6. With u = sqrt(2 x) the
      // integrals over sizes are elementary: work of jobs up to x, and of the second moment, jobs beyond x counted as
      // x.
      const auto work = [](double u) { return 1 - std::exp(-u) * (1 + u + u * u / 2); };
      const auto squares = [](double u) {
        return 6 - std::exp(-u) * (u * u * u * u / 4 + u * u * u + 3 * u * u + 6 * u + 6);
      };
      double response = 0.0, stays = 0.0;
      const double du = 1e-4;
      for (double u = du / 2; u < 60; u += du) {
        const double x = u * u / 2, dx = u * du, load = rate * work(u), gone = std::exp(-u);
        const double waits = rate * (squares(u) + x * x * gone) / (2 * (1 - load) * (1 - load));
        stays += dx / (1 - load) * gone;  // the inner integral of the residence, with the order of the two exchanged
        response += waits * gone * du;
      }
      compare_inside(r, "fcfs_response", rate * 6 / (2 * (1 - rate)) + 1);
      compare_inside(r, "ps_response", 1 / (1 - rate));
      compare_inside(r, "srpt_response", response + stays);
      compare_inside(r, "ps_length", rate / (1 - rate));
      compare_inside(r, "srpt_length", rate * (response + stays));
      QVERIFY(estimate(r, "srpt_p99") < estimate(r, "ps_p99") && estimate(r, "ps_p99") < estimate(r, "fcfs_p99"));
    }
  }

  void programs_of_a_central_server() {
    for (const auto& [scenario, programs, slow] :
         {std::tuple{"", 6, 18.0}, std::tuple{"twice_the_memory", 12, 18.0}, std::tuple{"faster_disk", 6, 9.0}}) {
      const std::vector<double> demand = {20.0, 18.0, slow};  // ms a burst
      const std::vector<double> number = numbers_at(demand, programs), fewer = numbers_at(demand, programs - 1);
      const double bursts = number[0] / (demand[0] * (1 + fewer[0]));  // the arrival theorem, a millisecond
      const ResultSet r = run("14_central_server", scenario);
      compare_inside(r, "programs_per_second", 100 * bursts);
      compare_inside(r, "processor_use", bursts * demand[0]);
      compare_inside(r, "slow_use", bursts * slow);
      compare_inside(r, "at_processor", number[0]);
      compare_inside(r, "at_slow", number[2]);
    }
  }

  void classes_of_a_network_with_a_product_form() {
    const Document model = example("15_bcmp_classes");
    const ResultSet r = solved(model, {.confidence = 0.999}), exact = solved(model, {.solver = "mva"});
    for (const char* id : {"cpu_use", "disk_use", "user_cycles", "jobs_at_disk", "users_thinking", "request_time"})
      compare_inside(r, id, estimate(exact, id));
    // Little's law over the users' whole circle: thinking, processor and disk hold all twelve.
    const double circle =
        8 + estimate(exact, "response_time/cpu/user") / 0.4 + 0.6 / 0.4 * estimate(exact, "response_time/disk/user");
    QVERIFY(std::abs(estimate(exact, "user_cycles") * circle - 12) < 1e-9);
  }

  void halves_of_an_order() {
    for (const auto& [scenario, rate] : {std::pair{"", 0.8}, std::pair{"light_load", 0.4}}) {
      const ResultSet r = run("16_fork_join", scenario);
      const double half = 1 / (1 - rate), order = (12 - rate) / 8 * half;
      compare_inside(r, "order_time", order);
      compare_inside(r, "half_time", half);
      compare_inside(r, "waiting_halves", 2 * rate * (order - half));
    }
  }

  void a_server_that_goes_round() {
    const ResultSet r = run("17_polling");
    compare_inside(r, "wait_exhaustive", (0.6 * 2 + 1.5 * 0.8) / (2 * 0.4));
    compare_inside(r, "wait_gated", (0.6 * 2 + 1.5 * 1.2) / (2 * 0.4));
    compare_inside(r, "at_work", 0.6);
  }

  void machines_block_and_starve() {
    QVERIFY(std::abs(line_of_three(1).parts - 22.0 / 39) < 1e-12);  // Hunt, 1956
    for (const auto& [scenario, places] :
         {std::pair{"", 1}, std::pair{"one_place_between", 2}, std::pair{"four_places_between", 5}}) {
      const ResultSet r = run("18_blocking_line", scenario);
      const ExampleLine line = line_of_three(places);
      compare_inside(r, "parts", line.parts);
      compare_inside(r, "saw_blocked", line.saw_blocked);
      compare_inside(r, "mill_blocked", line.mill_blocked);
      compare_inside(r, "polish_idle", 1 - line.parts);
    }
  }

  void callers_hang_up() {
    for (const auto& [scenario, agents] :
         {std::pair{"", 30}, std::pair{"three_more", 33}, std::pair{"three_fewer", 27}}) {
      const ResultSet r = run("19_call_centre", scenario);
      double weight = 1.0, sum = 1.0, talking = 0.0, waiting = 0.0;
      for (int n = 1; n <= 400; ++n) {
        weight *= 10 / (std::min(n, agents) / 3.0 + std::max(0, n - agents) / 2.0);
        sum += weight, talking += std::min(n, agents) * weight, waiting += std::max(0, n - agents) * weight;
      }
      talking /= sum, waiting /= sum;
      compare_inside(r, "talking", talking);
      compare_inside(r, "waiting", waiting);
      compare_inside(r, "gave_up_share", waiting / 2 / 10);
    }
  }

  void gpus_fail_together() {
    const ResultSet r = run("20_inference_pool");
    // One GPU: fails at 0.02 + 0.1 / 2, repaired at 6 an hour, up at time zero.
    const double up = 6 / 6.07;
    compare_inside(r, "readers_up", 3 * (up + (1 - up) / (6.07 * 24)));
    compare_inside(r, "answers_per_second", 5.0);
    const ResultSet never = run("20_inference_pool", "no_failures");
    // Three readers, alike but for the law: beside Kimura's and Lee and Longton's formula.
    QVERIFY(estimate(never, "ttft") > 0.3 && estimate(never, "ttft") < 0.36);
    QVERIFY(estimate(r, "ttft") > 1.5 * estimate(never, "ttft"));
  }

  void requests_come_in_bursts() {
    for (const auto& [scenario, burst] : {std::pair{"", 50.0}, std::pair{"short_bursts", 5.0}}) {
      const ResultSet r = run("21_bursts", scenario);
      const double number = number_in_bursts({1.6, 0.3}, {1 / burst, 1 / (1.5 * burst)}, 1.0);
      compare_inside(r, "bursty_length", number);
      compare_inside(r, "bursty_response", number / 0.82);
      compare_inside(r, "bursty_use", 0.82);
      compare_inside(r, "even_response", 1 / 0.18);
      compare_inside(r, "even_length", 0.82 / 0.18);
    }
  }

  void a_workshop_as_a_petri_net() {
    for (const auto& [scenario, inspections] : {std::pair{"", 20.0}, std::pair{"no_inspection", 1e6}}) {
      enum Crew { idle, small, large, inspecting };
      // Working, waiting for the crew, what it does.
      const PlainChain chain({5, 0, idle}, [inspections = inspections](const S& s, const Go& go) {
        const int working = s[0], broken = s[1], crew = s[2];
        const auto begin = [&](int runs, int waits, double rate) {
          if (waits == 0) return go({runs, 0, idle}, rate);
          go({runs, waits - 1, small}, 0.7 * rate), go({runs, waits - 1, large}, 0.3 * rate);
        };
        if (working > 0 && crew == idle) begin(working - 1, 1, working / 50.0);
        else if (working > 0) go({working - 1, broken + 1, crew}, working / 50.0);
        if (crew == idle) go({working, 0, inspecting}, 1 / inspections);
        if (crew == inspecting) begin(working, broken, 1 / 3.0);
        if (crew == small) begin(working + 1, broken, 1 / 2.0);
        if (crew == large) begin(working + 1, broken, 1 / 12.0);
      });
      const ResultSet r = run("22_petri_workshop", scenario);
      const double working = chain.mean([](const S& s) { return at(s, 0); });
      compare_inside(r, "machines_running", working);
      compare_inside(r, "machines_waiting", chain.mean([](const S& s) { return at(s, 1); }));
      compare_inside(r, "crew_idle", chain.mean([](const S& s) { return s[2] == idle ? 1.0 : 0.0; }));
      compare_inside(r, "large_repairs", chain.mean([](const S& s) { return s[2] == large ? 1.0 : 0.0; }));
      compare_inside(r, "failures", working / 50);
    }
  }
};

QTEST_APPLESS_MAIN(TestQueueingExamples)
#include "tst_queueing_examples.moc"
