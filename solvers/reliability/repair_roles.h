#pragma once
#include <vector>

#include "statecharts/model/state_chart.h"

namespace ergode {

/// Drawn edges that lead from what failures lead to back to where failures begin, in a chart that marks failures and no
/// repair: the cause of a failure would stand for ever. Each once; none where a transition has the role repair.
/// O(states * transitions).
std::vector<ElementId> repairs_without_role(const StateChart& chart);

}  // namespace ergode
