#include "solvers/cluster/running/batch_job_log.h"

#include <cmath>
#include <string>

namespace ergode {
namespace {

const char* to_text(BatchJobLog::Outcome outcome) {
  switch (outcome) {
    case BatchJobLog::Outcome::begun:
      return "begun";
    case BatchJobLog::Outcome::completed:
      return "completed";
    case BatchJobLog::Outcome::killed:
      return "killed";
    case BatchJobLog::Outcome::rejected:
      return "rejected";
    case BatchJobLog::Outcome::waits:
      break;
  }
  return "waiting";
}

}  // namespace

void BatchJobLog::begin(const void* writer, const BatchModel& model) {
  const std::lock_guard lock(mutex_);
  writer_ = writer;
  pools_.assign(model.pools.size(), {}), came_.assign(model.streams.size(), 0);
  for (std::size_t p = 0; p < pools_.size(); ++p) pools_[p].told_otherwise = model.known_beforehand(model.pools[p]);
}

std::uint32_t BatchJobLog::job_comes(const void* writer, std::uint32_t pool, std::uint32_t stream, const BatchJob& job,
                                     bool rejected) {
  const std::lock_guard lock(mutex_);
  if (writer != writer_ || pools_[pool].told_otherwise) return no_row;
  Pool& one = pools_[pool];
  const std::uint64_t number = came_[stream]++;
  if (one.rows.size() == most_jobs) {
    ++one.untold;
    return no_row;
  }
  one.rows.push_back({.stream = stream, .number = number, .job = job});
  if (rejected) one.rows.back().outcome = Outcome::rejected;
  return static_cast<std::uint32_t>(one.rows.size() - 1);
}

BatchJobLog::Row* BatchJobLog::row_of(const void* writer, std::uint32_t pool, std::uint32_t row) {
  return writer == writer_ && row != no_row ? &pools_[pool].rows[row] : nullptr;
}

void BatchJobLog::job_starts(const void* writer, std::uint32_t pool, std::uint32_t row, double now_s) {
  const std::lock_guard lock(mutex_);
  Row* one = row_of(writer, pool, row);
  if (one == nullptr) return;
  if (one->outcome == Outcome::waits && std::isinf(one->start_s)) one->start_s = now_s;
  one->outcome = Outcome::begun;
}

void BatchJobLog::job_is_stopped(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s,
                                 double lost_s) {
  const std::lock_guard lock(mutex_);
  if (Row* one = row_of(writer, pool, row); one != nullptr)
    one->held_s += held_s, one->lost_s += lost_s, ++one->restarts, one->outcome = Outcome::waits;
}

void BatchJobLog::job_leaves(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s, double now_s,
                             bool killed) {
  const std::lock_guard lock(mutex_);
  if (Row* one = row_of(writer, pool, row); one != nullptr) {
    one->held_s += held_s, one->end_s = now_s;
    one->outcome = killed ? Outcome::killed : Outcome::completed;
  }
}

std::vector<ResultTable> BatchJobLog::tables(const BatchModel& model, const std::string& solver) const {
  const std::lock_guard lock(mutex_);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto or_none = [](double value) { return std::isfinite(value) ? value : none; };
  std::vector<ResultTable> out;
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const Pool& seen = pools_[p];
    if (seen.rows.empty()) continue;
    const BatchModel::Pool& pool = model.pools[p];
    ResultTable table{.name = "jobs" + (pools_.size() > 1 ? "_" + pool.name : std::string()),
                      .title = "Jobs of the first history at " + pool.name,
                      .solver = solver};
    for (const char* column : {"job", "stream", "arrival_s", "hosts", "run_s", "limit_s", "start_s", "completion_s",
                               "wait_s", "jct_s", "restarts", "lost_work_s", "state", "cost_usd"})
      table.columns.push_back({column});
    for (const Row& row : seen.rows) {
      const BatchModel::Stream& stream = model.streams[row.stream];
      const double came_s = row.job.submit_s, hosts = row.job.hosts;
      table.rows.push_back({stream.trace ? stream.trace->names[row.number] : std::to_string(row.number), stream.name,
                            came_s, hosts, row.job.run_s, or_none(row.job.limit_s), or_none(row.start_s),
                            or_none(row.end_s), or_none(row.start_s - came_s), or_none(row.end_s - came_s),
                            static_cast<double>(row.restarts), row.lost_s, std::string(to_text(row.outcome)),
                            hosts * row.held_s * pool.price_per_s});
    }
    table.note =
        "Times in s. The start is the first one; who failed and waits again is waiting. Costs are those of the hosts "
        "until the job left them, so far as it did.";
    if (seen.untold > 0) table.note += " " + std::to_string(seen.untold) + " further jobs are left out.";
    out.push_back(std::move(table));
  }
  return out;
}

}  // namespace ergode
