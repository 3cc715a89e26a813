#pragma once
#include "core/base/diagnostic.h"
#include "core/study/precision_goals.h"
#include "core/study/run_request.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What one long run waits for, by measure of the model; 0 where it answers none.
PrecisionGoals long_run_goals(const AnalysisModel& model, const RunRequest& request);
/// What the request wants of measures that one long run cannot answer, by measure of the model; else 0. No run reaches
/// it, so none waits for it, and none is said to have reached all that was wanted of it.
PrecisionGoals long_run_never_reaches(const AnalysisModel& model, const RunRequest& request);

/// RUN038: measures that one long run cannot answer, each a warning that says whether a precision was wanted of it, and
/// an error where it can answer none of them.
/// RUN020 where it is to go together with a method for rare events. RUN047 (warning): an option of the request that
/// does nothing in such a run. What parts doubt of it. Appended.
void long_run_problems(const AnalysisModel& model, const RunRequest& request, Diagnostics& problems);

}  // namespace ergode
