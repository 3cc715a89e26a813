#include "solvers/simulation/rare/rare_events.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/study/result_builder.h"
#include "solvers/simulation/rare/failure_biasing.h"
#include "solvers/simulation/rare/splitting.h"
#include "solvers/simulation/rare/weight_warnings.h"
#include "solvers/simulation/rare/weighted_recorder.h"
#include "solvers/simulation/simulation_options.h"

namespace ergode {
namespace {

constexpr double weight_errors = 5.0;
constexpr std::uint64_t repetitions = 100;  // of splitting, when no number is asked for

bool has_failures(const CompiledModel& charts) {
  return std::find(charts.roles.begin(), charts.roles.end(), TransitionRole::failure) != charts.roles.end();
}
bool has_failure_clock(const CompiledModel& charts) {
  return std::any_of(charts.timers.begin(), charts.timers.end(), [&](const TimerSpec& t) {
    return t.kind == Trigger::Kind::rate && charts.role(t) == TransitionRole::failure;
  });
}
bool has_chances(const CompiledModel& charts) {
  return std::any_of(charts.guards.begin(), charts.guards.end(), [](const GuardSpec& g) { return g.weight >= 0; });
}

void warn(Diagnostics& problems, const char* code, ElementId element, std::string message, std::string hint) {
  problems.push_back({.severity = Severity::warning,
                      .code = code,
                      .element = element,
                      .message = std::move(message),
                      .hint = std::move(hint)});
}

ResultSet run(const AnalysisModel& model, const ReplicationSource& source, std::size_t answered, FirstFailure& failure,
              const StoppingRule& rule, const RunRequest& request, RunControl& control, ResultSet out) {
  const auto specs = source.measures().first(answered);
  const std::string solver = out.provenance.solver;
  const auto summarised = [&](const RunOutcome& outcome, ResultSet& into) {
    summarise(outcome, specs, request.confidence, solver, into);
    if (rule.precision.any()) summarise_precision(outcome, specs, rule, source.trusted(outcome.tallies), solver, into);
  };
  const auto results = [&](const RunOutcome& outcome) {
    ResultSet partial;
    partial.provenance = out.provenance;
    summarised(outcome, partial);
    return partial;
  };
  const RunOutcome outcome = run_replications(source, rule, request.threads, control, results);
  summarised(outcome, out);
  if (outcome.status == RunStatus::failed)
    out.diagnostics.push_back(failure.get().value_or(Diagnostic{.code = "RUN001", .message = outcome.error}));
  else warn_of_weights(model, outcome, specs, out.diagnostics);
  if (answered < source.measures().size()) {
    const Tally& weight = outcome.tallies.measures.back().values();
    if (weight.n() > 1 && std::abs(weight.mean() - 1.0) > weight_errors * weight.standard_error() + 1e-9)
      warn(out.diagnostics, "RUN024", {},
           "The mean weight is " + number_text(weight.mean(), 6) + " ± " + number_text(weight.standard_error(), 2) +
               "; wanted 1: paths that matter are missing.",
           "Make more replications, or lower the bias probability.");
  }
  return out;
}

}  // namespace

void rare_event_problems(const AnalysisModel& model, const RunRequest& request, Diagnostics& problems) {
  const std::string method = simulation_options().read(request).variance_reduction;
  if (method == "auto") return;
  const bool splitting = method == "splitting";
  if (splitting && !model.importance && !has_failures(model.charts))
    problems.push_back({.code = "RUN020",
                        .pointer = "importance",
                        .message = "Splitting has no importance, and no transition has the role failure; wanted an "
                                   "expression that grows towards the event.",
                        .hint = "Give one: --importance \"count(pump[*].Failed)\"."});
  if (!splitting && model.charts.hybrid)
    problems.push_back({.code = "RUN021",
                        .message = "The model has variables or rates that change continuously; failure biasing wanted "
                                   "one that changes at events only.",
                        .hint = "Use splitting."});
  if (!splitting && model.groups.empty() && !has_failure_clock(model.charts) && !has_chances(model.charts))
    problems.push_back({.code = "RUN021",
                        .message = "No transition has both the role failure and a rate, no choice has probabilities, "
                                   "and there are no common-cause groups; there is nothing to bias.",
                        .hint = "Give failures their role, or use splitting."});
  const std::vector<std::uint32_t> answered = weighted_measures(model);
  if (answered.empty())
    problems.push_back(
        {.code = "RUN021",
         .message = "No measure is a probability at or by a time; methods for rare events answer no other."});
  for (std::uint32_t m = 0; m < model.measures.size(); ++m) {
    const MeasureSpec& spec = model.measures[m].spec;
    if (!model.measures[m].own && !answered.empty() && std::find(answered.begin(), answered.end(), m) == answered.end())
      warn(problems, "RUN022", spec.element,
           "\"" + spec.id + "\" (" + std::string(spec.kind->word) +
               ") is left out: methods for rare events answer probabilities at or by a "
               "time only.",
           {});
  }
}

ResultSet solve_rare_events(const std::shared_ptr<const AnalysisModel>& model, const RunRequest& request,
                            RunControl& control, ResultSet out) {
  rare_event_problems(*model, request, out.diagnostics);
  if (has_errors(out.diagnostics)) {
    out.status = RunStatus::failed;
    out.stop_reason = "The method for rare events does not fit the model.";
    return out;
  }
  const std::uint64_t seed = request.seed.value_or(model->seed);
  const SimulationOptions options = simulation_options().read(request);
  const bool splitting = options.variance_reduction == "splitting";
  StoppingRule rule = stopping_rule(request, weighted_specs(*model, {}), splitting ? repetitions : model->replications);
  const std::size_t answered = weighted_measures(*model).size();
  if (!splitting) {
    // Few weights tell little of their own spread.
    rule.min_replications = rule.enough_replications;
    const FailureBiasingSource source(model, seed, options.bias_probability, rule.precision);
    return run(*model, source, answered, source.failure(), rule, request, control, std::move(out));
  }
  // A repetition is itself a mean over many paths, so fewer of them tell their spread.
  rule.min_replications = rule.enough_replications = 20;
  std::optional<SplittingSource> source;
  try {
    source.emplace(
        model, seed, SplittingOptions{options.effort, options.levels},
        PilotLimits{&control, request.wall_time_s ? std::optional(0.5 * *request.wall_time_s) : std::nullopt},
        rule.precision);
  } catch (const ModelFailure& failure) {
    out.status = RunStatus::failed;
    out.stop_reason = failure.what();
    out.diagnostics.push_back(failure.diagnostic);
    return out;
  }
  std::string& levels = out.provenance.options["levels"];
  levels.clear();
  for (const double level : source->levels()) levels += (levels.empty() ? "" : ", ") + number_text(level);
  if (source->stuck())
    warn(out.diagnostics, "RUN025", {},
         "The pilot run did not reach the event; its levels are " + (levels.empty() ? "none" : levels) + ".",
         "Choose an importance that grows towards the event, or give levels.");
  return run(*model, *source, answered, source->failure(), rule, request, control, std::move(out));
}

}  // namespace ergode
