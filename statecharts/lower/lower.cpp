#include "statecharts/lower/lower.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "core/base/text.h"
#include "core/expression/compile.h"

namespace ergode {
namespace {

class ChartLowering {
 public:
  ChartLowering(const Document& document, const Element& diagram, Diagnostics& problems)
      : document_(document), diagram_(diagram), problems_(problems) {
    for (const Element* node : document.nodes(diagram.id)) children_[node->parent].push_back(node);
  }

  StateChart lower() {
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
    if (!has_errors(problems_)) choices();
    if (chart_.states.size() > 1 && !has_errors(problems_)) reachable();
    return std::move(chart_);
  }

 private:
  void report(const char* code, ElementId id, const char* property, std::string message, std::string hint = {},
              Severity severity = Severity::error, int column = 0) {
    problems_.push_back({.severity = severity,
                         .code = code,
                         .element = id,
                         .pointer = property,
                         .message = std::move(message),
                         .hint = std::move(hint),
                         .column = column});
  }
  State& state(int index) { return chart_.states[static_cast<std::size_t>(index)]; }

  void variables();
  void fill(int parent, ElementId container);
  int add_state(const Element& node, int parent, State::Kind kind);
  void transitions();
  void read_trigger(const Element& edge, Transition& t);
  void read_guard(const Element& edge, Transition& t);
  std::vector<ActionSyntax> actions(const Element& element, const char* property);
  void initials();
  void choices();
  void reachable();

  const Document& document_;
  const Element& diagram_;
  Diagnostics& problems_;
  StateChart chart_;
  std::unordered_map<ElementId, std::vector<const Element*>> children_;
  std::unordered_map<ElementId, int> index_;             ///< node -> state
  std::unordered_map<ElementId, int> initial_of_;        ///< initial node -> its composite
  std::map<int, std::vector<const Element*>> initials_;  ///< composite -> initial nodes drawn in it
};

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
  out.entry = actions(node, "entry"), out.exit = actions(node, "exit");
  out.entry_text = node.text("entry"), out.exit_text = node.text("exit");
  const int index = static_cast<int>(chart_.states.size());
  out.last = index;
  chart_.states.push_back(std::move(out));
  state(parent).children.push_back(index);
  index_[node.id] = index;
  return index;
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
    if (kind != "state" && kind != "region" && kind != "final" && kind != "choice") {
      if (kind != "note" && kind != "variable")
        report("DOC001", node->id, "kind",
               "The kind \"" + kind + "\" is not known to this version; the element is kept but has no effect.", {},
               Severity::warning);
      continue;
    }
    if (kind == "state" || kind == "region") {
      if (!is_identifier(node->name()))
        report("SCH003", node->id, "name",
               "The " + kind + "'s name is \"" + node->name() + "\"; wanted letters, digits and _.");
      else if (!names.insert(node->name()).second)
        report("SCH004", node->id, "name", "The name \"" + node->name() + "\" is used twice in the same place.",
               "Rename one of them.");
    }
    bool regions = false, vertices = false;
    for (const Element* child : children_[node->id]) {
      regions = regions || child->kind == "region";
      vertices = vertices || child->kind == "state" || child->kind == "initial" || child->kind == "final" ||
                 child->kind == "choice";
    }
    State::Kind meaning = State::Kind::atomic;
    if (kind == "final") meaning = State::Kind::final;
    else if (kind == "choice") meaning = State::Kind::choice;
    else if (kind == "region") meaning = State::Kind::composite;
    else if (regions) meaning = State::Kind::parallel;
    else if (vertices) meaning = State::Kind::composite;
    if (regions && vertices)
      report("SCH005", node->id, "", "The state has both regions and states of its own; wanted one or the other.");
    if (kind == "region" && state(parent).kind != State::Kind::parallel)
      report("SCH005", node->id, "", "The region stands outside a state; wanted a state around it.");
    const int index = add_state(*node, parent, meaning);
    if (kind == "state" || kind == "region") fill(index, node->id);
    state(index).last = static_cast<int>(chart_.states.size()) - 1;
  }
  state(parent).last = static_cast<int>(chart_.states.size()) - 1;
}

