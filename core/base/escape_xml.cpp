#include "core/base/escape_xml.h"

#include <cstdint>

#include "core/base/utf8.h"

namespace ergode {
namespace {

bool allowed(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  if (code >= 0x7F && code <= 0x9F) return false;
  if (code >= 0xFDD0 && code <= 0xFDEF) return false;
  return (code & 0xFFFEU) != 0xFFFEU;
}

}  // namespace

std::string escape_xml(std::string_view text, XmlSpace space) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character c = utf8_character(text, 0);
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
