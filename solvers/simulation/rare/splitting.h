#pragma once
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/study/runner.h"
#include "solvers/simulation/ccf_runtime.h"
#include "solvers/simulation/first_failure.h"
#include "solvers/simulation/rare/biased_chances.h"
#include "solvers/simulation/replication_pulse.h"

namespace ergode {

struct SplittingOptions {
  std::uint64_t effort = 1000;  ///< paths from each level, >= 2
  std::vector<double> levels;   ///< of the importance, strictly ascending; empty: found by a pilot run
};

/// Whose stop, and which time, end the pilot run; its user hears (RUN031) of one that takes more than three seconds.
/// Null: nobody waits, and nothing but its own end ends it.
struct PilotLimits {
  RunControl* control = nullptr;
  std::optional<double> time_s = {};  ///< most that the pilot run may take, by the wall clock [s]; none: any
};

/// Fixed-effort multilevel splitting. Paths are followed until the importance, an expression of the model, reaches the
/// next level; so many new paths as `effort` go on from the states saved there, each with its own draws (exponential
/// clocks are drawn anew, others keep their times, which belong to the state). The last ones are followed to the end.
/// The weight is the product of the shares that reached each level, times that of the path's chances: rare branches,
/// demands and numbers of struck members are biased on the way (BiasedChances), and where a level is reached in the
/// middle of a step, whatever is still undecided then is decided anew by each path that goes on. A path on which the
/// condition of some measure holds counts as having reached every level, so the levels need not be necessary for the
/// event.
///
/// One replication is one whole repetition and makes one observation of each measure: unbiased with levels that were
/// fixed before, and independent of the others, so the interval over repetitions is that of a mean. Levels of a pilot
/// run (each the greatest importance that at least a fifth of its paths reach) are fixed before the first replication;
/// the pilot's draws are its own.
///
/// Garvels, The splitting method in rare event simulation, 2000; L'Ecuyer, Demers, Tuffin, Rare events, splitting, and
/// quasi-Monte Carlo, ACM TOMACS 17(2), 2007; Botev, Kroese, Efficient Monte Carlo simulation via the generalized
/// splitting method, Statistics and Computing 22(1), 2012.
class SplittingSource : public ReplicationSource {
 public:
  /// Runs the pilot when there are no levels, on this thread: 1,000 paths for each level, ten times as many and again
  /// where none gets further, at most 100,000 and at most 200 levels. Without an importance the model's is the number
  /// of failures standing.
  /// @param model  not null; kept as long as the source and its workers live
  /// @param pilot  what holds for the pilot run, which ends where it is: levels found up to then count.
  /// @param goals  what the run waits for, by number as in measures(): for trusted()
  /// @throws ModelFailure  a path of the pilot run could not go on
  SplittingSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed, SplittingOptions options,
                  const PilotLimits& pilot = {}, PrecisionGoals goals = {});
  /// May not outlive the source. Keeps up to `effort` states of the model for each of two levels.
  std::unique_ptr<ReplicationWorker> make_worker() const override;
  /// Those of weighted_measures().
  std::span<const MeasureSpec> measures() const override { return specs_; }
  /// What PathVisits::hand_over() adds up.
  std::size_t sums() const override { return visit_sums(*model_); }
  /// nothing_unseen() of the measures that count.
  bool trusted(const Tallies& tallies) const override;
  /// With effort, levels and seed, so that a run is taken up with the levels it began with.
  std::string identity() const override;
  /// As given, or as the pilot run found them; may be empty.
  const std::vector<double>& levels() const { return options_.levels; }
  /// The pilot run found no way to any measure's condition.
  bool stuck() const { return stuck_; }
  /// As SimulationSource::failure() and pulse().
  FirstFailure& failure() const { return failure_; }
  ReplicationPulse& pulse() const { return pulse_; }
  std::optional<Diagnostic> late(double waited_s) const override { return pulse_.late(*model_, waited_s); }

 private:
  friend class SplittingPaths;
  friend class SplittingWorker;
  std::shared_ptr<const AnalysisModel> model_;
  CcfProgram groups_;
  std::uint64_t seed_;
  SplittingOptions options_;
  PrecisionGoals goals_;
  std::vector<MeasureSpec> specs_;
  bool stuck_ = false;
  mutable FirstFailure failure_;
  mutable ReplicationPulse pulse_;
};

}  // namespace ergode
