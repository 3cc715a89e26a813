// Distribution functions, densities and quantiles; what the constants mean by family stands in distribution.cpp.
#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "core/base/special_values.h"
#include "core/random/cumulated.h"
#include "core/random/distribution.h"
#include "core/random/normal_quantile.h"
#include "core/random/stiff_phases.h"

namespace ergode {
namespace {

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

double Distribution::cdf_of_phases(double x, bool density) const {
  // Uniformisation, in steps short enough for exp(-q h) not to underflow: Jensen, Skand. Aktuarietidskr. 36, 1953.
  const std::size_t n = table_->values.size();
  std::vector<double> now(n), next(n), sum(n);
  for (std::size_t i = 0; i < n; ++i) now[i] = share_of(table_->weights, i);
  // Uniformisation rate: every phase leaves at q, most often to itself.
  const double q = *std::max_element(table_->values.begin(), table_->values.end());
  if (q * x > 1e4) {  // cheaper, and the only way where rates lie far apart
    std::vector<double> jumps(n * n);
    for (std::size_t i = 0; i < n * n; ++i) jumps[i] = share_of(std::span(table_->jumps).subspan(i / n * n, n), i % n);
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
          next[j] += now[i] * table_->values[i] / q * share_of(std::span(table_->jumps).subspan(i * n, n), j);
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
      const std::size_t i = branch_of(v, x);
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
      const std::size_t i = branch_of(v, x);
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

}  // namespace ergode
