#include "solvers/simulation/long_run/long_run_question.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "solvers/simulation/long_run/long_run_recorder.h"
#include "solvers/simulation/simulation_options.h"

namespace ergode {
namespace {

/// What of a measure that is about a mission can be asked of a long run.
std::string instead_of(const Measure& measure) {
  using Meaning = MeasureKind::Meaning;
  if (measure.spec.kind->meaning == Meaning::at_end)
    return "Ask how fast it grows, with the type rate, or for its mean in the long run.";
  if (measure.spec.kind->meaning == Meaning::observed_count) return "Ask for the rate of the observations.";
  return {};
}

}  // namespace

PrecisionGoals long_run_goals(const AnalysisModel& model, const RunRequest& request) {
  std::vector<MeasureSpec> answered;
  for (const Measure& m : model.measures)
    if (no_long_run_answer(model, m).empty())
      answered.push_back({.id = m.spec.id, .headline = m.spec.headline, .precision = m.spec.precision});
  const PrecisionGoals found = precision_goals(answered, request);
  PrecisionGoals out;
  out.left_out = found.left_out;
  std::size_t next = 0;
  for (const Measure& m : model.measures)
    out.relative.push_back(no_long_run_answer(model, m).empty() ? found.of(next++) : 0.0);
  return out;
}

PrecisionGoals long_run_never_reaches(const AnalysisModel& model, const RunRequest& request) {
  std::vector<MeasureSpec> asked;
  for (const Measure& m : model.measures)
    asked.push_back({.id = m.spec.id, .headline = m.spec.headline, .precision = m.spec.precision});
  PrecisionGoals out = precision_goals(asked, request);
  for (std::size_t m = 0; m < model.measures.size(); ++m)
    if (model.measures[m].own || no_long_run_answer(model, model.measures[m]).empty()) out.relative[m] = 0.0;
  return out;
}

void long_run_problems(const AnalysisModel& model, const RunRequest& request, Diagnostics& problems) {
  if (simulation_options().read(request).variance_reduction != "none")
    problems.push_back({.code = "RUN020",
                        .pointer = "output_analysis",
                        .message = "One long run cannot be made by a method for rare events.",
                        .hint = "Leave --variance-reduction or --output-analysis out."});
  const auto does_nothing = [&problems](const std::string& option, const char* why, const char* hint) {
    problems.push_back({.severity = Severity::warning,
                        .code = "RUN047",
                        .pointer = option,
                        .message = "\"" + option + "\" does nothing here: " + why,
                        .hint = hint});
  };
  if (request.options.contains("longest") && !long_run_goals(model, request).any() && !request.wall_time_s)
    does_nothing("longest",
                 "the run waits for no precision and goes on for no wall time, so it is one mission time long.",
                 "Ask for --precision, or make the mission time longer.");
  if (request.replications)
    does_nothing("replications", "one long run is one history, whatever their number.",
                 "Ask for --precision, or for --output-analysis replications.");
  std::size_t answered = 0;
  const PrecisionGoals never = long_run_never_reaches(model, request);
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    const Measure& measure = model.measures[m];
    const std::string why = no_long_run_answer(model, measure);
    if (why.empty()) ++answered;
    else if (!measure.own)
      problems.push_back(
          {.severity = Severity::warning,
           .code = "RUN038",
           .element = measure.spec.element,
           .message = "\"" + measure.spec.id + "\" has no answer from one long run: " + why +
                      (never.of(m) > 0.0 ? ". The run does not wait for its precision, and never reaches it." : "."),
           .hint = instead_of(measure)});
  }
  if (answered == 0)
    problems.push_back({.code = "RUN038",
                        .pointer = "output_analysis",
                        .message = "One long run answers no measure of this model.",
                        .hint = "Ask for a mean in the long run, a time average, or a stream of observations."});
  for (const auto& part : model.others)
    for (Diagnostic& doubt : part->long_run_doubts()) problems.push_back(std::move(doubt));
}

}  // namespace ergode
