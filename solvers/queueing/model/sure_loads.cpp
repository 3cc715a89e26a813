#include "solvers/queueing/model/sure_loads.h"

#include <algorithm>

#include "core/base/special_values.h"
#include "solvers/queueing/model/connected_parts.h"
#include "solvers/queueing/model/least_flows.h"
#include "solvers/queueing/model/units_held.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

class Overloads {
 public:
  Overloads(const NetworkModel& model, const KnownSlots& known)
      : model_(model), flows_(model, known), part_(connected_parts(model)) {}

  std::vector<SureOverload> look() {
    if (!flows_.settle()) return {};
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (flows_.limits().judged(model_.nodes[n]) && too_much(flows_.share(n))) out_.push_back(of_station(n));
    for (const LeastFlows::Group& group : flows_.groups())
      if (const double all = share_of(group); too_much(all))
        out_.push_back({.stations = group.of, .chosen_at = group.at, .share = all});
    if ((flows_.assumes_more() || !model_.pools.empty()) && flows_.assume()) heaviest_of_the_silent();
    return std::move(out_);
  }

 private:
  SureOverload of_station(std::uint32_t n) const {
    const M::Node& node = model_.nodes[n];
    const StationLimits& limits = flows_.limits();
    const StationLimits::Capacity& able = limits.able(node);
    SureOverload one{.stations = {n}, .share = flows_.share(n), .most = able.greatest, .up = limits.up(node)};
    one.servers = able.servers, one.speed = able.speed, one.together = able.together;
    one.up_at_most = limits.up_at_most(node);
    one.moves_on = limits.moving_on_s(node) > 0.0;
    one.over_mission = flows_.over_mission(n);
    one.begins_anew = flows_.takes_longer(n);
    if (const BlockingLine* line = flows_.line_from(n)) one.last = line->stations.back();
    one.exactly = flows_.exactly(n) && !one.up_at_most && !able.at_most;
    one.tries_again = node.capacity != M::unlimited && node.when_full == M::WhenFull::retry;
    return one;
  }
  /// 0 where it is not judged.
  double share_of(const LeastFlows::Group& group) const {
    const bool judged = std::all_of(group.of.begin(), group.of.end(), [&](std::uint32_t n) {
      return flows_.limits().judged(model_.nodes[n]) && model_.nodes[n].capacity == M::unlimited;
    });
    return judged ? flows_.share_of(group) : 0.0;
  }
  // Where something has been said it holds back others, and fewer come than if all kept up.
  void heaviest_of_the_silent() {
    std::vector<std::uint8_t> said(model_.nodes.size(), 0);
    for (const SureOverload& one : out_) said[part_[one.stations[0]]] = 1;
    std::vector<SureOverload> heaviest(model_.nodes.size());
    const auto look_at = [&](std::uint32_t n, SureOverload one) {
      const std::uint32_t part = part_[n];
      if (said[part] != 0 || !too_much(one.share) || one.share <= heaviest[part].share) return;
      one.on_the_way = true, one.exactly = false, one.tries_again = false;
      heaviest[part] = std::move(one);
    };
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (model_.nodes[n].kind == Kind::station && flows_.limits().keeps_all(model_.nodes[n]))
        look_at(n, of_station(n));
    for (const LeastFlows::Group& group : flows_.groups())
      look_at(group.at, {.stations = group.of, .chosen_at = group.at, .share = share_of(group)});
    const UnitsHeld held(model_, flows_);
    for (std::uint32_t pool = 0; pool < model_.pools.size(); ++pool)
      if (const std::uint32_t at = held.taken_at(pool); at != M::none)
        look_at(at, {.stations = {at}, .share = held.share(pool), .pool = pool});
    for (SureOverload& one : heaviest)
      if (one.share > 0.0) out_.push_back(std::move(one));
  }

  const NetworkModel& model_;
  LeastFlows flows_;
  std::vector<std::uint32_t> part_;
  std::vector<SureOverload> out_;
};

}  // namespace

std::vector<SureOverload> sure_overloads(const NetworkModel& model, const KnownSlots& known) {
  return Overloads(model, known).look();
}

}  // namespace ergode
