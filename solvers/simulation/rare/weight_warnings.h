#pragma once
#include <span>

#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// RUN023, a warning: what would make the interval of a weighted measure too narrow. It looks at what was seen and at
/// what was not:
/// * the weights degenerate (weights_sound());
/// * the two halves of the run lie further apart than 3.5 standard errors allow;
/// * branches that were never taken have an expected mass of more than a tenth of the estimate: whatever lies behind
///   them is missing.
/// @param specs   of the measures in `outcome`, in order
/// @param out     results of the run: warnings are added
void warn_of_weights(const AnalysisModel& model, const RunOutcome& outcome, std::span<const MeasureSpec> specs,
                     Diagnostics& out);
/// Whether warn_of_weights() would say anything of one measure.
bool weights_trusted(const AnalysisModel& model, const RunOutcome& outcome, const MeasureSpec& spec, std::size_t place);

}  // namespace ergode
