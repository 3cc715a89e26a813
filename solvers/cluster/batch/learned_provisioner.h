#pragma once
#include <cstdint>

#include "solvers/cluster/batch/chain_features.h"
#include "solvers/cluster/batch/job_chain.h"
#include "solvers/cluster/batch/regression_trees.h"

namespace ergode {

/// On which starts a provisioner learns, and what it counts.
struct ChainLessons {
  std::int64_t first_s = 0, period_s = 14400;  ///< whole minutes, on the clock of the trace
  std::uint32_t starts = 48;                   ///< >= 1
  std::uint64_t seed = 1;
  ChainWeights weights;  ///< of the policy gradient

  std::int64_t begin_s(std::uint32_t start) const { return first_s + static_cast<std::int64_t>(start) * period_s; }
};

enum class Learner : std::uint8_t { random_forest, gradient_boosting, policy_gradient };

/// A provisioner that has learned from a trace. The first two are told for each start how long the interruption was
/// when the successor was submitted at each of seven moments, predict it in hours, and submit when it is at least -0.5:
/// OFFLINE_DATA and the value models of Mirage on the latest row of its state. The third submits when its policy finds
/// that likelier than not (SubmissionPolicy); of each start it knows what became of it by the half-hour.
///
/// It learns when it is asked for the first time, whoever asks; others wait. Background and rules outlive it.
/// Some three chains for each start, then the trees or 400 steps of the policy: seconds.
Provisioner learned_provisioner(Learner learner, const Background& background, const ChainRules& rules,
                                const ChainLessons& lessons);

/// What the first two learn from: a row for each start and moment. For tests and tables.
TrainingRows chain_lessons(const Background& background, const ChainRules& rules, const ChainLessons& lessons);

}  // namespace ergode
