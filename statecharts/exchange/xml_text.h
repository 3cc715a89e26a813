#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text_place.h"

namespace ergode {

/// An XML document as UTF-8 without byte-order mark, whatever it was encoded in: UTF-8, UTF-16 (by byte-order mark or
/// by its first character), ISO-8859-1 and US-ASCII (by declaration). Characters that cannot be decoded become U+FFFD.
std::string xml_as_utf8(std::string_view bytes);

/// What makes a text no well-formed XML document, and where.
struct XmlDefect {
  std::string message;
  std::size_t offset = 0;
};
/// Checks what pugixml lets pass: names and attributes, quotes, matching tags, references, comments, one root element.
/// Document type declarations are skipped, not read. Time O(length).
/// W3C, Extensible Markup Language (XML) 1.0, fifth edition, 2008.
std::optional<XmlDefect> xml_defect(std::string_view utf8);

/// A text as attribute value or character data.
std::string xml_escaped(std::string_view text);

}  // namespace ergode
