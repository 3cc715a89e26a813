#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/stats/interval.h"

namespace ergode {

/// What one long run says of the mean that its observations settle at.
struct LongRunEstimate {
  double mean = 0.0;            ///< of what is left after the warm-up; NaN when no batch is full
  double standard_error = 0.0;  ///< of it, correlation counted; NaN with fewer than LongRun::fewest_batches
  double degrees = 0.0;         ///< of freedom, for Student's t: batches - 1; 0 without a standard error
  double correlation = 0.0;     ///< of one batch mean with the next, about -1 to 1; counts up to 0.95
  double removed = 0.0;         ///< share of the run that was taken for warm-up, 0 to 1/2
  std::uint64_t batches = 0;    ///< that the interval was made of, at most LongRun::wanted_batches
};

/// One run's observations in the order in which they were made, as means of small batches in bounded memory: whenever
/// 4,096 are full, neighbours are joined. Every batch holds as many observations as the next.
///
/// estimate() removes the warm-up and makes an interval from what is left:
///
/// * *Warm-up*, MSER-5: the number of batches at the beginning, at most half of all, without which the squared standard
///   error of the mean would be least. White, An effective truncation heuristic for bias reduction in simulation
///   output, Simulation 69(6), 1997; White, Cobb and Spratt, Proc. Winter Simulation Conference, 2000 (batches of
///   five). A run whose warm-up takes half of it is too short to tell.
/// * *Batch means*: what is left as 32 batches, whose means are nearly independent and normal when a batch is much
///   longer than what observations remember. The correlation r of neighbours that is left widens the variance by
///   (1 + r) / (1 - r), where r > 0. Schmeiser, Batch size effects in the analysis of simulation output, Operations
///   Research 30(3), 1982 (why no more than about 30); Tafazzoli, Wilson, Lada and Steiger, Performance of Skart,
///   INFORMS J. on Computing 23(2), 2011 (the correction).
///
/// Coverage at 95 %, measured in tests/core/stats/tst_one_run.cpp.
///
/// With the small batches' means b(1) ... b(n) and d of them removed, MSER takes the d <= n / 2 for which sum over i >
/// d of (b(i) - mean)^2 / (n - d)^2 is least; of equal ones the smallest. What is left is cut into k = 32 batches (what
/// does not divide goes with the warm-up), and with their deviations z from the mean
///
///     r = sum z(j) z(j - 1) / sum z(j)^2
///     standard error = sqrt(sum z(j)^2 / (k (k - 1)) * (1 + r) / (1 - r)),  r taken as 0 to 0.95
class LongRun {
 public:
  static constexpr std::size_t most = 4096;  ///< small batches kept; even
  static constexpr std::uint64_t wanted_batches = 32;
  static constexpr std::uint64_t fewest_batches = 10;  ///< below that there is no interval

  /// @param size  observations in a small batch at first, >= 1.
  explicit LongRun(std::uint64_t size = 5) : first_size_(size), size_(size) {}

  /// One observation after the other, in the order in which they were made. No allocation after the first run. O(1)
  /// amortised; what has not filled a batch is not in the estimate.
  void observe(double x) {
    sum_ += x;
    if (++count_ == size_) close();
  }
  /// Forgets the run and begins with small batches again; keeps the memory.
  void clear() {
    means_.clear();
    size_ = first_size_, count_ = 0, sum_ = 0.0;
  }
  /// O(batches kept), no allocation; as often as wanted while the run goes on.
  LongRunEstimate estimate() const;

 private:
  void close();
  std::size_t warm_up() const;

  std::uint64_t first_size_, size_, count_ = 0;
  double sum_ = 0.0;
  std::vector<double> means_;
};

/// Cuts a quantity that changes at any time into observations for a LongRun: its means over equal stretches.
/// The mean over a stretch is exact whatever happens within it: area under the quantity over the length.
class TimeStretches {
 public:
  /// @param stretch_s  length of a stretch [s], > 0.
  explicit TimeStretches(double stretch_s) : stretch_(stretch_s) {}
  /// The quantity was `value` (on average) for so long [s], finite, >= 0; calls follow each other without gap. O(1 +
  /// duration / stretch). The last stretch, when not full, is not observed.
  void hold(double value, double duration_s, LongRun& into) {
    while (held_ + duration_s >= stretch_) {
      const double part = stretch_ - held_;
      into.observe((area_ + value * part) / stretch_);
      duration_s -= part;
      held_ = area_ = 0.0;
    }
    held_ += duration_s, area_ += value * duration_s;
  }
  /// Begins a new run.
  void clear() { held_ = area_ = 0.0; }

 private:
  double stretch_, held_ = 0.0, area_ = 0.0;
};

/// Estimates of several independent runs, put together: their mean, and its variance from within the runs. One run is
/// enough. Mergeable.
///
/// Runs count alike, whatever their length, as they all last for the same mission.
class LongRunTally {
 public:
  /// Runs without an estimate are left out.
  void observe(const LongRunEstimate& run) noexcept;
  /// Adds the runs of `other`. O(1).
  void merge(const LongRunTally& other) noexcept;

  /// Runs with an estimate.
  std::uint64_t n() const noexcept { return n_; }
  /// Mean of the runs' means.
  double mean() const noexcept;            ///< NaN without a run
  double standard_error() const noexcept;  ///< NaN without a run
  /// Student's t with Satterthwaite's degrees of freedom (An approximate distribution of estimates of variance
  /// components, Biometrics Bulletin 2(6), 1946). The whole line without a run; a point where no run varied.
  Interval interval(double confidence) const;
  double correlation() const noexcept { return correlation_; }  ///< greatest of the runs
  double removed() const noexcept { return removed_; }          ///< greatest share that was taken for warm-up

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(n_, sum_, variance_, squares_, correlation_, removed_);
  }

 private:
  std::uint64_t n_ = 0;
  double sum_ = 0.0;       ///< of the means
  double variance_ = 0.0;  ///< sum of their variances
  double squares_ = 0.0;   ///< sum of the squared variances over their degrees of freedom
  double correlation_ = 0.0, removed_ = 0.0;
};

}  // namespace ergode
