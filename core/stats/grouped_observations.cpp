#include "core/stats/grouped_observations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/base/special_values.h"
#include "core/stats/mean_interval.h"
#include "core/stats/most_counted.h"

namespace ergode {
namespace {

/// The bin that holds a bin of twice the resolution. Signs and zero stay apart.
std::int32_t coarser(std::int32_t bin) {
  if (bin == 0) return 0;
  const std::int32_t magnitude = (std::abs(bin) - 1) / 2 + 1;
  return bin > 0 ? magnitude : -magnitude;
}

}  // namespace

void GroupedObservations::add(const Quantiles& observed) {
  if (observed.n() == 0) return;
  std::vector<Quantiles::BinCount> bins = observed.bins();
  const auto to_shift = [&](std::uint32_t from) {
    for (; from < shift_; ++from)
      for (Quantiles::BinCount& one : bins) one.bin = coarser(one.bin);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < bins.size(); ++i)
      if (kept > 0 && bins[kept - 1].bin == bins[i].bin) bins[kept - 1].count += bins[i].count;
      else bins[kept++] = bins[i];
    bins.resize(kept);
  };
  to_shift(0);
  for (take_keys(bins); keys_.size() > most_bins; take_keys(bins)) {
    coarsen();
    to_shift(shift_ - 1);
  }
  Group group{.moments = observed.moments(), .counts = std::vector<std::uint64_t>(keys_.size(), 0)};
  std::size_t place = 0;
  for (const auto& [bin, count] : bins) {
    while (keys_[place] != bin) ++place;
    group.counts[place] = count;
  }
  groups_.push_back(std::move(group));
  n_ += observed.n();
  if (groups_.size() > most_groups) join_smallest();
}

void GroupedObservations::merge(const GroupedObservations& other) {
  GroupedObservations more = other;
  while (shift_ < more.shift_) coarsen();
  const auto as_bins = [](const GroupedObservations& of) {
    std::vector<Quantiles::BinCount> out;
    for (const std::int32_t key : of.keys_) out.push_back({key, 0});
    return out;
  };
  for (;;) {
    while (more.shift_ < shift_) more.coarsen();
    take_keys(as_bins(more));
    if (keys_.size() <= most_bins) break;
    coarsen();
  }
  more.take_keys(as_bins(*this));  // then both have the same
  for (Group& group : more.groups_) {
    groups_.push_back(std::move(group));
    if (groups_.size() > most_groups) join_smallest();
  }
  n_ += more.n_;
}

/// There is a place for each of these bins.
void GroupedObservations::take_keys(std::span<const Quantiles::BinCount> of) {
  std::vector<std::int32_t> all;
  all.reserve(keys_.size() + of.size());
  std::size_t i = 0;
  for (const Quantiles::BinCount& one : of) {
    for (; i < keys_.size() && keys_[i] < one.bin; ++i) all.push_back(keys_[i]);
    if (i == keys_.size() || keys_[i] != one.bin) all.push_back(one.bin);
  }
  all.insert(all.end(), keys_.begin() + static_cast<std::ptrdiff_t>(i), keys_.end());
  if (all.size() == keys_.size()) return;
  for (Group& group : groups_) {
    std::vector<std::uint64_t> counts(all.size(), 0);
    std::size_t place = 0;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      while (all[place] != keys_[k]) ++place;
      counts[place] = group.counts[k];
    }
    group.counts = std::move(counts);
  }
  keys_ = std::move(all);
}

void GroupedObservations::coarsen() {
  ++shift_;
  std::vector<std::size_t> place(keys_.size());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const std::int32_t bin = coarser(keys_[k]);
    if (kept == 0 || keys_[kept - 1] != bin) keys_[kept++] = bin;
    place[k] = kept - 1;
  }
  keys_.resize(kept);
  for (Group& group : groups_) {
    // A place is never behind what it takes.
    for (std::size_t k = 0; k < place.size(); ++k) {
      const std::uint64_t count = group.counts[k];
      if (place[k] != k) group.counts[k] = 0, group.counts[place[k]] += count;
    }
    group.counts.resize(kept);
  }
}

