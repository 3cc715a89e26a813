// What nobody refuses and nobody means: so many are waited for who never come (QN019, warnings).
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {

using Kind = NetworkModel::Kind;

void NetworkLowering::check_numbers(Lowering& model) {
  check_splits(model);
  check_pools(model);
}

// From every fork and scaler as deep as its parts are split again; who comes back at that depth is one of so many.
void NetworkLowering::check_splits(Lowering& model) {
  using M = NetworkModel;
  const std::vector<Node>& nodes = net().nodes;
  constexpr std::uint32_t deepest = 8;
  std::vector<std::uint32_t> parts(nodes.size(), 0);  // most who come of one customer, by node
  const auto splits = [](const Node& node) { return node.kind == Kind::fork || node.kind == Kind::scaler; };
  for (const Node& split : nodes) {
    if (!splits(split)) continue;
    std::uint32_t most = 0;
    for (const M::Ways& ways : split.ways) {
      std::uint32_t count = 0;
      for (const std::uint32_t each : ways.count) count += each;
      most = std::max(most, count);
    }
    std::vector<std::uint8_t> seen(nodes.size() * (deepest + 1), 0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reached;  // node, depth
    const auto enter = [&](std::uint32_t n, std::uint32_t depth) {
      if (std::exchange(seen[n * (deepest + 1) + depth], 1) == 0) reached.emplace_back(n, depth);
    };
    const auto go_on = [&](const Node& from, std::uint32_t depth) {
      for (const M::Leaving leaving : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
        for (const M::Ways& ways : from.ways_of(leaving))
          for (const std::uint32_t target : ways.target) enter(target, depth);
    };
    go_on(split, 1);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto [n, depth] = reached[i];
      const Node& here = nodes[n];
      const bool joins = here.kind == Kind::join || here.kind == Kind::scaler;
      if (depth == 1 && (joins || here.kind == Kind::semaphore)) parts[n] = std::max(parts[n], most);
      if (depth == 1 && joins) continue;
      const std::uint32_t after = depth - (joins ? 1 : 0) + (splits(here) ? 1 : 0);
      go_on(here, std::min(after, deepest));
      if (here.kind != Kind::place) continue;
      for (std::uint32_t t = 0; t < nodes.size(); ++t)
        if (nodes[t].kind == Kind::transition &&
            std::any_of(net().transitions[nodes[t].transition].takes.begin(),
                        net().transitions[nodes[t].transition].takes.end(),
                        [&, place = n](const M::Arc& arc) { return arc.place == place; }))
          enter(t, depth);
    }
  }
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    if (parts[n] == 0 || node.quorum <= parts[n]) continue;
    const bool holds = node.kind == Kind::semaphore;
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN019",
                              .element = node.element,
                              .pointer = holds ? "threshold" : "wait_for",
                              .message = "\"" + node.name + "\" waits for " + std::to_string(node.quorum) +
                                         " of one customer, of whom there are never more than " +
                                         std::to_string(parts[n]) +
                                         (holds ? ": they stay there for ever." : ": it waits for all."),
                              .hint = "Wait for fewer, or split customers into more."});
  }
}

void NetworkLowering::check_pools(Lowering& model) {
  const auto warn = [&](ElementId at, const char* property, std::string message, std::string hint) {
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN019",
                              .element = at,
                              .pointer = property,
                              .message = std::move(message),
                              .hint = std::move(hint)});
  };
  for (std::uint32_t p = 0; p < net().pools.size(); ++p) {
    const NetworkModel::Pool& pool = net().pools[p];
    bool seized = false, released = false;
    for (const Node& node : net().nodes) {
      if (node.pool != p) continue;
      seized = seized || node.kind == Kind::seize;
      released = released || node.kind == Kind::release;
      if (node.kind == Kind::seize && pool.units.is_constant() && node.units > pool.units.value())
        warn(node.element, "units",
             "\"" + node.name + "\" wants " + std::to_string(node.units) + " units of \"" + pool.name +
                 "\", which has " + number_text(pool.units.value()) + ": who comes waits for ever.",
             "Seize fewer, or draw a pool of more.");
    }
    if (seized && !released)
      warn(pool.element, "",
           "Units of \"" + pool.name +
               "\" are seized and nowhere released: they come back only when who holds them "
               "leaves the network.",
           "Draw a release on the way.");
  }
}

}  // namespace ergode
