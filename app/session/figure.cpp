#include "app/session/figure.h"

#include <algorithm>
#include <filesystem>

#include "app/session/catalogue.h"
#include "app/session/company.h"
#include "core/base/text.h"
#include "core/drawing/diagram_picture.h"
#include "core/drawing/pdf.h"
#include "core/drawing/svg.h"
#include "core/format/hash.h"
#include "core/report/report_figures.h"

namespace ergode {
namespace {

std::string written(const Picture& picture, const std::string& format, const SvgOptions& options) {
  if (format != "pdf") return to_svg(picture, Theme::print(), options);
  return to_pdf(picture, Theme::print(),
                {.title = options.title,
                 .subject = options.description,
                 .provenance = options.provenance,
                 .transparent = options.transparent});
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

}  // namespace

const std::vector<std::string>& figure_formats() {
  static const std::vector<std::string> formats = {"svg", "pdf"};
  return formats;
}

std::optional<std::string> figure_format(const std::string& path, Diagnostics& problems,
                                         const std::vector<std::string>& more) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::vector<std::string> formats = figure_formats();
  formats.insert(formats.end(), more.begin(), more.end());
  for (const std::string& format : formats)
    if (extension == "." + format) return format;
  Diagnostic problem{
      .code = "RES011",
      .pointer = path,
      .message = (extension.empty() ? "The file has no extension" : "\"" + extension + "\" is no format") +
                 std::string(" that figures are written in; wanted ") + listed(formats) + ".",
      .hint = "The extension of the file says the format."};
  if (extension == ".png") {
    problem.message = "PNG is not written without the desktop's drawing library; wanted " + listed(formats) + ".";
    problem.hint = "The workbench exports PNG; SVG and PDF are sharp at any size.";
  }
  problems.push_back(std::move(problem));
  return std::nullopt;
}

std::optional<std::string> make_diagram(const Document& document, ElementId diagram, const std::string& format,
                                        bool transparent, const DrawOptions& drawn) {
  const Element* element = document.find(diagram);
  if (element == nullptr || element->section != Section::diagram) return std::nullopt;
  SvgOptions options;
  const std::string name = document.model().name();
  options.title = name.empty() ? element->name() : name + ": " + element->name();
  options.description = element->text("description");
  options.transparent = transparent;
  options.provenance = {{"program", std::string("Ergode ") + ERGODE_VERSION},
                        {"model", document.model().name()},
                        {"diagram", element->name()},
                        {"semantic_hash", semantic_hash(document)},
                        {"file_hash", file_hash(document)}};
  return written(draw_diagram(document, diagram, catalogue(), drawn), format, options);
}

std::optional<std::string> make_plot(const ResultSet& run, const std::string& measure, const std::string& kind,
                                     const std::string& format, Diagnostics& problems) {
  const std::vector<ResultSet> all = with_company(run);
  const MeasureResult* m = run.measure(measure);
  const std::string header = m != nullptr && !m->label.empty() ? m->label : measure;
  std::optional<Picture> picture;
  std::string shown = kind;
  for (const char* each : {"curve", "distribution", "convergence"})
    if (!picture && (kind.empty() || kind == each)) picture = series_figure(all, measure, shown = each, header);
  if (!picture) {
    std::vector<std::string> there;
    for (const Series& s : run.series) {
      const std::string name = s.measure + " (" + s.kind + ")";
      if (std::find(there.begin(), there.end(), name) == there.end()) there.push_back(name);
    }
    problems.push_back({.code = "RES012",
                        .pointer = "plot",
                        .message = "The run has no " + (kind.empty() ? std::string() : kind + " ") + "plot of \"" +
                                   measure + "\"; it has: " + (there.empty() ? "none" : listed(there)) + "."});
    return std::nullopt;
  }
  const Provenance& p = run.provenance;
  SvgOptions options;
  options.title = p.model_name + ": " + header + ", " + shown;
  options.provenance = {{"program", "Ergode " + p.version},
                        {"model", p.model_name},
                        {"semantic_hash", p.semantic_hash},
                        {"solver", p.solver},
                        {"scenario", p.scenario},
                        {"seed", std::to_string(p.seed)},
                        {"run", p.run_id},
                        {"measure", measure}};
  return written(*picture, format, options);
}

}  // namespace ergode
