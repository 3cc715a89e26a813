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
/// Of a crowd one member is solved, and the measure summed up over the binomial law of how many are in the state.
/// @returns why it failed; empty: every measure is answered. Nothing: it must be solved whole after all.
std::optional<std::string> solve_modules(ChainRun& run, const Modules& modules);

}  // namespace ergode
