#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/stats/interval.h"
#include "core/stats/mean_interval.h"

namespace ergode {

/// Share of a run after which any warm-up is over that LongRunTally may leave out: distributions of the long run begin
/// there, as which part it leaves out is known only when all runs are made.
inline constexpr double settled_from = 0.5;

/// One run of known length, cut into equal stretches of time: what a quantity added up to in each of them, and how much
/// it was weighed by. Of a quantity that changes at any time those are its integral and the time; of observations
/// their sum and their number. Times in s from the beginning of the run. No allocation.
class RunPath {
 public:
  static constexpr std::size_t stretches = 64;

  /// @param length_s  of the run [s], > 0, finite.
  explicit RunPath(double length_s)
      : stretch_s_(length_s / static_cast<double>(stretches)), per_s_(static_cast<double>(stretches) / length_s) {}

  /// The quantity was `value` (on average) for so long [s], finite, >= 0; calls follow each other without gap. Of what
  /// goes beyond the end the last stretch makes part. O(1 + stretches that it enters).
  void hold(double value, double duration_s) {
    const double end_s = now_s_ + duration_s;
    while (place_ + 1 < stretches && end_s >= border_s()) {
      sums_[place_] += value * (border_s() - now_s_);
      weights_[place_] = stretch_s_;  // not a sum of parts, so that stretches are alike to the bit
      now_s_ = border_s();
      ++place_;
    }
    sums_[place_] += value * (end_s - now_s_);
    weights_[place_] = place_ + 1 < stretches ? weights_[place_] + (end_s - now_s_) : stretch_s_;
    now_s_ = end_s;
  }
  /// One observation at so late a time [s], >= 0; in any order. Not for a run that hold() is told of. O(1).
  void observe(double value, double time_s) {
    const std::size_t place = std::min(static_cast<std::size_t>(time_s * per_s_), stretches - 1);
    sums_[place] += value, weights_[place] += 1.0;
  }
  /// So many observations with this sum, all of the stretch in which `time_s` lies. O(1).
  void observe(double sum, double count, double time_s) {
    const std::size_t place = std::min(static_cast<std::size_t>(time_s * per_s_), stretches - 1);
    sums_[place] += sum, weights_[place] += count;
  }
  /// Observations at or after `time_s` [s] and before this moment are of one stretch. O(1).
  double same_stretch_until(double time_s) const {
    const std::size_t place = static_cast<std::size_t>(time_s * per_s_);
    if (place + 1 >= stretches) return std::numeric_limits<double>::infinity();
    const double border = static_cast<double>(place + 1);
    double until = border / per_s_;
    while (until * per_s_ >= border) until = std::nextafter(until, 0.0);
    return until;
  }
  /// Begins a new run.
  void clear() { sums_ = {}, weights_ = {}, now_s_ = 0.0, place_ = 0; }

  /// Of all stretches.
  double sum() const { return std::accumulate(sums_.begin(), sums_.end(), 0.0); }
  double weight() const { return std::accumulate(weights_.begin(), weights_.end(), 0.0); }
  /// By stretch.
  const std::array<double, stretches>& sums() const { return sums_; }
  const std::array<double, stretches>& weights() const { return weights_; }

 private:
  double border_s() const { return stretch_s_ * static_cast<double>(place_ + 1); }

