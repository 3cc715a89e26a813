#include "core/stats/mean_interval.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "core/base/special_values.h"

namespace ergode {
namespace {

// A correction that moves no end by more than this part of the half-width is none.
constexpr double negligible = 0.01;

double gamma_quantile(double shape, double scale, double p) { return scale * boost::math::gamma_p_inv(shape, p); }

Interval clipped(Interval i, const Support& support) {
  return {std::clamp(i.lower, support.least, support.greatest), std::clamp(i.upper, support.least, support.greatest)};
}

/// Ends of (mean - true mean) / standard error, by Hall's third transformation, which is monotone.
double hall(double t, double skewness, double n) {
  const double a = skewness / (3.0 * std::sqrt(n));
  return (std::cbrt(1.0 + 3.0 * a * (t - 0.5 * a)) - 1.0) / a;
}

}  // namespace

MeanInterval interval_without_variation(double value, std::uint64_t n, const Support& support, double confidence) {
  if (support.least == support.greatest) return {{value, value}, "student-t"};
  // A value of probability q stays unseen in n observations with (1 - q)^n; that is alpha / 2 at 1 - (alpha / 2)^(1 /
  // n).
  const double log_tail = std::log(0.5 * (1.0 - confidence)) / static_cast<double>(n);
  if (support.counts && value == 0.0) return {{0.0, -log_tail}, "no-variation"};
  const double unseen = -std::expm1(log_tail);
  const double below = value - support.least, above = support.greatest - value;
  if (!std::isfinite(below) || !std::isfinite(above)) return {{value, value}, "unverified"};
  return {{value - unseen * below, value + unseen * above}, "no-variation"};
}

Interval variance_interval(double value, double half) {
  if (!(value > 0.0)) return {0.0, value};
  // The reciprocal's lower end comes to 0 as half comes to the value; from halfway on the bound goes on straight.
  const double part = half / value, times = part <= 0.5 ? 1.0 / (1.0 - part) : 4.0 * part;
  return {std::max(0.0, value - half), value * times};
}

Interval gamma_interval(double mean, double variance, double largest, double confidence) {
  const double tail = 0.5 * (1.0 - confidence);
  Interval out{0.0, mean};
  if (mean > 0.0 && variance > 0.0) out.lower = gamma_quantile(mean * mean / variance, variance / mean, tail);
  // One more observation of the largest size is what the upper end allows for (Fay and Feuer).
  const double more = mean + largest, spread = variance + largest * largest;
  if (more > 0.0 && spread > 0.0) out.upper = gamma_quantile(more * more / spread, spread / more, 1.0 - tail);
  return out;
}

MeanInterval mean_interval(const Tally& observed, const Support& support, double confidence) {
  const std::uint64_t count = observed.n();
  if (count < 2) return {{support.least, support.greatest}, "student-t"};
  const double mean = observed.mean();
  const auto n = static_cast<double>(count);
  if (observed.least() == observed.greatest()) return interval_without_variation(mean, count, support, confidence);
  const double of_mean = observed.variance() / n;
  const double width = observed.greatest() - observed.least();
  // The next may be greater than the greatest of the few that were seen, unless they are all alike.
  const auto another = [&](std::uint64_t others, std::uint64_t alike) {
    const double more = others == alike ? width : width * (1.0 + 2.0 / static_cast<double>(others));
    return std::min(more, support.greatest - support.least) / n;
  };
  // Of two observations one is always the least: it is one of many alike only at an end of what is possible.
  const auto many_alike = [count](std::uint64_t alike, double value, double end) {
    return 2 * alike >= count && (alike > 1 || value == end);
  };
  if (many_alike(observed.at_least(), observed.least(), support.least)) {
    const double next = another(count - observed.at_least(), observed.at_greatest());
    const Interval i = gamma_interval(mean - observed.least(), of_mean, next, confidence);
    return {clipped({observed.least() + i.lower, observed.least() + i.upper}, support), "gamma"};
  }
  if (many_alike(observed.at_greatest(), observed.greatest(), support.greatest)) {
    const double next = another(count - observed.at_greatest(), observed.at_least());
    const Interval i = gamma_interval(observed.greatest() - mean, of_mean, next, confidence);
    return {clipped({observed.greatest() - i.upper, observed.greatest() - i.lower}, support), "gamma"};
  }
  const double t = student_factor(n - 1.0, confidence), error = std::sqrt(of_mean);
  // To first order Hall's ends are moved by skewness (2 t^2 + 1) / (6 sqrt(n)), which is to be small beside t.
  if (std::abs(observed.skewness()) * (2.0 * t * t + 1.0) < 6.0 * negligible * t * std::sqrt(n))
    return {clipped({mean - t * error, mean + t * error}, support), "student-t"};
  return {clipped({mean - error * hall(t, observed.skewness(), n), mean - error * hall(-t, observed.skewness(), n)},
                  support),
          "hall"};
}

}  // namespace ergode
