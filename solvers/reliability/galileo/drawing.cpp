#include "solvers/reliability/galileo/drawing.h"

#include "core/base/sha256.h"

namespace ergode {

ElementId NamedElements::id(const std::string& path) const {
  return ElementId::parse(sha256_hex(origin_ + "/" + path).substr(0, 16)).value_or(ElementId(1));
}

ChartDrawing::ChartDrawing(Document& document, const NamedElements& ids, const std::string& name,
                           const std::string& description)
    : document_(document), ids_(ids), name_("chart " + name), chart_(ids.id(name_)) {
  Value properties = {{"name", name}, {"notation", "statechart"}};
  if (!description.empty()) properties["description"] = description;
  document.append({.id = chart_, .section = Section::diagram, .kind = "diagram", .properties = std::move(properties)});
}

ElementId ChartDrawing::node(const std::string& kind, Value properties, Rect place, ElementId parent) {
  Element e{.id = ids_.id(name_ + "/" + std::to_string(count_++)),
            .section = Section::node,
            .kind = kind,
            .diagram = chart_,
            .parent = parent,
            .properties = std::move(properties)};
  e.layout.bounds = place;
  const ElementId id = e.id;
  document_.append(std::move(e));
  return id;
}

ElementId ChartDrawing::state(const std::string& name, Rect place, ElementId parent) {
  return node("state", {{"name", name}}, place, parent);
}
ElementId ChartDrawing::region(const std::string& name, Rect place, ElementId parent) {
  return node("region", {{"name", name}}, place, parent);
}
ElementId ChartDrawing::choice(Point centre) {
  return node("choice", Value::object(), {centre.x - 15, centre.y - 15, 30, 30}, {});
}

void ChartDrawing::initial(ElementId target, Point centre, ElementId parent) {
  transition(node("initial", Value::object(), {centre.x - 10, centre.y - 10, 20, 20}, parent), target, "");
}

void ChartDrawing::transition(ElementId source, ElementId target, const std::string& trigger, const std::string& guard,
                              const std::string& role) {
  Value properties = Value::object();
  if (!trigger.empty()) properties["trigger"] = trigger;
  if (!guard.empty()) properties["guard"] = guard;
  if (!role.empty()) properties["role"] = role;
  document_.append({.id = ids_.id(name_ + "/" + std::to_string(count_++)),
                    .section = Section::edge,
                    .kind = "transition",
                    .diagram = chart_,
                    .source = source,
                    .target = target,
                    .properties = std::move(properties)});
}

void ChartDrawing::parameter(const std::string& name, const std::string& type, const std::string& unit) {
  Value properties = {{"name", name}, {"role", "parameter"}};
  if (type != "real") properties["type"] = type;
  if (!unit.empty()) properties["unit"] = unit;
  // A chart parameter has no value of its own: the component gives it, this is only what is needed to be well formed.
  properties["initial"] = type == "time" ? "1 h" : "0";
  node("variable", std::move(properties), {60.0 + 190.0 * parameters_++, 300, 170, 50}, {});
}

}  // namespace ergode
