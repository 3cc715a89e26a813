// Where a customer may go from a state, with what chance: as running/choosing_ways has it, without draws.
#include <algorithm>
#include <cmath>

#include "solvers/queueing/chain/network_chain.h"
#include "solvers/queueing/chain/values_in_range.h"

namespace ergode {

using Leaving = NetworkModel::Leaving;
using M = NetworkModel;
using RoutingRule = NetworkModel::Routing;

double NetworkChain::burden(const NetworkState& state, const Node& node, std::uint32_t target,
                            std::uint32_t of_class) const {
  const double number = present(state, target);
  if (node.routing != RoutingRule::fastest) return number;
  const Node& there = model_.nodes[target];
  const double servers = there.servers.is_constant() ? std::max(1.0, there.servers.value()) : 1.0;
  return (1.0 + std::max(0.0, number - servers + 1.0) / servers) * there.time[of_class].mean_s;
}

std::vector<NetworkChain::Way> NetworkChain::chosen(const NetworkState& state, const Node& node, const M::Ways& ways,
                                                    std::uint32_t& turn) const {
  const std::size_t count = ways.target.size();
  std::vector<Way> out;
  for (std::size_t w = 0; w < count; ++w) out.push_back({ways.target[w], ways.becomes[w], 0.0});
  if (node.routing == RoutingRule::random) {
    for (Way& way : out) way.probability = 1.0 / static_cast<double>(count);
    return out;
  }
  if (node.routing == RoutingRule::round_robin) {
    const std::uint32_t place = turn_of_[static_cast<std::size_t>(&node - model_.nodes.data())];
    out[turn % count].probability = 1.0;
    turn = (turn + 1) % turns_[place];
    return out;
  }
  std::vector<double> burdens;
  for (const Way& way : out) burdens.push_back(burden(state, node, way.target, way.becomes));
  const std::size_t asked =
      node.routing == RoutingRule::power_of_d ? std::min<std::size_t>(node.choices, count) : count;
  // Every choice of so many, all alike; of the least burdened ones any.
  double choices = 0.0;
  for (std::uint32_t set = 1; set < (1U << std::min<std::size_t>(count, 16)); ++set) {
    if (asked == count) set = (1U << std::min<std::size_t>(count, 16)) - 1;
    std::size_t size = 0, alike = 0;
    double least = 0.0;
    for (std::size_t w = 0; w < count; ++w) {
      if (count <= 16 && (set >> w & 1U) == 0) continue;
      if (size++ == 0 || burdens[w] < least) least = burdens[w], alike = 1;
      else if (burdens[w] == least) ++alike;
    }
    if (size != asked) continue;
    choices += 1.0;
    for (std::size_t w = 0; w < count; ++w)
      if ((count > 16 || (set >> w & 1U) != 0) && burdens[w] == least)
        out[w].probability += 1.0 / static_cast<double>(alike);
  }
  for (Way& way : out) way.probability /= choices;
  return out;
}

std::vector<NetworkChain::Way> NetworkChain::ways(const NetworkState& state, std::uint32_t number,
                                                  std::uint32_t of_class, Leaving leaving, std::uint32_t& turn) const {
  const Node& node = model_.nodes[number];
  const M::Ways& ways = node.ways_of(leaving)[of_class];
  if (ways.target.size() == 1 && !ways.upto.empty()) return {{ways.target[0], ways.becomes[0], 1.0}};
  if (node.routing != RoutingRule::probabilities && leaving == Leaving::done) return chosen(state, node, ways, turn);
  std::vector<Way> out;
  double before = 0.0;
  for (std::size_t w = 0; w < ways.upto.size(); ++w) {
    out.push_back({ways.target[w], ways.becomes[w], ways.upto[w] - before});
    before = ways.upto[w];
  }
  if (!ways.upto.empty()) return out;
  std::vector<double> at;
  slots(state, at);
  double sum = 0.0;
  std::size_t open = 0;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    double p = 0.0;
    if (ways.given[w] == 0) ++open;
    else p = in_range(node, "The probability of a way", ways.probability[w].evaluate(at.data()), 1.0);
    out.push_back({ways.target[w], ways.becomes[w], p});
    sum += p;
  }
  constexpr double hair = 1e-9;
  if (sum > 1.0 + hair || (open == 0 && sum < 1.0 - hair))
    refuse_value(node, "The sum of the probabilities of the ways", number_text(sum) + "; wanted 1");
  for (std::size_t w = 0; w < out.size(); ++w)
    if (ways.given[w] == 0) out[w].probability = std::max(0.0, 1.0 - sum) / static_cast<double>(open);
  return out;
}

}  // namespace ergode
