#pragma once
#include "core/document/document.h"
#include "core/report/report_section.h"

namespace ergode {

struct RunRequest;

/// What a common-cause group expands into, with the values that a run asked for like this would have and from the
/// functions that the report uses: by number of members that fail together, and by combination; where members in
/// different states have different rates, one column for each. Without members, or with mistakes, one sentence says so.
/// At most 64 combinations are listed; rates are per hour. Lowers the model as it is: cost as lower_group().
/// @param group  a common-cause group of the document; of anything else the section has its heading alone
ReportSection ccf_preview(const Document& document, ElementId group, const RunRequest& request);

}  // namespace ergode
