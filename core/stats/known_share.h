#pragma once
#include <span>
#include <utility>
#include <vector>

#include "core/stats/interval.h"

namespace ergode {

/// What dependent observations tell of the share of them that is at most some value.
struct KnownShare {
  double seen = 0.0;            ///< in [0, 1], at the value or at the nearest end of a bin
  double standard_error = 0.0;  ///< of it; NaN: nothing is known
  Interval ends = {0.0, 1.0};   ///< of the share at the value itself, symmetric about it
  /// By how much that batch or group changes `seen`, and one less it, which has most of those below, and of those
  /// above.
  double most_below = 0.0, most_above = 0.0;
};

/// Where the shares of a distribution function lie.
/// @param curve  x and the share that was seen, rising
/// @param known  of each of these shares
/// Of a tail that is known to no more than 10 % (its standard error) the interval is that of a gamma law. A tail that
/// is known to no more than 30 % bounds nothing: its share is bounded by its neighbour's nearer to the middle.
std::vector<Interval> share_bands(std::span<const std::pair<double, double>> curve, std::span<const KnownShare> known,
                                  double confidence);

}  // namespace ergode
