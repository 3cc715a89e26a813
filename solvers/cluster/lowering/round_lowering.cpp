// From drawn round schedulers to one RoundModel.
#include "solvers/cluster/lowering/round_lowering.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/missing_throughputs.h"
#include "solvers/cluster/lowering/round_words.h"
#include "solvers/cluster/running/round_part.h"
#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/throughput_table.h"

namespace ergode {
namespace {

using RoundScheduler = RoundModel::Scheduler;

class RoundLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  void declare_scheduler(Lowering& model, const Element& element);
  void lower_options(Lowering& model, PropertyReader& read, const Element& element, RoundScheduler& one);
  void lower_plans(Lowering& model, PropertyReader& read, const Element& element, RoundScheduler& one);
  void read_workload(Lowering& model, PropertyReader& read, const Element& element, RoundScheduler& one);
  /// The text of the file that a property names; RND003 and nothing.
  static std::optional<DataFiles::Text> file(Lowering& model, PropertyReader& read, const Element& element,
                                             const char* property);
  /// The throughputs that belong to the trace: those named, or, where a trace of the user's own for this run comes from
  /// elsewhere without a table, the only one beside it. RND013 tells of the latter, or warns that there is none.
  std::optional<DataFiles::Text> throughputs_of(Lowering& model, PropertyReader& read, const Element& element,
                                                const std::string& trace);
  /// Jobs without a throughput, where they may be left out (RND015).
  static void leave_out(Lowering& model, PropertyReader& read, const Element& element, RoundModel::Workload& work,
                        const std::string& trace, const std::string& table);
  /// RND014: a trace whose listed durations say that it was made with other throughputs.
  static void check_durations(Lowering& model, const Element& element, const RoundModel::Workload& made,
                              const DataFiles::Text& table);
  /// What is refused of a scheduler already: what follows from it would be told a second time.
  static bool refused(const Lowering& model, const Element& element);
  static void refuse_rows(Lowering& model, const Element& element, const char* property, const Diagnostics& found);
  /// A number in a range, in SI units; RND002 otherwise, and the least.
  static double number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       const char* unit, double otherwise, double least, double most, bool whole = false);

  std::shared_ptr<RoundPart> out_ = std::make_shared<RoundPart>();
};

void RoundLowering::declare(Lowering& model) {
  for (const Element* node : model.nodes("cluster", "round_scheduler")) declare_scheduler(model, *node);
}

void RoundLowering::declare_scheduler(Lowering& model, const Element& element) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "RND001", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, "round scheduler"}))
    model.refuse(element, "RND001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
  const auto slot = [&](const char* word, ValueType type, const char* unit = "", double scale = 1.0) {
    return model.slots.add({.name = name + "." + word,
                            .unit = unit,
                            .scale = scale,
                            .type = type,
                            .element = element.id,
                            .writer = "round_scheduler",
                            .range = {0.0, NamedSlot::everything.upper},
                            .by_set = true},
                           0.0);
  };
  const auto time = ValueType::real(Dimension::of_time());
  RoundScheduler one{.element = element.id, .name = name};
  one.jobs = slot("jobs", ValueType::integer()), one.running = slot("running", ValueType::integer());
  one.gpus = slot("gpus", ValueType::integer()), one.done = slot("done", ValueType::integer());
  one.makespan = slot("makespan", time, "s"), one.mean_response_time = slot("mean_response_time", time, "s");
  one.worst_fairness = slot("worst_fairness", ValueType::real());
  one.unfair_fraction = slot("unfair_fraction", ValueType::real());
  one.utilisation = slot("utilisation", ValueType::real());
  one.power = slot("power", ValueType::real(parse_unit("W")->dimension), "W");
  one.spend = slot("spend", ValueType::real(parse_unit("USD/h")->dimension), "USD/h", 1.0 / 3600.0);
  const Range from_zero{0.0, NamedSlot::everything.upper};
  one.response_time = model.slots.add(StreamSpec{name + ".response_time", "s", element.id, {}, from_zero});
  one.fairness = model.slots.add(StreamSpec{name + ".fairness", "", element.id, {}, from_zero});
  one.cost = model.slots.add(StreamSpec{name + ".cost", "USD", element.id, {}, from_zero});
  out_->model.schedulers.push_back(std::move(one));
}

