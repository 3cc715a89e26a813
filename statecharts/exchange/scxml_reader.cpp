#include "statecharts/exchange/scxml_reader.h"

#include <algorithm>
#include <filesystem>

#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/format/read_xml.h"
#include "statecharts/exchange/chart_layout.h"
#include "statecharts/exchange/scxml_drawing.h"
#include "statecharts/exchange/scxml_rules.h"

namespace ergode {
namespace {

constexpr const char* recommendation = "http://www.w3.org/2005/07/scxml";
constexpr int most_passes = 8;

}  // namespace

ScxmlReader::ScxmlReader(pugi::xml_node root, std::string_view text, const std::string& name, const std::string& folder)
    : root_(root), report_(text), content_(names_, report_, folder) {
  const std::string given = root.attribute("name").value();
  names_.document_name = given;
  chart_name_ = names_.declare(given.empty() ? name : given);
  component_name_ = names_.declare("machine");
  declare(root, 0);
}

ScxmlImport ScxmlReader::read() {
  Document document;
  // What a variable may be is known only when everything was read once: read until nothing new turns up.
  for (int pass = 0; pass < most_passes; ++pass) {
    names_.changed = false;
    report_.clear(), content_.restart();
    document_ = Document(), counter_ = 0;
    vertices_.clear(), history_.clear();
    build();
    if (!names_.changed) break;
  }
  if (names_.changed)
    report_.add(Severity::warning, "SCX019", root_, {},
                "what its variables may be is not settled after it was read " + std::to_string(most_passes) + " times.",
                true, "Variables take values from each other in long chains: give them values of their own.");
  layout_chart(document_, chart_);
  ScxmlImport out;
  out.document = std::move(document_);
  out.complete = report_.complete;
  remarks();
  out.diagnostics = std::move(report_.diagnostics);
  for (const auto& [from, to] : names_.events())
    if (from != to) out.events[from] = to;
  return out;
}

void ScxmlReader::declare(pugi::xml_node node, int depth) {
  if (depth > 2 * deepest_scxml_states) return;
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = local_name(child);
    if (is_scxml_vertex(name) || name == "history") {
      const std::string id = child.attribute("id").value();
      const bool again = !id.empty() && ids_.count(id) > 0;
      const std::string drawn = names_.declare(id.empty() ? std::string(name) : id);
      names_of_[child.hash_value()] = drawn;
      if (again) duplicates_.push_back(child);
      else if (!id.empty()) ids_[id] = child, names_.declare_state(id, name == "history" ? std::string() : drawn);
    }
    if (name == "data" && child.attribute("id")) names_.variable(child.attribute("id").value());
    keep_names(child, name);
    declare(child, depth + 1);
  }
}

// Names that can stay do, whatever comes before them.
void ScxmlReader::keep_names(pugi::xml_node node, std::string_view kind) {
  const auto words = [](std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return split(text, ' ');
  };
  for (const std::string& event : words(node.attribute("event").value())) names_.keep_event(event);
  for (const std::string& name : words(node.attribute("namelist").value())) names_.keep_parameter(name);
  if (kind == "param") names_.keep_parameter(node.attribute("name").value());
  if (kind == "send") names_.keep_send(std::string(trim(node.attribute("id").value())));
}

ElementId ScxmlReader::add(Element element) {
  // Mixed, so that ids of this chart and of others drawn later are not alike.
  std::uint64_t z = ++counter_ * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  element.id = ElementId((z ^ (z >> 27U)) | 1U);
  const ElementId id = element.id;
  document_.append(std::move(element));
  return id;
}

ElementId ScxmlReader::add_node(const char* kind, ElementId parent, Value properties) {
  return add({.section = Section::node,
              .kind = kind,
              .diagram = chart_,
              .parent = parent,
              .properties = std::move(properties)});
}

void ScxmlReader::add_edge(ElementId source, ElementId target, Value properties) {
  add({.section = Section::edge,
       .kind = "transition",
       .diagram = chart_,
       .source = source,
       .target = target,
       .properties = std::move(properties)});
}

void ScxmlReader::join(std::string& actions, const std::string& more) {
  if (!more.empty()) actions += (actions.empty() ? "" : "; ") + more;
}

void ScxmlReader::set(ElementId id, const char* property, const std::string& value) {
  if (value.empty()) return;
  Element after = *document_.find(id);
  after.properties[property] = value;
  document_.replace(document_.index_of(id), std::move(after));
}

