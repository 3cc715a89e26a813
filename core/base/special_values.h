#pragma once
#include <limits>

namespace ergode {

/// No bound, a time that never comes, an interval's open end.
inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// No value: what was not observed, or cannot be known.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace ergode