void ChartLowering::read_trigger(const Element& edge, Transition& t) {
  const std::string text(trim(edge.text("trigger")));
  t.trigger.text = text;
  if (text.empty()) return;
  const auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    report(error->code == "EXP001" ? "SCH006" : error->code.c_str(), edge.id, "trigger",
           "The trigger \"" + text + "\": " + error->message, {}, Severity::error, error->column);
    return;
  }
  const Syntax& s = std::get<Syntax>(parsed);
  if (s.kind == Syntax::Kind::path && s.index == Syntax::Index::none && s.unit.empty()) {
    t.trigger.kind = Trigger::Kind::event;
    for (const Syntax::Segment& segment : s.segments)
      t.trigger.event += (t.trigger.event.empty() ? "" : ".") + segment.word;
    return;
  }
  static const std::pair<const char*, Trigger::Kind> calls[] = {
      {"after", Trigger::Kind::after}, {"rate", Trigger::Kind::rate}, {"at", Trigger::Kind::at},
      {"every", Trigger::Kind::every}, {"when", Trigger::Kind::when}, {"ccf", Trigger::Kind::common_cause},
      {"p", Trigger::Kind::branch}};
  if (s.kind == Syntax::Kind::call) {
    for (const auto& [word, kind] : calls) {
      if (s.word != word) continue;
      if (s.children.size() != 1)
        return report("SCH006", edge.id, "trigger",
                      s.word + "(...) has " + std::to_string(s.children.size()) + " arguments; wanted one.");
      t.trigger.kind = kind;
      t.trigger.argument = s.children.front();
      if (kind == Trigger::Kind::common_cause) {
        if (!s.children.front().is_word())
          return report("SCH006", edge.id, "trigger", "ccf(...) wants the name of a cause.");
        t.trigger.event = s.children.front().segments.front().word;
      }
      return;
    }
  }
  report("SCH006", edge.id, "trigger",
         "The trigger \"" + text +
             "\" is not understood; wanted after(), rate(), at(), every(), when(), ccf(), p() or an event's name.");
}

void ChartLowering::read_guard(const Element& edge, Transition& t) {
  const std::string text(trim(edge.text("guard")));
  t.guard_text = text;
  if (text.empty()) return;
  if (text == "else") {
    t.otherwise = true;
    return;
  }
  auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    report(error->code.c_str(), edge.id, "guard", "The guard \"" + text + "\" does not parse: " + error->message, {},
           Severity::error, error->column);
    return;
  }
  Syntax guard = std::get<Syntax>(std::move(parsed));
  const bool negated = guard.kind == Syntax::Kind::unary && guard.word == "not";
  const Syntax& inner = negated ? guard.children.front() : guard;
  if (inner.kind == Syntax::Kind::call && inner.word == "ccf") {
    if (inner.children.size() != 1 || !inner.children.front().is_word())
      return report("SCH006", edge.id, "guard", "ccf(...) wants the name of a cause.");
    if (t.trigger.kind == Trigger::Kind::when)
      return report("SCH006", edge.id, "guard",
                    "when(...) and a demand ccf(...) stand on one transition; wanted one of them.",
                    "Lead the transition to a choice with the demand.");
    t.demand_cause = inner.children.front().segments.front().word;
    t.demand_negated = negated;
    return;
  }
  t.guard.push_back(std::move(guard));
}

