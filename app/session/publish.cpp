#include "app/session/publish.h"

#include "app/session/check.h"
#include "app/session/company.h"
#include "core/report/report_html.h"
#include "solvers/model/analysis_model.h"
#include "solvers/reliability/ccf_report.h"

namespace ergode {

std::string make_report(const Document* document, const std::vector<ResultSet>& results, const std::string& folder) {
  ReportInput input;
  input.document = document;
  for (const ResultSet& set : results)
    if (input.results.empty() || !is_long_run(set)) input.results.push_back(set);
  if (document != nullptr && !results.empty()) {
    RunRequest request;
    request.scenario = results.front().provenance.scenario;
    request.overrides = results.front().provenance.overrides;
    request.folder = folder;
    input.diagnostics = check_model(*document, request);
    Diagnostics ignored;
    if (const auto model = build_model(*document, request, folder, ignored))
      input.ccf_groups = ccf_report_sections(*document, *model);
  }
  return report_html(input);
}

}  // namespace ergode
