#include "core/base/text_place.h"

#include <algorithm>

#include "core/base/utf8.h"

namespace ergode {
namespace {

unsigned char byte(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

void advance(TextPlace& place, std::string_view text, std::size_t at) {
  const char c = text[at];
  const bool ends_line = c == '\n' || (c == '\r' && !(at + 1 < text.size() && text[at + 1] == '\n'));
  if (ends_line) ++place.line, place.column = 1;
  else if (c != '\r' && (byte(text, at) & 0xC0U) != 0x80U) ++place.column;
}

}  // namespace

TextPlaces::TextPlaces(std::string_view utf8) : text_(utf8) {
  marks_.reserve(utf8.size() / stride + 1);
  TextPlace place;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    if (at % stride == 0) marks_.push_back(place);
    advance(place, utf8, at);
  }
  if (utf8.size() % stride == 0) marks_.push_back(place);
}

TextPlace TextPlaces::at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  TextPlace place = marks_[offset / stride];
  for (std::size_t at = offset / stride * stride; at < offset; ++at) advance(place, text_, at);
  return place;
}

TextPlace place_of(std::string_view utf8, std::size_t offset) {
  TextPlace place;
  for (std::size_t at = 0; at < std::min(offset, utf8.size()); ++at) advance(place, utf8, at);
  return place;
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_character(text, at).bytes;
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string quotable(std::string_view value, std::size_t most) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  std::size_t shown = 0;
  for (std::size_t at = 0; at < value.size(); ++shown) {
    if (shown == most) return out + "...";
    const unsigned char c = byte(value, at);
    const std::size_t length = utf8_character(value, at).bytes;
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else if (length == 0 || c < 0x20 || c == 0x7F) out += {'\\', 'x', hex[c >> 4U], hex[c & 15U]};
    else if (length == 2 && c == 0xC2 && byte(value, at + 1) < 0xA0)  // U+0080 to U+009F move cursors too
      out += {'\\', 'x', hex[byte(value, at + 1) >> 4U], hex[byte(value, at + 1) & 15U]};
    else out += value.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string said_of(std::string_view expression, const std::string& message) {
  return "\"" + quotable(expression) + "\": " + message;
}

}  // namespace ergode
