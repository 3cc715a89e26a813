#pragma once
#include <optional>

#include "solvers/cluster/devices/device_scores.h"
#include "solvers/cluster/devices/power_cap_devices.h"

namespace ergode {

/// How the GPUs of a fleet come to differ: not at all, by profiles of the classes, or by a power cap that makes them
/// differ for class A (what is bound by compute) alone.
struct FleetVariation {
  std::optional<ScoreLaw> law;
  std::optional<PowerCapModel> power_cap;  ///< where there is no law
};

/// Slowdown by class and GPU, 1 for a median one. As many draws a GPU, whatever the number of GPUs: the first ones of a
/// larger fleet are those of a smaller.
ByClass<std::vector<double>> draw_fleet(const FleetVariation& variation, std::size_t gpus, RandomStream& stream);
/// What placement sees of it: the score of each GPU's bin, class by class (bin_devices()).
ByClass<std::vector<double>> binned_scores(const ByClass<std::vector<double>>& slowdowns);

}  // namespace ergode
