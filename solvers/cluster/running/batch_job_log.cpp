#include "solvers/cluster/running/batch_job_log.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/cluster/running/fairness_columns.h"

namespace ergode {
void BatchJobLog::begin(const void* writer, const BatchModel& model) {
  forget(writer, model.pools.size(), model.streams.size());
}

std::uint32_t BatchJobLog::job_comes(const void* writer, std::uint32_t pool, std::uint32_t stream, const BatchJob& job,
                                     bool rejected) {
  BatchJobRow row{.stream = stream, .job = job};
  if (rejected) row.state = JobState::rejected;
  return add(writer, pool, std::move(row));
}

void BatchJobLog::job_starts(const void* writer, std::uint32_t pool, std::uint32_t row, double now_s) {
  change(writer, pool, row, [&](BatchJobRow& one) {
    one.start_s = std::min(one.start_s, now_s), one.since_s = now_s;
    one.state = JobState::running;
  });
}

void BatchJobLog::job_is_stopped(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s,
                                 double lost_s) {
  change(writer, pool, row, [&](BatchJobRow& one) {
    one.held_s += held_s, one.lost_s += lost_s, ++one.restarts;
    one.state = JobState::waiting;
  });
}

void BatchJobLog::job_leaves(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s, double now_s,
                             bool killed) {
  change(writer, pool, row, [&](BatchJobRow& one) {
    one.held_s += held_s, one.end_s = now_s;
    one.state = killed ? JobState::killed : JobState::completed;
  });
}

std::vector<ResultTable> BatchJobLog::tables(const BatchModel& model, const std::string& solver, double end_s) const {
  const std::lock_guard lock(mutex_);
  const auto or_none = [](double value) {
    return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<ResultTable> out;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const BatchModel::Pool& pool = model.pools[p];
    if (places_[p].rows.empty()) continue;
    out.push_back(table_of(
        p, pool.name, solver,
        {"job", "stream", "arrival_s", "hosts", "run_s", "limit_s", "start_s", "completion_s", "wait_s", "jct_s",
         "restarts", "lost_work_s", "state", "cost_usd"},
        "Times in s. The start is the first one; who failed and waits again is waiting. Costs are those of the hosts "
        "until the job left them or the run ended.",
        [&](const BatchJobRow& row) -> std::vector<ResultTable::Cell> {
          const BatchModel::Stream& stream = model.streams[row.stream];
          const double came_s = row.job.submit_s, hosts = row.job.hosts;
          const double held_s = row.held_s + (row.state == JobState::running ? end_s - row.since_s : 0.0);
          return {name_of(model, pool.streams.size() > 1, row,
                          stream.trace ? stream.trace->names[row.number] : std::to_string(row.number)),
                  stream.name,
                  came_s,
                  hosts,
                  row.job.run_s,
                  or_none(row.job.limit_s),
                  or_none(row.start_s),
                  or_none(row.end_s),
                  or_none(row.start_s - came_s),
                  or_none(row.end_s - came_s),
                  static_cast<double>(row.restarts),
                  row.lost_s,
                  state_word(row.state),
                  hosts * held_s * pool.price_per_s};
        }));
    const std::vector<BatchJobRow>& rows = places_[p].rows;
    add_fairness_columns(out.back(), pool.hosts, "hosts",
                         [&](std::size_t row) { return std::min(rows[row].job.run_s, rows[row].job.limit_s); });
  }
  return out;
}

}  // namespace ergode
