#include "core/stats/ratio.h"

#include <algorithm>
#include <cmath>

#include "core/base/special_values.h"

namespace ergode {
double RatioTally::ratio() const noexcept { return n_ > 0 && y_ != 0.0 ? x_ / y_ : nan; }

double RatioTally::standard_error() const noexcept {
  const double r = ratio(), n = static_cast<double>(n_);
  if (n_ < 2 || std::isnan(r)) return nan;
  const double squares = std::max(0.0, xx_ - 2.0 * r * xy_ + r * r * yy_);
  return std::sqrt(squares / (n * (n - 1.0))) / std::fabs(y_);
}

Interval RatioTally::interval(double confidence) const {
  if (n_ < 2 || std::isnan(ratio())) return {-infinity, infinity};
  const double n = static_cast<double>(n_), t = student_factor(n - 1.0, confidence);
  const double g = t * t / (n * (n - 1.0));
  // The roots of (x - r y)^2 = g (xx - 2 r xy + r^2 yy).
  const double a = y_ * y_ - g * yy_, b = x_ * y_ - g * xy_, c = x_ * x_ - g * xx_;
  // Mean y cannot be told from zero: the ratios that are possible have no ends.
  if (!(a > 0.0)) return {-infinity, infinity};
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  return {(b - root) / a, (b + root) / a};
}

}  // namespace ergode
