#pragma once
#include <cstdint>
#include <vector>

#include "solvers/model/analysis_model.h"

namespace ergode {

/// Members [first, first + count) of an array of components that nothing in the model tells apart.
struct SymmetricArray {
  std::uint32_t first = 0, count = 0;
};

/// The arrays whose members may be exchanged: swapping any two neighbours leaves every program, clock, action, group
/// and measure of the model as it is. Members with different arguments, named by index in an expression, or of which
/// only some are in a group or in a range are told apart. What the tables cannot show, the order in which members react
/// at one moment, is watched while states are generated. Buchholz, Exact and ordinary lumpability in finite Markov
/// chains, Journal of Applied Probability 31, 1994.
std::vector<SymmetricArray> symmetric_arrays(const AnalysisModel& model);

/// The slots of variables that belong to each component: those that its actions assign and its events fill.
std::vector<std::vector<std::uint32_t>> variables_of(const CompiledModel& charts);

}  // namespace ergode
