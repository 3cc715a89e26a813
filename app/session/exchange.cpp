#include "app/session/exchange.h"

#include "core/base/text.h"
#include "statecharts/exchange/boost_statechart_writer.h"

namespace ergode {

const std::vector<std::string>& chart_formats() {
  static const std::vector<std::string> formats = {"scxml", "boost-statechart"};
  return formats;
}

ExportedText export_chart(const Document& document, const std::string& chart, const std::string& format) {
  ExportedText out;
  std::vector<const Element*> charts;
  std::vector<std::string> names;
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != "statechart") continue;
    names.push_back(diagram->name());
    if (chart.empty() || diagram->name() == chart) charts.push_back(diagram);
  }
  if (charts.size() == 1)
    return format == "scxml" ? write_scxml(document, *charts.front())
                             : write_boost_statechart(document, *charts.front());
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
