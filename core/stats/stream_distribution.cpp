#include "core/stats/stream_distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/base/special_values.h"
#include "core/stats/known_share.h"
#include "core/stats/mean_interval.h"

namespace ergode {
namespace {
constexpr std::uint16_t none = 0xFFFF;
constexpr double rarely = 0.1, too_rarely = 0.2;
}  // namespace

StreamDistribution::StreamDistribution() : place_(0x10000, none), counts_(1) {}

/// Sign, exponent and four digits of the number, in the order of the numbers.
std::uint16_t StreamDistribution::key_of(double x) {
  const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(x + 0.0) >> 48U);
  return (bits & 0x8000U) != 0 ? static_cast<std::uint16_t>(~bits) : static_cast<std::uint16_t>(bits | 0x8000U);
}

void StreamDistribution::observe(std::span<const double> all) {
  if (std::any_of(all.begin(), all.end(), [](double x) { return std::isnan(x); })) {
    for (const double& x : all)
      if (!std::isnan(x)) observe(x);
    return;
  }
  while (!all.empty()) {
    const auto [part, most] = room();
    const auto some = all.first(static_cast<std::size_t>(std::min<std::uint64_t>(most, all.size())));
    values_[part].observe(some);
    count(some);
    all = all.subspan(some.size());
  }
}

void StreamDistribution::observe(double x, std::uint64_t times) {
  if (std::isnan(x)) return;
  while (times > 0) {
    const auto [part, most] = room();
    const std::uint64_t some = std::min(most, times);
    values_[part].observe(x, some);
    count(x, some);
    times -= some;
  }
}

StreamDistribution::Room StreamDistribution::room() {
  if (n_ == span_) {
    // What were the first two sixteenths are the first of twice the run.
    values_[0].merge(values_[1]);
    for (std::size_t p = 1; p + 1 < parts; ++p) values_[p] = std::move(values_[p + 1]);
    values_[parts - 1] = {};
    span_ *= 2;
  }
  std::size_t part = parts - 1;
  std::uint64_t end = span_;
  for (; part > 0 && n_ < end / 2; end /= 2) --part;
  return {part, std::min(end - n_, batch_size_ - in_batch_)};
}

std::uint64_t& StreamDistribution::counter(double x) {
  std::vector<std::uint64_t>& counts = counts_.back();
  const std::uint16_t key = key_of(x);
  std::uint16_t& at = place_[key];
  if (at == none) at = static_cast<std::uint16_t>(keys_.size()), keys_.push_back(key);
  if (counts.size() <= at) counts.resize(keys_.size());
  return counts[at];
}

void StreamDistribution::count(std::span<const double> all) {
  n_ += all.size(), in_batch_ += all.size();
  for (const double x : all) ++counter(x);
  if (in_batch_ == batch_size_) next_batch();
}

void StreamDistribution::count(double x, std::uint64_t times) {
  n_ += times, in_batch_ += times;
  counter(x) += times;
  if (in_batch_ == batch_size_) next_batch();
}

void StreamDistribution::next_batch() {
  in_batch_ = 0;
  if (counts_.size() == most_batches) {
    for (std::size_t b = 0; b < most_batches / 2; ++b) {
      std::vector<std::uint64_t> sum = std::move(counts_[2 * b]);
      const std::vector<std::uint64_t>& more = counts_[2 * b + 1];
      if (sum.size() < more.size()) sum.resize(more.size());
      for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
      counts_[b] = std::move(sum);
    }
    counts_.resize(most_batches / 2);
    batch_size_ *= 2;
  }
  counts_.emplace_back(keys_.size());
}

Quantiles StreamDistribution::distribution(double warm_up) const {
  Quantiles out;
  const double left_out = warm_up * static_cast<double>(n_), span = static_cast<double>(span_);
  const double n = static_cast<double>(n_);
  for (std::size_t p = 0; p < parts; ++p) {
    const int power = static_cast<int>(p) - static_cast<int>(parts);
    const double begin = p == 0 ? 0.0 : std::ldexp(span, power), end = std::ldexp(span, power + 1);
    // Of a warm-up of half the run the part in which it ends may hold nearly all that is left.
    if (begin >= left_out || end > 0.6 * n) out.merge(values_[p]);
  }
  return out;
}

