#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "solvers/cluster/batch/submission_trials.h"

namespace ergode {

/// How likely a successor is to be submitted at a moment: a logistic function of the features in units of their spread,
/// weighed, and of eight units tanh of such sums. Learned by policy gradient.
///
/// Episodes are starts, all rewards are nought but the last. Since it is known what becomes of every moment of a start
/// (SubmissionTrials), the gradient of the expected reward is not drawn from tried episodes as in REINFORCE (Williams,
/// Simple statistical gradient-following algorithms for connectionist reinforcement learning, Machine Learning 8, 1992)
/// but worked out: with p_k the likelihood at moment k, r_k the reward of submitting then, V_{K+1} that of never,
///
///     V_k = p_k r_k + (1 - p_k) V_{k+1},    dV_1 / dlogit_k = prod_{j<k} (1 - p_j)  p_k (1 - p_k) (r_k - V_{k+1})
///
/// the sum over actions of the policy gradient theorem (Sutton, McAllester, Singh and Mansour, Policy gradient methods
/// for reinforcement learning with function approximation, NIPS 12, 2000). It begins by submitting late, where a wrong
/// decision costs little.
class SubmissionPolicy {
 public:
  static constexpr std::uint32_t most_starts = 1200;  ///< more teach no better: each is seen 16 times then
  /// @param trials  those without moments teach nothing; of nothing a policy is learned that never submits
  /// @param seed    of the first weights and of the order of starts
  /// 400 steps of Adam over 48 starts each: a second or two.
  static SubmissionPolicy learned(const std::vector<SubmissionTrials>& trials, const ChainWeights& weights,
                                  std::uint64_t seed);
  /// 0 to 1.
  double likelihood(const ChainFeatures& seen) const;
  /// What it brings on the mean of these starts, where it submits as soon as that is likelier than not [h, weighed].
  double mean_reward(const std::vector<SubmissionTrials>& trials, const ChainWeights& weights) const;

 private:
  static constexpr std::size_t units = 8, inputs = chain_features + 1;  // the last input is 1
  static constexpr std::size_t size = units * inputs + units + inputs;
  using Inputs = std::array<double, inputs>;
  using Weights = std::array<double, size>;
  struct Evaluated {
    std::array<double, units> unit{};
    double logit = 0.0;
  };

  Inputs scaled(const ChainFeatures& seen) const;
  Evaluated evaluated(const Inputs& in) const;
  void add_gradient(const Inputs& in, const Evaluated& at, double slope, Weights& gradient) const;
  void add_gradient_of_start(const std::vector<Inputs>& moments, const std::vector<double>& rewards,
                             Weights& gradient) const;

  ChainFeatures mean_{}, scale_{};
  Weights weights_{};
};

}  // namespace ergode
