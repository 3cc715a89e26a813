#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ergode {

/// A character of UTF-8: its code point and how many bytes it takes (1 to 4); 0 bytes: no well-formed character begins
/// there.
struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

/// The character that begins at byte `at` < text.size(). Well-formed as in Unicode 15, table 3-7: no overlong forms,
/// surrogates or characters beyond U+10FFFF, nothing cut off. The only decoder: readers, writers and drawings agree on
/// what is text.
Utf8Character utf8_character(std::string_view text, std::size_t at);

}  // namespace ergode
