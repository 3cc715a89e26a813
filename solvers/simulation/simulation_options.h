#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/study/run_option.h"

namespace ergode {

/// What can be asked of the simulation besides what every run has. Values outside their ranges are refused where the
/// request is read (OptionTable), so solvers need not check them.
struct SimulationOptions {
  std::string variance_reduction = "none";  ///< none, auto, failure-biasing, splitting
  /// Failure biasing: probability that a failure comes before the next repair, in (0, 1).
  double bias_probability = 0.5;
  /// Splitting: expression of the model that grows towards the rare event, of any dimension; empty: the number of
  /// failures standing.
  std::string importance = {};
  /// Splitting: values of the importance, finite and strictly ascending; empty: by a pilot run.
  std::vector<double> levels = {};
  std::uint64_t effort = 1000;  ///< Splitting: paths from each level, 2 to 1,000,000.
  /// replications: of the mission; batch-means: one history that goes on until it is precise (one_long_run.h).
  std::string output_analysis = "replications";
  std::string warm_up = "heidelberger-welch";    ///< of one long run: none, mser-5, heidelberger-welch
  std::uint64_t longest = 10000;                 ///< One long run: missions, >= 1.
  std::string control_variates = "utilisation";  ///< of one long run: utilisation, none
};

/// Flags, forms, help and checks of these options; made once, for all threads.
const OptionTable<SimulationOptions>& simulation_options();

}  // namespace ergode
