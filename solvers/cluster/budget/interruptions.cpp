#include "solvers/cluster/budget/interruptions.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

/// Who is interrupted without end waits no time at all where nobody waits.
double waited(double interruptions, const InterruptionRules& rules) {
  return rules.wait > 0.0 ? interruptions * rules.wait : 0.0;
}

/// Each interruption saves what is there: as many as fit into the work, by the mean work between two.
InterruptedMeans means_in_time(double work, const InterruptionRules& rules) {
  const double rate = rules.rate, again = rules.start_up + rules.restart;
  const double retries = std::expm1(rate * again), periods = std::ceil(work / rules.checkpoint_period - 1e-9) - 1.0;
  const double saving = std::isinf(rules.checkpoint_period) ? 0.0 : std::max(0.0, periods) * rules.checkpoint_cost;
  const double cycle = 1.0 / rate + rules.notice - rules.checkpoint_cost;
  const double first = -std::expm1(-rate * rules.start_up);
  // One that comes while it starts up counts as any other; its GPUs stay until the notice is over.
  const double each = (work + saving) / cycle + first;
  InterruptedMeans out;
  out.interruptions = each * (1.0 + retries);
  out.held = work + saving + each * (rules.checkpoint_cost + retries * (1.0 / rate + rules.notice)) + first / rate +
             first * (rules.notice - rules.checkpoint_cost);
  out.time = out.held + waited(out.interruptions, rules);
  return out;
}

}  // namespace

InterruptedMeans interrupted_means(double work, const InterruptionRules& rules) {
  const double period = rules.checkpoint_period, cost = rules.checkpoint_cost, rate = rules.rate;
  const double whole = std::isinf(period) ? 0.0 : std::max(0.0, std::ceil(work / period - 1e-9) - 1.0);
  if (rate == 0.0) {
    const double time = rules.start_up + work + whole * cost;
    return {time, time, 0.0};
  }
  if (rules.saves_in_time()) return means_in_time(work, rules);
  const double last = work - (whole > 0.0 ? whole * period : 0.0);
  const double retries = std::expm1(rate * (rules.start_up + rules.restart));
  // How often the stretches and the first start-up do not come through.
  const double first = -std::expm1(-rate * rules.start_up);
  const double failed =
      first + (whole > 0.0 ? whole * std::expm1(rate * (period + cost)) : 0.0) + std::expm1(rate * last);
  InterruptedMeans out;
  out.held = failed * (1.0 / rate + retries / rate);
  out.interruptions = rate * out.held;
  out.time = out.held + waited(out.interruptions, rules);
  return out;
}

std::vector<double> likely_sizes(const Distribution& size) {
  if (size.family() == Distribution::Family::deterministic) return {size.mean()};
  constexpr int parts = 1000;
  std::vector<double> out;
  double mean = 0.0;
  for (int i = 0; i < parts; ++i) {
    out.push_back(size.quantile((i + 0.5) / parts));
    mean += out.back() / parts;
  }
  // Middles miss a part of the tail.
  for (double& one : out) one *= size.mean() / mean;
  return out;
}

InterruptedMeans interrupted_means(std::span<const double> sizes, double speed, const InterruptionRules& rules) {
  const auto all = static_cast<double>(sizes.size());
  InterruptedMeans out;
  for (const double one : sizes) {
    const InterruptedMeans of = interrupted_means(one / speed, rules);
    out.time += of.time / all, out.held += of.held / all, out.interruptions += of.interruptions / all;
  }
  return out;
}

double young_period(double cost, double rate) { return std::sqrt(2.0 * cost / rate); }

}  // namespace ergode
