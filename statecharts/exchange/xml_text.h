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
/// A declared encoding that is not among those, or bytes that are not what they are declared to be; the offset is in
/// the bytes.
std::optional<XmlDefect> xml_encoding_defect(std::string_view bytes);

/// Elements inside elements that are read; what walks over them may recurse.
inline constexpr std::size_t deepest_xml = 256;

/// Checks what pugixml lets pass: names and attributes, quotes, matching tags, references, comments, one root element.
/// Document type declarations are skipped; one that declares entities is refused, as are references to entities other
/// than the five that XML has, and more than `deepest_xml` levels. Time O(length).
/// W3C, Extensible Markup Language (XML) 1.0, fifth edition, 2008.
std::optional<XmlDefect> xml_defect(std::string_view utf8);

}  // namespace ergode
