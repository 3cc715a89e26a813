#include "core/base/escape_xml.h"

#include <cstdint>

namespace ergode {
namespace {

/// The first character of a text and how many bytes it takes; 0 bytes: no UTF-8 begins here.
struct Decoded {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Decoded first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  // Longer than need be, or beyond Unicode.
  if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10FFFF))) return {};
  return {code, length};
}

bool allowed(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  if (code >= 0x7F && code <= 0x9F) return false;
  if (code >= 0xD800 && code <= 0xDFFF) return false;
  if (code >= 0xFDD0 && code <= 0xFDEF) return false;
  return (code & 0xFFFEU) != 0xFFFEU;
}

}  // namespace

std::string escape_xml(std::string_view text, XmlSpace space) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded c = first_of(text);
    const std::string_view written = text.substr(0, c.bytes);
    text.remove_prefix(c.bytes > 0 ? c.bytes : 1);
    if (c.bytes == 0 || !allowed(c.code)) continue;
    const bool referred = space == XmlSpace::as_references;
    switch (c.code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\r':  // a reader would make a line break of it
        if (referred) out += "&#13;";
        break;
      case '\n':
        out += referred ? "&#10;" : "\n";
        break;
      case '\t':
        out += referred ? "&#9;" : "\t";
        break;
      default:
        out += written;
    }
  }
  return out;
}

}  // namespace ergode
