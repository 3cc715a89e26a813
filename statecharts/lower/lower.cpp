#include "statecharts/lower/lower.h"

#include <set>

#include "core/base/text.h"
#include "statecharts/lower/chart_lowering.h"

namespace ergode {
namespace {

bool is_state_or_choice(const std::string& kind) {
  return kind == "state" || kind == "initial" || kind == "final" || kind == "choice";
}
bool is_connector(const std::string& kind) {
  return kind == "junction" || kind == "entry_point" || kind == "exit_point" || kind == "bar";
}

}  // namespace

ChartLowering::ChartLowering(const Document& document, const Element& diagram, Diagnostics& problems)
    : document_(document), diagram_(diagram), problems_(problems) {
  for (const Element* node : document.nodes(diagram.id)) children_[node->parent].push_back(node);
}

StateChart ChartLowering::lower() {
  chart_.element = diagram_.id;
  chart_.name = diagram_.name();
  variables();
  State top;
  top.kind = State::Kind::composite;
  top.element = diagram_.id;
  top.name = chart_.name;
  chart_.states.push_back(top);
  fill(0, ElementId());
  transitions();
  initials();
  histories();
  if (!has_errors(problems_)) choices();
  if (chart_.states.size() > 1 && !has_errors(problems_)) reachable();
  return std::move(chart_);
}

void ChartLowering::report(const char* code, ElementId id, const char* property, std::string message, std::string hint,
                           Severity severity, int column) {
  problems_.push_back({.severity = severity,
                       .code = code,
                       .element = id,
                       .pointer = property,
                       .message = std::move(message),
                       .hint = std::move(hint),
                       .column = column});
}

void ChartLowering::variables() {
  std::set<std::string> names;
  for (const Element* node : document_.nodes(diagram_.id)) {
    if (node->kind != "variable") continue;
    ChartVariable v{node->id,
                    node->name(),
                    node->text("type", "real"),
                    node->text("unit"),
                    node->text("initial", "0"),
                    node->text("role", "variable") == "parameter"};
    if (!is_identifier(v.name))
      report("SCH003", node->id, "name", "The variable's name is \"" + v.name + "\"; wanted letters, digits and _.");
    else if (!names.insert(v.name).second)
      report("SCH004", node->id, "name", "The name \"" + v.name + "\" is used twice in the chart.");
    chart_.variables.push_back(std::move(v));
  }
}

std::vector<ActionSyntax> ChartLowering::actions(const Element& element, const char* property) {
  auto parsed = parse_actions(element.text(property));
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    report(error->code.c_str(), element.id, property, error->message, {}, Severity::error, error->column);
    return {};
  }
  return std::get<std::vector<ActionSyntax>>(std::move(parsed));
}

int ChartLowering::add_state(const Element& node, int parent, State::Kind kind) {
  State out;
  out.kind = kind;
  out.element = node.id;
  out.name = node.name();
  out.parent = parent;
  out.depth = state(parent).depth + 1;
  out.entry = actions(node, "entry"), out.exit = actions(node, "exit"), out.flow = actions(node, "flow");
  out.entry_text = node.text("entry"), out.exit_text = node.text("exit"), out.flow_text = node.text("flow");
  if (std::erase_if(out.flow, [](const ActionSyntax& action) { return !action.target; }) != 0)
    report("SCH017", node.id, "flow", "A flow is `variable := contribution to its derivative`; here is a call.");
  const int index = static_cast<int>(chart_.states.size());
  out.last = index;
  chart_.states.push_back(std::move(out));
  state(parent).children.push_back(index);
  index_[node.id] = index;
  return index;
}

State::Kind ChartLowering::meaning_of(const Element& node) {
  if (node.kind == "final") return State::Kind::final;
  if (node.kind == "choice") return State::Kind::choice;
  if (node.kind == "history")
    return node.text("depth", "shallow") == "deep" ? State::Kind::history_deep : State::Kind::history_shallow;
  bool regions = false, vertices = false;
  for (const Element* child : children_[node.id]) {
    regions = regions || child->kind == "region";
    vertices = vertices || is_state_or_choice(child->kind);
  }
  if (regions && vertices)
    report("SCH005", node.id, "", "The state has both regions and states of its own; wanted one or the other.");
  return regions ? State::Kind::parallel : vertices ? State::Kind::composite : State::Kind::atomic;
}

void ChartLowering::fill(int parent, ElementId container) {
  std::set<std::string> names;
  for (const Element* node : children_[container]) {
    const std::string& kind = node->kind;
    if (kind == "initial") {
      initials_[parent].push_back(node);
      initial_of_[node->id] = parent;
      continue;
    }
    if (is_connector(kind)) {
      connectors_[node->id] = node;
      continue;
    }
    if (kind == "terminate") {
      // All of them mean one final state of the whole chart: entering it leaves everything else.
      terminates_.push_back(node);
      continue;
    }
    const bool named = kind == "state" || kind == "region";
    if (!named && kind != "final" && kind != "choice" && kind != "history") {
      if (kind != "note" && kind != "variable")
        report("DOC001", node->id, "kind",
               "The kind \"" + kind + "\" is not known to this version; the element is kept but has no effect.", {},
               Severity::warning);
      continue;
    }
    if (named && !is_identifier(node->name()))
      report("SCH003", node->id, "name",
             "The " + kind + "'s name is \"" + node->name() + "\"; wanted letters, digits and _.");
    else if (named && !names.insert(node->name()).second)
      report("SCH004", node->id, "name", "The name \"" + node->name() + "\" is used twice in the same place.",
             "Rename one of them.");
    if (kind == "history" && node->text("depth", "shallow") != "shallow" && node->text("depth") != "deep")
      report("DOC002", node->id, "depth", "The depth is \"" + node->text("depth") + "\"; wanted shallow or deep.");
    if (kind == "region" && state(parent).kind != State::Kind::parallel)
      report("SCH005", node->id, "", "The region stands outside a state; wanted a state around it.");
    // The number is given before what is inside is filled in: preorder.
    const int index = add_state(*node, parent, meaning_of(*node));
    if (named) fill(index, node->id);
    state(index).last = static_cast<int>(chart_.states.size()) - 1;
  }
  if (parent == 0 && !terminates_.empty()) {
    const int end = add_state(*terminates_.front(), 0, State::Kind::final);
    for (const Element* node : terminates_) index_[node->id] = end;
  }
  state(parent).last = static_cast<int>(chart_.states.size()) - 1;
}

StateChart lower_chart(const Document& document, const Element& diagram, Diagnostics& problems) {
  // A list of its own: what is wrong with another chart must not keep this one from being checked.
  Diagnostics own;
  StateChart chart = ChartLowering(document, diagram, own).lower();
  problems.insert(problems.end(), own.begin(), own.end());
  return chart;
}

}  // namespace ergode
