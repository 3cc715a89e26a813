#include "app/session/exchange.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/text.h"
#include "solvers/reliability/galileo/galileo.h"
#include "statecharts/exchange/boost_statechart_writer.h"
#include "statecharts/exchange/scxml_reader.h"

namespace ergode {

namespace {

std::string extension(const std::string& path) { return std::filesystem::path(path).extension().string(); }

ImportedModel import_tree(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad())
    return {std::nullopt, {{.code = "FMT001", .message = "The file " + path + " cannot be read."}}, false};
  const auto import = extension(path) == ".json" ? import_tree_json : import_galileo;
  ReadOutcome read = import(text, std::filesystem::path(path).stem().string());
  const bool complete = read.document.has_value();
  return {std::move(read.document), std::move(read.diagnostics), complete};
}

}  // namespace

bool is_foreign(const std::string& path) {
  return is_chart_document(path) || extension(path) == ".dft" || extension(path) == ".json";
}
bool is_chart_document(const std::string& path) { return extension(path) == ".scxml"; }

ImportedModel import_model(const std::string& path) {
  if (!is_chart_document(path)) return import_tree(path);
  ScxmlImport read = read_scxml(path);
  return {std::move(read.document), std::move(read.diagnostics), read.complete};
}

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
