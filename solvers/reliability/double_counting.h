#pragma once
#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "solvers/reliability/ccf_group.h"

namespace ergode {

class ModelCompiler;

/// Finds failures that a beta, Greek-letter or alpha group and its members' chart both cause.
///
/// CCF026: the group drives independent failures, and where it can strike, the chart fails by a rate (probability) of
/// its own. A warning when that is the group's total or its independent part, within 1e-6: then it is counted twice;
/// else a remark, because it may be another failure. CCF027: the chart draws the independent failures, but not those
/// that the group's parameters imply. Warnings carry quick fixes: let the group carry the failure (its edges go), or
/// take the independent part (the chart keeps it, the group drives shared failures only). Each is offered only when it
/// keeps everything else as it is. Of several exposures the first with something to say is reported. Binomial groups
/// are passed over: what the chart draws beside them is theirs to draw.
///
/// @param group     of this document, with its exposures
/// @param compiler  in which it was lowered; asked what names mean inside the members' charts
/// @param problems  are appended
void find_double_counting(const Document& document, const CcfGroup& group, ModelCompiler& compiler,
                          Diagnostics& problems);

}  // namespace ergode
