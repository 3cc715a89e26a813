#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/stats/long_run.h"
#include "core/stats/time_at_values.h"
#include "core/study/tallies.h"
#include "solvers/hybrid/continuous_path.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/flowing_expression.h"
#include "solvers/simulation/part_in_force.h"
#include "solvers/simulation/stream_recorder.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// Follows the measures of one replication. It looks only when the model is at rest and everything of a moment has
/// happened, so that four failures by one shock are one step from none to four. A watch of Advance, used for one
/// replication after the other, one per thread:
///
///     recorder.begin(charts, tallies);
///     history.start(replication);
///     recorder.start();
///     while (history.step(horizon_s, recorder)) {}
///     recorder.finish();
///
/// Tallies get SI values: times in [s], an average over the mission in the unit of its expression. What a replication
/// observes, by MeasureKind::Meaning:
/// * at_time: whether the condition holds once everything of that moment has happened;
/// * by_time, first_time: when the condition first held, zero included; by_time is 1 for a time up to and including the
///   one asked for, first_time makes no observation where it never held;
/// * average: the integral of the value over the mission, divided by its length; with `lasting` also for how long it
/// was
///   which value, of what flows by looks (TurningLooks);
/// * events: how often the event was raised, or the condition turned true (once more where it holds at time zero);
/// * at_end: the value at the mission time, after everything that happens then;
/// * of streams, cycles and the long run: see StreamRecorder, Cycle and RunPath.
///
/// A point of a curve at exactly the time of a change sees the new value. An observation belongs to the part of the
/// split that is in force when it is made, a time average to each part as long as it was in force.
class MeasureRecorder : public EventListener {
 public:
  /// @param model  must outlive the recorder; it may serve any number of them
  explicit MeasureRecorder(const AnalysisModel& model);
  /// Whether some measure counts an event: then ChartReplication::set_event_listener() is to name this recorder.
  bool wants_events() const { return !event_measures_.empty(); }

  /// Before charts.start(): what is recorded goes to `into`, which must outlive finish(). Names the recorder of streams
  /// to the world of the charts, and mutes observers there whose integral the charts keep anyway.
  /// @param into  with a tally for each measure of the model, in order
  void begin(ChartReplication& charts, Tallies& into);
  /// After charts.start(): reads every measure at time zero.
  void start();
  /// Called before the clock moves on to `next_s` [s]: what holds now holds until then. Everything is at rest.
  /// O(observers that changed at this moment).
  void until(double next_s) {
    if (!early_.empty()) sample_early(next_s);
    if (!world_->changed().empty() || part_in_force() != part_) update();
    moment_ = next_s;
  }
  /// Averages of values that flow, over a stretch in which nothing happened. Called after until(to_s). O(measures that
  /// flow); of some many evaluations, see FlowingExpression.
  void follow(double from_s, double to_s, ContinuousPath& path);
  /// The end of the mission: makes the replication's observations. Only after the loop has nothing left to do up to the
  /// mission time; a replication that was given up before is not to be finished.
  void finish();

  /// Counts at once, for the part in force in the middle of the step. Only where wants_events().
  void event(std::uint32_t event, double now_s) override;

