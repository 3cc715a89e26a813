#include "statecharts/exchange/scxml_content.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/text.h"

namespace ergode {
namespace {

constexpr int deepest = 60;
constexpr std::size_t longest_loop = 1000;

std::string both(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return "(" + a + ") and (" + b + ")";
}

std::string_view trimmed(pugi::xml_node node, const char* attribute) { return trim(node.attribute(attribute).value()); }

// A file beside the document; nothing outside its folder is read.
std::optional<std::string> file_text(const std::string& folder, std::string_view name) {
  if (name.substr(0, 5) == "file:") name.remove_prefix(5);
  const std::filesystem::path path{std::string(name)};
  if (folder.empty() || name.empty() || path.is_absolute() || name.find("..") != std::string_view::npos) return {};
  std::error_code error;
  const std::filesystem::path full = std::filesystem::path(folder) / path;
  if (!std::filesystem::is_regular_file(full, error)) return {};
  std::ifstream file(full, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

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

std::string_view local_name(pugi::xml_node node) {
  const std::string_view name = node.name();
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

void ScxmlReport::add(Severity severity, const char* code, pugi::xml_node node, ElementId element,
                      const std::string& message, bool lost, std::string hint) {
  if (lost) complete = false;
  const auto offset = node.offset_debug();
  const TextPlace place = place_of(text_, offset < 0 ? 0 : static_cast<std::size_t>(offset));
  const std::string at = std::to_string(place.line) + ":" + std::to_string(place.column);
  diagnostics.push_back({.severity = severity,
                         .code = code,
                         .element = element,
                         .pointer = at,
                         .message = "<" + std::string(node.name()) + ">: " + message,
                         .hint = std::move(hint)});
}

std::string ScxmlContent::live(const std::string& condition) const { return both(both(spared_, guard_), condition); }

void ScxmlContent::emit(const std::string& call, const std::string& arguments, const std::string& condition) {
  const std::string when = live(condition);
  append(call + "(" + arguments + (when.empty() ? "" : ", if = " + when) + ")");
}

void ScxmlContent::fail(pugi::xml_node node, const char* event, const std::string& why) {
  report_.add(Severity::info, "SCX009", node, element_, why + "; it raises " + event + " and ends its block.", false);
  std::string arguments = event;
  emit("raise", arguments + fields(event, "platform", ""));
  if (guard_.empty()) stopped_ = true;
  else spared_ = both(spared_, "not (" + guard_ + ")");
}

std::optional<EcmaValue> ScxmlContent::value(pugi::xml_node node, const std::string& text) {
  const EcmaResult result = translate_ecma(text, names_);
  if (const auto* error = std::get_if<EcmaError>(&result)) {
    if (error->certain) fail(node, "error.execution", "\"" + text + "\" has " + error->message);
    else
      report_.add(Severity::warning, "SCX008", node, element_,
                  "\"" + text + "\" needs " + error->message + ", which our expressions have not; it is left out.",
                  true, "Only numbers, truth values and texts as constants are carried over.");
    return std::nullopt;
  }
  EcmaValue out = std::get<EcmaValue>(result);
  if (out.event_name) names_.use_field("name");
  names_.note_bound(out.text);
  return out;
}

// --- values -------------------------------------------------------------------------------------------------------

void ScxmlContent::assign(pugi::xml_node node, const std::string& location, const EcmaValue& value) {
  ScxmlNames::Variable* variable = names_.find_variable(location);
  if (variable == nullptr) return fail(node, "error.execution", "\"" + location + "\" cannot be assigned to");
  variable->assigned = true;
  if (value.type == EcmaValue::Type::array || variable->array)
    return report_.add(Severity::warning, "SCX008", node, element_,
                       "an array is assigned to \"" + location + "\"; arrays are constants here.", true);
  names_.widen(*variable, value);
  std::string text = variable->is_condition() ? ecma_condition(value) : ecma_number(value);
  if (value.type == EcmaValue::Type::object) text = "0";
  const std::string when = live();
  if (!when.empty()) text = "(" + when + ") ? (" + text + ") : " + variable->name;
  append(variable->name + " := " + text);
  if (variable->tracked)
    append(variable->name + "_bound := " + (when.empty() ? "true" : variable->name + "_bound or (" + when + ")"));
}

void ScxmlContent::assign_text(pugi::xml_node node, const std::string& location, const std::string& expression) {
  if (names_.find_variable(location) == nullptr)
    return fail(node, "error.execution", "\"" + location + "\" cannot be assigned to");
  if (const auto translated = value(node, expression)) assign(node, location, *translated);
}

std::string ScxmlContent::condition(pugi::xml_node node, ElementId element) {
  const std::string text(trimmed(node, "cond"));
  if (text.empty()) return {};
  const EcmaResult result = translate_ecma(text, names_);
  if (const auto* error = std::get_if<EcmaError>(&result)) {
    report_.add(error->certain ? Severity::info : Severity::warning, error->certain ? "SCX009" : "SCX008", node,
                element,
                "the condition \"" + text + "\" " + (error->certain ? "has " : "needs ") + error->message +
                    (error->certain ? "; it never holds." : ", which our expressions have not; it is kept as never."),
                !error->certain);
    return "false";
  }
  const auto& value = std::get<EcmaValue>(result);
  const std::string out = ecma_condition(value);
  names_.note_bound(out);
  return out == "true" ? std::string() : out;
}

std::string ScxmlContent::data(pugi::xml_node node, ElementId element) {
  element_ = element;
  out_.clear(), guard_.clear(), spared_.clear(), stopped_ = false;
  const std::string id = node.attribute("id").value();
  ScxmlNames::Variable& variable = names_.variable(id);
  std::string text = node.attribute("expr").value();
  const bool inline_content = text.empty() && node.first_child();
  if (inline_content) text = std::string(trim(node.child_value()));
  if (const auto src = trimmed(node, "src"); !src.empty()) {
    const auto content = file_text(folder_, src);
    if (!content) return fail(node, "error.execution", "the file \"" + std::string(src) + "\" cannot be read"), out_;
    text = std::string(trim(*content));
  }
  if (text.empty()) return {};
  names_.references = 0;
  const EcmaResult result = translate_ecma(text, names_);
  const auto* translated = std::get_if<EcmaValue>(&result);
  if (translated == nullptr && (inline_content || node.attribute("src"))) {
    variable.undefined = false;  // what is no expression is a text
    EcmaValue literal;
    literal.type = EcmaValue::Type::text, literal.literal = text;
    names_.widen(variable, literal);
    variable.initial = names_.text_number(text);
    return {};
  }
  if (translated == nullptr) return value(node, text), out_;
  if (translated->type == EcmaValue::Type::undefined) return {};
  variable.undefined = false;
  if (translated->type == EcmaValue::Type::array) {
    variable.array = true, variable.elements = translated->elements;
    return {};
  }
  names_.widen(variable, *translated);
  const std::string initial = variable.is_condition() ? ecma_condition(*translated) : ecma_number(*translated);
  if (names_.references == 0) variable.initial = initial;
  else append(variable.name + " := " + initial);
  return out_;
}

// --- executable content -------------------------------------------------------------------------------------------

std::string ScxmlContent::block(pugi::xml_node parent, ElementId element) {
  element_ = element;
  out_.clear(), guard_.clear(), spared_.clear(), stopped_ = false;
  for (const pugi::xml_node child : parent.children())
    if (child.type() == pugi::node_element && !stopped_) execute(child);
  return out_;
}

void ScxmlContent::execute(pugi::xml_node node) {
  const std::string_view name = local_name(node);
  if (++nesting_ > deepest)
    report_.add(Severity::warning, "SCX010", node, element_, "nested deeper than 60; it is left out.", true);
  else if (name == "raise") raise(node);
  else if (name == "send") send(node);
  else if (name == "cancel") cancel(node);
  else if (name == "assign") {
    const std::string location(trimmed(node, "location"));
    const std::string text =
        node.attribute("expr") ? std::string(trimmed(node, "expr")) : std::string(trim(node.child_value()));
    assign_text(node, location, text);
  } else if (name == "if") branch(node);
  else if (name == "foreach") for_each(node);
  else if (name == "log") ++report_.logs;
  else if (name == "script") statements(node, script_text(node), 0);
  else report_.add(Severity::warning, "SCX005", node, element_, "it has no counterpart and is left out.", true);
  --nesting_;
}

// Each branch assigns at most one and the same variable: one conditional assignment says it all.
bool ScxmlContent::plain_branch(pugi::xml_node node) {
  std::string location;
  int in_branch = 0, all = 0;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = local_name(child);
    if (name == "elseif" || name == "else") {
      in_branch = 0;
      continue;
    }
    if (name != "assign" || ++in_branch > 1) return false;
    if (!location.empty() && location != trimmed(child, "location")) return false;
    location = std::string(trimmed(child, "location"));
    const EcmaResult translated = translate_ecma(trimmed(child, "expr"), names_);
    const auto* value = std::get_if<EcmaValue>(&translated);
    if (value == nullptr || value->type == EcmaValue::Type::array) return false;
    ++all;
  }
  ScxmlNames::Variable* variable = names_.find_variable(location);
  if (all == 0 || variable == nullptr || variable->array || variable->tracked || !live().empty()) return false;
  std::string text, condition = this->condition(node, element_);
  bool closed = false;
  std::string value = variable->name;
  const auto close = [&] {
    if (closed) return;
    if (condition.empty()) text += value, closed = true;
    else text += "(" + condition + ") ? (" + value + ") : ";
  };
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = local_name(child);
    if (name == "elseif" || name == "else") {
      close();
      condition = name == "else" ? std::string() : this->condition(child, element_);
      value = variable->name;
      continue;
    }
    const auto translated = *this->value(child, std::string(trimmed(child, "expr")));
    names_.widen(*variable, translated);
    value = variable->is_condition() ? ecma_condition(translated) : ecma_number(translated);
  }
  close();
  if (!closed) text += variable->name;
  variable->assigned = true;
  append(variable->name + " := " + text);
  return true;
}

// One event and no other branch: its own condition says it all.
bool ScxmlContent::single_event(pugi::xml_node node) {
  pugi::xml_node only;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = local_name(child);
    if (only || (name != "raise" && name != "send" && name != "cancel")) return false;
    only = child;
  }
  if (!only || only.attribute("idlocation")) return false;
  const std::string outer = guard_;
  guard_ = both(guard_, condition(node, element_));
  execute(only);
  guard_ = outer;
  return true;
}

void ScxmlContent::branch(pugi::xml_node node) {
  if (plain_branch(node) || single_event(node)) return;
  // Which branch is taken is decided once and kept, because a branch may change what its condition reads.
  ScxmlNames::Variable& taken = names_.variable(" if " + std::to_string(++branches_));
  EcmaValue number;
  names_.widen(taken, number);
  taken.undefined = false;
  const std::string outer = guard_;
  std::string decision, tail = "0";
  int count = 1;
  const auto add = [&](pugi::xml_node at) {
    const std::string condition = this->condition(at, element_);
    if (tail != "0") return;
    if (condition.empty()) tail = std::to_string(count);
    else decision += "(" + condition + ") ? " + std::to_string(count) + " : ";
  };
  add(node);
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = local_name(child);
    if (name != "elseif" && name != "else") continue;
    ++count;
    if (name == "elseif") add(child);
    else if (tail == "0") tail = std::to_string(count);
  }
  const std::string when = live();
  append(taken.name + " := " + (when.empty() ? decision + tail : "(" + when + ") ? (" + decision + tail + ") : 0"));
  count = 1;
  guard_ = taken.name + " == 1";
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = local_name(child);
    if (name == "elseif" || name == "else") guard_ = taken.name + " == " + std::to_string(++count);
    else execute(child);
  }
  guard_ = outer;
}

