#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode {

/// What a job with checkpoints does from when it gets its hosts until it leaves them: it restarts, if it has been here
/// before, and then works in stretches of a period with a checkpoint after each but the last.
struct JobAttempt {
  double restart_s = 0.0;  ///< 0: it begins
  double work_s = 0.0;     ///< that is left
  double period_s = std::numeric_limits<double>::infinity(), cost_s = 0.0;

  /// Checkpoints that are written. One that would come with the end is not.
  double checkpoints() const {
    constexpr double last_digits = 1e-12;
    return std::isinf(period_s) ? 0.0 : std::max(0.0, std::ceil(work_s / period_s * (1.0 - last_digits)) - 1.0);
  }
  double time_s() const { return restart_s + work_s + checkpoints() * cost_s; }
  /// Until so much work is done; of (0, work_s].
  double time_of_s(double work) const { return JobAttempt{restart_s, work, period_s, cost_s}.time_s(); }
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
