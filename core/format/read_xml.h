#pragma once
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "core/base/text_place.h"

namespace ergode {

/// What an XML file holds, or why it is none.
struct XmlFile {
  std::string utf8;         ///< its text, which places count in; the bytes where they are in no encoding that is read
  pugi::xml_document tree;  ///< empty where there is a defect
  std::string defect;       ///< "Not well-formed XML: ... (line 3, column 5)"; empty: none
  TextPlace place;          ///< of the defect
};

/// The one way in for XML of other programs: decoded (xml_as_utf8()), looked at before it is parsed (xml_defect()), so
/// that no text gets further that is nested deeper than `deepest_xml` levels or declares entities. Whoever walks over
/// the tree may recurse, as pugixml does. Time and memory O(length).
XmlFile read_xml(std::string_view bytes);

}  // namespace ergode
