#include "core/format/read_xml.h"

#include "core/format/xml_text.h"

namespace ergode {

XmlFile read_xml(std::string_view bytes) {
  XmlFile out;
  const auto refuse = [&](const std::string& message, std::size_t offset) {
    out.place = place_of(out.utf8, offset);
    out.defect = "Not well-formed XML: " + message + ". (line " + std::to_string(out.place.line) + ", column " +
                 std::to_string(out.place.column) + ")";
  };
  if (const auto undecoded = xml_encoding_defect(bytes)) {
    out.utf8 = std::string(bytes);
    refuse(undecoded->message, undecoded->offset);
    return out;
  }
  out.utf8 = xml_as_utf8(bytes);
  if (const auto defect = xml_defect(out.utf8)) {
    refuse(defect->message, defect->offset);
    return out;
  }
  const pugi::xml_parse_result parsed =
      out.tree.load_buffer(out.utf8.data(), out.utf8.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) refuse(parsed.description(), static_cast<std::size_t>(parsed.offset));
  return out;
}

}  // namespace ergode
