#include "solvers/reliability/galileo/conditions.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

namespace ergode {
namespace {

using TreeKind = TreeElement::Kind;

constexpr std::size_t longest_condition = 20000;
constexpr std::size_t longest_conditions = 100000000;  // of all events together
constexpr int deepest = 1000;
constexpr std::size_t widest = 64;  // operands in a row; more are bracketed, so that the tree of the text stays flat

bool atom(const std::string& text) { return text.find(' ') == std::string::npos; }
std::string bracketed(const std::string& text) { return atom(text) ? text : "(" + text + ")"; }

std::string joined(std::vector<std::string> parts, const std::string& op) {
  while (parts.size() > widest) {
    std::vector<std::string> grouped;
    for (std::size_t i = 0; i < parts.size(); i += widest) {
      std::vector<std::string> some(parts.begin() + static_cast<std::ptrdiff_t>(i),
                                    parts.begin() + static_cast<std::ptrdiff_t>(std::min(i + widest, parts.size())));
      grouped.push_back(bracketed(joined(std::move(some), op)));
    }
    parts = std::move(grouped);
  }
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : op) + part;
  return out;
}

std::string folded(const std::vector<std::string>& parts, const char* op, const char* neutral, const char* decisive) {
  std::vector<std::string> kept;
  std::unordered_set<std::string_view> seen;
  for (const std::string& part : parts) {
    if (part == decisive) return decisive;
    if (part != neutral && seen.insert(part).second) kept.push_back(part);
  }
  if (kept.empty()) return neutral;
  if (kept.size() == 1) return kept.front();
  for (std::string& part : kept) part = bracketed(part);
  return joined(std::move(kept), op);
}

}  // namespace

namespace condition {

std::string all(const std::vector<std::string>& parts) { return folded(parts, " and ", "true", "false"); }
std::string any(const std::vector<std::string>& parts) { return folded(parts, " or ", "false", "true"); }

std::string negation(const std::string& part) {
  if (part == "true") return "false";
  if (part == "false") return "true";
  return "not " + bracketed(part);
}

std::string at_least(int needed, const std::vector<std::string>& parts) {
  std::vector<std::string> counted;
  for (const std::string& part : parts) {
    if (part == "true") --needed;
    else if (part != "false") counted.push_back(atom(part) ? "count(" + part + ")" : "if(" + part + ", 1, 0)");
  }
  if (needed <= 0) return "true";
  if (needed > static_cast<int>(counted.size())) return "false";
  return joined(std::move(counted), " + ") + " >= " + std::to_string(needed);
}

}  // namespace condition

TreeConditions::TreeConditions(const FaultTree& tree, const SpareModules& modules,
                               const std::vector<std::string>& names)
    : tree_(tree),
      modules_(modules),
      names_(names),
      component_(modules.modules.size()),
      affected_(tree.elements.size()),
      spares_of_(tree.elements.size()),
      constraints_on_(tree.elements.size()),
      above_(tree.elements.size()),
      constrained_(tree.elements.size()) {
  for (std::size_t i = 0; i < tree.elements.size(); ++i)
    if (tree.elements[i].kind == TreeKind::spare)
      for (const TreeElement::Child& child : tree.elements[i].children)
        spares_of_[static_cast<std::size_t>(child.element)].push_back(static_cast<int>(i));
  find_constraints();
  for (std::size_t m = 0; m < modules.modules.size(); ++m) {
    if (modules.modules[m].active) continue;
    int waiting = 0;
    bool gates = false;
    for (const int e : modules.modules[m].members) {
      const bool gate = tree.at(e).kind == TreeKind::spare && !modules.active[static_cast<std::size_t>(e)];
      waiting += gate || (tree.at(e).kind == TreeKind::basic_event && stands_by(e));
      gates = gates || gate;
    }
    component_[m] = gates || waiting > 1;
  }
}

std::string TreeConditions::used_elsewhere(int gate, int input) const {
  std::vector<std::string> parts;
  for (const int other : spares_of_[static_cast<std::size_t>(input)])
    if (other != gate) parts.push_back(name(other) + "." + uses_state(input));
  return condition::any(parts);
}

std::string TreeConditions::static_gate(const TreeElement& gate, const std::vector<std::string>& failed) const {
  if (gate.kind == TreeKind::disjunction) return condition::any(failed);
  if (gate.kind == TreeKind::vote) return condition::at_least(gate.needed, failed);
  return condition::all(failed);
}

bool TreeConditions::stands_by(int event) const {
  const TreeElement& e = tree_.at(event);
  return !modules_.active[static_cast<std::size_t>(event)] && e.law.kind != FailureLaw::Kind::constant &&
         !dormancy_in(tree_, modules_, event).is(1.0);
}

std::string TreeConditions::module_name(std::size_t module) const {
  return "Module_" + name(modules_.modules[module].representative);
}

std::string TreeConditions::activation(int element) const {
  if (modules_.active[static_cast<std::size_t>(element)]) return {};
  std::vector<std::string> parts;
  for (const int module : modules_.modules_of[static_cast<std::size_t>(element)]) {
    const auto m = static_cast<std::size_t>(module);
    parts.push_back(component_[m] ? module_name(m) + ".Active" : module_activation(m));
  }
  return condition::any(parts);
}

std::string TreeConditions::module_activation(std::size_t module) const {
  const SpareModules::Module& m = modules_.modules[module];
  std::vector<std::string> parts;
  for (const int gate : m.users) {
    const std::string active = activation(gate);
    parts.push_back(
        condition::all({name(gate) + "." + uses_state(m.representative), active.empty() ? "true" : active}));
  }
  return condition::any(parts);
}

