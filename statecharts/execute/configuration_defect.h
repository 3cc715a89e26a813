#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// What makes a configuration illegal, in words; nothing when it is legal: the chart is active, an active composite has
/// exactly one active child, an active parallel state all its regions, an inactive state no active child, and no
/// history is active (SCXML, 2015, section 3.11).
/// @param words  the component's words: bit s for state s.
/// Replications assert it after every step in builds without NDEBUG. Time O(states).
std::optional<std::string> configuration_defect(const ChartTables& tables, const std::uint64_t* words);

}  // namespace ergode
