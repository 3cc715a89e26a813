#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "statecharts/exchange/scxml_writer.h"

namespace ergode {

/// A model read from a file of another program.
struct ImportedModel {
  std::optional<Document> document;
  Diagnostics diagnostics;
  bool complete = false;  ///< it may be run: nothing that changes what it does was left out
};

/// Whether the file's name says that it is to be imported rather than opened: `.scxml`, or a fault tree in the Galileo
/// format, `.dft`, or in JSON, `.json` (solvers/reliability/galileo/galileo.h).
bool is_foreign(const std::string& path);
/// One chart that runs on events given from outside, rather than a model with measures: `.scxml`.
bool is_chart_document(const std::string& path);
ImportedModel import_model(const std::string& path);

/// Formats a chart can be written in, for --format: "scxml", "boost-statechart".
const std::vector<std::string>& chart_formats();
/// Writes a chart. @param chart  name of a statechart diagram; empty: the only one, else the diagnostics list them.
ExportedText export_chart(const Document& document, const std::string& chart, const std::string& format);

}  // namespace ergode
