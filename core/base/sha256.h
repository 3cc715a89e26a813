#pragma once
#include <string>
#include <string_view>

namespace ergode {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits. FIPS 180-4, Secure Hash Standard, 2015. O(length).
std::string sha256_hex(std::string_view bytes);

}  // namespace ergode
