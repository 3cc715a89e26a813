#include "solvers/cluster/budget/cluster_shares.h"

#include <algorithm>
#include <cmath>

namespace ergode {

double equal_share(double gpus, std::size_t jobs) { return gpus / static_cast<double>(jobs); }

void hesrpt_shares(double exponent, std::span<double> shares) {
  const double power = 1.0 / (1.0 - exponent), all = static_cast<double>(shares.size());
  double before = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double upto = std::pow(static_cast<double>(i + 1) / all, power);
    shares[i] = upto - before;
    before = upto;
  }
}

void greedy_shares(double gpus, std::span<AlikeJobs> types) {
  double jobs = 0.0, useful = 0.0;
  for (AlikeJobs& one : types) {
    one.gpus = 0.0;
    if (one.jobs == 0) continue;
    jobs += static_cast<double>(one.jobs), useful += static_cast<double>(one.jobs) * one.speedup->most();
  }
  if (jobs == 0.0) return;
  const bool few = gpus <= jobs, plenty = gpus >= useful;
  if (few || plenty) {
    for (AlikeJobs& one : types)
      if (one.jobs > 0) one.gpus = few ? gpus / jobs : one.speedup->most();
    return;
  }
  const auto wanted = [&](double slope) {
    double out = 0.0;
    for (const AlikeJobs& one : types)
      if (one.jobs > 0) out += static_cast<double>(one.jobs) * one.speedup->gpus_of_slope(slope);
    return out;
  };
  double high = 2.0, low = 1.0;  // no slope is above 1
  while (wanted(low) < gpus && low > 1e-300) high = low, low /= 4.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    if (!(middle > low && middle < high)) break;
    (wanted(middle) >= gpus ? low : high) = middle;
  }
  // Where a table is straight one slope is that of many widths: what is left is divided along it.
  const double least = wanted(high), most = wanted(low);
  const double part = most > least ? std::clamp((gpus - least) / (most - least), 0.0, 1.0) : 0.0;
  for (AlikeJobs& one : types) {
    if (one.jobs == 0) continue;
    const double below = one.speedup->gpus_of_slope(high), above = one.speedup->gpus_of_slope(low);
    one.gpus = below + part * (above - below);
  }
}

}  // namespace ergode
