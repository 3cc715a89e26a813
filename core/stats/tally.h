#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ergode {

/// Running count, mean, variance, skewness, least and greatest of observations, and how many were just those two.
/// Mergeable: the same parts merged in the same order give the same bits; other partitions agree to rounding.
/// Welford, Technometrics 4(3), 1962; Chan, Golub and LeVeque, The American Statistician 37(3), 1983 (merge); Pebay,
/// Formulas for robust, one-pass parallel computation of covariances and arbitrary-order moments, SAND2008-6212, 2008.
///
/// Values in the observed quantity's own unit. Infinite or NaN observations make all but n() worthless. No allocation;
/// one thread per tally, merged afterwards.
///
/// Kept are n, the mean m and the sums of powers of deviations, M2 = sum (x - m)^2 and M3 = sum (x - m)^3, from which
///
///     variance = M2 / (n - 1)        standard error = sqrt(variance / n)
///     skewness = sqrt(n) M3 / M2^(3/2)
///
/// so nothing cancels when the mean is large beside the spread. at_least() and at_greatest() tell whether most
/// observations were one and the same (mean_interval.h makes another interval then).
class Tally {
 public:
  /// One more observation. O(1).
  void observe(double x) noexcept {
    const auto before = static_cast<double>(n_++);
    const double delta = x - mean_;
    const double share = delta / static_cast<double>(n_);
    mean_ += share;
    m3_ += delta * share * share * before * (before - 1.0) - 3.0 * share * m2_;
    m2_ += delta * (x - mean_);
    if (x < least_) least_ = x, at_least_ = 0;
    if (x > greatest_) greatest_ = x, at_greatest_ = 0;
    at_least_ += x == least_, at_greatest_ += x == greatest_;
  }
  /// Adds what `other` saw after what this one saw; the moments come out as if it had been observed here, but for
  /// rounding. O(1).
  void merge(const Tally& other) noexcept {
    if (other.n_ == 0) return;
    if (n_ == 0) {
      *this = other;
      return;
    }
    const double a = static_cast<double>(n_);
    const double b = static_cast<double>(other.n_);
    const double delta = other.mean_ - mean_;
    mean_ += delta * (b / (a + b));
    m3_ += other.m3_ + delta * delta * delta * (a * b / (a + b)) * ((a - b) / (a + b)) +
           3.0 * delta * (a * other.m2_ - b * m2_) / (a + b);
    m2_ += other.m2_ + delta * delta * (a * b / (a + b));
    n_ += other.n_;
    if (other.least_ < least_) least_ = other.least_, at_least_ = 0;
    if (other.greatest_ > greatest_) greatest_ = other.greatest_, at_greatest_ = 0;
    if (other.least_ == least_) at_least_ += other.at_least_;
    if (other.greatest_ == greatest_) at_greatest_ += other.at_greatest_;
  }

  /// Observations.
  std::uint64_t n() const noexcept { return n_; }
  double mean() const noexcept { return mean_; }  ///< 0 when nothing was observed
  /// n() * mean(): rounded, not a sum that was kept.
  double sum() const noexcept { return mean_ * static_cast<double>(n_); }
  /// Sample variance (divisor n - 1); 0 for fewer than two observations.
  double variance() const noexcept { return n_ > 1 ? m2_ / static_cast<double>(n_ - 1) : 0.0; }
  /// Standard error of the mean; infinity for fewer than two observations.
  double standard_error() const noexcept {
    return n_ > 1 ? std::sqrt(variance() / static_cast<double>(n_)) : std::numeric_limits<double>::infinity();
  }
  /// Third central moment over the standard deviation cubed (divisors n); 0 for fewer than three observations or none
  /// that differ.
  double skewness() const noexcept {
    return n_ > 2 && m2_ > 0.0 ? std::sqrt(static_cast<double>(n_)) * m3_ / (m2_ * std::sqrt(m2_)) : 0.0;
  }
  double least() const noexcept { return least_; }                     ///< plus infinity when nothing was observed
  double greatest() const noexcept { return greatest_; }               ///< minus infinity when nothing was observed
  std::uint64_t at_least() const noexcept { return at_least_; }        ///< observations equal to least()
  std::uint64_t at_greatest() const noexcept { return at_greatest_; }  ///< observations equal to greatest()

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(n_, mean_, m2_, m3_, at_least_, at_greatest_, least_, greatest_);
  }

 private:
  std::uint64_t n_ = 0;
  double mean_ = 0.0;
  double m2_ = 0.0;
  double m3_ = 0.0;
  std::uint64_t at_least_ = 0, at_greatest_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace ergode
