#pragma once
#include <string>
#include <vector>

#include "solvers/cluster/devices/device_bins.h"
#include "solvers/cluster/devices/device_measurements.h"
#include "solvers/cluster/devices/device_profiles.h"
#include "solvers/cluster/devices/variation.h"

namespace ergode {

/// What measurements say of devices that should be alike. Sinha et al., Not all GPUs are created equal, SC 2022.
struct DeviceCharacter {
  std::string app;
  BoxStatistics of_runs;  ///< times of all runs; outliers are runs
  BoxStatistics of_gpus;  ///< of the medians of each GPU; outliers are GPUs
  /// By GPU: median of each quantity; empty where the file has none.
  std::array<std::vector<double>, device_quantities> medians;
  std::vector<DeviceQuantity> quantities;  ///< those that there are
  /// Over runs, row by row of `quantities`; NaN where one of them does not vary.
  std::vector<std::vector<double>> spearman, pearson;
  VarianceComponents components;        ///< of times
  VarianceComponents without_outliers;  ///< of the GPUs within the fences
  struct Group {
    std::string name;
    BoxStatistics box;  ///< of the medians of its GPUs; outliers count within the group
  };
  std::vector<Group> nodes, cabinets;  ///< in the order of appearance; empty: the file does not say
  SlownessProfile profile;             ///< medians over their median
  DeviceBins bins;                     ///< of medians
};

/// O(runs log runs).
DeviceCharacter characterise(const DeviceMeasurements& measured);

}  // namespace ergode
