#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solvers/cluster/model/host_failures.h"

namespace ergode {

/// What a job with checkpoints does from when it gets its hosts until it leaves them: it restarts, if it has been here
/// before, and then works in stretches of a period with a checkpoint after each but the last.
struct JobAttempt {
  double restart_s = 0.0;  ///< 0: it begins
  double work_s = 0.0;     ///< that is left
  double period_s = 0.0, cost_s = 0.0;

  JobAttempt(const HostFailures& rules, double left_s, bool again)
      : restart_s(again ? rules.restart_s : 0.0),
        work_s(left_s),
        period_s(rules.checkpoint_period_s),
        cost_s(rules.checkpoint_cost_s) {}

  /// Checkpoints that are written. One that would come with the end is not.
  double checkpoints() const {
    constexpr double last_digits = 1e-12;
    return std::isinf(period_s) ? 0.0 : std::max(0.0, std::ceil(work_s / period_s * (1.0 - last_digits)) - 1.0);
  }
  double time_s() const { return restart_s + work_s + checkpoints() * cost_s; }
  /// @name After so long [s]: work that is done, and work that is saved; at most work_s.
  /// @{
  double done_s(double after_s) const {
    const double whole = saved_stretches(after_s);
    if (std::isinf(period_s)) return std::clamp(after_s - restart_s, 0.0, work_s);
    const double rest_s = std::max(0.0, after_s - restart_s) - whole * (period_s + cost_s);
    return std::min(work_s, whole * period_s + (whole < checkpoints() ? std::min(rest_s, period_s) : rest_s));
  }
  double saved_s(double after_s) const { return std::isinf(period_s) ? 0.0 : saved_stretches(after_s) * period_s; }
  /// @}

 private:
  double saved_stretches(double after_s) const {
    if (std::isinf(period_s) || after_s <= restart_s) return 0.0;
    return std::min(checkpoints(), std::floor((after_s - restart_s) / (period_s + cost_s)));
  }
};

}  // namespace ergode