// The two neighbours that have the fewest together: sums over groups have the more degrees of freedom, the more even
// they are.
void GroupedObservations::join_smallest() {
  std::size_t at = 0;
  const auto together = [&](std::size_t i) { return groups_[i].moments.n() + groups_[i + 1].moments.n(); };
  for (std::size_t i = 1; i + 1 < groups_.size(); ++i)
    if (together(i) < together(at)) at = i;
  Group& into = groups_[at];
  into.moments.merge(groups_[at + 1].moments);
  for (std::size_t k = 0; k < into.counts.size(); ++k) into.counts[k] += groups_[at + 1].counts[k];
  groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
}

double GroupedObservations::degrees_of_freedom() const {
  double squares = 0.0;
  for (const Group& group : groups_) squares += std::pow(static_cast<double>(group.moments.n()), 2.0);
  return std::max(1.0, std::pow(static_cast<double>(n_), 2.0) / squares - 1.0);
}

std::vector<KnownShare> GroupedObservations::known_shares() const {
  const std::size_t ends = keys_.size();
  std::vector<KnownShare> out(ends);
  std::vector<double> squares(ends, 0.0);
  const auto n = static_cast<double>(n_), groups = static_cast<double>(groups_.size());
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < ends; ++k) {
    for (const Group& group : groups_) sum += group.counts[k];
    out[k].seen = static_cast<double>(sum) / n;
  }
  for (const Group& group : groups_) {
    std::uint64_t below = 0;
    const std::uint64_t all = group.moments.n();
    for (std::size_t k = 0; k < ends; ++k) {
      below += group.counts[k];
      const double off = static_cast<double>(below) - out[k].seen * static_cast<double>(all);
      squares[k] += off * off;
      out[k].most_below = std::max(out[k].most_below, static_cast<double>(below) / n);
      out[k].most_above = std::max(out[k].most_above, static_cast<double>(all - below) / n);
    }
  }
  for (std::size_t k = 0; k < ends; ++k) out[k].standard_error = std::sqrt(squares[k] * groups / (groups - 1.0)) / n;
  std::erase_if(out, [](const KnownShare& one) { return !(one.seen > 0.0) || !(one.seen < 1.0); });
  return out;
}

KnownShare GroupedObservations::known_at(double share, std::span<const KnownShare> known, double confidence) const {
  KnownShare out{.seen = share, .standard_error = nan};
  if (known.empty() || groups_.size() < 2) return out;
  auto nearest = std::lower_bound(known.begin(), known.end(), share,
                                  [](const KnownShare& one, double wanted) { return one.seen < wanted; });
  if (nearest == known.end() || (nearest != known.begin() && share - std::prev(nearest)->seen < nearest->seen - share))
    --nearest;
  out = *nearest;
  // Of dependent observations the variance of a share is a multiple of the binomial one, and nearly the same multiple
  // for shares that lie side by side.
  if (share > 0.0 && share < 1.0)
    out.standard_error *= std::sqrt(share * (1.0 - share) / (out.seen * (1.0 - out.seen)));
  const double half = student_factor(degrees_of_freedom(), confidence) * out.standard_error;
  out.ends = {std::max(0.0, share - half), std::min(1.0, share + half)};
  return out;
}

std::vector<Interval> GroupedObservations::shares(std::span<const std::pair<double, double>> curve,
                                                  double confidence) const {
  const std::vector<KnownShare> ends = known_shares();
  std::vector<KnownShare> known;
  known.reserve(curve.size());
  for (const auto& point : curve) known.push_back(known_at(point.second, ends, confidence));
  return share_bands(curve, known, confidence);
}

