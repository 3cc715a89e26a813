#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "solvers/cluster/batch/job_attempt.h"

namespace ergode {

/// How hosts of one place fail (a pool, a GPU cluster, a fleet, a round scheduler), and what that does to jobs. A host
/// is up while it has not failed by its own laws and, where there is one, its condition holds. A job on a host that
/// fails loses what it has done since its last checkpoint and waits again.
struct HostFailures {
  bool by_laws = false;
  Distribution time_to_failure, repair;                                  ///< [s]
  std::vector<Program> up_while;                                         ///< by host; empty: there is no condition
  std::vector<std::uint32_t> readers;                                    ///< of these
  double checkpoint_period_s = std::numeric_limits<double>::infinity();  ///< of work between two
  double checkpoint_cost_s = 0.0, restart_s = 0.0;
  bool before_all = true;  ///< a job that waits again comes before all others

  bool any() const { return by_laws || !up_while.empty(); }
  bool checkpoints() const { return checkpoint_period_s < std::numeric_limits<double>::infinity(); }
  /// Of a job with so much work left [s].
  JobAttempt attempt(double left_s, bool again) const {
    return {again ? restart_s : 0.0, left_s, checkpoint_period_s, checkpoint_cost_s};
  }
};

}  // namespace ergode
