// The heated tank of the examples against a loop written for it: Dormand and Prince's formula, zeros by the secant of
// its interpolating polynomial, the same tolerances, one error norm, one history after the other. [m, h, degC]
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

#include "app/session/check.h"
#include "core/format/model_file.h"
#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/simulation.h"
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {
namespace {

constexpr double flow = 1.5, inflow_temperature = 15.0, heating = 23.88915, mission = 1000.0;
constexpr double b1 = 3.0295, b2 = 0.7578, relative = 1e-8, absolute = 1e-10;
constexpr std::array<double, 3> lambda = {2.2831e-3, 2.8571e-3, 1.5625e-3};
constexpr std::array<double, 5> limits = {6.0, 8.0, 4.0, 10.0, 100.0};  // low, high, dry, overflow, too hot
using State = std::array<double, 5>;                                    // level, temperature, three hazards left

struct Tank {
  std::array<bool, 3> open = {true, false, true}, failed = {false, false, false};
  double inflow = 0.0, slope = 0.0;
  void switched() { inflow = flow * (open[0] + open[1]), slope = inflow - flow * open[2]; }
  void rates(const State& y, State& out) const {
    const double dependence =
        (b1 * std::exp(0.05756 * (y[1] - 20.0)) + b2 * std::exp(-0.2301 * (y[1] - 20.0))) / (b1 + b2);
    out[0] = slope;
    out[1] = (inflow * (inflow_temperature - y[1]) + heating) / y[0];
    for (std::size_t i = 0; i < 3; ++i) out[i + 2] = failed[i] ? 0.0 : -lambda[i] * dependence;
  }
};

struct Step {
  State from, to, k[7], polynomial[4];
  void polish(double h) {
    static constexpr double d[7] = {-12715105075.0 / 11282082432.0,  0.0,
                                    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                    69997945.0 / 29380423.0};
    for (std::size_t i = 0; i < 5; ++i) {
      const double change = to[i] - from[i], bow = h * k[0][i] - change;
      double sum = 0.0;
      for (int j = 0; j < 7; ++j) sum += d[j] * k[j][i];
      polynomial[0][i] = change, polynomial[1][i] = bow;
      polynomial[2][i] = change - h * k[6][i] - bow, polynomial[3][i] = h * sum;
    }
  }
  double at(std::size_t i, double x) const {
    const double r = 1.0 - x;
    return from[i] + x * (polynomial[0][i] + r * (polynomial[1][i] + x * (polynomial[2][i] + r * polynomial[3][i])));
  }
  /// @returns the error over what is allowed.
  double make(const Tank& tank, double h) {
    static constexpr double a[6][6] = {
        {1.0 / 5.0},
        {3.0 / 40.0, 9.0 / 40.0},
        {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
        {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
        {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
        {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
    static constexpr double e[7] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
    for (int s = 0; s < 6; ++s) {
      for (std::size_t i = 0; i < 5; ++i) {
        double sum = 0.0;
        for (int j = 0; j <= s; ++j) sum += a[s][j] * k[j][i];
        to[i] = from[i] + h * sum;
      }
      tank.rates(to, k[s + 1]);
    }
    double worst = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      double sum = 0.0;
      for (int j = 0; j < 7; ++j) sum += e[j] * k[j][i];
      worst = std::max(worst, std::abs(h * sum) / (absolute + relative * std::max(std::abs(from[i]), std::abs(to[i]))));
    }
    return std::isnan(worst) ? 1e9 : worst;
  }
};

double zero(const Step& step, std::size_t i, double level) {
  double a = 0.0, b = 1.0, fa = step.from[i] - level, fb = step.to[i] - level;
  for (int side = 0, n = 0; n < 60 && b - a > 1e-14; ++n) {
    const double x = b - fb * (b - a) / (fb - fa), f = step.at(i, x) - level;
    if (std::abs(f) < 1e-14 * std::max(1.0, std::abs(level))) return x;
    if ((f < 0.0) == (fa < 0.0)) {
      a = x, fa = f;
      if (side == -1) fb *= 0.5;
      side = -1;
    } else {
      b = x, fb = f;
      if (side == 1) fa *= 0.5;
      side = 1;
    }
  }
  return b;
}

/// What the measures of the example ask: how and when it ends, and the integral of the temperature.
struct Outcome {
  int end = 0;
  double time = 0.0, heat = 0.0;
};

template <class Random>
Outcome history(Random& random) {
  std::exponential_distribution<double> exponential;
  std::uniform_real_distribution<double> uniform;
  Tank tank;
  tank.switched();
  Step step;
  step.to = {7.0, inflow_temperature + heating / flow, exponential(random), exponential(random), exponential(random)};
  tank.rates(step.to, step.k[6]);
  Outcome out;
  double h = 1.0;
  while (out.time < mission) {
    step.from = step.to, step.k[0] = step.k[6];
    double used = 0.0;
    for (;;) {
      used = std::min(h, mission - out.time);
      const double wrong = step.make(tank, used), factor = 0.9 * std::pow(std::max(wrong, 1e-10), -0.2);
      h = used * std::clamp(factor, 0.1, 10.0);
      if (wrong <= 1.0) break;
    }
    double first = 1.0;
    std::size_t which = 99;
    step.polish(used);
    const auto look = [&](std::size_t i, double level, std::size_t number) {
      if (((step.from[i] - level) < 0.0) == ((step.to[i] - level) < 0.0)) return;
      const double x = zero(step, i, level);
      if (x < first) first = x, which = number;
    };
    if (tank.slope != 0.0)
      for (std::size_t l = 0; l < 4; ++l)
        if (step.from[0] != limits[l]) look(0, limits[l], l);
    look(1, limits[4], 4);
    for (std::size_t i = 0; i < 3; ++i)
      if (!tank.failed[i]) look(i + 2, 0.0, 5 + i);
    static constexpr double places[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
    static constexpr double weights[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    for (int p = 0; p < 3; ++p) out.heat += used * first * weights[p] * step.at(1, first * places[p]);
    out.time += used * first;
    if (which == 99) continue;
    for (std::size_t i = 0; i < 5; ++i) step.to[i] = step.at(i, first);
    if (which >= 5) {
      tank.failed[which - 5] = true, tank.open[which - 5] = uniform(random) < 0.5;
    } else if (which >= 2) {
      out.end = static_cast<int>(which);
      return out;
    } else {
      step.to[0] = limits[which];
      for (std::size_t unit = 0; unit < 3; ++unit)
        if (!tank.failed[unit]) tank.open[unit] = (which == 0) == (unit < 2);
    }
    tank.switched();
    tank.rates(step.to, step.k[6]);
    h = std::min(h, 1.0);
  }
  return out;
}

double ours(std::uint64_t histories) {
  static const std::shared_ptr<const AnalysisModel> model = [] {
    ReadOutcome read = read_model(ERGODE_HEATED_TANK);
    Diagnostics problems;
    auto out = read.document ? build_model(*read.document, {}, "", problems) : nullptr;
    if (out == nullptr) throw std::runtime_error("the example is broken");
    return out;
  }();
  SimulationSource source(model, 1);
  RunControl control;
  StoppingRule rule;
  rule.max_replications = histories;
  run_replications(source, rule, 1, control, {});
  return static_cast<double>(histories);
}

volatile double sunk = 0.0;

}  // namespace

std::vector<Named> hybrid_benchmarks() {
  return {{"heated_tank", [](double seconds) {
             return compare(
                 "heated_tank", "histories/s", "a hand-written Dormand-Prince loop of the same tolerances", seconds,
                 [] { return ours(500); },
                 [] {
                   static std::mt19937_64 random(1);
                   for (int i = 0; i < 500; ++i) sunk = sunk + history(random).heat;
                   return 500.0;
                 });
           }}};
}

}  // namespace ergode::bench
