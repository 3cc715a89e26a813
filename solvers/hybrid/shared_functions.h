#pragma once
#include <cstdint>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// Rates of many components depend on one temperature by one formula. Functions that cost more than reading a slot
/// (exp, log, pow, sin, ...) and stand in several of these programs, with the same operands, are taken out: number k is
/// read from slot first + k instead, everything else stays, and so do the results.
/// @returns the programs taken out; each may read those before it.
std::vector<Program> share_functions(const std::vector<Program*>& programs, std::uint32_t first);

}  // namespace ergode
