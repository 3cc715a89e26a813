// Place/transition nets of the Petri Net Markup Language.
#include <map>
#include <pugixml.hpp>

#include "core/base/text.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/exchange/measure_all.h"
#include "solvers/queueing/exchange/network_drawing.h"

namespace ergode {
namespace {

using pugi::xml_node;

/// <name><text>...</text></name>
std::string label(const xml_node& node, const char* what) {
  return std::string(trim(node.child(what).child("text").child_value()));
}

class PnmlImport {
 public:
  explicit PnmlImport(const std::string& name) : drawing_(name) {}
  ReadOutcome read(const xml_node& net) {
    // Pages hold elements, and further pages.
    nodes(net);
    arcs(net);
    measure_all(drawing_, drawing_.run_for(10000, 10));
    ReadOutcome out;
    const bool whole = !has_errors(problems_);
    out.diagnostics = std::move(problems_);
    if (whole) out.document = std::move(drawing_.document());
    return out;
  }

 private:
  void refuse(const std::string& id, const std::string& message) {
    problems_.push_back({.code = "JMT002", .message = "\"" + id + "\": " + message});
  }
  static Point place_of(const xml_node& node) {
    const xml_node at = node.child("graphics").child("position");
    return {1.5 * at.attribute("x").as_double() + 60, 1.5 * at.attribute("y").as_double() + 60};
  }
  void nodes(const xml_node& within) {
    for (const xml_node& one : within.children()) {
      const std::string kind = one.name(), id = one.attribute("id").value();
      std::string title = label(one, "name");
      if (title.empty()) title = id;
      if (kind == "page") nodes(one);
      if (kind == "place") {
        const std::string tokens = label(one, "initialMarking");
        Value properties = Value::object();
        if (!tokens.empty() && tokens.find_first_not_of("0123456789") != std::string::npos)
          refuse(id, "The marking is \"" + tokens + "\"; wanted a whole number of tokens of one kind.");
        else if (!tokens.empty() && tokens != "0") properties["tokens"] = tokens;
        ids_[id] = drawing_.node("place", title, std::move(properties), place_of(one));
      }
      if (kind == "transition")
        ids_[id] = drawing_.node("transition", title, {{"time", "exponential(mean = 1 s)"}}, place_of(one));
    }
  }
  void arcs(const xml_node& within) {
    for (const xml_node& one : within.children()) {
      if (one.name() == std::string("page")) arcs(one);
      if (one.name() != std::string("arc")) continue;
      const std::string id = one.attribute("id").value(), weight = label(one, "inscription"), type = label(one, "type");
      const auto from = ids_.find(one.attribute("source").value()), to = ids_.find(one.attribute("target").value());
      if (from == ids_.end() || to == ids_.end()) {
        refuse(id, "It leads from or to nothing that is known.");
        continue;
      }
      Value properties = Value::object();
      if (!weight.empty() && weight != "1") {
        if (weight.find_first_not_of("0123456789") != std::string::npos)
          refuse(id, "The weight is \"" + weight + "\"; wanted a whole number.");
        properties["count"] = weight;
      }
      if (type == "inhibitor" || one.child("type").attribute("value").value() == std::string("inhibitor"))
        properties["inhibits"] = "true";
      else if (!type.empty() && type != "normal") refuse(id, "An arc of type \"" + type + "\" does not map.");
      drawing_.flow(from->second, to->second, std::move(properties));
    }
  }

  NetworkDrawing drawing_;
  Diagnostics problems_;
  std::map<std::string, ElementId> ids_;
};

}  // namespace

ReadOutcome import_pnml(std::string_view text, const std::string& name) {
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(text.data(), text.size());
  const xml_node net = xml.child("pnml").child("net");
  ReadOutcome out;
  if (!parsed || !net) {
    out.diagnostics.push_back({.code = "JMT001",
                               .message = parsed ? "There is no net in the file; wanted <pnml> and <net>."
                                                 : "The file is no XML: " + std::string(parsed.description()) + "."});
    return out;
  }
  const std::string type = net.attribute("type").value();
  if (type.find("ptnet") == std::string::npos && type.find("PTNet") == std::string::npos &&
      type.find("P/T") == std::string::npos && type.find("pnmlcoremodel") == std::string::npos && !type.empty())
    out.diagnostics.push_back(
        {.code = "JMT002", .message = "The net is of type \"" + type + "\"; wanted a place/transition net."});
  ReadOutcome read = PnmlImport(name).read(net);
  read.diagnostics.insert(read.diagnostics.begin(), out.diagnostics.begin(), out.diagnostics.end());
  if (has_errors(read.diagnostics)) read.document.reset();
  return read;
}

ReadOutcome import_network(std::string_view text, const std::string& name) {
  pugi::xml_document xml;
  xml.load_buffer(text.data(), text.size());
  if (xml.child("pnml")) return import_pnml(text, name);
  if (xml.child("model")) return import_jmva(text, name);
  return import_jsimg(text, name);
}

}  // namespace ergode
