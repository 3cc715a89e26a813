#include "solvers/cluster/running/fairness_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/cluster/rounds/fairness.h"
#include "solvers/cluster/running/job_state.h"

namespace ergode {
namespace {

std::size_t place_of(const ResultTable& table, const std::string& column) {
  const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                               [&](const ResultTable::Column& one) { return one.label == column; });
  return static_cast<std::size_t>(at - table.columns.begin());
}

}  // namespace

double number_in(const ResultTable& table, std::size_t row, const std::string& column) {
  return std::get<double>(table.rows[row][place_of(table, column)]);
}

void add_fairness_columns(ResultTable& jobs, double gpus, const std::string& what,
                          const std::function<double(std::size_t row)>& exclusive_s) {
  const std::size_t arrival = place_of(jobs, "arrival_s"), completion = place_of(jobs, "completion_s"),
                    state = place_of(jobs, "state");
  std::vector<TimedJob> timed;
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < jobs.rows.size(); ++r) {
    const auto& row = jobs.rows[r];
    if (std::get<std::string>(row[state]) == state_word(JobState::rejected)) continue;
    const double done_s = std::get<double>(row[completion]);
    rows.push_back(r);
    timed.push_back({std::get<double>(row[arrival]),
                     std::isfinite(done_s) ? done_s : std::numeric_limits<double>::infinity(), exclusive_s(r)});
  }
  const FinishTimeFairness ratios = finish_time_fairness(timed, gpus);
  jobs.columns.push_back({"rho"}), jobs.columns.push_back({"rho_contended"});
  for (auto& row : jobs.rows) row.insert(row.end(), 2, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& row = jobs.rows[rows[i]];
    row[row.size() - 2] = ratios.rho[i], row.back() = ratios.rho_contended[i];
  }
  jobs.note += " rho: completion time over that with an equal part of the " + what +
               " for all these jobs; rho_contended: for those that were there.";
}

}  // namespace ergode
