#include "core/stats/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode {
namespace {

constexpr double ratio = (1.0 + Quantiles::relative_error) / (1.0 - Quantiles::relative_error);
constexpr double smallest = 1e-290;  // Below this the bin's bounds would be subnormal: such values count as zero.

std::int32_t bin_of(double magnitude) {
  static const double scale = 1.0 / std::log(ratio);
  return static_cast<std::int32_t>(std::ceil(std::log(magnitude) * scale));
}

/// The number within relative_error of everything in bin (ratio^(bin-1), ratio^bin].
double value_of(std::int32_t bin) {
  static const double log_ratio = std::log(ratio);
  return std::min(std::exp(static_cast<double>(bin) * log_ratio) * (1.0 - Quantiles::relative_error),
                  std::numeric_limits<double>::max());
}

}  // namespace

void Quantiles::Bins::add(std::int32_t bin, std::uint64_t count) {
  if (counts.empty()) {
    first = bin;
    counts.assign(1, 0);
  } else if (bin < first) {
    counts.insert(counts.begin(), static_cast<std::size_t>(first - bin), 0);
    first = bin;
  }
  const auto at = static_cast<std::size_t>(bin - first);
  if (at >= counts.size()) counts.resize(at + 1, 0);
  counts[at] += count;
}

void Quantiles::count(double x, std::uint64_t times) {
  const double magnitude = std::fabs(x);
  if (magnitude < smallest) zeros_ += times;
  else (x > 0 ? positive_ : negative_).add(bin_of(magnitude), times);
}

void Quantiles::bin_all() {
  for (const double x : samples_) count(x, 1);
  samples_ = {};
  binned_ = true;
}

void Quantiles::observe(double x) {
  if (std::isnan(x)) return;
  // Infinities have no bin; as the greatest numbers they keep their place in the order.
  x = std::clamp(x, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
  ++n_;
  if (binned_) {
    count(x, 1);
    return;
  }
  samples_.push_back(x);
  if (samples_.size() > exact_limit) bin_all();
}

void Quantiles::merge(const Quantiles& other) {
  n_ += other.n_;
  if (!binned_ && !other.binned_) {
    samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
    if (samples_.size() > exact_limit) bin_all();
    return;
  }
  if (!binned_) bin_all();
  for (const double x : other.samples_) count(x, 1);
  zeros_ += other.zeros_;
  const auto add_all = [](Bins& to, const Bins& from) {
    for (std::size_t i = 0; i < from.counts.size(); ++i)
      if (from.counts[i] != 0) to.add(from.first + static_cast<std::int32_t>(i), from.counts[i]);
  };
  add_all(positive_, other.positive_);
  add_all(negative_, other.negative_);
}

std::vector<std::pair<double, std::uint64_t>> Quantiles::sorted() const {
  std::vector<std::pair<double, std::uint64_t>> out;
  if (!binned_) {
    std::vector<double> values = samples_;
    std::sort(values.begin(), values.end());
    out.reserve(values.size());
    for (const double x : values) {
      if (!out.empty() && out.back().first == x) ++out.back().second;
      else out.emplace_back(x, 1);
    }
    return out;
  }
  // From the greatest magnitude down: ascending values.
  for (std::size_t i = negative_.counts.size(); i-- > 0;)
    if (negative_.counts[i] != 0)
      out.emplace_back(-value_of(negative_.first + static_cast<std::int32_t>(i)), negative_.counts[i]);
  if (zeros_ != 0) out.emplace_back(0.0, zeros_);
  for (std::size_t i = 0; i < positive_.counts.size(); ++i)
    if (positive_.counts[i] != 0)
      out.emplace_back(value_of(positive_.first + static_cast<std::int32_t>(i)), positive_.counts[i]);
  return out;
}

std::vector<double> Quantiles::quantiles(std::span<const double> p) const {
  std::vector<double> out(p.size(), std::numeric_limits<double>::quiet_NaN());
  if (n_ == 0) return out;
  const auto values = sorted();
  std::vector<std::uint64_t> cumulated(values.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) cumulated[i] = sum += values[i].second;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double wanted = std::ceil(p[i] * static_cast<double>(n_));
    const auto rank = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, static_cast<double>(n_)));
    const auto at = std::lower_bound(cumulated.begin(), cumulated.end(), rank);
    out[i] = values[static_cast<std::size_t>(at - cumulated.begin())].first;
  }
  return out;
}

std::vector<Interval> Quantiles::intervals(std::span<const double> p, double confidence) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Interval> out(p.size(), {-infinity, infinity});
  if (n_ == 0) return out;
  const auto values = sorted();
  std::vector<std::uint64_t> cumulated(values.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) cumulated[i] = sum += values[i].second;
  const auto of_rank = [&](std::uint64_t rank) {
    const auto at = std::lower_bound(cumulated.begin(), cumulated.end(), rank);
    return values[static_cast<std::size_t>(at - cumulated.begin())].first;
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto [low, high] = quantile_ranks(n_, p[i], confidence);
    if (low >= 1) out[i].lower = of_rank(low);
    if (high <= n_) out[i].upper = of_rank(high);
  }
  return out;
}

double Quantiles::quantile(double p) const { return quantiles(std::span(&p, 1)).front(); }

std::vector<std::pair<double, double>> Quantiles::distribution(std::size_t points) const {
  std::vector<std::pair<double, double>> out;
  if (n_ == 0 || points == 0) return out;
  const auto values = sorted();
  const double n = static_cast<double>(n_);
  std::uint64_t sum = 0;
  std::uint64_t step = 0;  // Keep a point for each new multiple of n / points, and the last.
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i].second;
    const auto now = static_cast<std::uint64_t>(static_cast<double>(sum) / n * static_cast<double>(points));
    if (now > step || i + 1 == values.size()) {
      out.emplace_back(values[i].first, static_cast<double>(sum) / n);
      step = now;
    }
  }
  return out;
}

}  // namespace ergode
