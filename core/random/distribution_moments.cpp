// Mean, variance and tail of distributions; what the constants mean by family stands in distribution.cpp.
#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "core/base/special_values.h"
#include "core/random/distribution.h"
#include "core/random/normal_quantile.h"

namespace ergode {
namespace {

struct Moments {
  double mean, variance;
};

/// Of a density that is smooth on a short interval, where closed forms cancel.
template <class Density>
Moments moments_by_quadrature(double low, double high, Density density) {
  using Gauss = boost::math::quadrature::gauss<double, 30>;
  const double middle = 0.5 * (low + high);
  const double mass = Gauss::integrate(density, low, high);
  const double shift = Gauss::integrate([&](double x) { return (x - middle) * density(x); }, low, high) / mass;
  const double spread =
      Gauss::integrate([&](double x) { return (x - middle - shift) * (x - middle - shift) * density(x); }, low, high);
  return {middle + shift, spread / mass};
}

Moments truncated_normal_moments(double mean, double sd, double low, double high, double mass) {
  const double from = (low - mean) / sd;
  const double to = (high - mean) / sd;
  if (to - from < 1.0) {
    const double top = std::clamp(0.0, from, to);  // Scaled so that the density does not underflow in a far tail.
    const Moments z = moments_by_quadrature(from, to, [&](double x) { return std::exp(0.5 * (top * top - x * x)); });
    return {mean + sd * z.mean, sd * sd * z.variance};
  }
  const double left = std::isinf(from) ? 0.0 : from * normal_pdf(from);
  const double right = std::isinf(to) ? 0.0 : to * normal_pdf(to);
  const double shift = (normal_pdf(from) - normal_pdf(to)) / mass;
  return {mean + sd * shift, sd * sd * (1.0 + (left - right) / mass - shift * shift)};
}

Moments truncated_exponential_moments(double mean, double limit) {
  const double r = limit / mean;
  if (r < 1.0) {
    const Moments x = moments_by_quadrature(0.0, r, [](double z) { return std::exp(-z); });
    return {mean * x.mean, mean * mean * x.variance};
  }
  const double odds = 1.0 / std::expm1(r);
  return {mean - limit * odds, mean * mean - limit * limit * odds * (1.0 + odds)};
}

/// E X^k of a pareto variable, perhaps with a limit: infinite where the integral is.
double pareto_moment(double scale, double shape, double limit, double within, double k) {
  if (limit == infinity) return shape > k ? shape * std::pow(scale, k) / (shape - k) : infinity;
  // shape scale^shape integral x^(k - shape - 1) dx from scale to limit, over `within`; expm1 keeps the digits where
  // k is nearly the shape.
  const double exponent = (k - shape) * std::log(limit / scale);
  const double integral = exponent == 0.0 ? std::log(limit / scale) : std::expm1(exponent) / (k - shape);
  return shape * std::pow(scale, k) * integral / within;
}

}  // namespace

double Distribution::mean() const {
  switch (family_) {
    case Family::deterministic:
    case Family::exponential:
      return a_;
    case Family::weibull:
      return a_ * std::tgamma(1.0 + 1.0 / b_);
    case Family::lognormal:
      return c_ * std::exp(a_ + 0.5 * b_ * b_);
    case Family::gamma:
    case Family::erlang:
      return a_ * b_;
    case Family::beta:
      return a_ / (a_ + b_);
    case Family::uniform:
      return 0.5 * (a_ + b_);
    case Family::triangular:
      return (a_ + b_ + c_) / 3.0;
    case Family::truncated_normal:
      return truncated_normal_moments(a_, b_, c_, d_, std::fabs(f_ - e_)).mean;
    case Family::truncated_exponential:
      return truncated_exponential_moments(a_, b_).mean;
    case Family::pareto:
      return pareto_moment(a_, b_, c_, e_, 1.0);
    case Family::hyperexponential:
    case Family::hypererlang:
    case Family::phase_type:
    case Family::empirical:
    case Family::quantile_table:
      return table_->mean;
  }
  return a_;
}

double Distribution::tail_index() const { return family_ == Family::pareto && c_ == infinity ? b_ : infinity; }

double Distribution::variance() const {
  switch (family_) {
    case Family::deterministic:
      return 0.0;
    case Family::exponential:
      return a_ * a_;
    case Family::weibull: {
      const double g1 = std::tgamma(1.0 + 1.0 / b_);
      return a_ * a_ * (std::tgamma(1.0 + 2.0 / b_) - g1 * g1);
    }
    case Family::lognormal:
      return std::expm1(b_ * b_) * c_ * c_ * std::exp(2.0 * a_ + b_ * b_);
    case Family::gamma:
    case Family::erlang:
      return a_ * b_ * b_;
    case Family::beta:
      return a_ * b_ / ((a_ + b_) * (a_ + b_) * (a_ + b_ + 1.0));
    case Family::uniform:
      return (b_ - a_) * (b_ - a_) / 12.0;
    case Family::triangular: {
      const double ab = b_ - a_, bc = c_ - b_, ac = c_ - a_;
      return (ab * ab + bc * bc + ac * ac) / 36.0;
    }
    case Family::truncated_normal:
      return truncated_normal_moments(a_, b_, c_, d_, std::fabs(f_ - e_)).variance;
    case Family::truncated_exponential:
      return truncated_exponential_moments(a_, b_).variance;
    case Family::pareto: {
      if (c_ == infinity) return b_ > 2.0 ? a_ * a_ * b_ / ((b_ - 1.0) * (b_ - 1.0) * (b_ - 2.0)) : infinity;
      // On a short window the two moments cancel.
      if (c_ < 2.0 * a_)
        return moments_by_quadrature(a_, c_, [&](double x) { return std::pow(x / a_, -b_ - 1.0); }).variance;
      const double mean = pareto_moment(a_, b_, c_, e_, 1.0);
      return pareto_moment(a_, b_, c_, e_, 2.0) - mean * mean;
    }
    case Family::hyperexponential:
    case Family::hypererlang:
    case Family::phase_type:
    case Family::empirical:
    case Family::quantile_table:
      return table_->variance;
  }
  return 0.0;
}

}  // namespace ergode