std::shared_ptr<LoweredPart> RoundLowering::lower(Lowering& model, Scope& scope) {
  if (out_->model.schedulers.empty()) return nullptr;
  for (RoundScheduler& one : out_->model.schedulers) {
    const Element& element = *model.document.find(one.element);
    PropertyReader read(scope, model.problems);
    one.handed_on = handed_on(model, element, words_of_sharing_jobs());
    lower_options(model, read, element, one);
    lower_plans(model, read, element, one);
    read_workload(model, read, element, one);
  }
  return out_;
}

double RoundLowering::number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                             const char* unit, double otherwise, double least, double most, bool whole) {
  const bool plain = *unit == '\0';
  const Unit in = plain ? Unit{} : *parse_unit(unit);
  const double value = read.quantity(element, property, plain ? Dimension() : in.dimension, otherwise);
  if (value >= least && value <= most && (!whole || value == std::floor(value))) return value;
  for (const Diagnostic& known : model.problems)
    if (known.severity == Severity::error && known.element == element.id && known.pointer == property) return least;
  const double scale = plain ? 1.0 : in.scale;
  const std::string behind = plain ? "" : " " + std::string(unit);
  model.refuse(element, "RND002", property,
               "The value is " + number_text(value / scale, 9) + behind + "; wanted a " + (whole ? "whole " : "") +
                   "number from " + number_text(least / scale, 6) + behind + " to " + number_text(most / scale, 6) +
                   behind + ".");
  return least;
}

void RoundLowering::lower_options(Lowering& model, PropertyReader& read, const Element& element, RoundScheduler& one) {
  const char *const time = "s", *const none = "";
  RoundOptions& options = one.options;
  options.policy = meaning_of(read, element, "policy", round_policy_words);
  options.gpus = static_cast<int>(number(model, read, element, "gpus", none, options.gpus, 1, 1e6, true));
  options.round_s = number(model, read, element, "round", time, options.round_s, 1.0, 1e6);
  options.restore_s = number(model, read, element, "restore", time, options.restore_s, 0.0, 1e6);
  if (options.restore_s >= options.round_s && !refused(model, element))
    model.refuse(element, "RND002", "restore",
                 "The time to restore is " + number_text(options.restore_s, 9) + " s, and a round is " +
                     number_text(options.round_s, 9) + " s; wanted less than a round."),
        options.restore_s = 0.0;
  options.reset_interval_s = number(model, read, element, "reset_interval", time, options.reset_interval_s, 0.0, 1e9);
  options.as_published = read.boolean(element, "as_published", options.as_published);
  one.price_per_s = number(model, read, element, "price", "USD/h", 0.0, 0.0, 1e9);
  one.budget_per_s = number(model, read, element, "budget", "USD/h", 0.0, 0.0, 1e9);
  one.busy_w = number(model, read, element, "busy_power", "W", 0.0, 0.0, 1e9);
  one.idle_w = number(model, read, element, "idle_power", "W", 0.0, 0.0, 1e9);
  one.unfair_above = number(model, read, element, "unfair_above", none, one.unfair_above, 0.0, 1e9);
}

void RoundLowering::lower_plans(Lowering& model, PropertyReader& read, const Element& element, RoundScheduler& one) {
  const char* const none = "";
  PlanOptions& plan = one.plan;
  plan.gpus = one.options.gpus, plan.round_s = one.options.round_s;
  plan.heuristic = meaning_of(read, element, "planning", planning_words);
  plan.rounds = static_cast<int>(number(model, read, element, "future_rounds", none, plan.rounds, 1, 1000, true));
  one.replan_rounds =
      static_cast<int>(number(model, read, element, "replan_rounds", none, one.replan_rounds, 1, 1e6, true));
  plan.makespan_weight = number(model, read, element, "makespan_weight", none, plan.makespan_weight, 0.0, 1e12);
  plan.priority_power = number(model, read, element, "priority_power", none, plan.priority_power, 0.0, 1000.0);
  plan.most_rho = number(model, read, element, "most_rho", none, plan.most_rho, 1e-6, 1e6);
}

