#pragma once
#include <cstdint>

#include "core/stats/interval.h"

namespace ergode {

/// Running means, variances and covariance of pairs (x, y), for the ratio of their means. Mergeable like Tally.
///
/// Serves ratios over replications (events over time, cost over failures) and the regenerative method, where a pair is
/// what one cycle earned and how long it was: the ratio of the means is then the long-run average.
///
/// With means x and y of n pairs, r = x / y and the sums of products of deviations Sxx, Syy and Sxy:
///
///     standard error   sqrt((Sxx - 2 r Sxy + r^2 Syy) / (n (n - 1))) / |y|
///     interval         roots r of (x - r y)^2 = t^2 (Sxx - 2 r Sxy + r^2 Syy) / (n (n - 1))
///
/// No allocation; one thread per tally, merged afterwards.
class RatioTally {
 public:
  /// One more pair; x and y in their own units, both finite. O(1).
  void observe(double x, double y) noexcept {
    const auto before = static_cast<double>(n_++);
    const double n = before + 1.0, dx = x - x_, dy = y - y_;
    x_ += dx / n, y_ += dy / n;
    xx_ += dx * (x - x_), yy_ += dy * (y - y_), xy_ += dx * (y - y_);
  }
  /// Adds what `other` saw after what this one saw.
  void merge(const RatioTally& other) noexcept {
    if (other.n_ == 0) return;
    if (n_ == 0) {
      *this = other;
      return;
    }
    const double a = static_cast<double>(n_), b = static_cast<double>(other.n_), share = b / (a + b);
    const double dx = other.x_ - x_, dy = other.y_ - y_;
    x_ += dx * share, y_ += dy * share;
    xx_ += other.xx_ + dx * dx * a * share, yy_ += other.yy_ + dy * dy * a * share;
    xy_ += other.xy_ + dx * dy * a * share;
    n_ += other.n_;
  }

  /// Pairs.
  std::uint64_t n() const noexcept { return n_; }
  /// 0 when nothing was observed.
  double mean_x() const noexcept { return x_; }
  double mean_y() const noexcept { return y_; }
  /// mean x / mean y, in the unit of x over that of y, which is biased by O(1/n); NaN when nothing was observed or the
  /// mean of y is zero.
  double ratio() const noexcept;
  /// By the delta method: the standard deviation of x - ratio y, over mean y and the root of n. NaN below two pairs or
  /// without a ratio.
  double standard_error() const noexcept;
  /// Fieller's interval: the ratios r for which mean x - r mean y does not differ from zero by Student's t. Wider than
  /// the delta method's where few pairs leave mean y uncertain. The whole line where mean y itself may be zero, or
  /// below two pairs. Fieller, Some problems in interval estimation, J. Royal Stat. Soc. B 16(2), 1954.
  Interval interval(double confidence) const;

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(n_, x_, y_, xx_, yy_, xy_);
  }

 private:
  std::uint64_t n_ = 0;
  double x_ = 0.0, y_ = 0.0;               ///< means
  double xx_ = 0.0, yy_ = 0.0, xy_ = 0.0;  ///< sums of products of the deviations from them
};

}  // namespace ergode
