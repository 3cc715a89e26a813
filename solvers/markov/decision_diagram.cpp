#include "solvers/markov/decision_diagram.h"

#include <algorithm>
#include <limits>

namespace ergode {

DecisionDiagram::DecisionDiagram(std::size_t most_nodes) : most_nodes_(most_nodes) {
  // Constants ask after all variables, so that the least of three functions needs no exception for them.
  constexpr std::uint32_t after_all = std::numeric_limits<std::uint32_t>::max();
  nodes_ = {{after_all, no, no}, {after_all, yes, yes}};
}

DecisionDiagram::Function DecisionDiagram::node(std::uint32_t variable, Function low, Function high) {
  if (low == high) return low;
  const auto [known, fresh] = unique_.try_emplace({variable, low, high}, static_cast<Function>(nodes_.size()));
  if (fresh) nodes_.push_back({variable, low, high});
  return known->second;
}

DecisionDiagram::Function DecisionDiagram::variable(std::uint32_t number) { return node(number, no, yes); }

std::optional<DecisionDiagram::Function> DecisionDiagram::at_once(const std::array<std::uint32_t, 3>& key) const {
  const auto [condition, then, otherwise] = key;
  if (condition == yes) return then;
  if (condition == no) return otherwise;
  if (then == otherwise) return then;
  if (then == yes && otherwise == no) return condition;
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  return std::nullopt;
}

std::optional<DecisionDiagram::Function> DecisionDiagram::if_then_else(Function condition, Function then,
                                                                       Function otherwise, const Budget& budget) {
  const auto branch = [&](const Open& open, bool value) {
    std::array<std::uint32_t, 3> key = open.key;
    for (Function& f : key)
      if (first_variable(f) == open.variable) f = with(f, value);
    return key;
  };
  // As deep as there are variables: on a stack of its own.
  std::vector<Open> open;
  std::array<std::uint32_t, 3> wanted = {condition, then, otherwise};
  for (;;) {
    auto found = at_once(wanted);
    if (!found) {
      // What is known grows with every step, nodes only with some.
      if (nodes_.size() > most_nodes_ || known_.size() > 4 * most_nodes_) return std::nullopt;
      if (++steps_ % 4096 == 0 && (budget.stop_requested() || 64 * (nodes_.size() + known_.size()) > budget.bytes()))
        return std::nullopt;
      open.push_back(
          {wanted, std::min({first_variable(wanted[0]), first_variable(wanted[1]), first_variable(wanted[2])})});
      wanted = branch(open.back(), false);
      continue;
    }
    while (found && !open.empty()) {
      Open& last = open.back();
      if (last.done++ == 0) {
        last.low = *found;
        wanted = branch(last, true);
        found.reset();
      } else {
        found = node(last.variable, last.low, *found);
        known_.emplace(last.key, *found);
        open.pop_back();
      }
    }
    if (found) return found;
  }
}

}  // namespace ergode
