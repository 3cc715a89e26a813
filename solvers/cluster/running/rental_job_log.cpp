#include "solvers/cluster/running/rental_job_log.h"

#include <algorithm>
#include <cmath>

#include "solvers/cluster/running/job_state.h"

namespace ergode {
namespace {

/// Who had GPUs from when to when, until the run ended: a Gantt chart. Of a cluster that is shared from arrival to
/// completion, with the mean of his parts.
ResultTable stretches_of_rental(const RentalModel::Rental& rental, const ResultTable& jobs,
                                const std::vector<RentalJobRow>& rows) {
  constexpr std::size_t most_rows = 100'000;
  ResultTable out{.name = "gantt", .title = "Who had GPUs when of " + rental.name + ", first history"};
  for (const char* column : {"rental", "job", "from_s", "to_s", "gpus"}) out.columns.push_back({column});
  std::size_t further = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RentalJobRow& row = rows[r];
    if (!row.done.told) continue;
    const auto add = [&](double from_s, double to_s, double gpus) {
      if (out.rows.size() == most_rows) ++further;
      else out.rows.push_back({rental.name, cell_text(jobs.rows[r][0]), from_s, to_s, gpus});
    };
    for (const RentalJobRow::Stretch& one : row.stretches)
      add(one.from_s, std::min(one.to_s, row.done.until_s), one.gpus);
    const double stay_s = row.done.until_s - row.came_s;
    if (rental.shares() && stay_s > 0.0) add(row.came_s, row.done.until_s, row.done.gpu_time_s / stay_s);
  }
  if (rental.shares()) out.note = "All share all GPUs: those of a job are the mean of its parts while it was there.";
  if (further > 0)
    out.note += (out.note.empty() ? "" : " ") + std::to_string(further) + " further stretches are left out.";
  return out;
}

}  // namespace

void RentalJobLog::begin(const void* writer, const RentalModel& model) {
  forget(writer, model.rentals.size(), model.streams.size());
}

std::uint32_t RentalJobLog::job_comes(const void* writer, std::uint32_t rental, std::uint32_t stream, double now_s) {
  return add(writer, rental, {.stream = stream, .came_s = now_s, .stretches = {}, .done = {}});
}

void RentalJobLog::job_takes(const void* writer, std::uint32_t rental, std::uint32_t row, double now_s, double gpus) {
  change(writer, rental, row, [&](RentalJobRow& one) { one.stretches.push_back({.from_s = now_s, .gpus = gpus}); });
}

void RentalJobLog::job_gives(const void* writer, std::uint32_t rental, std::uint32_t row, double now_s) {
  change(writer, rental, row, [&](RentalJobRow& one) { one.stretches.back().to_s = now_s; });
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
        r, model.rentals[r].name, model.tables, solver,
        {"job", "stream", "arrival_s", "start_s", "completion_s", "jct_s", "gpu_time_s", "lost_work_s", "interruptions",
         "state", "cost_usd", "failures", "slowdown"},
        "Times in s. GPUs are asked for when a job comes, which is its start; start-up times belong to its completion "
        "time. Interruptions are GPUs that the provider calls back, failures those of GPUs. Who is running, or waits "
        "for GPUs that were taken, was not done when the history ended; what he held is until then. Slowdown: "
        "completion "
        "time over what the work takes on " +
            std::string(model.rentals[r].shares() ? "all of the cluster" : "the job's GPUs") +
            " with nothing in its way. Costs are those of a job's own GPUs" +
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
                  had(row.done.failures),
                  row.done.alone_s > 0.0 ? done((row.done.end_s - row.came_s) / row.done.alone_s)
                                         : std::numeric_limits<double>::quiet_NaN()};
        }));
    ResultTable stretches = stretches_of_rental(model.rentals[r], out.back(), places_[r].rows);
    stretches.solver = solver;
    stretches.name += model.tables.suffix(model.rentals[r].name);
    out.push_back(std::move(stretches));
  }
  return out;
}

}  // namespace ergode
