#include "app/session/publish.h"

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/company.h"
#include "core/document/property_path.h"
#include "core/report/report_html.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

std::string make_report(const Question& question, const ResultSet& run) {
  ReportInput input;
  input.catalogue = &catalogue();
  // What was set for this run is what its inputs are, in every table and picture.
  Diagnostics known;
  const Document as_run = with_properties(question.document(), question.request().overrides, known);
  input.document = &as_run;
  input.results = with_company(run);
  input.diagnostics = check_model(question);
  Diagnostics ignored;
  if (const auto model = model_of(question, ignored)) input.data = report_data(*model, question.document());
  return report_html(input);
}

std::string make_report(const Document* document, const ResultSet& run, const FileAccess& files) {
  if (document == nullptr) return report_html({.results = with_company(run)});
  RunRequest request;
  request.scenario = run.provenance.scenario;
  request.overrides = run.provenance.overrides;
  request.folder = files.folder, request.allowed_folders = files.allowed;
  return make_report(Question::of(*document, request), run);
}

}  // namespace ergode
