#include "solvers/markov/chain_run.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

#include "core/base/text.h"
#include "solvers/markov/qualify.h"
#include "solvers/model/provenance.h"

namespace ergode {

namespace {

Limits limits(const RunRequest& request, const RunControl& control) {
  Limits out = control.limits;
  if (request.wall_time_s) out.time_s = std::min(out.time_s.value_or(*request.wall_time_s), *request.wall_time_s);
  return out;
}

}  // namespace

void append_distribution_times(double end_s, std::vector<double>& times_s) {
  constexpr std::size_t steps = 200;
  for (std::size_t i = 0; i <= steps; ++i)
    times_s.push_back(end_s * static_cast<double>(i) / static_cast<double>(steps));
}

ChainRun::ChainRun(const Solver& solver, const Question& question, RunControl& control)
    : solver_(solver),
      budget_(control.stop.get_token(), limits(question.request(), control)),
      options_(markov_options().read(question.request())),
      answers_(out_, solver.spec().name, solver.spec().name) {
  whole_ = model_ = model_of(question, out_.diagnostics);
  out_.provenance = provenance_of(question, model_.get(), solver.spec().name);
  out_.stop_reason = "exact";
  if (model_ == nullptr) {
    note_failure("The model has errors.");
    return;
  }
  if (Diagnostics reasons = chain_fits(solver, question); !reasons.empty()) {
    out_.diagnostics.insert(out_.diagnostics.end(), reasons.begin(), reasons.end());
    note_failure(solver.spec().name + " does not fit the model: " + reasons.front().message);
    return;
  }
  // Looking for what is alike and what is independent costs that much before a state is made.
  constexpr double bytes_per_component = 3000.0;
  const std::size_t components = model_->charts.instances.size();
  try {
    budget_.allow_bytes(bytes_per_component * static_cast<double>(components), "MKV010",
                        "What there is to know about " + std::to_string(components) + " components");
  } catch (const OverBudget& cost) {
    note_failure(cost.diagnostic.message, cost.diagnostic);
  }
}

void ChainRun::ask_all() {
  keep_notes();
  space_.reset();
  model_ = whole_;
}

void ChainRun::ask_only(const std::vector<std::size_t>& measures) {
  ask_all();
  auto part = std::make_shared<AnalysisModel>(*whole_);
  part->measures.clear();
  for (const std::size_t m : measures) part->measures.push_back(whole_->measures[m]);
  part->part = true;
  model_ = std::move(part);
}

void ChainRun::keep_notes() {
  static const std::set<std::string> greatest = {"truncation_error", "largest_module_states", "error_bound"};
  static const std::set<std::string> words = {"method", "lumping"};
  for (auto& [name, value] : notes_) {
    const auto [known, fresh] = kept_notes_.emplace(name, value);
    std::string& all = known->second;
    if (fresh) continue;
    const double a = std::strtod(all.c_str(), nullptr), b = std::strtod(value.c_str(), nullptr);
    if (words.contains(name))
      all += (", " + all + ", ").find(", " + value + ", ") == std::string::npos ? ", " + value : "";
    else if (greatest.contains(name)) all = b > a ? value : all;
    else all = number_text(a + b, 15);
  }
  notes_.clear();
  for (const auto& [name, value] : kept_notes_) out_.provenance.options[name] = value;
}

bool ChainRun::generate(std::uint64_t state_limit, Diagnostic* refused) {
  auto made = generate_states(
      *model_,
      {.state_limit = state_limit, .lumping = options_.lumping, .pruning = options_.lumping, .budget = budget_});
  if (auto* problem = std::get_if<Diagnostic>(&made)) {
    static const std::set<std::string> costs = {"MKV010", "MKV011", "MKV022", "RUN003"};
    if (refused != nullptr && costs.contains(problem->code)) {
      *refused = std::move(*problem);
      return false;
    }
    note_failure(problem->message, *problem);
    return false;
  }
  StateSpace& space = std::get<StateSpace>(made);
  if (space.stopped) {
    note_failure("cancelled");
    return false;
  }
  option("states", std::to_string(space.generator.size()));
  option("transitions", std::to_string(space.generator.transitions()));
  option("error_bound", number_text(options_.error_bound));
  std::string arrays;
  for (const std::string& name : space.lumped) arrays += (arrays.empty() ? "" : ", ") + name;
  option("lumping", !options_.lumping ? "off" : arrays.empty() ? "nothing to lump" : arrays);
  if (!space.lumped.empty()) option("unlumped_states", number_text(space.unlumped_states, 15));
  space_ = std::make_unique<StateSpace>(std::move(space));
  return true;
}

std::string ChainRun::why_not(std::size_t measure) const {
  const MeasureKind& kind = *model_->measures[measure].spec.kind;
  if (!kind.simulated_only.empty()) return std::string(kind.simulated_only);
  if (model_->measures[measure].stream >= 0) return "it follows a stream of observations, which a run makes";
  if (kind.without_end() && !solver_.spec().long_run) return "it asks for the long run, not for the mission";
  return {};
}

std::vector<double> ChainRun::count_rates(std::size_t measure) const {
  if (model_->measures[measure].counts_event) return space_->event_rates[measure];
  const std::vector<double>& value = space_->values[measure];
  const RateRows& rows = space_->generator.rows();
  std::vector<double> out(value.size(), 0.0);
  for (std::size_t i = 0; i < value.size(); ++i)
    for (std::uint32_t e = rows.start[i]; value[i] == 0.0 && e < rows.start[i + 1]; ++e)
      if (value[rows.other[e]] != 0.0) out[i] += rows.rate[e];
  return out;
}

double ChainRun::at_start(std::size_t measure) const {
  if (model_->measures[measure].counts_event) return space_->initial_events[measure];
  double sum = 0.0;
  for (std::size_t i = 0; i < space_->initial.size(); ++i)
    if (space_->values[measure][i] != 0.0) sum += space_->initial[i];
  return sum;
}

std::vector<StateRole> ChainRun::targets(std::size_t measure) const {
  std::vector<StateRole> out(space_->generator.size(), StateRole::ordinary);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (space_->values[measure][i] != 0.0) out[i] = StateRole::target;
  return out;
}

MeasureResult& ChainRun::answer(std::size_t measure, double value, double error, const char* method) {
  return answers_.answer(model_->measures[measure].spec, value, error, method);
}

MeasureResult& ChainRun::no_answer(std::size_t measure, std::string why, const char* method) {
  return answers_.no_answer(model_->measures[measure].spec, std::move(why), method);
}

void ChainRun::not_answered(std::size_t measure, const std::string& why) {
  answers_.not_answered(model_->measures[measure].spec, why);
}

void ChainRun::too_dear(std::size_t measure, const Diagnostic& cost) {
  std::string why = cost.code + ": " + cost.message;
  if (why.back() == '.') why.pop_back();
  answers_.too_dear(model_->measures[measure].spec, why);
}

void ChainRun::curve(std::size_t measure, const char* kind, const std::vector<double>& times_s,
                     std::vector<double> values) {
  answers_.curve(model_->measures[measure].spec, kind, times_s, std::move(values));
}

void ChainRun::note_failure(std::string why, Diagnostic problem) {
  if (!problem.message.empty()) out_.diagnostics.push_back(std::move(problem));
  out_.status = RunStatus::failed;
  out_.stop_reason = std::move(why);
}

ResultSet ChainRun::fail(std::string why, Diagnostic problem) {
  note_failure(std::move(why), std::move(problem));
  return take();
}

ResultSet ChainRun::take() {
  // In the order of the model; who looks for a split is told that there is none.
  std::vector<MeasureResult> sorted;
  std::string names;
  keep_notes();
  if (whole_ != nullptr)
    for (const Measure& measure : whole_->measures)
      for (MeasureResult& result : out_.measures) {
        if (result.id != measure.spec.id) continue;
        if (measure.spec.split && measure.spec.kind->adds_up) names += (names.empty() ? "" : ", ") + result.id;
        sorted.push_back(std::move(result));
      }
  out_.measures = std::move(sorted);
  if (!names.empty())
    out_.diagnostics.push_back(
        {.severity = Severity::info,
         .code = "SOL003",
         .message = solver_.spec().name + " does not split by " + model_->split->by + ": " + names + "."});
  return std::move(out_);
}

Diagnostics chain_fits(const Solver& solver, const Question& question) {
  const MarkovOptions options = markov_options().read(question.request());
  Diagnostics problems;
  const auto model = model_of(question, problems);
  if (model == nullptr) return problems;
  problems = why_not_markov(*model);
  const std::vector<std::string>& methods = solver.spec().methods;
  if (!options.method.empty() && std::find(methods.begin(), methods.end(), options.method) == methods.end())
    problems.push_back({.code = "MKV021",
                        .message = "The method is " + options.method + "; " + solver.spec().name + " wants " +
                                   methods[0] + " or " + methods[1] + "."});
  return problems;
}

}  // namespace ergode
