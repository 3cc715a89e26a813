#pragma once
#include <cmath>

#include "core/random/random_stream.h"
#include "core/stats/interval.h"

namespace ergode::test {

/// Standard normal, by Box and Muller.
inline double normal(RandomStream& stream) {
  const double u = stream.uniform(), v = stream.uniform();
  return std::sqrt(-2.0 * std::log1p(-u)) * std::cos(6.283185307179586 * v);
}

inline bool covers(const Interval& i, double value) { return i.lower <= value && value <= i.upper; }

}  // namespace ergode::test
