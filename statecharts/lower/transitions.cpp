// Edges to transitions. An edge that ends at a connector (junction, entry or exit point, bar) goes on along the edges
// that leave it: every path from a state to states becomes one transition, with all guards and all actions of the way.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/base/text.h"
#include "statecharts/lower/chart_lowering.h"

namespace ergode {
namespace {

constexpr int longest_path = 64;           // edges through connectors; a circle is longer than any
constexpr std::size_t most_paths = 10000;  // of one edge: junctions multiply

}  // namespace

void ChartLowering::read_edge(const Element& edge, int source, Transition& t) {
  t.element = edge.id;
  t.source = source;
  read_trigger(edge, source, t);
  read_guard(edge, t);
  t.actions = actions(edge, "action");
  t.action_text = edge.text("action");
  const std::string role = edge.text("role", "none");
  if (role == "failure") t.role = TransitionRole::failure;
  else if (role == "repair") t.role = TransitionRole::repair;
  else if (role != "none")
    report("DOC002", edge.id, "role", "The role is \"" + role + "\"; wanted none, failure or repair.");
  const std::string type = edge.text("type", "external");
  t.internal = type == "internal";
  if (!t.internal && type != "external")
    report("DOC002", edge.id, "type", "The type is \"" + type + "\"; wanted external or internal.");
  const std::string memory = edge.text("memory", "restart");
  t.resume = memory == "resume";
  if (!t.resume && memory != "restart")
    report("DOC002", edge.id, "memory", "The memory is \"" + memory + "\"; wanted restart or resume.");
  if (t.resume && t.trigger.kind != Trigger::Kind::after)
    report("SCH016", edge.id, "memory", "Only a delay after(...) has an age to keep.", {}, Severity::warning);
  const auto priority = parse_number(edge.text("priority", "0"));
  if (priority && *priority == std::floor(*priority) && std::abs(*priority) <= 1e6)
    t.priority = static_cast<int>(*priority);
  else
    report("DOC002", edge.id, "priority",
           "The priority is \"" + edge.text("priority") + "\"; wanted a whole number up to a million.");
}

// Adds what an edge behind a connector says to the path so far.
bool ChartLowering::extend(Path& path, const Element& edge) {
  if (++path.length > longest_path) {
    report("SCH014", edge.id, "",
           "The way leads through more than " + std::to_string(longest_path) +
               " connectors; wanted fewer, and none of them twice.");
    return false;
  }
  Transition more;
  read_edge(edge, path.made.source, more);
  if (more.trigger.kind != Trigger::Kind::none) {
    report("SCH014", edge.id, "trigger",
           "The edge leaves a connector and has the trigger \"" + more.trigger.text +
               "\"; wanted it on the edge that leaves the state.");
    return false;
  }
  if (!more.demand_cause.empty() && (!path.made.demand_cause.empty() || !path.made.guard.empty())) {
    report("SCH014", edge.id, "guard", "A demand ccf(...) stands behind another guard on one way.",
           "Lead the transition to a choice with the demand.");
    return false;
  }
  Transition& t = path.made;
  t.fault.insert(t.fault.end(), more.fault.begin(), more.fault.end());
  if (!more.demand_cause.empty()) t.demand_cause = more.demand_cause, t.demand_negated = more.demand_negated;
  t.guard.insert(t.guard.end(), more.guard.begin(), more.guard.end());
  if (!more.guard.empty()) t.guard_text += (t.guard_text.empty() ? "" : " and ") + more.guard_text;
  t.actions.insert(t.actions.end(), more.actions.begin(), more.actions.end());
  if (!more.action_text.empty()) t.action_text += (t.action_text.empty() ? "" : "; ") + more.action_text;
  if (t.role == TransitionRole::none) t.role = more.role;
  return true;
}

void ChartLowering::follow(Path path, const Element& edge, std::vector<Transition>& out) {
  // Junctions multiply; start() reports it, once for the edge.
  if (out.size() >= most_paths) return;
  if (const auto target = index_.find(edge.target); target != index_.end()) {
    // An internal transition to its own source leaves and enters nothing.
    const bool self = target->second == path.made.source;
    if (!(path.made.internal && self)) path.made.targets = {target->second};
    out.push_back(std::move(path.made));
    return;
  }
  const auto connector = connectors_.find(edge.target);
  if (connector == connectors_.end()) {
    report("SCH007", edge.id, "target", "The transition ends at something that is no state.");
  } else if (connector->second->kind == "bar" && ways_out_[edge.target].size() != 1) {
    fork(std::move(path), *connector->second, out);
  } else if (connector->second->kind == "bar" && ways_in_[edge.target].size() > 1) {
    report("SCH014", edge.id, "target", "The way to a join passes a connector; wanted it straight from a state.");
  } else {
    branch(path, *connector->second, out);
  }
}

void ChartLowering::branch(const Path& path, const Element& connector, std::vector<Transition>& out) {
  const std::vector<const Element*>& drawn = ways_out_[connector.id];
  if (drawn.empty()) return report("SCH014", connector.id, "", "Nothing leads out of the connector.");
  std::vector<const Element*> ways = drawn;
  // Below every priority, which go to a million either way.
  const auto rank = [](const Element* edge) {
    const auto priority = parse_number(edge->text("priority", "0"));
    return trim(edge->text("guard")) == "else" ? -1e9 : priority.value_or(0.0);
  };
  std::stable_sort(ways.begin(), ways.end(), [&](auto* a, auto* b) { return rank(a) > rank(b); });
  for (const Element* way : ways) {
    Path longer = path;
    if (extend(longer, *way)) follow(std::move(longer), *way, out);
  }
}

void ChartLowering::fork(Path path, const Element& bar, std::vector<Transition>& out) {
  const std::vector<const Element*>& ways = ways_out_[bar.id];
  if (ways.empty()) return report("SCH014", bar.id, "", "Nothing leads out of the bar.");
  if (ways_in_[bar.id].size() > 1)
    return report("SCH014", bar.id, "",
                  "The bar has several ways in and several out; wanted one of them single (a fork or a join).");
  std::vector<int> targets;
  for (const Element* way : ways) {
    if (!trim(way->text("guard")).empty())
      return report("SCH014", way->id, "guard", "A way out of a fork has a guard; all of them are taken.");
    if (!extend(path, *way)) return;
    std::vector<Transition> one;
    follow(path, *way, one);
    if (one.size() != 1 || one.front().targets.empty())
      return report("SCH014", way->id, "", "A way out of a fork branches; wanted one state at its end.");
    path.made = std::move(one.front());
    targets.insert(targets.end(), path.made.targets.begin(), path.made.targets.end());
    path.made.targets.clear();
  }
  for (std::size_t i = 0; i < targets.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      // The innermost state around both: regions differ only below a parallel one.
      int common = targets[i];
      while (!chart_.inside(targets[k], common)) common = state(common).parent;
      if (common == targets[i] || common == targets[k] || state(common).kind != State::Kind::parallel)
        return report("SCH014", bar.id, "", "Two ways of the fork do not end in different regions of one state.");
    }
  path.made.targets = std::move(targets);
  out.push_back(std::move(path.made));
}

// A join is one transition of the state around all its sources: taken as soon as all of them are active.
void ChartLowering::join(const Element& bar) {
  std::vector<int> sources;
  std::vector<ActionSyntax> before;
  std::string before_text;
  for (const Element* way : ways_in_[bar.id]) {
    const auto source = index_.find(way->source);
    if (source == index_.end())
      return report("SCH014", way->id, "source", "The way to a join starts at something that is no state.");
    if (!trim(way->text("trigger")).empty() || !trim(way->text("guard")).empty())
      return report("SCH014", way->id, "trigger", "The way to a join has a trigger or guard.",
                    "Put it on the edge that leaves the bar.");
    sources.push_back(source->second);
    for (ActionSyntax& action : actions(*way, "action")) before.push_back(std::move(action));
    if (!way->text("action").empty()) before_text += (before_text.empty() ? "" : "; ") + way->text("action");
  }
  // The innermost state that holds all sources: two of them stand in different regions of it.
  int around = sources.front();
  for (const int s : sources)
    while (!chart_.inside(s, around)) around = state(around).parent;
  if (state(around).kind != State::Kind::parallel)
    return report("SCH014", bar.id, "", "The sources of the join do not stand in different regions of one state.");
  const Element& out = *ways_out_[bar.id].front();
  Path path{&out, {}, 0};
  read_edge(out, around, path.made);
  for (const int s : sources) {
    const auto condition = parse_expression("in(" + state_path(chart_, s) + ")");
    if (const auto* good = std::get_if<Syntax>(&condition); good != nullptr && !state(s).name.empty())
      path.made.guard.push_back(*good);
    else return report("SCH014", bar.id, "", "A source of the join has no name.");
  }
  before.insert(before.end(), path.made.actions.begin(), path.made.actions.end());
  path.made.actions = std::move(before);
  if (!before_text.empty())
    path.made.action_text = before_text + (path.made.action_text.empty() ? "" : "; " + path.made.action_text);
  std::vector<Transition> made;
  follow(std::move(path), out, made);
  for (Transition& t : made) chart_.transitions.push_back(std::move(t));
}

void ChartLowering::default_entry(int owner, const Element& edge, std::vector<Transition> paths) {
  State& composite = state(owner);
  const bool history = composite.history();
  if (!trim(edge.text("trigger")).empty() || paths.size() > 1 || (!paths.empty() && !paths.front().guard_text.empty()))
    report("SCH002", edge.id, "trigger",
           std::string("The transition from ") + (history ? "a history" : "an initial state") +
               " has a trigger or guard; wanted none.",
           "Lead it to a choice instead.");
  // Of two initial states in one place initials() speaks.
  if (composite.initial >= 0) {
    const Element* other = document_.find(chart_.transitions[static_cast<std::size_t>(composite.initial)].element);
    if (history || (other != nullptr && other->source == edge.source))
      report("SCH002", edge.id, "",
             std::string("Two transitions leave the ") + (history ? "history" : "initial state") + "; wanted one.",
             "Lead it to a choice instead.");
  }
  if (paths.size() != 1) return;
  const int around = history ? composite.parent : owner;
  for (const int target : paths.front().targets)
    if (!chart_.inside(target, around) || target == around || target == owner)
      report("SCH002", edge.id, "target", "The initial transition leaves its region; wanted a state inside it.");
  composite.initial = static_cast<int>(chart_.transitions.size());
  chart_.transitions.push_back(std::move(paths.front()));
}

void ChartLowering::start(const Element& edge, int source) {
  if (source >= 0 && state(source).kind == State::Kind::final)
    report("SCH007", edge.id, "source", "A final state has no way out.");
  Path path{&edge, {}, 0};
  read_edge(edge, source, path.made);
  std::vector<Transition> made;
  follow(path, edge, made);
  if (made.size() >= most_paths)
    report("SCH014", edge.id, "", "More than " + std::to_string(most_paths) + " ways lead from here.");
  const auto initial = initial_of_.find(edge.source);
  if (initial != initial_of_.end()) return default_entry(initial->second, edge, std::move(made));
  if (state(source).history()) return default_entry(source, edge, std::move(made));
  if (made.size() > 1 && made.front().trigger.kind == Trigger::Kind::branch)
    report("SCH014", edge.id, "target", "A branch of a choice leads to several ways.",
           "Use a choice instead of the junction.");
  for (std::size_t i = 0; i < made.size(); ++i) {
    // Ways of one edge share its clock; the first whose guards hold is taken when it goes off.
    made[i].alternative = i > 0 && made[i].trigger.timed();
    chart_.transitions.push_back(std::move(made[i]));
  }
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
    if (connectors_.count(edge->source) != 0) ways_out_[edge->source].push_back(edge);
    if (connectors_.count(edge->target) != 0) ways_in_[edge->target].push_back(edge);
  }
  std::unordered_set<ElementId> joined;
  for (const Element* edge : edges) {
    if (edge->kind != "transition" || connectors_.count(edge->source) != 0) continue;
    const auto bar = connectors_.find(edge->target);
    if (bar != connectors_.end() && bar->second->kind == "bar" && ways_in_[edge->target].size() > 1 &&
        ways_out_[edge->target].size() == 1) {
      // At the first way from a state; of others it complains.
      if (joined.insert(edge->target).second) join(*bar->second);
      continue;
    }
    const auto initial = initial_of_.find(edge->source);
    const auto source = index_.find(edge->source);
    if (initial != initial_of_.end()) start(*edge, initial->second);
    else if (source != index_.end()) start(*edge, source->second);
    else report("SCH007", edge->id, "source", "The transition starts at something that is no state.");
  }
  for (const Element* node : document_.nodes(diagram_.id))
    if (connectors_.count(node->id) != 0 && ways_in_[node->id].empty())
      report("SCH010", node->id, "", "The connector can never be reached: no transition leads to it.", {},
             Severity::warning);
  sort_by_priority();
}

// Document order except for priorities; states know their initial transitions by index.
void ChartLowering::sort_by_priority() {
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

}  // namespace ergode
