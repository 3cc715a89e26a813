#include "app/gui/edit/gestures.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "app/session/catalogue.h"
#include "app/session/new_model.h"
#include "core/base/text.h"
#include "core/drawing/node_places.h"

namespace ergode {
namespace {

std::string unused_name(const Document& document, const KindSpec& kind, ElementId diagram) {
  std::string stem = kind.stem;
  if (stem.empty())
    for (const char c : kind.label)
      if (c != ' ' && c != '-') stem += c;
  std::set<std::string> taken;
  for (const Element* node : document.nodes(diagram)) taken.insert(node->name());
  for (int number = 1;; ++number) {
    std::string name = stem + std::to_string(number);
    if (!taken.contains(name)) return name;
  }
}

using Places = std::map<ElementId, Rect>;
Places places_of(const Document& document, const std::vector<ElementId>& ids) {
  Places out;
  for (const ElementId id : ids)
    if (const Element* element = document.find(id)) out[id] = element->layout.bounds.value_or(Rect{});
  return out;
}

/// What a reference can name, when there is just one such thing.
std::string only_choice(const Document& document, const PropertySpec& property) {
  const std::vector<std::string> names = names_for(document, property);
  return names.size() == 1 ? names.front() : std::string();
}

}  // namespace

std::string count_text(const Document& document, const std::vector<ElementId>& ids) {
  if (ids.size() != 1) return std::to_string(ids.size()) + " elements";
  const Element* element = document.find(ids.front());
  if (element == nullptr) return "element";
  const KindSpec* spec = catalogue().kind_of(document, *element);
  std::string kind = spec != nullptr ? spec->label : element->kind;
  std::replace(kind.begin(), kind.end(), '_', ' ');
  // "State", but not "GPU cluster".
  const auto upper = [&](std::size_t at) { return std::isupper(static_cast<unsigned char>(kind[at])) != 0; };
  if (kind.size() > 1 && upper(0) && !upper(1)) kind[0] = static_cast<char>(std::tolower(kind[0]));
  const std::string name = element->name();
  if (name.empty()) return kind;
  // A cluster called "cluster" is no slip of the tongue.
  return kind.ends_with(name) ? kind + " \"" + name + "\"" : kind + " " + name;
}

std::vector<std::string> names_for(const Document& document, const PropertySpec& property) {
  return property.type == PropertyType::reference ? named_by(document, property) : std::vector<std::string>();
}

std::vector<std::string> named_by(const Document& document, const PropertySpec& property) {
  std::vector<std::string> names;
  const std::vector<std::string> kinds = split(property.reference, ' ');
  for (const Element& element : document.elements()) {
    const std::string kind = element.section == Section::diagram ? element.text("notation") : element.kind;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) names.push_back(element.name());
  }
  return names;
}

Command add_node(const Document& document, const NotationSpec& notation, ElementId diagram, ElementId parent,
                 const std::string& kind, Point at, ElementId& made) {
  const KindSpec* spec = notation.kind(kind);
  Edit edit(document, "Add " + (spec != nullptr ? spec->label : kind));
  if (spec == nullptr) return edit.finish();
  Element node;
  node.kind = kind;
  node.diagram = diagram;
  node.parent = parent;
  if (spec->named) node.properties["name"] = unused_name(document, *spec, diagram);
  for (const PropertySpec& property : spec->properties)
    if (const std::string only = only_choice(document, property); property.required && !only.empty())
      node.properties[property.name] = only;
  node.layout.bounds = Rect{std::round((at.x - spec->width / 2) / 10) * 10,
                            std::round((at.y - spec->height / 2) / 10) * 10, spec->width, spec->height};
  made = edit.insert(node);
  return edit.finish();
}

Command add_diagram(const Document& document, const NotationSpec& notation, const DiagramKind& kind, ElementId& made) {
  std::string label = kind.label;
  label.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(label.front())));
  Edit edit(document, "Add " + label);
  std::string name;
  for (int n = 1; name.empty() || document.named(Section::diagram, name) != nullptr; ++n)
    name = kind.stem + std::to_string(n);
  made = insert_diagram(edit, notation, kind, name);
  return edit.finish();
}

std::optional<Command> connect(const Document& document, const NotationSpec& notation, ElementId source,
                               ElementId target, ElementId& made, std::string& why_not) {
  const Element* from = document.find(source);
  const Element* to = document.find(target);
  if (from == nullptr || to == nullptr) return std::nullopt;
  const std::string kind = notation.edge_kind(document, *from, *to, why_not);
  if (kind.empty()) return std::nullopt;
  const KindSpec* spec = notation.kind(kind);
  Edit edit(document, "Add " + (spec != nullptr ? spec->label : kind));
  Element edge;
  edge.section = Section::edge;
  edge.kind = kind;
  edge.diagram = from->diagram;
  edge.source = source;
  edge.target = target;
  made = edit.insert(edge);
  return edit.finish();
}

