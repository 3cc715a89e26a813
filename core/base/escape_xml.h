#pragma once
#include <string>
#include <string_view>

namespace ergode {

/// What becomes of tabs and line breaks: kept, or written as references, which readers of attributes keep too.
enum class XmlSpace { kept, as_references };

/// A text as character data or attribute value of XML and HTML: &, <, > and quotes replaced. What these forbid or
/// discourage is left out: bytes that are no UTF-8, control characters, surrogates and noncharacters (U+FFFE, U+FDD0).
/// For every writer of XML and HTML.
/// W3C, Extensible Markup Language (XML) 1.0, fifth edition, 2008, section 2.2.
/// O(length).
std::string escape_xml(std::string_view text, XmlSpace space = XmlSpace::kept);

}  // namespace ergode
