#include "app/gui/edit/label.h"

#include "app/session/rename.h"
#include "core/base/text.h"
#include "core/drawing/diagram_geometry.h"

namespace ergode {

std::string editable_label(const Element& element) {
  if (element.kind == "transition") return transition_label(element);
  if (element.kind == "note") return element.text("text");
  return element.name();
}

std::optional<TransitionLabel> parse_transition_label(const std::string& text, int& column) {
  std::string trigger, guard, action;
  std::size_t at = 0;
  int round = 0;
  while (at < text.size() && !(round == 0 && (text[at] == '[' || text[at] == '/'))) {
    if (text[at] == '(') ++round;
    if (text[at] == ')' && round > 0) --round;
    trigger += text[at++];
  }
  if (at < text.size() && text[at] == '[') {
    const std::size_t opened = at++;
    int depth = 1;
    while (at < text.size() && depth > 0) {
      if (text[at] == '[') ++depth;
      if (text[at] == ']') --depth;
      if (depth > 0) guard += text[at];
      ++at;
    }
    if (depth > 0) {
      column = static_cast<int>(opened) + 1;
      return std::nullopt;
    }
    while (at < text.size() && text[at] == ' ') ++at;
    if (at < text.size() && text[at] != '/') {
      column = static_cast<int>(at) + 1;
      return std::nullopt;
    }
  }
  if (at < text.size()) action = text.substr(at + 1);
  return TransitionLabel{std::string(trim(trigger)), std::string(trim(guard)), std::string(trim(action))};
}

std::optional<Command> relabel(const Document& document, ElementId id, const std::string& text, std::string& why_not) {
  const Element* element = document.find(id);
  if (element == nullptr) return std::nullopt;
  const std::string wanted(trim(text));
  if (element->kind == "transition") {
    int column = 0;
    const auto label = parse_transition_label(wanted, column);
    if (!label) {
      why_not = "Column " + std::to_string(column) + ": write trigger [guard] / actions; the bracket does not close.";
      return std::nullopt;
    }
    Edit edit(document, "Edit transition label");
    const auto put = [&](const char* property, const std::string& value) {
      if (element->text(property) != value) edit.set(id, property, value.empty() ? Value() : Value(value));
    };
    put("trigger", label->trigger);
    put("guard", label->guard);
    put("action", label->action);
    return edit.finish();
  }
  if (element->kind == "note") {
    Edit edit(document, "Edit note");
    edit.set(id, "text", wanted.empty() ? Value() : Value(wanted));
    return edit.finish();
  }
  if (wanted == element->name()) return Edit(document, "Rename").finish();
  const bool free_text =
      element->section == Section::model || element->kind == "ccf_group" || element->section == Section::scenario;
  const bool may_be_empty = is_point_kind(element->kind);
  if (wanted.empty() ? !may_be_empty : (!free_text && !is_identifier(wanted))) {
    why_not = "A name has letters, digits and _ and does not begin with a digit: \"" + wanted + "\" is not one.";
    return std::nullopt;
  }
  return rename_element(document, id, wanted);
}

}  // namespace ergode
