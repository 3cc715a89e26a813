#include "core/base/utf8.h"

namespace ergode {

Utf8Character utf8_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  std::uint32_t low = 0x80, high = 0xBF;  // of the second byte: it alone tells overlong forms and surrogates
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  else if (first >= 0xE0 && first <= 0xEF)
    length = 3, low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
  else if (first >= 0xF0 && first <= 0xF4)
    length = 4, low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
  if (length == 0 || text.size() - at < length || byte(1) < low || byte(1) > high) return {};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  return {code, length};
}

}  // namespace ergode
