#include "solvers/cluster/running/iteration_part.h"

#include <algorithm>

#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/flowing_rates.h"
#include "solvers/cluster/running/iteration_tables.h"
#include "solvers/cluster/running/rows_left_out.h"
#include "solvers/cluster/running/running_iterations.h"

namespace ergode {
namespace {

using DrawnScheduler = IterationModel::Scheduler;

/// A schedule that every history plays.
IterationsTold told_of_schedule(const DrawnScheduler& one, const ScheduledIterations& made, double end_s) {
  IterationsTold out{.scheduler = &one,
                     .end_s = end_s,
                     .jobs = one.trace->jobs,
                     .names = one.trace->names,
                     .until = made.run.jobs,
                     .run = &made.run,
                     .baseline = &made.baseline,
                     .from = {}};
  const bool cut = std::any_of(made.run.jobs.begin(), made.run.jobs.end(),
                               [&](const IterationOutcome& job) { return !(job.end_s <= end_s); });
  if (!cut) return out;
  // What those had who were not done.
  IterationOptions options = one.options;
  options.until_s = end_s, options.most_spans = 0;
  out.until = run_iterations(one.trace->jobs, options).jobs;
  return out;
}

/// The first history of one that runs as it goes.
IterationsTold told_of_history(const IterationModel& model, const DrawnScheduler& one, const IterationRecord& record,
                               double end_s) {
  IterationsTold out{.scheduler = &one,
                     .exact = false,
                     .end_s = end_s,
                     .jobs = record.jobs,
                     .names = {},
                     .until = record.run.jobs,
                     .run = &record.run,
                     .baseline = &record.baseline,
                     .from = record.from,
                     .untold = record.untold};
  for (const IterationRecord::From& from : record.from) {
    const IterationModel::Stream& stream = model.streams[from.stream];
    const std::string name = stream.trace ? stream.trace->names[from.number] : std::to_string(from.number);
    out.names.push_back(one.streams.size() > 1 ? stream.name + "/" + name : name);
  }
  return out;
}

}  // namespace

std::unique_ptr<RunningPart> IterationPart::run(World& world, std::uint64_t seed) const {
  return std::make_unique<RunningIterations>(*this, world, seed, end_);
}

std::vector<LoweredPart::Thing> IterationPart::things() const {
  std::vector<Thing> out;
  for (const DrawnScheduler& one : model.schedulers)
    out.push_back({one.element, "the scheduler of iterations \"" + one.name + "\""});
  return out;
}

void IterationPart::know_slots(const KnownSlots& known, Diagnostics& problems) {
  for (const DrawnScheduler& one : model.schedulers)
    know_conditions(one.failures, "ITR009", one.element, one.name, known.flowing, problems);
  know_rates(model.streams, "ITR009", known.flowing, problems);
}

const std::vector<ScheduledIterations>& IterationPart::schedules() const {
  std::call_once(worked_out_, [this] {
    for (const DrawnScheduler& one : model.schedulers)
      if (one.played())
        schedules_.push_back(
            {run_iterations(one.trace->jobs, one.options), run_iterations(one.trace->jobs, one.baseline)});
      else schedules_.emplace_back();
  });
  return schedules_;
}

std::vector<ResultTable> IterationPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out;
  const auto& made = schedules();
  const std::vector<IterationRecord> records = log_.records();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const DrawnScheduler& one = model.schedulers[i];
    if (!one.played() && records.size() <= i) continue;
    const IterationsTold told = one.played() ? told_of_schedule(one, made[i], end_.at_s())
                                             : told_of_history(model, one, records[i], end_.at_s());
    for (ResultTable& table : iteration_tables(told, model.tables.suffix(one.name))) {
      table.solver = solver;
      out.push_back(std::move(table));
    }
  }
  return out;
}

std::vector<LoweredPart::Stay> IterationPart::stays() const {
  std::vector<Stay> out;
  for (const DrawnScheduler& one : model.schedulers)
    if (!one.played())
      out.push_back({.streams = {one.response_time, one.baseline_times, one.cost, one.job_lost_work, one.job_restarts},
                     .come = one.submitted,
                     .present = one.jobs,
                     .element = one.element,
                     .name = "jobs at \"" + one.name + "\"",
                     .refused = one.rejected,
                     .why_refused = "want more than it has"});
  return out;
}

Diagnostics IterationPart::told() const { return rows_left_out(model.schedulers, log_, IterationRecord::most_jobs); }

std::vector<Program*> IterationPart::programs() {
  std::vector<Program*> out;
  for (IterationModel::Stream& one : model.streams) out.push_back(&one.rate);
  for (DrawnScheduler& one : model.schedulers)
    for (Program& program : one.failures.up_while) out.push_back(&program);
  return out;
}

}  // namespace ergode
