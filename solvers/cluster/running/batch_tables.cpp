#include "solvers/cluster/running/batch_tables.h"

#include <cmath>
#include <limits>

#include "solvers/cluster/batch/batch_scheduler.h"
#include "solvers/cluster/running/fairness_columns.h"
#include "solvers/cluster/running/job_state.h"
#include "solvers/cluster/running/provisioning_tables.h"

namespace ergode {
namespace {

constexpr std::uint64_t minutes_between_looks = 256;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double or_none(double value) { return std::isfinite(value) ? value : no_number; }

/// A minute clock without a chain, until nothing is left.
BatchSchedule scheduled_by_minutes(const BatchModel::Pool& pool, std::size_t jobs, const std::function<void()>& look) {
  BatchSchedule out;
  out.start_s.assign(jobs, std::numeric_limits<double>::infinity()), out.end_s = out.start_s;
  ChainRules rules;
  rules.cluster = pool.minute, rules.jobs = 0;
  const Provisioner nobody;
  ServiceRun run(pool.background, 0, rules, nobody);
  for (std::uint64_t minutes = 1; !run.at_rest(); ++minutes) {
    if (look && minutes % minutes_between_looks == 0) look();
    run.pass_to(run.next_s());
    const auto now_s = static_cast<double>(run.cluster().now_s());
    for (const std::uint32_t number : run.minute()) {
      const std::uint32_t place = pool.background.places[number];
      out.start_s[place] = now_s;
    }
    out.events += run.cluster().ended().size();
    for (const MinuteCluster::Running& one : run.cluster().ended())
      out.end_s[pool.background.places[one.number]] = static_cast<double>(one.end_s);
  }
  return out;
}

/// A job that has its hosts to the end works so long.
double pool_work_s(const ResultTable& jobs, std::size_t row) {
  const double limit_s = number_in(jobs, row, "limit_s");
  return std::isnan(limit_s) ? number_in(jobs, row, "run_s") : std::min(number_in(jobs, row, "run_s"), limit_s);
}

ResultTable jobs_table(const BatchModel& model, const BatchModel::Pool& pool, const BatchSchedule& schedule,
                       double end_s, const std::string& suffix) {
  const JobTrace& trace = *model.traced(pool)->trace;
  ResultTable out{.name = "jobs" + suffix, .title = "Jobs of the trace at " + pool.name, .exact = true};
  for (const char* column : {"job", "arrival_s", "hosts", "run_s", "limit_s", "start_s", "completion_s", "wait_s",
                             "jct_s", "state", "cost_usd"})
    out.columns.push_back({column});
  std::size_t later = 0;
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    const BatchJob& job = trace.jobs[i];
    if (job.submit_s > end_s) {
      ++later;
      continue;
    }
    const double start_s = schedule.start_s[i], done_s = schedule.end_s[i];
    const double since_s =
        pool.by_minutes() ? static_cast<double>(MinuteCluster::minute_of(job.submit_s)) : job.submit_s;
    JobState state = state_at(end_s, start_s, done_s);
    if (job.hosts > pool.hosts) state = JobState::rejected;
    else if (state == JobState::completed && killed(job)) state = JobState::killed;
    out.rows.push_back({trace.names[i], job.submit_s, static_cast<double>(job.hosts), job.run_s, or_none(job.limit_s),
                        known_by(end_s, start_s, start_s), known_by(end_s, done_s, done_s),
                        known_by(end_s, start_s, start_s - since_s), known_by(end_s, done_s, done_s - since_s),
                        state_word(state),
                        static_cast<double>(job.hosts) * held_until(end_s, start_s, done_s) * pool.price_per_s});
  }
  out.note = "Times in s since " + (trace.calendar() ? trace.moment_text(0.0) : std::string("the begin of the trace")) +
             "; states and costs at the end of the run.";
  if (later > 0) out.note += " " + std::to_string(later) + " jobs of the trace come after it.";
  if (pool.by_minutes()) out.note += " The scheduler takes submissions as of the begin of their minute; so do waits.";
  add_fairness_columns(out, pool.hosts, "hosts", [&](std::size_t row) { return pool_work_s(out, row); });
  return out;
}

/// The same as stretches, who never started left out.
ResultTable stretches_table(const BatchModel::Pool& pool, const ResultTable& jobs, double end_s,
                            const std::string& suffix) {
  ResultTable out{.name = "gantt" + suffix, .title = "Who ran when on " + pool.name, .exact = true};
  for (const char* column : {"pool", "job", "from_s", "to_s", "hosts"}) out.columns.push_back({column});
  for (const auto& row : jobs.rows) {
    if (std::isnan(std::get<double>(row[5]))) continue;
    const double done_s = std::get<double>(row[6]);
    out.rows.push_back({pool.name, cell_text(row[0]), row[5], std::isnan(done_s) ? end_s : done_s, row[2]});
  }
  return out;
}

}  // namespace

BatchSchedule schedule_of(const BatchModel& model, const BatchModel::Pool& pool, const std::function<void()>& look) {
  const std::vector<BatchJob>& jobs = model.traced(pool)->trace->jobs;
  return pool.by_minutes() ? scheduled_by_minutes(pool, jobs.size(), look)
                           : simulate_batch(jobs, pool.hosts, pool.scheduling(), look);
}

BatchSchedules batch_schedules(const BatchModel& model, const std::function<void()>& look) {
  BatchSchedules out;
  for (const BatchModel::Service& one : model.services) {
    if (one.pool == BatchModel::none || model.traced(model.pools[one.pool]) == nullptr) continue;
    const std::string suffix = model.services.size() > 1 ? "_" + one.name : "";
    for (ResultTable& table : provisioning_tables(model, one, suffix, look))
      out.of_services.push_back(std::move(table));
  }
  for (const BatchModel::Pool& one : model.pools)
    if (model.known_beforehand(one)) out.of_pools.push_back(schedule_of(model, one, look));
  return out;
}

std::vector<ResultTable> batch_tables(const BatchModel& model, const BatchSchedules& made, double end_s) {
  std::vector<ResultTable> out = made.of_services;
  std::size_t next = 0;
  for (const BatchModel::Pool& one : model.pools) {
    if (!model.known_beforehand(one)) continue;
    const std::string suffix = model.tables.suffix(one.name);
    const double until_s = model.service_of(one) != nullptr ? std::numeric_limits<double>::infinity() : end_s;
    out.push_back(jobs_table(model, one, made.of_pools.at(next++), until_s, suffix));
    out.push_back(stretches_table(one, out.back(), until_s, suffix));
  }
  return out;
}

}  // namespace ergode
