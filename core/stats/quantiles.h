#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/stats/interval.h"

namespace ergode {

/// Quantiles and distribution function of a stream of observations, in bounded memory.
///
/// Up to `exact_limit` observations are kept as they are and answers are exact. After that each is counted in a bin
/// whose width is a fixed ratio, and an answered quantile is off by at most 0.1 % of its value. The bin of an
/// observation depends on nothing but itself, so merged parts answer exactly like one stream, in any order.
/// Memory: 128 KiB of observations, then 8 bytes for each 0.2 % of range met (a range of 1 : 1e12 takes 110 KiB).
/// Masson, Rim and Lee, DDSketch, PVLDB 12(12), 2019 (without its collapsing of bins).
///
/// Bin k holds ratio^(k - 1) < |x| <= ratio^k with ratio = (1 + e) / (1 - e), e = relative_error; an answer is ratio^k
/// (1 - e), which is within e of all that the bin holds. Signs have bins of their own; 0 is counted exactly.
class Quantiles {
 public:
  static constexpr std::size_t exact_limit = 16384;
  static constexpr double relative_error = 1e-3;

  /// NaN is not counted; infinities are counted as the greatest and least finite numbers, magnitudes below 1e-290 as 0
  /// once binned. O(1) amortised; allocates now and then.
  void observe(double x);
  /// Adds what `other` saw. Exact while both together are within exact_limit. O(observations kept, or bins).
  void merge(const Quantiles& other);

  /// Observations that were counted.
  std::uint64_t n() const noexcept { return n_; }
  /// Whether all observations are kept, so that answers are some of them.
  bool exact() const noexcept { return binned_ == false; }
  /// The smallest observation x such that a share of at least `p` in (0, 1] is <= x; p outside of that gives the least
  /// or the greatest. Each `p` in turn, ascending order not needed. NaN for all of them when nothing was observed. Cost
  /// O(n log n) while exact, O(bins) later; allocates.
  std::vector<double> quantiles(std::span<const double> p) const;
  /// For one p; for several, quantiles() sorts only once.
  double quantile(double p) const;
  /// Distribution-free interval of each quantile between two order statistics: the ranks whose binomial tails are at
  /// most (1 - confidence) / 2 each. Minus or plus infinity where no observation lies far enough out. O(n log n).
  /// David and Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1.
  std::vector<Interval> intervals(std::span<const double> p, double confidence) const;
  /// The empirical distribution function as at most `points` steps (x ascending, share of observations <= x); the
  /// last has share 1. Empty when nothing was observed or points = 0. Cost as of quantiles().
  std::vector<std::pair<double, double>> distribution(std::size_t points) const;

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(samples_, positive_, negative_, zeros_, n_, binned_);
  }

 private:
  /// Counts of bins first, first + 1, ...
  struct Bins {
    std::int32_t first = 0;
    std::vector<std::uint64_t> counts;
    void add(std::int32_t bin, std::uint64_t count);
    template <typename Archive>
    void archive(Archive& a) {
      a(first, counts);
    }
  };
  void count(double x, std::uint64_t times);
  void bin_all();
  std::vector<std::pair<double, std::uint64_t>> sorted() const;  ///< (value, count), ascending

  std::vector<double> samples_;
  Bins positive_, negative_;  ///< Bins of log |x|.
  std::uint64_t zeros_ = 0;
  std::uint64_t n_ = 0;
  bool binned_ = false;
};

}  // namespace ergode
