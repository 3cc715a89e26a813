#include "solvers/cluster/running/fleet_job_log.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "solvers/cluster/running/fairness_columns.h"

namespace ergode {
namespace {

/// Who had which GPU from when to when, until the run ended, of a table of jobs and what is behind it: a Gantt chart.
ResultTable stretches_of(const FleetModel::Fleet& fleet, const ResultTable& jobs, const std::vector<FleetJobRow>& rows,
                         const std::string& solver, double end_s, const std::string& suffix) {
  constexpr std::size_t most_rows = 100'000;
  ResultTable out{
      .name = "gantt" + suffix, .title = "Who ran where on " + fleet.name + ", first history", .solver = solver};
  for (const char* column : {"gpu", "job", "from_s", "to_s"}) out.columns.push_back({column});
  std::size_t further = 0;
  const auto add = [&](const ResultTable::Cell& job, double from_s, double to_s,
                       const std::vector<std::uint32_t>& gpus) {
    if (from_s > end_s) return;
    for (const std::uint32_t gpu : gpus) {
      if (out.rows.size() < most_rows)
        out.rows.push_back({static_cast<double>(gpu), job, from_s, std::min(to_s, end_s)});
      else ++further;
    }
  };
  for (std::size_t r = 0; r < jobs.rows.size(); ++r) {
    for (const FleetJobRow::Stretch& one : rows[r].before) add(jobs.rows[r].front(), one.from_s, one.to_s, one.gpus);
    add(jobs.rows[r].front(), rows[r].since_s, rows[r].end_s, rows[r].gpus);
  }
  if (further > 0) out.note = std::to_string(further) + " further stretches are left out.";
  return out;
}

}  // namespace

void FleetJobLog::begin(const void* writer, const FleetModel& model) {
  forget(writer, model.fleets.size(), model.streams.size());
}

std::uint32_t FleetJobLog::job_comes(const void* writer, std::uint32_t fleet, std::uint32_t stream, const FleetJob& job,
                                     bool rejected) {
  return add(writer, fleet, {.stream = stream, .job = job, .gpus = {}, .rejected = rejected});
}

void FleetJobLog::job_starts(const void* writer, std::uint32_t fleet, std::uint32_t row,
                             const FleetScheduler::Started& how, double now_s) {
  change(writer, fleet, row, [&](FleetJobRow& one) {
    one.start_s = std::min(one.start_s, now_s), one.since_s = now_s, one.slowdown = how.slowdown, one.nodes = how.nodes,
    one.gpus = how.gpus;
  });
}

void FleetJobLog::job_loses_node(const void* writer, std::uint32_t fleet, std::uint32_t row, double now_s,
                                 double lost_s) {
  change(writer, fleet, row, [&](FleetJobRow& one) {
    one.before.push_back({one.since_s, now_s, std::move(one.gpus)});
    one.gpus.clear(), one.since_s = std::numeric_limits<double>::infinity(), one.lost_s += lost_s;
  });
}

void FleetJobLog::job_leaves(const void* writer, std::uint32_t fleet, std::uint32_t row, double now_s) {
  change(writer, fleet, row, [&](FleetJobRow& one) { one.end_s = now_s; });
}

std::vector<ResultTable> FleetJobLog::tables(const FleetModel& model, const std::string& solver, double end_s) const {
  const std::lock_guard lock(mutex_);
  std::vector<ResultTable> out;
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const FleetModel::Fleet& fleet = model.fleets[f];
    if (places_[f].rows.empty()) continue;
    std::vector<std::string> columns = {"job",      "stream",  "class",        "gpus",     "arrival_s",
                                        "run_s",    "start_s", "completion_s", "wait_s",   "jct_s",
                                        "slowdown", "nodes",   "state",        "cost_usd", "placed_on"};
    const bool fails = fleet.failures.any();
    if (fails) columns.insert(columns.end(), {"restarts", "lost_work_s"});
    out.push_back(
        table_of(f, fleet.name, model.tables, solver, columns,
                 "Times in s; run_s: on median GPUs of one node; cost_usd: of the GPUs while a job had them, until it "
                 "was done or "
                 "the run ended, which is a part of what all of them cost." +
                     std::string(fails ? " Restarts: after it lost a node; who has and waits again is waiting; start: "
                                         "the first one; slowdown and place: of the last."
                                       : ""),
                 [&](const FleetJobRow& row) -> std::vector<ResultTable::Cell> {
                   const FleetModel::Stream& stream = model.streams[row.stream];
                   const FleetJob& job = row.job;
                   const auto started = [&](double value) { return known_by(end_s, row.start_s, value); };
                   const auto done = [&](double value) { return known_by(end_s, row.end_s, value); };
                   std::string placed;
                   for (const std::uint32_t gpu : row.gpus) placed += (placed.empty() ? "" : " ") + std::to_string(gpu);
                   double held_s = held_until(end_s, row.since_s, row.end_s);
                   for (const FleetJobRow::Stretch& one : row.before) held_s += held_until(end_s, one.from_s, one.to_s);
                   std::vector<ResultTable::Cell> cells = {
                       name_of(model, fleet.streams.size() > 1, row,
                               stream.trace ? stream.trace->names[row.number] : std::to_string(row.number)),
                       stream.name,
                       application_class_names[job.of_class],
                       static_cast<double>(job.gpus),
                       job.submit_s,
                       job.run_s,
                       started(row.start_s),
                       done(row.end_s),
                       started(row.start_s - job.submit_s),
                       done(row.end_s - job.submit_s),
                       started(row.slowdown),
                       started(row.nodes),
                       state_word(row.rejected ? JobState::rejected : state_at(end_s, row.since_s, row.end_s)),
                       job.gpus * held_s * fleet.price_per_s,
                       placed};
                   if (fails)
                     cells.emplace_back(static_cast<double>(row.before.size())), cells.emplace_back(row.lost_s);
                   return cells;
                 }));
    const std::vector<FleetJobRow>& rows = places_[f].rows;
    ResultTable stretches = stretches_of(fleet, out.back(), rows, solver, end_s, model.tables.suffix(fleet.name));
    add_fairness_columns(out.back(), fleet.gpus(), "GPUs", [&](std::size_t row) { return rows[row].job.run_s; });
    out.push_back(std::move(stretches));
  }
  return out;
}

}  // namespace ergode
