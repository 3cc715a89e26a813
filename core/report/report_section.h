#pragma once
#include <string>
#include <vector>

#include "core/base/element_id.h"

namespace ergode {

/// A table of text; the first row of the page is `columns`, and rows may be shorter. Columns of what looks like numbers
/// are set to the right. Plain text: escaped where it is written.
struct ReportTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string note;  ///< Below the table; may be empty.
};

/// A part of a report written by a room that core does not see: what an element comes to in a run.
/// Paragraphs stand before tables.
struct ReportSection {
  std::string heading;
  std::vector<std::string> paragraphs;
  std::vector<ReportTable> tables;
};

/// What a run says of one element among the data of the model: shown under the heading of its kind
/// (KindSpec::report_data).
struct DataSection {
  ElementId element;
  ReportSection section;
};

}  // namespace ergode
