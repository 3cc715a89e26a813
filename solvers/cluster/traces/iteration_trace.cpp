#include "solvers/cluster/traces/iteration_trace.h"

#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/text_lines.h"

namespace ergode {
namespace {

class IterationRows {
 public:
  explicit IterationRows(const std::string& file) : file_(file) {}
  void problem(std::size_t row, const std::string& what) {
    constexpr std::size_t most = 20;
    if (++found_ <= most)
      problems_.push_back(
          {.code = "ITR011", .message = file_ + (row == 0 ? "" : ", row " + std::to_string(row)) + ": " + what});
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
  /// @returns the least after a complaint.
  double number(std::size_t row, const std::string& column, const std::string& cell, double least, bool above,
                double most, bool whole = false) {
    const auto value = parse_number(trim(cell));
    if (value && std::isfinite(*value) && (above ? *value > least : *value >= least) && *value <= most &&
        (!whole || *value == std::floor(*value)))
      return *value;
    problem(row, column + " is '" + quotable(cell) + "'; wanted a " + (whole ? "whole " : "") + "number " +
                     (above ? "above " : "from ") + number_text(least) + (above ? "" : " on") + ", at most " +
                     number_text(most) + ".");
    return least;
  }

 private:
  const std::string& file_;
  Diagnostics problems_;
  std::size_t found_ = 0;
  std::unordered_map<std::string, std::size_t> known_;  ///< names -> their row
};

}  // namespace

std::optional<std::vector<double>> parse_shares(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::string plain(text);
  for (char& c : plain)
    if (c == ',') c = ' ';
  std::vector<double> out;
  for (const std::string& part : split(plain, ' ')) {
    if (trim(part).empty()) continue;
    const auto value = parse_number(trim(part));
    if (!value || !(*value >= 0.0 && *value <= 1.0)) return std::nullopt;
    out.push_back(*value);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::variant<IterationTrace, Diagnostics> read_iteration_trace(std::string_view text, const std::string& file,
                                                               const IterationDefaults& defaults) {
  IterationRows problems(file);
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
  const std::size_t arrival = column({"arrival_s", "submit_time"}), iterations = column({"iterations"}),
                    workers = column({"workers", "num_gpu"}), forward = column({"forward_s"}),
                    backward = column({"backward_s"}), duration = column({"duration"}),
                    name = column({"job", "job_id"}), parameters = column({"parameter_bytes"}),
                    activations = column({"activation_bytes"}), optimiser = column({"optimiser_bytes"}),
                    phi = column({"phi"});
  const bool pair = forward != none && backward != none;
  for (const auto& [at, wanted] : {std::pair(arrival, "arrival_s"),
                                   {iterations, "iterations"},
                                   {workers, "workers"},
                                   {pair ? forward : duration, "forward_s with backward_s, or duration"}})
    if (at == none)
      problems.problem(1, std::string("there is no column ") + wanted +
                              "; wanted arrival_s, iterations, workers and forward_s with backward_s, or duration.");
  if (problems.any()) return problems.take();
  constexpr double most_s = 1e9, most_bytes = 1e18;
  IterationTrace out;
  double before = 0.0;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto& cells = rows[r];
    if (cells.size() != none) {
      problems.problem(r + 1, std::to_string(cells.size()) + " cells; wanted " + std::to_string(none) + ".");
      continue;
    }
    IterationJob job;
    job.arrival_s = problems.number(r + 1, "arrival_s", cells[arrival], 0.0, false, most_s);
    if (job.arrival_s < before)
      problems.problem(r + 1, "arrival_s is " + number_text(job.arrival_s) +
                                  ", before that of the row above; wanted at least " + number_text(before) + ".");
    if (!std::isnan(job.arrival_s)) before = job.arrival_s;
    job.iterations =
        static_cast<std::uint64_t>(problems.number(r + 1, "iterations", cells[iterations], 1, false, 1e15, true));
    job.workers = static_cast<std::uint32_t>(problems.number(r + 1, "workers", cells[workers], 1, false, 1e6, true));
    if (pair) {
      job.costs.forward_s = problems.number(r + 1, "forward_s", cells[forward], 0.0, true, most_s);
      job.costs.backward_s = problems.number(r + 1, "backward_s", cells[backward], 0.0, false, most_s);
    } else {
      const double each =
          problems.number(r + 1, "duration", cells[duration], 0.0, true, most_s) / static_cast<double>(job.iterations);
      job.costs.forward_s = each / (1.0 + defaults.backward_per_forward);
      job.costs.backward_s = each - job.costs.forward_s;
    }
    const auto bytes = [&](std::size_t at, const char* what, double otherwise) {
      return at == none ? otherwise : problems.number(r + 1, what, cells[at], 0.0, false, most_bytes);
    };
    job.costs.parameter_bytes = bytes(parameters, "parameter_bytes", defaults.parameter_bytes);
    job.costs.activation_bytes = bytes(activations, "activation_bytes", defaults.activation_bytes);
    job.costs.optimiser_bytes = bytes(optimiser, "optimiser_bytes", defaults.optimiser_bytes);
    if (phi != none && !trim(cells[phi]).empty()) {
      const auto shares = parse_shares(cells[phi]);
      if (shares) job.phi = *shares;
      else problems.problem(r + 1, "phi is '" + quotable(cells[phi]) + "'; wanted shares from 0 to 1.");
    }
    out.jobs.push_back(std::move(job));
    if (name != none) problems.once(r + 1, std::string(trim(cells[name])));
    out.names.push_back(name != none ? std::string(trim(cells[name])) : std::to_string(r - 1));
  }
  if (problems.any()) return problems.take();
  return out;
}

}  // namespace ergode
