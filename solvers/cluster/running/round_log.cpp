#include "solvers/cluster/running/round_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ergode {

void RoundRecord::job_comes(std::uint32_t number, RoundHistory::Row row) {
  if (number >= most_jobs) ++history.untold;
  else history.rows.push_back(std::move(row));
}

void RoundRecord::round_begins(const Round& round) {
  const std::int64_t number = history.all_rounds++;
  // The first ones without a gap.
  open_ = history.untold_rounds == 0 && history.rounds.size() < most_rounds && names_ < most_names;
  if (open_) history.rounds.push_back(round), names_ += round.jobs.size();
  else ++history.untold_rounds;
  for (const std::uint32_t job : round.jobs) {
    RoundHistory::Row* const row = row_of(job);
    if (row == nullptr) continue;
    const auto before = last_.find(job);
    const bool goes_on = before != last_.end() && before->second.round == number - 1 && !row->lost_host;
    if (row->rounds++ == 0) row->start_s = round.start_s;
    else if (!goes_on && !row->lost_host) ++row->preemptions;
    row->runs = true, row->lost_host = false;
    std::size_t stretch = goes_on ? before->second.stretch : history.stretches.size();
    if (!goes_on && stretch < most_stretches) history.stretches.push_back({job, round.start_s, round.start_s});
    last_[job] = {stretch, number};
  }
}

void RoundRecord::round_ends(const Round& round) {
  busy_gpu_s += round.busy_gpu_s, ran_until_s = round.end_s;
  if (open_) history.rounds.back().end_s = round.end_s, history.rounds.back().busy_gpu_s = round.busy_gpu_s;
  open_ = false;
}

void RoundRecord::run_ends(double end_s) {
  if (open_) history.rounds.back().end_s = std::min(history.rounds.back().end_s, end_s);
}

void RoundRecord::job_ran(std::uint32_t number, double until_s) {
  const auto last = last_.find(number);
  if (last != last_.end() && last->second.stretch < history.stretches.size())
    history.stretches[last->second.stretch].to_s = until_s;
}

RoundHistory RoundRecord::told(const RoundModel::Scheduler& scheduler) const {
  RoundHistory out = history;
  std::vector<TimedJob> timed;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    const RoundHistory::Row& row = out.rows[i];
    if (row.rejected) continue;
    of.push_back(i), timed.push_back({row.job.arrival_s, row.finish_s, row.exclusive_s});
  }
  const FinishTimeFairness ratios = finish_time_fairness(
      timed, scheduler.options.gpus, scheduler.fairness_of_all() ? scheduler.workload->jobs.size() : 0);
  Fairness& all = out.totals;
  double done = 0.0, sum_s = 0.0, logs = 0.0, unfair = 0.0, last_s = first_s;
  for (std::size_t i = 0; i < of.size(); ++i) {
    RoundHistory::Row& row = out.rows[of[i]];
    row.rho = ratios.rho[i], row.rho_contended = ratios.rho_contended[i];
    if (!std::isfinite(row.finish_s)) continue;
    const double jct_s = row.finish_s - row.job.arrival_s,
                 rho = scheduler.fairness_of_all() ? row.rho : row.rho_contended;
    done += 1.0, sum_s += jct_s, logs += std::log(jct_s), unfair += rho > scheduler.unfair_above ? 1.0 : 0.0;
    all.worst_rho = std::max(all.worst_rho, rho), last_s = std::max(last_s, row.finish_s);
  }
  all.makespan_s = last_s - first_s;
  if (done > 0.0)
    all.mean_jct_s = sum_s / done, all.geometric_mean_jct_s = std::exp(logs / done),
    all.unfair_fraction = unfair / done;
  // Whoever is not done has run too.
  const double ran_s = ran_until_s - first_s;
  if (ran_s > 0.0) all.utilisation = busy_gpu_s / (scheduler.options.gpus * ran_s);
  return out;
}

}  // namespace ergode
