#pragma once
#include "statecharts/execute/chart_part.h"

namespace ergode {

/// Parts into which common-cause groups split what measures see: by the gravest among the failures standing. A set of
/// one member fails independently, the whole group lethally (in the binomial model: by a lethal shock), others
/// non-lethally. Numbers are those of the parts that split_by_cause() makes; a greater one is graver, and the first two
/// are those that charts give without any group.
struct Cause {
  static constexpr SplitPart none = ChartPart::no_failure, independent = ChartPart::own_failure, non_lethal = 2,
                             lethal = 3, count = 4;
};

}  // namespace ergode