// What lies below no input of a constraint is never looked at.
void TreeConditions::find_constraints() {
  std::vector<int> open;
  for (std::size_t i = 0; i < tree_.elements.size(); ++i) {
    const TreeElement& e = tree_.elements[i];
    if (e.kind != TreeKind::sequence && e.kind != TreeKind::mutex) continue;
    for (std::size_t k = 0; k < e.children.size(); ++k) {
      const int input = e.children[k].element;
      constraints_on_[static_cast<std::size_t>(input)].push_back({static_cast<int>(i), k});
      open.push_back(input);
    }
  }
  while (!open.empty()) {
    const int e = open.back();
    open.pop_back();
    if (constrained_[static_cast<std::size_t>(e)]) continue;
    constrained_[static_cast<std::size_t>(e)] = true;
    for (const TreeElement::Child& child : tree_.at(e).children) {
      above_[static_cast<std::size_t>(child.element)].push_back(e);
      open.push_back(child.element);
    }
  }
}

std::optional<std::string> TreeConditions::allowed(int event) {
  if (!constrained_[static_cast<std::size_t>(event)]) return "true";
  std::vector<int> affected = {event};
  affected_[static_cast<std::size_t>(event)] = true;
  for (std::size_t at = 0; at < affected.size(); ++at)
    for (const int gate : above_[static_cast<std::size_t>(affected[at])])
      if (!affected_[static_cast<std::size_t>(gate)])
        affected_[static_cast<std::size_t>(gate)] = true, affected.push_back(gate);
  std::map<int, std::vector<std::size_t>> touched;  // constraint -> places of affected inputs
  for (const int e : affected)
    for (const auto& [constraint, place] : constraints_on_[static_cast<std::size_t>(e)])
      touched[constraint].push_back(place);
  written_ = 0, depth_ = 0;
  std::vector<std::string> parts;
  for (auto& [constraint, places] : touched) {
    std::sort(places.begin(), places.end());
    if (tree_.at(constraint).kind == TreeKind::sequence) in_sequence(constraint, places, event, parts);
    else one_of_all(constraint, places, event, parts);
    if (written_ > longest_condition) break;
  }
  // One by one: what an event costs must not grow with the whole tree.
  for (const int e : affected) affected_[static_cast<std::size_t>(e)] = false;
  for (const std::string& part : parts) all_written_ += part.size();
  if (written_ > longest_condition || all_written_ > longest_conditions) return std::nullopt;
  return condition::all(parts);
}

void TreeConditions::in_sequence(int constraint, const std::vector<std::size_t>& places, int event,
                                 std::vector<std::string>& parts) {
  const auto& inputs = tree_.at(constraint).children;
  for (const std::size_t i : places)
    if (i > 0)
      parts.push_back(
          condition::any({after(inputs[i - 1].element, event), condition::negation(after(inputs[i].element, event))}));
}

// Every pair of which one is affected, in the order of the inputs.
void TreeConditions::one_of_all(int constraint, const std::vector<std::size_t>& places, int event,
                                std::vector<std::string>& parts) {
  const auto& inputs = tree_.at(constraint).children;
  const auto pair = [&](std::size_t i, std::size_t j) {
    parts.push_back(
        condition::negation(condition::all({after(inputs[i].element, event), after(inputs[j].element, event)})));
  };
  std::size_t next = 0;  // the first of `places` after i
  for (std::size_t i = 0; next < places.size() && written_ <= longest_condition; ++i) {
    const bool own = places[next] == i;
    if (own) ++next;
    for (std::size_t j = i + 1; own && j < inputs.size(); ++j) pair(i, j);
    for (std::size_t k = next; !own && k < places.size(); ++k) pair(i, places[k]);
  }
}

std::string TreeConditions::after(int element, int event) {
  if (element == event) return "true";
  const std::string now = failed(element);
  if (!affected_[static_cast<std::size_t>(element)] || written_ > longest_condition) return now;
  const TreeElement& e = tree_.at(element);
  if (++depth_ > deepest) written_ = longest_condition + 1;
  const auto of = [&](const TreeElement::Child& c) { return after(c.element, event); };
  std::string out;
  if (e.kind == TreeKind::spare) {
    out = after_spare(e, element, event);
  } else if (e.kind == TreeKind::por) {
    std::vector<std::string> parts = {name(element) + ".Operational", of(e.children.front())};
    for (std::size_t i = 1; e.exclusive && i < e.children.size(); ++i)
      parts.push_back(condition::negation(of(e.children[i])));
    out = condition::any({now, condition::all(parts)});
  } else if (e.kind == TreeKind::pand && e.exclusive) {
    out = condition::any(
        {now, condition::all({name(element) + ".Waits_" + name(e.children.back().element), of(e.children.back())})});
  } else {
    std::vector<std::string> parts;
    for (const TreeElement::Child& c : e.children) parts.push_back(of(c));
    out = static_gate(e, parts);
    if (e.kind == TreeKind::pand) out = condition::any({now, condition::all({name(element) + ".Operational", out})});
  }
  --depth_;
  written_ += out.size();
  return out;
}

// The input in use fails and no later one is left.
std::string TreeConditions::after_spare(const TreeElement& gate, int element, int event) {
  std::vector<std::string> ways = {failed(element)};
  for (std::size_t i = 0; i < gate.children.size(); ++i) {
    const int used = gate.children[i].element;
    std::vector<std::string> parts = {name(element) + "." + uses_state(used), after(used, event)};
    for (std::size_t j = i + 1; j < gate.children.size(); ++j)
      parts.push_back(
          condition::any({after(gate.children[j].element, event), used_elsewhere(element, gate.children[j].element)}));
    ways.push_back(condition::all(parts));
  }
  return condition::any(ways);
}

}  // namespace ergode
