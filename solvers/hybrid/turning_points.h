#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// Whether a program is a sum of moving slots, each times what stays: along a straight line it changes its sign once.
/// Selections by what stays count as what they select. O(instructions).
/// @param moves  whether a slot changes between two events
bool is_affine(const Program& program, const std::function<bool(std::uint32_t)>& moves);

/// Functions that pass zero where a part of the program turns, if something is made of that part by which a turn may be
/// a narrow peak: the u of abs(u), of u * u and of u to an even power, cos(u) of sin(u), sin(u) of cos(u), inside a
/// quotient's divisor, a power, exp, ln, sqrt, sin, cos, tan, min or max. So exp(-((now - a)/b)^2) gives (now - a)/b.
/// What does not move is left out. O(instructions squared) at worst.
std::vector<Program> hidden_turns(const Program& program, const std::function<bool(std::uint32_t)>& moves);

/// Times within (0, horizon) at which a part of the program turns that reads time and nothing else, has an exp, ln,
/// sqrt, power or quotient of it, and no hidden_turns(), which are known better: found on two grids, one even and one
/// even in the logarithm of the time. What is narrower than their spacing may be missed. Ascending.
/// @param time       slot of the time [s]
/// @param horizon_s  > 0
/// @param points     of each grid
std::vector<double> time_peaks(const Program& program, std::uint32_t time, double horizon_s, std::size_t points);

}  // namespace ergode
