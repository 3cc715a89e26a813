#include "solvers/cluster/running/batch_tables.h"

#include <cmath>
#include <limits>

#include "solvers/cluster/batch/batch_scheduler.h"
#include "solvers/cluster/running/job_state.h"

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

/// What each provisioner comes to at one start.
struct DecidedStart {
  std::vector<ChainLink> reactive, average, own;
};

ResultTable decisions_table(const BatchModel& model, const BatchModel::Service& service, const std::string& suffix,
                            const std::function<void()>& look) {
  const BatchModel::Pool& pool = model.pools[service.pool];
  const JobTrace& trace = *model.traced(pool)->trace;
  ResultTable out{.name = "decisions" + suffix, .title = "Starts of " + service.name, .exact = true};
  for (const char* column : {"sample", "start", "pair_nodes", "cluster_nodes", "pred_wait_h", "avg_wait_min_last100",
                             "queue_len_at_pred_start", "reactive_interruption_s", "avg_policy_signed_s", "link",
                             "submitted_before_end_s", "signed_s", "interruption_s", "overlap_s"})
    out.columns.push_back({column});
  for (std::uint32_t start = 0; start < service.starts; ++start) {
    const std::int64_t begin_s = service.begin_s(start);
    const auto run = [&](const Provisioner& by) {
      return simulate_chain(pool.background, begin_s, service.rules, by, look);
    };
    DecidedStart all{run({}), run({.kind = Provisioner::Kind::average}), {}};
    all.own = service.decider == BatchModel::Decider::reactive  ? all.reactive
              : service.decider == BatchModel::Decider::average ? all.average
                                                                : run(service.provisioner);
    for (std::size_t link = 0; link < all.own.size(); ++link) {
      const ChainLink& own = all.own[link];
      const auto x_s = static_cast<double>(own.interruption_s());
      constexpr double places = 1e4;  // of hours, as the published tables have them
      out.rows.push_back(
          {static_cast<double>(start), trace.moment_text(static_cast<double>(begin_s)),
           static_cast<double>(service.rules.hosts), static_cast<double>(pool.hosts),
           std::round(places * static_cast<double>(all.average[link].predecessor_wait_s) / 3600.0) / places,
           static_cast<double>(all.average[link].mean_wait_min), static_cast<double>(all.average[link].queue),
           static_cast<double>(all.reactive[link].interruption_s()),
           static_cast<double>(all.average[link].interruption_s()), static_cast<double>(link + 1),
           static_cast<double>(own.predecessor_end_s - own.submit_s), x_s, std::max(0.0, x_s), std::max(0.0, -x_s)});
    }
  }
  return out;
}

/// What became of them, as one row.
ResultTable provisioning_table(const BatchModel::Service& service, const ResultTable& decisions,
                               const std::string& suffix) {
  ResultTable out{
      .name = "provisioning" + suffix, .title = "What the provisioner of " + service.name + " comes to", .exact = true};
  out.columns = {
      {"Jobs of chains"},    {"Without interruption"},  {"Mean interruption", "h"}, {"Greatest interruption", "h"},
      {"Mean overlap", "h"}, {"Wasted", "h of a host"}, {"Availability"},           {"Mean when reactive", "h"},
      {"Less than reactive"}};
  double none = 0.0, sum = 0.0, most = 0.0, overlap = 0.0, reactive = 0.0;
  const std::size_t last = decisions.columns.size() - 1;
  const auto number = [](const ResultTable::Cell& cell) { return std::get<double>(cell) / 3600.0; };
  for (const auto& row : decisions.rows) {
    const double interruption = number(row[last - 1]);
    none += interruption == 0.0 ? 1.0 : 0.0;
    sum += interruption, most = std::max(most, interruption), overlap += number(row[last]);
    reactive += number(row[7]);
  }
  const auto rows = static_cast<double>(decisions.rows.size());
  const double limit_h = service.rules.limit_s / 3600.0;
  out.rows.push_back({rows, none / rows, sum / rows, most, overlap / rows, service.rules.hosts * overlap,
                      limit_h / (limit_h + sum / rows), reactive / rows,
                      reactive > 0.0 ? 1.0 - sum / reactive : no_number});
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
    ResultTable decisions = decisions_table(model, one, suffix, look);
    out.of_services.push_back(provisioning_table(one, decisions, suffix));
    out.of_services.push_back(std::move(decisions));
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
    const std::string suffix = model.pools.size() > 1 ? "_" + one.name : "";
    const double until_s = model.service_of(one) != nullptr ? std::numeric_limits<double>::infinity() : end_s;
    out.push_back(jobs_table(model, one, made.of_pools.at(next++), until_s, suffix));
    out.push_back(stretches_table(one, out.back(), until_s, suffix));
  }
  return out;
}

}  // namespace ergode
