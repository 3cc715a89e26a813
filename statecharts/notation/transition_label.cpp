#include "statecharts/notation/transition_label.h"

#include "core/base/text.h"
#include "statecharts/lower/common_cause.h"

namespace ergode {
namespace {

Diagnostic open_bracket(std::size_t at) {
  return {.code = "SCH002",
          .message = "the bracket does not close",
          .hint = "write trigger [guard] / actions",
          .column = static_cast<int>(at) + 1};
}

/// The parts of a label as they are drawn.
std::vector<std::string> parts_of(const Element& transition) {
  std::vector<std::string> parts;
  if (const std::string trigger = transition.text("trigger"); !trigger.empty()) parts.push_back(trigger);
  if (const std::string guard = transition.text("guard"); !guard.empty()) parts.push_back("[" + guard + "]");
  if (const std::string action = transition.text("action"); !action.empty()) parts.push_back("/ " + action);
  std::string constraints;
  const auto constrain = [&](const std::string& text) { constraints += (constraints.empty() ? "" : ", ") + text; };
  if (transition.text("type") == "internal") constrain("internal");
  if (transition.text("memory") == "resume") constrain("resume");
  if (const std::string priority = transition.text("priority"); !priority.empty() && priority != "0")
    constrain("priority " + priority);
  if (!constraints.empty()) parts.push_back("{" + constraints + "}");
  return parts;
}

}  // namespace

std::string transition_label(const Element& transition) {
  std::string label = transition.text("trigger");
  const std::string guard = transition.text("guard"), action = transition.text("action");
  if (!guard.empty()) label += (label.empty() ? "[" : " [") + guard + "]";
  if (!action.empty()) label += (label.empty() ? "/ " : " / ") + action;
  return label;
}

std::variant<PropertyTexts, Diagnostic> read_transition_label(const std::string& text) {
  std::string trigger, guard, action;
  std::size_t at = 0;
  int round = 0;
  // Slashes in `rate(1e-3 /h)` and brackets in `count(EDG[*].Failed)` are part of the trigger.
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
    if (depth > 0) return open_bracket(opened);
    while (at < text.size() && text[at] == ' ') ++at;
    if (at < text.size() && text[at] != '/') return open_bracket(at);
  }
  if (at < text.size()) action = text.substr(at + 1);
  return PropertyTexts{{"trigger", std::string(trim(trigger))},
                       {"guard", std::string(trim(guard))},
                       {"action", std::string(trim(action))}};
}

EdgeLook transition_look(const Element& transition) {
  EdgeLook out;
  const std::string trigger = transition.text("trigger");
  if (transition.text("role") == "failure") out.role = Role::failure;
  if (trigger.starts_with("rate") || trigger.starts_with("ccf")) out.head = ArrowHead::open;
  out.label = parts_of(transition);
  out.clock = trigger.starts_with("after");
  out.pill_of = common_cause_of(transition);
  out.pill_prefix = "CCF";
  out.pill_role = Role::ccf, out.role_with_pill = Role::failure;
  return out;
}

}  // namespace ergode
