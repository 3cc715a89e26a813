#include "statecharts/exchange/scxml_content.h"

#include <algorithm>
#include <filesystem>

#include "core/base/file_access.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

constexpr int deepest_content = 60;
constexpr std::size_t longest_loop = 1000;

}  // namespace

std::string both(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return "(" + a + ") and (" + b + ")";
}

std::string_view trimmed(pugi::xml_node node, const char* attribute) { return trim(node.attribute(attribute).value()); }

std::optional<std::string> file_text(const std::string& folder, std::string_view name) {
  if (name.substr(0, 5) == "file:") name.remove_prefix(5);
  const auto path = permitted_file({folder}, name);
  const auto* full = std::get_if<std::filesystem::path>(&path);
  if (full == nullptr) return {};
  auto text = read_text(full->string());
  if (auto* read = std::get_if<std::string>(&text)) return std::move(*read);
  return {};
}

std::string_view local_name(pugi::xml_node node) {
  const std::string_view name = node.name();
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

void ScxmlReport::add(Severity severity, const char* code, pugi::xml_node node, ElementId element,
                      const std::string& message, bool lost, std::string hint) {
  if (lost) complete = false;
  const auto offset = node.offset_debug();
  const TextPlace place = places_.at(offset < 0 ? 0 : static_cast<std::size_t>(offset));
  const std::string at = std::to_string(place.line) + ":" + std::to_string(place.column);
  diagnostics.push_back({.severity = severity,
                         .code = code,
                         .element = element,
                         .pointer = at,
                         .message = "<" + quotable(node.name()) + ">: " + message,
                         .hint = std::move(hint)});
}

std::string ScxmlContent::live(const std::string& condition) const { return both(both(spared_, guard_), condition); }

void ScxmlContent::emit(const std::string& call, const std::string& arguments, const std::string& condition) {
  const std::string when = live(condition);
  append(call + "(" + arguments + (when.empty() ? "" : ", if = " + when) + ")");
}

void ScxmlContent::fail(pugi::xml_node node, const char* event, const std::string& why, const std::string& id) {
  report_.add(Severity::info, "SCX009", node, element_, why + "; it raises " + event + " and ends its block.", false);
  std::string arguments = event;
  emit("raise", arguments + fields(event, "platform", id));
  if (guard_.empty()) stopped_ = true;
  else spared_ = both(spared_, "not (" + guard_ + ")");
}

void ScxmlContent::fail_if(pugi::xml_node node, std::string fails, const std::string& why) {
  report_.add(Severity::info, "SCX009", node, element_, why + "; it then raises error.execution and ends its block.",
              false);
  // Kept, because what follows may change what was asked.
  if (!names_.asks_the_event_alone(fails)) {
    ScxmlNames::Variable& kept = names_.variable(" if " + std::to_string(++branches_));
    names_.widen(kept, EcmaValue());
    kept.undefined = false;
    append(kept.name + " := (" + fails + ") ? 1 : 0");
    fails = kept.name + " == 1";
  }
  emit("raise", "error.execution" + fields("error.execution", "platform", ""), fails);
  spared_ = both(spared_, "not (" + both(guard_, fails) + ")");
}

std::string ScxmlContent::execution_error(const std::string& fails) {
  return "raise(error.execution" + fields("error.execution", "platform", "") +
         (fails == "true" ? "" : ", if = " + fails) + ")";
}

std::optional<EcmaValue> ScxmlContent::value(pugi::xml_node node, const std::string& text) {
  const EcmaResult result = translate_ecma(text, names_);
  if (const auto* error = std::get_if<EcmaError>(&result)) {
    if (error->certain) fail(node, "error.execution", "\"" + quotable(text, 80) + "\" has " + error->message);
    else
      report_.add(Severity::warning, "SCX008", node, element_,
                  "\"" + quotable(text, 80) + "\" needs " + error->message +
                      ", which our expressions have not; it is left out.",
                  true, "Only numbers, truth values and texts as constants are carried over.");
    return std::nullopt;
  }
  EcmaValue out = std::get<EcmaValue>(result);
  if (out.fails == "true") {
    fail(node, "error.execution",
         "\"" + quotable(text, 80) + "\" cannot be evaluated: it reads what is not declared or not bound");
    return std::nullopt;
  }
  if (!out.fails.empty()) {
    names_.note_bound(out.fails);
    fail_if(node, out.fails, "\"" + quotable(text, 80) + "\" cannot always be evaluated");
  }
  report_done_data(node, text);
  if (out.event_name) names_.use_field("name");
  names_.note_bound(out.text);
  return out;
}

// What final states leave is read by handlers of their done event alone; others would not find it.
void ScxmlContent::report_done_data(pugi::xml_node node, const std::string& text) {
  if (!names_.take_done_data_missed()) return;
  report_.add(Severity::warning, "SCX008", node, element_,
              "\"" + quotable(text, 80) +
                  "\" may read what a final state leaves; wanted a transition of its own for done.state of that state.",
              true);
}

// --- values -------------------------------------------------------------------------------------------------------

void ScxmlContent::assign(pugi::xml_node node, const std::string& location, const EcmaValue& value) {
  ScxmlNames::Variable* variable = names_.find_variable(location);
  if (variable == nullptr) return fail(node, "error.execution", "\"" + quotable(location) + "\" cannot be assigned to");
  variable->assigned = true;
  const bool object = value.type == EcmaValue::Type::object;
  if (value.type == EcmaValue::Type::array || variable->array || object)
    return report_.add(
        Severity::warning, "SCX008", node, element_,
        (object ? "an object is assigned to \"" : "an array is assigned to \"") + quotable(location) +
            (object ? "\"; variables hold numbers, truth values and texts." : "\"; arrays are constants here."),
        true);
  names_.widen(*variable, value);
  std::string text = variable->is_condition() ? ecma_condition(value) : ecma_number(value);
  const std::string when = live();
  if (!when.empty()) text = "(" + when + ") ? (" + text + ") : " + variable->name;
  append(variable->name + " := " + text);
  if (variable->tracked)
    append(variable->bound_name + " := " + (when.empty() ? "true" : variable->bound_name + " or (" + when + ")"));
}

void ScxmlContent::assign_text(pugi::xml_node node, const std::string& location, const std::string& expression) {
  if (names_.find_variable(location) == nullptr)
    return fail(node, "error.execution", "\"" + quotable(location) + "\" cannot be assigned to");
  if (const auto translated = value(node, expression)) assign(node, location, *translated);
}

ScxmlContent::Condition ScxmlContent::condition(pugi::xml_node node, ElementId element) {
  const std::string text(trimmed(node, "cond"));
  if (text.empty()) return {};
  const auto never = [&](const std::string& why) {
    report_.add(
        Severity::info, "SCX009", node, element,
        "the condition \"" + quotable(text, 80) + "\" " + why + "; it counts as false and raises error.execution.",
        false);
    return Condition{"false", "true"};
  };
  const EcmaResult result = translate_ecma(text, names_);
  if (const auto* error = std::get_if<EcmaError>(&result)) {
    if (error->certain) return never("has " + error->message);
    report_.add(Severity::warning, "SCX008", node, element,
                "the condition \"" + quotable(text, 80) + "\" needs " + error->message +
                    ", which our expressions have not; it is kept as never.",
                true);
    return {"false", ""};
  }
  report_done_data(node, text);
  const auto& value = std::get<EcmaValue>(result);
  if (value.fails == "true") return never("reads what is not declared or not bound");
  std::string out = ecma_condition(value);
  names_.note_bound(out), names_.note_bound(value.fails);
  if (!value.fails.empty()) {
    report_.add(Severity::info, "SCX009", node, element,
                "the condition \"" + quotable(text, 80) +
                    "\" cannot always be evaluated; it then counts as false and raises "
                    "error.execution.",
                false);
    return {out == "false" ? out : both("not (" + value.fails + ")", out == "true" ? "" : out), value.fails};
  }
  return {out == "true" ? std::string() : out, ""};
}

std::string ScxmlContent::judged(pugi::xml_node node, const std::string& asked) {
  const Condition out = condition(node, element_);
  if (!out.fails.empty())
    emit("raise", "error.execution" + fields("error.execution", "platform", ""),
         both(asked, out.fails == "true" ? "" : out.fails));
  return out.text;
}

std::string ScxmlContent::data(pugi::xml_node node, ElementId element) {
  begin(element);
  const std::string id = node.attribute("id").value();
  ScxmlNames::Variable& variable = names_.variable(id);
  std::string text = node.attribute("expr").value();
  const bool inline_content = text.empty() && node.first_child();
  if (inline_content) text = std::string(trim(node.child_value()));
  if (const auto src = trimmed(node, "src"); !src.empty()) {
    const auto content = file_text(folder_, src);
    if (!content) return fail(node, "error.execution", "the file \"" + quotable(src) + "\" cannot be read"), out_;
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
  if (translated == nullptr || !translated->fails.empty()) return value(node, text), out_;
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
  begin(element);
  for (const pugi::xml_node child : parent.children())
    if (child.type() == pugi::node_element && !stopped_) execute(child);
  return out_;
}

void ScxmlContent::execute(pugi::xml_node node) {
  const std::string_view name = local_name(node);
  if (++nesting_ > deepest_content)
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
  else if (name == "log") log(node);
  else if (name == "script") statements(node, script_text(node), 0);
  else report_.add(Severity::warning, "SCX005", node, element_, "it has no counterpart and is left out.", true);
  --nesting_;
}

// What it says is left out, but an expression that fails is an error like any other (section 5.9).
void ScxmlContent::log(pugi::xml_node node) {
  ++report_.logs;
  const std::string text(trimmed(node, "expr"));
  const EcmaResult result = translate_ecma(text, names_);
  const auto* error = std::get_if<EcmaError>(&result);
  const bool fails = error != nullptr ? error->certain : !std::get<EcmaValue>(result).fails.empty();
  if (!text.empty() && fails) (void)value(node, text);
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
    if (value == nullptr || value->type == EcmaValue::Type::array || !value->fails.empty()) return false;
    ++all;
  }
  // A condition that may fail raises an event.
  const auto fails = [this](pugi::xml_node at) {
    const EcmaResult read = translate_ecma(trimmed(at, "cond"), names_);
    const auto* judgement = std::get_if<EcmaValue>(&read);
    const auto* error = std::get_if<EcmaError>(&read);
    return (judgement != nullptr && !judgement->fails.empty()) || (error != nullptr && error->certain);
  };
  if (fails(node)) return false;
  for (const pugi::xml_node child : node.children())
    if (local_name(child) == "elseif" && fails(child)) return false;
  ScxmlNames::Variable* variable = names_.find_variable(location);
  if (all == 0 || variable == nullptr || variable->array || variable->tracked || !live().empty()) return false;
  std::string text, condition = this->condition(node, element_).text;
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
      condition = name == "else" ? std::string() : this->condition(child, element_).text;
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
  guard_ = both(guard_, judged(node, {}));
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
  std::string asked;  // no branch before holds
  const auto add = [&](pugi::xml_node at) {
    if (tail != "0") return;
    const std::string condition = judged(at, asked);
    if (condition.empty()) tail = std::to_string(count);
    else decision += "(" + condition + ") ? " + std::to_string(count) + " : ";
    asked = both(asked, "not (" + (condition.empty() ? "true" : condition) + ")");
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
    return fail(node, "error.execution", "\"" + quotable(array) + "\" is no array");
  if (!constant || translated->elements.size() > longest_loop)
    return report_.add(Severity::warning, "SCX011", node, element_,
                       "the array \"" + quotable(array) + "\" is not a constant one of numbers; it is left out.", true);
  const std::string item(trimmed(node, "item")), index(trimmed(node, "index"));
  for (const std::string& name : {item, index})
    if (!name.empty() && !is_ecma_location(name))
      return fail(node, "error.execution", "\"" + quotable(name) + "\" is no name of a variable");
  const std::vector<double> elements = translated->elements;
  for (std::size_t i = 0; i < elements.size() && !stopped_; ++i) {
    EcmaValue number;
    number.text = number_text(elements[i]);
    if (!item.empty()) names_.variable(item), assign(node, item, number);
    number.text = std::to_string(i);
    if (!index.empty()) names_.variable(index), assign(node, index, number);
    for (const pugi::xml_node child : node.children())
      if (child.type() == pugi::node_element && !stopped_) execute(child);
    // Loops inside loops multiply what is written.
    if (out_.size() > 1000000) {
      report_.add(Severity::warning, "SCX011", node, element_, "it is too long when unrolled; it is cut.", true);
      return;
    }
  }
}

}  // namespace ergode
