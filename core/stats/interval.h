#pragma once
#include <cstdint>

namespace ergode {

/// A two-sided confidence interval: lower <= upper, both in the unit of what is estimated, infinite where nothing
/// bounds it. `confidence` below is its level in (0, 1), as 0.95; outside of that nothing is promised, nor is it
/// checked. All functions here are thread-safe.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;
};

/// Score interval of a proportion, within [0, 1]. trials = 0 gives [0, 1]; successes <= trials is the caller's. No more
/// than a square root and one normal quantile.
/// Wilson, Probable inference, the law of succession, and statistical inference, JASA 22, 1927, pp. 209-212.
///
///     centre = (k + z^2 / 2) / (n + z^2),  half = z / (n + z^2) * sqrt(k (n - k) / n + z^2 / 4)
Interval wilson(std::uint64_t successes, std::uint64_t trials, double confidence);

/// Exact (conservative) interval of a proportion from beta quantiles: at least `confidence` of such intervals hold the
/// proportion, whatever it is. trials = 0 gives [0, 1]; no success gives lower = 0, no failure upper = 1. Some
/// microseconds, or a look-up where the thread asked the same before.
/// Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 26(4), 1934, pp. 404-413.
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double confidence);

/// Interval of a mean of `n` independent observations with the given sample variance (divisor n - 1): mean +- t
/// sqrt(variance / n). n < 2 gives the whole line (minus and plus infinity); variance = 0 (or NaN) gives the point.
Interval student_t(double mean, double variance, std::uint64_t n, double confidence);

/// Ranks (from 1) of the two order statistics of n observations between which the quantile at p in (0, 1) lies: the
/// nearest with P(rank misses) <= (1 - confidence) / 2 on either side. 0 and n + 1: there is none so far out.
struct Ranks {
  std::uint64_t lower = 0, upper = 0;
};
/// By the binomial count of observations below the quantile; cost a few binomial tails, whatever n.
Ranks quantile_ranks(std::uint64_t n, double p, double confidence);

/// The factor z with P(|Z| <= z) = confidence for a standard normal Z: 1.959963985 at 0.95.
/// Infinity at confidence = 1.
double normal_factor(double confidence);
/// The same for Student's t with `degrees` > 0 degrees of freedom, whole or not; beyond 1e8 the normal factor. Some
/// microseconds, or a look-up where the thread asked the same before.
/// @throws std::domain_error  degrees <= 0 or NaN.
double student_factor(double degrees, double confidence);

/// Which of the two intervals a reported proportion carries: Clopper-Pearson while fewer than 5 successes or fewer
/// than 5 failures were seen (there Wilson's coverage dips below its level), Wilson otherwise.
/// Brown, Cai and DasGupta, Interval estimation for a binomial proportion, Statistical Science 16(2), 2001.
/// A proportion of a batch of replications is what most measures are, so the rule is in one place; the method stands
/// beside the interval in every result.
enum class ProportionMethod { wilson, clopper_pearson };
ProportionMethod proportion_method(std::uint64_t successes, std::uint64_t trials);
const char* to_text(ProportionMethod method);  ///< "wilson", "clopper-pearson"
/// The interval by proportion_method().
Interval proportion_interval(std::uint64_t successes, std::uint64_t trials, double confidence);

}  // namespace ergode
