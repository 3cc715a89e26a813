// What leads from one state to another in an SCXML document: transitions, initial states, default histories.
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "statecharts/exchange/scxml_drawing.h"

namespace ergode {

ElementId ScxmlReader::vertex_of(const std::string& id) const {
  const auto known = ids_.find(id);
  if (known == ids_.end()) return {};
  const auto drawn = vertices_.find(known->second.hash_value());
  return drawn == vertices_.end() ? ElementId() : drawn->second;
}

std::vector<ElementId> ScxmlReader::targets(pugi::xml_node node, const std::string& text, bool& all) {
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
ElementId ScxmlReader::open_place(ElementId at) const {
  while (at) {
    const Element* element = document_.find(at);
    bool regions = false;
    for (const Element* child : document_.children(chart_, at)) regions = regions || child->kind == "region";
    if (!regions) return at;
    at = element->parent;
  }
  return {};
}

void ScxmlReader::lead(ElementId source, ElementId place, const std::vector<ElementId>& targets, Value properties) {
  if (targets.size() == 1) return add_edge(source, targets.front(), std::move(properties));
  const ElementId bar = add_node("bar", open_place(place));
  add_edge(source, bar, std::move(properties));
  for (const ElementId target : targets) add_edge(bar, target);
}

bool ScxmlReader::inside(ElementId element, ElementId ancestor) const {
  for (ElementId at = document_.find(element)->parent; at; at = document_.find(at)->parent)
    if (at == ancestor) return true;
  return false;
}

void ScxmlReader::transition(pugi::xml_node node, ElementId source) {
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

void ScxmlReader::initial(pugi::xml_node node, ElementId container, const std::string& first) {
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
      if (is_scxml_vertex(local_name(child)) && vertices_.count(child.hash_value()) > 0) {
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

void ScxmlReader::edges(pugi::xml_node node, ElementId element, int depth) {
  if (depth > deepest_scxml_states + 1) return;
  const bool chart = depth == 0;
  bool vertices = false;
  for (const pugi::xml_node child : node.children()) vertices = vertices || is_scxml_vertex(local_name(child));
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
    else if (is_scxml_vertex(name) && vertices_.count(child.hash_value()) > 0)
      edges(child, vertices_[child.hash_value()], depth + 1);
  }
}

void ScxmlReader::default_history(pugi::xml_node node) {
  const auto drawn = vertices_.find(node.hash_value());
  const pugi::xml_node way = child_named(node, "transition");
  if (drawn == vertices_.end()) return;
  if (!way) return report_.add(Severity::info, "SCX006", node, drawn->second, "it has no default state.", false);
  bool all = true;
  const std::vector<ElementId> to = targets(way, way.attribute("target").value(), all);
  if (to.empty()) return;
  Value properties = Value::object();
  if (const std::string actions = content_.block(way, drawn->second); !actions.empty()) properties["action"] = actions;
  lead(drawn->second, document_.find(drawn->second)->parent, to, std::move(properties));
}

}  // namespace ergode
