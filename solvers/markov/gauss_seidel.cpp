#include "solvers/markov/gauss_seidel.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

/// One sweep; returns the greatest relative change.
double sweep(const RateRows& in, std::span<const double> exit, std::span<const double> source, std::vector<double>& x,
             bool forth) {
  const std::size_t n = x.size();
  double change = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t j = forth ? k : n - 1 - k;
    double flow = source.empty() ? 0.0 : source[j];
    for (std::uint32_t e = in.start[j]; e < in.start[j + 1]; ++e) flow += x[in.other[e]] * in.rate[e];
    const double value = flow / exit[j];
    const double largest = std::max(value, x[j]);
    if (largest > 0.0) change = std::max(change, std::fabs(value - x[j]) / largest);
    x[j] = value;
  }
  return change;
}

void scale_to_one(std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  for (double& v : x) v /= sum;
}

}  // namespace

SweepReport gauss_seidel(const RateRows& incoming, std::span<const double> exit, std::span<const double> source,
                         std::vector<double>& x, double error, std::uint64_t most_sweeps, const Budget& budget) {
  SweepReport out;
  // Rates of contraction are judged over many sweeps: the first are fast and flatter the method.
  constexpr std::uint64_t window = 10;
  double before = 1.0, first = 1.0;
  int good = 0;
  const double operations = 2.0 * (static_cast<double>(incoming.entries()) + 8.0 * static_cast<double>(x.size()));
  while (out.sweeps < most_sweeps && !budget.stop_requested()) {
    budget.spend(operations);
    double change = sweep(incoming, exit, source, x, true);
    // Back as well as forth, so that no numbering of the states is the bad one.
    change = std::max(change, sweep(incoming, exit, source, x, false));
    out.sweeps += 2;
    if (source.empty()) scale_to_one(x);
    if (out.sweeps % (2 * window) == 0) {
      first = before;
      before = change;
    }
    const double per_window = first > 0.0 ? std::min(before / first, 0.999999) : 0.0;
    const double ratio = std::pow(per_window, 1.0 / static_cast<double>(window));
    out.error = change == 0.0 ? 0.0 : change * std::max(1.0, ratio / (1.0 - ratio));
    // Changes that have sunk to rounding do not shrink any more.
    good = out.error <= error || change < 4e-16 ? good + 1 : 0;
    if (good < 3) continue;
    out.converged = true;
    break;
  }
  if (source.empty()) scale_to_one(x);
  return out;
}

}  // namespace ergode
