#include "core/random/fit_laws.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/random/correlated_arrivals.h"
#include "core/random/hyper_erlang_em.h"
#include "core/random/two_moments.h"

namespace ergode {
namespace {

constexpr int digits = 9;

double rounded(double value) { return parse_number(number_text(value, digits)).value_or(value); }

/// Numbers as they are written, so that what is told is of the law that is pasted.
class Fits {
 public:
  Fits(std::span<const double> values, const std::string& unit)
      : values_(values), sorted_(values.begin(), values.end()), unit_(unit), m_(moments_of(values, 3)) {
    std::sort(sorted_.begin(), sorted_.end());
    for (const double x : values) log_sum_ += x > 0.0 ? std::log(x) : 0.0;
  }

  std::vector<LawFit> all() {
    using Fit = void (Fits::*)();
    const std::pair<const char*, Fit> laws[] = {{"exponential", &Fits::exponential},
                                                {"two moments", &Fits::two_moments},
                                                {"hyper-Erlang", &Fits::hyper_erlang},
                                                {"lognormal", &Fits::lognormal},
                                                {"gamma", &Fits::gamma},
                                                {"Weibull", &Fits::weibull},
                                                {modulated_name, &Fits::modulated}};
    for (const auto& [name, fit] : laws) {
      try {
        (this->*fit)();
      } catch (const std::exception&) {  // of the functions behind a density
        none(name, beyond());
      }
    }
    return std::move(out_);
  }

 private:
  double n() const { return static_cast<double>(values_.size()); }
  std::string quantity(double value) const { return number_text(value, digits) + " " + unit_; }
  std::string rate(double value) const { return number_text(value, digits) + " /" + unit_; }

  static constexpr const char* modulated_name = "MMPP of two states";
  std::string beyond() const {
    return "values from " + number_text(m_.least, 3) + " to " + number_text(m_.greatest, 3) + " " + unit_ +
           " take its density beyond the range of numbers";
  }
  LawFit& none(const char* name, std::string why) {
    // Parameters that were divided by what is too small, or are sums of what is too great.
    if (why.find("nan") != std::string::npos || why.find("is inf") != std::string::npos) why = beyond();
    out_.push_back({.name = name, .text = {}, .why = std::move(why), .law = {}});
    return out_.back();
  }
  /// @returns false: it was told that values of 0 have no density there
  bool positive(const char* name) {
    if (m_.zeros == 0) return true;
    none(name, std::to_string(m_.zeros) + (m_.zeros == 1 ? " value is" : " values are") + " 0, wanted values > 0");
    return false;
  }
  void judge(LawFit& fit) const {
    fit.aic = 2.0 * static_cast<double>(fit.parameters) - 2.0 * fit.log_likelihood;
    double before = 0.0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      // Of equal values the last one stands at the height of the step.
      if (i + 1 < sorted_.size() && sorted_[i + 1] == sorted_[i]) continue;
      const double f = fit.law->cdf(sorted_[i]), upto = static_cast<double>(i + 1) / n();
      fit.distance = std::max({fit.distance, std::fabs(upto - f), std::fabs(f - before)});
      before = upto;
    }
  }
  void add(const char* name, std::string text, std::size_t parameters, const char* family,
           const std::vector<NamedArgument>& arguments) {
    auto made = make_distribution(family, arguments);
    if (auto* why = std::get_if<std::string>(&made)) {
      none(name, std::move(*why));
      return;
    }
    LawFit fit{.name = name,
               .text = std::move(text),
               .why = {},
               .law = std::get<Distribution>(std::move(made)),
               .parameters = parameters};
    for (const double x : values_) fit.log_likelihood += std::log(fit.law->pdf(x));
    if (!std::isfinite(fit.log_likelihood)) {
      none(name, m_.zeros > 0 ? "some values are 0, where its density is none or endless" : beyond());
      return;
    }
    judge(fit);
    out_.push_back(std::move(fit));
  }

