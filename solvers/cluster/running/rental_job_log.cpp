#include "solvers/cluster/running/rental_job_log.h"

#include <cmath>

#include "solvers/cluster/running/job_state.h"

namespace ergode {

void RentalJobLog::begin(const void* writer, const RentalModel& model) {
  forget(writer, model.rentals.size(), model.streams.size());
}

std::uint32_t RentalJobLog::job_comes(const void* writer, std::uint32_t rental, std::uint32_t stream, double now_s) {
  return add(writer, rental, {.stream = stream, .came_s = now_s, .done = {}});
}

void RentalJobLog::job_done(const void* writer, std::uint32_t rental, std::uint32_t row, const Done& what) {
  change(writer, rental, row, [&](RentalJobRow& one) { one.done = what, one.done.told = true; });
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
        "time. Interruptions are GPUs that the provider calls back, failures those of GPUs. Who is running, or waits "
        "for GPUs that were taken, was not done when the history ended; what he held is until then. Costs are those of "
        "a job's own GPUs" +
            std::string(model.rentals[r].blends()
                            ? ": what is paid for all GPUs in use is divided evenly among them at every moment."
                            : " at the price at which it got them.") +
            (model.rentals[r].reserves() || model.rentals[r].shares()
                 ? " GPUs that are paid for nobody stand in the bill."
                 : ""),
        [&](const RentalJobRow& row) -> std::vector<ResultTable::Cell> {
          const bool is_done = std::isfinite(row.done.end_s);
          const auto done = [&](double value) { return known_by(row.done.end_s, row.done.end_s, value); };
          // Of who is there in a history that was stopped nobody tells.
          const auto had = [&](double value) {
            return row.done.told ? value : std::numeric_limits<double>::quiet_NaN();
          };
          const JobState state = is_done ? JobState::completed : row.done.waits ? JobState::waiting : JobState::running;
          return {name_of(model, model.rentals[r].streams.size() > 1, row, std::to_string(row.number)),
                  model.streams[row.stream].name,
                  row.came_s,
                  row.came_s,
                  done(row.done.end_s),
                  done(row.done.end_s - row.came_s),
                  had(row.done.gpu_time_s),
                  had(row.done.lost_s),
                  had(row.done.interruptions),
                  state_word(state),
                  had(row.done.cost),
                  had(row.done.failures)};
        }));
  }
  return out;
}

}  // namespace ergode
