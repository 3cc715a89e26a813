#pragma once
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/report/report_section.h"

namespace ergode {

struct RunRequest;

/// The ways from a node with their probabilities and sums, as a run asked for like this would have them
/// (KindSpec::preview). Empty where there is nothing to choose.
ReportSection ways_preview(const Document& document, ElementId node, const RunRequest& request);

/// Mends QN003: divides the probabilities of the ways from a node by their sum (NotationSpec::fixes).
std::vector<QuickFix> network_fixes(const Document& document, const Diagnostic& problem);

}  // namespace ergode
