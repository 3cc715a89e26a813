#pragma once
#include <memory>

#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Why the method for rare events that the request names cannot answer the model (RUN020 options, RUN021 nothing to
/// work on), and a warning RUN022 for each measure that it leaves out: only probabilities at and by a time are
/// weighted.
void rare_event_problems(const AnalysisModel& model, const RunRequest& request, Diagnostics& problems);

/// Answers those measures by failure biasing or splitting. `out` brings the provenance and what the model's check
/// found.
///
/// Every answer carries Student's t interval over independent weighted observations and its number of effective
/// samples. Warnings:
/// * RUN023, the weights degenerate: fewer than 100 effective samples, or one observation is more than a tenth of the
///   sum (20 and a quarter for the repetitions of splitting, each a mean of its own). The interval rests on the central
///   limit theorem, and a few great weights make both estimate and variance too small most of the time.
/// * RUN024: the mean weight is more than five standard errors from one.
/// * RUN025: the pilot run of splitting did not reach the event.
ResultSet solve_rare_events(const std::shared_ptr<const AnalysisModel>& model, const RunRequest& request,
                            RunControl& control, ResultSet out);

}  // namespace ergode
