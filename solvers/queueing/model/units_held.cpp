#include "solvers/queueing/model/units_held.h"

#include <algorithm>

#include "core/base/special_values.h"

namespace ergode {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

UnitsHeld::UnitsHeld(const NetworkModel& model, const LeastFlows& flows)
    : model_(model), flows_(flows), classes_(model.classes.size()), held_(model.pools.size()) {
  for (std::uint32_t pool = 0; pool < model.pools.size(); ++pool) follow(pool);
}

// From all who begin with none, again wherever somebody comes with fewer.
void UnitsHeld::follow(std::uint32_t pool) {
  std::vector<std::uint32_t>& held = held_[pool];
  held.assign(model_.nodes.size() * classes_, M::none);
  std::vector<std::size_t> ahead;
  const auto come = [&](std::size_t place, std::uint32_t units) {
    if (units < held[place]) held[place] = units, ahead.push_back(place);
  };
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
    if (const M::Node& node = model_.nodes[n]; node.kind == Kind::source) come(flows_.place(n, node.emits), 0);
  for (std::uint32_t c = 0; c < classes_; ++c)
    if (const M::JobClass& one = model_.classes[c]; one.population > 0 && one.reference != M::none)
      come(flows_.place(one.reference, c), 0);
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    const std::size_t here = ahead[i];
    const M::Node& node = model_.nodes[here / classes_];
    const bool splits =
        node.kind > Kind::sink && !node.passes() && node.kind != Kind::seize && node.kind != Kind::release;
    std::uint32_t units = held[here];
    const bool known = (node.reads & M::reads_in_units) == 0;
    if (node.kind == Kind::seize && node.pool == pool && known) units += node.units;
    if (node.kind == Kind::release && node.pool == pool)
      units = known && node.units != 0 ? units - std::min(units, node.units) : 0;
    for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged}) {
      const std::vector<M::Ways>& all = node.ways_of(how);
      for (std::size_t c = 0; c < all.size(); ++c)
        for (std::size_t w = 0; w < all[c].target.size(); ++w) {
          if (splits)  // as whatever class they come
            for (std::size_t as = 0; as < classes_; ++as) come(flows_.place(all[c].target[w], as), 0);
          else if (c == here % classes_) come(flows_.place(all[c].target[w], all[c].becomes[w]), units);
        }
    }
  }
}

double UnitsHeld::stays_s(std::uint32_t n, std::uint32_t c) const {
  const M::Node& node = model_.nodes[n];
  if (node.kind == Kind::delay) return flows_.work(n, c);
  if (node.kind != Kind::station || node.has(M::batches)) return 0.0;
  double speed = 1.0;
  if (node.rules != M::none) {
    const M::Rules& rules = model_.rules[node.rules];
    speed = flows_.limits().upper(rules.speed);
    if (!rules.speeds.empty()) speed *= *std::max_element(rules.speeds.begin(), rules.speeds.end());
  }
  return speed > 0.0 ? flows_.work(n, c) / speed : infinity;
}

double UnitsHeld::share(std::uint32_t pool) const {
  double all = 0.0;
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
    for (std::uint32_t c = 0; c < classes_; ++c) {
      const std::size_t place = flows_.place(n, c);
      const std::uint32_t units = held_[pool][place];
      if (units != 0 && units != M::none && flows_.comes(place) > 0.0)
        all += flows_.comes(place) * units * stays_s(n, c);
    }
  const double there = flows_.limits().upper(model_.pools[pool].units);
  return all > 0.0 ? (there > 0.0 ? all / there : infinity) : 0.0;
}

std::uint32_t UnitsHeld::taken_at(std::uint32_t pool) const {
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
    if (model_.nodes[n].kind == Kind::seize && model_.nodes[n].pool == pool) return n;
  return M::none;
}

}  // namespace ergode
