#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ergode {

/// How many there are of something, whose plural ends in s: "1 warning", "0 warnings".
inline std::string counted(std::uint64_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

}  // namespace ergode
