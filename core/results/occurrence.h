#pragma once
#include <cstdint>
#include <string>

#include "core/results/result_set.h"

namespace ergode {

/// What an estimate is a mean of, where that is no matter of course: where histories without an observation do not
/// enter it (the mean time to an event that some missions do not see), the share of those that do. Belongs at the
/// number, in brackets.
///
///     "in 17.4 % of the histories"               an estimate over 1738 observations of 10000 replications
///     "in those histories in which it happened"  weighted observations, whose count is not their share
///     ""                                         every history enters it, there is no estimate, or it is exact
///
/// Of the quantile of a stream's observations also what it is a mean of: "the mean of each mission's own quantile"; one
/// long run has one.
/// Less than all never reads as 100 %.
/// @param replications  of the run; 0: nobody knows
std::string occurrence_note(const MeasureResult& measure, std::uint64_t replications);

/// What MeasureResult::replications counts, as files name it: "replications"; of one long run "batches"; "cycles" of
/// what begins anew. All of them, for whoever reads files. Static.
inline constexpr const char* sample_words[] = {"replications", "batches", "cycles"};
/// @param run  which the measure is of
const char* sample_word(const MeasureResult& measure, const ResultSet& run);

}  // namespace ergode
