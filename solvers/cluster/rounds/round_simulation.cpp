#include "solvers/cluster/rounds/round_simulation.h"

#include <algorithm>
#include <cmath>

#include "solvers/cluster/rounds/adapting_job.h"
#include "solvers/cluster/rounds/round_policies.h"

namespace ergode {
namespace {

/// A job that is there.
struct ActiveJob {
  ActiveJob(std::uint32_t number, const RoundJob& job, const Throughputs& speeds, double time)
      : index(number), gpus(job.gpus), state(job, speeds), had_s(time) {}
  std::uint32_t index;
  int gpus;
  AdaptingJob state;
  double had_s;            ///< time that it has run since shares were computed, and half a round
  double deficit_s = 0.0;  ///< time that it was owed and has not had
  double share = 0.0;
  bool has_share = false;
  double used_s = 0.0;  ///< time that it has run in all
  double isolated_s = 0.0, isolated_rate = 0.0, left_before = 0.0;
  double priority = 0.0;
  std::int64_t last_round = -1;
  int failures = 0;
  bool over = false;
};

/// Steps of one job in one round.
struct MicroTask {
  std::size_t place;  ///< among the active jobs
  double finish_s;
  std::int64_t steps;
};

class RoundSimulation {
 public:
  RoundSimulation(const std::vector<RoundJob>& jobs, const Throughputs& speeds, const RoundOptions& options,
                  RoundPlanner* planner)
      : jobs_(jobs), speeds_(speeds), options_(options), planner_(planner) {
    out_.jobs.resize(jobs.size());
  }

  RoundRun run(RoundWatch* watch) {
    if (jobs_.empty()) return std::move(out_);
    now_ = out_.begin_s = jobs_.front().arrival_s;
    for (;;) {
      const double round_start = started_;
      started_ = now_;
      finish_round(round_start);
      for (ActiveJob& job : active_) job.state.look();
      if (planner_ != nullptr && round_ > 0) planner_->round_ended();
      admit();
      if (active_.empty() && next_ == jobs_.size()) break;
      if (watch != nullptr && !watch->go_on(static_cast<double>(finished_) / static_cast<double>(jobs_.size()))) {
        out_.stopped = true;
        break;
      }
      begin_round();
    }
    out_.end_s = now_;
    return std::move(out_);
  }

 private:
  void finish_round(double round_start) {
    // The last to finish is told first, as in the published simulator: sums are rounded in this order.
    std::sort(running_.begin(), running_.end(), [](const MicroTask& a, const MicroTask& b) {
      return a.finish_s != b.finish_s ? a.finish_s > b.finish_s : a.place < b.place;
    });
    for (const MicroTask& task : running_) finish(task, round_start);
    running_.clear();
    std::erase_if(active_, [](const ActiveJob& job) { return job.over; });
  }

  void finish(const MicroTask& task, double round_start) {
    ActiveJob& job = active_[task.place];
    RoundJobOutcome& outcome = out_.jobs[job.index];
    double ran_s = task.finish_s - round_start;
    std::int64_t steps = task.steps;
    // What ends early does not restore: else a few steps would trail after a job for rounds.
    constexpr double early_s = 5.0;
    const bool restored = job.last_round != round_ - 2 && round_ != 1;
    if (restored && ran_s > options_.round_s - early_s) {
      steps = static_cast<std::int64_t>(static_cast<double>(steps) * ((ran_s - options_.restore_s) / ran_s));
      ran_s -= options_.restore_s;
    }
    job.last_round = round_ - 1;
    const bool failed = steps <= 0 && ran_s <= 0.0;
    job.failures = failed ? job.failures + 1 : 0;
    if (failed) changed_ = true;
    const int batch = job.state.batch_size();
    if (!failed) {
      job.state.run(steps);
      job.had_s += ran_s, job.used_s += ran_s, all_s_ += ran_s;
      outcome.busy_s += ran_s, out_.busy_gpu_s += ran_s * job.gpus;
      out_.rounds.back().busy_gpu_s += ran_s * job.gpus;
    }
    const double listed = jobs_[job.index].listed_duration_s;
    bool over = job.failures >= options_.most_failures ||
                (!failed && (job.state.left() <= 0 || job.used_s > std::floor(1.5 * listed)));
    outcome.removed = job.failures >= options_.most_failures;
    job.state.adapt();
    if (!options_.as_published && job.state.left() <= 0) over = true;
    if (planner_ != nullptr && !over)
      planner_->ran(job.index,
                    {round_, ran_s > 0.0 ? static_cast<double>(steps) / ran_s : 0.0, batch, job.state.epochs_done()});
    if (over) remove(job, task.finish_s);
  }

  void remove(ActiveJob& job, double when) {
    job.over = changed_ = true;
    ++finished_;
    out_.jobs[job.index].finish_s = when;
    out_.jobs[job.index].epochs = static_cast<double>(job.state.epochs_begun());
    if (planner_ != nullptr) planner_->left(job.index);
  }

  void admit() {
    for (; next_ < jobs_.size() && jobs_[next_].arrival_s <= now_; ++next_) {
      active_.emplace_back(static_cast<std::uint32_t>(next_), jobs_[next_], speeds_, options_.round_s / 2.0);
      changed_ = true;
      if (planner_ != nullptr) planner_->arrived(static_cast<std::uint32_t>(next_), now_);
    }
  }

