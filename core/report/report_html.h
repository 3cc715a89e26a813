#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/report/report_section.h"
#include "core/results/result_set.h"

namespace ergode {

class Catalogue;

/// What a report is made of. Pointers must live while it is made.
struct ReportInput {
  /// The model as it was run; null: the report says that model, parameters and assumptions are not available.
  const Document* document = nullptr;
  /// The first is reported; exact results of the others (closed forms) are set beside it, measure by measure.
  std::vector<ResultSet> results;
  /// What the run says of elements that are told of among the data, in the order in which it is shown.
  std::vector<DataSection> data;
  /// What checking the model found; warnings of the results are added.
  Diagnostics diagnostics;
  /// Says how the model's diagrams are drawn, and which of their edges are listed; null: as unknown kinds, and none.
  const Catalogue* catalogue = nullptr;
};

/// The report of a run as one self-contained HTML 5 file: no scripts, no network, print theme whatever the screen
/// shows. Sections: summary, scope and assumptions, model, data, quantification, results, verification, diagnostics,
/// provenance. What is missing is said to be missing. Tables of the run have 200 rows at most, and say so. The same
/// input gives the same bytes. O(elements and points of series), and the routing of every diagram
/// (orthogonal_router.h), which is most of it.
std::string report_html(const ReportInput& input);

/// RES011 where the name of a file promises another format than HTML; a name without an extension promises none.
std::optional<Diagnostic> refuse_report_name(const std::string& path);

}  // namespace ergode
