#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// Rates of many components depend on one temperature by one formula. What several of these programs have in common,
/// with the same operands, is taken out where it costs more than reading a slot (exp, log, pow, sin, ..., or three
/// operations): number k is read from slot first + k instead, everything else stays, and so do the results.
/// O(n log n) in the instructions of all programs, once per model.
/// @param programs  are replaced where something was taken out; none may be null
/// @returns the programs taken out, in the order in which they must be evaluated; each may read those before it.
std::vector<Program> share_functions(const std::vector<Program*>& programs, std::uint32_t first);

/// The same for what reads only slots that stay as they are between two events: worked out once after each. Of parts
/// within each other the largest is taken out, however cheap; single slots and constants are not. A smaller one is
/// taken out, too, where something that moves reads it, and the larger one then reads its slot: each may read those
/// before it.
/// @param still  whether a slot stays.
std::vector<Program> take_out_still(const std::vector<Program*>& programs, std::uint32_t first,
                                    const std::function<bool(std::uint32_t)>& still);

}  // namespace ergode
