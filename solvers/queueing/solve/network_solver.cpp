#include "solvers/queueing/solve/network_solver.h"

#include <algorithm>

#include "solvers/model/provenance.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {

Diagnostics NetworkSolver::fits(const Question& question) const {
  Diagnostics problems;
  const auto model = model_of(question, problems);
  if (model == nullptr) return problems;
  Diagnostics found;
  const NetworkModel* networks = networks_of(*model, spec().name, found);
  if (networks == nullptr) return found;
  look(*networks, question.request(), found);
  return found;
}

// All at once: whoever mends one wants to know of the others. But of nodes that nobody knows nothing more is said.
void NetworkSolver::look(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const {
  if (!refuse_unknown(networks, known(), found)) reasons(networks, request, found);
}

ResultSet NetworkSolver::solve(const Question& question, RunControl& control) const {
  ResultSet out;
  const auto model = model_of(question, out.diagnostics);
  out.provenance = provenance_of(question, model.get(), spec().name);
  out.stop_reason = "exact";
  const auto failed = [&out](std::string why) {
    out.status = RunStatus::failed;
    out.stop_reason = std::move(why);
    return out;
  };
  if (model == nullptr) return failed("The model has errors.");
  Diagnostics found;
  const NetworkModel* networks = networks_of(*model, spec().name, found);
  if (networks != nullptr && !has_errors(found)) look(*networks, question.request(), found);
  if (has_errors(found)) {
    out.diagnostics.insert(out.diagnostics.end(), found.begin(), found.end());
    return failed(spec().label + " does not fit the model: " + found.front().message);
  }
  Limits limits = control.limits;
  if (const auto wall_s = question.request().wall_time_s)
    limits.time_s = std::min(limits.time_s.value_or(*wall_s), *wall_s);
  if (!limits.time_s && !limits.operations) limits.operations = most_operations();
  const Budget budget(control.stop.get_token(), limits);
  ExactAnswers answers(out, spec().name, spec().label);
  std::optional<Diagnostic> problem;
  try {
    problem = answer({*model, *networks, question.request(), budget, answers, out});
  } catch (const OverBudget& cost) {
    if (control.stop.stop_requested()) return failed("cancelled");
    problem = cost.diagnostic;
  }
  if (!problem) return out;
  out.diagnostics.push_back(*problem);
  return failed(problem->message);
}

}  // namespace ergode
