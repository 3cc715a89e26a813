#pragma once
#include <optional>
#include <vector>

#include "solvers/cluster/devices/device_scores.h"
#include "solvers/cluster/devices/power_cap_devices.h"

namespace ergode {

/// What else is known of a device at work for class A, in a unit of its own: quantiles, joined to its time by a
/// Gaussian copula of this rank correlation (Spearman), and to nothing else.
struct DeviceQuantityLaw {
  SlownessProfile quantiles;
  double rank_correlation = 0.0;  ///< with the time of class A, -1 ... 1
};

/// How the GPUs of a fleet come to differ: not at all, by profiles of the classes, or by a power cap that makes them
/// differ for class A (what is bound by compute) alone.
struct FleetVariation {
  std::optional<ScoreLaw> law;
  std::optional<PowerCapModel> power_cap;  ///< where there is no law
  /// @name Beside the law, where they are known
  /// @{
  std::optional<DeviceQuantityLaw> temperature_c, frequency_mhz, power_w;
  /// @}
  bool any() const { return law || power_cap; }
};

/// The GPUs of one history.
struct DrawnDevices {
  ByClass<std::vector<double>> slowdowns;                     ///< by class and GPU, 1 for a median one
  std::vector<double> temperature_c, frequency_mhz, power_w;  ///< by GPU, at work for class A; empty: not known
};

/// As many draws a GPU, whatever the number of GPUs: the first ones of a larger fleet are those of a smaller.
/// @param stream  what makes speeds
/// @param heat    what else is drawn beside a law: three draws a GPU
DrawnDevices draw_fleet(const FleetVariation& variation, std::size_t gpus, RandomStream& stream, RandomStream& heat);
/// What placement sees of it: the score of each GPU's bin, class by class (bin_devices()).
ByClass<std::vector<double>> binned_scores(const ByClass<std::vector<double>>& slowdowns);

/// Temperatures of V100 of Longhorn under SGEMM, their rank correlation with time, and the power to which almost all of
/// them are capped. Sinha et al., Not all GPUs are created equal, SC 2022.
void add_sgemm_longhorn_heat(FleetVariation& variation);

}  // namespace ergode