std::optional<DataFiles::Text> RoundLowering::file(Lowering& model, PropertyReader& read, const Element& element,
                                                   const char* property) {
  const std::string name = read.file(element, property);
  if (name.empty()) {
    model.refuse(element, "RND003", property, "No file is named; wanted one.");
    return std::nullopt;
  }
  return model.text_of(element, "RND003", property, name);
}

void RoundLowering::refuse_rows(Lowering& model, const Element& element, const char* property,
                                const Diagnostics& found) {
  for (const Diagnostic& one : found) model.refuse(element, one.code, property, one.message, one.hint);
}

void RoundLowering::leave_out(Lowering& model, PropertyReader& read, const Element& element, RoundModel::Workload& work,
                              const std::string& trace, const std::string& table) {
  for (std::uint32_t i = 0; i < work.jobs.size(); ++i) work.numbers.push_back(i);
  if (!meaning_of(read, element, "missing_throughputs", missing_throughput_words)) return;
  const std::vector<RoundJob> all = std::move(work.jobs);
  work.jobs.clear(), work.numbers.clear();
  std::map<std::string, std::vector<std::size_t>> missing;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const bool known = work.speeds.of(all[i].model, all[i].batch_size, all[i].gpus).has_value();
    (known ? work.jobs : work.left_out).push_back(all[i]);
    (known ? work.numbers : work.numbers_left_out).push_back(i);
    if (!known) missing[work_of(all[i])].push_back(i);
  }
  if (missing.empty()) return;
  if (work.jobs.empty())
    return model.refuse(element, "RND012", "throughputs",
                        "No job of " + trace + " has a throughput in " + table + "; wanted one that has.");
  model.problems.push_back({.severity = Severity::warning,
                            .code = "RND015",
                            .element = element.id,
                            .pointer = "throughputs",
                            .message = left_out_text(trace, table, missing),
                            .hint = "Table left_out has a row for each of them."});
}

void RoundLowering::read_workload(Lowering& model, PropertyReader& read, const Element& element, RoundScheduler& one) {
  const auto trace = file(model, read, element, "trace");
  const auto table = trace ? throughputs_of(model, read, element, trace->name) : std::nullopt;
  if (!table) return;
  auto jobs = read_training_trace(*trace->text, trace->name);
  auto speeds = read_throughputs(*table->text, table->name, trim(element.text("throughput_column")));
  if (const auto* found = std::get_if<Diagnostics>(&jobs)) refuse_rows(model, element, "trace", *found);
  if (const auto* found = std::get_if<Diagnostics>(&speeds)) refuse_rows(model, element, "throughputs", *found);
  if (refused(model, element)) return;
  auto made = std::make_shared<RoundModel::Workload>();
  made->jobs = std::get<0>(std::move(jobs)), made->speeds = std::get<0>(std::move(speeds));
  leave_out(model, read, element, *made, trace->name, table->name);
  if (made->jobs.empty()) return;
  const auto problems = problems_of(made->jobs, made->speeds, one.options);
  constexpr std::size_t most_told = 10;
  for (std::size_t i = 0; i < std::min(problems.size(), most_told); ++i)
    model.refuse(element, "RND012", "trace", problems[i],
                 i + 1 == most_told && problems.size() > most_told
                     ? std::to_string(problems.size() - most_told) + " more are not shown."
                     : "");
  if (!problems.empty()) return;
  for (const RoundJob& job : made->jobs) made->profiles.push_back(profile_of(job, made->speeds));
  one.workload = std::move(made);
  check_durations(model, element, *one.workload, *table);
}

bool RoundLowering::refused(const Lowering& model, const Element& element) {
  return std::any_of(model.problems.begin(), model.problems.end(), [&](const Diagnostic& known) {
    return known.severity == Severity::error && known.element == element.id;
  });
}

