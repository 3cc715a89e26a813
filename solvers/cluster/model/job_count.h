#pragma once
#include <cstdint>

namespace ergode {

/// How many jobs come of a stream that goes on for ever.
inline constexpr std::uint64_t jobs_without_end = ~std::uint64_t{0};

}  // namespace ergode
