#include "core/random/distribution.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/random/stiff_phases.h"

// Meaning of the constants by family:
//   deterministic          a value
//   exponential            a mean
//   weibull                a scale, b shape
//   lognormal              a mu, b sigma, c scale
//   gamma                  a shape, b scale
//   erlang                 a k, b mean of one phase
//   beta                   a, b shapes
//   uniform                a low, b high
//   triangular             a low, b mode, c high
//   truncated_normal       a mean, b sd, c low, d high; e, f probabilities beyond low and high in the tail they lie in:
//                          the upper one when low > mean, else the lower one
//   truncated_exponential  a mean, b limit, e expm1(-limit / mean)
//   pareto                 a scale, b shape, c limit, e probability beyond scale that lies within the limit
namespace ergode {
namespace {

double normal_pdf(double z) { return 0.39894228040143267794 * std::exp(-0.5 * z * z); }

/// Marsaglia and Tsang, A simple method for generating gamma variables, ACM TOMS 26(3), 2000.
double sample_gamma(double shape, RandomStream& stream) {
  // Below 1 the method does not hold: a draw of shape + 1 times U^(1 / shape) has the shape wanted.
  const double boosted = shape < 1.0 ? shape + 1.0 : shape;
  const double d = boosted - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = stream.normal();
    const double u = stream.uniform();
    const double root = 1.0 + c * x;
    // The cube would be negative: no value of the density.
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(u) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
    return shape < 1.0 ? d * v * std::pow(stream.uniform(), 1.0 / shape) : d * v;
  }
}

double sample_erlang(unsigned phases, RandomStream& stream) {
  // From here on a few draws of the rejection cost less than k uniforms.
  if (phases > 32) return sample_gamma(static_cast<double>(phases), stream);
  double sum = 0.0;
  while (phases > 0) {  // 16 uniforms of at least 2^-54 do not underflow.
    double product = 1.0;
    for (unsigned i = std::min(phases, 16U); i > 0; --i, --phases) product *= stream.uniform();
    sum -= std::log(product);
  }
  return sum;
}

/// Index of the branch that `u` falls into; the number of branches when it falls behind the last.
std::size_t branch(std::span<const double> cumulated, double u) {
  return static_cast<std::size_t>(std::upper_bound(cumulated.begin(), cumulated.end(), u) - cumulated.begin());
}

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

/// Root of an increasing cdf without a closed inverse, on [0, infinity).
template <class Cdf>
double solve_quantile(double p, double start, Cdf cdf) {
  if (p <= cdf(0.0)) return 0.0;
  double high = start;
  while (cdf(high) < p && high < 1e300) high *= 2.0;
  double low = high;
  while (cdf(low) > p && low > 1e-300) low *= 0.5;
  if (low == high) return high;
  std::uintmax_t steps = 200;
  const auto bracket = boost::math::tools::toms748_solve([&](double x) { return cdf(x) - p; }, low, high,
                                                         boost::math::tools::eps_tolerance<double>(52), steps);
  return 0.5 * (bracket.first + bracket.second);
}

}  // namespace

Distribution Distribution::deterministic(double value) {
  Distribution d;
  d.a_ = value;
  return d;
}

Distribution Distribution::exponential(double rate) {
  Distribution d;
  d.family_ = Family::exponential;
  d.a_ = 1.0 / rate;
  return d;
}

double Distribution::sample_other(RandomStream& stream) const {
  switch (family_) {
    case Family::deterministic:
      return a_;
    case Family::exponential:
      return stream.exponential() * a_;
    case Family::weibull:
      return a_ * std::pow(stream.exponential(), 1.0 / b_);
    case Family::lognormal:
      return c_ * std::exp(a_ + b_ * stream.normal());
    case Family::gamma:
      return b_ * sample_gamma(a_, stream);
    case Family::erlang:
      return b_ * sample_erlang(static_cast<unsigned>(a_), stream);
    case Family::beta: {
      const double x = sample_gamma(a_, stream);
      const double y = sample_gamma(b_, stream);
      // Both underflow only for tiny shapes, where nearly all mass is at the two ends.
      if (x + y > 0.0) return x / (x + y);
      return stream.uniform() * (a_ + b_) < a_ ? 1.0 : 0.0;
    }
    case Family::hyperexponential: {
      // Rounding may leave the last cumulated probability just below 1.
      const std::size_t i = std::min(branch(table_->weights, stream.uniform()), table_->values.size() - 1);
      return stream.exponential() / table_->values[i];
    }
    case Family::phase_type: {
      const std::size_t n = table_->values.size();
      double time = 0.0;
      for (std::size_t phase = branch(table_->weights, stream.uniform()); phase < n;) {
        time += stream.exponential() / table_->values[phase];
        phase = branch(std::span(table_->jumps).subspan(phase * n, n), stream.uniform());
      }
      return time;
    }
    case Family::hypererlang: {
      const std::size_t i = std::min(branch(table_->weights, stream.uniform()), table_->values.size() - 1);
      return sample_erlang(static_cast<unsigned>(table_->jumps[i]), stream) / table_->values[i];
    }
    case Family::uniform:
    case Family::triangular:
    case Family::truncated_normal:
    case Family::truncated_exponential:
    case Family::pareto:
    case Family::empirical:
    case Family::quantile_table:
      return quantile(stream.uniform());  // Inverses in closed form.
  }
  return a_;
}

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

