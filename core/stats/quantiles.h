#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/stats/interval.h"
#include "core/stats/running_moments.h"

namespace ergode {

/// Levels of the quantiles that are told of many observations, and of what lasts.
inline constexpr std::array<double, 8> told_levels = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

/// Quantiles and distribution function of a stream of observations, in bounded memory.
///
/// While there are at most `exact_limit` different values, however often each was observed, all are kept with their
/// counts and answers are exact. After that each observation is counted in a bin, of which every octave has 1024 of
/// equal width, which keeps the least and the greatest of its own: an answer is between those two, at most 0.1 % from
/// the truth, and an interval reaches to the end of the bin where its order statistic lies, so that it holds the error
/// of the bin too. A value that makes more than half of its bin is found by a majority vote and answered as it is: what
/// occurs often is exact.
///
/// Least, greatest and count of a bin do not depend on the order of observations, nor on how they were parted before
/// merging; a vote may where it is close. The same parts merged in the same order give the same bits.
///
/// Memory: 384 KiB while exact, then 40 KiB for each octave of range met (a range of 1 : 1e12 takes 1.6 MB).
/// Tene, HdrHistogram, 2012 (bins by leading bits); Masson, Rim and Lee, DDSketch, PVLDB 12(12), 2019 (of real
/// numbers); Boyer and Moore, MJRTY: a fast majority vote algorithm, 1981, in Automated Reasoning, Kluwer, 1991;
/// Agarwal and others, Mergeable summaries, ACM Trans. Database Systems 38(4), 2013 (that votes may be merged).
///
/// The number of a bin is the leading bits of |x| as a floating-point number: its exponent and the first ten bits of
/// its fraction, so that finding it takes no logarithm. Signs have bins of their own; 0 is counted exactly. Of a bin
/// with c observations, of which v led the vote by l at last, at least l are v: its ranks above c - l are v or more,
/// those up to l are v or less.
class Quantiles {
 public:
  static constexpr std::size_t exact_limit = 16384;

  /// NaN is not counted; infinities are counted as the greatest and least finite numbers, magnitudes below 1e-290 as 0
  /// once binned. O(1) amortised: counted in blocks, so that one bin does not wait for another; allocates now and then.
  void observe(double x) {
    if (!(x == x)) return;
    ++n_;
    samples_.push_back(x);
    if (samples_.size() >= most_samples_) [[unlikely]]
      take_samples();
  }
  /// Each of them, in their order.
  void observe(std::span<const double> all);
  /// The same value so many times. O(log n) of the different values kept, and O(n) where it is a new one among them.
  void observe(double x, std::uint64_t times);
  /// Adds what `other` saw. Exact while both together are within exact_limit. O(observations kept, or bins).
  void merge(const Quantiles& other);

  /// Observations that were counted.
  std::uint64_t n() const noexcept { return n_; }
  /// Mean and variance of what was counted, but for rounding the same however it was merged; with infinities no numbers
  /// of worth. O(observations not counted yet).
  RunningMoments moments() const;
  /// Observations by bin: 0 for zeros, the number of the bin + 1 for positive ones, minus that for negative ones, so
  /// that bins are in the order of values.
  struct BinCount {
    std::int32_t bin = 0;
    std::uint64_t count = 0;
  };
  /// Bins in which something lies, ascending. O(values kept, or bins).
  std::vector<BinCount> bins() const;
  /// Whether all different values are kept, so that answers are exact. O(n log n) of those not counted yet.
  bool exact() const;
  /// The smallest observation x such that a share of at least `p` in (0, 1] is <= x; p outside of that gives the least
  /// or the greatest. Each `p` in turn, ascending order not needed. NaN for all of them when nothing was observed. Cost
  /// O(n log n) while exact, O(bins) later; allocates.
  std::vector<double> quantiles(std::span<const double> p) const;
  /// For one p; for several, quantiles() sorts only once.
  double quantile(double p) const;
  /// Distribution-free interval of each quantile between two order statistics: the ranks whose binomial tails are at
  /// most (1 - confidence) / 2 each, moved out to the end of its bin where the order statistic is not known. It holds
  /// what quantiles() answers. Minus or plus infinity where no observation lies far enough out. Only for observations
  /// that are independent. O(n log n).
  /// David and Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1.
  std::vector<Interval> intervals(std::span<const double> p, double confidence) const;
  /// The empirical distribution function as about `points` steps at most (x ascending, share of observations <= x); the
  /// last has share 1. Steps are exact but where a value leads the vote of a bin with others, which may belong to
  /// either side of it. Empty when nothing was observed or points = 0. Cost as of quantiles().
  std::vector<std::pair<double, double>> distribution(std::size_t points) const;

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(samples_, values_, counts_, positive_, negative_, zeros_, n_, binned_, moments_);
    most_samples_ = binned_ ? block : exact_limit + 1;
  }
  /// Whether observations can have led here: after a ByteReader read bytes that anybody may have altered.
  /// O(observations kept, or bins).
  bool possible() const;

 private:
  struct Bin {
    std::uint64_t count = 0;
    double least = std::numeric_limits<double>::infinity(), greatest = -least;  ///< of none
    double often = 0.0;                                                         ///< who leads the vote
    std::uint64_t lead = 0;                                                     ///< by so many
    void add(const Bin& other);
    /// Of its observations in ascending order the one at `rank` in [1, count]: bounds, and a guess between them.
    Interval bounds(std::uint64_t rank) const;
    double guess(std::uint64_t rank) const;
    template <typename Archive>
    void archive(Archive& a) {
      a(count, least, greatest, often, lead);
    }
  };
  /// Bins first, first + 1, ...
  struct Bins {
    std::int32_t first = 0;
    std::vector<Bin> bins;
    void add(std::int32_t number, const Bin& bin);
    void add(std::int32_t number, double x);
    Bin& at(std::int32_t number);
    /// There are bins from `least` to `greatest`.
    void cover(std::int32_t least, std::int32_t greatest);
    /// It will be added to soon; there may be none.
    void prefetch(std::int32_t number) const;
    /// Whether they hold observations of their own alone; takes their number off `left`.
    bool possible(std::uint64_t& left) const;
    template <typename Archive>
    void archive(Archive& a) {
      a(first, bins);
    }
  };
  struct Ordered;
  void count(double x, std::uint64_t times);
  void bin(double x);
  static double placed(double x);
  void take_samples();
  /// Whether there are more than exact_limit different ones among the samples, found without sorting.
  bool too_many_to_keep() const;
  void bin_samples();
  void bin_all();
  std::vector<Bin> sorted() const;  ///< ascending; a value that is known is a bin of its own

  static constexpr std::size_t block = 256;
  std::vector<double> samples_;        ///< not counted yet
  std::vector<double> values_;         ///< different ones, ascending
  std::vector<std::uint64_t> counts_;  ///< of values_
  Bins positive_, negative_;           ///< By sign of x; numbers of bins are of |x|.
  std::uint64_t zeros_ = 0;
  std::uint64_t n_ = 0;
  RunningMoments moments_;  ///< of all but samples_
  bool binned_ = false;
  std::size_t most_samples_ = exact_limit + 1;  ///< then they are counted
};

}  // namespace ergode