void ScxmlReader::build() {
  Element header = document_.model();
  header.id = ElementId(0x5C);
  header.properties = {{"name", chart_name_}, {"horizon", "10 s"}, {"time_unit", "s"}};
  document_.replace(0, header);
  const ElementId system =
      add({.section = Section::diagram, .kind = "diagram", .properties = {{"name", "Main"}, {"notation", "system"}}});
  chart_ = add({.section = Section::diagram,
                .kind = "diagram",
                .properties = {{"name", chart_name_}, {"notation", "statechart"}}});
  const ElementId component = add({.section = Section::node,
                                   .kind = "component",
                                   .diagram = system,
                                   .properties = {{"name", component_name_}, {"chart", chart_name_}}});
  Element placed = *document_.find(component);
  placed.layout.bounds = Rect{80, 60, 160, 70};
  document_.replace(document_.index_of(component), std::move(placed));

  for (const pugi::xml_node again : duplicates_)
    report_.add(
        Severity::warning, "SCX007", again, {},
        "the id \"" + quotable(again.attribute("id").value()) + "\" is used twice; transitions lead to the first.",
        true);
  if (std::string_view(root_.attribute("binding").value()) == "late")
    report_.add(Severity::warning, "SCX016", root_, {}, "late binding is read as early binding.", true);
  const std::string_view ns = root_.attribute(root_prefix().c_str()).value();
  if (ns != recommendation)
    report_.add(Severity::warning, "SCX004", root_, chart_,
                "the namespace is \"" + quotable(ns) + "\"; wanted " + recommendation + ".", false);
  check_scxml_rules(root_, report_);
  start_ = data(root_, 0);
  // The Recommendation has no transitions of the document itself; some documents have, and mean all states.
  wrapper_ = {};
  for (const pugi::xml_node child : root_.children())
    if (local_name(child) == "transition" && !wrapper_) {
      report_.add(Severity::info, "SCX004", child, chart_,
                  "a transition outside a state is drawn from a state around all.", false);
      wrapper_ = add_node("state", {}, {{"name", "all"}});
    }
  nodes(root_, wrapper_, 0, false);
  edges(root_, wrapper_, 0);
  variables();
}

std::string ScxmlReader::root_prefix() const {
  const std::string_view name = root_.name();
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? "xmlns" : "xmlns:" + std::string(name.substr(0, colon));
}

std::string ScxmlReader::data(pugi::xml_node node, int depth) {
  std::string out;
  const auto append = [&out](const std::string& more) { join(out, more); };
  if (depth > deepest_scxml_states) return out;
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = local_name(child);
    if (name == "datamodel")
      for (const pugi::xml_node entry : child.children()) {
        if (local_name(entry) == "data" && entry.attribute("id")) append(content_.data(entry, chart_));
        else if (entry.type() == pugi::node_element)
          report_.add(Severity::warning, "SCX005", entry, chart_, "it has no counterpart and is left out.", true);
      }
    else if (name == "script" && depth == 0) append(content_.script(child, chart_));
    else if (is_scxml_vertex(name)) append(data(child, depth + 1));
  }
  return out;
}

void ScxmlReader::nodes(pugi::xml_node node, ElementId parent, int depth, bool in_parallel) {
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = local_name(child);
    const bool outside = depth == 0 && name == "final";
    if (is_scxml_vertex(name)) {
      if (name == "final" && in_parallel)
        report_.add(Severity::warning, "SCX005", child, {},
                    "a final state beside regions has no meaning; it is left out.", true);
      else vertex(child, outside ? ElementId() : parent, depth, in_parallel);
    } else if (name == "history") {
      const bool deep = std::string_view(child.attribute("type").value()) == "deep";
      Value properties = {{"name", names_of_[child.hash_value()]}};
      if (deep) properties["depth"] = "deep";
      keep_id(properties, child);
      vertices_[child.hash_value()] = add_node("history", parent, std::move(properties));
    } else if (name != "onentry" && name != "onexit" && name != "transition" && name != "initial" &&
               name != "datamodel" && name != "donedata" && !(name == "script" && depth == 0)) {
      report_.add(Severity::warning, "SCX005", child, parent ? parent : chart_,
                  "it has no counterpart and is left out.", true);
    }
  }
}

void ScxmlReader::keep_id(Value& properties, pugi::xml_node node) const {
  const std::string id = node.attribute("id").value();
  if (!id.empty() && properties["name"] != id) properties["scxml_id"] = id;
}

