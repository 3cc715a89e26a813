#include "core/stats/quantiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/fetch.h"
#include "core/base/special_values.h"
#include "core/stats/most_counted.h"

namespace ergode {
namespace {

constexpr double smallest = 1e-290;  // Below this the bin's bounds would be subnormal: such values count as zero.

std::int32_t bin_of(double x) {
  constexpr unsigned fraction = 52, kept = 10, exponent = 11;
  constexpr std::uint64_t without_sign = (std::uint64_t{1} << (exponent + kept)) - 1;
  return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(x) >> (fraction - kept) & without_sign);
}

}  // namespace

void Quantiles::Bin::add(const Bin& other) {
  if (count == 0) {
    *this = other;
    return;
  }
  count += other.count;
  least = std::min(least, other.least), greatest = std::max(greatest, other.greatest);
  // Different values cancel each other one by one; a majority is left.
  if (often == other.often) lead += other.lead;
  else if (lead >= other.lead) lead -= other.lead;
  else often = other.often, lead = other.lead - lead;
}

Interval Quantiles::Bin::bounds(std::uint64_t rank) const {
  const bool not_below = rank > count - lead, not_above = rank <= lead;
  return {rank == count ? greatest : not_below ? often : least, rank == 1 ? least : not_above ? often : greatest};
}

double Quantiles::Bin::guess(std::uint64_t rank) const {
  const Interval within = bounds(rank);
  if (count < 2) return within.lower;
  // As if they were spread evenly; a sum of two parts passes neither end.
  const double share = static_cast<double>(rank - 1) / static_cast<double>(count - 1);
  const double even = 2 * lead > count ? often : (1.0 - share) * least + share * greatest;
  return std::clamp(even, within.lower, within.upper);
}

void Quantiles::Bins::add(std::int32_t number, const Bin& bin) { at(number).add(bin); }

// As adding a bin of one observation; without branches, which nobody could foresee.
void Quantiles::Bins::add(std::int32_t number, double x) {
  const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(number) - first);
  Bin& bin = place < bins.size() ? bins[place] : at(number);
  ++bin.count;
  bin.least = x < bin.least ? x : bin.least;
  bin.greatest = x > bin.greatest ? x : bin.greatest;
  // All bits or none.
  const std::uint64_t nobody_leads = bin.lead == 0 ? ~std::uint64_t{0} : 0;
  const auto its = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t often = (its & nobody_leads) | (std::bit_cast<std::uint64_t>(bin.often) & ~nobody_leads);
  bin.often = std::bit_cast<double>(often);
  bin.lead += 2 * static_cast<std::uint64_t>(often == its) - 1;
}

// A bin lies in two lines of the caches more often than not.
void Quantiles::Bins::prefetch(std::int32_t number) const {
  const auto place = static_cast<std::size_t>(static_cast<std::int64_t>(number) - first);
  if (place >= bins.size()) return;
  fetch_line(&bins[place].count);
  fetch_line(&bins[place].lead);
}

Quantiles::Bin& Quantiles::Bins::at(std::int32_t number) {
  cover(number, number);
  return bins[static_cast<std::size_t>(number - first)];
}

// Whole octaves at a time.
void Quantiles::Bins::cover(std::int32_t least, std::int32_t greatest) {
  constexpr std::int32_t octave = 1024;
  const std::int32_t begin = least / octave * octave;
  if (bins.empty()) first = begin;
  if (begin < first) {
    bins.insert(bins.begin(), static_cast<std::size_t>(first - begin), Bin{});
    first = begin;
  }
  const auto size = static_cast<std::size_t>((greatest / octave + 1) * octave - first);
  if (size > bins.size()) bins.resize(size);
}

void Quantiles::bin(double x) {
  if (std::fabs(x) < smallest) ++zeros_;
  else (x > 0 ? positive_ : negative_).add(bin_of(x), x);
}

void Quantiles::count(double x, std::uint64_t times) {
  const double magnitude = std::fabs(x);
  if (magnitude < smallest) zeros_ += times;
  else (x > 0 ? positive_ : negative_).add(bin_of(x), {times, x, x, x, times});
}

/// Different values in ascending order, with their counts, from several such lists.
struct Quantiles::Ordered {
  std::vector<double> values;
  std::vector<std::uint64_t> counts;
  void add(double x, std::uint64_t times) {
    if (!values.empty() && values.back() == x) counts.back() += times;
    else values.push_back(x), counts.push_back(times);
  }
};

