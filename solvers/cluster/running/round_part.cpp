#include "solvers/cluster/running/round_part.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/cluster/running/job_state.h"
#include "solvers/cluster/running/running_rounds.h"

namespace ergode {
namespace {

/// Ends a schedule between two rounds.
class AskedWatch : public RoundWatch {
 public:
  explicit AskedWatch(const std::function<bool()>& give_up) : give_up_(give_up) {}
  bool go_on(double) override { return !give_up_ || !give_up_(); }

 private:
  const std::function<bool()>& give_up_;
};

/// @throws GivenUp
ScheduledTrace scheduled(const RoundModel::Scheduler& one, const std::function<bool()>& give_up) {
  ScheduledTrace out;
  AskedWatch watch(give_up);
  const RoundModel::Workload& work = *one.workload;
  if (one.options.policy == RoundPolicy::shockwave) {
    PlanOptions plan = one.plan;
    plan.give_up = give_up;
    ShockwavePlanner planner(work.jobs, work.profiles, plan, one.replan_rounds);
    out.run = run_rounds(work.jobs, work.speeds, one.options, &planner, &watch);
    out.plans = planner.log();
  } else {
    out.run = run_rounds(work.jobs, work.speeds, one.options, nullptr, &watch);
  }
  // A plan that was cut short must not be played, even where it was the last one.
  if (out.run.stopped || (give_up && give_up())) throw GivenUp();
  out.held_gpu_s.assign(work.jobs.size(), 0.0);
  for (const Round& round : out.run.rounds)
    for (const std::uint32_t job : round.jobs)
      out.held_gpu_s[job] += work.jobs[job].gpus * (round.end_s - round.start_s);
  std::vector<double> exclusive_s;
  for (const JobProfile& profile : work.profiles) exclusive_s.push_back(profile.exclusive_s);
  out.fairness = fairness_of(work.jobs, out.run, exclusive_s, one.options.gpus, one.unfair_above);
  return out;
}

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

/// What a job has had of its rounds when a run ends.
struct RoundsSoFar {
  std::int64_t rounds = 0, preemptions = 0;
  double held_gpu_s = 0.0;
  bool runs = false;
};
std::vector<RoundsSoFar> rounds_until(const RoundModel::Scheduler& one, const ScheduledTrace& made, double end_s) {
  std::vector<RoundsSoFar> out(one.workload->jobs.size());
  std::vector<std::size_t> last(out.size(), 0);  // round in which a job ran last, from 1
  for (std::size_t r = 0; r < made.run.rounds.size() && made.run.rounds[r].start_s <= end_s; ++r) {
    const Round& round = made.run.rounds[r];
    for (const std::uint32_t job : round.jobs) {
      RoundsSoFar& its = out[job];
      its.preemptions += its.rounds > 0 && last[job] != r ? 1 : 0;
      ++its.rounds, last[job] = r + 1;
      its.held_gpu_s += one.workload->jobs[job].gpus * held_until(end_s, round.start_s, round.end_s);
      its.runs = round.end_s > end_s;
    }
  }
  return out;
}

ResultTable table_of_training_jobs(const RoundModel::Scheduler& one, const ScheduledTrace& made, double end_s,
                                   const std::string& name) {
  ResultTable out{.name = name, .title = "Jobs of the trace at " + one.name, .exact = true};
  const std::string jct = std::string("jct_s_") + published_name(one.options.policy);
  for (const std::string& column : {std::string("job"),
                                    std::string("arrival_s"),
                                    std::string("model"),
                                    std::string("batch_size"),
                                    std::string("num_gpus"),
                                    std::string("mode"),
                                    std::string("total_steps"),
                                    std::string("epochs"),
                                    std::string("listed_duration_s"),
                                    std::string("exclusive_runtime_s"),
                                    std::string("bs_schedule(bs x epochs)"),
                                    jct,
                                    std::string("start_s"),
                                    std::string("completion_s"),
                                    std::string("rho"),
                                    std::string("rho_contended"),
                                    std::string("rounds"),
                                    std::string("preemptions"),
                                    std::string("jct_s"),
                                    std::string("gpu_time_s"),
                                    std::string("cost_usd"),
                                    std::string("state")})
    out.columns.push_back({column});
  // Of the programmes of max-min fairness this is the one with an even fill; a published table calls it so.
  const bool even = one.options.policy == RoundPolicy::max_min;
  if (even) out.columns.push_back({"jct_s_maxmin_evenfill"});
  const RoundModel::Workload& work = *one.workload;
  const std::vector<RoundsSoFar> had = rounds_until(one, made, end_s);
  std::size_t later = 0;
  for (std::size_t i = 0; i < work.jobs.size(); ++i) {
    const RoundJob& job = work.jobs[i];
    const RoundJobOutcome& end = made.run.jobs[i];
    if (job.arrival_s > end_s) {
      ++later;
      continue;
    }
    const auto done = [&](double value) { return known_by(end_s, end.finish_s, value); };
    JobState state = end.finish_s <= end_s ? JobState::completed : JobState::waiting;
    if (state == JobState::waiting && had[i].runs) state = JobState::running;
    const double listed =
        std::isfinite(job.listed_duration_s) ? job.listed_duration_s : std::numeric_limits<double>::quiet_NaN();
    out.rows.push_back({static_cast<double>(work.numbers[i]),
                        job.arrival_s,
                        job.model,
                        static_cast<double>(job.batch_size),
                        static_cast<double>(job.gpus),
                        mode_name(job.mode),
                        whole(job.total_steps),
                        static_cast<double>(work.profiles[i].batch.size()),
                        listed,
                        work.profiles[i].exclusive_s,
                        work.profiles[i].schedule(),
                        done(made.fairness.jct_s[i]),
                        known_by(end_s, end.start_s, end.start_s),
                        done(end.finish_s),
                        done(made.fairness.rho[i]),
                        done(made.fairness.rho_contended[i]),
                        whole(had[i].rounds),
                        whole(had[i].preemptions),
                        done(made.fairness.jct_s[i]),
                        had[i].held_gpu_s,
                        had[i].held_gpu_s * one.price_per_s,
                        state_word(state)});
    if (even) out.rows.back().push_back(done(made.fairness.jct_s[i]));
  }
  out.note =
      std::string(
          "Times in s. rho: completion time over that with an equal part of the GPUs for all jobs of the trace; ") +
      "rho_contended: for those that were there. " + jct + (even ? " and jct_s_maxmin_evenfill are" : " is") +
      " jct_s, as published tables call it under this policy; "
      "gpu_time_s: of the rounds in which a job ran, until the run ended, which is what it pays for.";
  if (!work.left_out.empty())
    out.note += " " + std::to_string(work.left_out.size()) + " jobs of the trace are left out (table left_out).";
  if (later > 0) out.note += " " + std::to_string(later) + " jobs of the trace come after the end of the run.";
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

ResultTable table_of_rounds(const RoundModel::Scheduler& one, const ScheduledTrace& made, const std::string& name) {
  ResultTable out{.name = name, .title = "Rounds of " + one.name, .exact = true};
  for (const char* column : {"round", "start_s", "end_s", "active_jobs", "running_jobs", "gpus", "jobs"})
    out.columns.push_back({column});
  for (std::size_t r = 0; r < made.run.rounds.size(); ++r) {
    const Round& round = made.run.rounds[r];
    std::string jobs;
    for (const std::uint32_t job : round.jobs)
      jobs += (jobs.empty() ? "" : " ") + std::to_string(one.workload->numbers[job]);
    out.rows.push_back({static_cast<double>(r), round.start_s, round.end_s, static_cast<double>(round.active),
                        static_cast<double>(round.jobs.size()), static_cast<double>(round.gpus), jobs});
  }
  return out;
}

/// A row for each stretch of rounds in which a job ran without a break.
ResultTable table_of_job_stretches(const RoundModel::Scheduler& one, const ScheduledTrace& made,
                                   const std::string& name) {
  ResultTable out{.name = name, .title = "Who ran when on " + one.name, .exact = true};
  for (const char* column : {"cluster", "job", "from_s", "to_s", "gpus"}) out.columns.push_back({column});
  const auto& rounds = made.run.rounds;
  std::vector<std::size_t> last(one.workload->jobs.size(), rounds.size());  // round in which a job ran last
  std::vector<std::size_t> row(last.size());
  for (std::size_t r = 0; r < rounds.size(); ++r)
    for (const std::uint32_t job : rounds[r].jobs) {
      const double end_s = std::min(rounds[r].end_s, made.run.jobs[job].finish_s);
      if (r > 0 && last[job] == r - 1) {
        out.rows[row[job]][3] = end_s;
      } else {
        row[job] = out.rows.size();
        out.rows.push_back({one.name, std::to_string(one.workload->numbers[job]), rounds[r].start_s, end_s,
                            static_cast<double>(one.workload->jobs[job].gpus)});
      }
      last[job] = r;
    }
  return out;
}

/// Of each job whenever Shockwave planned: what it predicted, and in how much time of rounds the job then ran.
ResultTable table_of_predictions(const RoundModel::Scheduler& one, const ScheduledTrace& made,
                                 const std::string& name) {
  ResultTable out{.name = name, .title = "Predicted and actual remaining time on " + one.name, .exact = true};
  for (const char* column : {"round", "time_s", "job", "predicted_s", "actual_s"}) out.columns.push_back({column});
  const auto& rounds = made.run.rounds;
  // By job: its rounds, and what they add up to from each on.
  std::vector<std::vector<std::pair<std::size_t, double>>> ran(one.workload->jobs.size());
  for (std::size_t r = 0; r < rounds.size(); ++r)
    for (const std::uint32_t job : rounds[r].jobs) ran[job].emplace_back(r, rounds[r].end_s - rounds[r].start_s);
  for (auto& list : ran)
    for (std::size_t i = list.size(); i-- > 1;) list[i - 1].second += list[i].second;
  for (const auto& prediction : made.plans.predictions) {
    const auto& list = ran[prediction.job];
    const auto round = static_cast<std::size_t>(prediction.round);
    if (round >= rounds.size()) continue;
    const auto from =
        std::lower_bound(list.begin(), list.end(), round, [](const auto& a, std::size_t at) { return a.first < at; });
    out.rows.push_back({static_cast<double>(round), rounds[round].start_s,
                        static_cast<double>(one.workload->numbers[prediction.job]), prediction.remaining_s,
                        from == list.end() ? 0.0 : from->second});
  }
  out.note =
      "Predicted: by the job's profile and the batch sizes seen so far; actual: time of the rounds in which it ran.";
  return out;
}

/// Whenever Shockwave planned, each job: what the market of the window would have sold it, and what the plan gave it.
ResultTable table_of_market(const RoundModel::Scheduler& one, const ScheduledTrace& made, const std::string& name) {
  ResultTable out{.name = name, .title = "Plans beside the market of their rounds on " + one.name, .exact = true};
  for (const char* column :
       {"round", "time_s", "job", "budget", "weight", "epochs_bought", "epochs_planned", "epochs_equal_part"})
    out.columns.push_back({column});
  const auto& rounds = made.run.rounds;
  for (const PlanMarket& market : made.plans.markets) {
    const auto round = static_cast<std::size_t>(market.round);
    if (round >= rounds.size()) continue;
    for (const PlanMarket::Job& job : market.jobs)
      out.rows.push_back({static_cast<double>(round), rounds[round].start_s,
                          static_cast<double>(one.workload->numbers[job.number]), 1.0, job.weight, job.bought,
                          job.planned, job.equal});
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

ResultTable table_of_prices(const RoundModel::Scheduler& one, const ScheduledTrace& made, const std::string& name) {
  ResultTable out{.name = name, .title = "Prices of future rounds on " + one.name, .exact = true};
  for (const char* column : {"round", "time_s", "sold_round", "price"}) out.columns.push_back({column});
  const auto& rounds = made.run.rounds;
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

ResultTable table_of_schedule(const RoundModel::Scheduler& one, const ScheduledTrace& made, const std::string& name) {
  ResultTable out{.name = name, .title = "The schedule of " + one.name, .exact = true};
  for (const char* column : {"policy", "makespan_s", "mean_jct_s", "geometric_mean_jct_s", "worst_rho",
                             "unfair_fraction", "utilisation", "rounds", "plans", "relaxed_plans", "heuristic_plans"})
    out.columns.push_back({column});
  const Fairness& fair = made.fairness;
  out.rows.push_back({published_name(one.options.policy), fair.makespan_s, fair.mean_jct_s, fair.geometric_mean_jct_s,
                      fair.worst_rho, fair.unfair_fraction, fair.utilisation,
                      static_cast<double>(made.run.rounds.size()), whole(made.plans.plans), whole(made.plans.relaxed),
                      whole(made.plans.heuristic)});
  out.note = "Of the whole trace until its last job is done, whatever the mission time.";
  if (made.plans.heuristic > 0)
    out.note += " " + std::to_string(made.plans.heuristic) + " of " + std::to_string(made.plans.plans) +
                " plans are heuristic: " +
                (one.plan.heuristic ? "made by marginal gains, as asked."
                                    : "the programme did not come within its gap in " +
                                          std::to_string(one.plan.most_nodes) + " nodes.");
  return out;
}

}  // namespace

std::unique_ptr<RunningPart> RoundPart::run(World& world, std::uint64_t) const {
  return std::make_unique<RunningRounds>(*this, world, log_, end_);
}

std::vector<LoweredPart::Thing> RoundPart::things() const {
  std::vector<Thing> out;
  for (const RoundModel::Scheduler& one : model.schedulers)
    out.push_back({one.element, "the round scheduler \"" + one.name + "\""});
  return out;
}

// The others wait for the first; where it gives up the next one finds nothing and is asked to give up as well.
const std::vector<ScheduledTrace>& RoundPart::schedules(const std::function<bool()>& give_up) const {
  const std::lock_guard lock(working_);
  if (!worked_out_) {
    std::vector<ScheduledTrace> made;
    for (const RoundModel::Scheduler& one : model.schedulers) made.push_back(scheduled(one, give_up));
    schedules_ = std::move(made), worked_out_ = true;
  }
  return schedules_;
}

std::vector<ResultTable> RoundPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out;
  {
    const std::lock_guard lock(working_);
    if (!worked_out_) return out;  // the run was stopped before it had a schedule
  }
  const auto& made = schedules();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const RoundModel::Scheduler& one = model.schedulers[i];
    for (ResultTable& table : round_tables(one, made[i], end_.at_s(), made.size() > 1 ? "_" + one.name : "")) {
      table.solver = solver;
      out.push_back(std::move(table));
    }
  }
  const std::vector<CostRecord> records = log_.records();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].begun) continue;
    const RoundModel::Scheduler& one = model.schedulers[i];
    out.push_back(table_of_costs(records[i], one.name, "GPUs", one.budget_per_s));
    if (model.schedulers.size() > 1) out.back().name += "_" + one.name;
    out.back().solver = solver;
  }
  return out;
}

std::vector<ResultTable> round_tables(const RoundModel::Scheduler& scheduler, const ScheduledTrace& made, double end_s,
                                      const std::string& suffix) {
  std::vector<ResultTable> out;
  out.push_back(table_of_schedule(scheduler, made, "schedule" + suffix));
  out.push_back(table_of_training_jobs(scheduler, made, end_s, "jobs" + suffix));
  out.push_back(table_of_rounds(scheduler, made, "rounds" + suffix));
  out.push_back(table_of_job_stretches(scheduler, made, "gantt" + suffix));
  if (!scheduler.workload->left_out.empty()) out.push_back(table_of_left_out(scheduler, "left_out" + suffix));
  if (!made.plans.predictions.empty()) out.push_back(table_of_predictions(scheduler, made, "predictions" + suffix));
  if (!made.plans.markets.empty()) {
    out.push_back(table_of_market(scheduler, made, "market" + suffix));
    out.push_back(table_of_prices(scheduler, made, "market_prices" + suffix));
  }
  return out;
}

}  // namespace ergode
