#include "statecharts/exchange/scxml_reader.h"

#include <algorithm>
#include <filesystem>
#include <pugixml.hpp>
#include <unordered_map>

#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "statecharts/exchange/chart_layout.h"
#include "statecharts/exchange/scxml_content.h"
#include "statecharts/exchange/scxml_rules.h"

namespace ergode {
namespace {

constexpr const char* recommendation = "http://www.w3.org/2005/07/scxml";
constexpr int deepest_states = 100;
constexpr int most_passes = 8;

bool is_vertex(std::string_view name) { return name == "state" || name == "parallel" || name == "final"; }

class Reader {
 public:
  Reader(pugi::xml_node root, std::string_view text, const std::string& name, const std::string& folder)
      : root_(root), report_(text), content_(names_, report_, folder) {
    const std::string given = root.attribute("name").value();
    names_.document_name = given;
    chart_name_ = names_.declare(given.empty() ? name : given);
    component_name_ = names_.declare("machine");
    declare(root, 0);
  }

  ScxmlImport read() {
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
      report_.add(
          Severity::warning, "SCX019", root_, {},
          "what its variables may be is not settled after it was read " + std::to_string(most_passes) + " times.", true,
          "Variables take values from each other in long chains: give them values of their own.");
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

 private:
  // --- names, once -------------------------------------------------------------------------------------------------
  void declare(pugi::xml_node node, int depth) {
    if (depth > 2 * deepest_states) return;
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = local_name(child);
      if (is_vertex(name) || name == "history") {
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
  void keep_names(pugi::xml_node node, std::string_view kind) {
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

  // --- elements of the document ------------------------------------------------------------------------------------
  ElementId add(Element element) {
    // Mixed, so that ids of this chart and of others drawn later are not alike.
    std::uint64_t z = ++counter_ * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    element.id = ElementId((z ^ (z >> 27U)) | 1U);
    const ElementId id = element.id;
    document_.append(std::move(element));
    return id;
  }
  ElementId add_node(const char* kind, ElementId parent, Value properties = Value::object()) {
    return add({.section = Section::node,
                .kind = kind,
                .diagram = chart_,
                .parent = parent,
                .properties = std::move(properties)});
  }
  void add_edge(ElementId source, ElementId target, Value properties = Value::object()) {
    add({.section = Section::edge,
         .kind = "transition",
         .diagram = chart_,
         .source = source,
         .target = target,
         .properties = std::move(properties)});
  }
  static void join(std::string& actions, const std::string& more) {
    if (!more.empty()) actions += (actions.empty() ? "" : "; ") + more;
  }
  void set(ElementId id, const char* property, const std::string& value) {
    if (value.empty()) return;
    Element after = *document_.find(id);
    after.properties[property] = value;
    document_.replace(document_.index_of(id), std::move(after));
  }

  void build() {
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

  std::string root_prefix() const {
    const std::string_view name = root_.name();
    const auto colon = name.find(':');
    return colon == std::string_view::npos ? "xmlns" : "xmlns:" + std::string(name.substr(0, colon));
  }

  std::string data(pugi::xml_node node, int depth) {
    std::string out;
    const auto append = [&out](const std::string& more) { join(out, more); };
    if (depth > deepest_states) return out;
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = local_name(child);
      if (name == "datamodel")
        for (const pugi::xml_node entry : child.children()) {
          if (local_name(entry) == "data" && entry.attribute("id")) append(content_.data(entry, chart_));
          else if (entry.type() == pugi::node_element)
            report_.add(Severity::warning, "SCX005", entry, chart_, "it has no counterpart and is left out.", true);
        }
      else if (name == "script" && depth == 0) append(content_.script(child, chart_));
      else if (is_vertex(name)) append(data(child, depth + 1));
    }
    return out;
  }

  // --- vertices ----------------------------------------------------------------------------------------------------
  void nodes(pugi::xml_node node, ElementId parent, int depth, bool in_parallel) {
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string_view name = local_name(child);
      const bool outside = depth == 0 && name == "final";
      if (is_vertex(name)) {
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

  void keep_id(Value& properties, pugi::xml_node node) const {
    const std::string id = node.attribute("id").value();
    if (!id.empty() && properties["name"] != id) properties["scxml_id"] = id;
  }

  void vertex(pugi::xml_node node, ElementId parent, int depth, bool in_parallel) {
    if (depth > deepest_states)
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

  // --- transitions -------------------------------------------------------------------------------------------------
  ElementId vertex_of(const std::string& id) const {
    const auto known = ids_.find(id);
    if (known == ids_.end()) return {};
    const auto drawn = vertices_.find(known->second.hash_value());
    return drawn == vertices_.end() ? ElementId() : drawn->second;
  }

  std::vector<ElementId> targets(pugi::xml_node node, const std::string& text, bool& all) {
    std::vector<ElementId> out;
    all = true;
    std::string rest = text;
    for (char& c : rest)
      if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    for (const std::string& id : split(rest, ' ')) {
      if (id.empty()) continue;
      if (const ElementId target = vertex_of(id)) {
        out.push_back(target);
        continue;
      }
      all = false;
      report_.add(Severity::warning, "SCX006", node, chart_,
                  "there is no state \"" + quotable(id) + "\"; the target is left out.", true);
    }
    return out;
  }

  // The nearest place around an element where a bar or a choice may stand: beside regions only history may.
  ElementId open_place(ElementId at) const {
    while (at) {
      const Element* element = document_.find(at);
      bool regions = false;
      for (const Element* child : document_.children(chart_, at)) regions = regions || child->kind == "region";
      if (!regions) return at;
      at = element->parent;
    }
    return {};
  }

  void lead(ElementId source, ElementId place, const std::vector<ElementId>& targets, Value properties) {
    if (targets.size() == 1) return add_edge(source, targets.front(), std::move(properties));
    const ElementId bar = add_node("bar", open_place(place));
    add_edge(source, bar, std::move(properties));
    for (const ElementId target : targets) add_edge(bar, target);
  }

  bool inside(ElementId element, ElementId ancestor) const {
    for (ElementId at = document_.find(element)->parent; at; at = document_.find(at)->parent)
      if (at == ancestor) return true;
    return false;
  }

  void transition(pugi::xml_node node, ElementId source) {
    std::string trigger;
    std::optional<std::string> done;
    std::string events = node.attribute("event").value();
    for (char& c : events)
      if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    for (const std::string& word : split(events, ' ')) {
      if (word.empty()) continue;
      const std::string descriptor = names_.descriptor(word);
      if (trigger.find(descriptor) == std::string::npos || descriptor.size() < 3)
        trigger += (trigger.empty() ? "" : ", ") + descriptor;
      else if ((", " + trigger + ",").find(", " + descriptor + ",") == std::string::npos) trigger += ", " + descriptor;
      if (word.substr(0, 11) == "done.state.") done = word.substr(11);
    }
    if (trigger.find(',') != std::string::npos) done.reset();
    names_.set_done_state(done);
    Value properties = Value::object();
    if (!trigger.empty()) properties["trigger"] = trigger;
    names_.event_known = !trigger.empty();
    names_.maybe_done =
        trigger.empty() || trigger.find('*') != std::string::npos || trigger.find("done") != std::string::npos;
    const ScxmlContent::Condition condition = content_.condition(node, source);
    if (!condition.fails.empty()) {
      Value asked = properties;
      asked["guard"] = content_.execution_error(condition.fails), asked["type"] = "internal";
      add_edge(source, source, std::move(asked));
    }
    if (!condition.text.empty()) properties["guard"] = condition.text;
    if (const std::string actions = content_.block(node, source); !actions.empty()) properties["action"] = actions;
    names_.set_done_state({});
    names_.event_known = false, names_.maybe_done = true;
    bool all = true;
    const std::string text(trim(node.attribute("target").value()));
    const std::vector<ElementId> to = targets(node, text, all);
    if (text.empty()) {
      if (!condition.fails.empty() && condition.text == "false" && !properties.contains("action")) return;
      properties["type"] = "internal";
      return add_edge(source, source, std::move(properties));
    }
    if (to.empty()) return;
    if (std::string_view(node.attribute("type").value()) == "internal") {
      // Only a composite's transition to states inside it is internal; others are external (section 3.13).
      bool internal = local_name(node.parent()) == "state";
      for (const ElementId target : to) internal = internal && inside(target, source);
      if (internal) properties["type"] = "internal";
    }
    lead(source, document_.find(source)->parent, to, std::move(properties));
  }

  void initial(pugi::xml_node node, ElementId container, const std::string& first) {
    std::vector<ElementId> to;
    std::string actions = first;
    const pugi::xml_node element = child_named(node, "initial");
    const pugi::xml_node drawn = element ? child_named(element, "transition") : pugi::xml_node();
    const std::string attribute(trim(node.attribute("initial").value()));
    bool all = true;
    if (!attribute.empty()) to = targets(node, attribute, all);
    else if (drawn) {
      to = targets(drawn, drawn.attribute("target").value(), all);
      const std::string more = content_.block(drawn, container ? container : chart_);
      if (!more.empty()) actions += (actions.empty() ? "" : "; ") + more;
    }
    const bool named = !attribute.empty() || drawn;
    std::vector<ElementId> good;
    for (const ElementId target : to) {
      if (!container || inside(target, container) || container == wrapper_) good.push_back(target);
      else
        report_.add(Severity::warning, "SCX006", node, container, "the initial state is not inside it; it is left out.",
                    true);
    }
    if (good.empty()) {
      if (named && all && to.empty())
        report_.add(Severity::warning, "SCX006", node, container ? container : chart_, "it names no initial state.",
                    true);
      for (const pugi::xml_node child : node.children())
        if (is_vertex(local_name(child)) && vertices_.count(child.hash_value()) > 0) {
          good.push_back(vertices_[child.hash_value()]);
          break;
        }
    }
    if (good.empty()) return;
    Value properties = Value::object();
    if (!actions.empty()) properties["action"] = actions;
    const ElementId start = add_node("initial", container);
    lead(start, container, good, std::move(properties));
  }

  static pugi::xml_node child_named(pugi::xml_node node, std::string_view name) {
    for (const pugi::xml_node child : node.children())
      if (local_name(child) == name) return child;
    return {};
  }

  void edges(pugi::xml_node node, ElementId element, int depth) {
    if (depth > deepest_states + 1) return;
    const bool chart = depth == 0;
    bool vertices = false;
    for (const pugi::xml_node child : node.children()) vertices = vertices || is_vertex(local_name(child));
    if (chart && wrapper_) {
      initial(node, {}, start_);
      ElementId first;
      for (const Element* state : document_.children(chart_, wrapper_))
        if (state->kind == "state" && !first) first = state->id;
      if (first) add_edge(add_node("initial", wrapper_), first);
    } else if (vertices && local_name(node) != "parallel") {
      initial(node, element, chart ? start_ : std::string());
    }
    // A state's own transitions first, wherever they stand among its children: only their order among themselves
    // counts.
    for (const pugi::xml_node child : node.children()) {
      if (local_name(child) != "transition") continue;
      if (local_name(node) == "final")
        report_.add(Severity::warning, "SCX005", child, element, "a final state has no way out; it is left out.", true);
      else transition(child, element);
    }
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = local_name(child);
      if (name == "history") default_history(child);
      else if (is_vertex(name) && vertices_.count(child.hash_value()) > 0)
        edges(child, vertices_[child.hash_value()], depth + 1);
    }
  }

  void default_history(pugi::xml_node node) {
    const auto drawn = vertices_.find(node.hash_value());
    const pugi::xml_node way = child_named(node, "transition");
    if (drawn == vertices_.end()) return;
    if (!way) return report_.add(Severity::info, "SCX006", node, drawn->second, "it has no default state.", false);
    bool all = true;
    const std::vector<ElementId> to = targets(way, way.attribute("target").value(), all);
    if (to.empty()) return;
    Value properties = Value::object();
    if (const std::string actions = content_.block(way, drawn->second); !actions.empty())
      properties["action"] = actions;
    lead(drawn->second, document_.find(drawn->second)->parent, to, std::move(properties));
  }

  // --- variables ---------------------------------------------------------------------------------------------------
  void variables() {
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

  void remarks() {
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

  pugi::xml_node root_;
  ScxmlReport report_;
  ScxmlNames names_;
  ScxmlContent content_;
  Document document_;
  std::uint64_t counter_ = 0;
  ElementId chart_, wrapper_;
  std::string chart_name_, component_name_, start_;
  std::map<std::string, pugi::xml_node> ids_;
  std::vector<pugi::xml_node> duplicates_;
  std::unordered_map<std::size_t, std::string> names_of_;
  std::unordered_map<std::size_t, ElementId> vertices_, history_;
};

}  // namespace

ScxmlImport parse_scxml(std::string_view bytes, const std::string& name, const std::string& folder) {
  ScxmlImport out;
  out.complete = false;
  const auto refuse = [&](const char* code, const std::string& text, std::size_t offset, const std::string& message) {
    const TextPlace place = place_of(text, offset);
    const std::string at = std::to_string(place.line) + ":" + std::to_string(place.column);
    out.diagnostics.push_back({.code = code,
                               .pointer = at,
                               .message = message + " (line " + std::to_string(place.line) + ", column " +
                                          std::to_string(place.column) + ")"});
    return out;
  };
  if (const auto defect = xml_encoding_defect(bytes))
    return refuse("SCX001", std::string(bytes), defect->offset, "Not well-formed XML: " + defect->message + ".");
  const std::string text = xml_as_utf8(bytes);
  if (const auto defect = xml_defect(text))
    return refuse("SCX001", text, defect->offset, "Not well-formed XML: " + defect->message + ".");
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed =
      xml.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed)
    return refuse("SCX001", text, static_cast<std::size_t>(parsed.offset),
                  std::string("Not well-formed XML: ") + parsed.description() + ".");
  const pugi::xml_node root = xml.document_element();
  if (local_name(root) != "scxml")
    return refuse("SCX002", text, static_cast<std::size_t>(root.offset_debug()),
                  "The root element is \"" + quotable(root.name()) + "\"; wanted scxml.");
  return Reader(root, text, name, folder).read();
}

ScxmlImport read_scxml(const std::string& path) {
  const auto bytes = read_bytes(path);
  if (const auto* problem = std::get_if<Diagnostic>(&bytes)) return {std::nullopt, {*problem}, false, {}};
  const std::filesystem::path place(path);
  return parse_scxml(std::get<std::string>(bytes), place.stem().string(),
                     place.parent_path().empty() ? "." : place.parent_path().string());
}

}  // namespace ergode
