#pragma once
#include <functional>
#include <string>

#include "solvers/markov/chain_run.h"

namespace ergode {

/// Answers each measure of a mission by the cheapest way that there is for it:
///
///     the whole chain has at most 2,000 states                      that chain
///     all measures are on modules, or on crowds                     find_modules(), find_crowds()
///     some are                                                      these so, the others by a chain of what they hang
///     on that chain costs too much, and some of them hang on less      a chain for each such group, the smallest first
///
/// Where lumping is off, or the method is cvode, there are chains only. A measure for which every way costs too much is
/// said not to be answered, with the reason (SOL005); when that is so for all of them the run fails with it.
/// Which way is taken follows from model, options and limits alone; only a limit on time depends on the machine.
///
/// @param run          not failed, without states
/// @param solve_chain  answers the measures that the run asks from its states; why it failed, or empty
/// @throws OverBudget  MKV010, MKV011, MKV022 or RUN003, when nothing can be answered
ResultSet answer_measures(ChainRun& run, const std::function<std::string()>& solve_chain);

}  // namespace ergode