void Quantiles::observe(std::span<const double> all) {
  if (!binned_ || std::any_of(all.begin(), all.end(), [](double x) { return std::isnan(x); })) {
    for (const double x : all) observe(x);
    return;
  }
  if (!samples_.empty()) bin_samples();
  moments_.observe(all);
  n_ += all.size();
  // Bins are many and met at random: fetching them ahead is worth more than all else here.
  constexpr std::size_t ahead = 40;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + ahead < all.size()) positive_.prefetch(bin_of(all[i + ahead]));
    bin(placed(all[i]));
  }
}

void Quantiles::observe(double x, std::uint64_t times) {
  if (!(x == x) || times == 0) return;
  if (!samples_.empty()) take_samples();
  n_ += times, x = placed(x);
  moments_.observe(x, times);
  if (binned_) return count(x, times);
  const auto at = std::lower_bound(values_.begin(), values_.end(), x);
  const auto counted = counts_.begin() + (at - values_.begin());
  if (at != values_.end() && *at == x) {
    *counted += times;
    return;
  }
  counts_.insert(counted, times);
  values_.insert(at, x);
  if (values_.size() > exact_limit) bin_all();
}

// Infinities have no bin; as the greatest numbers they keep their place in the order. Minus zero is zero.
double Quantiles::placed(double x) {
  return std::clamp(x, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()) + 0.0;
}

void Quantiles::take_samples() {
  if (binned_) return bin_samples();
  for (double& x : samples_) x = placed(x);
  if (values_.empty() && too_many_to_keep()) return bin_all();
  moments_.observe(samples_);
  std::sort(samples_.begin(), samples_.end());
  Ordered all;
  std::size_t i = 0;
  for (const double x : samples_) {
    for (; i < values_.size() && values_[i] <= x; ++i) all.add(values_[i], counts_[i]);
    all.add(x, 1);
  }
  for (; i < values_.size(); ++i) all.add(values_[i], counts_[i]);
  samples_.clear();
  values_ = std::move(all.values), counts_ = std::move(all.counts);
  if (values_.size() > exact_limit) bin_all();
}

// A table of places, twice as many as values: each value is looked for from where its bits lead.
bool Quantiles::too_many_to_keep() const {
  if (samples_.size() <= exact_limit) return false;
  constexpr std::size_t places = 4 * exact_limit;
  std::vector<double> table(places, std::numeric_limits<double>::quiet_NaN());
  std::size_t different = 0;
  for (const double x : samples_) {
    std::size_t at = (std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15ULL) >> 48U;
    while (table[at] == table[at] && table[at] != x) at = (at + 1) % places;
    if (table[at] == x) continue;
    table[at] = x;
    if (++different > exact_limit) return true;
  }
  return false;
}

void Quantiles::bin_samples() {
  moments_.observe(samples_);
  for (const double x : samples_) bin(placed(x));
  samples_.clear();
}

void Quantiles::bin_all() {
  // Most of the range that will ever be met, in one piece: bins that grow octave by octave are moved as often.
  std::int32_t least = std::numeric_limits<std::int32_t>::max(), greatest = -1;
  for (const auto* all : {&values_, &samples_})
    for (const double x : *all)
      if (x >= smallest) least = std::min(least, bin_of(x)), greatest = std::max(greatest, bin_of(x));
  if (greatest >= 0) positive_.cover(least, greatest);
  for (std::size_t i = 0; i < values_.size(); ++i) count(values_[i], counts_[i]);
  values_ = {}, counts_ = {};
  binned_ = true, most_samples_ = block;
  bin_samples();
  samples_.shrink_to_fit();
}

void Quantiles::merge(const Quantiles& other) {
  // First what was seen first: the bits do not depend on what happened to wait.
  if (binned_) bin_samples();
  if (other.binned_ && !other.samples_.empty()) {
    Quantiles counted = other;
    counted.bin_samples();
    return merge(counted);
  }
  n_ += other.n_;
  if (!binned_ && !other.binned_) {
    moments_.merge(other.moments_);
    if (!other.values_.empty()) {
      Ordered all;
      std::size_t i = 0;
      for (std::size_t k = 0; k < other.values_.size(); ++k) {
        for (; i < values_.size() && values_[i] <= other.values_[k]; ++i) all.add(values_[i], counts_[i]);
        all.add(other.values_[k], other.counts_[k]);
      }
      for (; i < values_.size(); ++i) all.add(values_[i], counts_[i]);
      values_ = std::move(all.values), counts_ = std::move(all.counts);
    }
    samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
    if (values_.size() > exact_limit) bin_all();
    else if (samples_.size() > exact_limit) take_samples();
    return;
  }
  if (!binned_) bin_all();
  moments_.merge(other.moments());
  for (std::size_t i = 0; i < other.values_.size(); ++i) count(other.values_[i], other.counts_[i]);
  for (const double x : other.samples_) count(placed(x), 1);
  zeros_ += other.zeros_;
  const auto add_all = [](Bins& to, const Bins& from) {
    for (std::size_t i = 0; i < from.bins.size(); ++i)
      if (from.bins[i].count != 0) to.add(from.first + static_cast<std::int32_t>(i), from.bins[i]);
  };
  add_all(positive_, other.positive_);
  add_all(negative_, other.negative_);
}

