#pragma once
#include <array>
#include <cstdint>

#include "solvers/cluster/batch/job_chain.h"
#include "solvers/cluster/batch/regression_trees.h"

namespace ergode {

/// What a learned provisioner sees of a moment: one row of Mirage's state. Of those who wait, then of those who run:
/// their number, their hosts, and least, lower quartile, median, upper quartile and greatest of limit [min], wait [s]
/// and elapsed run time [s] (nought of those who wait); then limit [min], hosts, wait [s] and elapsed [s] of the
/// running job of the chain and of its successor. All nought where there is nobody.
inline constexpr std::size_t chain_features = 42;
std::array<double, chain_features> features_of(const ChainMoment& moment, const ChainRules& rules);

/// On which starts a provisioner learns, and what it counts.
struct ChainLessons {
  std::int64_t first_s = 0, period_s = 14400;  ///< whole minutes, on the clock of the trace
  std::uint32_t starts = 48;                   ///< >= 1
  std::uint64_t seed = 1;
  double per_interruption = 1.0, per_overlap = 1.0;  ///< what an hour of each costs; of the policy gradient

  /// What a chain brings whose successor starts so long after its predecessor has ended [s], below 0: before; never
  /// above 0. Mirage's -(e_I I + e_O O), in hours.
  double reward(std::int64_t interruption_s) const {
    const double hours = static_cast<double>(interruption_s) / 3600.0;
    return hours > 0.0 ? -per_interruption * hours : per_overlap * hours;
  }
};

enum class Learner : std::uint8_t { random_forest, gradient_boosting, policy_gradient };

/// A provisioner that has learned from a trace. The first two are told for each start how long the interruption was
/// when the successor was submitted at each of seven moments, predict it in hours, and submit when it is at least -0.5:
/// OFFLINE_DATA and the value models of Mirage on the latest row of its state. The third weighs the features and
/// submits when that is more likely than not; it has tried whole chains and changed its weights by what they cost
/// (REINFORCE: Williams, Simple statistical gradient-following algorithms for connectionist reinforcement learning,
/// Machine Learning 8, 1992), as Mirage's policy models do with a transformer.
///
/// It learns when it is asked for the first time, whoever asks; others wait. Background and rules outlive it.
/// Seven chains for each start, and the trees; with the policy gradient 640 chains.
Provisioner learned_provisioner(Learner learner, const Background& background, const ChainRules& rules,
                                const ChainLessons& lessons);

/// What the first two learn from: a row for each start and moment. For tests and tables.
TrainingRows chain_lessons(const Background& background, const ChainRules& rules, const ChainLessons& lessons);

}  // namespace ergode
