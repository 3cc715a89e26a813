#include "tests/support/model_builder.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ergode::test {

ModelBuilder::ModelBuilder(const std::string& horizon) {
  Element header = document_.model();
  header.id = ElementId(next_++);
  header.properties = {{"name", "Test"}, {"horizon", horizon}};
  document_.replace(0, std::move(header));
}

ElementId ModelBuilder::add(Element element) {
  if (!element.id) element.id = ElementId(next_++);
  const ElementId id = element.id;
  document_.append(std::move(element));
  return id;
}

void ModelBuilder::set(ElementId id, const std::string& property, Value value) {
  const Element* found = document_.find(id);
  if (found == nullptr) throw std::logic_error("no element " + id.text());
  Element after = *found;
  after.properties[property] = std::move(value);
  document_.replace(document_.index_of(id), std::move(after));
}

void ModelBuilder::header(const std::string& property, Value value) {
  set(document_.model().id, property, std::move(value));
}

ElementId ModelBuilder::parameter(const std::string& name, const std::string& value, Value more) {
  Element e{.section = Section::parameter, .kind = "parameter", .properties = {{"name", name}, {"value", value}}};
  e.properties.update(more);
  return add(std::move(e));
}

ElementId ModelBuilder::measure(const std::string& name, const std::string& type, const std::string& expression,
                                Value more) {
  Element e{.section = Section::measure,
            .kind = "measure",
            .properties = {{"name", name}, {"type", type}, {"expression", expression}}};
  e.properties.update(more);
  return add(std::move(e));
}

ElementId ModelBuilder::scenario(const std::string& name, const std::string& values) {
  return add({.section = Section::scenario, .kind = "scenario", .properties = {{"name", name}, {"values", values}}});
}

ElementId ModelBuilder::diagram(const std::string& name, const std::string& notation) {
  return add({.section = Section::diagram, .kind = "diagram", .properties = {{"name", name}, {"notation", notation}}});
}

ElementId ModelBuilder::node(ElementId diagram, ElementId parent, const std::string& kind, Value properties) {
  return add({.section = Section::node,
              .kind = kind,
              .diagram = diagram,
              .parent = parent,
              .properties = std::move(properties)});
}

ElementId ModelBuilder::edge(ElementId diagram, const std::string& kind, ElementId source, ElementId target,
                             Value properties) {
  return add({.section = Section::edge,
              .kind = kind,
              .diagram = diagram,
              .source = source,
              .target = target,
              .properties = std::move(properties)});
}

ElementId ModelBuilder::component(const std::string& name, const std::string& chart, const std::string& count,
                                  const std::string& arguments) {
  if (!system_) system_ = diagram("System", "system");
  Value properties = {{"name", name}, {"chart", chart}};
  if (!count.empty()) properties["count"] = count;
  if (!arguments.empty()) properties["arguments"] = arguments;
  return node(system_, {}, "component", std::move(properties));
}

ElementId ModelBuilder::group(const std::string& name, const std::string& cause, Value properties,
                              const std::vector<ElementId>& members) {
  if (!system_) system_ = diagram("System", "system");
  Value all = {{"name", name}, {"cause", cause}};
  all.update(properties);
  const ElementId id = node(system_, {}, "ccf_group", std::move(all));
  for (const ElementId member : members) edge(system_, "membership", id, member);
  return id;
}

ChartBuilder::ChartBuilder(ModelBuilder& model, const std::string& name)
    : model_(model), chart_(model.diagram(name, "statechart")) {}

ElementId ChartBuilder::state(const std::string& name, ElementId parent, const std::string& entry,
                              const std::string& exit) {
  Value properties = {{"name", name}};
  if (!entry.empty()) properties["entry"] = entry;
  if (!exit.empty()) properties["exit"] = exit;
  return model_.node(chart_, parent, "state", std::move(properties));
}

ElementId ChartBuilder::region(const std::string& name, ElementId parent) {
  return model_.node(chart_, parent, "region", {{"name", name}});
}
ElementId ChartBuilder::choice(ElementId parent) { return model_.node(chart_, parent, "choice"); }
ElementId ChartBuilder::final_state(ElementId parent) { return model_.node(chart_, parent, "final"); }

ElementId ChartBuilder::initial(ElementId target, ElementId parent, const std::string& action) {
  const ElementId vertex = model_.node(chart_, parent, "initial");
  transition(vertex, target, "", "", action);
  return vertex;
}

ElementId ChartBuilder::variable(const std::string& name, const std::string& type, const std::string& initial,
                                 const std::string& unit, bool parameter) {
  Value properties = {{"name", name}, {"type", type}, {"initial", initial}};
  if (!unit.empty()) properties["unit"] = unit;
  if (parameter) properties["role"] = "parameter";
  return model_.node(chart_, {}, "variable", std::move(properties));
}

ElementId ChartBuilder::transition(ElementId source, ElementId target, const std::string& trigger,
                                   const std::string& guard, const std::string& action, Value more) {
  Value properties = Value::object();
  if (!trigger.empty()) properties["trigger"] = trigger;
  if (!guard.empty()) properties["guard"] = guard;
  if (!action.empty()) properties["action"] = action;
  properties.update(more);
  return model_.edge(chart_, "transition", source, target, std::move(properties));
}

std::string codes(const Diagnostics& list) {
  std::vector<std::string> all;
  for (const Diagnostic& d : list) all.push_back(d.code);
  std::sort(all.begin(), all.end());
  std::string out;
  for (const std::string& code : all) out += (out.empty() ? "" : " ") + code;
  return out;
}

const Diagnostic* find_code(const Diagnostics& list, const std::string& code) {
  for (const Diagnostic& d : list)
    if (d.code == code) return &d;
  return nullptr;
}

std::string listed(const Diagnostics& list) {
  std::string out;
  for (const Diagnostic& d : list) out += d.code + " " + d.element.text() + " " + d.pointer + ": " + d.message + "\n";
  return out;
}

std::string project_file(const std::string& path) {
  std::ifstream file(ERGODE_SOURCE_DIR "/" + path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return text.str();
}

}  // namespace ergode::test
