#pragma once
#include <memory>

#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Why the method for rare events that the request names cannot answer the model (RUN020 options, RUN021 nothing to
/// work on), and a warning RUN022 for each measure that it leaves out: only probabilities at and by a time are
/// weighted. "auto" can answer every model. Appended to `problems`. What is not splitting or auto is looked at as
/// failure biasing: ask only where a method was chosen.
void rare_event_problems(const AnalysisModel& model, const RunRequest& request, Diagnostics& problems);

/// Answers those measures by failure biasing or splitting, as the request's option variance-reduction says, which must
/// be one of the two. `out` brings the provenance and what the model's check found. With a problem of
/// rare_event_problems() that is an error, or where the pilot run of splitting met a model failure, nothing is run and
/// the status is failed. Levels that the pilot run found are written into the provenance. Splitting makes 100
/// repetitions where the request limits nothing, and asks for its precision after 20.
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
