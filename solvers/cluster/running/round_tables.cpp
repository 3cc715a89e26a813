#include "solvers/cluster/running/round_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/cluster/running/job_state.h"

namespace ergode {
namespace {

constexpr double no_cell = std::numeric_limits<double>::quiet_NaN();

/// As the published tables call completion times under each policy.
const char* published_name(RoundPolicy policy) {
  switch (policy) {
    case RoundPolicy::max_min:
      return "max_min_fairness";
    case RoundPolicy::max_sum:
      return "max_sum_throughput_perf";
    case RoundPolicy::gandiva_fair:
      return "gandiva_fair";
    case RoundPolicy::allox:
      return "allox";
    case RoundPolicy::ossp:
      return "min_total_duration";
    case RoundPolicy::themis:
      return "finish_time_fairness";
    case RoundPolicy::shockwave:
      return "shockwave";
  }
  return "";
}

const char* mode_name(BatchMode mode) {
  return mode == BatchMode::fixed ? "static" : mode == BatchMode::gns ? "gns" : "accordion";
}

double whole(std::int64_t value) { return static_cast<double>(value); }

ResultTable::Cell job_cell(const RoundHistory& made, std::uint32_t row) {
  const RoundHistory::Row& its = made.rows[row];
  if (its.name.empty()) return static_cast<double>(its.number);
  return its.name;
}

std::vector<std::string> columns_of_training_jobs(const RoundModel::Scheduler& one) {
  std::vector<std::string> out = {"job",
                                  "arrival_s",
                                  "model",
                                  "batch_size",
                                  "num_gpus",
                                  "mode",
                                  "total_steps",
                                  "epochs",
                                  "listed_duration_s",
                                  "exclusive_runtime_s",
                                  "bs_schedule(bs x epochs)",
                                  std::string("jct_s_") + published_name(one.options.policy),
                                  "start_s",
                                  "completion_s",
                                  "rho",
                                  "rho_contended",
                                  "rounds",
                                  "preemptions",
                                  "jct_s",
                                  "gpu_time_s",
                                  "cost_usd",
                                  "state"};
  // Of the programmes of max-min fairness this is the one with an even fill; a published table calls it so.
  if (one.options.policy == RoundPolicy::max_min) out.emplace_back("jct_s_maxmin_evenfill");
  if (one.failures.any()) out.emplace_back("restarts"), out.emplace_back("lost_work_s");
  return out;
}

std::string note_of_training_jobs(const RoundModel::Scheduler& one, const RoundHistory& made, std::size_t later) {
  const std::string jct = std::string("jct_s_") + published_name(one.options.policy);
  const bool even = one.options.policy == RoundPolicy::max_min;
  std::string out =
      std::string("Times in s. rho: completion time over that with an equal part of the GPUs for all jobs ") +
      (one.fairness_of_all() ? "of the trace; " : "that came; ") + "rho_contended: for those that were there. " + jct +
      (even ? " and jct_s_maxmin_evenfill are" : " is") +
      " jct_s, as published tables call it under this policy; "
      "gpu_time_s: of the rounds in which a job ran, until the run ended, which is what it pays for.";
  if (one.failures.any())
    out +=
        " Restarts: after it lost a host. Lost work: that it had done on its GPUs since the round began, or since its "
        "last checkpoint in it.";
  if (const std::size_t out_of = one.workload ? one.workload->left_out.size() : 0; out_of > 0)
    out += " " + std::to_string(out_of) + " jobs of the trace are left out (table left_out).";
  if (later > 0) out += " " + std::to_string(later) + " jobs of the trace come after the end of the run.";
  if (made.untold > 0) out += " " + std::to_string(made.untold) + " further jobs are left out.";
  return out;
}

ResultTable table_of_training_jobs(const RoundModel::Scheduler& one, const RoundHistory& made, double end_s,
                                   const std::string& name) {
  ResultTable out{.name = name,
                  .title = (made.exact ? "Jobs of the trace at " : "Jobs of the first history at ") + one.name,
                  .exact = made.exact};
  for (const std::string& column : columns_of_training_jobs(one)) out.columns.push_back({column});
  std::size_t later = 0;
  for (std::uint32_t r = 0; r < made.rows.size(); ++r) {
    const RoundHistory::Row& its = made.rows[r];
    const RoundJob& job = its.job;
    if (job.arrival_s > end_s) {
      ++later;
      continue;
    }
    const auto done = [&](double value) { return known_by(end_s, its.finish_s, value); };
    const JobState state = its.rejected            ? JobState::rejected
                           : its.finish_s <= end_s ? JobState::completed
                           : its.runs              ? JobState::running
                                                   : JobState::waiting;
    const double listed = std::isfinite(job.listed_duration_s) ? job.listed_duration_s : no_cell;
    const double jct_s = its.finish_s - job.arrival_s;
    out.rows.push_back({job_cell(made, r),
                        job.arrival_s,
                        its.trains,
                        static_cast<double>(job.batch_size),
                        static_cast<double>(job.gpus),
                        mode_name(job.mode),
                        its.counts_steps ? whole(job.total_steps) : no_cell,
                        static_cast<double>(its.epochs),
                        listed,
                        its.exclusive_s,
                        its.batches,
                        done(jct_s),
                        known_by(end_s, its.start_s, its.start_s),
                        done(its.finish_s),
                        done(its.rho),
                        done(its.rho_contended),
                        whole(its.rounds),
                        whole(its.preemptions),
                        done(jct_s),
                        its.held_gpu_s,
                        its.held_gpu_s * one.price_per_s,
                        state_word(state)});
    if (one.options.policy == RoundPolicy::max_min) out.rows.back().emplace_back(done(jct_s));
    if (!one.failures.any()) continue;
    out.rows.back().emplace_back(whole(its.restarts)), out.rows.back().emplace_back(its.lost_s);
  }
  out.note = note_of_training_jobs(one, made, later);
  return out;
}

ResultTable table_of_left_out(const RoundModel::Scheduler& one, const std::string& name) {
  ResultTable out{.name = name, .title = "Jobs of the trace that " + one.name + " does not run", .exact = true};
  for (const char* column : {"job", "arrival_s", "model", "batch_size", "num_gpus", "mode", "total_steps"})
    out.columns.push_back({column});
  const RoundModel::Workload& work = *one.workload;
  for (std::size_t i = 0; i < work.left_out.size(); ++i) {
    const RoundJob& job = work.left_out[i];
    out.rows.push_back({static_cast<double>(work.numbers_left_out[i]), job.arrival_s, job.model,
                        static_cast<double>(job.batch_size), static_cast<double>(job.gpus), mode_name(job.mode),
                        whole(job.total_steps)});
  }
  out.note = "The table of throughputs has no row for them.";
  return out;
}

ResultTable table_of_rounds(const RoundModel::Scheduler& one, const RoundHistory& made, const std::string& name) {
  ResultTable out{.name = name, .title = "Rounds of " + one.name, .exact = made.exact};
  for (const char* column : {"round", "start_s", "end_s", "active_jobs", "running_jobs", "gpus", "jobs"})
    out.columns.push_back({column});
  for (std::size_t r = 0; r < made.rounds.size(); ++r) {
    const Round& round = made.rounds[r];
    std::string jobs;
    for (const std::uint32_t job : round.jobs)
      if (job < made.rows.size()) jobs += (jobs.empty() ? "" : " ") + made.name_of(job);
    out.rows.push_back({static_cast<double>(r), round.start_s, round.end_s, static_cast<double>(round.active),
                        static_cast<double>(round.jobs.size()), static_cast<double>(round.gpus), jobs});
  }
  if (made.untold_rounds > 0) out.note = std::to_string(made.untold_rounds) + " further rounds are left out.";
  return out;
}

/// A row for each stretch of rounds in which a job ran without a break.
ResultTable table_of_job_stretches(const RoundModel::Scheduler& one, const RoundHistory& made,
                                   const std::string& name) {
  ResultTable out{.name = name, .title = "Who ran when on " + one.name, .exact = made.exact};
  for (const char* column : {"cluster", "job", "from_s", "to_s", "gpus"}) out.columns.push_back({column});
  for (const RoundHistory::Stretch& its : made.stretches)
    out.rows.push_back(
        {one.name, made.name_of(its.row), its.from_s, its.to_s, static_cast<double>(made.rows[its.row].job.gpus)});
  return out;
}

/// Of each job whenever Shockwave planned: what it predicted, and in how much time of rounds the job then ran.
ResultTable table_of_predictions(const RoundModel::Scheduler& one, const RoundHistory& made, const std::string& name) {
  ResultTable out{.name = name, .title = "Predicted and actual remaining time on " + one.name, .exact = made.exact};
  for (const char* column : {"round", "time_s", "job", "predicted_s", "actual_s"}) out.columns.push_back({column});
  const auto& rounds = made.rounds;
  // By job: its rounds, and what they add up to from each on.
  std::vector<std::vector<std::pair<std::size_t, double>>> ran(made.rows.size());
  for (std::size_t r = 0; r < rounds.size(); ++r)
    for (const std::uint32_t job : rounds[r].jobs) ran[job].emplace_back(r, rounds[r].end_s - rounds[r].start_s);
  for (auto& list : ran)
    for (std::size_t i = list.size(); i-- > 1;) list[i - 1].second += list[i].second;
  for (const auto& prediction : made.plans.predictions) {
    const auto round = static_cast<std::size_t>(prediction.round);
    if (round >= rounds.size() || prediction.job >= ran.size()) continue;
    const auto& list = ran[prediction.job];
    const auto from =
        std::lower_bound(list.begin(), list.end(), round, [](const auto& a, std::size_t at) { return a.first < at; });
    out.rows.push_back({static_cast<double>(round), rounds[round].start_s, job_cell(made, prediction.job),
                        prediction.remaining_s, from == list.end() ? 0.0 : from->second});
  }
  out.note =
      "Predicted: by the job's profile and the batch sizes seen so far; actual: time of the rounds in which it ran.";
  return out;
}

/// Whenever Shockwave planned, each job: what the market of the window would have sold it, and what the plan gave it.
ResultTable table_of_market(const RoundModel::Scheduler& one, const RoundHistory& made, const std::string& name) {
  ResultTable out{.name = name, .title = "Plans beside the market of their rounds on " + one.name, .exact = made.exact};
  for (const char* column :
       {"round", "time_s", "job", "budget", "weight", "epochs_bought", "epochs_planned", "epochs_equal_part"})
    out.columns.push_back({column});
  const auto& rounds = made.rounds;
  for (const PlanMarket& market : made.plans.markets) {
    const auto round = static_cast<std::size_t>(market.round);
    if (round >= rounds.size()) continue;
    for (const PlanMarket::Job& job : market.jobs)
      if (job.number < made.rows.size())
        out.rows.push_back({static_cast<double>(round), rounds[round].start_s, job_cell(made, job.number), 1.0,
                            job.weight, job.bought, job.planned, job.equal});
  }
  out.note =
      "Of the " + std::to_string(one.plan.rounds) +
      " rounds of a plan, in epochs as the job's profile has them if it runs in all of these rounds. Bought: in the "
      "equilibrium in which every job spends the same budget on the GPUs of rounds; planned: in the rounds that the "
      "plan gave it; equal part: with as much of every round as any other job, which is never more than it buys. The "
      "market is linear: it divides GPUs, and sells a job more of a round than it can use. Weight: of the job in the "
      "objective of the plan; not 1 where it will be late.";
  if (made.plans.no_market > 0)
    out.note += " Of " + std::to_string(made.plans.no_market) + " plans no equilibrium was found.";
  return out;
}

ResultTable table_of_prices(const RoundModel::Scheduler& one, const RoundHistory& made, const std::string& name) {
  ResultTable out{.name = name, .title = "Prices of future rounds on " + one.name, .exact = made.exact};
  for (const char* column : {"round", "time_s", "sold_round", "price"}) out.columns.push_back({column});
  const auto& rounds = made.rounds;
  for (const PlanMarket& market : made.plans.markets) {
    const auto round = static_cast<std::size_t>(market.round);
    if (round >= rounds.size()) continue;
    for (std::size_t t = 0; t < market.price.size(); ++t)
      out.rows.push_back(
          {static_cast<double>(round), rounds[round].start_s, static_cast<double>(round + t), market.price[t]});
  }
  out.note =
      "Of a GPU in a round to come, in the equilibrium of the table market, as a part of what a job may spend; 0 where "
      "all jobs that are there will be done.";
  return out;
}

ResultTable table_of_schedule(const RoundModel::Scheduler& one, const RoundHistory& made, const std::string& name) {
  ResultTable out{.name = name, .title = "The schedule of " + one.name, .exact = made.exact};
  for (const char* column : {"policy", "makespan_s", "mean_jct_s", "geometric_mean_jct_s", "worst_rho",
                             "unfair_fraction", "utilisation", "rounds", "plans", "relaxed_plans", "heuristic_plans"})
    out.columns.push_back({column});
  const Fairness& fair = made.totals;
  out.rows.push_back({published_name(one.options.policy), fair.makespan_s, fair.mean_jct_s, fair.geometric_mean_jct_s,
                      fair.worst_rho, fair.unfair_fraction, fair.utilisation, whole(made.all_rounds),
                      whole(made.plans.plans), whole(made.plans.relaxed), whole(made.plans.heuristic)});
  out.note = made.exact ? "Of the whole trace until its last job is done, whatever the mission time."
                        : "Of the first history, of the jobs that were done in it.";
  if (made.plans.heuristic > 0)
    out.note += " " + std::to_string(made.plans.heuristic) + " of " + std::to_string(made.plans.plans) +
                " plans are heuristic: " +
                (one.plan.heuristic ? "made by marginal gains, as asked."
                                    : "the programme did not come within its gap in " +
                                          std::to_string(one.plan.most_nodes) + " nodes.");
  return out;
}

}  // namespace

std::vector<ResultTable> round_tables(const RoundModel::Scheduler& scheduler, const RoundHistory& history, double end_s,
                                      const std::string& suffix) {
  std::vector<ResultTable> out;
  out.push_back(table_of_schedule(scheduler, history, "schedule" + suffix));
  out.push_back(table_of_training_jobs(scheduler, history, end_s, "jobs" + suffix));
  out.push_back(table_of_rounds(scheduler, history, "rounds" + suffix));
  out.push_back(table_of_job_stretches(scheduler, history, "gantt" + suffix));
  if (scheduler.workload && !scheduler.workload->left_out.empty())
    out.push_back(table_of_left_out(scheduler, "left_out" + suffix));
  if (!history.plans.predictions.empty())
    out.push_back(table_of_predictions(scheduler, history, "predictions" + suffix));
  if (!history.plans.markets.empty()) {
    out.push_back(table_of_market(scheduler, history, "market" + suffix));
    out.push_back(table_of_prices(scheduler, history, "market_prices" + suffix));
  }
  return out;
}

}  // namespace ergode
