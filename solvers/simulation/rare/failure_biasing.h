#pragma once
#include <memory>

#include "core/study/runner.h"
#include "solvers/simulation/ccf_runtime.h"
#include "solvers/simulation/first_failure.h"
#include "solvers/simulation/rare/biased_chances.h"
#include "solvers/simulation/replication_pulse.h"

namespace ergode {

/// Importance sampling of models in which failures are rare and repairs are quick, by the roles of transitions:
///
/// * **Chances.** Rare branches, joint demands and numbers of struck members: see BiasedChances.
/// * **Balanced failure biasing.** While clocks of failures (role failure, `rate(...)`) and of repairs run, a failure
///   comes first with probability delta, each failure equally likely. When all clocks that run are exponential, the
///   choice of the next jump is biased and its time is not; otherwise the failures' hazards are raised so that one
///   comes before the next repair with probability delta, and the likelihood of their silence is weighed too.
/// * **Forcing.** While only failures can happen, the next one is made to come before the end of
///   the mission, each failure equally likely; where other clocks run, their hazards are raised instead, so that one
///   comes within the length of a mission with probability delta.
///
/// * **Looking near known moments.** Failures come more often towards the next moment that is known in advance and
///   after the last (ScheduledTimes).
///
/// Paths are drawn from a mixture of laws and weighted by all of them (PathWeight): the model's own, a cautious and a
/// full bias, one in a hurry, and one that looks near known moments where the model has some. So no weight exceeds 1 /
/// own_share, and a way to the event that the bias does not foresee is met as often as by a plain simulation of that
/// share.
///
/// Where failures are as likely as that anyway nothing is changed, and nothing once every condition has held. The
/// estimates are unbiased whatever delta is. Shocks of common-cause groups are failures like any other, one for each
/// kind of shock, while some member is exposed to them.
///
/// Shahabuddin, Importance sampling for the simulation of highly reliable Markovian systems, Management Science 40(3),
/// 1994; Nicola, Shahabuddin, Nakayama, Techniques for fast simulation of models of highly dependable systems, IEEE
/// Trans. Reliability 50(3), 2001.
class FailureBiasingSource : public ReplicationSource {
 public:
  static constexpr double own_share = 0.15;  ///< of the paths keep the model's own law
  /// @param model  not null, without rare_event_problems() of this method: clocks of continuously changing rate would
  ///               be drawn by a wrong law. Kept as long as the source lives.
  /// @param delta  probability of a failure before the next repair, in (0, 1).
  /// @param goals  what the run waits for, by number as in measures(): for trusted()
  FailureBiasingSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed, double delta,
                       PrecisionGoals goals = {});
  /// May not outlive the source. One replication is one path; each moment costs O(clocks of the model), where plain
  /// simulation pays for the clocks concerned alone.
  std::unique_ptr<ReplicationWorker> make_worker() const override;
  /// Those of weighted_measures(), then one more that observes the weight of each path: its mean is one.
  std::span<const MeasureSpec> measures() const override { return specs_; }
  /// What PathVisits::hand_over() adds up.
  std::size_t sums() const override { return visit_sums(*model_); }
  /// nothing_unseen() of the measures that count.
  bool trusted(const Tallies& tallies) const override;
  /// With the probability and the seed.
  std::string identity() const override;
  /// As SimulationSource::failure() and pulse().
  FirstFailure& failure() const { return failure_; }
  ReplicationPulse& pulse() const { return pulse_; }
  std::optional<Diagnostic> late(double waited_s) const override { return pulse_.late(*model_, waited_s); }
  double share_under_way() const override { return pulse_.share(); }

 private:
  std::shared_ptr<const AnalysisModel> model_;
  CcfProgram groups_;
  std::uint64_t seed_;
  double delta_;
  PrecisionGoals goals_;
  std::vector<MeasureSpec> specs_;
  mutable FirstFailure failure_;
  mutable ReplicationPulse pulse_;

  friend class FailureBiasingWorker;
};

}  // namespace ergode
