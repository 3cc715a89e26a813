#include "solvers/cluster/traces/fleet_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/text_lines.h"

namespace ergode {
namespace {

class FleetTraceRows {
 public:
  explicit FleetTraceRows(const std::string& file) : file_(file) {}
  void problem(std::size_t row, const std::string& what) {
    constexpr std::size_t most = 20;
    if (++found_ <= most)
      problems_.push_back(
          {.code = "DEV014", .message = file_ + (row == 0 ? "" : ", row " + std::to_string(row)) + ": " + what});
    else problems_.back().hint = std::to_string(found_ - most) + " more are not shown.";
  }
  bool any() const { return found_ > 0; }
  void once(std::size_t row, const std::string& name) {
    const auto [known, fresh] = known_.emplace(name, row);
    if (!fresh)
      problem(row, "job '" + quotable(name) + "' is in row " + std::to_string(known->second) +
                       " too; wanted each job once.");
  }
  Diagnostics take() { return std::move(problems_); }
  /// NaN after a complaint.
  double number(std::size_t row, const char* column, const std::string& cell, double least, bool whole) {
    const auto value = parse_number(trim(cell));
    if (value && std::isfinite(*value) && *value >= least && *value <= 1e12 && (!whole || *value == std::floor(*value)))
      return *value;
    problem(row, std::string(column) + " is '" + quotable(cell) + "'; wanted a " + (whole ? "whole " : "") +
                     "number from " + number_text(least) + " on.");
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  const std::string& file_;
  Diagnostics problems_;
  std::size_t found_ = 0;
  std::unordered_map<std::string, std::size_t> known_;  ///< names -> their row
};

}  // namespace

std::optional<std::uint32_t> application_class(std::string_view word) {
  for (std::uint32_t c = 0; c < application_classes; ++c)
    if (word.size() == 1 && (word[0] == application_class_names[c][0] || word[0] == application_class_names[c][0] + 32))
      return c;
  return std::nullopt;
}

std::variant<FleetTrace, Diagnostics> read_fleet_trace(std::string_view text, const std::string& file) {
  FleetTraceRows problems(file);
  if (const auto fault = nul_fault(text)) {
    problems.problem(0, *fault + ".");
    return problems.take();
  }
  const auto parsed = parse_csv(text);
  if (const auto* why = std::get_if<std::string>(&parsed)) {
    problems.problem(0, *why + ".");
    return problems.take();
  }
  const auto& rows = std::get<0>(parsed);
  if (rows.size() < 2) {
    problems.problem(0, std::to_string(rows.size()) + " rows; wanted a head and at least one more.");
    return problems.take();
  }
  const std::size_t none = rows[0].size();
  const auto column = [&](std::initializer_list<std::string_view> names) {
    const HeaderColumn found = header_column(rows[0], names);
    if (!found.twice.empty()) problems.problem(1, found.twice + ".");
    return found.place;
  };
  const std::size_t arrival = column({"arrival_s", "submit_time", "time"}),
                    gpus = column({"gpus", "num_gpu", "num_gpus"}), run = column({"run_s", "duration", "duration_s"}),
                    name = column({"job", "job_id", "name"}), of_class = column({"class"}),
                    penalty = column({"locality_penalty"});
  for (const auto& [at, wanted] : {std::pair(arrival, "arrival_s"), {gpus, "gpus"}, {run, "run_s"}})
    if (at == none)
      problems.problem(1, std::string("there is no column ") + wanted +
                              "; wanted arrival_s, gpus and run_s, and as there are job, class, locality_penalty.");
  if (problems.any()) return problems.take();
  FleetTrace read;
  double before = 0.0;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto& cells = rows[r];
    if (cells.size() != none) {
      problems.problem(r + 1, std::to_string(cells.size()) + " cells; wanted " + std::to_string(none) + ".");
      continue;
    }
    FleetJob job{.of_class = FleetTrace::no_class, .penalty = std::numeric_limits<double>::quiet_NaN()};
    job.submit_s = problems.number(r + 1, "arrival_s", cells[arrival], 0.0, false);
    if (job.submit_s < before)
      problems.problem(r + 1, "arrival_s is " + number_text(job.submit_s) +
                                  ", before that of the row above; wanted at least " + number_text(before) + ".");
    if (!std::isnan(job.submit_s)) before = job.submit_s;
    job.run_s = problems.number(r + 1, "run_s", cells[run], 0.0, false);
    const double wide = problems.number(r + 1, "gpus", cells[gpus], 1.0, true);
    job.gpus = static_cast<std::uint32_t>(std::isfinite(wide) ? std::min(wide, 1e9) : 1.0);
    if (penalty != none) job.penalty = problems.number(r + 1, "locality_penalty", cells[penalty], 1.0, false);
    if (of_class != none) {
      const auto known = application_class(trim(cells[of_class]));
      if (known) job.of_class = *known;
      else problems.problem(r + 1, "class is '" + quotable(cells[of_class]) + "'; wanted A, B, C or D.");
    }
    read.jobs.push_back(job);
    if (name != none) problems.once(r + 1, std::string(trim(cells[name])));
    read.names.push_back(name != none ? std::string(trim(cells[name])) : std::to_string(r - 1));
  }
  if (problems.any()) return problems.take();
  return read;
}

}  // namespace ergode