// A quantile is any value whose share cannot be told from p: what is known of shares further out counts there, where
// fewer groups have them, not what is known at the quantile that was seen.
std::vector<Interval> GroupedObservations::quantiles(std::span<const double> p, const Quantiles& all,
                                                     double confidence) const {
  std::vector<Interval> out(p.size(), {-infinity, infinity});
  if (all.n() == 0 || groups_.size() < 2) return out;
  if (const double least = all.quantile(0.0); least == all.quantile(1.0)) {
    out.assign(p.size(), {least, least});
    return out;
  }
  std::vector<KnownShare> known = known_shares();
  std::vector<std::pair<double, double>> ends;  // only the share counts
  for (KnownShare& one : known)
    one = known_at(one.seen, std::span(&one, 1), confidence), ends.emplace_back(0.0, one.seen);
  std::vector<Interval> bands = share_bands(ends, known, confidence);
  // A share is no less than those before it.
  for (std::size_t k = 1; k < bands.size(); ++k) bands[k].lower = std::max(bands[k].lower, bands[k - 1].lower);
  for (std::size_t k = bands.size(); k-- > 1;) bands[k - 1].upper = std::min(bands[k - 1].upper, bands[k].upper);
  // Of shares between two ends of bins as much is known as a straight line says.
  const auto between = [](double from, double to, double at_from, double at_to, double wanted) {
    return at_to > at_from ? from + (to - from) * (wanted - at_from) / (at_to - at_from) : to;
  };
  // What no group has comes with a probability in which that is no wonder, at most; no larger is its share.
  const double unseen = -std::expm1(std::log(0.5 * (1.0 - confidence)) / static_cast<double>(groups_.size()));
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > unseen) out[i].lower = all.quantile(0.0);
    if (p[i] < 1.0 - unseen) out[i].upper = all.quantile(1.0);
    std::size_t above = 0, below = bands.size();
    while (above < bands.size() && bands[above].lower <= p[i]) ++above;
    while (below > 0 && bands[below - 1].upper >= p[i]) --below;
    if (below > 0) {
      const bool last = below == bands.size();
      const double share = between(ends[below - 1].second, last ? 1.0 : ends[below].second, bands[below - 1].upper,
                                   last ? 1.0 : bands[below].upper, p[i]);
      out[i].lower = all.quantile(std::min(share, p[i]));
    }
    if (above < bands.size()) {
      const double share = between(above == 0 ? 0.0 : ends[above - 1].second, ends[above].second,
                                   above == 0 ? 0.0 : bands[above - 1].lower, bands[above].lower, p[i]);
      out[i].upper = all.quantile(std::max(share, p[i]));
    }
  }
  return out;
}

// The sum over groups of (x - mean)^2 - variance has expectation 0, whatever the error of the mean is: it enters by its
// square alone.
GroupedObservations::Variance GroupedObservations::variance(double confidence) const {
  RunningMoments all;
  for (const Group& group : groups_) all.merge(group.moments);
  Variance out{.value = all.variance(), .ends = {nan, nan}};
  if (groups_.size() < 2 || !std::isfinite(out.value)) return out;
  double squares = 0.0, most = 0.0;
  for (const Group& group : groups_) {
    const double its = group.moments.squares_about(all.mean());
    squares += std::pow(its - out.value * static_cast<double>(group.moments.n()), 2.0);
    most = std::max(most, its / static_cast<double>(n_));
  }
  const auto groups = static_cast<double>(groups_.size());
  const double error = std::sqrt(squares * groups / (groups - 1.0)) / static_cast<double>(n_);
  const double half = student_factor(degrees_of_freedom(), confidence) * error;
  out.ends = variance_interval(out.value, half);
  // A few groups may have most of the squares; where one of these was not met, its error seems small as well.
  constexpr double uncertain = 0.1;
  if (error > uncertain * out.value)
    out.ends.upper = std::max(out.ends.upper, gamma_interval(out.value, error * error, most, confidence).upper);
  return out;
}

bool GroupedObservations::possible() const {
  if (shift_ > 32 || keys_.size() > most_bins || groups_.size() > most_groups || n_ > most_counted) return false;
  for (std::size_t k = 1; k < keys_.size(); ++k)
    if (keys_[k - 1] >= keys_[k]) return false;
  std::uint64_t left = n_;
  for (const Group& group : groups_) {
    if (group.counts.size() != keys_.size() || group.moments.n() > left || group.moments.n() == 0) return false;
    left -= group.moments.n();
    std::uint64_t of_group = group.moments.n();
    for (const std::uint64_t count : group.counts) {
      if (count > of_group) return false;
      of_group -= count;
    }
    if (of_group != 0) return false;
  }
  return left == 0;
}

}  // namespace ergode
