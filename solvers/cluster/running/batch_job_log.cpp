#include "solvers/cluster/running/batch_job_log.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/cluster/running/fairness_columns.h"

namespace ergode {
namespace {

/// Who had hosts from when to when, until the run ended: a Gantt chart, as that of a trace (batch_tables.h).
ResultTable stretches_of_pool(const std::string& pool, const ResultTable& jobs, const std::vector<BatchJobRow>& rows,
                              double end_s) {
  constexpr std::size_t most_rows = 100'000;
  ResultTable out{.name = "gantt", .title = "Who ran when on " + pool + ", first history"};
  for (const char* column : {"pool", "job", "from_s", "to_s", "hosts"}) out.columns.push_back({column});
  std::size_t further = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto add = [&](double from_s, double to_s) {
      if (out.rows.size() == most_rows) ++further;
      else out.rows.push_back({pool, cell_text(jobs.rows[r][0]), from_s, to_s, static_cast<double>(rows[r].job.hosts)});
    };
    for (const auto& [from_s, to_s] : rows[r].before) add(from_s, to_s);
    const bool has_them = rows[r].state == JobState::running;
    if (has_them || std::isfinite(rows[r].end_s)) add(rows[r].since_s, has_them ? end_s : rows[r].end_s);
  }
  if (further > 0) out.note = std::to_string(further) + " further stretches are left out.";
  return out;
}

}  // namespace

void BatchJobLog::begin(const void* writer, const BatchModel& model) {
  forget(writer, model.pools.size(), model.streams.size());
}

std::uint32_t BatchJobLog::job_comes(const void* writer, std::uint32_t pool, std::uint32_t stream, const BatchJob& job,
                                     bool rejected) {
  BatchJobRow row{.stream = stream, .job = job};
  if (rejected) row.state = JobState::rejected;
  return add(writer, pool, std::move(row));
}

void BatchJobLog::job_starts(const void* writer, std::uint32_t pool, std::uint32_t row, double slowdown, double now_s) {
  change(writer, pool, row, [&](BatchJobRow& one) {
    one.slowdown = slowdown, one.start_s = std::min(one.start_s, now_s), one.since_s = now_s;
    one.state = JobState::running;
  });
}

void BatchJobLog::job_is_stopped(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s,
                                 double lost_s) {
  change(writer, pool, row, [&](BatchJobRow& one) {
    one.before.emplace_back(one.since_s, one.since_s + held_s);
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
    std::vector<std::string> columns = {"job",      "stream",      "arrival_s",    "hosts",   "run_s",
                                        "limit_s",  "start_s",     "completion_s", "wait_s",  "jct_s",
                                        "restarts", "lost_work_s", "state",        "cost_usd"};
    const bool differ = pool.variation.any();
    if (differ) columns.push_back("host_slowdown");
    out.push_back(table_of(
        p, pool.name, model.tables, solver, columns,
        "Times in s. The start is the first one; who failed and waits again is waiting. Costs are those of the hosts "
        "until the job left them or the run ended.",
        [&](const BatchJobRow& row) -> std::vector<ResultTable::Cell> {
          const BatchModel::Stream& stream = model.streams[row.stream];
          const double came_s = row.job.submit_s, hosts = row.job.hosts;
          const double held_s = row.held_s + (row.state == JobState::running ? end_s - row.since_s : 0.0);
          std::vector<ResultTable::Cell> cells = {
              name_of(model, pool.streams.size() > 1, row,
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
          if (differ)
            cells.emplace_back(std::isfinite(row.start_s) ? row.slowdown : std::numeric_limits<double>::quiet_NaN());
          return cells;
        }));
    const std::vector<BatchJobRow>& rows = places_[p].rows;
    ResultTable stretches = stretches_of_pool(pool.name, out.back(), rows, end_s);
    stretches.solver = solver;
    stretches.name += model.tables.suffix(pool.name);
    add_fairness_columns(out.back(), pool.hosts, "hosts",
                         [&](std::size_t row) { return std::min(rows[row].job.run_s, rows[row].job.limit_s); });
    out.push_back(std::move(stretches));
  }
  return out;
}

}  // namespace ergode
