#pragma once
#include <optional>
#include <stop_token>
#include <vector>

#include "solvers/markov/sparse_generator.h"

namespace ergode {

/// Stationary distribution of an irreducible chain by eliminating state after state and never subtracting: Grassmann,
/// Taksar and Heyman, Regenerative analysis and steady state distributions for Markov chains, Operations Research
/// 33(5), 1985. Every probability, however small, has full relative accuracy (O'Cinneide, Entrywise perturbation theory
/// and error analysis for Markov chains, Numerische Mathematik 65, 1993). Sparse: the state with the fewest neighbours
/// goes first; what remains is eliminated as a dense matrix once it has filled.
///
/// @param most_entries  of fill-in before giving up (16 bytes each)
/// @returns nothing when the chain is not irreducible, fills more than that, or was stopped.
std::optional<std::vector<double>> reduce_states(const SparseGenerator& generator, std::size_t most_entries = 50000000,
                                                 const std::stop_token& stop = {});

}  // namespace ergode