std::optional<Command> reconnect(const Document& document, const NotationSpec& notation, ElementId edge,
                                 ElementId source, ElementId target, std::string& why_not) {
  const Element* old = document.find(edge);
  const Element* from = document.find(source);
  const Element* to = document.find(target);
  if (old == nullptr || from == nullptr || to == nullptr) return std::nullopt;
  if (notation.edge_kind(document, *from, *to, why_not) != old->kind) return std::nullopt;
  Edit edit(document, "Reconnect " + old->kind);
  Element moved = *old;
  moved.source = source;
  moved.target = target;
  moved.layout.way_points.clear();
  edit.replace(edge, moved);
  return edit.finish();
}

std::vector<ElementId> outermost(const Document& document, const std::vector<ElementId>& ids) {
  std::vector<ElementId> out;
  for (const ElementId id : ids) {
    const Element* element = document.find(id);
    if (element == nullptr || !element->is_node()) continue;
    const bool within = std::any_of(ids.begin(), ids.end(),
                                    [&](ElementId other) { return other != id && inside(document, id, other); });
    if (!within) out.push_back(id);
  }
  return out;
}

bool inside(const Document& document, ElementId inner, ElementId outer) {
  for (const Element* at = document.find(inner); at != nullptr; at = document.find(at->parent)) {
    if (at->id == outer) return true;
    if (!at->parent) return false;
  }
  return false;
}

ElementId container_at(const Document& document, const Catalogue& catalogue, ElementId diagram, Point at,
                       const std::vector<ElementId>& except) {
  ElementId found;
  double area = 0;
  for (const Element* node : document.nodes(diagram)) {
    const KindSpec* kind = catalogue.kind_of(document, *node);
    if (kind == nullptr || !kind->container || !node->layout.bounds || !node->layout.bounds->contains(at)) continue;
    const bool excluded =
        std::any_of(except.begin(), except.end(), [&](ElementId id) { return inside(document, node->id, id); });
    const double size = node->layout.bounds->width * node->layout.bounds->height;
    if (excluded || (found && size > area)) continue;
    found = node->id;
    area = size;
  }
  return found;
}

void settle_places(Edit& edit, const std::vector<ElementId>& ids) {
  const Document& document = edit.document();
  const auto is_node = [&](ElementId id) {
    const Element* const element = document.find(id);
    return element != nullptr && element->is_node();
  };
  const auto first = std::find_if(ids.begin(), ids.end(), is_node);
  if (first == ids.end()) return;
  const std::vector<NodePlace> places = node_places(document, document.find(*first)->diagram, catalogue());
  const auto concerned = [&](const NodePlace& place) {
    return !place.own && std::any_of(ids.begin(), ids.end(), [&](ElementId id) {
      return place.node->id == id || inside(document, place.node->id, id);
    });
  };
  if (std::none_of(places.begin(), places.end(), concerned)) return;
  std::vector<std::pair<ElementId, Layout>> settled;
  for (const NodePlace& place : places) {
    if (place.own) continue;
    settled.emplace_back(place.node->id, place.node->layout).second.bounds = place.box;
  }
  for (const auto& [id, layout] : settled) edit.set_layout(id, layout);
}

Command move_nodes(const Document& document, const std::vector<ElementId>& ids, double dx, double dy,
                   std::optional<ElementId> parent) {
  const std::vector<ElementId> moved = outermost(document, ids);
  const bool reparents = parent && std::any_of(moved.begin(), moved.end(),
                                               [&](ElementId id) { return document.find(id)->parent != *parent; });
  Edit edit(document, "Move " + count_text(document, ids));
  if (dx != 0 || dy != 0) settle_places(edit, moved), edit.move(moved, dx, dy);
  if (reparents)
    for (const ElementId id : moved) edit.set_parent(id, *parent);
  return edit.finish();
}

Command resize_node(const Document& document, ElementId id, Rect bounds) {
  Edit edit(document, "Resize " + count_text(document, {id}));
  settle_places(edit, {id});
  const Element* element = edit.document().find(id);
  if (element != nullptr) {
    Layout layout = element->layout;
    layout.bounds = bounds;
    edit.set_layout(id, layout);
  }
  return edit.finish();
}

