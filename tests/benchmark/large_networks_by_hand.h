#pragma once
#include <vector>

#include "tests/benchmark/benchmark.h"

namespace ergode::bench {

/// Rows of the same networks as somebody programs them for themselves, 10,000 stations beside ten.
std::vector<Named> large_networks_by_hand();

}  // namespace ergode::bench
