#include "solvers/cluster/running/rental_job_log.h"

#include <cmath>

namespace ergode {

void RentalJobLog::begin(const void* writer, const RentalModel& model) {
  forget(writer, model.rentals.size(), model.streams.size());
}

std::uint32_t RentalJobLog::job_comes(const void* writer, std::uint32_t rental, std::uint32_t stream, double now_s) {
  return add(writer, rental, {.stream = stream, .came_s = now_s, .done = {}});
}

void RentalJobLog::job_done(const void* writer, std::uint32_t rental, std::uint32_t row, const Done& what) {
  change(writer, rental, row, [&](RentalJobRow& one) { one.done = what; });
}

std::vector<ResultTable> RentalJobLog::tables(const RentalModel& model, const std::string& solver) const {
  const std::lock_guard lock(mutex_);
  std::vector<ResultTable> out;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    if (places_[r].rows.empty()) continue;
    out.push_back(table_of(
        r, model.rentals[r].name, solver,
        {"job", "stream", "arrival_s", "start_s", "completion_s", "jct_s", "gpu_time_s", "lost_work_s", "interruptions",
         "state", "cost_usd", "failures"},
        "Times in s. GPUs are asked for when a job comes, which is its start; start-up times belong to its completion "
        "time. Interruptions are GPUs that the provider calls back, failures those of GPUs. Who is begun was not done "
        "when the history ended, and what he held is not told. Costs are those of a "
        "job's own GPUs at the price at which it got them; reserved GPUs are billed together, in use or not.",
        [&](const RentalJobRow& row) -> std::vector<ResultTable::Cell> {
          const bool is_done = std::isfinite(row.done.end_s);
          const auto known = [&](double value) { return is_done ? value : std::numeric_limits<double>::quiet_NaN(); };
          return {std::to_string(row.number),
                  model.streams[row.stream].name,
                  row.came_s,
                  row.came_s,
                  known(row.done.end_s),
                  known(row.done.end_s - row.came_s),
                  known(row.done.gpu_time_s),
                  known(row.done.lost_s),
                  known(row.done.interruptions),
                  std::string(is_done ? "completed" : "begun"),
                  known(row.done.cost),
                  known(row.done.failures)};
        }));
  }
  return out;
}

}  // namespace ergode
