// Where customers go: by chance, in turn, or by what they find there.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

RunningNetwork::Way RunningNetwork::one_of(const Node& node, State& state, const NetworkModel::Ways& ways, bool done,
                                           std::uint32_t customer) {
  if (ways.target.size() == 1 && !ways.upto.empty()) return {ways.target[0], ways.becomes[0]};
  if (done && node.routing != NetworkModel::Routing::probabilities) return chosen_way(node, state, ways);
  if (ways.upto.empty()) {
    regard(customer);
    return changing_way(node, state, ways);
  }
  const double u = uniform_of_way(state);
  // The last is 1, and u is below. Of few ways looking at each is faster than halving.
  std::uint32_t w = 0;
  if (ways.upto.size() > few_ways)
    w = static_cast<std::uint32_t>(std::upper_bound(ways.upto.begin(), ways.upto.end(), u) - ways.upto.begin());
  else
    while (u >= ways.upto[w]) ++w;
  chosen_ = w;
  return {ways.target[w], ways.becomes[w]};
}

RunningNetwork::Way RunningNetwork::changing_way(const Node& node, State& state, const NetworkModel::Ways& ways) {
  double sum = 0.0;
  std::size_t open = 0;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    if (ways.given[w] == 0) {
      ++open;
      continue;
    }
    const double p = ways.probability[w].evaluate(world_.slots());
    if (!(p >= 0.0 && p <= 1.0)) fail(node, "The probability of a way is " + number_text(p) + "; wanted 0 to 1.");
    sum += p;
  }
  constexpr double hair = 1e-9;
  if (sum > 1.0 + hair || (open == 0 && sum < 1.0 - hair))
    fail(node, "The probabilities of the ways sum up to " + number_text(sum) + "; wanted 1.");
  const double each = open == 0 ? 0.0 : std::max(0.0, 1.0 - sum) / static_cast<double>(open);
  double left = uniform_of_way(state);
  std::size_t last = 0;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    const double p = ways.given[w] == 0 ? each : ways.probability[w].evaluate(world_.slots());
    if (p > 0.0) last = w;
    if (left < p) break;
    left -= p;
  }
  chosen_ = static_cast<std::uint32_t>(last);
  return {ways.target[last], ways.becomes[last]};  // at the end rounding left the sum a hair below one
}

RunningNetwork::Way RunningNetwork::chosen_way(const Node& node, State& state, const NetworkModel::Ways& ways) {
  const auto count = static_cast<std::uint32_t>(ways.target.size());
  const auto any = [&](std::uint32_t of) {
    return std::min(static_cast<std::uint32_t>(uniform_of_way(state) * of), of - 1);
  };
  const auto way = [&](std::uint32_t w) {
    chosen_ = w;
    return Way{ways.target[w], ways.becomes[w]};
  };
  if (node.routing == NetworkModel::Routing::random) return way(any(count));
  if (node.routing == NetworkModel::Routing::round_robin) return way(more_of(state).turn++ % count);
  candidates_.clear();
  for (std::uint32_t w = 0; w < count; ++w) candidates_.push_back(w);
  std::uint32_t asked = count;
  if (node.routing == NetworkModel::Routing::power_of_d) {
    asked = std::min(node.choices, count);
    for (std::uint32_t i = 0; i < asked; ++i) std::swap(candidates_[i], candidates_[i + any(count - i)]);
  }
  // Of those that are least all alike: the k-th replaces the choice so far with probability 1 / k.
  std::uint32_t best = 0, alike = 0;
  double least = 0.0;
  for (std::uint32_t i = 0; i < asked; ++i) {
    const std::uint32_t w = candidates_[i];
    const double here = burden(node, ways.target[w], ways.becomes[w]);
    if (alike == 0 || here < least) best = w, least = here, alike = 1;
    else if (here == least && any(++alike) == 0) best = w;
  }
  return way(best);
}

double RunningNetwork::burden(const Node& node, std::uint32_t target, std::uint32_t of_class) const {
  const Node& there = model_.nodes[target];
  const State& state = states_[target];
  const auto present = static_cast<double>(state.present);
  if (there.kind != NetworkModel::Kind::station) return 0.0;
  switch (node.routing) {
    case NetworkModel::Routing::least_work: {
      double left = more_of(state).waiting_work_s;
      const double now = clock(there, state);
      for (const Served& one : state.served)
        if (one.doing() == Doing::service) left += std::max(0.0, one.until_s - now);
      return left;
    }
    case NetworkModel::Routing::fastest: {
      // With a free server his own time, else also his share of the work before him (shortest expected delay).
      const double servers = std::max(1.0, static_cast<double>(state.servers));
      const double before = std::max(0.0, present - servers + 1.0) / servers;
      return (1.0 + before) * there.time[of_class].mean_s;
    }
    case NetworkModel::Routing::last_response:
      return more_of(state).last_stay_s[of_class];
    case NetworkModel::Routing::last_service:
      return more_of(state).last_service_s[of_class];
    default:
      return present;
  }
}

}  // namespace ergode
