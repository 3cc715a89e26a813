#pragma once
#include <cstdint>
#include <vector>

#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// By node: one of those with which it is joined by ways of any kind, the same for all of them. O(ways).
std::vector<std::uint32_t> connected_parts(const NetworkModel& model);

}  // namespace ergode
