// Who waits for ever: where the last to come goes first, or greater priorities never rest.
#include <algorithm>

#include "solvers/queueing/chain/network_chain.h"

namespace ergode {

using Discipline = NetworkModel::Discipline;
using M = NetworkModel;

NetworkChain::Lines NetworkChain::no_lines() const {
  return {std::vector<std::uint32_t>(stations_.size() * model_.levels, M::none),
          std::vector<std::uint32_t>(places(), M::none), std::vector<std::uint8_t>(places()),
          std::vector<std::uint8_t>(places())};
}

void NetworkChain::see_lines(const NetworkState& state, Lines& lines) const {
  const std::size_t classes = model_.classes.size();
  std::vector<std::uint32_t> waiting(classes);
  for (std::size_t s = 0; s < stations_.size(); ++s) {
    std::fill(waiting.begin(), waiting.end(), 0);
    const auto& here = state.stations[s].lines;
    for (std::size_t level = 0; level < here.size(); ++level) {
      std::uint32_t& least = lines.least[line_of(s, level)];
      least = std::min(least, count_of(here[level]));
      for (const AlikeCustomers& one : here[level]) waiting[one.of_class] += one.count;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      std::uint32_t& least = lines.least_of_class[stations_[s].node * classes + c];
      least = std::min(least, waiting[c]);
    }
  }
}

bool NetworkChain::stays_begun(const NetworkState& left, const NetworkState& then, std::size_t s) const {
  // Of several servers who began first is interrupted, and that is not who began just now; of one it is.
  if (model_.nodes[stations_[s].node].discipline == Discipline::lcfs_pr) return stations_[s].servers > 1;
  const auto& before = left.stations[s].served;
  const auto& after = then.stations[s].served;
  return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                    [](const AlikeCustomers& a, const AlikeCustomers& b) { return a.alike(b) && a.count == b.count; });
}

// Whoever stands lowest where the last one goes first is served when the line gets empty, and not before. In all other
// lines those of a class keep their order, or are chosen at random: each is served when any of his class are.
std::vector<std::uint32_t> NetworkChain::starving(const Lines& lines) const {
  std::vector<std::uint32_t> out;
  const std::size_t classes = model_.classes.size();
  for (std::size_t s = 0; s < stations_.size(); ++s) {
    const Node& node = model_.nodes[stations_[s].node];
    const bool last_first = node.discipline == Discipline::lcfs || node.discipline == Discipline::lcfs_pr;
    for (std::uint32_t c = 0; c < classes; ++c) {
      const std::size_t place = stations_[s].node * classes + c;
      if (stations_[s].phases[c].rate.empty() || lines.gave_up[place] != 0) continue;
      const std::uint32_t line = lines.least[line_of(s, level_of(node, c))];
      const bool never_out = last_first ? line != 0 && line != M::none
                                        : lines.least_of_class[place] != 0 && lines.least_of_class[place] != M::none &&
                                              lines.served[place] == 0;
      if (never_out) out.push_back(static_cast<std::uint32_t>(place));
    }
  }
  return out;
}

}  // namespace ergode
