#include "app/gui/edit/clipboard.h"

#include <map>
#include <set>

#include "app/gui/edit/gestures.h"

namespace ergode {
namespace {

Value to_value(const Element& element) {
  Value out = {{"id", element.id.text()},         {"edge", element.is_edge()},       {"kind", element.kind},
               {"parent", element.parent.text()}, {"source", element.source.text()}, {"target", element.target.text()},
               {"properties", element.properties}};
  if (element.layout.bounds) {
    const Rect& r = *element.layout.bounds;
    out["bounds"] = {r.x, r.y, r.width, r.height};
  }
  for (const Point& p : element.layout.way_points) out["points"].push_back({p.x, p.y});
  if (element.layout.label_offset) out["label"] = {element.layout.label_offset->x, element.layout.label_offset->y};
  return out;
}

ElementId id_of(const Value& value, const char* key) {
  return ElementId::parse(value.value(key, std::string())).value_or(ElementId());
}

Element from_value(const Value& value) {
  Element out;
  out.id = id_of(value, "id");
  out.section = value.value("edge", false) ? Section::edge : Section::node;
  out.kind = value.value("kind", std::string());
  out.parent = id_of(value, "parent");
  out.source = id_of(value, "source");
  out.target = id_of(value, "target");
  out.properties = value.value("properties", Value::object());
  if (value.contains("bounds")) {
    const Value& b = value.at("bounds");
    out.layout.bounds =
        Rect{b.at(0).get<double>(), b.at(1).get<double>(), b.at(2).get<double>(), b.at(3).get<double>()};
  }
  if (value.contains("points"))
    for (const Value& p : value.at("points"))
      out.layout.way_points.push_back({p.at(0).get<double>(), p.at(1).get<double>()});
  if (value.contains("label"))
    out.layout.label_offset = Point{value.at("label").at(0).get<double>(), value.at("label").at(1).get<double>()};
  return out;
}

}  // namespace

std::string copy_elements(const Document& document, const std::vector<ElementId>& ids) {
  const std::vector<ElementId> outer = outermost(document, ids);
  if (outer.empty()) return {};
  const ElementId diagram = document.find(outer.front())->diagram;
  std::set<ElementId> taken;
  Value list = Value::array();
  for (const Element* node : document.nodes(diagram))
    for (const ElementId id : outer)
      if (inside(document, node->id, id) && taken.insert(node->id).second) list.push_back(to_value(*node));
  for (const Element* edge : document.edges(diagram))
    if (taken.contains(edge->source) && taken.contains(edge->target)) list.push_back(to_value(*edge));
  return Value{{"ergode-elements", std::move(list)}}.dump();
}

std::optional<Command> paste_elements(const Document& document, const NotationSpec& notation, ElementId diagram,
                                      ElementId parent, const std::string& text, Point offset, const std::string& verb,
                                      std::vector<ElementId>& made) {
  const Value read = Value::parse_or_discard(text);
  if (!read.is_object() || !read.contains("ergode-elements") || !read.at("ergode-elements").is_array())
    return std::nullopt;
  std::vector<Element> copies;
  try {
    for (const Value& value : read.at("ergode-elements")) copies.push_back(from_value(value));
  } catch (const Value::Exception&) {
    return std::nullopt;  // Text of another program that only looks like ours.
  }
  std::map<ElementId, ElementId> renamed;
  const Element* into = document.find(parent);
  Edit edit(document, verb + " " + std::to_string(copies.size()) + (copies.size() == 1 ? " element" : " elements"));
  for (Element& copy : copies) {
    const ElementId old = copy.id;
    copy.id = ElementId();
    copy.diagram = diagram;
    for (Point& p : copy.layout.way_points) p = {p.x + offset.x, p.y + offset.y};
    if (copy.is_edge()) {
      if (!renamed.contains(copy.source) || !renamed.contains(copy.target)) continue;
      copy.source = renamed[copy.source];
      copy.target = renamed[copy.target];
      edit.insert(copy);
      continue;
    }
    const auto inner = renamed.find(copy.parent);
    const bool is_outer = inner == renamed.end();
    if (is_outer && (notation.kind(copy.kind) == nullptr || !notation.refuse_parent(document, copy.kind, into).empty()))
      continue;
    copy.parent = is_outer ? parent : inner->second;
    if (copy.layout.bounds) {
      copy.layout.bounds->x += offset.x;
      copy.layout.bounds->y += offset.y;
    }
    if (is_outer && copy.has("name")) {
      std::set<std::string> taken;
      for (const Element* node : edit.document().nodes(diagram)) taken.insert(node->name());
      std::string stem = copy.name(), name = stem;
      while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.pop_back();
      for (int number = 2; taken.contains(name); ++number) name = stem + std::to_string(number);
      copy.properties["name"] = name;
    }
    renamed[old] = edit.insert(copy);
    if (is_outer) made.push_back(renamed[old]);
  }
  if (made.empty()) return std::nullopt;
  return edit.finish();
}

}  // namespace ergode
