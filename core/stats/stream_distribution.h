#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/stats/growing_batches.h"
#include "core/stats/quantiles.h"

namespace ergode {

/// The distribution of the dependent observations of one run without end, with intervals of its quantiles, in bounded
/// memory: some megabytes where values differ by a factor of 1e12, whatever was observed. One thread.
///
/// Values are Quantiles of the first 1/16 of the run, the second, and each doubling up to the end, so that a warm-up
/// can be left out (up to the end of its part). Beside them the observations of each of 128 to 256 batches are counted
/// in bins of 1/16 of a power of two. The share of observations up to the bin's end nearest a quantile is a mean, with
/// the interval that batch means have; the values at the ends of that interval are the quantile's. Of a tail that is
/// known to no more than 10 % (its standard error) the ends are also those of a gamma law; where the tail is not known
/// to 20 %, or was met only in batches that make no whole group, nothing bounds the quantile on that side.
/// Heidelberger and Lewis, Quantile estimation in dependent sequences, Operations Research 32(1), 1984 (why not order
/// statistics); Alexopoulos, Goldsman, Mokashi, Tien and Wilson, Sequest, ACM TOMACS 29(4), 2019 (batched shares).
class StreamDistribution {
 public:
  static constexpr std::size_t most_batches = 256;  ///< even
  StreamDistribution();

  /// NaN is not counted. O(1) amortised.
  void observe(double x) { observe(std::span(&x, 1)); }
  /// Each of them, in their order.
  void observe(std::span<const double> all);
  /// The same value so many times: what lasts, in units of time. O(parts and batches that it enters).
  void observe(double x, std::uint64_t times);
  std::uint64_t n() const { return n_; }
  /// Without about the share `warm_up` of the observations at the beginning: up to the end of the part in which it
  /// ends, unless that goes beyond 60 % of the run. O(bins).
  Quantiles distribution(double warm_up) const;
  /// The quantile at p in (0, 1) with its interval. O(batches + bins).
  /// @param all  distribution() of the same warm-up
  BatchMeans quantile(double p, double warm_up, const Quantiles& all, double confidence) const;
  /// Where the shares of observations up to each x lie.
  /// @param curve  x and the share that was seen, rising: of distribution() of the same warm-up
  /// As share_bands() has it; [0, 1] with too few batches. O(points (batches x bins)).
  std::vector<Interval> shares(std::span<const std::pair<double, double>> curve, double warm_up,
                               double confidence) const;

 private:
  static constexpr std::size_t parts = 5;  ///< the last from half of `span_` on
  static std::uint16_t key_of(double x);
  /// A share with what batch means tell of it.
  struct Spread {
    BatchMeans of;
    double seen = 0.0;                   ///< at the nearest end of a bin
    double least = 1.0, greatest = 0.0;  ///< of the groups of batches of which the interval is made
  };
  Spread spread(double x, double share, double warm_up, double confidence) const;
  void count(std::span<const double> all);
  void count(double x, std::uint64_t times);
  std::uint64_t& counter(double x);
  /// Where the next observations belong, and how many of them at most.
  struct Room {
    std::size_t part;
    std::uint64_t most;
  };
  Room room();
  void next_batch();

  std::uint64_t n_ = 0, span_ = 1024;  ///< of the run so far; at which it is full
  std::array<Quantiles, parts> values_;
  std::vector<std::uint16_t> place_;                ///< of a key among the bins, in the order in which they came; none
  std::vector<std::uint16_t> keys_;                 ///< of the bins
  std::vector<std::vector<std::uint64_t>> counts_;  ///< by batch and bin; the last is not full
  std::uint64_t batch_size_ = 64, in_batch_ = 0;
};

}  // namespace ergode