std::vector<Quantiles::Bin> Quantiles::sorted() const {
  if (!samples_.empty()) {
    Quantiles counted = *this;
    counted.take_samples();
    return counted.sorted();
  }
  std::vector<Bin> out;
  const auto known = [&](double x, std::uint64_t times) { out.push_back({times, x, x, x, times}); };
  if (!binned_) {
    out.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) known(values_[i], counts_[i]);
    return out;
  }
  // From the greatest magnitude down: ascending values.
  for (std::size_t i = negative_.bins.size(); i-- > 0;)
    if (negative_.bins[i].count != 0) out.push_back(negative_.bins[i]);
  if (zeros_ != 0) known(0.0, zeros_);
  for (const Bin& bin : positive_.bins)
    if (bin.count != 0) out.push_back(bin);
  return out;
}

RunningMoments Quantiles::moments() const {
  RunningMoments out = moments_;
  out.observe(samples_);
  return out;
}

std::vector<Quantiles::BinCount> Quantiles::bins() const {
  const auto number = [](double x) {
    if (std::fabs(x) < smallest) return 0;
    const std::int32_t bin = bin_of(placed(x)) + 1;
    return x > 0 ? bin : -bin;
  };
  std::vector<BinCount> out;
  const auto add = [&](std::int32_t bin, std::uint64_t count) {
    if (!out.empty() && out.back().bin == bin) out.back().count += count;
    else out.push_back({bin, count});
  };
  if (!samples_.empty()) {
    std::vector<std::int32_t> waiting(samples_.size());
    std::transform(samples_.begin(), samples_.end(), waiting.begin(), number);
    const auto [least, greatest] = std::minmax_element(waiting.begin(), waiting.end());
    // Sorting many costs more than to look through the bins between them.
    if (const auto range = static_cast<std::size_t>(*greatest - *least) + 1; range < 16 * waiting.size()) {
      std::vector<std::uint32_t> counts(range, 0);
      for (const std::int32_t bin : waiting) ++counts[static_cast<std::size_t>(bin - *least)];
      for (std::size_t i = 0; i < range; ++i)
        if (counts[i] != 0) add(*least + static_cast<std::int32_t>(i), counts[i]);
    } else {
      std::sort(waiting.begin(), waiting.end());
      for (const std::int32_t bin : waiting) add(bin, 1);
    }
  }
  const std::size_t of_waiting = out.size();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::int32_t bin = number(values_[i]);
    if (out.size() == of_waiting) out.push_back({bin, counts_[i]});
    else add(bin, counts_[i]);
  }
  for (std::size_t i = negative_.bins.size(); i-- > 0;)
    if (const std::uint64_t count = negative_.bins[i].count; count != 0)
      out.push_back({-(negative_.first + static_cast<std::int32_t>(i) + 1), count});
  if (zeros_ != 0) out.push_back({0, zeros_});
  for (std::size_t i = 0; i < positive_.bins.size(); ++i)
    if (const std::uint64_t count = positive_.bins[i].count; count != 0)
      out.push_back({positive_.first + static_cast<std::int32_t>(i) + 1, count});
  if (of_waiting == 0 || of_waiting == out.size()) return out;
  std::vector<BinCount> all(out.size());
  std::merge(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(of_waiting),
             out.begin() + static_cast<std::ptrdiff_t>(of_waiting), out.end(), all.begin(),
             [](const BinCount& a, const BinCount& b) { return a.bin < b.bin; });
  out.clear();
  for (const BinCount& one : all) add(one.bin, one.count);
  return out;
}

bool Quantiles::Bins::possible(std::uint64_t& left) const {
  constexpr std::size_t numbers = std::size_t{1} << 21U;  // of the bits of exponent and fraction that bin_of() keeps
  if (bins.empty()) return true;
  if (first < 0 || bins.size() > numbers || static_cast<std::size_t>(first) > numbers - bins.size()) return false;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const Bin& bin = bins[i];
    if (bin.count > left || bin.lead > bin.count) return false;
    left -= bin.count;
    const auto is_its = [&](double x) { return bin_of(x) == first + static_cast<std::int32_t>(i); };
    if (bin.count == 0) continue;
    if (!is_its(bin.least) || !is_its(bin.greatest) || !(bin.least <= bin.greatest)) return false;
    if (bin.lead != 0 && !(bin.least <= bin.often && bin.often <= bin.greatest)) return false;
  }
  return true;
}