void ChartLowering::transitions() {
  const auto edges = document_.edges(diagram_.id);
  for (const Element* edge : edges) {
    if (edge->kind != "transition") {
      report("DOC001", edge->id, "kind",
             "The kind \"" + edge->kind + "\" is not known to this version; the element is kept but has no effect.", {},
             Severity::warning);
      continue;
    }
    Transition t;
    t.element = edge->id;
    const auto source = index_.find(edge->source), target = index_.find(edge->target);
    const auto initial = initial_of_.find(edge->source);
    if (target == index_.end()) {
      report("SCH007", edge->id, "target", "The transition ends at something that is no state.");
      continue;
    }
    t.target = target->second;
    read_trigger(*edge, t);
    read_guard(*edge, t);
    t.actions = actions(*edge, "action");
    t.action_text = edge->text("action");
    const std::string role = edge->text("role", "none");
    if (role == "failure") t.role = TransitionRole::failure;
    else if (role == "repair") t.role = TransitionRole::repair;
    else if (role != "none")
      report("DOC002", edge->id, "role", "The role is \"" + role + "\"; wanted none, failure or repair.");
    const auto priority = parse_number(edge->text("priority", "0"));
    if (priority && *priority == std::floor(*priority) && std::abs(*priority) <= 1e6)
      t.priority = static_cast<int>(*priority);
    else
      report("DOC002", edge->id, "priority",
             "The priority is \"" + edge->text("priority") + "\"; wanted a whole number up to a million.");
    const int index = static_cast<int>(chart_.transitions.size());
    if (initial != initial_of_.end()) {
      State& composite = state(initial->second);
      if (t.trigger.kind != Trigger::Kind::none || !t.guard_text.empty())
        report("SCH002", edge->id, "trigger",
               "The transition from an initial state has a trigger or guard; wanted none.",
               "Lead it to a choice instead.");
      // Of two initial states in one place initials() speaks.
      const bool same =
          composite.initial >= 0 &&
          document_.find(chart_.transitions[static_cast<std::size_t>(composite.initial)].element)->source ==
              edge->source;
      if (same)
        report("SCH002", edge->id, "", "Two transitions leave the initial state; wanted one.",
               "Lead it to a choice instead.");
      if (!chart_.inside(t.target, initial->second) || t.target == initial->second)
        report("SCH002", edge->id, "target", "The initial transition leaves its region; wanted a state inside it.");
      composite.initial = index;
      t.source = initial->second;
    } else if (source == index_.end()) {
      report("SCH007", edge->id, "source", "The transition starts at something that is no state.");
      continue;
    } else {
      t.source = source->second;
      if (state(t.source).kind == State::Kind::final)
        report("SCH007", edge->id, "source", "A final state has no way out.");
    }
    chart_.transitions.push_back(std::move(t));
  }
  // Document order except for priorities; the initial transitions keep their index only if nothing moves, so sort by
  // index.
  std::vector<int> order(chart_.transitions.size()), place(chart_.transitions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return chart_.transitions[static_cast<std::size_t>(a)].priority >
           chart_.transitions[static_cast<std::size_t>(b)].priority;
  });
  std::vector<Transition> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    sorted.push_back(std::move(chart_.transitions[static_cast<std::size_t>(order[i])]));
  }
  chart_.transitions = std::move(sorted);
  for (State& s : chart_.states)
    if (s.initial >= 0) s.initial = place[static_cast<std::size_t>(s.initial)];
}

void ChartLowering::initials() {
  if (chart_.states.size() == 1)
    return report("SCH001", diagram_.id, "", "The chart \"" + chart_.name + "\" has no states.", "Draw at least one.");
  for (std::size_t i = 0; i < chart_.states.size(); ++i) {
    State& s = chart_.states[i];
    const auto drawn = initials_.find(static_cast<int>(i));
    const std::size_t count = drawn == initials_.end() ? 0 : drawn->second.size();
    if (count > 1)
      report("SCH002", drawn->second[1]->id, "",
             "There are " + std::to_string(count) + " initial states in one place; wanted one.");
    if (s.kind == State::Kind::parallel) {
      if (count > 0)
        report("SCH002", drawn->second[0]->id, "",
               "A state with regions needs no initial state; each region has its own.");
      continue;
    }
    if (s.kind != State::Kind::composite) continue;
    const std::string where =
        i == 0 ? "The chart \"" + s.name + "\"" : "\"" + state_path(chart_, static_cast<int>(i)) + "\"";
    if (count == 0)
      report("SCH001", s.element, "",
             where + " has no initial state; wanted one, with a transition to the state where it begins.",
             "Add an initial state and connect it.");
    else if (s.initial < 0)
      report("SCH001", drawn->second[0]->id, "",
             "The initial state of " + where + " leads nowhere; wanted one transition from it.");
  }
}

