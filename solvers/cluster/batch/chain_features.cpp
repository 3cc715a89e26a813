#include "solvers/cluster/batch/chain_features.h"

#include <algorithm>
#include <vector>

namespace ergode {
namespace {

constexpr double minute_s = 60.0;

/// Least, quartiles and greatest, between order statistics.
void append_summary(std::vector<double>& values, double*& into) {
  constexpr int points = 5;
  std::sort(values.begin(), values.end());
  for (int p = 0; p < points; ++p, ++into) {
    *into = 0.0;
    if (values.empty()) continue;
    const double at = static_cast<double>(p) / (points - 1) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const double above = values[std::min(below + 1, values.size() - 1)];
    *into = values[below] + (at - static_cast<double>(below)) * (above - values[below]);
  }
}

template <class List, class Limit, class Wait, class Elapsed>
void append_jobs(const List& jobs, double*& into, Limit limit, Wait wait, Elapsed elapsed) {
  double hosts = 0.0;
  std::vector<double> limits, waits, runs;
  for (const auto& one : jobs) {
    hosts += one.hosts;
    limits.push_back(limit(one)), waits.push_back(wait(one)), runs.push_back(elapsed(one));
  }
  *into++ = static_cast<double>(jobs.size()), *into++ = hosts;
  append_summary(limits, into), append_summary(waits, into), append_summary(runs, into);
}

}  // namespace

ChainFeatures features_of(const ChainMoment& moment, const ChainRules& rules) {
  ChainFeatures out{};
  double* into = out.data();
  const auto now_s = static_cast<double>(moment.cluster.now_s());
  const auto limit = [](const auto& one) { return one.limit_s / minute_s; };
  append_jobs(
      moment.cluster.queue(), into, limit,
      [&](const MinuteCluster::Waiting& one) { return now_s - static_cast<double>(one.submit_s); },
      [](const MinuteCluster::Waiting&) { return 0.0; });
  append_jobs(
      moment.cluster.running(), into, limit,
      [](const MinuteCluster::Running& one) { return static_cast<double>(one.start_s - one.submit_s); },
      [&](const MinuteCluster::Running& one) { return now_s - static_cast<double>(one.start_s); });
  *into++ = rules.limit_s / minute_s, *into++ = rules.hosts;
  *into++ = moment.predecessor_wait_s, *into++ = rules.limit_s - moment.left_s;
  *into++ = rules.limit_s / minute_s, *into++ = rules.hosts;
  return out;
}

}  // namespace ergode