bool Quantiles::possible() const {
  // Before there are bins nothing is in them, and afterwards nothing is kept.
  if (binned_ ? !values_.empty() : zeros_ != 0 || !positive_.bins.empty() || !negative_.bins.empty()) return false;
  if (values_.size() != counts_.size() || samples_.size() >= most_samples_ || values_.size() > exact_limit)
    return false;
  if (n_ > most_counted || samples_.size() > n_ || moments_.n() != n_ - samples_.size()) return false;
  std::uint64_t left = n_ - samples_.size();
  for (const double x : samples_)
    if (!(x == x)) return false;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!std::isfinite(values_[i]) || (i > 0 && !(values_[i - 1] < values_[i]))) return false;
    if (counts_[i] > left) return false;
    left -= counts_[i];
  }
  if (!positive_.possible(left) || !negative_.possible(left)) return false;
  return left == zeros_;
}

bool Quantiles::exact() const {
  if (binned_ || samples_.empty() || n_ <= exact_limit) return !binned_;
  Quantiles counted = *this;
  counted.take_samples();
  return !counted.binned_;
}

namespace {

/// Finds the bin of a rank, and the rank within it.
template <class Bin>
class Places {
 public:
  explicit Places(std::vector<Bin> bins) : bins_(std::move(bins)) {
    std::uint64_t sum = 0;
    for (const Bin& bin : bins_) cumulated_.push_back(sum += bin.count);
  }
  std::pair<const Bin&, std::uint64_t> of(std::uint64_t rank) const {
    const auto at =
        static_cast<std::size_t>(std::lower_bound(cumulated_.begin(), cumulated_.end(), rank) - cumulated_.begin());
    return {bins_[at], rank - (cumulated_[at] - bins_[at].count)};
  }

 private:
  std::vector<Bin> bins_;
  std::vector<std::uint64_t> cumulated_;
};

}  // namespace

std::vector<double> Quantiles::quantiles(std::span<const double> p) const {
  std::vector<double> out(p.size(), std::numeric_limits<double>::quiet_NaN());
  if (n_ == 0) return out;
  const Places<Bin> places(sorted());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double wanted = std::ceil(p[i] * static_cast<double>(n_));
    const auto [bin, rank] = places.of(static_cast<std::uint64_t>(std::clamp(wanted, 1.0, static_cast<double>(n_))));
    out[i] = bin.guess(rank);
  }
  return out;
}

std::vector<Interval> Quantiles::intervals(std::span<const double> p, double confidence) const {
  std::vector<Interval> out(p.size(), {-infinity, infinity});
  if (n_ == 0) return out;
  const Places<Bin> places(sorted());
  const auto bounds = [&](std::uint64_t of_rank) {
    const auto [bin, rank] = places.of(of_rank);
    return bin.bounds(rank);
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto [low, high] = quantile_ranks(n_, p[i], confidence);
    if (low >= 1) out[i].lower = bounds(low).lower;
    if (high <= n_) out[i].upper = bounds(high).upper;
  }
  return out;
}

double Quantiles::quantile(double p) const { return quantiles(std::span(&p, 1)).front(); }

std::vector<std::pair<double, double>> Quantiles::distribution(std::size_t points) const {
  std::vector<std::pair<double, double>> out;
  if (n_ == 0 || points == 0) return out;
  const double n = static_cast<double>(n_);
  std::uint64_t sum = 0;
  std::uint64_t step = 0;  // Keep a point for each new multiple of n / points, and the last; all where they are few.
  const std::vector<Bin> bins = sorted();
  const bool few = !binned_ && bins.size() <= points;
  const auto add = [&](double x, std::uint64_t count) {
    sum += count;
    const auto now = static_cast<std::uint64_t>(static_cast<double>(sum) / n * static_cast<double>(points));
    if (now <= step && sum != n_ && !few) return;
    out.emplace_back(x, static_cast<double>(sum) / n);
    step = now;
  };
  for (const Bin& bin : bins) {
    // Up to the greatest of a bin the count is exact; a value that is most of it has a step of its own.
    std::uint64_t left = bin.count;
    if (2 * bin.lead > bin.count && bin.often < bin.greatest) {
      const std::uint64_t up_to = bin.count - (bin.count - bin.lead) / 2 - 1;
      add(bin.often, up_to), left -= up_to;
    }
    add(bin.greatest, left);
  }
  return out;
}

}  // namespace ergode
