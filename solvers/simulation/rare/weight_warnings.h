#pragma once
#include <span>

#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// RUN023, a warning: what would make the interval of a weighted measure too narrow. It looks at what was seen and at
/// what was not:
/// * the weights degenerate (weights_sound());
/// * the two halves of the run lie further apart than 3.5 standard errors allow;
/// * branches, clocks, failures of each decade of distance to moments known in advance (ScheduledTimes), random delays
/// and shocks that were taken fewer than ten times, or by paths of less than 0.6 times the weight
///   expected, have an expected mass of more than a tenth of the estimate (PathVisits): whatever lies behind them is
///   missing or rests on a few paths.
/// Measures without any observation above zero are passed over, and so is everything before the second replication.
/// O(places of PathVisits * measures).
/// @param outcome  of a source whose sums are those of PathVisits; its convergence tells the two halves
/// @param specs    of the measures in `outcome`, in order, all of them weighted
/// @param out      results of the run: warnings are added
void warn_of_weights(const AnalysisModel& model, const RunOutcome& outcome, std::span<const MeasureSpec> specs,
                     Diagnostics& out);
/// Whether the last of these holds for no measure that counts (measures_that_count()). For a run that goes on until it
/// may stop: halves and degenerate weights are looked at elsewhere.
/// @param goals  what the run waits for, by number as in `specs`; none: the headline measures count
bool nothing_unseen(const AnalysisModel& model, const Tallies& tallies, std::span<const MeasureSpec> specs,
                    const PrecisionGoals& goals);
/// Whether the measure has an estimate above zero of which warn_of_weights() would say nothing.
/// @param place  of the measure in `outcome`
bool weights_trusted(const AnalysisModel& model, const RunOutcome& outcome, const MeasureSpec& spec, std::size_t place);

}  // namespace ergode