void RoundLowering::check_durations(Lowering& model, const Element& element, const RoundModel::Workload& made,
                                    const DataFiles::Text& table) {
  constexpr double let_pass = 0.1;
  const auto fits = [](double ratio) { return std::fabs(ratio - 1.0) <= let_pass; };
  const auto ratio = ratio_to_listed(made.jobs, made.speeds);
  if (!ratio || fits(*ratio)) return;
  std::string better;
  for (const std::string& column : columns_of_throughputs(*table.text)) {
    const auto other = read_throughputs(*table.text, table.name, column);
    const auto its = other.index() == 0 ? ratio_to_listed(made.jobs, std::get<0>(other)) : std::nullopt;
    if (its && fits(*its)) better += (better.empty() ? "" : " or ") + column;
  }
  model.problems.push_back(
      {.severity = Severity::warning,
       .code = "RND014",
       .element = element.id,
       .pointer = "throughputs",
       .message = "With these throughputs a job of the trace takes " + number_text(*ratio, 3) +
                  " times the duration that is listed for it, in the median; wanted the table with which the trace "
                  "was made.",
       .hint = better.empty() ? "" : "Its column " + better + " fits: name it in throughput_column."});
}

/// Tables of throughputs in a folder, by their names.
std::vector<std::filesystem::path> throughputs_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (const std::string name = entry.path().filename().string();
        entry.is_regular_file(none) && name.find("throughputs") != std::string::npos && name.ends_with(".csv"))
      out.push_back(entry.path());
  return out;
}

// Who gives a trace of his own for one run and leaves the table may not know that jobs would run at its speeds.
std::optional<DataFiles::Text> RoundLowering::throughputs_of(Lowering& model, PropertyReader& read,
                                                             const Element& element, const std::string& trace) {
  auto table = file(model, read, element, "throughputs");
  const auto given = [&](const char* property) {
    const Parameter* named = model.parameters.find(trim(element.text(property)));
    return named != nullptr && named->overridden;
  };
  const auto folder = [](const std::string& of) { return std::filesystem::path(of).parent_path(); };
  if (!table || !given("trace") || given("throughputs") || folder(trace) == folder(table->name)) return table;
  const auto found = throughputs_in(folder(trace));
  auto beside = found.size() == 1 ? model.files.text(found.front().string()) : FileRefusal{};
  Diagnostic told{.severity = Severity::warning, .code = "RND013", .element = element.id, .pointer = "throughputs"};
  if (auto* text = std::get_if<DataFiles::Text>(&beside)) {
    told.severity = Severity::info;
    told.message = "The trace was given for this run (" + trace +
                   "), and its jobs run at the speeds of the table beside it, " + text->name +
                   ", not of the model's own, " + table->name + ".";
    model.problems.push_back(std::move(told));
    return std::move(*text);
  }
  const std::string property(trim(element.text("throughputs")));
  const bool parameter = model.parameters.find(property) != nullptr;
  told.message = "The trace was given for this run (" + trace +
                 "), and its jobs run at speeds of the model's own table, " + table->name +
                 "; wanted throughputs that belong to the trace" +
                 (found.size() > 1 ? ", and there are " + std::to_string(found.size()) + " beside it." : ".");
  told.hint = parameter ? "Give them too: --set " + property +
                              "=FILE; its columns are model, batch_size, num_gpus, steps_per_s."
                        : "Make throughputs a parameter of type file, and give it too.";
  model.problems.push_back(std::move(told));
  return table;
}

}  // namespace

std::unique_ptr<NotationLowering> round_lowering() { return std::make_unique<RoundLowering>(); }

std::vector<std::string> round_slots_of_kind(std::string_view kind) {
  if (kind != "round_scheduler") return {};
  return {"jobs",           "running",         "gpus",        "done",  "makespan", "mean_response_time",
          "worst_fairness", "unfair_fraction", "utilisation", "power", "spend"};
}

std::vector<std::string> round_streams_of_kind(std::string_view kind) {
  if (kind != "round_scheduler") return {};
  return {"response_time", "fairness", "cost"};
}

}  // namespace ergode
