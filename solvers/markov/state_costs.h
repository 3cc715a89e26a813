#pragma once
#include <optional>

#include "solvers/markov/state_space.h"

namespace ergode {

/// What one outcome of a step of the model costs, and what looking at a component costs before the first state.
inline constexpr double operations_per_outcome = 500.0, operations_per_component = 20.0;
inline constexpr double operations_to_begin = 500.0;
/// Of a state; vectors that grow hold half of what they take.
inline constexpr double bytes_per_component_state = 8.0;

/// MKV010 where least_states() are more than the options allow: known before a state is made, so that nobody waits for
/// what will be refused. Spends what looking at the components costs.
/// @throws OverBudget
std::optional<Diagnostic> surely_too_many(const AnalysisModel& model, const StateSpaceOptions& options);

}  // namespace ergode
