#include "solvers/queueing/model/connected_parts.h"

#include <numeric>

namespace ergode {

std::vector<std::uint32_t> connected_parts(const NetworkModel& model) {
  using M = NetworkModel;
  std::vector<std::uint32_t> part(model.nodes.size());
  std::iota(part.begin(), part.end(), std::uint32_t{0});
  const auto of = [&](std::uint32_t n) {
    while (part[n] != n) n = part[n] = part[part[n]];
    return n;
  };
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
      for (const M::Ways& ways : model.nodes[n].ways_of(how))
        for (const std::uint32_t to : ways.target) part[of(n)] = of(to);
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n) part[n] = of(n);
  return part;
}

}  // namespace ergode