StreamDistribution::Spread StreamDistribution::spread(double x, double share, double warm_up, double confidence) const {
  Spread out{.of = {.value = share, .standard_error = nan, .ends = {0.0, 1.0}}};
  const std::size_t whole = counts_.size() - 1;
  const auto first =
      static_cast<std::size_t>(std::ceil(warm_up * static_cast<double>(n_) / static_cast<double>(batch_size_)));
  if (whole < first + 24) return out;
  // Up to the beginning of the bin that holds x, and up to its end.
  const std::uint16_t key = key_of(x);
  std::vector<double> below, upto;
  std::uint64_t all_less = 0, all_same = 0;
  const double size = static_cast<double>(batch_size_);
  for (std::size_t b = first; b < whole; ++b) {
    std::uint64_t less = 0, same = 0;
    for (std::size_t i = 0; i < counts_[b].size(); ++i) {
      if (keys_[i] < key) less += counts_[b][i];
      else if (keys_[i] == key) same = counts_[b][i];
    }
    below.push_back(static_cast<double>(less) / size), upto.push_back(static_cast<double>(less + same) / size);
    all_less += less, all_same += same;
  }
  const double all = size * static_cast<double>(whole - first);
  const double low = static_cast<double>(all_less) / all, high = static_cast<double>(all_less + all_same) / all;
  // The nearer of the two; where all or nothing lies there is nothing to see.
  const bool upper = high < 1.0 && (!(low > 0.0) || high - share <= share - low);
  std::vector<double>& deviations = upper ? upto : below;
  const double seen = upper ? high : low;
  if (!(seen > 0.0) || !(seen < 1.0)) return out;
  for (double& d : deviations) d -= seen;
  out.of = of_deviations(share, deviations, size, {0.0, 1.0}, confidence);
  // All that lies on one side was met in batches that make no whole group.
  if (out.of.standard_error == 0.0) return {.of = {.value = share, .standard_error = nan, .ends = {0.0, 1.0}}};
  out.seen = seen;
  const std::size_t joined = deviations.size() / out.of.batches;
  for (std::size_t end = deviations.size(); end >= joined; end -= joined) {
    const double off = std::accumulate(deviations.begin() + static_cast<std::ptrdiff_t>(end - joined),
                                       deviations.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                       static_cast<double>(joined);
    out.least = std::min(out.least, seen + off), out.greatest = std::max(out.greatest, seen + off);
  }
  return out;
}

std::vector<Interval> StreamDistribution::shares(std::span<const std::pair<double, double>> curve, double warm_up,
                                                 double confidence) const {
  std::vector<KnownShare> known;
  known.reserve(curve.size());
  for (const auto& [x, share] : curve) {
    const Spread its = spread(x, share, warm_up, confidence);
    const auto batches = static_cast<double>(its.of.batches);
    known.push_back({.seen = its.seen,
                     .standard_error = its.of.standard_error,
                     .ends = its.of.ends,
                     .most_below = its.greatest / batches,
                     .most_above = (1.0 - its.least) / batches});
  }
  return share_bands(curve, known, confidence);
}

BatchMeans StreamDistribution::quantile(double p, double warm_up, const Quantiles& all, double confidence) const {
  const double value = all.quantile(p);
  const Spread its = spread(value, p, warm_up, confidence);
  BatchMeans out = its.of;
  out.value = value;
  if (std::isnan(out.standard_error)) {
    out.ends = {-infinity, infinity};
    const double least = all.quantile(0.0);
    if (all.n() > 0 && least == all.quantile(1.0)) out.ends = {least, least}, out.standard_error = 0.0;
    return out;
  }
  const bool above = p > 0.5;
  const double tail = above ? 1.0 - p : p, error = out.standard_error;
  if (error > rarely * tail) {
    // Where the tail beyond the value is so many times what was seen, the quantile lies where so much less was seen.
    const double most = (above ? 1.0 - its.least : its.greatest) / static_cast<double>(out.batches);
    const Interval ends = gamma_interval(tail, error * error, most, confidence);
    const double far = tail * tail / ends.upper,
                 near = ends.lower > 0.0 ? std::min(1.0, tail * tail / ends.lower) : 1.0;
    out.ends = above ? Interval{std::min(out.ends.lower, 1.0 - near), std::max(out.ends.upper, 1.0 - far)}
                     : Interval{std::min(out.ends.lower, far), std::max(out.ends.upper, near)};
  }
  // Nothing bounds a tail that was met in a few stretches only.
  if (error > too_rarely * tail) {
    out.independent = false;
    (above ? out.ends.upper : out.ends.lower) = above ? 1.0 : 0.0;
  }
  out.ends.lower = out.ends.lower > 0.0 ? all.quantile(out.ends.lower) : -infinity;
  out.ends.upper = out.ends.upper < 1.0 ? all.quantile(out.ends.upper) : infinity;
  out.ends = {std::min(out.ends.lower, value), std::max(out.ends.upper, value)};
  out.standard_error = (out.ends.upper - out.ends.lower) / (2.0 * normal_factor(confidence));
  return out;
}

}  // namespace ergode
