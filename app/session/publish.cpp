#include "app/session/publish.h"

#include "app/session/check.h"
#include "app/session/company.h"
#include "core/drawing/diagram_picture.h"
#include "core/drawing/svg.h"
#include "core/format/hash.h"
#include "core/report/report_html.h"
#include "solvers/model/analysis_model.h"
#include "solvers/reliability/ccf_report.h"

namespace ergode {

std::string make_report(const Document* document, const ResultSet& run, const std::string& folder) {
  ReportInput input;
  input.document = document;
  input.results.push_back(run);
  for (const auto& beside : run.company) {
    input.results.push_back(*beside);
    input.results.back().long_run = is_long_run(*beside);
  }
  if (document != nullptr) {
    RunRequest request;
    request.scenario = run.provenance.scenario;
    request.overrides = run.provenance.overrides;
    request.folder = folder;
    input.diagnostics = check_model(*document, request);
    Diagnostics ignored;
    if (const auto model = build_model(*document, request, folder, ignored))
      input.ccf_groups = ccf_report_sections(*document, *model);
  }
  return report_html(input);
}

std::optional<std::string> make_diagram_svg(const Document& document, ElementId diagram, bool transparent) {
  const Element* element = document.find(diagram);
  if (element == nullptr || element->section != Section::diagram) return std::nullopt;
  SvgOptions options;
  options.title = document.model().name() + ": " + element->name();
  options.description = element->text("description");
  options.transparent = transparent;
  options.provenance = {{"program", std::string("Ergode ") + ERGODE_VERSION},
                        {"model", document.model().name()},
                        {"diagram", element->name()},
                        {"semantic_hash", semantic_hash(document)},
                        {"file_hash", file_hash(document)}};
  return to_svg(draw_diagram(document, diagram), Theme::print(), options);
}

}  // namespace ergode
