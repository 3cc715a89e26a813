#include "solvers/queueing/model/hindrances.h"

namespace ergode {

Hindrances::Hindrances(const NetworkModel& model, const std::vector<double>& share, std::size_t of) {
  using M = NetworkModel;
  constexpr std::uint32_t away = M::sets_up | M::vacates | M::breaks_down | M::polls | M::may_block | M::holds_before;
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    const M::Node& node = model.nodes[n];
    const bool loses_here = node.capacity != M::unlimited && node.when_full == M::WhenFull::lose;
    loses = loses || loses_here || node.has(M::patient | M::balks);
    const bool too_much = n != of && node.capacity == M::unlimited && n < share.size() && share[n] > 1.0;
    holds_up = holds_up || (node.capacity != M::unlimited && !loses_here) || node.has(away) || too_much;
  }
  for (const M::Region& region : model.regions)
    for (const std::uint8_t one : region.loses) (one != 0 ? loses : holds_up) = true;
  holds_up = holds_up || !loses;
}

const char* Hindrances::to_whom() const {
  return loses && holds_up ? "lost or held up on their way" : loses ? "lost on their way" : "held up on their way";
}

}  // namespace ergode
