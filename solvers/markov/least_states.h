#pragma once
#include <cstdint>
#include <vector>

#include "solvers/model/analysis_model.h"

namespace ergode {

/// A number of states that the model's chain has at least, found without generating any: components that nobody can
/// disturb (no events, conditions or actions of states; clocks of constant rate and delays made of phases, also through
/// choices of constant probabilities) pass through their states independently
/// of each other, so every combination is reached. Those that lumping might exchange are counted as if it did: c of
/// them with s states each make C(c + s - 1, c). One where nothing can be said.
///
/// Of one component no more than about 64 states are counted, and only charts of at most 64 states without history.
///
/// @param components  those that are told apart whatever happens, ascending
/// @returns at least 1, a whole number up to rounding, which is taken downwards; may be infinite. O(their tables).
double least_states(const AnalysisModel& model, const std::vector<std::uint32_t>& components);

}  // namespace ergode
