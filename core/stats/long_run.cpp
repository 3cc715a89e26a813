#include "core/stats/long_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace ergode {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double mean_of(std::span<const double> list) {
  double sum = 0.0;
  for (const double x : list) sum += x;
  return sum / static_cast<double>(list.size());
}

}  // namespace

void LongRun::close() {
  if (means_.capacity() < most) means_.reserve(most);
  means_.push_back(sum_ / static_cast<double>(count_));
  sum_ = 0.0, count_ = 0;
  if (means_.size() < most) return;
  for (std::size_t i = 0; i < most / 2; ++i) means_[i] = 0.5 * (means_[2 * i] + means_[2 * i + 1]);
  means_.resize(most / 2);
  size_ *= 2;
}

std::size_t LongRun::warm_up() const {
  // Sums from the end: mean and squares of what is left after each possible truncation.
  double mean = 0.0, squares = 0.0, least = std::numeric_limits<double>::infinity(), n = 0.0;
  std::size_t best = 0;
  for (std::size_t d = means_.size(); d-- > 0;) {
    const double delta = means_[d] - mean;
    mean += delta / ++n;
    squares += delta * (means_[d] - mean);
    const double error = squares / (n * n);
    // Ties go to the shorter warm-up.
    if (2 * d <= means_.size() && error <= least) least = error, best = d;
  }
  return best;
}

LongRunEstimate LongRun::estimate() const {
  LongRunEstimate out{.mean = nan, .standard_error = nan};
  if (means_.empty()) return out;
  const std::size_t first = warm_up(), left = means_.size() - first;
  out.removed = static_cast<double>(first) / static_cast<double>(means_.size());
  out.batches = std::min<std::uint64_t>(wanted_batches, left);
  const std::size_t each = left / out.batches;
  // What does not divide goes with the warm-up: the end of the run is what has settled.
  const std::span<const double> rest = std::span(means_).subspan(means_.size() - each * out.batches);
  out.mean = mean_of(rest);
  if (out.batches < fewest_batches) return out;
  double squares = 0.0, products = 0.0, before = 0.0;
  for (std::size_t b = 0; b < out.batches; ++b) {
    const double x = mean_of(rest.subspan(b * each, each)) - out.mean;
    squares += x * x;
    if (b > 0) products += before * x;
    before = x;
  }
  const double k = static_cast<double>(out.batches);
  out.degrees = k - 1.0;
  out.correlation = squares > 0.0 ? products / squares : 0.0;
  // A negative correlation would narrow the interval; by chance it is seen as often as not.
  const double r = std::clamp(out.correlation, 0.0, 0.95);
  out.standard_error = std::sqrt(squares / (k * (k - 1.0)) * (1.0 + r) / (1.0 - r));
  return out;
}

void LongRunTally::observe(const LongRunEstimate& run) noexcept {
  if (!std::isfinite(run.mean) || !std::isfinite(run.standard_error)) return;
  const double variance = run.standard_error * run.standard_error;
  ++n_;
  sum_ += run.mean, variance_ += variance, squares_ += variance * variance / run.degrees;
  correlation_ = std::max(correlation_, run.correlation), removed_ = std::max(removed_, run.removed);
}

void LongRunTally::merge(const LongRunTally& other) noexcept {
  n_ += other.n_;
  sum_ += other.sum_, variance_ += other.variance_, squares_ += other.squares_;
  correlation_ = std::max(correlation_, other.correlation_), removed_ = std::max(removed_, other.removed_);
}

double LongRunTally::mean() const noexcept { return n_ > 0 ? sum_ / static_cast<double>(n_) : nan; }

double LongRunTally::standard_error() const noexcept {
  return n_ > 0 ? std::sqrt(variance_) / static_cast<double>(n_) : nan;
}

Interval LongRunTally::interval(double confidence) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (n_ == 0) return {-infinity, infinity};
  if (!(squares_ > 0.0)) return {mean(), mean()};
  const double half = student_factor(variance_ * variance_ / squares_, confidence) * standard_error();
  return {mean() - half, mean() + half};
}

}  // namespace ergode
