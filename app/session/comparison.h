#pragma once
#include "core/results/result_set.h"

namespace ergode {

/// Two runs side by side: the measures that both have in one unit, with what `b` is more than `a` and the interval of
/// that, at the level of `a`. The interval is that of independent runs, the normal one of the two standard errors; the
/// note of the table says where they are not independent. Cells of what is not there are empty.
ResultTable compare_runs(const ResultSet& a, const ResultSet& b);

}  // namespace ergode
