#include "solvers/queueing/solve/network_solver.h"

#include <algorithm>

#include "solvers/model/exact_frame.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {

Diagnostics NetworkSolver::fits(const Question& question) const {
  return fits_exactly(question,
                      [&](const AnalysisModel& model, Diagnostics& found) { look(model, question.request(), found); });
}

// All at once: whoever mends one wants to know of the others. But of nodes that nobody knows nothing more is said.
const NetworkModel* NetworkSolver::look(const AnalysisModel& model, const RunRequest& request,
                                        Diagnostics& found) const {
  const NetworkModel* networks = networks_of(model, spec().name, found);
  if (networks == nullptr) return nullptr;
  if (!refuse_unknown(*networks, known(), found)) reasons(*networks, request, found);
  return networks;
}

ResultSet NetworkSolver::solve(const Question& question, RunControl& control) const {
  const RunRequest& request = question.request();
  const NetworkModel* networks = nullptr;
  const auto look_at = [&](const AnalysisModel& model, Diagnostics& found) { networks = look(model, request, found); };
  return solve_exactly(*this, question, spec().label, look_at, [&](const AnalysisModel& model, ResultSet& out) {
    Limits limits = control.limits;
    if (request.wall_time_s)
      limits.time_s = std::min(limits.time_s.value_or(*request.wall_time_s), *request.wall_time_s);
    if (!limits.time_s && !limits.operations) limits.operations = most_operations();
    const Budget budget(control.stop.get_token(), limits);
    ExactAnswers answers(out, spec().name, spec().label);
    std::optional<Diagnostic> problem;
    try {
      problem = answer({model, *networks, request, budget, answers, out});
    } catch (const OverBudget& cost) {
      if (control.stop.stop_requested()) return std::string("cancelled");
      problem = cost.diagnostic;
    }
    if (!problem) return std::string();
    out.diagnostics.push_back(*problem);
    return problem->message;
  });
}

}  // namespace ergode
