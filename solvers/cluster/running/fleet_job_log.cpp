#include "solvers/cluster/running/fleet_job_log.h"

#include <cmath>
#include <string>

#include "core/base/text.h"
#include "solvers/cluster/running/fairness_columns.h"

namespace ergode {
namespace {

/// Who had which GPU from when to when, until the run ended, of a table of jobs: a Gantt chart.
ResultTable stretches_of(const FleetModel::Fleet& fleet, const ResultTable& jobs, const std::string& solver,
                         double end_s, const std::string& suffix) {
  constexpr std::size_t most_rows = 100'000;
  ResultTable out{
      .name = "gantt" + suffix, .title = "Who ran where on " + fleet.name + ", first history", .solver = solver};
  for (const char* column : {"gpu", "job", "from_s", "to_s"}) out.columns.push_back({column});
  std::size_t further = 0;
  for (std::size_t r = 0; r < jobs.rows.size(); ++r) {
    const double from_s = number_in(jobs, r, "start_s"), done_s = number_in(jobs, r, "completion_s");
    if (std::isnan(from_s)) continue;
    for (const std::string& gpu : split(std::get<std::string>(jobs.rows[r].back()), ' ')) {
      if (out.rows.size() < most_rows)
        out.rows.push_back({std::stod(gpu), jobs.rows[r].front(), from_s, std::isnan(done_s) ? end_s : done_s});
      else ++further;
    }
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
    one.start_s = now_s, one.slowdown = how.slowdown, one.nodes = how.nodes, one.gpus = how.gpus;
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
    out.push_back(
        table_of(f, fleet.name, solver,
                 {"job", "stream", "class", "gpus", "arrival_s", "run_s", "start_s", "completion_s", "wait_s", "jct_s",
                  "slowdown", "nodes", "state", "cost_usd", "placed_on"},
                 "Times in s; run_s: on median GPUs of one node; cost_usd: of the GPUs while a job had them, until it "
                 "was done or "
                 "the run ended, which is a part of what all of them cost.",
                 [&](const FleetJobRow& row) -> std::vector<ResultTable::Cell> {
                   const FleetModel::Stream& stream = model.streams[row.stream];
                   const FleetJob& job = row.job;
                   const auto started = [&](double value) { return known_by(end_s, row.start_s, value); };
                   const auto done = [&](double value) { return known_by(end_s, row.end_s, value); };
                   std::string placed;
                   for (const std::uint32_t gpu : row.gpus) placed += (placed.empty() ? "" : " ") + std::to_string(gpu);
                   return {name_of(model, fleet.streams.size() > 1, row,
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
                           state_word(row.rejected ? JobState::rejected : state_at(end_s, row.start_s, row.end_s)),
                           job.gpus * held_until(end_s, row.start_s, row.end_s) * fleet.price_per_s,
                           placed};
                 }));
    const std::vector<FleetJobRow>& rows = places_[f].rows;
    ResultTable stretches = stretches_of(fleet, out.back(), solver, end_s, places_.size() > 1 ? "_" + fleet.name : "");
    add_fairness_columns(out.back(), fleet.gpus(), "GPUs", [&](std::size_t row) { return rows[row].job.run_s; });
    out.push_back(std::move(stretches));
  }
  return out;
}

}  // namespace ergode