double Distribution::cdf_of_phases(double x, bool density) const {
  // Uniformisation, in steps short enough for exp(-q h) not to underflow: Jensen, Skand. Aktuarietidskr. 36, 1953.
  const std::size_t n = table_->values.size();
  const auto share = [&](std::span<const double> cumulated, std::size_t i) {
    return i == 0 ? cumulated[0] : cumulated[i] - cumulated[i - 1];
  };
  std::vector<double> now(n), next(n), sum(n);
  for (std::size_t i = 0; i < n; ++i) now[i] = share(table_->weights, i);
  // Uniformisation rate: every phase leaves at q, most often to itself.
  const double q = *std::max_element(table_->values.begin(), table_->values.end());
  if (q * x > 1e4) {  // cheaper, and the only way where rates lie far apart
    std::vector<double> jumps(n * n);
    for (std::size_t i = 0; i < n * n; ++i) jumps[i] = share(std::span(table_->jumps).subspan(i / n * n, n), i % n);
    const PhasesLater later = phases_later(now, table_->values, jumps, x);
    double leaving = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      leaving += later.in[i] * table_->values[i] * (1.0 - table_->jumps[i * n + n - 1]);
    return density ? leaving : later.ended;
  }
  const double steps = std::ceil(q * x / 50.0);
  const double h = steps > 0 ? x / steps : 0.0;
  for (double s = 0; s < steps; ++s) {
    double poisson = std::exp(-q * h);
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int k = 0; k < 400; ++k) {
      for (std::size_t i = 0; i < n; ++i) sum[i] += poisson * now[i];
      // Poisson weights rise to k = q h before they fall: small ones before that end nothing.
      poisson *= q * h / (k + 1);
      if (k > q * h && poisson < 1e-18) break;
      for (std::size_t j = 0; j < n; ++j) next[j] = now[j] * (1.0 - table_->values[j] / q);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          next[j] += now[i] * table_->values[i] / q * share(std::span(table_->jumps).subspan(i * n, n), j);
      now.swap(next);
    }
    now = sum;
    // Nobody is left in any phase, to the last bit.
    if (std::all_of(now.begin(), now.end(), [](double v) { return v < 1e-300; })) break;
  }
  double alive = 0.0, leaving = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    alive += now[i];
    leaving += now[i] * table_->values[i] * (1.0 - table_->jumps[i * n + n - 1]);
  }
  return density ? leaving : 1.0 - alive;
}

