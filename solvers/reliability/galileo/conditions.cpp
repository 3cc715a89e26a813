#include "solvers/reliability/galileo/conditions.h"

#include <algorithm>

namespace ergode {
namespace {

using Kind = TreeElement::Kind;

constexpr std::size_t longest_condition = 20000;
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
  for (const std::string& part : parts) {
    if (part == decisive) return decisive;
    if (part != neutral && std::find(kept.begin(), kept.end(), part) == kept.end()) kept.push_back(part);
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
      order_(failing_order(tree)) {
  for (std::size_t m = 0; m < modules.modules.size(); ++m) {
    if (modules.modules[m].active) continue;
    int waiting = 0;
    bool gates = false;
    for (const int e : modules.modules[m].members) {
      const bool gate = tree.at(e).kind == Kind::spare && !modules.active[static_cast<std::size_t>(e)];
      waiting += gate || (tree.at(e).kind == Kind::basic_event && stands_by(e));
      gates = gates || gate;
    }
    component_[m] = gates || waiting > 1;
  }
}

std::string TreeConditions::used_elsewhere(int gate, int input) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < tree_.elements.size(); ++i) {
    const TreeElement& other = tree_.elements[i];
    if (other.kind != Kind::spare || static_cast<int>(i) == gate) continue;
    for (const TreeElement::Child& child : other.children)
      if (child.element == input) parts.push_back(names_[i] + "." + uses_state(input));
  }
  return condition::any(parts);
}

std::string TreeConditions::static_gate(const TreeElement& gate, const std::vector<std::string>& failed) const {
  if (gate.kind == Kind::disjunction) return condition::any(failed);
  if (gate.kind == Kind::vote) return condition::at_least(gate.needed, failed);
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

std::optional<std::string> TreeConditions::allowed(int event) {
  const auto constraint = [](const TreeElement& e) { return e.kind == Kind::sequence || e.kind == Kind::mutex; };
  if (std::none_of(tree_.elements.begin(), tree_.elements.end(), constraint)) return "true";
  std::fill(affected_.begin(), affected_.end(), false);
  affected_[static_cast<std::size_t>(event)] = true;
  for (const int e : order_)
    for (const TreeElement::Child& child : tree_.at(e).children)
      if (affected_[static_cast<std::size_t>(child.element)]) affected_[static_cast<std::size_t>(e)] = true;
  const auto touched = [&](const TreeElement::Child& c) { return affected_[static_cast<std::size_t>(c.element)]; };
  written_ = 0, depth_ = 0;
  std::vector<std::string> parts;
  for (const TreeElement& e : tree_.elements) {
    const auto& inputs = e.children;
    if (e.kind == Kind::sequence)
      for (std::size_t i = 0; i + 1 < inputs.size(); ++i)
        if (touched(inputs[i + 1]))
          parts.push_back(condition::any(
              {after(inputs[i].element, event), condition::negation(after(inputs[i + 1].element, event))}));
    if (e.kind == Kind::mutex)
      for (std::size_t i = 0; i < inputs.size(); ++i)
        for (std::size_t j = i + 1; j < inputs.size(); ++j)
          if (touched(inputs[i]) || touched(inputs[j]))
            parts.push_back(condition::negation(
                condition::all({after(inputs[i].element, event), after(inputs[j].element, event)})));
    if (written_ > longest_condition) return std::nullopt;
  }
  return condition::all(parts);
}

std::string TreeConditions::after(int element, int event) {
  if (element == event) return "true";
  const std::string now = failed(element);
  if (!affected_[static_cast<std::size_t>(element)] || written_ > longest_condition) return now;
  const TreeElement& e = tree_.at(element);
  if (++depth_ > deepest) written_ = longest_condition + 1;
  const auto of = [&](const TreeElement::Child& c) { return after(c.element, event); };
  std::string out;
  if (e.kind == Kind::spare) {
    out = after_spare(e, element, event);
  } else if (e.kind == Kind::por) {
    std::vector<std::string> parts = {name(element) + ".Operational", of(e.children.front())};
    for (std::size_t i = 1; e.exclusive && i < e.children.size(); ++i)
      parts.push_back(condition::negation(of(e.children[i])));
    out = condition::any({now, condition::all(parts)});
  } else if (e.kind == Kind::pand && e.exclusive) {
    out = condition::any(
        {now, condition::all({name(element) + ".Waits_" + name(e.children.back().element), of(e.children.back())})});
  } else {
    std::vector<std::string> parts;
    for (const TreeElement::Child& c : e.children) parts.push_back(of(c));
    out = static_gate(e, parts);
    if (e.kind == Kind::pand) out = condition::any({now, condition::all({name(element) + ".Operational", out})});
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
