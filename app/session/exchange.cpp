#include "app/session/exchange.h"

#include "app/session/check.h"
#include "core/base/text.h"
#include "statecharts/exchange/boost_statechart_writer.h"

namespace ergode {
namespace {

/// A chart that does not say what it means must not become a program that seems to. Parameters are part of what is
/// written; components and measures are not.
Diagnostics errors_in(const Document& document, const Element& diagram) {
  Diagnostics out;
  for (Diagnostic& d : check_model(document)) {
    const Element* element = document.find(d.element);
    const bool written = element != nullptr && (element->id == diagram.id || element->diagram == diagram.id ||
                                                element->section == Section::parameter);
    if (d.severity == Severity::error && written) out.push_back(std::move(d));
  }
  return out;
}

}  // namespace

const std::vector<std::string>& chart_formats() {
  static const std::vector<std::string> formats = {"scxml", "boost-statechart"};
  return formats;
}

ExportedText export_chart(const Document& document, const std::string& chart, const std::string& format) {
  ExportedText out;
  std::vector<const Element*> charts;
  std::vector<std::string> names;
  for (const Element* diagram : statechart_diagrams(document)) {
    names.push_back(diagram->name());
    if (chart.empty() || diagram->name() == chart) charts.push_back(diagram);
  }
  if (charts.size() == 1) {
    out.diagnostics = errors_in(document, *charts.front());
    if (!out.diagnostics.empty()) return out;
    return format == "scxml" ? write_scxml(document, *charts.front())
                             : write_boost_statechart(document, *charts.front());
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  const std::string near = nearest_word(chart, names);
  out.diagnostics.push_back({.code = "DOC005",
                             .message = charts.empty()
                                            ? "The model has no statechart \"" + chart + "\"; it has: " + all + "."
                                            : "The model has several statecharts: " + all + "; wanted the name of one.",
                             .hint = near.empty() ? std::string() : "Did you mean " + near + "?"});
  return out;
}

}  // namespace ergode
