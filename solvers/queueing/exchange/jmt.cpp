#include "solvers/queueing/exchange/jmt.h"

#include "core/format/read_xml.h"
#include "solvers/queueing/exchange/network_readers.h"

namespace ergode {

ReadOutcome import_network(std::string_view text, const std::string& name) {
  const XmlFile xml = read_xml(text);
  if (!xml.defect.empty()) {
    const bool net = xml.utf8.find("<pnml") != std::string::npos;
    return {std::nullopt, {{.code = net ? "PNM001" : "JMT001", .message = xml.defect}}};
  }
  if (xml.tree.child("pnml")) return read_pnml(xml.tree, name);
  if (xml.tree.child("model")) return read_jmva(xml.tree, name);
  return read_jsimg(xml.tree, name);
}

}  // namespace ergode