  void begin_round() {
    if (active_.empty()) return pass_time();
    std::vector<std::size_t> taken;
    if (planner_ != nullptr) taken = planned();
    else {
      if (changed_ && (now_ >= last_reset_ + options_.reset_interval_s || last_reset_ == 0.0)) compute_shares();
      taken = in_order_of_priority();
    }
    if (taken.empty()) return pass_time();
    Round& round = out_.rounds.emplace_back();
    round.start_s = now_, round.active = static_cast<std::uint32_t>(active_.size());
    for (const std::size_t place : taken) start(place, round);
    now_ = round.start_s;
    for (const MicroTask& task : running_) now_ = std::max(now_, task.finish_s);
    round.end_s = now_;
    ++round_;
  }

  void start(std::size_t place, Round& round) {
    ActiveJob& job = active_[place];
    const double speed = job.state.steps_per_s();
    const auto most = static_cast<std::int64_t>(speed * options_.round_s);
    const std::int64_t steps = std::min(most, job.state.left());
    running_.push_back({place, std::max(round.start_s, round.start_s + static_cast<double>(steps) / speed), steps});
    RoundJobOutcome& outcome = out_.jobs[job.index];
    if (outcome.rounds++ == 0) outcome.start_s = round.start_s;
    else if (job.last_round != round_ - 1) ++outcome.preemptions;
    round.jobs.push_back(job.index), round.gpus += job.gpus;
  }

  /// Nobody can run: until a job comes, or shares may be computed again.
  void pass_time() {
    double until = next_ < jobs_.size() ? jobs_[next_].arrival_s : INFINITY;
    if (planner_ == nullptr && changed_ && !active_.empty())
      until = std::min(until, last_reset_ + options_.reset_interval_s);
    now_ = std::max(now_, until);
    started_ = now_;
  }

  std::vector<std::size_t> planned() const {
    std::vector<std::size_t> out;
    for (const std::uint32_t index : planner_->next_round()) {
      const auto at = std::lower_bound(active_.begin(), active_.end(), index,
                                       [](const ActiveJob& job, std::uint32_t i) { return job.index < i; });
      if (at != active_.end() && at->index == index) out.push_back(static_cast<std::size_t>(at - active_.begin()));
    }
    return out;
  }

  std::vector<std::size_t> in_order_of_priority() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      ActiveJob& job = active_[i];
      const double fraction = job.had_s / all_s_;
      job.priority = !job.has_share ? 0.0 : fraction == 0.0 ? 1e9 * job.share : job.share / fraction;
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      const ActiveJob &a = active_[i], &b = active_[j];
      if (a.priority != b.priority) return a.priority > b.priority;
      if (a.deficit_s != b.deficit_s) return a.deficit_s > b.deficit_s;
      return a.share > b.share;
    });
    std::vector<std::size_t> out;
    int free = options_.gpus;
    for (const std::size_t i : order) {
      if (active_[i].gpus > free) continue;
      free -= active_[i].gpus;
      if (active_[i].has_share) out.push_back(i);
    }
    return out;
  }

  void compute_shares() {
    std::vector<SharedJob> shared;
    for (ActiveJob& job : active_) {
      const double half = options_.round_s / 2.0;
      job.deficit_s += job.share * (now_ - last_reset_) - (job.had_s - half);
      job.had_s = half;
      const auto left = static_cast<double>(job.state.left());
      if (job.isolated_rate > 0.0) job.isolated_s += (job.left_before - left) / job.isolated_rate;
      job.left_before = left;
      shared.push_back(
          {now_ - jobs_[job.index].arrival_s, job.state.steps_per_s(), left, job.gpus, job.isolated_s, job.share});
    }
    all_s_ = static_cast<double>(active_.size()) * options_.round_s / 2.0;
    last_reset_ = now_;
    changed_ = false;
    const std::vector<double> shares = shares_of(shared);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      active_[i].share = shares[i], active_[i].has_share = true;
      active_[i].isolated_rate = isolated_rate(shared[i], shared.size(), options_.gpus);
    }
  }

  std::vector<double> shares_of(const std::vector<SharedJob>& jobs) const {
    switch (options_.policy) {
      case RoundPolicy::max_sum:
        return max_sum_shares(jobs, options_.gpus);
      case RoundPolicy::gandiva_fair:
        return equal_shares(jobs, options_.gpus);
      case RoundPolicy::allox:
        return allox_shares(jobs, options_.gpus, options_.allox_considered);
      case RoundPolicy::ossp:
        return min_total_shares(jobs, options_.gpus);
      case RoundPolicy::themis:
        return finish_time_shares(jobs, options_.gpus);
      case RoundPolicy::max_min:
      case RoundPolicy::shockwave:
        return max_min_shares(jobs, options_.gpus);
    }
    return {};
  }

  const std::vector<RoundJob>& jobs_;
  const Throughputs& speeds_;
  const RoundOptions& options_;
  RoundPlanner* planner_;
  RoundRun out_;
  std::vector<ActiveJob> active_;  ///< by arrival
  std::vector<MicroTask> running_;
  std::size_t next_ = 0, finished_ = 0;
  std::int64_t round_ = 0;  ///< that have begun
  double now_ = 0.0, started_ = 0.0, all_s_ = 0.0, last_reset_ = 0.0;
  bool changed_ = false;
};

}  // namespace

RoundRun run_rounds(const std::vector<RoundJob>& jobs, const Throughputs& speeds, const RoundOptions& options,
                    RoundPlanner* planner, RoundWatch* watch) {
  return RoundSimulation(jobs, speeds, options, planner).run(watch);
}

}  // namespace ergode
