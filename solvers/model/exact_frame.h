#pragma once
#include <functional>
#include <string>

#include "core/results/result_set.h"
#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What an exact solver does around its method, whatever that is: the model of the question is built, the results say
/// who made them from what (provenance_of()), and what prevents an answer fails them with its reasons.
///
///     return solve_exactly(*this, question, "The closed form", look, [&](const AnalysisModel& model, ResultSet& out) {
///       ExactAnswers answers(out, spec().name, "The closed form");
///       ...
///       return std::string();
///     });
///
/// @param called  the solver in sentences: "The closed form"
/// @param look    appends why the solver does not fit the model: what Solver::fits() says of it. Warnings are kept too.
/// @param answer  is asked when there was no error: adds measures and tables to the results, of which everything else
///                is filled in. @returns why it failed, or was stopped ("cancelled"); empty: it did not.
/// @returns  complete results, whose stop_reason is "exact" unless `answer` wrote another; or failed ones. What `look`
///           or `answer` throw goes through.
ResultSet solve_exactly(const Solver& solver, const Question& question, const std::string& called,
                        const std::function<void(const AnalysisModel& model, Diagnostics& reasons)>& look,
                        const std::function<std::string(const AnalysisModel& model, ResultSet& out)>& answer);

/// Solver::fits() of such a solver: what is wrong with the model, else what `look` says.
Diagnostics fits_exactly(const Question& question,
                         const std::function<void(const AnalysisModel& model, Diagnostics& reasons)>& look);

}  // namespace ergode
