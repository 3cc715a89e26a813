#pragma once
#include <cstdint>

#include "core/random/random_stream.h"
#include "solvers/reliability/ccf_parameters.h"

namespace ergode {

/// Calls `take(i)` for each member i of a uniformly random k-subset of 0 .. n-1, in ascending order; 0 <= k <= n.
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

/// Calls `take(i)` for the members of the k-subset of 0 .. n-1 with this rank (0 .. C(n, k) - 1) in the combinatorial
/// number system, in descending order. A whole number, exact while C(n, k) is below 2^53; beyond, some subsets are
/// never reached. O(n^2), as each binomial coefficient is O(n). Knuth, TAOCP 4A, section 7.2.1.3.
template <typename Take>
void take_ranked_subset(double rank, int n, int k, const Take& take) {
  for (int i = n - 1; k > 0; --i) {
    const double without = binomial(i, k);
    if (rank < without) continue;
    rank -= without;
    --k;
    take(i);
  }
}

}  // namespace ergode
