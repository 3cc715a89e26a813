#pragma once
#include <string>
#include <vector>

#include "core/document/document.h"
#include "statecharts/exchange/scxml_writer.h"

namespace ergode {

/// Formats a chart can be written in, for --format: "scxml", "boost-statechart".
const std::vector<std::string>& chart_formats();
/// Writes a chart of a model whose parts that go into it have no errors; otherwise these are the diagnostics, and there
/// is no text. DOC005: no such chart, or several and none was named.
/// @param chart   name of a statechart diagram; empty: the only one, else the diagnostics list them.
/// @param format  one of chart_formats().
ExportedText export_chart(const Document& document, const std::string& chart, const std::string& format);

}  // namespace ergode
