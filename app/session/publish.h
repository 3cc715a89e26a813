#pragma once
#include <string>

#include "core/base/file_access.h"
#include "core/document/document.h"
#include "core/results/result_set.h"
#include "core/study/solver.h"

namespace ergode {

/// The HTML report of a run; exact results of its company are set beside it, but for those of the long run. Checks the
/// model and compiles it once more where the question has not.
/// @param question  the one that was answered: its model the one that was run (same semantic hash), which is not
///     checked.
std::string make_report(const Question& question, const ResultSet& run);
/// The same for a run from a store. @param document  null when it is not at hand. @param files  what it may name.
std::string make_report(const Document* document, const ResultSet& run, const FileAccess& files = {});

}  // namespace ergode
