#include "solvers/simulation/stream_recorder.h"

#include <algorithm>
#include <limits>

#include "core/base/unit.h"

namespace ergode {

using Meaning = MeasureKind::Meaning;

bool observes_times(const StreamSpec& stream) {
  const auto unit = parse_unit(stream.unit);
  return unit && unit->dimension == Dimension::of_time();
}

StreamRecorder::StreamRecorder(std::span<const Measure> measures, std::span<const StreamSpec> streams, double horizon_s)
    : of_stream_(streams.size()), sums_only_(streams.size(), 1), since_s_(streams.size(), 0.0), horizon_s_(horizon_s) {
  gathered_.assign(streams.size(), 1);
  for (std::uint32_t m = 0; m < measures.size(); ++m) {
    const Measure& measure = measures[m];
    if (measure.stream < 0) continue;
    of_stream_[static_cast<std::size_t>(measure.stream)].push_back(static_cast<std::uint32_t>(follow_.size()));
    Follow f(horizon_s);
    f.measure = m, f.of_class = measure.of_class, f.meaning = measure.spec.kind->meaning, f.level = measure.level;
    f.timed = observes_times(streams[static_cast<std::size_t>(measure.stream)]);
    f.settled_s = measure.spec.samples ? settled_from * horizon_s : std::numeric_limits<double>::infinity();
    const bool sums = (f.meaning == Meaning::long_run && !measure.spec.samples) ||
                      f.meaning == Meaning::observed_count || f.meaning == Meaning::observed_rate;
    if (!sums || f.of_class >= 0) sums_only_[static_cast<std::size_t>(measure.stream)] = 0;
    // When it was counts where time is cut into stretches or cycles.
    if (f.meaning == Meaning::long_run || f.meaning == Meaning::regenerative || f.of_class >= 0)
      gathered_[static_cast<std::size_t>(measure.stream)] = 0;
    follow_.push_back(std::move(f));
  }
  for (std::size_t s = 0; s < streams.size(); ++s)
    if (of_stream_[s].empty() || sums_only_[s] != 0) gathered_[s] = 0;
}

std::vector<std::uint8_t> StreamRecorder::wanted() const {
  std::vector<std::uint8_t> out;
  for (const auto& followers : of_stream_) out.push_back(followers.empty() ? 0 : 1);
  return out;
}

void StreamRecorder::begin(World& world, Tallies& into) {
  world_ = &world;
  into_ = &into;
  world.observations.listen(this, wanted(), world.slots() + World::now_slot);
  for (std::uint32_t stream = 0; stream < gathered_.size(); ++stream)
    if (gathered_[stream] != 0) world.observations.gather(stream);
  for (Follow& f : follow_) {
    f.n = 0, f.sum = 0.0, f.greatest = 0.0;
    if (f.meaning == Meaning::observed_quantile) f.quantiles = {};
    f.run.clear();
  }
}

double StreamRecorder::limit(const Follow& f) const {
  return f.timed ? f.level + rounding_of_times(world_->now()) : f.level;
}

void StreamRecorder::add(Follow& f, double value) {
  if (f.meaning == Meaning::long_run) {
    if (world_->now() >= f.settled_s) into_->measures[f.measure].sample(value);
    return f.run.observe(value, world_->now());
  }
  f.greatest = f.n == 0 ? value : std::max(f.greatest, value);
  ++f.n;
  f.sum += f.meaning == Meaning::observed_share ? (value <= limit(f) ? 1.0 : 0.0) : value;
  if (f.meaning == Meaning::observed_mean) into_->measures[f.measure].sample(value);
  else if (f.meaning == Meaning::observed_quantile) f.quantiles.observe(value);
}

void StreamRecorder::observed_block(std::uint32_t stream, std::span<const double> values) {
  for (const std::uint32_t place : of_stream_[stream]) {
    Follow& f = follow_[place];
    switch (f.meaning) {
      case Meaning::observed_mean:
        for (const double value : values) f.sum += value;
        into_->measures[f.measure].sample(values);
        break;
      case Meaning::observed_share:
        for (const double most = limit(f); const double value : values) f.sum += value <= most ? 1.0 : 0.0;
        break;
      case Meaning::observed_quantile:
        f.quantiles.observe(values);
        break;
      case Meaning::observed_maximum:
        if (f.n == 0 && !values.empty()) f.greatest = values.front();
        for (const double value : values) f.greatest = std::max(f.greatest, value);
        break;
      default:
        break;  // how many there are
    }
    f.n += values.size();
  }
}

void StreamRecorder::take_sums(std::uint32_t stream) {
  const Observations::Sums sums = world_->observations.take(stream);
  if (sums.n == 0) return;
  const auto n = static_cast<double>(sums.n);
  for (const std::uint32_t place : of_stream_[stream]) {
    Follow& f = follow_[place];
    if (f.meaning == Meaning::long_run) f.run.observe(sums.sum, n, since_s_[stream]);
    else f.n += sums.n, f.sum += sums.sum;
  }
}

void StreamRecorder::observed(std::uint32_t stream, double value, std::uint32_t of_class) {
  if (sums_only_[stream] == 0) {
    for (const std::uint32_t place : of_stream_[stream]) {
      Follow& f = follow_[place];
      if (f.of_class < 0 || static_cast<std::uint32_t>(f.of_class) == of_class) add(f, value);
    }
    return;
  }
  // The first of a stretch of the long run; until its end nobody needs to be called.
  take_sums(stream);
  double until_s = std::numeric_limits<double>::infinity();
  for (const std::uint32_t place : of_stream_[stream])
    if (follow_[place].meaning == Meaning::long_run)
      until_s = std::min(until_s, follow_[place].run.same_stretch_until(world_->now()));
  since_s_[stream] = world_->now();
  world_->observations.add_up(stream, until_s);
  if (world_->now() < until_s) return world_->observations.observe(stream, value, of_class);
  for (const std::uint32_t place : of_stream_[stream]) add(follow_[place], value);
}

void StreamRecorder::renew(std::uint32_t measure, bool whole) {
  for (Follow& f : follow_) {
    if (f.measure != measure) continue;
    if (whole) into_->measures[measure].observe_cycle(f.sum, static_cast<double>(f.n));
    f.n = 0, f.sum = 0.0;
  }
}

void StreamRecorder::finish(std::span<double> observed) {
  for (std::uint32_t stream = 0; stream < of_stream_.size(); ++stream)
    if (gathered_[stream] != 0) world_->observations.hand_over(stream);
    else if (!of_stream_[stream].empty()) take_sums(stream);
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
