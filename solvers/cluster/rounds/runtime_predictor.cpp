#include "solvers/cluster/rounds/runtime_predictor.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ergode {
namespace {

struct BatchSeen {
  double epochs = 0.0, time_s = 0.0, seen = 0.0;
};

}  // namespace

double remaining_runtime(std::span<const int> batch_by_epoch, std::span<const double> epoch_s, std::int64_t progress) {
  const auto epochs = static_cast<double>(batch_by_epoch.size());
  std::map<int, BatchSeen> modes;
  for (std::size_t e = 0; e < batch_by_epoch.size(); ++e) {
    BatchSeen& mode = modes[batch_by_epoch[e]];
    mode.epochs += 1.0, mode.time_s += epoch_s[e];
    if (static_cast<std::int64_t>(e) <= progress) mode.seen += 1.0;
  }
  const double prior = epochs / static_cast<double>(modes.size());
  double concentration = 0.0, left = 0.0, time_s = 0.0;
  for (const auto& [batch, mode] : modes) concentration += prior + mode.seen;
  for (const auto& [batch, mode] : modes) {
    const double mean = epochs * (prior + mode.seen) / concentration;
    const double of_mode = mean - std::min(mode.seen, std::floor(mean));
    left += of_mode, time_s += of_mode * mode.time_s / mode.epochs;
  }
  const double to_come = epochs - static_cast<double>(progress);
  const double counted = std::max(std::floor(left + 1.0), to_come);
  if (to_come <= 0.0 || counted <= 0.0) return 1.0;
  return time_s * to_come / counted;
}

}  // namespace ergode
