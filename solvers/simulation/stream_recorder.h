#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/des/observations.h"
#include "core/stats/long_run.h"
#include "core/stats/quantiles.h"
#include "core/study/tallies.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Follows the measures of streams of observations through one replication after the other.
class StreamRecorder : public ObservationSink {
 public:
  /// @param measures  of the model, of which those with a stream are followed.
  StreamRecorder(std::span<const Measure> measures, std::size_t streams, double horizon_s);
  /// Nothing is followed.
  bool empty() const { return follow_.empty(); }
  /// By stream: whether some measure asks for it.
  std::vector<std::uint8_t> wanted() const;

  /// A replication begins; what is observed goes to `into`, which must outlive finish().
  void begin(Tallies& into);
  void observed(std::uint32_t stream, double value, std::uint32_t of_class) override;
  /// A cycle of the measure ends here and the next begins. @param whole  false: it has no beginning and is left out.
  void renew(std::uint32_t measure, bool whole);
  /// The replication is over: one observation per measure that has one. @param observed  by measure: gets its value,
  /// where every replication makes one.
  void finish(std::span<double> observed);

 private:
  struct Follow {
    std::uint32_t measure = 0;
    std::int32_t of_class = -1;
    MeasureKind::Meaning meaning = MeasureKind::Meaning::observed_mean;
    double level = 0.0;
    std::uint64_t n = 0;
    double sum = 0.0, greatest = 0.0;
    Quantiles quantiles;
    LongRun run;
  };
  std::vector<Follow> follow_;
  std::vector<std::vector<std::uint32_t>> of_stream_;  ///< by stream: places in follow_
  double horizon_s_;
  Tallies* into_ = nullptr;
};

}  // namespace ergode
