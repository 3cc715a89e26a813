#include "app/session/publish.h"

#include "app/session/check.h"
#include "app/session/company.h"
#include "core/report/report_html.h"
#include "solvers/model/analysis_model.h"
#include "solvers/reliability/ccf_report.h"

namespace ergode {

std::string make_report(const Document* document, const ResultSet& run, const FileAccess& files) {
  ReportInput input;
  input.document = document;
  input.results = with_company(run);
  if (document != nullptr) {
    RunRequest request;
    request.scenario = run.provenance.scenario;
    request.overrides = run.provenance.overrides;
    request.folder = files.folder, request.allowed_folders = files.allowed;
    input.diagnostics = check_model(*document, request);
    Diagnostics ignored;
    if (const auto model = build_model(*document, request, request.folder, ignored))
      input.ccf_groups = ccf_report_sections(*document, *model);
  }
  return report_html(input);
}

}  // namespace ergode
