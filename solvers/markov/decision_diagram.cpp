#include "solvers/markov/decision_diagram.h"

#include <algorithm>
#include <limits>

namespace ergode {

DecisionDiagram::DecisionDiagram(std::size_t most_nodes) : most_nodes_(most_nodes) {
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

std::optional<DecisionDiagram::Function> DecisionDiagram::if_then_else(Function condition, Function then,
                                                                       Function otherwise) {
  if (condition == yes) return then;
  if (condition == no) return otherwise;
  if (then == otherwise) return then;
  if (then == yes && otherwise == no) return condition;
  const std::array<std::uint32_t, 3> key = {condition, then, otherwise};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (nodes_.size() > most_nodes_) return std::nullopt;
  const std::uint32_t top = std::min({first_variable(condition), first_variable(then), first_variable(otherwise)});
  const auto part = [&](Function f, bool value) { return first_variable(f) == top ? with(f, value) : f; };
  const auto low = if_then_else(part(condition, false), part(then, false), part(otherwise, false));
  if (!low) return std::nullopt;
  const auto high = if_then_else(part(condition, true), part(then, true), part(otherwise, true));
  if (!high) return std::nullopt;
  const Function out = node(top, *low, *high);
  known_.emplace(key, out);
  return out;
}

}  // namespace ergode