Command set_way_points(const Document& document, ElementId edge, std::vector<Point> points) {
  Edit edit(document, points.empty() ? "Reset route" : "Move way-point");
  const Element* element = document.find(edge);
  if (element != nullptr) {
    Layout layout = element->layout;
    layout.way_points = std::move(points);
    edit.set_layout(edge, layout);
  }
  return edit.finish();
}

Command move_label(const Document& document, ElementId edge, std::optional<Point> offset) {
  Edit edit(document, "Move label");
  const Element* element = document.find(edge);
  if (element != nullptr) {
    Layout layout = element->layout;
    layout.label_offset = offset;
    edit.set_layout(edge, layout);
  }
  return edit.finish();
}

Command remove_elements(const Document& document, const std::vector<ElementId>& ids, const std::string& verb) {
  Edit edit(document, verb + " " + count_text(document, ids));
  for (const ElementId id : ids)
    if (edit.document().find(id) != nullptr) edit.remove(id);
  return edit.finish();
}

Command set_property(const Document& document, const Catalogue& catalogue, const std::vector<ElementId>& ids,
                     const std::string& property, const std::string& text) {
  std::string label = property;
  for (const ElementId id : ids) {
    const Element* element = document.find(id);
    const KindSpec* kind = element != nullptr ? catalogue.kind_of(document, *element) : nullptr;
    const PropertySpec* spec = kind != nullptr ? kind->property(property) : nullptr;
    if (spec != nullptr) label = spec->label;
  }
  Edit edit(document, "Change " + label + (ids.size() > 1 ? " of " + count_text(document, ids) : ""));
  for (const ElementId id : ids) {
    const Element* element = edit.document().find(id);
    if (element == nullptr) continue;
    const KindSpec* kind = catalogue.kind_of(document, *element);
    const PropertySpec* spec = kind != nullptr ? kind->property(property) : nullptr;
    const bool is_default = spec != nullptr ? text == spec->default_text : text.empty();
    if (is_default || text.empty()) edit.set(id, property, Value());
    else if (spec != nullptr && spec->type == PropertyType::boolean) edit.set(id, property, Value(text == "true"));
    else edit.set(id, property, Value(text));
  }
  return edit.finish();
}

Command align(const Document& document, const std::vector<ElementId>& ids, Alignment how) {
  const std::vector<ElementId> moved = outermost(document, ids);
  Edit edit(document, "Align " + count_text(document, moved));
  if (moved.size() < 2) return edit.finish();
  settle_places(edit, moved);
  const Places places = places_of(edit.document(), moved);
  double low = 1e300, high = -1e300;
  const bool horizontal = how == Alignment::left || how == Alignment::centre || how == Alignment::right;
  for (const ElementId id : moved) {
    const Rect r = places.at(id);
    low = std::min(low, horizontal ? r.x : r.y);
    high = std::max(high, horizontal ? r.right() : r.bottom());
  }
  for (const ElementId id : moved) {
    const Rect r = places.at(id);
    const double start = horizontal ? r.x : r.y, size = horizontal ? r.width : r.height;
    double goal = low;
    if (how == Alignment::centre || how == Alignment::middle) goal = (low + high - size) / 2;
    if (how == Alignment::right || how == Alignment::bottom) goal = high - size;
    if (goal == start) continue;
    edit.move({id}, horizontal ? goal - start : 0, horizontal ? 0 : goal - start);
  }
  return edit.finish();
}

Command distribute(const Document& document, const std::vector<ElementId>& ids, bool horizontally) {
  std::vector<ElementId> moved = outermost(document, ids);
  Edit edit(document, "Distribute " + count_text(document, moved));
  if (moved.size() < 3) return edit.finish();
  settle_places(edit, moved);
  const Places places = places_of(edit.document(), moved);
  const auto start = [&](ElementId id) { return horizontally ? places.at(id).x : places.at(id).y; };
  const auto size = [&](ElementId id) { return horizontally ? places.at(id).width : places.at(id).height; };
  std::sort(moved.begin(), moved.end(), [&](ElementId a, ElementId b) { return start(a) < start(b); });
  double used = 0;
  for (const ElementId id : moved) used += size(id);
  const double span = start(moved.back()) + size(moved.back()) - start(moved.front());
  const double gap = (span - used) / static_cast<double>(moved.size() - 1);
  double at = start(moved.front());
  for (const ElementId id : moved) {
    const double delta = at - start(id);
    if (delta != 0) edit.move({id}, horizontally ? delta : 0, horizontally ? 0 : delta);
    at += size(id) + gap;
  }
  return edit.finish();
}

}  // namespace ergode