void ChartLowering::choices() {
  for (std::size_t i = 0; i < chart_.states.size(); ++i) {
    if (chart_.states[i].kind != State::Kind::choice) continue;
    int ways = 0, weighted = 0, otherwise = 0, both = 0, triggered = 0;
    for (const Transition& t : chart_.transitions) {
      if (t.source != static_cast<int>(i)) continue;
      ++ways;
      if (t.trigger.kind == Trigger::Kind::branch) ++weighted;
      else if (t.trigger.kind != Trigger::Kind::none) ++triggered;
      if (t.otherwise || (t.guard_text.empty() && t.trigger.kind == Trigger::Kind::none)) ++otherwise;
      else if (!t.guard_text.empty() && t.trigger.kind == Trigger::Kind::branch) ++both;
    }
    const ElementId id = chart_.states[i].element;
    if (ways == 0) report("SCH008", id, "", "The choice has no way out.");
    if (triggered > 0)
      report("SCH008", id, "", "A branch of the choice waits for a trigger; wanted guards or p(...) only.");
    if (weighted > 0 && weighted != ways && !(weighted == ways - 1 && otherwise == 1))
      report("SCH008", id, "",
             "Some branches have probabilities and some have not; wanted p(...) on all, or on all but one `else`.");
    const bool demand = std::any_of(chart_.transitions.begin(), chart_.transitions.end(), [&](const Transition& t) {
      return t.source == static_cast<int>(i) && !t.demand_cause.empty();
    });
    if (weighted == 0 && otherwise == 0 && ways > 0 && !demand)
      report("SCH008", id, "", "The choice has no `else`; it would be stuck when no guard holds.",
             "Give one branch the guard else.");
    if (both > 0) report("SCH008", id, "", "A branch of the choice has a probability and a guard; wanted one of them.");
  }
  for (const Transition& t : chart_.transitions)
    if (t.trigger.kind == Trigger::Kind::branch &&
        chart_.states[static_cast<std::size_t>(t.source)].kind != State::Kind::choice)
      report("SCH008", t.element, "trigger", "p(...) stands on a transition that does not leave a choice.");
}

void ChartLowering::reachable() {
  std::vector<bool> seen(chart_.states.size());
  std::vector<int> open = {0};
  const auto enter = [&](int s) {
    for (int at = s; at >= 0; at = state(at).parent)
      if (!seen[static_cast<std::size_t>(at)]) seen[static_cast<std::size_t>(at)] = true, open.push_back(at);
  };
  seen[0] = true;
  while (!open.empty()) {
    const int s = open.back();
    open.pop_back();
    if (state(s).kind == State::Kind::parallel)
      for (const int region : state(s).children) enter(region);
    for (const Transition& t : chart_.transitions)
      if (t.source == s && t.target >= 0) enter(t.target);
  }
  for (std::size_t i = 1; i < chart_.states.size(); ++i)
    if (!seen[i])
      report("SCH010", chart_.states[i].element, "",
             "\"" + state_path(chart_, static_cast<int>(i)) + "\" can never be reached: no transition leads to it.", {},
             Severity::warning);
}

}  // namespace

StateChart lower_chart(const Document& document, const Element& diagram, Diagnostics& problems) {
  Diagnostics own;
  StateChart chart = ChartLowering(document, diagram, own).lower();
  problems.insert(problems.end(), own.begin(), own.end());
  return chart;
}

}  // namespace ergode