 private:
  using Meaning = MeasureKind::Meaning;
  struct alignas(64) Follow {
    const Program* program = nullptr;
    double value = 0.0;     ///< of the expression at present
    double since = 0.0;     ///< when it took that value
    double first = 0.0;     ///< its value when the mission began
    double reached = -1.0;  ///< when the condition first held; < 0: not yet
    Meaning meaning = Meaning::at_time;
    SplitPart part = 0;          ///< to which the outcome belongs
    bool grid = false;           ///< the measure has a curve
    bool flows = false;          ///< an average that changes between events
    bool plain_average = false;  ///< nothing but a sum: no curve, nothing that flows
    bool one_slot = false;       ///< the expression is what `slot` holds
    std::uint32_t slot = 0;
    bool integral = false;       ///< of the count in `slot`, which the charts keep
    bool added_up = false;       ///< of `slot`, which the world keeps
    std::int32_t long_run = -1;  ///< place in long_runs_; -1: does not ask for the long run
    std::int32_t cycle = -1;     ///< place in cycles_; -1: is not cut into cycles
    std::int32_t lasting = -1;   ///< place in lasting_; -1: nobody asks for how long it had which value
    std::size_t point = 0;       ///< of the curve of what flows: the next
    FlowingExpression flowing;   ///< where it flows
    TurningLooks looks;          ///< at what flows
    double sampled = -1.0;       ///< probability read before the end of the mission; < 0: not yet
  };
  /// What a mean over time without its warm-up is made of.
  struct Settling {
    std::uint32_t measure;
    RunPath path;
  };
  /// Of the split; where nothing is divided always the first, so that every value has one sum.
  SplitPart part_in_force() const { return parts_ > 1 ? ergode::part_in_force(model_, *charts_) : 0; }
  /// A run cut into cycles at the moments when a condition becomes true. What came before the first is left out: at
  /// time zero the condition may hold, but nothing says that the model begins as it does when it becomes true.
  struct Cycle {
    std::uint32_t measure;
    const Program* renewal;
    bool stream;                       ///< of observations; else of an expression over time
    bool held = false;                 ///< the condition, when last looked at
    bool begun = false;                ///< false: before the first moment at which the condition became true
    double begin_s = 0.0, area = 0.0;  ///< of the present cycle: its beginning [s], integral of the value since then
  };
  void renew(Cycle& cycle);
  void update();
  void sample_early(double next_s);
  void became(std::size_t measure, double value);
  /// Writes down that the measure's value held from `since` to `end_s`.
  void account(std::size_t measure, double end_s, bool last);
  /// For how long it had which value; of the long run without the warm-up.
  void last(const Follow& f, std::size_t measure, double value, double from_s, double to_s) {
    if (f.long_run >= 0) from_s = std::max(from_s, settled_from * model_.horizon_s);
    if (!(from_s < to_s)) return;
    lasting_[static_cast<std::size_t>(f.lasting)].hold(
        value, from_s, to_s, [&](double x, std::uint64_t parts) { into_->measures[measure].sample_lasting(x, parts); });
  }
  void flush(const Follow& f, MeasureTally& to) {
    lasting_[static_cast<std::size_t>(f.lasting)].flush(
        [&](double x, std::uint64_t parts) { to.sample_lasting(x, parts); });
  }
  /// Averages and counts of a measure so far, by part of the split.
  std::span<double> sums(std::size_t measure) { return {sums_.data() + measure * parts_, parts_}; }
  /// The first point of the measure's curve at or after `time_s` [s]; their number when there is none. O(1).
  std::size_t grid_index(std::size_t measure, double time_s) const;

  const AnalysisModel& model_;
  std::vector<Follow> fresh_, follow_;   ///< by measure: at the beginning of a replication, and now
  std::vector<std::uint32_t> early_;     ///< probabilities read before the end of the mission
  std::vector<std::uint32_t> averages_;  ///< all others but plain ones
  std::vector<std::uint32_t> plain_averages_;
  std::vector<std::uint32_t> flowing_;                      ///< averages that change between events
  std::vector<std::vector<std::uint32_t>> event_measures_;  ///< by event; empty when no measure counts events
  std::vector<std::uint32_t> of_observer_;                  ///< observer -> measure, or past them a cycle
  std::vector<Settling> long_runs_;
  std::vector<TimeAtValues> lasting_;
  std::vector<Cycle> cycles_;
  std::vector<std::uint32_t> renewed_;  ///< scratch: cycles whose condition became true
  StreamRecorder streams_;
  std::vector<std::uint32_t> ratios_;
  std::vector<double> observed_;  ///< by measure: this replication's observation, where it makes one
  const ChartReplication* charts_ = nullptr;
  World* world_ = nullptr;
  Tallies* into_ = nullptr;
  std::size_t parts_;         ///< of the split
  std::vector<double> sums_;  ///< by measure and part
  SplitPart part_ = 0;        ///< in force at the present moment
  double moment_ = 0.0;       ///< the present time [s], as until() said it last
};

}  // namespace ergode
