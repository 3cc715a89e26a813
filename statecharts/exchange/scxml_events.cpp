// Events in executable content: raise, send, cancel, what they carry, and donedata.
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "statecharts/exchange/scxml_content.h"

namespace ergode {
namespace {

// "10ms", ".5s" (CSS 2); nothing when it is no time.
std::optional<std::string> time_text(std::string_view text) {
  text = trim(text);
  for (const std::string_view unit : {"ms", "s"}) {
    if (text.size() <= unit.size() || text.substr(text.size() - unit.size()) != unit) continue;
    const auto number = parse_number(std::string(trim(text.substr(0, text.size() - unit.size()))));
    if (!number || !(*number >= 0.0)) return std::nullopt;
    return number_text(*number) + " " + std::string(unit);
  }
  return std::nullopt;
}

bool own_type(std::string_view type) {
  return type.empty() || type == "scxml" || type.substr(0, 49) == "http://www.w3.org/TR/scxml/#SCXMLEventProcessor";
}

}  // namespace

std::optional<std::vector<ScxmlContent::Choice>> ScxmlContent::choices(pugi::xml_node node, const char* attribute,
                                                                       const char* expression) {
  if (!node.attribute(expression)) return std::vector<Choice>{{"", std::string(trimmed(node, attribute))}};
  const std::string text(trimmed(node, expression));
  if (text == "_event.origin") return std::vector<Choice>{{"", "#_scxml_session"}};
  if (text == "_event.origintype") return std::vector<Choice>{{"", "scxml"}};
  const auto translated = value(node, text);
  if (!translated) return std::nullopt;
  if (translated->literal) return std::vector<Choice>{{"", *translated->literal}};
  const ScxmlNames::Variable* variable = names_.find_variable(text);
  if (variable == nullptr || variable->open || variable->texts.empty()) {
    report_.add(
        Severity::warning, "SCX008", node, element_,
        std::string(expression) + "=\"" + quotable(text) + "\" is not known before the run; the element is left out.",
        true);
    return std::nullopt;
  }
  std::vector<Choice> out;
  for (const std::string& known : variable->texts)
    out.push_back({variable->texts.size() == 1 && !variable->undefined && !variable->number
                       ? std::string()
                       : variable->name + " == " + names_.text_number(known),
                   known});
  return out;
}

// What stands between the tags of content: a number, else a text.
EcmaValue ScxmlContent::constant(const std::string& text) {
  EcmaValue out;
  const auto number = parse_number(text);
  if (!number) out.type = EcmaValue::Type::text, out.literal = text;
  out.text = number ? number_text(*number) : names_.text_number(text);
  return out;
}

std::optional<std::string> ScxmlContent::parameters(pugi::xml_node node, const std::string& event,
                                                    std::string_view type, const std::string& id) {
  std::string out;
  const auto add = [&](const std::string& name, const EcmaValue& v) {
    names_.carry(name, v);
    out += ", " + name + " = " + ecma_number(v);
  };
  for (const std::string& name : split(std::string(node.attribute("namelist").value()), ' ')) {
    if (trim(name).empty()) continue;
    const auto v = value(node, std::string(trim(name)));
    if (!v) return std::nullopt;
    add(names_.parameter(std::string(trim(name))), *v);
  }
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = local_name(child);
    if (name != "param" && name != "content") {
      if (child.type() == pugi::node_element)
        report_.add(Severity::warning, "SCX005", child, element_, "it has no counterpart and is left out.", true);
      continue;
    }
    const bool expressed = name == "param" || child.attribute("expr");
    std::optional<EcmaValue> v;
    if (expressed) {
      v = value(child, child.attribute("location") ? std::string(trimmed(child, "location"))
                                                   : std::string(trimmed(child, "expr")));
      if (!v) return std::nullopt;
    } else {
      const std::string text(trim(child.child_value()));
      v = constant(text);
    }
    if (v->type == EcmaValue::Type::array || v->type == EcmaValue::Type::object) {
      report_.add(Severity::warning, "SCX008", child, element_, "an array or object cannot go with an event.", true);
      continue;
    }
    add(name == "param" ? names_.parameter(child.attribute("name").value()) : "content", *v);
  }
  return out + fields(event, type, id);
}

// The fields of _event that the document reads.
std::string ScxmlContent::fields(const std::string& event, std::string_view type, const std::string& id) {
  std::string out;
  const auto add = [&](const char* field, const std::string& text) {
    if (!names_.has_field(field) || text.empty()) return;
    EcmaValue literal;
    literal.type = EcmaValue::Type::text;
    names_.carry(std::string("scxml_") + field, literal);
    out += std::string(", scxml_") + field + " = " + names_.text_number(text);
  };
  const bool external = type == "external";
  add("type", std::string(type)), add("name", event), add("sendid", id);
  add("origin", external ? "#_scxml_session" : "");
  add("origintype", external ? "http://www.w3.org/TR/scxml/#SCXMLEventProcessor" : "");
  return out;
}

