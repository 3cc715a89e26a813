#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ergode {

/// Running count, mean, variance, least and greatest of observations. Mergeable: the same parts merged in the same
/// order give the same bits; other partitions agree to rounding.
/// Welford, Technometrics 4(3), 1962; Chan, Golub and LeVeque, The American Statistician 37(3), 1983 (merge).
class Tally {
 public:
  void observe(double x) noexcept {
    ++n_;
    const double delta = x - mean_;
    mean_ += delta / static_cast<double>(n_);
    m2_ += delta * (x - mean_);
    least_ = std::min(least_, x);
    greatest_ = std::max(greatest_, x);
  }
  /// Adds what `other` saw after what this one saw.
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
    m2_ += other.m2_ + delta * delta * (a * b / (a + b));
    n_ += other.n_;
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
  }

  std::uint64_t n() const noexcept { return n_; }
  double mean() const noexcept { return mean_; }  ///< 0 when nothing was observed
  double sum() const noexcept { return mean_ * static_cast<double>(n_); }
  /// Sample variance (divisor n - 1); 0 for fewer than two observations.
  double variance() const noexcept { return n_ > 1 ? m2_ / static_cast<double>(n_ - 1) : 0.0; }
  /// Standard error of the mean; infinity for fewer than two observations.
  double standard_error() const noexcept {
    return n_ > 1 ? std::sqrt(variance() / static_cast<double>(n_)) : std::numeric_limits<double>::infinity();
  }
  double least() const noexcept { return least_; }        ///< plus infinity when nothing was observed
  double greatest() const noexcept { return greatest_; }  ///< minus infinity when nothing was observed

 private:
  std::uint64_t n_ = 0;
  double mean_ = 0.0;
  double m2_ = 0.0;
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace ergode
