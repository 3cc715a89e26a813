#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/study/run_option.h"

namespace ergode {

/// What can be asked of the simulation besides what every run has.
struct SimulationOptions {
  std::string variance_reduction = "none";  ///< none, auto, failure-biasing, splitting
  double bias_probability = 0.5;    ///< Failure biasing: probability that a failure comes before the next repair.
  std::string importance = {};      ///< Splitting: expression of the model that grows towards the rare event.
  std::vector<double> levels = {};  ///< Splitting: values of the importance, ascending; empty: by a pilot run.
  std::uint64_t effort = 1000;      ///< Splitting: paths from each level.
};

const OptionTable<SimulationOptions>& simulation_options();

}  // namespace ergode
