#pragma once
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/results/result_set.h"
#include "core/study/solver.h"

namespace ergode {

/// The HTML report of a run; `results.front()` is reported, exact results among the others are set beside it, but
/// for those of the long run.
/// The document must be the one that was run (same semantic hash); null when it is not at hand.
std::string make_report(const Document* document, const std::vector<ResultSet>& results,
                        const std::string& folder = {});

}  // namespace ergode
