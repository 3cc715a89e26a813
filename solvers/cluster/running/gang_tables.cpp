#include "solvers/cluster/running/gang_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/cluster/running/fairness_columns.h"
#include "solvers/cluster/running/job_state.h"

namespace ergode {
namespace {

using GangCluster = GangModel::Cluster;
constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

/// Jobs of a cluster in the order of arrival, a row each.
struct JobsOfTable {
  std::vector<GangJob> jobs;
  std::vector<std::string> names, users, streams;
  bool exact = true;              ///< of traces, without anything drawn
  bool several = false;           ///< streams: a name is one of its stream alone
  std::size_t untold = 0;         ///< further ones
  std::size_t later = 0;          ///< who come after the end of the run
  std::size_t without_speed = 0;  ///< of the traces, left out

  void add(const GangModel& model, std::uint32_t stream, std::size_t place, const GangJob& job) {
    const GangModel::Stream& from = model.streams[stream];
    jobs.push_back(job);
    const std::string name = from.trace ? from.trace->names[place] : std::to_string(place);
    names.push_back(several ? from.name + "/" + name : name);
    streams.push_back(from.name);
    users.push_back(from.trace ? from.trace->users[from.trace->jobs[place].user] : from.name);
  }
};

/// Of all streams by traces; of equal arrivals in the order of streams.
JobsOfTable traced_jobs(const GangModel& model, const GangCluster& cluster,
                        std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of;
  for (const std::uint32_t s : cluster.streams)
    for (std::uint32_t i = 0; i < model.streams[s].trace->jobs.size(); ++i) of.emplace_back(s, i);
  const auto arrival = [&](const auto& one) { return model.streams[one.first].trace->jobs[one.second].arrival_s; };
  std::stable_sort(of.begin(), of.end(), [&](const auto& a, const auto& b) { return arrival(a) < arrival(b); });
  JobsOfTable out{.several = cluster.streams.size() > 1};
  if (most < of.size()) out.later = of.size() - most, of.resize(most);
  for (const auto& [s, i] : of) out.add(model, s, i, model.seen(cluster, s, model.streams[s].trace->jobs[i]));
  return out;
}

ResultTable::Cell number_or_none(double value) { return std::isfinite(value) ? value : not_there; }

double quantile_of(std::vector<double> values, double level) {
  if (values.empty()) return not_there;
  const auto at = static_cast<std::size_t>(std::ceil(level * static_cast<double>(values.size()))) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? not_there
                        : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double slowdown_of(const GangJob& job, double jct_s) { return job.work_s > 0.0 ? jct_s / job.work_s : not_there; }

ResultTable table_of_gang_jobs(const GangCluster& cluster, const JobsOfTable& all, const GangSchedule& made) {
  ResultTable out{.name = "jobs",
                  .title = (all.exact ? "Jobs of the trace at " : "Jobs of the first history at ") + cluster.name,
                  .exact = all.exact};
  for (const char* column : {"job", "user", "arrival_s", "gpus", "work_s", "start_s", "completion_s", "jct_s",
                             "slowdown", "queueing_s", "preemptions", "gpu_time_s", "cost_usd", "state", "stream"})
    out.columns.push_back({column});
  const bool fails = cluster.failures.any();
  if (fails)
    for (const char* column : {"restarts", "lost_work_s"}) out.columns.push_back({column});
  const GangScheduler scheduler(cluster.options);
  for (std::size_t i = 0; i < all.jobs.size(); ++i) {
    const GangJob& job = all.jobs[i];
    const GangOutcome& end = made.jobs[i];
    const double jct_s = end.end_s - job.arrival_s;
    const bool done = std::isfinite(end.end_s), rejected = !done && !scheduler.can_ever_fit(job);
    const JobState state = done       ? JobState::completed
                           : rejected ? JobState::rejected
                           : end.runs ? JobState::running
                                      : JobState::waiting;
    out.rows.push_back({all.names[i], all.users[i], job.arrival_s, static_cast<double>(job.gpus), job.work_s,
                        number_or_none(end.start_s), number_or_none(end.end_s), number_or_none(jct_s),
                        done ? slowdown_of(job, jct_s) : not_there, rejected ? not_there : end.waited_s,
                        static_cast<double>(end.preemptions), end.gpu_time_s, end.gpu_time_s * cluster.price_per_s,
                        state_word(state), all.streams[i]});
    if (!fails) continue;
    out.rows.back().emplace_back(static_cast<double>(end.failures)), out.rows.back().emplace_back(end.lost_s);
  }
  out.note = std::string("Times in s") + (all.exact ? " since the first arrival" : "") +
             "; slowdown: completion time over work; queueing: time without GPUs. Who wants more than there is is "
             "rejected; who is running or waiting was not done when the run ended, and has waited and held GPUs until "
             "then.";
  if (fails)
    out.note +=
        " Restarts: after it lost a host; who has and waits again is waiting. Lost work: that it had done on its GPUs "
        "since its last checkpoint.";
  if (all.later > 0) out.note += " " + std::to_string(all.later) + " jobs of the trace come after it.";
  if (all.without_speed > 0)
    out.note +=
        " " + std::to_string(all.without_speed) + " jobs of the trace are left out: their throughput is not known.";
  if (all.untold > 0) out.note += " " + std::to_string(all.untold) + " further jobs are left out.";
  add_fairness_columns(out, cluster.options.gpus, "GPUs", [&](std::size_t row) { return all.jobs[row].work_s; });
  return out;
}

ResultTable table_of_stretches(const GangCluster& cluster, const JobsOfTable& all, const GangSchedule& made) {
  ResultTable out{.name = "gantt", .title = "Who ran where on " + cluster.name, .exact = all.exact};
  for (const char* column : {"host", "job", "from_s", "to_s", "gpus", "last_host"}) out.columns.push_back({column});
  out.note =
      "A row for a stretch of a job on hosts from `host` to `last_host`, whose `gpus` are those of all of them "
      "together, evenly.";
  out.rows.reserve(made.stretches.size());
  for (const GangStretch& one : made.stretches)
    out.rows.push_back({static_cast<double>(one.host), all.names[one.job], one.from_s, one.to_s,
                        static_cast<double>(one.gpus), static_cast<double>(one.last_host)});
  return out;
}

ResultTable table_of_gang_schedule(const GangCluster& cluster, const JobsOfTable& all, const GangSchedule& made) {
  ResultTable out{.name = "schedule", .title = "The schedule of " + cluster.name, .exact = all.exact};
  for (const char* column : {"policy", "jobs", "makespan_s", "mean_jct_s", "median_jct_s", "p95_jct_s", "p99_jct_s",
                             "mean_slowdown", "median_slowdown", "p95_slowdown", "p99_slowdown", "mean_queueing_s",
                             "preemptions", "utilisation", "fragmentation", "energy_kwh", "cost_usd"})
    out.columns.push_back({column});
  const bool fails = cluster.failures.any();
  if (fails)
    for (const char* column : {"restarts", "lost_work_gpu_s"}) out.columns.push_back({column});
  std::vector<double> jct_s, slowdown, queueing_s;
  double restarts = 0.0, lost_gpu_s = 0.0;
  for (std::size_t i = 0; i < all.jobs.size(); ++i)
    restarts += made.jobs[i].failures, lost_gpu_s += made.jobs[i].lost_s * all.jobs[i].gpus;
  double preemptions = 0.0, held_s = 0.0, last_s = made.begin_s;
  for (std::size_t i = 0; i < all.jobs.size(); ++i) {
    const GangOutcome& end = made.jobs[i];
    if (!std::isfinite(end.end_s)) continue;
    last_s = std::max(last_s, end.end_s);
    jct_s.push_back(end.end_s - all.jobs[i].arrival_s), queueing_s.push_back(end.waited_s);
    if (all.jobs[i].work_s > 0.0) slowdown.push_back(slowdown_of(all.jobs[i], jct_s.back()));
  }
  for (const GangOutcome& one : made.jobs) held_s += one.gpu_time_s, preemptions += one.preemptions;
  const double time_gpu_s = made.busy_gpu_s + made.free_gpu_s;
  const double joules = made.busy_gpu_s * cluster.busy_w + made.free_gpu_s * cluster.idle_w;
  out.rows.push_back({name_of(cluster.options.policy), static_cast<double>(jct_s.size()), last_s - made.begin_s,
                      mean_of(jct_s), quantile_of(jct_s, 0.5), quantile_of(jct_s, 0.95), quantile_of(jct_s, 0.99),
                      mean_of(slowdown), quantile_of(slowdown, 0.5), quantile_of(slowdown, 0.95),
                      quantile_of(slowdown, 0.99), mean_of(queueing_s), preemptions,
                      time_gpu_s > 0.0 ? made.busy_gpu_s / time_gpu_s : not_there,
                      made.free_gpu_s > 0.0 ? made.stranded_gpu_s / made.free_gpu_s : 0.0, joules / 3.6e6,
                      held_s * cluster.price_per_s});
  if (fails) out.rows.back().emplace_back(restarts), out.rows.back().emplace_back(lost_gpu_s);
  out.note = std::string(all.exact ? "From the first arrival until the last job is done, or the run ends. "
                                   : "Of the first history, until its last job is done, or the run ends. ") +
             "Jobs and their times, and the makespan until the last end: of those who are done; preemptions and cost: "
             "of all. Utilisation: GPU time that jobs held, restarts included, of all; fragmentation: the part of the "
             "free GPU time in which somebody waited and nobody who waited fitted.";
  return out;
}

void add_gang_tables(const GangModel& model, const GangCluster& cluster, std::vector<ResultTable> here,
                     std::vector<ResultTable>& out) {
  for (ResultTable& table : here) {
    table.name += model.tables.suffix(cluster.name);
    out.push_back(std::move(table));
  }
}

std::vector<ResultTable> tables_of_gang_schedule(const GangModel& model, const GangCluster& cluster, JobsOfTable all,
                                                 const GangSchedule& made) {
  for (const std::uint32_t s : cluster.streams)
    if (model.streams[s].trace) all.without_speed += model.streams[s].trace->without_speed;
  std::vector<ResultTable> out = {table_of_gang_schedule(cluster, all, made), table_of_gang_jobs(cluster, all, made)};
  if (cluster.options.policy != GangPolicy::equi) out.push_back(table_of_stretches(cluster, all, made));
  return out;
}

}  // namespace

std::vector<GangSchedule> traced_schedules(const GangModel& model, double until_s, const std::function<void()>& look) {
  std::vector<GangSchedule> out;
  for (const GangCluster& one : model.clusters)
    if (model.traced(one)) out.push_back(simulate_gang(traced_jobs(model, one).jobs, one.options, look, until_s));
  return out;
}

std::vector<ResultTable> gang_tables(const GangModel& model, const std::vector<GangSchedule>& made) {
  std::vector<ResultTable> out;
  std::size_t next = 0;
  for (const GangCluster& one : model.clusters)
    if (model.traced(one)) {
      const GangSchedule& here = made.at(next++);
      add_gang_tables(model, one, tables_of_gang_schedule(model, one, traced_jobs(model, one, here.jobs.size()), here),
                      out);
    }
  return out;
}

std::vector<ResultTable> gang_history_tables(const GangModel& model, const std::vector<GangRecord>& records) {
  std::vector<ResultTable> out;
  for (std::size_t c = 0; c < records.size(); ++c) {
    const GangCluster& one = model.clusters[c];
    const GangRecord& record = records[c];
    if (record.whole && !record.jobs.empty()) {
      JobsOfTable all{.exact = false, .several = one.streams.size() > 1, .untold = record.untold};
      for (std::size_t row = 0; row < record.jobs.size(); ++row)
        all.add(model, record.from[row].first, record.from[row].second, record.jobs[row]);
      add_gang_tables(model, one, tables_of_gang_schedule(model, one, all, record.ledger.so_far()), out);
    }
    const bool costs = one.price_per_s > 0.0 || one.busy_w > 0.0 || one.idle_w > 0.0 || one.budget_per_s > 0.0;
    if (costs && record.costs.begun)
      add_gang_tables(model, one, {table_of_costs(record.costs, one.name, "GPUs", one.budget_per_s)}, out);
  }
  return out;
}

}  // namespace ergode
