#pragma once
#include <map>
#include <string>

#include "core/results/result_set.h"

namespace ergode {

/// Significant digits of a value that nothing limits: an exact one.
inline constexpr int most_digits = 6;

/// An estimate and the ends of its interval as people read them. UTF-8.
struct ValueTexts {
  std::string value, lower, upper;
};

/// As many digits as the interval supports: all three are rounded to the place of the second significant digit of its
/// half-width, but never to fewer than two significant digits of their own, nor to more than `most` of the largest.
/// Without a width (exact values) up to `most` digits, trailing zeros dropped. Fixed point from 1e-4 to below 1e6, one
/// form for all three; NaN is a dash, infinity its sign.
///
/// Rounding an uncertainty to two digits: JCGM 100:2008 (GUM), 7.2.6.
ValueTexts value_texts(double value, double lower, double upper, int most = most_digits);

/// The estimate of a measure with the digits that its interval (of an exact one: its error bound) supports; a dash when
/// there is none. Without its unit.
std::string value_text(const MeasureResult& measure, int most = most_digits);
/// "[lower, upper]"; empty when there is no estimate, or nothing between the ends.
std::string interval_text(const MeasureResult& measure, int most = most_digits);
/// Whether quantiles say more than the estimate: those of a measure that was the same each time
/// do not, unless only one was asked for.
bool quantiles_differ(const MeasureResult& measure);
/// Quantiles and the ends of their intervals by probability, all rounded to the finest place that the interval of one
/// of them supports, so that greater ones never look smaller; ends of those without an interval are empty.
std::map<double, ValueTexts> quantile_texts(const MeasureResult& measure);
/// The unit of a variance: "s^2", "(m/s)^2"; empty of what has none.
std::string squared_unit(const std::string& unit);
/// The standard deviation of its distribution, in its unit, rounded as an estimate is; empty where no variance is told.
ValueTexts deviation_texts(const MeasureResult& measure);
/// A part of the estimate (a share by cause), or a value of the same kind (a quantile), rounded like the estimate:
/// `part` in the unit of the measure, without it in the text.
std::string part_text(const MeasureResult& measure, double part);

}  // namespace ergode