void ScxmlContent::for_each(pugi::xml_node node) {
  const std::string array(trimmed(node, "array"));
  const EcmaResult result = translate_ecma(array, names_);
  const auto* translated = std::get_if<EcmaValue>(&result);
  const ScxmlNames::Variable* named = names_.find_variable(array);
  const bool constant =
      translated != nullptr && translated->type == EcmaValue::Type::array && (named == nullptr || !named->assigned);
  if (!constant && translated != nullptr && translated->type != EcmaValue::Type::array)
    return fail(node, "error.execution", "\"" + array + "\" is no array");
  if (!constant || translated->elements.size() > longest_loop)
    return report_.add(Severity::warning, "SCX011", node, element_,
                       "the array \"" + array + "\" is not a constant one of numbers; it is left out.", true);
  const std::string item(trimmed(node, "item")), index(trimmed(node, "index"));
  for (const std::string& name : {item, index})
    if (!name.empty() && !is_identifier(name))
      return fail(node, "error.execution", "\"" + name + "\" is no name of a variable");
  const std::vector<double> elements = translated->elements;
  for (std::size_t i = 0; i < elements.size() && !stopped_; ++i) {
    EcmaValue number;
    number.text = number_text(elements[i]);
    if (!item.empty()) names_.variable(item), assign(node, item, number);
    number.text = std::to_string(i);
    if (!index.empty()) names_.variable(index), assign(node, index, number);
    for (const pugi::xml_node child : node.children())
      if (child.type() == pugi::node_element && !stopped_) execute(child);
    if (out_.size() > 1000000) {
      report_.add(Severity::warning, "SCX011", node, element_, "it is too long when unrolled; it is cut.", true);
      return;
    }
  }
}

