#include "solvers/model/exact_frame.h"

#include <algorithm>

#include "solvers/model/provenance.h"

namespace ergode {

ResultSet solve_exactly(const Solver& solver, const Question& question, const std::string& called,
                        const std::function<void(const AnalysisModel& model, Diagnostics& reasons)>& look,
                        const std::function<std::string(const AnalysisModel& model, ResultSet& out)>& answer) {
  ResultSet out;
  const auto model = model_of(question, out.diagnostics);
  out.provenance = provenance_of(question, model.get(), solver.spec().name);
  out.stop_reason = "exact";
  const auto failed = [&out](std::string why) {
    out.status = RunStatus::failed;
    out.stop_reason = std::move(why);
    return std::move(out);
  };
  if (model == nullptr) return failed("The model has errors.");
  Diagnostics reasons;
  look(*model, reasons);
  out.diagnostics.insert(out.diagnostics.end(), reasons.begin(), reasons.end());
  const auto error = std::find_if(reasons.begin(), reasons.end(),
                                  [](const Diagnostic& one) { return one.severity == Severity::error; });
  if (error != reasons.end()) return failed(called + " does not fit the model: " + error->message);
  if (std::string why = answer(*model, out); !why.empty()) return failed(std::move(why));
  return out;
}

Diagnostics fits_exactly(const Question& question,
                         const std::function<void(const AnalysisModel& model, Diagnostics& reasons)>& look) {
  Diagnostics problems, reasons;
  const auto model = model_of(question, problems);
  if (model == nullptr) return problems;
  look(*model, reasons);
  return reasons;
}

}  // namespace ergode