double Distribution::cdf(double x) const {
  switch (family_) {
    case Family::deterministic:
      return x >= a_ ? 1.0 : 0.0;
    case Family::exponential:
      return x > 0.0 ? -std::expm1(-x / a_) : 0.0;
    case Family::weibull:
      return x > 0.0 ? -std::expm1(-std::pow(x / a_, b_)) : 0.0;
    case Family::lognormal:
      return x > 0.0 ? normal_cdf((std::log(x / c_) - a_) / b_) : 0.0;
    case Family::gamma:
    case Family::erlang:
      return !(x > 0.0) ? 0.0 : x == infinity ? 1.0 : boost::math::cdf(boost::math::gamma_distribution<>(a_, b_), x);
    case Family::beta:
      return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : boost::math::cdf(boost::math::beta_distribution<>(a_, b_), x);
    case Family::uniform:
      return std::clamp((x - a_) / (b_ - a_), 0.0, 1.0);
    case Family::triangular:
      if (x <= a_) return 0.0;
      if (x >= c_) return 1.0;
      return x < b_ ? (x - a_) * (x - a_) / ((c_ - a_) * (b_ - a_))
                    : 1.0 - (c_ - x) * (c_ - x) / ((c_ - a_) * (c_ - b_));
    case Family::truncated_normal: {
      if (x <= c_) return 0.0;
      if (x >= d_) return 1.0;
      const double z = (x - a_) / b_;
      // In the tail where both ends are small numbers, so that their difference does not cancel.
      return c_ > a_ ? (e_ - normal_cdf(-z)) / (e_ - f_) : (normal_cdf(z) - e_) / (f_ - e_);
    }
    case Family::truncated_exponential:
      return x <= 0.0 ? 0.0 : x >= b_ ? 1.0 : std::expm1(-x / a_) / e_;
    case Family::hyperexponential: {
      if (!(x > 0.0)) return 0.0;
      double sum = 0.0, before = 0.0;
      for (std::size_t i = 0; i < table_->values.size(); ++i) {
        sum -= (table_->weights[i] - before) * std::expm1(-x * table_->values[i]);
        before = table_->weights[i];
      }
      return sum;
    }
    case Family::hypererlang: {
      if (!(x > 0.0)) return 0.0;
      if (x == infinity) return 1.0;
      double sum = 0.0, before = 0.0;
      for (std::size_t i = 0; i < table_->values.size(); ++i) {
        const boost::math::gamma_distribution<> of_branch(table_->jumps[i], 1.0 / table_->values[i]);
        sum += (table_->weights[i] - before) * boost::math::cdf(of_branch, x);
        before = table_->weights[i];
      }
      return std::min(sum, 1.0);
    }
    case Family::pareto:
      return x <= a_ ? 0.0 : x >= c_ ? 1.0 : -std::expm1(b_ * std::log(a_ / x)) / e_;
    case Family::phase_type:
      return x < 0.0 ? 0.0 : x == infinity ? 1.0 : cdf_of_phases(x, false);
    case Family::empirical: {
      const auto& v = table_->values;
      return static_cast<double>(std::upper_bound(v.begin(), v.end(), x) - v.begin()) / static_cast<double>(v.size());
    }
    case Family::quantile_table: {
      const auto &v = table_->values, &p = table_->weights;
      const std::size_t i = branch(v, x);
      if (i == 0 || i == v.size()) return i == 0 ? 0.0 : 1.0;
      return p[i - 1] + (x - v[i - 1]) / (v[i] - v[i - 1]) * (p[i] - p[i - 1]);
    }
  }
  return 0.0;
}

double Distribution::pdf(double x) const {
  switch (family_) {
    case Family::deterministic:
    case Family::empirical:
      return 0.0;
    case Family::exponential:
      return x >= 0.0 ? std::exp(-x / a_) / a_ : 0.0;
    case Family::weibull:
      if (x < 0.0) return 0.0;
      // Far out both factors leave the numbers, one of them upwards.
      if (const double beyond = std::exp(-std::pow(x / a_, b_)); beyond > 0.0)
        return b_ / a_ * std::pow(x / a_, b_ - 1.0) * beyond;
      return 0.0;
    case Family::lognormal:
      return x > 0.0 ? normal_pdf((std::log(x / c_) - a_) / b_) / (b_ * x) : 0.0;
    case Family::gamma:
    case Family::erlang:
      if (x < 0.0 || x == infinity) return 0.0;
      if (x == 0.0) return a_ < 1.0 ? infinity : a_ > 1.0 ? 0.0 : 1.0 / b_;
      return boost::math::pdf(boost::math::gamma_distribution<>(a_, b_), x);
    case Family::beta:
      if (x < 0.0 || x > 1.0) return 0.0;
      if (x == 0.0) return a_ < 1.0 ? infinity : a_ > 1.0 ? 0.0 : b_;
      if (x == 1.0) return b_ < 1.0 ? infinity : b_ > 1.0 ? 0.0 : a_;
      return boost::math::pdf(boost::math::beta_distribution<>(a_, b_), x);
    case Family::uniform:
      return x >= a_ && x <= b_ ? 1.0 / (b_ - a_) : 0.0;
    case Family::triangular:
      if (x < a_ || x > c_) return 0.0;
      if (x == b_) return 2.0 / (c_ - a_);
      return x < b_ ? 2.0 * (x - a_) / ((c_ - a_) * (b_ - a_)) : 2.0 * (c_ - x) / ((c_ - a_) * (c_ - b_));
    case Family::truncated_normal:
      return x >= c_ && x <= d_ ? normal_pdf((x - a_) / b_) / (b_ * std::fabs(f_ - e_)) : 0.0;
    case Family::truncated_exponential:
      return x >= 0.0 && x <= b_ ? -std::exp(-x / a_) / (a_ * e_) : 0.0;
    case Family::hyperexponential: {
      if (x < 0.0) return 0.0;
      double sum = 0.0, before = 0.0;
      for (std::size_t i = 0; i < table_->values.size(); ++i) {
        sum += (table_->weights[i] - before) * table_->values[i] * std::exp(-x * table_->values[i]);
        before = table_->weights[i];
      }
      return sum;
    }
    case Family::hypererlang: {
      if (x < 0.0 || x == infinity) return 0.0;
      double sum = 0.0, before = 0.0;
      for (std::size_t i = 0; i < table_->values.size(); ++i) {
        const double k = table_->jumps[i], rate = table_->values[i], part = table_->weights[i] - before;
        before = table_->weights[i];
        if (x > 0.0) sum += part * boost::math::pdf(boost::math::gamma_distribution<>(k, 1.0 / rate), x);
        else if (k == 1.0) sum += part * rate;
      }
      return sum;
    }
    case Family::pareto:
      return x >= a_ && x <= c_ && x < infinity ? b_ / x * std::pow(a_ / x, b_) / e_ : 0.0;
    case Family::phase_type:
      return x < 0.0 || x == infinity ? 0.0 : cdf_of_phases(x, true);
    case Family::quantile_table: {
      const auto &v = table_->values, &p = table_->weights;
      const std::size_t i = branch(v, x);
      return i == 0 || i == v.size() ? 0.0 : (p[i] - p[i - 1]) / (v[i] - v[i - 1]);
    }
  }
  return 0.0;
}

