#pragma once
#include <memory>

#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Answers means, rates, quantiles of streams and regenerative means by one history that goes on beyond the mission
/// time until every measure that is waited for (precision_goals(), of those that it answers) has the relative precision
/// that is wanted of it, at the request's confidence: `--output-analysis batch-means`. One thread, so the same bits on
/// any machine; memory does not grow with the length.
///
/// The run is at least one mission long, and ends there where no precision is asked for; it is at most `longest`
/// missions long. It ends by SequentialPrecision, when both ends of every interval are near enough (relative_reach()),
/// its batches seem independent and its warm-up was found; the intervals of a run that waits for a precision are no
/// narrower than the look before lets expect (WidthBefore). Law and Kelton, Confidence intervals for steady-state
/// simulations II, Management Science 28(5), 1982 (sequential procedures, and how those that look often and at half
/// the width fail).
///
/// Results: the measures with `warm_up`, quantiles and their intervals for streams, distributions with a band,
/// convergence over the length of the run, and a table `long_run` with means, variances, quantiles and batches. RUN039
/// (warning): no warm-up was found, or batches depend on each other still.
/// @param out  brings the provenance and what the model's check found
ResultSet solve_one_long_run(const AnalysisModel& model, const RunRequest& request, RunControl& control, ResultSet out);

}  // namespace ergode
