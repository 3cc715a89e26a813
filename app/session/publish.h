#pragma once
#include <string>

#include "core/base/file_access.h"
#include "core/document/document.h"
#include "core/results/result_set.h"
#include "core/study/solver.h"

namespace ergode {

/// The HTML report of a run; exact results of its company are set beside it, but for those of the long run.
/// The document must be the one that was run (same semantic hash); null when it is not at hand.
/// @param files  what the document may name.
std::string make_report(const Document* document, const ResultSet& run, const FileAccess& files = {});

}  // namespace ergode
