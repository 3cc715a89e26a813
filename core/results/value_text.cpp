#include "core/results/value_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/special_values.h"
#include "core/base/text.h"

namespace ergode {
namespace {

constexpr int no_place = std::numeric_limits<int>::min();

/// Power of ten of the first significant digit.
int leading(double x) { return static_cast<int>(std::floor(std::log10(std::fabs(x)))); }

std::string odd(double x) { return std::isnan(x) ? "–" : x > 0 ? "∞" : "-∞"; }

/// The last place that an interval of this half-width supports; no_place: it limits nothing.
int place_of(double half_width) {
  if (!std::isfinite(half_width) || half_width <= 0.0) return no_place;
  return leading(1.005 * half_width) - 1;  // 0.0996 is 0.10 in two digits
}

/// x rounded to 10^place, at least two and at most `most` significant digits of its own.
std::string rounded(double x, int place, int most, bool fixed) {
  if (!std::isfinite(x)) return odd(x);
  if (x == 0.0) return "0";
  if (place == no_place) return number_text(x, most);
  const int first = leading(x);
  const int last = std::clamp(place, first - most + 1, first - 1);
  char buffer[400];
  std::to_chars_result end{};
  if (!fixed) {
    end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific, first - last);
  } else if (last > 0) {
    const double unit = std::pow(10.0, last);
    end = std::to_chars(buffer, buffer + sizeof buffer, std::round(x / unit) * unit, std::chars_format::fixed, 0);
  } else {
    end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed, -last);
  }
  return {buffer, end.ptr};
}

bool reads_well_fixed(double x) {
  const double size = std::fabs(x);
  return size == 0.0 || (size >= 1e-4 && size < 1e6);
}

struct Rounding {
  int place = no_place;
  bool fixed = true;
};

Rounding rounding_of(double value, double lower, double upper) {
  double half = 0.5 * (upper - lower);
  if (!std::isfinite(half)) half = std::isfinite(upper) ? upper - value : std::isfinite(lower) ? value - lower : 0.0;
  const double shown = std::isfinite(value) && value != 0.0 ? value : upper;
  return {place_of(half), std::isfinite(shown) ? reads_well_fixed(shown) : true};
}

}  // namespace

ValueTexts value_texts(double value, double lower, double upper, int most) {
  const Rounding how = rounding_of(value, lower, upper);
  const auto text = [&](double x) { return rounded(x, how.place, most, how.fixed); };
  return {text(value), text(lower), text(upper)};
}

std::string value_text(const MeasureResult& m, int most) {
  if (!m.not_available.empty()) return odd(std::numeric_limits<double>::quiet_NaN());
  if (m.exact && std::isfinite(m.estimate) && m.estimate != 0.0) {
    // Zeros at the end of an estimate say how well it is known; an exact value needs none.
    const int place = rounding_of(m.estimate, m.lower, m.upper).place, first = leading(m.estimate);
    return number_text(m.estimate,
                       place == no_place ? most : first - std::clamp(place, first - most + 1, first - 1) + 1);
  }
  return value_texts(m.estimate, m.lower, m.upper, most).value;
}

std::string interval_text(const MeasureResult& m, int most) {
  if (!m.not_available.empty() || !(m.upper > m.lower)) return {};
  const ValueTexts texts = value_texts(m.estimate, m.lower, m.upper, most);
  return "[" + texts.lower + ", " + texts.upper + "]";
}

bool quantiles_differ(const MeasureResult& m) {
  return m.quantiles.size() == 1 || std::any_of(m.quantiles.begin(), m.quantiles.end(), [&m](const auto& one) {
           return one.second != m.quantiles.begin()->second;
         });
}

std::map<double, ValueTexts> quantile_texts(const MeasureResult& m) {
  int place = no_place;
  bool fixed = true;
  for (const auto& [p, value] : m.quantiles) {
    const auto ends = m.quantile_intervals.find(p);
    const Interval i = ends == m.quantile_intervals.end() ? Interval{nan, nan} : ends->second;
    const Rounding own = rounding_of(value, i.lower, i.upper);
    if (own.place != no_place) place = place == no_place ? own.place : std::min(place, own.place);
    fixed = fixed && own.fixed;
  }
  // Numbers of customers have no digits behind the point, however well they are known.
  const auto whole = [](double x) { return std::isnan(x) || (x == std::floor(x) && std::fabs(x) < 1e6); };
  const bool counts = std::all_of(m.quantiles.begin(), m.quantiles.end(), [&](const auto& one) {
    const auto ends = m.quantile_intervals.find(one.first);
    return whole(one.second) &&
           (ends == m.quantile_intervals.end() || (whole(ends->second.lower) && whole(ends->second.upper)));
  });
  if (counts) place = no_place;
  // Nothing says how well those without an interval are known.
  constexpr int few_digits = 4;
  const int most = place == no_place && !counts && !m.exact ? few_digits : most_digits;
  std::map<double, ValueTexts> out;
  for (const auto& [p, value] : m.quantiles) {
    const auto text = [&](double x) { return std::isnan(x) ? std::string() : rounded(x, place, most, fixed); };
    const auto ends = m.quantile_intervals.find(p);
    const Interval i = ends == m.quantile_intervals.end() ? Interval{nan, nan} : ends->second;
    out[p] = {text(value), text(i.lower), text(i.upper)};
  }
  return out;
}

std::string squared_unit(const std::string& unit) {
  const bool one_word = std::all_of(unit.begin(), unit.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return unit.empty() ? "" : one_word ? unit + "^2" : "(" + unit + ")^2";
}

ValueTexts deviation_texts(const MeasureResult& m) {
  if (!std::isfinite(m.variance)) return {};
  const Interval& ends = m.variance_interval;
  if (std::isnan(ends.lower) && std::isnan(ends.upper)) {
    constexpr int few_digits = 4;  // nothing says how well it is known
    return {number_text(std::sqrt(m.variance), few_digits), {}, {}};
  }
  return value_texts(std::sqrt(m.variance), std::sqrt(ends.lower), std::sqrt(ends.upper));
}

std::string part_text(const MeasureResult& m, double part) {
  const Rounding how = rounding_of(m.estimate, m.lower, m.upper);
  return rounded(part, how.place, most_digits, how.fixed);
}

}  // namespace ergode