// --- events -------------------------------------------------------------------------------------------------------

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
    report_.add(Severity::warning, "SCX008", node, element_,
                std::string(expression) + "=\"" + text + "\" is not known before the run; the element is left out.",
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

std::optional<std::string> ScxmlContent::parameters(pugi::xml_node node, const std::string& event,
                                                    std::string_view type, const std::string& id) {
  std::string out;
  const auto add = [&](const std::string& name, const EcmaValue& v) {
    names_.carry(name);
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
      v = EcmaValue{};
      if (const auto number = parse_number(text)) v->text = number_text(*number);
      else v->text = names_.text_number(text);
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
    names_.carry(std::string("scxml_") + field);
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
      report_.add(Severity::warning, "SCX015", node, element_,
                  "the delay is \"" + choice.value + "\"; wanted a number of s or ms. The element is left out.", true);
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
  if (!own_type(types->front().value))
    return fail(node, "error.execution", "there is no event processor \"" + types->front().value + "\"");
  const std::string id(trimmed(node, "id"));
  const auto time = delay(node);
  if (!time) return;
  const std::string location(trimmed(node, "idlocation"));
  for (const Choice& target : *targets)
    for (const Choice& event : *events) {
      const std::string when = both(target.condition, event.condition), outer = guard_;
      if (event.value.empty())
        return report_.add(Severity::warning, "SCX015", node, element_, "it names no event and is left out.", true);
      const bool internal = target.value == "#_internal";
      if (!internal && !target.value.empty() && target.value != "#_scxml_session") {
        guard_ = both(guard_, when);
        fail(node, target.value.substr(0, 2) == "#_" ? "error.communication" : "error.execution",
             "the target \"" + target.value + "\" cannot be reached");
        guard_ = outer;
        continue;
      }
      const auto arguments = parameters(node, event.value, internal ? "internal" : "external", id);
      if (!arguments) return;
      if (internal) emit("raise", names_.event_name(event.value) + *arguments, when);
      else
        emit("send",
             names_.event_name(event.value) + (time->empty() ? "" : ", delay = " + *time) +
                 (id.empty() ? "" : ", id = " + names_.parameter(id)) + *arguments,
             when);
    }
  if (!location.empty()) {
    EcmaValue made;
    made.type = EcmaValue::Type::text, made.literal = "send." + std::to_string(node.offset_debug());
    made.text = names_.text_number(*made.literal);
    assign(node, location, made);
  }
}

void ScxmlContent::cancel(pugi::xml_node node) {
  const auto ids = choices(node, "sendid", "sendidexpr");
  if (!ids) return;
  for (const Choice& id : *ids)
    if (!id.value.empty()) emit("cancel", names_.parameter(id.value), id.condition);
}

std::string ScxmlContent::done_data(pugi::xml_node node, const std::string& id, ElementId element) {
  element_ = element;
  out_.clear(), guard_.clear(), spared_.clear(), stopped_ = false;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element || stopped_) continue;
    const bool content = local_name(child) == "content";
    const std::string key = content ? "" : child.attribute("name").value();
    EcmaValue v;
    if (content && !child.attribute("expr")) {
      const std::string text(trim(child.child_value()));
      const auto number = parse_number(text);
      if (!number) v.type = EcmaValue::Type::text, v.literal = text;
      v.text = number ? number_text(*number) : names_.text_number(text);
    } else {
      const auto translated =
          value(child, std::string(trimmed(child, child.attribute("location") ? "location" : "expr")));
      if (!translated) break;
      v = *translated;
    }
    const std::string name = names_.done_variable(id, key);
    names_.variable(name);
    assign(child, name, v);
  }
  return out_;
}