double Distribution::quantile(double p) const {
  // Written so that NaN is refused too.
  if (!(p >= 0.0 && p <= 1.0)) return std::numeric_limits<double>::quiet_NaN();
  switch (family_) {
    case Family::deterministic:
      return a_;
    case Family::exponential:
      return -a_ * std::log1p(-p);
    case Family::weibull:
      return a_ * std::pow(-std::log1p(-p), 1.0 / b_);
    case Family::lognormal:
      return c_ * std::exp(a_ + b_ * normal_quantile(p));
    case Family::gamma:
    case Family::erlang:
      return p == 1.0 ? infinity : boost::math::quantile(boost::math::gamma_distribution<>(a_, b_), p);
    case Family::beta:
      return boost::math::quantile(boost::math::beta_distribution<>(a_, b_), p);
    case Family::uniform:
      return a_ + p * (b_ - a_);
    case Family::triangular:
      if (p * (c_ - a_) < b_ - a_) return a_ + std::sqrt(p * (c_ - a_) * (b_ - a_));
      return c_ - std::sqrt((1.0 - p) * (c_ - a_) * (c_ - b_));
    case Family::truncated_normal: {
      if (p == 0.0) return c_;
      if (p == 1.0) return d_;
      const double z = c_ > a_ ? -normal_quantile(e_ - p * (e_ - f_)) : normal_quantile(e_ + p * (f_ - e_));
      return std::clamp(a_ + b_ * z, c_, d_);
    }
    case Family::truncated_exponential:
      return std::min(b_, -a_ * std::log1p(p * e_));
    case Family::pareto:
      if (p == 1.0) return c_;
      return std::min(c_, a_ * std::exp(-std::log1p(-p * e_) / b_));
    case Family::hyperexponential:
    case Family::hypererlang:
    case Family::phase_type:
      if (p == 1.0) return infinity;
      return solve_quantile(p, table_->mean > 0.0 ? table_->mean : 1.0, [this](double x) { return cdf(x); });
    case Family::empirical: {
      const auto n = static_cast<double>(table_->values.size());
      return table_->values[static_cast<std::size_t>(std::clamp(std::ceil(p * n) - 1.0, 0.0, n - 1.0))];
    }
    case Family::quantile_table: {
      const auto &v = table_->values, &known = table_->weights;
      const auto i = static_cast<std::size_t>(std::lower_bound(known.begin(), known.end(), p) - known.begin());
      if (i == 0) return v[0];
      return v[i - 1] + (p - known[i - 1]) / (known[i] - known[i - 1]) * (v[i] - v[i - 1]);
    }
  }
  return a_;
}

