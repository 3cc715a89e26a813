#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

namespace ergode {

/// Index of the branch that `u` falls into, of branches with these cumulated probabilities; their number when it falls
/// behind the last. O(log n).
inline std::size_t branch_of(std::span<const double> cumulated, double u) {
  return static_cast<std::size_t>(std::upper_bound(cumulated.begin(), cumulated.end(), u) - cumulated.begin());
}
/// Probability of branch i.
inline double share_of(std::span<const double> cumulated, std::size_t i) {
  return i == 0 ? cumulated[0] : cumulated[i] - cumulated[i - 1];
}

}  // namespace ergode