  double stretch_s_, per_s_, now_s_ = 0.0;
  std::size_t place_ = 0;
  std::array<double, stretches> sums_{}, weights_{};
};

/// What long runs say of the mean that their quantity settles at.
struct LongRunEstimate {
  double mean = 0.0;               ///< of what is left after the warm-up; NaN when nothing is
  double standard_error = 0.0;     ///< of it, correlation counted; NaN with fewer than LongRunTally::fewest_parts
  Interval ends;                   ///< the whole support without a standard error
  double removed = 0.0;            ///< share of each run that was taken for warm-up: 1/4 or 1/2
  double correlation = 0.0;        ///< of one part of a run with the next, where runs are cut to at least 8; -1 to 1
  bool drifts = false;             ///< what is left begins elsewhere than it goes on, at the level of 1 %
  std::uint64_t parts = 0;         ///< of runs, that the interval was made of
  std::uint64_t parts_in_run = 0;  ///< 1: each part is a whole run (or several), and runs are independent
  std::uint64_t differ = 0;        ///< parts that differ from the least or greatest, where most are just that
};

/// Independent runs of one length, put together to the mean they settle at, in bounded memory: at most 64 groups of
/// neighbouring runs are kept, each as one path. Mergeable; the same parts merged in the same order give the same bits.
///
/// * *Warm-up*: the first quarter of each run, whatever was seen. Nothing is selected by the noise that is averaged
///   afterwards: rules that look for the truncation of least error (MSER) cut where the data happen to be low when a
///   condition rarely holds, and more runs only tighten the interval around the wrong mean. Where what is left begins
///   elsewhere than it goes on, at a level of 5 %, half of the run is taken instead (in one of twenty runs that need
///   not), and if that still drifts at 1 %, LongRunEstimate::drifts says so. Law, Simulation Modeling and Analysis, 5th
///   edition, 2015, section 9.5 (replication/deletion); Goldsman, Schruben and Swain, Tests for transient means in
///   simulated time series, Naval Research Logistics 41(2), 1994 (first part of the run against the rest by Student's
///   t).
/// * *Interval*: what is left of each run is one independent part when there are 20 runs or more; fewer runs are cut
///   into as many parts as make at least 20. Those of one run depend on each other: their correlation r widens the
///   variance of n parts in a row by (1 + r) / (1 - r) - 2 r (1 - r^n) / (n (1 - r)^2), which a series with geometric
///   correlations has. Schmeiser, Batch size effects in the analysis of simulation output, Operations Research 30(3),
///   1982 (why few parts); Tafazzoli, Wilson, Lada and Steiger, Performance of Skart, INFORMS J. on Computing 23(2),
///   2011 (the correction). The ends are mean_interval()'s, which allows for skewness.
///
/// With sum s(u) and weight w(u) of part u, the mean is m = sum s / sum w, a ratio, because runs have different numbers
/// of observations; its spread is that of s(u) - m w(u) (delta method).
///
/// Coverage at 95 %, measured in tests/core/stats/tst_one_run.cpp.
class LongRunTally {
 public:
  static constexpr std::size_t most_groups = 64;  ///< even
  static constexpr std::uint64_t wanted_parts = 20;
  static constexpr std::uint64_t fewest_parts = 10;  ///< with a weight; below that there is no interval

  /// One more run; all are of one length. A run without any weight, or one whose sums are not finite, is left out.
  /// O(stretches); allocates now and then.
  void observe(const RunPath& run);
  /// Adds the runs of `other` after those of this one. O(groups).
  void merge(const LongRunTally& other);

  /// Runs that were observed and not left out.
  std::uint64_t n() const noexcept { return n_; }
  /// O(groups), allocates; as often as wanted.
  /// @param support  of the quantity
  LongRunEstimate estimate(const Support& support, double confidence) const;

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(n_, group_size_, runs_, sums_, weights_);
  }
  /// Whether runs can have led here: after a ByteReader read bytes that anybody may have altered. O(groups).
  bool possible() const;

 private:
  struct Parts;
  void append(const double* sums, const double* weights, std::uint64_t runs);
  void join_neighbours();
  Parts cut(std::size_t first, std::size_t in_run) const;
  bool begins_elsewhere(const Parts& parts, double confidence) const;
  bool settles_slowly() const;

  std::uint64_t n_ = 0;
  std::uint64_t group_size_ = 1;        ///< runs that make a group full
  std::vector<std::uint64_t> runs_;     ///< by group
  std::vector<double> sums_, weights_;  ///< by group and stretch
};

}  // namespace ergode
