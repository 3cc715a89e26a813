#include "core/random/modulated_em.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode {
namespace {

using OfBoth = std::array<double, 2>;
using Square = std::array<OfBoth, 2>;
using Logs = std::array<double, 4>;

OfBoth row_times(const OfBoth& a, const Square& m) {
  return {a[0] * m[0][0] + a[1] * m[1][0], a[0] * m[0][1] + a[1] * m[1][1]};
}
OfBoth times_column(const Square& m, const OfBoth& b) {
  return {m[0][0] * b[0] + m[0][1] * b[1], m[1][0] * b[0] + m[1][1] * b[1]};
}

/// D0 = greater P + lesser (1 - P), of which exp(D0 x) follows: exp(greater x) (P + fades(x) (1 - P)).
struct Fading {
  double greater, apart;  ///< 1/unit; apart: greater - lesser
  Square slow, fast;      ///< P, 1 - P

  explicit Fading(const ModulatedRates& law) {
    const double d0 = -law.rate[0] - law.leaving[0], d1 = -law.rate[1] - law.leaving[1];
    const double half = 0.5 * (d0 + d1), side = 0.5 * (d0 - d1);
    const double root = std::max(std::sqrt(side * side + law.leaving[0] * law.leaving[1]), -1e-12 * half);
    greater = half + root, apart = 2.0 * root;
    const double lesser = half - root;
    slow = {OfBoth{(d0 - lesser) / apart, law.leaving[0] / apart},
            OfBoth{law.leaving[1] / apart, (d1 - lesser) / apart}};
    fast = {OfBoth{(greater - d0) / apart, -law.leaving[0] / apart},
            OfBoth{-law.leaving[1] / apart, (greater - d1) / apart}};
  }
  Square over(double fades) const {
    Square out;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) out[i][j] = std::max(0.0, slow[i][j] + fades * fast[i][j]);
    return out;
  }
};

class Em {
 public:
  explicit Em(std::span<const double> gaps)
      : gaps_(gaps), states_(gaps.size() + 1), fades_(gaps.size()), scale_(gaps.size()) {}

  /// One step. @returns the log-likelihood of the law as it was
  double step(ModulatedRates& law) {
    const Fading fading(law);
    const double after = law.leaving[1] * law.rate[0] + law.leaving[0] * law.rate[1];
    states_[0] = {law.leaving[1] * law.rate[0] / after, law.leaving[0] * law.rate[1] / after};
    double out = 0.0;
    for (std::size_t k = 0; k < gaps_.size(); ++k) {
      fades_[k] = std::exp(-fading.apart * gaps_[k]);
      const OfBoth then = row_times(states_[k], fading.over(fades_[k]));
      OfBoth& next = states_[k + 1];
      next = {then[0] * law.rate[0], then[1] * law.rate[1]};
      scale_[k] = next[0] + next[1];
      next[0] /= scale_[k], next[1] /= scale_[k];
      out += std::log(scale_[k]) + fading.greater * gaps_[k];
    }
    OfBoth time{}, arrivals{}, left{}, behind{1.0, 1.0};
    for (std::size_t k = gaps_.size(); k-- > 0;) {
      const OfBoth &a = states_[k], seen{law.rate[0] * behind[0], law.rate[1] * behind[1]};
      // Integrals of exp(D0 s) before and exp(D0 (x - s)) after a moment, of both exponentials with each other.
      const OfBoth before_slow = row_times(a, fading.slow), before_fast = row_times(a, fading.fast);
      const OfBoth then_slow = times_column(fading.slow, seen), then_fast = times_column(fading.fast, seen);
      const double r = fades_[k], both = gaps_[k], mixed = -std::expm1(-fading.apart * gaps_[k]) / fading.apart;
      const auto integral = [&](std::size_t i, std::size_t j) {
        return (before_slow[i] * then_slow[j] * both + before_fast[i] * then_fast[j] * both * r +
                (before_slow[i] * then_fast[j] + before_fast[i] * then_slow[j]) * mixed) /
               scale_[k];
      };
      const Square all = fading.over(r);
      const OfBoth then = row_times(a, all);
      for (std::size_t i = 0; i < 2; ++i) {
        time[i] += std::max(0.0, integral(i, i)), arrivals[i] += then[i] * seen[i] / scale_[k];
        left[i] += law.leaving[i] * std::max(0.0, integral(i, 1 - i));
      }
      behind = times_column(all, seen);
      behind[0] /= scale_[k], behind[1] /= scale_[k];
    }
    for (std::size_t i = 0; i < 2; ++i)
      if (time[i] > 0.0) law.rate[i] = arrivals[i] / time[i], law.leaving[i] = left[i] / time[i];
    return out;
  }

 private:
  std::span<const double> gaps_;
  std::vector<OfBoth> states_;  ///< by arrival: probabilities of the states just after, by all before
  std::vector<double> fades_, scale_;
};

Logs logs_of(const ModulatedRates& law, double least) {
  const auto log = [&](double x) { return std::log(std::max(x, least)); };
  return {log(law.rate[0]), log(law.rate[1]), log(law.leaving[0]), log(law.leaving[1])};
}
ModulatedRates law_of(const Logs& x) { return {{std::exp(x[0]), std::exp(x[1])}, {std::exp(x[2]), std::exp(x[3])}}; }

}  // namespace

ModulatedFit fit_modulated(std::span<const double> gaps, const ModulatedRates& begin, int steps) {
  double sum = 0.0;
  for (const double x : gaps) sum += x;
  const auto n = static_cast<double>(gaps.size());
  const double least = 1e-12 * n / sum;
  Em em(gaps);
  ModulatedFit out;
  Logs here = logs_of(begin, least);
  for (int done = 0; done < steps; done += 3) {
    ModulatedRates law = law_of(here);
    const double at_first = em.step(law);
    const Logs first = logs_of(law, least);
    const double at_second = em.step(law);
    const Logs second = logs_of(law, least);
    out.steps.push_back(at_first), out.steps.push_back(at_second);
    double length = 0.0, bend = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double r = first[i] - here[i], v = second[i] - first[i] - r;
      length += r * r, bend += v * v;
    }
    const double far = bend > 0.0 ? std::max(1.0, std::sqrt(length / bend)) : 1.0;
    Logs ahead;
    for (std::size_t i = 0; i < 4; ++i) {
      const double r = first[i] - here[i], v = second[i] - first[i] - r;
      ahead[i] = here[i] + 2.0 * far * r + far * far * v;
    }
    law = law_of(ahead);
    const double there = em.step(law);
    const Logs then = logs_of(law, least);
    const bool gains = std::isfinite(there) && there >= at_second &&
                       std::all_of(then.begin(), then.end(), [](double x) { return std::isfinite(x); });
    here = gains ? then : second;
    if (at_second - at_first < 1e-10 * n && (!gains || there - at_second < 1e-10 * n)) break;
  }
  out.law = law_of(here);
  ModulatedRates unused = out.law;
  out.log_likelihood = em.step(unused);
  out.steps.push_back(out.log_likelihood);
  return out;
}

}  // namespace ergode
