#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/markov/relevance.h"

namespace ergode {

/// Clocks of components whose delays have no phases, where only their means count in the long run: nothing else leads
/// out of the state in which such a delay runs, chance alone says where the component goes, it hangs on nobody and
/// nobody on it. Then it is a semi-Markov process, and the shares of its states and how often it jumps are those of the
/// process with exponential delays of the same means (Cinlar, Introduction to Stochastic Processes, 1975,
/// section 10.5). With others, of which at most one has cycles all of one length, it is independent in the long run.
/// @param relevance   of the model
/// @param components  that are asked about, ascending, with all that they hang on
/// @returns nothing: some such delay is not of that kind. O(their tables).
std::optional<std::vector<std::uint32_t>> lone_delays(const AnalysisModel& model, const Relevance& relevance,
                                                      const std::vector<std::uint32_t>& components);

/// Makes the delays of these clocks exponential, with the same means.
/// @returns false: a mean is 0 or infinite, and some may have been changed
bool make_exponential(CompiledModel& charts, const std::vector<std::uint32_t>& clocks);

}  // namespace ergode
