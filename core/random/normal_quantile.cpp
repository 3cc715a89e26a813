#include "core/random/normal_quantile.h"

#include <cmath>
#include <limits>

namespace ergode {
namespace {

/// Ratio of two polynomials of degree 7, coefficients from the lowest power.
double ratio(double x, const double (&a)[8], const double (&b)[8]) noexcept {
  double above = a[7], below = b[7];
  for (int i = 6; i >= 0; --i) {
    above = above * x + a[i];
    below = below * x + b[i];
  }
  return above / below;
}

constexpr double middle_a[8] = {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427,
                                13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
                                33430.575583588128105, 2509.0809287301226727};
constexpr double middle_b[8] = {1.0,
                                42.313330701600911252,
                                687.18700749205790830,
                                5394.1960214247511077,
                                21213.794301586595867,
                                39307.895800092710610,
                                28729.085735721942674,
                                5226.4952788528545610};
constexpr double near_a[8] = {1.42343711074968357734,   4.63033784615654529590,   5.76949722146069140550,
                              3.64784832476320460504,   1.27045825245236838258,   0.241780725177450611770,
                              0.0227238449892691845833, 7.74545014278341407640e-4};
constexpr double near_b[8] = {1.0,
                              2.05319162663775882187,
                              1.67638483018380384940,
                              0.689767334985100004550,
                              0.148103976427480074590,
                              0.0151986665636164571966,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
constexpr double far_a[8] = {6.65790464350110377720,    5.46378491116411436990,   1.78482653991729133580,
                             0.296560571828504891230,   0.0265321895265761230930, 0.00124266094738807843860,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double far_b[8] = {1.0,
                             0.599832206555887937690,
                             0.136929880922735805310,
                             0.0148753612908506148525,
                             7.86869131145613259100e-4,
                             1.84631831751005468180e-5,
                             1.42151175831644588870e-7,
                             2.04426310338993978564e-15};

}  // namespace

double normal_quantile(double p) noexcept {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * ratio(0.180625 - q * q, middle_a, middle_b);
  const double tail = q < 0 ? p : 1.0 - p;
  if (!(tail > 0.0)) {
    if (tail < 0.0 || std::isnan(p)) return std::numeric_limits<double>::quiet_NaN();
    return q < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  const double r = std::sqrt(-std::log(tail));
  const double z = r <= 5.0 ? ratio(r - 1.6, near_a, near_b) : ratio(r - 5.0, far_a, far_b);
  return q < 0 ? -z : z;
}

double normal_cdf(double z) noexcept { return 0.5 * std::erfc(-z * 0.70710678118654752440); }

double normal_pdf(double z) noexcept { return 0.39894228040143267794 * std::exp(-0.5 * z * z); }

}  // namespace ergode
