#pragma once
#include <string>

#include "core/results/result_set.h"
#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Who is about to make numbers, from what and how: everything except what `made` holds, which the run fills in.
/// @param model  null when the model has errors.
Provenance provenance_of(const Question& question, const AnalysisModel* model, const std::string& solver);

}  // namespace ergode
