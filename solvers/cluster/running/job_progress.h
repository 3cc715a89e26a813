#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace ergode {

/// What rules the course of a job besides its GPUs.
struct JobRules {
  double failure_rate = 0.0;  ///< of each of its GPUs [1/s]
  double checkpoint_period_s = std::numeric_limits<double>::infinity();
  double checkpoint_cost_s = 0.0, restart_s = 0.0;
};

/// How far one job is: it starts up, works, and writes a checkpoint after each period of work; where one of its GPUs
/// fails it loses what it has done since the last checkpoint that was finished, restarts, and goes on from there.
/// Failures come at random, at a rate in proportion to its GPUs, while it works, writes or restarts: a threshold
/// (exponential, of mean 1) is used up by the hazard, so that GPUs may change at any time. A checkpoint that a failure
/// interrupts does not count. Whoever runs it looks at it at the moment next() tells, and whenever GPUs change.
/// Young, A first order approximation to the optimum checkpoint interval, 1974; Daly, A higher order estimate of the
/// optimum checkpoint interval for restart dumps, 2006.
struct JobProgress {
  /// `waiting`: its GPUs have been taken, and it has none.
  enum class Phase : std::uint8_t { starting, working, writing, restarting, waiting };
  enum class Happens : std::uint8_t { phase_ends, checkpoint_due, done, failure };
  static constexpr double never = std::numeric_limits<double>::infinity();

  double gpus = 1.0, speed = 1.0;      ///< that it has now
  double left_s = 0.0, saved_s = 0.0;  ///< work left, and what was left at the last checkpoint
  double until_checkpoint_s = never;   ///< of work
  double phase_left_s = 0.0;           ///< of starting, writing, restarting
  double then_restart_s = 0.0;         ///< after starting, where it goes on from a checkpoint
  double threshold = never;            ///< of the hazard that is left
  double gpu_time_s = 0.0;             ///< GPUs times how long it had them
  double since_s = 0.0;                ///< until when all this was worked out
  Phase phase = Phase::working;

  /// A job of this work that begins now.
  void begin(double now_s, double work_s, double start_up_s, const JobRules& rules) {
    left_s = saved_s = work_s, since_s = now_s, gpu_time_s = 0.0, threshold = never;
    phase = start_up_s > 0.0 ? Phase::starting : Phase::working, phase_left_s = start_up_s;
    until_checkpoint_s = rules.checkpoint_period_s, then_restart_s = 0.0;
  }
  /// Its GPUs are taken: it goes on later, from its last checkpoint. @returns the work that is lost [s]
  double lose_gpus(double wait_s) {
    const double lost_s = saved_s - left_s;
    left_s = saved_s, gpus = 0.0;
    phase = Phase::waiting, phase_left_s = wait_s;
    return lost_s;
  }
  /// It has GPUs again, starts up and restarts.
  void begin_again(double start_up_s, const JobRules& rules) {
    phase = Phase::starting, phase_left_s = start_up_s, then_restart_s = rules.restart_s;
    if (phase_left_s == 0.0) happened(Happens::phase_ends, rules, [] { return never; });
  }
  /// It writes until its GPUs go; then what it has done is saved. One that starts up has nothing to write.
  void save_for_the_last_time() {
    if (phase != Phase::starting) phase = Phase::writing;
    phase_left_s = never;
  }
  /// Works time off until now, with the GPUs that it has had.
  void pass(double now_s, const JobRules& rules) {
    const double time_s = now_s - since_s;
    since_s = now_s;
    if (!(time_s > 0.0)) return;
    gpu_time_s += gpus * time_s;
    if (at_risk()) threshold = std::max(0.0, threshold - rules.failure_rate * gpus * time_s);
    if (phase == Phase::working) {
      left_s = std::max(0.0, left_s - speed * time_s);
      until_checkpoint_s = std::max(0.0, until_checkpoint_s - time_s);
    } else {
      phase_left_s = std::max(0.0, phase_left_s - time_s);
    }
  }
  /// What comes next, and after how long [s] if its GPUs stay.
  Happens next(double& after_s, const JobRules& rules) const {
    Happens out = Happens::phase_ends;
    after_s = phase_left_s;
    if (phase == Phase::working) {
      const double work_s = left_s == 0.0 ? 0.0 : left_s / speed;
      out = work_s <= until_checkpoint_s ? Happens::done : Happens::checkpoint_due;
      after_s = std::min(work_s, until_checkpoint_s);
    }
    if (!at_risk() || rules.failure_rate == 0.0) return out;
    const double failure_s = threshold / (rules.failure_rate * gpus);
    if (!(failure_s < after_s)) return out;
    after_s = failure_s;
    return Happens::failure;
  }
  /// It has happened now. `done`, and the end of `waiting`, are its owner's.
  /// @param draw  a new threshold: exponential of mean 1
  template <class Draw>
  void happened(Happens what, const JobRules& rules, Draw&& draw) {
    switch (what) {
      case Happens::done:
        left_s = 0.0;
        return;
      case Happens::checkpoint_due:
        phase = Phase::writing, phase_left_s = rules.checkpoint_cost_s;
        break;
      case Happens::failure:
        left_s = saved_s, threshold = draw();
        phase = Phase::restarting, phase_left_s = rules.restart_s;
        break;
      case Happens::phase_ends:
        phase_left_s = 0.0;
        if (phase == Phase::starting && then_restart_s > 0.0) {
          phase = Phase::restarting, phase_left_s = then_restart_s, then_restart_s = 0.0;
          return;
        }
        break;
    }
    if (phase_left_s > 0.0) return;
    if (phase == Phase::writing) saved_s = left_s;
    phase = Phase::working, until_checkpoint_s = rules.checkpoint_period_s;
  }

  bool at_risk() const { return phase != Phase::starting && phase != Phase::waiting; }

  template <typename Archive>
  void archive(Archive& a) {
    auto at = static_cast<std::uint8_t>(phase);
    a(gpus, speed, left_s, saved_s, until_checkpoint_s, phase_left_s, then_restart_s, threshold, gpu_time_s, since_s,
      at);
    phase = static_cast<Phase>(at);
  }
};

}  // namespace ergode
