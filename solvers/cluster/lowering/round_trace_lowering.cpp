// Traces of training jobs and tables of throughputs: what they are read from, and what fits together.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/text_place.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/missing_throughputs.h"
#include "solvers/cluster/lowering/round_lowering_steps.h"
#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/throughput_table.h"

namespace ergode {
namespace {

bool alike(const RoundJob& a, const RoundJob& b) {
  return a.arrival_s == b.arrival_s && a.model == b.model && a.batch_size == b.batch_size && a.gpus == b.gpus &&
         a.mode == b.mode && a.total_steps == b.total_steps && a.listed_duration_s == b.listed_duration_s;
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

}  // namespace

std::optional<DataFiles::Text> RoundLowering::file(Lowering& model, PropertyReader& read, const Element& element,
                                                   const char* property) {
  const std::string name = read.file(element, property);
  if (name.empty()) {
    const bool trace = std::string_view(property) == "trace";
    model.refuse(element, "RND003", property, "No file is named; wanted one.",
                 trace ? "Or let a job stream flow to it." : "");
    return std::nullopt;
  }
  return model.text_of(element, "RND003", property, name);
}

void RoundLowering::refuse_rows(Lowering& model, const Element& element, const char* property,
                                const Diagnostics& found) {
  for (const Diagnostic& one : found) model.refuse(element, one.code, property, one.message, one.hint);
}

void RoundLowering::leave_out(Lowering& model, PropertyReader& read, const Element& element, const Throughputs& speeds,
                              RoundModel::Workload& work, const std::string& trace, const std::string& table) {
  for (std::uint32_t i = 0; i < work.jobs.size(); ++i) work.numbers.push_back(i);
  if (!meaning_of(read, element, "missing_throughputs", missing_throughput_words)) return;
  const std::vector<RoundJob> all = std::move(work.jobs);
  work.jobs.clear(), work.numbers.clear();
  std::map<std::string, std::vector<std::size_t>> missing;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const bool known = speeds.of(all[i].model, all[i].batch_size, all[i].gpus).has_value();
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

std::shared_ptr<const RoundModel::Workload> RoundLowering::read_trace(Lowering& model, PropertyReader& read,
                                                                      const Element& element,
                                                                      const DataFiles::Text& trace,
                                                                      const std::string& table, const Scheduler& one,
                                                                      std::uint64_t most) {
  auto jobs = read_training_trace(*trace.text, trace.name);
  if (const auto* found = std::get_if<Diagnostics>(&jobs)) refuse_rows(model, element, "trace", *found);
  if (one.speeds == nullptr || refused(model, element)) return nullptr;
  auto made = std::make_shared<RoundModel::Workload>();
  made->jobs = std::get<0>(std::move(jobs));
  keep_first(made->jobs, most);
  leave_out(model, read, element, *one.speeds, *made, trace.name, table);
  if (made->jobs.empty()) return nullptr;
  const auto problems = problems_of(made->jobs, *one.speeds, one.options);
  constexpr std::size_t most_told = 10;
  for (std::size_t i = 0; i < std::min(problems.size(), most_told); ++i)
    model.refuse(element, "RND012", "trace", problems[i],
                 i + 1 == most_told && problems.size() > most_told
                     ? std::to_string(problems.size() - most_told) + " more are not shown."
                     : "");
  if (!problems.empty()) return nullptr;
  for (const RoundJob& job : made->jobs) made->profiles.push_back(profile_of(job, *one.speeds));
  return made;
}

bool RoundLowering::wants_table(Lowering& model, const Scheduler& one) {
  return std::any_of(one.streams.begin(), one.streams.end(), [&](std::uint32_t s) {
    const Element& stream = *model.document.find(net().streams[s].element);
    return is_said(stream, "training") || is_said(stream, "trace");
  });
}

void RoundLowering::read_files(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one) {
  const bool traced =
      one.streams.empty() ||
      !drawn_file(model, read, element, "trace", "RND016", "jobs are those of its streams alone").empty();
  const auto trace = traced ? file(model, read, element, "trace") : std::nullopt;
  if ((traced && !trace) || (!traced && !wants_table(model, one))) {
    one.speeds = std::make_shared<Throughputs>();
    return;
  }
  const auto table = throughputs_of(model, read, element, trace ? trace->name : std::string());
  if (!table) return;
  auto speeds = read_throughputs(*table->text, table->name, trim(element.text("throughput_column")));
  table_name_[element.id] = table->name;
  if (auto* known = std::get_if<Throughputs>(&speeds)) one.speeds = std::make_shared<Throughputs>(std::move(*known));
  if (trace) one.workload = read_trace(model, read, element, *trace, table->name, one, jobs_without_end);
  if (const auto* found = std::get_if<Diagnostics>(&speeds)) refuse_rows(model, element, "throughputs", *found);
  if (!one.workload) return;
  check_durations(model, element, *one.workload, *one.speeds, *table);
  check_twins(model, element, *one.workload);
  if (!one.fairness_of_all())
    model.problems.push_back(
        {.severity = Severity::info,
         .code = "RND021",
         .element = element.id,
         .message = "worst_fairness and unfair_fraction of " + one.name +
                    " hold each job against an equal part for those that were there (rho_contended), because other "
                    "jobs come by streams and nobody knows how many; rho of the table jobs is of all of the trace."});
}

// Its rows have no names, so two jobs that are alike may be two jobs.
void RoundLowering::check_twins(Lowering& model, const Element& element, const RoundModel::Workload& made) {
  std::size_t twins = 0, first = 0;
  for (std::size_t i = 1; i < made.jobs.size(); ++i)
    if (alike(made.jobs[i - 1], made.jobs[i]) && twins++ == 0) first = i;
  if (twins == 0) return;
  model.warn(element, "RND020", "trace",
             "Jobs " + std::to_string(first) + " and " + std::to_string(first + 1) +
                 " of the trace, counted from 1, are alike in all that is read of them, their arrival included" +
                 (twins > 1 ? ", and " + std::to_string(twins - 1) + " further pairs" : "") + ".",
             "Two equal jobs at one moment, or a row that stands there twice? Both are run.");
}

void RoundLowering::check_durations(Lowering& model, const Element& element, const RoundModel::Workload& made,
                                    const Throughputs& speeds, const DataFiles::Text& table) {
  constexpr double let_pass = 0.1;
  const auto fits = [](double ratio) { return std::fabs(ratio - 1.0) <= let_pass; };
  const auto ratio = ratio_to_listed(made.jobs, speeds);
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

// Who gives a trace of his own for one run and leaves the table may not know that jobs would run at its speeds.
std::optional<DataFiles::Text> RoundLowering::throughputs_of(Lowering& model, PropertyReader& read,
                                                             const Element& element, const std::string& trace) {
  auto table = file(model, read, element, "throughputs");
  const auto given = [&](const char* property) {
    const Parameter* named = model.parameters.find(trim(element.text(property)));
    return named != nullptr && named->overridden;
  };
  const auto folder = [](const std::string& of) { return std::filesystem::path(of).parent_path(); };
  if (!table || trace.empty() || !given("trace") || given("throughputs") || folder(trace) == folder(table->name))
    return table;
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

}  // namespace ergode
