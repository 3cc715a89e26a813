#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/des/observations.h"
#include "core/des/world.h"
#include "core/stats/long_run.h"
#include "core/stats/quantiles.h"
#include "core/study/tallies.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Whether observations of the stream are times, made as differences of the clock.
bool observes_times(const StreamSpec& stream);
/// By how much such a difference, observed up to `now_s`, may be off at most [s]: the clock is a floating-point number.
/// What is to be at most a limit counts when it is at most that much more: a time of just the limit does, always.
inline double rounding_of_times(double now_s) { return 4.0 * std::numeric_limits<double>::epsilon() * now_s; }

/// Follows the measures of streams of observations through one replication after the other: counts, rates, means,
/// greatest values, quantiles, ratios of cycles and long-run means of what parts observe (World::observations).
/// Observations are in the SI unit of their stream. One per thread; in the order begin(), observed() and renew() as
/// they come, finish().
class StreamRecorder : public ObservationSink {
 public:
  /// @param measures   of the model, of which those with a stream are followed; not kept.
  /// @param streams    of the model
  /// @param horizon_s  mission time [s], > 0: what rates divide by
  StreamRecorder(std::span<const Measure> measures, std::span<const StreamSpec> streams, double horizon_s);
  /// Nothing is followed.
  bool empty() const { return follow_.empty(); }
  /// By stream: 1 where some measure asks for it, else 0; as Observations::listen() wants it.
  std::vector<std::uint8_t> wanted() const;

  /// A replication begins; what is observed goes to `into`. Both must outlive finish(). Listens to the world's streams.
  /// @param world  whose clock says when something is observed, and which adds up what is asked for as a sum
  void begin(World& world, Tallies& into);
  /// One observation, now. O(measures of the stream). Means keep it also for their distribution
  /// (MeasureTally::sample()); a greatest value and a sum treat infinities as numbers.
  void observed(std::uint32_t stream, double value, std::uint32_t of_class) override;
  void observed_block(std::uint32_t stream, std::span<const double> values) override;
  /// A cycle of the measure ends here and the next begins: its sum and number of observations are one pair of the ratio
  /// of means (regenerative method). @param whole  false: it has no beginning and is left out.
  void renew(std::uint32_t measure, bool whole);
  /// The replication is over: one observation per measure that has one. A count and a rate [1/s] always have one, a
  /// greatest value and a quantile only where something was observed, a mean makes the pair sum and number, and the
  /// last cycle, which has not ended, is left out.
  /// @param observed  by measure of the model: counts and rates are written there, for ratios; the rest stays.
  void finish(std::span<double> observed);

 private:
  struct Follow {
    explicit Follow(double horizon_s) : run(horizon_s) {}
    std::uint32_t measure = 0;   ///< number in the model
    std::int32_t of_class = -1;  ///< -1: all
    MeasureKind::Meaning meaning = MeasureKind::Meaning::observed_mean;
    double level = 0.0;                ///< of a quantile, in (0, 1); of a share the greatest that counts [SI]
    double settled_s = 0.0;            ///< of the long run: its distribution begins then [s]; infinite: it keeps none
    bool timed = false;                ///< observations are differences of times
    std::uint64_t n = 0;               ///< observations of this replication, or of this cycle
    double sum = 0.0, greatest = 0.0;  ///< of them [SI]
    Quantiles quantiles;
    RunPath run;
  };
  /// What the world has added up goes to those who follow.
  void take_sums(std::uint32_t stream);
  /// Of a share: the greatest observation that counts now.
  double limit(const Follow& f) const;
  void add(Follow& f, double value);

  std::vector<Follow> follow_;
  std::vector<std::vector<std::uint32_t>> of_stream_;  ///< by stream: places in follow_
  std::vector<std::uint8_t> sums_only_;                ///< by stream: nobody asks for single observations
  std::vector<std::uint8_t> gathered_;                 ///< by stream: they come in blocks
  std::vector<double> since_s_;                        ///< by stream: since when the world adds up
  double horizon_s_;
  World* world_ = nullptr;
  Tallies* into_ = nullptr;
};

}  // namespace ergode
