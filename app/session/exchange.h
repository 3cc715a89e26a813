#pragma once
#include <string>
#include <vector>

#include "core/document/document.h"
#include "statecharts/exchange/scxml_writer.h"

namespace ergode {

/// Formats a chart can be written in, for --format: "scxml", "boost-statechart".
const std::vector<std::string>& chart_formats();
/// Writes a chart. @param chart  name of a statechart diagram; empty: the only one, else the diagnostics list them.
ExportedText export_chart(const Document& document, const std::string& chart, const std::string& format);

}  // namespace ergode
