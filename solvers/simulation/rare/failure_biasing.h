#pragma once
#include <memory>

#include "core/study/runner.h"
#include "solvers/simulation/ccf_runtime.h"
#include "solvers/simulation/first_failure.h"

namespace ergode {

/// Importance sampling of models in which failures are rare and repairs are quick, by the roles of transitions:
///
/// * **Balanced failure biasing.** While clocks of failures (role failure, `rate(...)`) and of repairs run, a failure
///   comes first with probability delta, each failure equally likely. When all clocks that run are exponential, the
///   choice of the next jump is biased and its time is not; otherwise the failures' hazards are raised so that one
///   comes before the next repair with probability delta, and the likelihood of their silence is weighed too.
/// * **Forcing.** While only failures can happen and no condition holds, the next one is made to come before the end of
///   the mission, with the weight of that, each failure equally likely.
///
/// Where failures are as likely as that anyway nothing is changed, and nothing once every condition has held. The
/// estimates are unbiased whatever delta is. Shocks of common-cause groups are failures like any other, one for each
/// kind of shock; whom they strike, and probabilistic branches, keep their law.
///
/// Shahabuddin, Importance sampling for the simulation of highly reliable Markovian systems, Management Science 40(3),
/// 1994; Nicola, Shahabuddin, Nakayama, Techniques for fast simulation of models of highly dependable systems, IEEE
/// Trans. Reliability 50(3), 2001.
class FailureBiasingSource : public ReplicationSource {
 public:
  /// @param delta  probability of a failure before the next repair, in (0, 1).
  FailureBiasingSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed, double delta);
  std::unique_ptr<ReplicationWorker> make_worker() const override;
  /// Those of weighted_measures(), then one more that observes the weight of each path: its mean is one.
  std::span<const MeasureSpec> measures() const override { return specs_; }
  FirstFailure& failure() const { return failure_; }

 private:
  std::shared_ptr<const AnalysisModel> model_;
  CcfProgram groups_;
  std::uint64_t seed_;
  double delta_;
  std::vector<MeasureSpec> specs_;
  mutable FirstFailure failure_;

  friend class FailureBiasingWorker;
};

/// The specs of the measures that methods for rare events answer, as weighted ones; headlines all when none is.
std::vector<MeasureSpec> weighted_specs(const AnalysisModel& model);

}  // namespace ergode