void ScxmlReader::vertex(pugi::xml_node node, ElementId parent, int depth, bool in_parallel) {
  if (depth > deepest_scxml_states)
    return report_.add(Severity::warning, "SCX010", node, parent, "nested deeper than 100; it is left out.", true);
  const std::string_view name = local_name(node);
  Value properties = {{"name", names_of_[node.hash_value()]}};
  keep_id(properties, node);
  const ElementId id = add_node(in_parallel       ? "region"
                                : name == "final" ? "final"
                                                  : "state",
                                parent, std::move(properties));
  vertices_[node.hash_value()] = id;
  std::string entry, exit;
  for (const pugi::xml_node child : node.children()) {
    const std::string_view kind = local_name(child);
    std::string* to = kind == "onentry" ? &entry : kind == "onexit" ? &exit : nullptr;
    if (to != nullptr) join(*to, content_.block(child, id));
  }
  // Read when the done event is made, which is after all onentry (appendix D).
  if (name == "final")
    join(entry, content_.done_data(child_named(node, "donedata"), node.parent().attribute("id").value(), id));
  set(id, "entry", entry), set(id, "exit", exit);
  if (name != "final") nodes(node, id, depth + 1, name == "parallel");
}

pugi::xml_node ScxmlReader::child_named(pugi::xml_node node, std::string_view name) {
  for (const pugi::xml_node child : node.children())
    if (local_name(child) == name) return child;
  return {};
}

void ScxmlReader::variables() {
  // By name: the same chart read again from what was written has them in the same order.
  std::map<std::string, Value> drawn;
  for (const auto& [id, variable] : names_.variables()) {
    if (variable.array) continue;
    const bool condition = variable.is_condition();
    std::string initial = variable.initial.empty() ? (condition ? "false" : "0") : variable.initial;
    if (!condition && (initial == "true" || initial == "false")) initial = initial == "true" ? "1" : "0";
    Value& properties = drawn[variable.name] = {
        {"name", variable.name}, {"type", condition ? "boolean" : "real"}, {"initial", initial}};
    std::string notes;
    for (const std::string& text : variable.texts)
      notes += (notes.empty() ? "Texts: " : ", ") + names_.text_number(text) + " is \"" + text + "\"";
    if (!notes.empty()) properties["description"] = notes + ".";
    if (variable.tracked)
      drawn[variable.bound_name] = {
          {"name", variable.bound_name}, {"type", "boolean"}, {"initial", variable.undefined ? "false" : "true"}};
  }
  for (auto& [name, properties] : drawn) add_node("variable", {}, std::move(properties));
}

void ScxmlReader::remarks() {
  if (report_.logs > 0)
    report_.add(
        Severity::info, "SCX012", root_, {},
        std::to_string(report_.logs) + (report_.logs == 1 ? " log element is" : " log elements are") + " left out.",
        false);
  std::string changed;
  for (const std::string& name : names_.names_changed) changed += (changed.empty() ? "" : ", ") + name;
  if (!changed.empty())
    report_.add(
        Severity::info, "SCX013", root_, {},
        "these names are no identifiers, not unique or mean something else here, and got others: " + changed + ".",
        false);
  if (!names_.texts().empty())
    report_.add(Severity::info, "SCX014", root_, {},
                std::to_string(names_.texts().size()) + " texts are kept as numbers; notes of variables say which.",
                false);
}

ScxmlImport parse_scxml(std::string_view bytes, const std::string& name, const std::string& folder) {
  ScxmlImport out;
  out.complete = false;
  const auto refuse = [&](const char* code, const TextPlace& place, std::string message) {
    const std::string at = std::to_string(place.line) + ":" + std::to_string(place.column);
    out.diagnostics.push_back({.code = code, .pointer = at, .message = std::move(message)});
    return out;
  };
  const XmlFile xml = read_xml(bytes);
  if (!xml.defect.empty()) return refuse("SCX001", xml.place, xml.defect);
  const pugi::xml_node root = xml.tree.document_element();
  if (local_name(root) == "scxml") return ScxmlReader(root, xml.utf8, name, folder).read();
  const TextPlace place = place_of(xml.utf8, static_cast<std::size_t>(root.offset_debug()));
  return refuse("SCX002", place,
                "The root element is \"" + quotable(root.name()) + "\"; wanted scxml. (line " +
                    std::to_string(place.line) + ", column " + std::to_string(place.column) + ")");
}

ScxmlImport read_scxml(const std::string& path) {
  const auto bytes = read_bytes(path);
  if (const auto* problem = std::get_if<Diagnostic>(&bytes)) return {std::nullopt, {*problem}, false, {}};
  const std::filesystem::path place(path);
  return parse_scxml(std::get<std::string>(bytes), place.stem().string(),
                     place.parent_path().empty() ? "." : place.parent_path().string());
}

}  // namespace ergode
