#pragma once
#include <cstdint>
#include <vector>

#include "core/study/tallies.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/rare/path_weight.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// The measures that methods for rare events answer: probability at a time, and by a time. Numbers of measures.
std::vector<std::uint32_t> weighted_measures(const AnalysisModel& model);

/// Their specs, in the same order, as weighted ones: observations are weights from 0 on, no longer proportions, and
/// keep no distribution. Headlines all when none is.
std::vector<MeasureSpec> weighted_specs(const AnalysisModel& model, const WeightHealth& health);

/// Follows those measures along weighted paths. A replication may have several paths; what they contribute adds up, and
/// commit() makes one observation of it.
///
/// A weight is the likelihood of the path so far under the model over that under the law it was drawn from. A
/// probability at a time takes the weight of that time, one by a time the weight of the moment when the condition first
/// held: both are unbiased, and later weights would only add noise.
///
/// begin(), then for each path start(), until() and look() as it goes, and finish() unless finished(), then commit().
/// One per thread; between begin() and commit() nothing is allocated.
class WeightedRecorder {
 public:
  /// @param model  must outlive it
  explicit WeightedRecorder(const AnalysisModel& model);

  /// While muted, paths are followed and what they contribute is not added: on the way to a level only what is reached
  /// counts.
  void mute(bool muted) { muted_ = muted; }
  /// Before the first path of a replication: nothing was contributed.
  void begin();
  /// A path begins, or goes on from a state that was saved; the model is at rest. Times asked for and points of curves
  /// before now are taken as done. O(measures).
  void start(ChartReplication& charts, const PathWeight& weight);
  /// The model is at rest and the clock moves on to `next_s` [s]: what holds now holds until then, and times before
  /// `next_s` take the weight that the path has at them (PathWeight::after()). O(measures + points passed).
  void until(double next_s, ChartReplication& charts, const PathWeight& weight);
  /// Reads what has changed; only when everything of the moment has happened.
  void look(ChartReplication& charts, const PathWeight& weight);
  /// The path has come to the end of the mission, or finished() before it.
  void finish(ChartReplication& charts, const PathWeight& weight);
  /// One observation per measure: `into` has a tally for each of weighted_measures(), in order.
  void commit(Tallies& into);

  /// Nothing more can be learnt from this path.
  bool finished() const { return open_ == 0; }
  /// Every measure's condition has held at some time of this path.
  bool everything_seen() const { return unseen_ == 0; }
  /// Some measure's condition holds, or has held by its time.
  bool reached() const { return reached_any_; }

 private:
  struct Follow {
    bool by = false;  ///< probability by a time; else at a time
    double at_s = 0.0;
    const Program* program = nullptr;
    const std::vector<double>* grid = nullptr;
    bool value = false, seen = false, sampled = false, done = false;
    std::size_t point = 0;      ///< next grid point
    std::vector<double> parts;  ///< by part of the split
    std::vector<double> curve;
  };
  void became(Follow& f, SplitPart part, const PathWeight& weight);

  const AnalysisModel& model_;
  std::vector<Follow> follow_;
  std::vector<std::int32_t> of_observer_;  ///< observer -> place in follow_, or -1
  double moment_ = 0.0;
  std::size_t open_ = 0, unseen_ = 0;
  bool reached_any_ = false, muted_ = false;
};

}  // namespace ergode
