#include "solvers/simulation/stream_recorder.h"

#include <algorithm>

namespace ergode {

using Meaning = MeasureKind::Meaning;

StreamRecorder::StreamRecorder(std::span<const Measure> measures, std::size_t streams, double horizon_s)
    : of_stream_(streams), horizon_s_(horizon_s) {
  for (std::uint32_t m = 0; m < measures.size(); ++m) {
    const Measure& measure = measures[m];
    if (measure.stream < 0) continue;
    of_stream_[static_cast<std::size_t>(measure.stream)].push_back(static_cast<std::uint32_t>(follow_.size()));
    Follow f(horizon_s);
    f.measure = m, f.of_class = measure.of_class, f.meaning = measure.spec.kind->meaning, f.level = measure.level;
    follow_.push_back(std::move(f));
  }
}

std::vector<std::uint8_t> StreamRecorder::wanted() const {
  std::vector<std::uint8_t> out;
  for (const auto& followers : of_stream_) out.push_back(followers.empty() ? 0 : 1);
  return out;
}

void StreamRecorder::begin(const World& world, Tallies& into) {
  world_ = &world;
  into_ = &into;
  for (Follow& f : follow_) {
    f.n = 0, f.sum = 0.0, f.greatest = 0.0;
    if (f.meaning == Meaning::observed_quantile) f.quantiles = {};
    f.run.clear();
  }
}

void StreamRecorder::observed(std::uint32_t stream, double value, std::uint32_t of_class) {
  for (const std::uint32_t place : of_stream_[stream]) {
    Follow& f = follow_[place];
    if (f.of_class >= 0 && static_cast<std::uint32_t>(f.of_class) != of_class) continue;
    if (f.meaning == Meaning::long_run) {
      f.run.observe(value, world_->now());
      continue;
    }
    f.greatest = f.n == 0 ? value : std::max(f.greatest, value);
    ++f.n;
    f.sum += value;
    if (f.meaning == Meaning::observed_mean) into_->measures[f.measure].sample(value);
    else if (f.meaning == Meaning::observed_quantile) f.quantiles.observe(value);
  }
}

void StreamRecorder::renew(std::uint32_t measure, bool whole) {
  for (Follow& f : follow_) {
    if (f.measure != measure) continue;
    if (whole) into_->measures[measure].observe_cycle(f.sum, static_cast<double>(f.n));
    f.n = 0, f.sum = 0.0;
  }
}

void StreamRecorder::finish(std::span<double> observed) {
  for (Follow& f : follow_) {
    MeasureTally& tally = into_->measures[f.measure];
    const double n = static_cast<double>(f.n);
    switch (f.meaning) {
      case Meaning::observed_count:
        tally.observe(observed[f.measure] = n);
        break;
      case Meaning::observed_rate:
        tally.observe(observed[f.measure] = n / horizon_s_);
        break;
      case Meaning::observed_maximum:
        if (f.n > 0) tally.observe(f.greatest);
        break;
      case Meaning::observed_quantile:
        if (f.n > 0) tally.observe(f.quantiles.quantile(f.level));
        break;
      case Meaning::regenerative:
        break;  // the cycle that has not ended
      case Meaning::long_run:
        tally.observe_long_run(f.run);
        break;
      default:
        // Also of a replication without any: it says something of how many there are.
        tally.observe_ratio(f.sum, n);
        break;
    }
  }
}

}  // namespace ergode
