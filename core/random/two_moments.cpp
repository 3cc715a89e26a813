#include "core/random/two_moments.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace ergode {

std::string wrong_moments(double mean, double scv) {
  if (!(mean > 0.0)) return "mean is " + number_text(mean) + ", wanted a number > 0";
  if (!(mean >= least_mean && mean <= greatest_mean))
    return "mean is " + number_text(mean) + ", wanted one from 1e-100 to 1e100 in SI units";
  if (!(scv >= 0.0)) return "scv is " + number_text(scv) + ", wanted a number >= 0";
  if (scv > 0.0 && scv < least_scv) return "scv is " + number_text(scv) + ", wanted at least 1e-12";
  if (!(scv <= greatest_scv)) return "scv is " + number_text(scv) + ", wanted at most 1000000";
  return "";
}

double phases_for(double scv) { return std::max(1.0, std::ceil(1.0 / scv - 1e-12 / scv)); }

TwoExponentials balanced_exponentials(double mean, double scv) {
  const double p = 0.5 * (1.0 + std::sqrt((scv - 1.0) / (scv + 1.0)));
  // What p leaves, without losing its digits where there is hardly any.
  const double rest = 1.0 / ((scv + 1.0) * 2.0 * p);
  return {{p, rest}, {2.0 * p / mean, 2.0 * rest / mean}};
}

MixedErlang mixed_erlang(double mean, double scv) {
  const double k = phases_for(scv);
  const double shorter =
      std::max(0.0, (k * scv - std::sqrt(std::max(0.0, k * (1.0 + scv) - k * k * scv))) / (1.0 + scv));
  if (shorter < 1e-12) return {k, 0.0, k / mean};
  return {k, shorter, (k - shorter) / mean};
}

CoxianChain coxian_of_moments(double mean, double scv) {
  if (scv >= 0.5) return {{2.0 / mean, 1.0 / (mean * scv)}, {0.5 / scv}};
  const double k = phases_for(scv);
  const double root = std::sqrt(std::max(0.0, k * k + 4.0 - 4.0 * k * scv));
  const double stops = std::max(0.0, (2.0 * k * scv + k - 2.0 - root) / (2.0 * (scv + 1.0) * (k - 1.0)));
  const auto n = static_cast<std::size_t>(k);
  CoxianChain out{std::vector<double>(n, (k - stops * (k - 1.0)) / mean), std::vector<double>(n - 1, 1.0)};
  out.go_on[0] = 1.0 - stops;
  return out;
}

// n - 1 phases of mean x and one of y: (n - 1) x + y = mean, (n - 1) x^2 + y^2 = scv mean^2. Of the two solutions the
// one whose phases do not vanish at an scv of 1 / (n - 1).
std::vector<double> sum_of_exponentials(double mean, double scv) {
  const double n = phases_for(scv);
  if (n == 1.0) return {1.0 / mean};
  const double root = std::sqrt(std::max(0.0, (n * scv - 1.0) / (n - 1.0)));
  // (1 - root) / n, which has few digits of its own where the root is nearly 1: of two phases.
  const double x = mean * (1.0 - scv) / ((n - 1.0) * (1.0 + root)), y = mean * (1.0 + (n - 1.0) * root) / n;
  std::vector<double> out(static_cast<std::size_t>(n), 1.0 / x);
  out.back() = 1.0 / y;
  return out;
}

PhaseChain phases_of_moments(double mean, double scv) {
  if (scv > 1.0) {
    const auto [p, rate] = balanced_exponentials(mean, scv);
    return {{p[0], p[1]}, {-rate[0], 0.0, 0.0, -rate[1]}};
  }
  const MixedErlang law = mixed_erlang(mean, scv);
  const auto n = static_cast<std::size_t>(law.k);
  PhaseChain out{std::vector<double>(n, 0.0), std::vector<double>(n * n, 0.0)};
  out.initial[0] = 1.0 - law.shorter;
  if (n > 1) out.initial[1] = law.shorter;
  for (std::size_t i = 0; i < n; ++i) {
    out.generator[i * n + i] = -law.rate;
    if (i + 1 < n) out.generator[i * n + i + 1] = law.rate;
  }
  return out;
}

ParetoShape pareto_of_moments(double mean, double scv) {
  const double shape = 1.0 + std::sqrt(1.0 + 1.0 / scv);
  return {shape, mean * (shape - 1.0) / shape};
}

}  // namespace ergode
