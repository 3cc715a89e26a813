#include "solvers/simulation/solve/simulation_solver.h"

#include "core/base/text.h"
#include "core/study/result_builder.h"
#include "core/study/runner.h"
#include "solvers/model/provenance.h"
#include "solvers/simulation/known_means.h"
#include "solvers/simulation/long_run/long_run_question.h"
#include "solvers/simulation/long_run/one_long_run.h"
#include "solvers/simulation/rare/pilot.h"
#include "solvers/simulation/rare/rare_events.h"
#include "solvers/simulation/simulation.h"
#include "solvers/simulation/simulation_options.h"

namespace ergode {

const SolverSpec& SimulationSolver::spec() const {
  static const SolverSpec spec{
      .name = "simulation",
      .label = "Monte Carlo simulation",
      .description = "Independent replications of the drawn model; every estimate with its confidence interval.",
      .reference = "Law, Simulation Modeling and Analysis, 5th edition, 2015"};
  return spec;
}

std::vector<RunOption> SimulationSolver::options() const { return simulation_options().options(); }

Diagnostics SimulationSolver::fits(const Question& question) const {
  const RunRequest& request = question.request();
  Diagnostics problems;
  const auto model = model_of(question, problems);
  if (model != nullptr) {
    const Diagnostics unknown = unknown_precisions(*model, request);
    problems.insert(problems.end(), unknown.begin(), unknown.end());
  }
  if (model != nullptr && simulation_options().read(request).output_analysis != "replications")
    long_run_problems(*model, request, problems);
  else if (model != nullptr && simulation_options().read(request).variance_reduction != "none")
    rare_event_problems(*model, request, problems);
  return problems;
}

namespace {

/// Some parts tell in a table what happened in the first history, which a run that goes on has not made: it is made
/// once more, to the same bits, and counts for nothing.
void tell_parts_of_the_first(const SimulationSource& source, const AnalysisModel& model, const RunControl& control) {
  if (model.others.empty()) return;
  std::atomic<bool> give_up{false};
  const std::stop_callback stopped(control.stop.get_token(), [&give_up] { give_up = true; });
  Tallies nobodys(source.measures(), source.sums());
  source.make_worker()->run(0, nobodys, give_up);
}

}  // namespace

ResultSet SimulationSolver::solve(const Question& question, RunControl& control) const {
  const RunRequest& request = question.request();
  ResultSet out;
  const auto model = model_of(question, out.diagnostics);
  out.provenance = provenance_of(question, model.get(), spec().name);
  if (model == nullptr) {
    out.status = RunStatus::failed;
    out.stop_reason = "The model has errors.";
    return out;
  }
  if (const Diagnostics unknown = unknown_precisions(*model, request); !unknown.empty()) {
    out.diagnostics.insert(out.diagnostics.end(), unknown.begin(), unknown.end());
    out.status = RunStatus::failed, out.stop_reason = "A precision names no measure.";
    return out;
  }
  if (simulation_options().read(request).output_analysis != "replications") {
    Diagnostics problems;
    long_run_problems(*model, request, problems);
    out.diagnostics.insert(out.diagnostics.end(), problems.begin(), problems.end());
    if (!has_errors(problems)) return solve_one_long_run(*model, request, control, std::move(out));
    out.status = RunStatus::failed, out.stop_reason = "One long run has no answer.";
    return out;
  }
  std::string method = simulation_options().read(request).variance_reduction;
  if (method == "auto") {
    MethodChoice choice = choose_method(model, request, control);
    method = choice.method;
    out.provenance.options["variance_reduction_taken"] = method;
    out.diagnostics.push_back({.severity = Severity::info,
                               .code = "RUN027",
                               .pointer = "variance_reduction",
                               .message = "The simulation takes " +
                                          (method == "none" ? "no method for rare events" : method) + ": " +
                                          choice.reason + "."});
  }
  if (method != "none") {
    RunRequest taken = request;
    taken.options["variance-reduction"] = method;
    return solve_rare_events(model, taken, control, std::move(out));
  }
  const SimulationSource source(model, request.seed.value_or(model->seed));
  const StoppingRule rule = stopping_rule(request, source.measures(), model->replications);
  const auto summarised = [&](const RunOutcome& outcome, ResultSet& into) {
    summarise(outcome, source.measures(), request.confidence, spec().name, into);
    summarise_precision(outcome, source.measures(), rule, true, spec().name, into);
    source.unfinished().warn(outcome.tallies.sums, outcome.tallies.replications, into.diagnostics);
  };
  const auto results = [&](const RunOutcome& outcome) {
    ResultSet partial;
    partial.provenance = out.provenance;
    summarised(outcome, partial);
    return partial;
  };
  const RunOutcome outcome = run_replications(source, rule, request.threads, control, results);
  summarised(outcome, out);
  if (outcome.tallies.replications > 0 && !control.resume_from.empty())
    tell_parts_of_the_first(source, *model, control);
  std::optional<double> left_s;
  if (request.wall_time_s) left_s = *request.wall_time_s - outcome.elapsed_s;
  if (outcome.tallies.replications > 0) add_tables_of_parts(*model, patience_for_tables(control, left_s), out);
  for (Diagnostic& one : unlikely_means(*model, out)) out.diagnostics.push_back(std::move(one));
  if (outcome.status == RunStatus::failed) {
    // The model's own words have a place; anything else that was thrown has none.
    out.diagnostics.push_back(source.failure().get().value_or(Diagnostic{.code = "RUN001", .message = outcome.error}));
  }
  return out;
}

}  // namespace ergode
