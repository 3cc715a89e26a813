#pragma once
#include "core/results/split.h"

namespace ergode {

/// Parts of a split that charts know themselves. Whoever fails components from outside (common-cause groups) has parts
/// of its own above these, graver ones with greater numbers.
struct ChartPart {
  static constexpr SplitPart no_failure = 0;   ///< no failure stands
  static constexpr SplitPart own_failure = 1;  ///< the failures standing came from the components' own charts
};

}  // namespace ergode
