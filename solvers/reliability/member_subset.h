#pragma once
#include <cstdint>

#include "core/random/random_stream.h"

namespace ergode {

/// Calls `take(i)` for each member i of a uniformly random k-subset of 0 .. n-1, in ascending order.
/// One uniform draw per member looked at, at most n; no allocation. Knuth, TAOCP 2, algorithm 3.4.2 S.
template <typename Take>
void random_subset(RandomStream& stream, int n, int k, const Take& take) {
  int wanted = k;
  for (int i = 0; wanted > 0; ++i) {
    if (stream.uniform() * (n - i) >= wanted) continue;
    take(i);
    --wanted;
  }
}

}  // namespace ergode
