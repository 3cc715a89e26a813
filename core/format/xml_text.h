#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text_place.h"

namespace ergode {

/// An XML document as UTF-8 without byte-order mark, whatever it was encoded in: UTF-8, UTF-16 (by byte-order mark or
/// by its first character), ISO-8859-1 and US-ASCII (by declaration). Half a surrogate pair of UTF-16 becomes U+FFFD,
/// an odd last byte of it is dropped; bytes declared or taken to be UTF-8 are handed on as they are, so ask
/// xml_encoding_defect() first. Time O(length); one copy.
std::string xml_as_utf8(std::string_view bytes);

/// What makes a text no well-formed XML document, and where.
struct XmlDefect {
  std::string message;     ///< without a capital or a full stop: part of a sentence
  std::size_t offset = 0;  ///< in bytes, from 0
};
/// A declared encoding that is not among those, or bytes that are not what they are declared to be; the offset is in
/// the bytes. Nothing when xml_as_utf8() can decode them. To be asked before xml_as_utf8() and xml_defect().
std::optional<XmlDefect> xml_encoding_defect(std::string_view bytes);

/// Elements inside elements that are read; what walks over them may recurse.
inline constexpr std::size_t deepest_xml = 256;

/// Checks what pugixml lets pass: names and attributes, quotes, matching tags, references, comments, one root element.
/// Document type declarations are skipped; one that declares entities is refused, as are references to entities other
/// than the five that XML has, control characters, and more than `deepest_xml` levels. Not checked: characters beyond
/// ASCII, and what stands inside document type declarations and processing instructions.
/// Time O(length), without recursion.
/// @returns the first defect in the text, or nothing.
/// @param utf8  as xml_as_utf8() returns it.
/// W3C, Extensible Markup Language (XML) 1.0, fifth edition, 2008.
std::optional<XmlDefect> xml_defect(std::string_view utf8);

}  // namespace ergode
