#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// What all components have entered at time zero, before anything reacts, where that is the same in every history: no
/// first state has an entry action or is final, no initial transition acts, and no first clock reads a variable for its
/// time. Beginning a history is then copying this and drawing the times of `clocks`.
struct StartImage {
  struct Count {
    std::uint32_t slot;  ///< of the world
    double entered;      ///< how many of the states that it counts
  };
  std::vector<std::uint64_t> configuration;  ///< as ChartReplication::configuration()
  std::vector<Count> counts;                 ///< in the order in which they change first
  std::vector<std::uint32_t> clocks;         ///< timers, in the order in which they are armed
  std::vector<std::uint32_t> asked;          ///< components whose first states have eventless transitions, ascending
};

/// @returns nothing where a history may begin differently from another. O(first states of all components).
std::optional<StartImage> start_image(const CompiledModel& model);

}  // namespace ergode
