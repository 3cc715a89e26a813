#pragma once
#include <cstdint>

namespace ergode {

/// More than this nothing is counted in a run of any length; doubles hold each whole number up to it.
inline constexpr std::uint64_t most_counted = std::uint64_t{1} << 53U;

}  // namespace ergode
