#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/des/observations.h"
#include "core/des/running_part.h"
#include "core/des/world.h"
#include "core/stats/growing_batches.h"
#include "core/stats/ratio.h"
#include "core/stats/stream_distribution.h"
#include "core/stats/time_at_values.h"
#include "core/study/tallies.h"
#include "solvers/hybrid/continuous_path.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/flowing_expression.h"

namespace ergode {

/// What one long run says of one measure so far. SI, without the measure's factor.
struct LongRunAnswer {
  BatchMeans estimate;                              ///< of what the measure asks for: a mean, a rate, or a quantile
  double warm_up = 0.0;                             ///< share of the run that was left out
  bool no_warm_up = false;                          ///< the rule found none: half was left out, or for cycles nothing
  std::uint64_t cycles = 0;                         ///< of a regenerative mean
  const LoweredPart::KnownMean* control = nullptr;  ///< by which it was corrected; null: by none
};

/// Why a measure cannot be asked of one long run; empty: it can. Means over time and of streams, rates, quantiles of
/// streams and regenerative means can: what they tend to does not depend on the mission. What is observed when a
/// replication ends cannot. A ratio can of two that do not depend on it, or of two counts that both grow with it (final
/// values, numbers of observations): then it is that of their rates.
std::string no_long_run_answer(const AnalysisModel& model, const Measure& measure);

/// Follows the measures of one history that goes on as long as somebody wants, in memory that does not grow. A watch of
/// Advance; as MeasureRecorder it looks only when the model is at rest.
///
///     LongRunRecorder recorder(model, WarmUpRule::mser_5);
///     recorder.begin(history.world());
///     history.start(0);
///     recorder.start();
///     while (history.step(end_s, recorder)) {}
///     recorder.until(end_s);                           // then, at any time: what is known so far
///     recorder.answer(measure, 0.95);
class LongRunRecorder : public ObservationSink {
 public:
  /// @param model  must outlive the recorder. Its mission time is the scale of the first batches: 1/1024 of it.
  /// @param controls  whether means are corrected by what parts know beforehand (LoweredPart::known_means())
  LongRunRecorder(const AnalysisModel& model, WarmUpRule rule, bool controls);
  /// Before the history starts.
  void begin(World& world);
  /// After it has.
  void start();
  /// As MeasureRecorder::until() and follow().
  void until(double next_s) {
    if (!world_->changed().empty()) update();
    if (next_s >= batch_ends_s_) [[unlikely]]
      end_batches(next_s);
    moment_ = next_s;
  }
  void follow(double from_s, double to_s, ContinuousPath& path);
  void observed(std::uint32_t stream, double value, std::uint32_t of_class) override;
  void observed_block(std::uint32_t stream, std::span<const double> values) override;

  /// Takes in what was gathered and what has lasted until the last until(), for answers that leave nothing out. Sums
  /// are cut here, so that their last digits, and with controls more, depend on when: only at moments that the model
  /// decides, never at those of a clock on the wall.
  void catch_up();
  /// Of a measure of the model, for which no_long_run_answer() says nothing. O(batches).
  LongRunAnswer answer(std::size_t measure, double confidence);
  /// Of what distribution() counts where that is for how long a measure had which value [s].
  double part_s() const { return model_.horizon_s / MeasureTally::ticks; }
  /// The variance of the observations, or of the value over time; of means only.
  std::optional<BatchMeans> variance(std::size_t measure, double confidence);
  /// Where single observations are kept: the distribution, with what its quantiles are asked for.
  const StreamDistribution* distribution(std::size_t measure);

 private:
  /// One that is asked for, or that one of a ratio is made of.
  struct Follow {
    std::uint32_t measure = 0;
    const Program* program = nullptr;  ///< null: of a stream, or a ratio
    const Program* renewal = nullptr;  ///< null: no cycles
    MeasureKind::Meaning meaning = MeasureKind::Meaning::average;
    std::uint32_t stream = 0;
    std::int32_t of_class = -1;
    bool grows = false;    ///< asked is how fast the expression does
    double most = 0.0;     ///< of a share: the greatest observation that counts
    bool timed = false;    ///< observations are differences of times
    bool lasting = false;  ///< `values` has for how long it had which value
    double lasted_to_s = 0.0;
    std::uint64_t lasted_to = 0;  ///< the same in parts
    bool flows = false;
    FlowingExpression flowing;  ///< where it flows
    TurningLooks looks;         ///< at what flows, where it lasts
    bool added_up = false;      ///< the world keeps the integral of its slot
    std::int32_t slot = -1;     ///< the expression is what this slot holds; -1: it is more
    std::int32_t control = -1;  ///< place in controls_; -1: none
    double value = 0.0, since_s = 0.0;
    bool held = false, begun = false;                      ///< of the renewal
    double cycle_sum = 0.0, cycle_n = 0.0, begin_s = 0.0;  ///< of the present cycle
    GrowingBatches batches{1.0};
    std::unique_ptr<StreamDistribution> values;
    RatioTally cycles;
  };
  /// It had this value between those moments.
  void last(Follow& f, double value, double from_s, double to_s) const;
  /// Of a share: the greatest observation that counts now.
  double limit(const Follow& f) const;
  void update();
  void account(Follow& f);
  /// Of what the world adds up and of rates of blocks: the batches that end up to then; nothing changes before it does.
  void end_batches(double next_s);
  bool ends_batches(const Follow& f) const {
    return f.added_up ||
           (f.program == nullptr && f.meaning == MeasureKind::Meaning::observed_rate && gathered_[f.stream] != 0);
  }
  void renew(Follow& f);
  /// The expression has this value from now on.
  void become(Follow& f, double value) {
    if (f.grows) f.batches.add(value - f.value);
    f.value = value;
  }
  /// Begins to follow one, if it is not followed yet.
  void add(std::size_t measure);
  LongRunAnswer ratio(std::size_t measure, double confidence);
  Follow* of(std::size_t measure);
  void choose_controls();
  World::Held take_held(std::uint32_t slot, double end_s);
  /// Tells batches that were filled up to then.
  void control(Follow& f, double end_s) {
    if (f.control >= 0 && f.batches.awaits_control()) f.batches.control(control_total(f, end_s));
  }
  /// What its control came to from the beginning to then, beyond its mean [SI times s].
  double control_total(const Follow& f, double end_s) const;

  const AnalysisModel& model_;
  WarmUpRule rule_;
  std::vector<Follow> follow_;
  std::vector<std::int32_t> of_measure_, of_observer_, of_renewal_;  ///< places in follow_; -1: none
  std::vector<std::vector<std::uint32_t>> of_stream_;
  std::vector<std::uint8_t> gathered_;  ///< by stream: its observations come in blocks
  std::vector<std::uint32_t> flowing_, renewed_;
  struct Control {
    LoweredPart::KnownMean known;
    double taken = 0.0;  ///< of its integral, by a measure of the same slot
  };
  std::vector<Control> controls_;
  World* world_ = nullptr;
  double moment_ = 0.0;
  double batch_ends_s_ = 0.0;  ///< the first of those that end_batches() sees to; infinity: there are none
};

}  // namespace ergode