std::optional<Phases> Distribution::phases(std::size_t most) const {
  Phases out;
  const auto step = [](std::span<const double> cumulated, std::size_t i) {
    return i == 0 ? cumulated[0] : cumulated[i] - cumulated[i - 1];
  };
  switch (family_) {
    case Family::exponential:
      return Phases{{1.0}, {1.0 / a_}, {{}}};
    case Family::gamma:
    case Family::erlang: {
      // Only a whole shape is a chain of that many equal phases.
      if (a_ != std::floor(a_) || a_ < 1.0 || a_ > static_cast<double>(most)) return std::nullopt;
      const auto n = static_cast<std::uint32_t>(a_);
      out.initial.assign(n, 0.0), out.rate.assign(n, 1.0 / b_), out.jumps.resize(n);
      out.initial[0] = 1.0;
      for (std::uint32_t i = 0; i + 1 < n; ++i) out.jumps[i] = {{i + 1, 1.0}};
      return out;
    }
    case Family::hyperexponential:
    case Family::phase_type: {
      const std::size_t n = table_->values.size();
      if (n > most) return std::nullopt;
      out.rate = table_->values, out.jumps.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        out.initial.push_back(step(table_->weights, i));
        for (std::uint32_t j = 0; j < n && !table_->jumps.empty(); ++j)
          if (const double p = step(std::span(table_->jumps).subspan(i * n, n), j); p > 0.0)
            out.jumps[i].push_back({j, p});
      }
      return out;
    }
    case Family::hypererlang: {
      const std::vector<double>& rates = table_->values;
      const std::vector<double>& counts = table_->jumps;
      // Branches of one rate share a chain, which each enters where its number of phases is left.
      const bool one_rate = std::all_of(rates.begin(), rates.end(), [&](double rate) { return rate == rates[0]; });
      double n = 0.0;
      for (const double count : counts) n = one_rate ? std::max(n, count) : n + count;
      if (n > static_cast<double>(most)) return std::nullopt;
      const auto size = static_cast<std::size_t>(n);
      out.initial.assign(size, 0.0), out.rate.assign(size, rates[0]), out.jumps.resize(size);
      std::size_t last = one_rate ? size : 0;
      for (std::size_t i = 0; i < rates.size(); ++i) {
        const auto count = static_cast<std::size_t>(counts[i]);
        if (!one_rate) last += count;
        out.initial[last - count] += step(table_->weights, i);
        for (std::size_t phase = last - count; phase < last; ++phase) {
          out.rate[phase] = rates[i], out.jumps[phase].clear();
          if (phase + 1 < last) out.jumps[phase].push_back({static_cast<std::uint32_t>(phase + 1), 1.0});
        }
      }
      return out;
    }
    default:
      return std::nullopt;
  }
}

std::string Distribution::text() const {
  const auto with = [](const char* family, std::initializer_list<std::pair<const char*, double>> args) {
    std::string out = family;
    const char* before = "(";
    for (const auto& [name, value] : args) {
      out += before;
      out += name;
      out += '=';
      out += number_text(value);
      before = ", ";
    }
    return out + ")";
  };
  const auto sized = [this](const char* family, const char* what) {
    return std::string(family) + "(" + std::to_string(table_->values.size()) + what + ")";
  };
  switch (family_) {
    case Family::deterministic:
      return with("deterministic", {{"value", a_}});
    case Family::exponential:
      return with("exponential", {{"mean", a_}});
    case Family::weibull:
      return with("weibull", {{"shape", b_}, {"scale", a_}});
    case Family::lognormal:
      return with("lognormal", {{"mu", a_}, {"sigma", b_}, {"scale", c_}});
    case Family::gamma:
      return with("gamma", {{"shape", a_}, {"scale", b_}});
    case Family::erlang:
      return with("erlang", {{"k", a_}, {"mean", a_ * b_}});
    case Family::beta:
      return with("beta", {{"a", a_}, {"b", b_}});
    case Family::uniform:
      return with("uniform", {{"low", a_}, {"high", b_}});
    case Family::triangular:
      return with("triangular", {{"low", a_}, {"mode", b_}, {"high", c_}});
    case Family::truncated_normal:
      return with("truncated_normal", {{"mean", a_}, {"sd", b_}, {"low", c_}, {"high", d_}});
    case Family::truncated_exponential:
      return with("truncated_exponential", {{"mean", a_}, {"limit", b_}});
    case Family::hyperexponential:
      return sized("hyperexponential", " phases");
    case Family::hypererlang:
      return sized("hypererlang", " branches");
    case Family::phase_type:
      return sized("phase_type", " phases");
    case Family::pareto:
      if (c_ == infinity) return with("pareto", {{"shape", b_}, {"scale", a_}});
      return with("pareto", {{"shape", b_}, {"scale", a_}, {"limit", c_}});
    case Family::empirical:
      return sized("empirical", " values");
    case Family::quantile_table:
      return sized("quantile_table", " quantiles");
  }
  return {};
}

}  // namespace ergode