  void exponential() {
    const double mean = rounded(m_.mean);
    add("exponential", "exponential(mean = " + quantity(mean) + ")", 1, "exponential", {{"mean", {mean}}});
  }
  void two_moments() {
    const double mean = rounded(m_.mean), scv = rounded(m_.scv);
    add("two moments", "fitted(mean = " + quantity(mean) + ", scv = " + number_text(scv, digits) + ")", 2, "fitted",
        {{"mean", {mean}}, {"scv", {scv}}});
  }
  void hyper_erlang() {
    if (!positive("hyper-Erlang")) return;
    constexpr std::size_t intervals = 400;
    const HyperErlangFit found = best_hyper_erlang(gathered(values_, intervals), 3, 10);
    HyperErlang law;
    double rest = 1.0;
    for (std::size_t b = 0; b < found.law.p.size(); ++b) {
      const double p = rounded(found.law.p[b]);
      if (p <= 0.0) continue;
      law.p.push_back(p), law.k.push_back(found.law.k[b]), law.rate.push_back(rounded(found.law.rate[b]));
      rest -= p;
    }
    law.p.back() += rest;
    std::string p, k, rates;
    for (std::size_t b = 0; b < law.p.size(); ++b) {
      const char* before = b == 0 ? "[" : ", ";
      p += before + number_text(law.p[b], 12), k += before + number_text(law.k[b]), rates += before + rate(law.rate[b]);
    }
    add("hyper-Erlang", "hypererlang(p = " + p + "], k = " + k + "], rate = " + rates + "])", 3 * law.p.size() - 1,
        "hypererlang", {{"p", law.p}, {"k", law.k}, {"rate", law.rate}});
  }
  void lognormal() {
    if (!positive("lognormal")) return;
    const double mu = log_sum_ / n();
    double square = 0.0;
    for (const double x : values_) square += (std::log(x) - mu) * (std::log(x) - mu);
    const double of_mu = rounded(mu), sigma = rounded(std::sqrt(square / n()));
    add("lognormal",
        "lognormal(mu = " + number_text(of_mu, digits) + ", sigma = " + number_text(sigma, digits) + ", scale = 1 " +
            unit_ + ")",
        2, "lognormal", {{"mu", {of_mu}}, {"sigma", {sigma}}, {"scale", {1.0}}});
  }
  // ln k - digamma(k) = ln mean - mean of ln: Minka, Estimating a Gamma distribution, 2002, where it begins.
  void gamma() {
    if (!positive("gamma")) return;
    const double s = std::log(m_.mean) - log_sum_ / n();
    double k = (3.0 - s + std::sqrt((s - 3.0) * (s - 3.0) + 24.0 * s)) / (12.0 * s);
    for (int i = 0; i < 100; ++i) {
      const double wrong = std::log(k) - boost::math::digamma(k) - s;
      const double next = k - wrong / (1.0 / k - boost::math::trigamma(k));
      const bool there = std::fabs(next - k) <= 1e-13 * k;
      k = next > 0.0 ? next : 0.5 * k;
      if (there) break;
    }
    const double shape = rounded(k), scale = rounded(m_.mean / k);
    add("gamma", "gamma(shape = " + number_text(shape, digits) + ", scale = " + quantity(scale) + ")", 2, "gamma",
        {{"shape", {shape}}, {"scale", {scale}}});
  }
  // The shape solves sum x^b ln x / sum x^b - 1 / b = mean of ln x, whose left side rises with b.
  void weibull() {
    if (!positive("Weibull")) return;
    const double middle = log_sum_ / n();
    const auto wrong = [&](double b) {
      double sum = 0.0, weighted = 0.0;
      for (const double x : values_) {
        const double power = std::exp(b * (std::log(x) - middle));
        sum += power, weighted += power * std::log(x);
      }
      return weighted / sum - 1.0 / b - middle;
    };
    double low = 1.0, high = 1.0;
    while (wrong(low) > 0.0 && low > 1e-6) low *= 0.5;
    while (wrong(high) < 0.0 && high < 1e4) high *= 2.0;
    for (int i = 0; i < 60; ++i) (wrong(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
    const double shape = rounded(0.5 * (low + high));
    double sum = 0.0;
    for (const double x : values_) sum += std::exp(shape * (std::log(x) - middle));
    const double scale = rounded(std::exp(middle + std::log(sum / n()) / shape));
    add("Weibull", "weibull(shape = " + number_text(shape, digits) + ", scale = " + quantity(scale) + ")", 2, "weibull",
        {{"shape", {shape}}, {"scale", {scale}}});
  }

  /// Rates of two exponentials with three moments, or else two of balanced means; u[0] > u[1].
  std::array<double, 2> two_exponentials() const {
    double third = 0.0, second = 0.0;
    for (const double x : values_) second += x * x / n(), third += x * x * x / n();
    const double r1 = m_.mean, r2 = second / 2.0, r3 = third / 6.0;
    const double c1 = (r3 - r1 * r2) / (r2 - r1 * r1), c0 = c1 * r1 - r2;
    const double root = std::sqrt(c1 * c1 - 4.0 * c0), a = 0.5 * (c1 + root), b = 0.5 * (c1 - root);
    if (root > 0.0 && b > 0.0 && b < r1 && r1 < a) return {1.0 / b, 1.0 / a};
    return balanced_exponentials(m_.mean, m_.scv).rate;
  }
  void modulated() {
    constexpr const char* name = modulated_name;
    if (m_.scv <= 1.0) {
      none(name, "the squared coefficient of variation is " + number_text(m_.scv, 4) + ", wanted more than 1");
      return;
    }
    const double correlation = m_.autocorrelation.empty() ? 0.0 : m_.autocorrelation[0];
    const double decay = 2.0 * correlation / (1.0 - 1.0 / m_.scv);
    if (!(decay > 0.0 && decay < 1.0)) {
      none(name, "neighbours have the correlation " + number_text(correlation, 4) + ", wanted one between 0 and " +
                     number_text(0.5 * (1.0 - 1.0 / m_.scv), 4));
      return;
    }
    const auto [u, v] = two_exponentials();
    const ModulatedRates begin = modulated_of_exponentials(m_.mean, u, v, decay);
    if (!(begin.rate[0] > begin.rate[1] && begin.rate[1] >= 0.0 && begin.leaving[0] > 0.0 && begin.leaving[1] > 0.0)) {
      none(name, "no two rates have these moments and this correlation");
      return;
    }
    // Moments are far from telling all: they are where the search for the most likely rates begins.
    const ModulatedFit found = fit_modulated(values_, begin, std::clamp(static_cast<int>(4e7 / n()), 60, 3000));
    const std::size_t first = found.law.rate[0] >= found.law.rate[1] ? 0 : 1, last = 1 - first;
    const std::vector<double> rates{rounded(found.law.rate[first]), rounded(found.law.rate[last])},
        leaving{rounded(found.law.leaving[first]), rounded(found.law.leaving[last])};
    auto made = MarkovianArrivalProcess::modulated(rates, leaving);
    if (auto* why = std::get_if<std::string>(&made)) {
      none(name, std::move(*why));
      return;
    }
    const auto& process = std::get<MarkovianArrivalProcess>(made);
    const double p = process.after_arrival()[0];
    const std::vector<double>& d0 = process.without();
    const NamedArgument gap[] = {{"initial", {p, 1.0 - p}}, {"generator", d0}};
    auto law = make_distribution("phase_type", gap);
    if (auto* why = std::get_if<std::string>(&law)) {
      none(name, std::move(*why));
      return;
    }
    LawFit fit{.name = name,
               .text = "mmpp(rates = [" + rate(rates[0]) + ", " + rate(rates[1]) + "], switching = [" +
                       rate(leaving[0]) + ", " + rate(leaving[1]) + "])",
               .why = {},
               .law = std::get<Distribution>(std::move(law)),
               .parameters = 4,
               .log_likelihood = likelihood(process)};
    judge(fit);
    out_.push_back(std::move(fit));
  }
  /// Of the whole sequence: the phase is followed from gap to gap.
  double likelihood(const MarkovianArrivalProcess& process) const {
    const std::vector<double>&d0 = process.without(), &d1 = process.with();
    const double half = 0.5 * (d0[0] + d0[3]), apart = 0.5 * (d0[0] - d0[3]);
    const double root = std::sqrt(apart * apart + d0[1] * d0[2]);
    double a = process.after_arrival()[0], b = process.after_arrival()[1], out = 0.0;
    for (const double x : values_) {
      // exp(D0 x) = exp(half x) (cosh(root x) + (D0 - half) sinh(root x) / root), scaled by its greater exponential.
      const double fades = std::exp(-2.0 * root * x), even = 0.5 * (1.0 + fades), odd = 0.5 * (1.0 - fades) / root;
      const double in_a = a * (even + apart * odd) + b * d0[2] * odd;
      const double in_b = a * d0[1] * odd + b * (even - apart * odd);
      a = in_a * d1[0] + in_b * d1[2], b = in_a * d1[1] + in_b * d1[3];
      const double all = a + b;
      out += std::log(all) + (half + root) * x;
      a /= all, b /= all;
    }
    return out;
  }

  std::span<const double> values_;
  std::vector<double> sorted_;
  std::string unit_;
  TraceMoments m_;
  double log_sum_ = 0.0;
  std::vector<LawFit> out_;
};

}  // namespace

TraceMoments moments_of(std::span<const double> values, std::size_t lags) {
  TraceMoments out;
  const auto n = static_cast<double>(values.size());
  out.count = values.size();
  for (const double x : values) out.mean += x / n, out.zeros += x == 0.0 ? 1 : 0;
  // By a power of two, which changes no digit: squares and cubes of what is written may be beyond all numbers.
  const double greatest = *std::max_element(values.begin(), values.end());
  const int shift = greatest > 0.0 ? -std::ilogb(greatest) : 0;
  const auto shifted = [shift](double x) { return std::ldexp(x, shift); };
  double square = 0.0, cube = 0.0;
  for (const double x : values) {
    const double e = shifted(x - out.mean);
    square += e * e, cube += e * e * e;
  }
  const double mean = shifted(out.mean), variance = values.size() > 1 ? square / (n - 1.0) : 0.0;
  out.variance = std::ldexp(variance, -2 * shift);
  out.scv = mean > 0.0 ? variance / (mean * mean) : 0.0;
  out.skewness = square > 0.0 ? cube / n / std::pow(square / n, 1.5) : 0.0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  out.least = sorted.front(), out.greatest = sorted.back();
  out.median = sorted.size() % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
  for (std::size_t lag = 1; lag <= lags && lag < values.size() && square > 0.0; ++lag) {
    double sum = 0.0;
    for (std::size_t i = 0; i + lag < values.size(); ++i)
      sum += shifted(values[i] - out.mean) * shifted(values[i + lag] - out.mean);
    out.autocorrelation.push_back(sum / square);
  }
  return out;
}

std::vector<LawFit> fit_laws(std::span<const double> values, const std::string& unit) {
  return Fits(values, unit).all();
}

}  // namespace ergode
