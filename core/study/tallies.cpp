#include "core/study/tallies.h"

#include <algorithm>
#include <cmath>

#include "core/random/random_stream.h"
#include "core/stats/most_counted.h"

namespace ergode {

void MeasureTally::merge(const MeasureTally& other) {
  n_ += other.n_;
  values_.merge(other.values_);
  ratio_.merge(other.ratio_), long_run_.merge(other.long_run_);
  not_finite_ += other.not_finite_;
  first_not_finite_ = std::min(first_not_finite_, other.first_not_finite_);
  for (std::size_t p = 0; p < counts_.size(); ++p) {
    counts_[p] += other.counts_[p];
    by_part_[p] += other.by_part_[p];
  }
  if (samples_) {
    // What was sampled here alone came before, and is a group as well.
    if (groups_.n() == 0) groups_.add(quantiles_);
    if (other.groups_.n() == 0) groups_.add(other.quantiles_);
    else groups_.merge(other.groups_);
    quantiles_.merge(other.quantiles_);
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] += other.steps_[i];
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i] += other.sums_[i];
    squares_[i] += other.squares_[i];
  }
}

void MeasureTally::clear() {
  n_ = 0;
  not_finite_ = 0, first_not_finite_ = none;
  std::fill(counts_.begin(), counts_.end(), std::uint64_t{0});
  std::fill(by_part_.begin(), by_part_.end(), 0.0);
  values_ = {}, ratio_ = {}, long_run_ = {};
  if (quantiles_.n() != 0) quantiles_ = {}, groups_ = {};
  std::fill(steps_.begin(), steps_.end(), 0);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
}

namespace {

constexpr double vanishing = 1e-100;  // the third power of its root may be 0

/// Moments are numbers where nothing that was observed keeps them from it.
bool possible(const Tally& values) {
  const double n = static_cast<double>(values.n()), width = values.greatest() - values.least();
  const bool numbers = std::isfinite(values.mean()) && std::isfinite(values.variance()) && values.variance() >= 0.0 &&
                       (std::isfinite(values.skewness()) || values.variance() < vanishing);
  return values.at_least() <= values.n() && values.at_greatest() <= values.n() && values.n() <= most_counted &&
         (values.n() == 0 || numbers || !std::isfinite(n * width * width * width));
}

}  // namespace

bool MeasureTally::possible() const {
  if (!ergode::possible(values_) || !long_run_.possible() || !quantiles_.possible() || !groups_.possible() ||
      groups_.n() > quantiles_.n())
    return false;
  if (n_ > most_counted || ratio_.n() > most_counted) return false;
  std::uint64_t left = n_;
  for (const std::uint64_t count : counts_) {
    if (count > left) return false;
    left -= count;
  }
  const auto most = static_cast<std::int64_t>(n_);
  std::int64_t held = 0;
  for (const std::int64_t step : steps_) {
    if (step < -held || step > most - held) return false;
    held += step;
  }
  return true;
}

std::vector<std::uint64_t> MeasureTally::hits() const {
  std::vector<std::uint64_t> out;
  if (steps_.empty()) return out;
  out.reserve(steps_.size() - 1);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) out.push_back(static_cast<std::uint64_t>(sum += steps_[i]));
  return out;
}

void Tallies::add_fingerprint(std::uint64_t replication, std::uint64_t hash) noexcept {
  fingerprint += detail::mix64(hash ^ detail::mix64(replication + 0x9e3779b97f4a7c15ULL));
}

void Tallies::merge(const Tallies& other) {
  for (std::size_t i = 0; i < measures.size(); ++i) measures[i].merge(other.measures[i]);
  replications += other.replications;
  events += other.events;
  fingerprint += other.fingerprint;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
}

void Tallies::clear() {
  for (MeasureTally& tally : measures) tally.clear();
  replications = 0;
  events = 0;
  fingerprint = 0;
  std::fill(sums.begin(), sums.end(), 0.0);
}

}  // namespace ergode
