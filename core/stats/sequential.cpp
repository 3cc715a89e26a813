#include "core/stats/sequential.h"

#include <algorithm>
#include <cmath>

namespace ergode {

double relative_reach(double value, const Interval& ends) {
  const double reach = std::max(ends.upper - value, value - ends.lower);
  const double ratio = reach == 0.0 ? 0.0 : reach / std::fabs(value);
  return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
}

std::optional<double> SequentialPrecision::look(double reach, bool trusted) {
  constexpr double rounding = 1e-9;  // of lengths that callers multiplied
  const bool arrived = left_ <= 1.0 + rounding;
  precise_ = trusted && reach <= precision_;
  if (precise_ && arrived) return std::nullopt;
  const double missing = reach / precision_;
  // Precise on the way: to the end that was planned, or 20 % where that is nearer.
  const double planned =
      precise_ ? std::min(confirmation, left_) : std::max(confirmation, confirmation * missing * missing);
  const double growth = std::min(planned, most_growth);
  left_ = trusted ? planned / growth : std::numeric_limits<double>::infinity();
  return growth;
}

void WidthBefore::look(const BatchMeans& seen, double length) {
  if (length > last_.length) before_ = last_;
  const bool known = seen.independent && seen.standard_error > 0.0 && std::isfinite(seen.standard_error);
  last_ = {.length = length, .spread = known ? seen.standard_error * std::sqrt(length) : 0.0};
}

BatchMeans WidthBefore::widened(BatchMeans seen, double length) const {
  const double expected = (length > last_.length ? last_.spread : before_.spread) / std::sqrt(length);
  if (!(seen.standard_error > 0.0) || !(expected > seen.standard_error)) return seen;
  const double factor = expected / seen.standard_error;
  seen.standard_error = expected;
  seen.ends = {seen.value - factor * (seen.value - seen.ends.lower),
               seen.value + factor * (seen.ends.upper - seen.value)};
  return seen;
}

}  // namespace ergode
