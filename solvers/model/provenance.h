#pragma once
#include <string>

#include "core/results/result_set.h"
#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Who is about to make numbers, from what and how: everything except what `made` holds, which the run fills in. Hashes
/// of the document and of data files, seed, generator, scenario, overrides, parameter values, options as they stand,
/// and a shell command that asks for the same again. Threads are left out, because no number depends on them.
/// @param model   of the question; null when it has errors: then there are no parameter values and files.
/// @param solver  its name in the registry; of one that is not there only common options are recorded
Provenance provenance_of(const Question& question, const AnalysisModel* model, const std::string& solver);

}  // namespace ergode
