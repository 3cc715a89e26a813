#pragma once
#include <memory>

#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Why the method for rare events that the request names cannot answer the model (RUN020 options, RUN021 nothing to
/// work on), and a warning RUN022 for each measure that it leaves out: only probabilities at and by a time are
/// weighted. "auto" can answer every model.
void rare_event_problems(const AnalysisModel& model, const RunRequest& request, Diagnostics& problems);

/// Answers those measures by failure biasing or splitting. `out` brings the provenance and what the model's check
/// found.
///
/// Every answer carries the interval of a mean of independent weighted observations and its number of effective
/// samples. Warnings:
/// * RUN023, the interval may be too narrow (warn_of_weights()). A run that waits for a precision goes on while the
///   weights are not sound.
/// * RUN024: the mean weight is more than five standard errors from one.
/// * RUN025: the pilot run of splitting did not reach the event.
ResultSet solve_rare_events(const std::shared_ptr<const AnalysisModel>& model, const RunRequest& request,
                            RunControl& control, ResultSet out);

}  // namespace ergode
