#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/byte_archive.h"
#include "solvers/cluster/batch/job_attempt.h"
#include "solvers/cluster/rounds/adapting_job.h"
#include "solvers/cluster/rounds/round_policies.h"
#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode {

/// A cluster that is scheduled in rounds, round by round: who runs it says when jobs come, and may not know who will.
///
///     stepper.end_round();                         // what ran in the last round is told; gone() has who left
///     stepper.admit(number, job, speeds);          // who came since then, in the order of arrivals
///     double at_s = stepper.begin_round(now_s, next_arrival_s);
///     ...                                          // again at at_s, or where nobody runs when the next one comes
///
/// Meanings as in run_rounds(), which is this loop. Numbers of jobs rise. A round costs O(jobs present * log).
class RoundStepper {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// @param options  outlive it
  /// @param planner  for RoundPolicy::shockwave, outlives it; else null
  explicit RoundStepper(const RoundOptions& options, RoundPlanner* planner = nullptr)
      : options_(&options), planner_(planner), gpus_(options.gpus) {}

  /// Nobody is there and nothing has been.
  void clear();
  void end_round();
  /// @param job     without problems_of()
  /// @param speeds  outlive the job's stay
  void admit(std::uint32_t number, const RoundJob& job, const Throughputs& speeds, double now_s);
  /// @param next_arrival_s  of who is not there yet; never: nobody knows
  /// @returns when the round ends; where nobody can run, when that may change: never, if only who comes can change it
  double begin_round(double now_s, double next_arrival_s);

  /// A job loses a host, in the midst of the round or at its end: it goes back to what is saved, is restored in the
  /// next round in which it runs, and has nothing of this one any more, which ends when all others are done.
  /// @returns work that is lost [s]; nothing: it does not run, or has done its part of the round. O(jobs of the round)
  std::optional<double> interrupt(std::uint32_t number, double now_s);
  /// So many GPUs are there from the next round on, >= 0. Jobs that want more wait; shares are computed anew as when
  /// jobs come or go.
  void set_gpus(int gpus);
  int gpus() const { return gpus_; }

  bool empty() const { return active_.empty(); }
  std::size_t present() const { return active_.size(); }
  /// Whether a round has begun and not ended.
  bool running() const { return !running_.empty(); }
  /// The last round that began, and when it ends unless a job is interrupted; its busy time once it has ended.
  const Round& round() const { return round_; }
  std::int64_t rounds() const { return begun_; }
  double busy_gpu_s() const { return busy_gpu_s_; }  ///< of all rounds that have ended

  struct Gone {
    std::uint32_t number = 0;
    RoundJobOutcome outcome;
  };
  /// Those who left with the last end_round().
  const std::vector<Gone>& gone() const { return gone_; }
  /// What has happened so far to those who are there, by number.
  std::vector<Gone> outcomes() const;

  /// Those of the round that runs who will have left when it ends, and when they are done; in no order.
  struct End {
    std::uint32_t number = 0;
    double at_s = 0.0;
  };
  std::vector<End> ends() const;

  /// Throughputs are not in it, nor who left with the last round.
  template <typename Archive>
  void archive(Archive& a) {
    a(active_, running_, round_.start_s, round_.end_s, round_.jobs, round_.gpus, round_.active, round_.busy_gpu_s);
    a(begun_, gpus_, all_s_, last_reset_s_, busy_gpu_s_, changed_);
  }
  /// After archive() of a reader.
  void rebind(const Throughputs& speeds) {
    for (ActiveJob& job : active_) job.state.rebind(speeds);
  }

 private:
  /// A job that is there.
  struct ActiveJob {
    std::uint32_t number = 0;
    int gpus = 1;
    AdaptingJob state;
    double had_s = 0.0;      ///< time that it has run since shares were computed, and half a round
    double deficit_s = 0.0;  ///< time that it was owed and has not had
    double share = 0.0;
    bool has_share = false;
    double used_s = 0.0;  ///< time that it has run in all
    double isolated_s = 0.0, isolated_rate = 0.0, left_before = 0.0;
    double priority = 0.0;
    std::int64_t last_round = -1;
    int failures = 0;
    bool lost_host = false;  ///< and has not run since then
    bool over = false;
    RoundJobOutcome outcome{};

    template <typename Archive>
    void archive(Archive& a) {
      a(number, gpus, state, had_s, deficit_s, share, has_share, used_s, isolated_s, isolated_rate, left_before);
      a(last_round, failures, lost_host, outcome.start_s, outcome.rounds, outcome.preemptions, outcome.busy_s);
      a(outcome.restarts, outcome.lost_s);
    }
  };
  /// Steps of one job in one round.
  struct MicroTask {
    std::size_t place = 0;  ///< among the active jobs
    double finish_s = 0.0;
    std::int64_t steps = 0;
    bool restored = false;  ///< before it works

    template <typename Archive>
    void archive(Archive& a) {
      auto at = static_cast<std::uint64_t>(place);
      a(at, finish_s, steps, restored);
      place = static_cast<std::size_t>(at);
    }
  };
  /// What a micro-task comes to.
  struct Work {
    double ran_s = 0.0;
    std::int64_t steps = 0;
    bool failed = false;
    int failures = 0;  ///< in a row
    bool over = false;
  };

  /// What is done of so many steps within a round, once the job is restored.
  JobAttempt attempt(const ActiveJob& job, std::int64_t steps) const {
    return {0.0, static_cast<double>(steps) / job.state.steps_per_s(), options_->checkpoint_period_s,
            options_->checkpoint_cost_s};
  }
  Work work_of(const ActiveJob& job, const MicroTask& task) const;
  void finish(const MicroTask& task);
  void start(std::size_t place);
  double idle_until(double now_s, double next_arrival_s) const;
  std::vector<std::size_t> planned() const;
  std::vector<std::size_t> in_order_of_priority();
  void compute_shares(double now_s);
  std::vector<double> shares_of(const std::vector<SharedJob>& jobs) const;

  const RoundOptions* options_;
  RoundPlanner* planner_;
  int gpus_;                       ///< that there are now
  std::vector<ActiveJob> active_;  ///< by arrival, so by number
  std::vector<MicroTask> running_;
  std::vector<Gone> gone_;
  Round round_;
  std::int64_t begun_ = 0;  ///< rounds
  double all_s_ = 0.0, last_reset_s_ = 0.0, busy_gpu_s_ = 0.0;
  bool changed_ = false;
};

}  // namespace ergode
