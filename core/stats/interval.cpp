#include "core/stats/interval.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/special_values.h"
#include "core/random/normal_quantile.h"

namespace ergode {
namespace {

/// Measures of one run ask for the same quantiles again and again, which take microseconds each: many have as many
/// observations, and what is rare was seen as often, not at all. One entry per place; of the thread's own.
template <class Key, class Value>
class Remembered {
 public:
  template <class Compute>
  Value get(const Key& key, std::uint64_t hash, const Compute& compute) {
    // Multiplication by the golden ratio spreads the bits (Knuth, vol. 3, section 6.4); the upper ones choose the
    // place.
    Entry& entry = entries_[(hash * 0x9e3779b97f4a7c15ULL) >> (64 - digits)];
    if (!entry.known || !(entry.key == key)) entry.value = compute(), entry.key = key, entry.known = true;
    return entry.value;
  }

 private:
  static constexpr unsigned digits = 9;
  struct Entry {
    Key key{};
    Value value{};
    bool known = false;
  };
  std::array<Entry, std::size_t{1} << digits> entries_;
};

// Boost works in long double for the last bits of a double, which takes five times as long.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double normal_factor(double confidence) { return -normal_quantile(0.5 * (1.0 - confidence)); }

double student_factor(double degrees, double confidence) {
  // Past this many degrees t and z agree to 1e-8 relative, and the quantile's series is slow.
  if (degrees > 1e8) return normal_factor(confidence);
  thread_local Remembered<std::pair<double, double>, double> known;
  return known.get({degrees, confidence}, std::bit_cast<std::uint64_t>(degrees), [&] {
    const boost::math::students_t_distribution<double, InDouble> t(degrees);
    return boost::math::quantile(boost::math::complement(t, 0.5 * (1.0 - confidence)));
  });
}

Interval wilson(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0) return {0.0, 1.0};
  const double n = static_cast<double>(trials);
  const double k = static_cast<double>(successes);
  const double z = normal_factor(confidence);
  const double z2 = z * z;
  const double centre = (k + 0.5 * z2) / (n + z2);
  const double half = z / (n + z2) * std::sqrt(k * (n - k) / n + 0.25 * z2);
  // At the ends the formula gives 0 and 1 exactly, but rounding would not.
  return {successes == 0 ? 0.0 : std::max(0.0, centre - half),
          successes == trials ? 1.0 : std::min(1.0, centre + half)};
}

namespace {

template <class Beta>
Interval beta_quantiles(double successes, double trials, double confidence) {
  const double tail = 0.5 * (1.0 - confidence);
  Interval out{0.0, 1.0};
  // The lower end is the p at which so many successes or more have the probability of one tail.
  if (successes > 0.0) out.lower = boost::math::quantile(Beta(successes, trials - successes + 1.0), tail);
  if (successes < trials)
    out.upper = boost::math::quantile(boost::math::complement(Beta(successes + 1.0, trials - successes), tail));
  return out;
}

// In double few successes of very many trials would lose digits: three in 10^12 of 10^5, five in 10^9 of 10^8.
Interval beta_quantiles(std::uint64_t successes, std::uint64_t trials, double confidence) {
  const double k = static_cast<double>(successes), n = static_cast<double>(trials);
  return trials <= 100000 ? beta_quantiles<boost::math::beta_distribution<double, InDouble>>(k, n, confidence)
                          : beta_quantiles<boost::math::beta_distribution<double>>(k, n, confidence);
}

}  // namespace

Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0) return {0.0, 1.0};
  thread_local Remembered<std::tuple<std::uint64_t, std::uint64_t, double>, Interval> known;
  return known.get({successes, trials, confidence}, trials * 1000003 + successes,
                   [&] { return beta_quantiles(successes, trials, confidence); });
}

Interval student_t(double mean, double variance, std::uint64_t n, double confidence) {
  if (n < 2) return {-infinity, infinity};
  if (!(variance > 0.0)) return {mean, mean};
  const double count = static_cast<double>(n);
  const double half = student_factor(count - 1.0, confidence) * std::sqrt(variance / count);
  return {mean - half, mean + half};
}

Ranks quantile_ranks(std::uint64_t n, double p, double confidence) {
  // The k-th observation lies above the quantile when fewer than k lie below it: a binomial count.
  const boost::math::binomial_distribution<double> below(static_cast<double>(n), p);
  const double tail = 0.5 * (1.0 - confidence);
  const auto misses_low = [&](std::uint64_t k) { return k == 0 ? 0.0 : cdf(below, static_cast<double>(k - 1)); };
  const auto misses_high = [&](std::uint64_t k) {
    return k > n ? 0.0 : k == 0 ? 1.0 : cdf(complement(below, static_cast<double>(k - 1)));
  };
  const double sd = std::sqrt(static_cast<double>(n) * p * (1.0 - p)), z = normal_factor(confidence);
  const auto near = [&](double rank) {
    return static_cast<std::uint64_t>(std::clamp(rank, 0.0, static_cast<double>(n) + 1.0));
  };
  Ranks out{near(static_cast<double>(n) * p - z * sd), near(static_cast<double>(n) * p + z * sd + 1.0)};
  // The normal approximation is a few ranks off at most.
  while (out.lower > 0 && misses_low(out.lower) > tail) --out.lower;
  while (out.lower < n && misses_low(out.lower + 1) <= tail) ++out.lower;
  while (out.upper <= n && misses_high(out.upper) > tail) ++out.upper;
  while (out.upper > 1 && misses_high(out.upper - 1) <= tail) --out.upper;
  return out;
}

ProportionMethod proportion_method(std::uint64_t successes, std::uint64_t trials) {
  return successes < 5 || trials - successes < 5 ? ProportionMethod::clopper_pearson : ProportionMethod::wilson;
}

const char* to_text(ProportionMethod method) {
  return method == ProportionMethod::wilson ? "wilson" : "clopper-pearson";
}

Interval proportion_interval(std::uint64_t successes, std::uint64_t trials, double confidence) {
  return proportion_method(successes, trials) == ProportionMethod::wilson
             ? wilson(successes, trials, confidence)
             : clopper_pearson(successes, trials, confidence);
}

}  // namespace ergode
