#pragma once
#include <optional>
#include <string>

#include "solvers/markov/chain_run.h"
#include "solvers/markov/modules.h"

namespace ergode {

/// Answers the measures of a model that was taken apart: each module is a Markov chain of its own, solved by
/// uniformisation at all times asked for; a measure is summed up over the decision diagram, module by module. Means of
/// times and time averages are integrals of such probabilities, by Gauss-Kronrod quadrature over panels of the mission.
/// Bounds: as a probability is linear in that of each module's outcomes, with factors of at most one, the modules'
/// bounds add up.
/// Of a crowd one member is solved, and the measure summed up over the binomial law of how many are in the state; of a
/// count of events the member's own expectation, as often as there are members.
///
/// Panels double every second one towards the end of the mission, 48 of them, 15 points each: a stiff model does
/// everything at the beginning. How much the rules of 7 and 15 points differ is added to the bound of an integral.
/// Cost: a chain for each module, each generated among all components of the model, whose operations are weighed first;
/// then nodes of the diagram * times.
/// @param run      without states: those of the modules are noted in the record instead
/// @param modules  of find_modules() or find_crowds() for the same model
/// @returns why it failed; empty: every measure is answered. Nothing: it must be solved whole after all, because
/// members
///          of a crowd do not begin in one and the same state.
/// @throws OverBudget  MKV022, RUN003, or what generate_states() could not do with a module
std::optional<std::string> solve_modules(ChainRun& run, const Modules& modules);

}  // namespace ergode