void ScxmlContent::raise(pugi::xml_node node) {
  const std::string event(trimmed(node, "event"));
  if (event.empty())
    return report_.add(Severity::warning, "SCX015", node, element_, "it names no event and is left out.", true);
  if (const auto arguments = parameters(node, event, "internal", ""))
    emit("raise", names_.event_name(event) + *arguments);
}

std::optional<std::string> ScxmlContent::delay(pugi::xml_node node) {
  if (!node.attribute("delay") && !node.attribute("delayexpr")) return std::string();
  // `seconds + 's'`: a time put together at run time.
  std::string_view text = trimmed(node, "delayexpr");
  for (const std::string_view unit : {"+ 's'", "+ 'ms'"})
    if (text.size() > unit.size() && text.substr(text.size() - unit.size()) == unit) {
      const auto number = value(node, std::string(trim(text.substr(0, text.size() - unit.size()))));
      if (!number) return std::nullopt;
      return "(" + ecma_number(*number) + ") * 1 " + (unit == "+ 's'" ? "s" : "ms");
    }
  const auto texts = choices(node, "delay", "delayexpr");
  if (!texts) return std::nullopt;
  std::string out;
  for (const Choice& choice : *texts) {
    const auto time = time_text(choice.value);
    if (!time) {
      if (!choice.condition.empty()) continue;
      report_.add(
          Severity::warning, "SCX015", node, element_,
          "the delay is \"" + quotable(choice.value) + "\"; wanted a number of s or ms. The element is left out.",
          true);
      return std::nullopt;
    }
    if (choice.condition.empty()) return *time;
    out += choice.condition + " ? " + *time + " : ";
  }
  return "(" + out + "0 s)";
}

void ScxmlContent::send(pugi::xml_node node) {
  const auto types = choices(node, "type", "typeexpr");
  const auto targets = types ? choices(node, "target", "targetexpr") : std::nullopt;
  const auto events = targets ? choices(node, "event", "eventexpr") : std::nullopt;
  if (!events) return;
  const std::string location(trimmed(node, "idlocation"));
  const std::string given(trimmed(node, "id")), made_id = "send." + std::to_string(node.offset_debug());
  // The error event of a failed send carries its id, made up where none is given (section 5.10.1).
  const std::string id = given.empty() && !location.empty() ? made_id : given;
  if (!own_type(types->front().value))
    return fail(node, "error.execution", "there is no event processor \"" + quotable(types->front().value) + "\"",
                id.empty() ? made_id : id);
  const auto time = delay(node);
  if (!time) return;
  if (!location.empty()) {
    EcmaValue made;
    made.type = EcmaValue::Type::text, made.literal = made_id;
    made.text = names_.text_number(*made.literal);
    assign(node, location, made);
  }
  for (const Choice& target : *targets)
    for (const Choice& event : *events) {
      const std::string when = both(target.condition, event.condition), outer = guard_;
      if (event.value.empty())
        return report_.add(Severity::warning, "SCX015", node, element_, "it names no event and is left out.", true);
      const bool internal = target.value == "#_internal";
      if (!internal && !target.value.empty() && target.value != "#_scxml_session") {
        guard_ = both(guard_, when);
        fail(node, target.value.substr(0, 2) == "#_" ? "error.communication" : "error.execution",
             "the target \"" + quotable(target.value) + "\" cannot be reached", id.empty() ? made_id : id);
        guard_ = outer;
        continue;
      }
      const auto arguments = parameters(node, event.value, internal ? "internal" : "external", id);
      if (!arguments) return;
      if (internal) emit("raise", names_.event_name(event.value) + *arguments, when);
      else
        emit("send",
             names_.event_name(event.value) + (time->empty() ? "" : ", delay = " + *time) +
                 (id.empty() ? "" : ", id = " + names_.send_id(id)) + *arguments,
             when);
    }
}

void ScxmlContent::cancel(pugi::xml_node node) {
  const auto ids = choices(node, "sendid", "sendidexpr");
  if (!ids) return;
  for (const Choice& id : *ids)
    if (!id.value.empty()) emit("cancel", names_.send_id(id.value), id.condition);
}

// A param that fails is left out, and the others stay (section 5.7). Content that fails is empty (section 5.6); the
// W3C's test528 takes that for no data.
std::string ScxmlContent::done_data(pugi::xml_node node, const std::string& id, ElementId element) {
  begin(element);
  for (const std::string& bound : names_.done_bounds(id)) append(bound + " := false");
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    guard_.clear(), spared_.clear(), stopped_ = false;
    const bool content = local_name(child) == "content";
    const std::string key = content ? "" : child.attribute("name").value();
    const std::string name = names_.done_variable(id, key);
    names_.variable(name);
    if (content && !child.attribute("expr")) {
      const std::string text(trim(child.child_value()));
      assign(child, name, constant(text));
    } else if (const auto read =
                   value(child, std::string(trimmed(child, child.attribute("location") ? "location" : "expr")))) {
      assign(child, name, *read);
    }
  }
  return out_;
}

}  // namespace ergode
