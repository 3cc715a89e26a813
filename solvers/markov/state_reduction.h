#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "core/study/budget.h"
#include "solvers/markov/sparse_generator.h"

namespace ergode {

/// Stationary distribution of an irreducible chain by eliminating state after state and never subtracting: Grassmann,
/// Taksar and Heyman, Regenerative analysis and steady state distributions for Markov chains, Operations Research
/// 33(5), 1985. Every probability, however small, has full relative accuracy (O'Cinneide, Entrywise perturbation theory
/// and error analysis for Markov chains, Numerische Mathematik 65, 1993). Sparse: the state with the fewest neighbours
/// goes first; what remains is eliminated as a dense matrix once it has filled.
///
/// Cost: sum over the states of (ways in * ways out) when each goes, and a third of the cube of what is left for the
/// dense matrix, of at most 8,000 states. 48 bytes an entry.
///
/// @param most_operations  products and sums after which it gives up; fill-in, and not size, is what makes it dear.
/// @returns by state, sum 1; nothing when the chain is not irreducible or empty, or it was stopped or gave up.
/// @throws OverBudget (MKV022) when it fills more memory than allowed, or takes too long.
std::optional<std::vector<double>> reduce_states(const SparseGenerator& generator, const Budget& budget = {},
                                                 double most_operations = std::numeric_limits<double>::infinity());

}  // namespace ergode
