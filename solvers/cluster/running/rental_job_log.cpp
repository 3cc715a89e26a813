#include "solvers/cluster/running/rental_job_log.h"

#include <cmath>

namespace ergode {

void RentalJobLog::begin(const void* writer, const RentalModel& model) {
  const std::lock_guard lock(mutex_);
  writer_ = writer;
  rentals_.assign(model.rentals.size(), {}), came_.assign(model.streams.size(), 0);
}

std::uint32_t RentalJobLog::job_comes(const void* writer, std::uint32_t rental, std::uint32_t stream, double now_s) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_) return no_row;
  Rental& one = rentals_[rental];
  const std::uint64_t number = came_[stream]++;
  if (one.rows.size() == most_jobs) {
    ++one.untold;
    return no_row;
  }
  one.rows.push_back({.stream = stream, .number = number, .came_s = now_s, .done = {}});
  return static_cast<std::uint32_t>(one.rows.size() - 1);
}

void RentalJobLog::job_done(const void* writer, std::uint32_t rental, std::uint32_t row, const Done& what) {
  const std::lock_guard lock(mutex_);
  if (writer == writer_) rentals_[rental].rows[row].done = what;
}

std::vector<ResultTable> RentalJobLog::tables(const RentalModel& model, const std::string& solver) const {
  const std::lock_guard lock(mutex_);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<ResultTable> out;
  for (std::size_t r = 0; r < rentals_.size(); ++r) {
    const Rental& seen = rentals_[r];
    if (seen.rows.empty()) continue;
    const std::string& name = model.rentals[r].name;
    ResultTable table{.name = "jobs" + (rentals_.size() > 1 ? "_" + name : std::string()),
                      .title = "Jobs of the first history at " + name,
                      .solver = solver};
    for (const char* column : {"job", "stream", "arrival_s", "start_s", "completion_s", "jct_s", "gpu_time_s",
                               "lost_work_s", "interruptions", "state", "cost_usd"})
      table.columns.push_back({column});
    for (const Row& row : seen.rows) {
      const bool is_done = std::isfinite(row.done.end_s);
      const auto known = [&](double value) { return is_done ? value : none; };
      table.rows.push_back({std::to_string(row.number), model.streams[row.stream].name, row.came_s, row.came_s,
                            known(row.done.end_s), known(row.done.end_s - row.came_s), known(row.done.gpu_time_s),
                            known(row.done.lost_s), known(row.done.interruptions),
                            std::string(is_done ? "completed" : "begun"), known(row.done.cost)});
    }
    table.note =
        "Times in s. GPUs are asked for when a job comes, which is its start; start-up times belong to its completion "
        "time. Who is begun was not done when the history ended, and what he held is not told. Costs are those of a "
        "job's "
        "own GPUs at the price at which it got them; reserved GPUs are billed together, in use or not.";
    if (seen.untold > 0) table.note += " " + std::to_string(seen.untold) + " further jobs are left out.";
    out.push_back(std::move(table));
  }
  return out;
}

}  // namespace ergode