// --- scripts ------------------------------------------------------------------------------------------------------

std::string ScxmlContent::script_text(pugi::xml_node node) {
  const auto src = trimmed(node, "src");
  if (src.empty()) return node.child_value();
  const auto content = file_text(folder_, src);
  if (content) return *content;
  report_.add(Severity::warning, "SCX011", node, element_, "the file \"" + std::string(src) + "\" cannot be read.",
              true);
  return {};
}

std::string ScxmlContent::script(pugi::xml_node node, ElementId element) {
  element_ = element;
  out_.clear(), guard_.clear(), spared_.clear(), stopped_ = false;
  statements(node, script_text(node), 0);
  return out_;
}

// Cuts a script into statements: at `;` and line ends outside brackets. Comments are dropped.
void ScxmlContent::statements(pugi::xml_node node, std::string_view script, int depth) {
  std::string now;
  int brackets = 0;
  char quote = 0;
  for (std::size_t i = 0; i < script.size() && !stopped_; ++i) {
    const char c = script[i];
    if (quote == 0 && script.substr(i, 2) == "//") {
      while (i + 1 < script.size() && script[i + 1] != '\n') ++i;
      continue;
    }
    if (quote == 0 && script.substr(i, 2) == "/*") {
      const auto end = script.find("*/", i + 2);
      i = end == std::string_view::npos ? script.size() : end + 1;
      continue;
    }
    if (quote != 0 ? c == quote : (c == '"' || c == '\'')) quote = quote != 0 ? '\0' : c;
    if (quote == 0) brackets += (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
    if (quote == 0 && brackets == 0 && (c == ';' || c == '\n' || c == '}')) {
      if (c == '}') now += c;
      statement(node, trim(now), depth);
      now.clear();
    } else {
      now += c;
    }
  }
  if (!stopped_) statement(node, trim(now), depth);
}

void ScxmlContent::statement(pugi::xml_node node, std::string_view text, int depth) {
  if (text.empty()) return;
  const auto refuse = [&] {
    report_.add(Severity::warning, "SCX011", node, element_,
                "the statement \"" + std::string(text.substr(0, 60)) + "\" is left out.", true,
                "Only assignments, and functions of assignments without arguments, are carried over.");
  };
  if (depth > 8) return refuse();
  const auto word_end = text.find_first_of(" \t\r\n=+-*/(.[");
  std::string word(text.substr(0, word_end));
  if (word == "var" && word_end != std::string_view::npos) {
    text = trim(text.substr(word_end));
    word = std::string(text.substr(0, text.find_first_of(" \t=+-*/(.[")));
    if (is_identifier(word)) names_.variable(word);
  }
  if (word == "function") {
    const auto open = text.find('('), close = text.find(')'), body = text.find('{');
    if (body == std::string_view::npos || !trim(text.substr(open + 1, close - open - 1)).empty()) return refuse();
    functions_[std::string(trim(text.substr(9, open - 9)))] =
        std::string(text.substr(body + 1, text.rfind('}') - body - 1));
    return;
  }
  const std::string_view rest = trim(text.substr(std::min(word.size(), text.size())));
  if (rest == "()" && functions_.count(word) > 0) return statements(node, functions_[word], depth + 1);
  if (!is_identifier(word)) return refuse();
  if (rest == "++" || rest == "--") return assign_text(node, word, word + " " + rest[0] + " 1");
  if (rest.size() > 1 && rest[0] == '=' && rest[1] != '=')
    return assign_text(node, word, std::string(trim(rest.substr(1))));
  if (rest.size() > 2 && rest[1] == '=' && std::string_view("+-*/%").find(rest[0]) != std::string_view::npos)
    return assign_text(node, word, word + " " + rest[0] + " (" + std::string(trim(rest.substr(2))) + ")");
  if (rest.empty() && names_.find_variable(word) != nullptr) return;
  refuse();
}

}  // namespace ergode
