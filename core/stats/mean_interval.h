#pragma once
#include <limits>

#include "core/stats/interval.h"
#include "core/stats/tally.h"

namespace ergode {

/// What is known of a single observation before any was made: it lies between these ends.
struct Support {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  bool counts = false;  ///< observations count events: whole numbers from 0 on
};

/// An interval of a mean and how it was made.
struct MeanInterval {
  Interval ends;
  /// * "student-t": mean and spread alone, where skewness plays no part.
  /// * "hall": Student's t corrected for the skewness that was seen.
  /// * "gamma": most observations (of two one, at the support's end) are one and the same value at the end of what was
  ///   seen (nothing failed, always up); the others are few, and the mean departs from that value like a weighted sum
  ///   of Poisson counts.
  /// * "no-variation": all observations were equal. A value that was never seen has a probability of at most
  ///   1 - (alpha/2)^(1/n), and the ends are as far as such values can move the mean within the support; of counts that
  ///   were zero, the exact interval of a Poisson count of none.
  /// * "unverified": all were equal and nothing bounds what was not seen: the ends are the value itself.
  const char* method = "student-t";
};

/// Two-sided confidence interval of the mean of independent observations that may be skewed and bounded. Never of zero
/// width unless `support` leaves no other value (or "unverified"), and never outside the support. Fewer than two
/// observations: the support.
///
/// Coverage at 95 %, measured in tests/core/stats/tst_mean_interval.cpp: at least 92 % for observations of
/// exponential size, from about five on that differ from the rest, where Student's t alone has 81 to 92 %.
///
/// Hall, On the removal of skewness by transformation, J. Royal Stat. Soc. B 54(1), 1992; Fay and Feuer, Confidence
/// intervals for directly standardized rates: a method based on the gamma distribution, Statistics in Medicine 16,
/// 1997; Clopper and Pearson, Biometrika 26(4), 1934.
MeanInterval mean_interval(const Tally& observed, const Support& support, double confidence);

/// The same where all `n` >= 1 observations were `value`. O(1).
MeanInterval interval_without_variation(double value, std::uint64_t n, const Support& support, double confidence);

/// Of a variance that was estimated: the upper end is that of the interval of its reciprocal, which where half is more
/// than half of the value goes on in a straight line. Squares are skewed, and where the greatest were not met value and
/// error both seem small, so that value + half is too low too often.
/// @param value, half  and of its own interval, both >= 0
Interval variance_interval(double value, double half);

/// The gamma interval of Fay and Feuer of a mean whose observations are zero or, rarely, greater.
/// @param mean      of the observations, >= 0
/// @param variance  of the mean (not of one observation), >= 0
/// @param largest   the greatest observation over their number: what one more would add to the mean
Interval gamma_interval(double mean, double variance, double largest, double confidence);

}  // namespace ergode
