#pragma once
#include <cstdint>
#include <string>

#include "core/results/result_set.h"

namespace ergode {

/// What an estimate leaves out: where histories without an observation do not enter it (the mean time to an event that
/// some missions do not see), the share of those that do. Belongs at the number, in brackets.
///
///     "in 17.4 % of the histories"               an estimate over 1738 observations of 10000 replications
///     "in those histories in which it happened"  weighted observations, whose count is not their share
///     ""                                         every history enters it, there is no estimate, or it is exact
///
/// Less than all never reads as 100 %.
/// @param replications  of the run; 0: nobody knows
std::string occurrence_note(const MeasureResult& measure, std::uint64_t replications);

}  // namespace ergode
