#include "solvers/queueing/model/least_flows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/special_values.h"
#include "solvers/queueing/model/sure_loads.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

double LeastFlows::share(std::uint32_t n) const {
  const M::Node& node = model_.nodes[n];
  double all = 0.0, most = 0.0;
  for (std::uint32_t c = 0; c < classes_; ++c) {
    const double come = comes_[place(n, c)];
    if (come > 0.0) all += come * work(n, c), most = std::max(most, come);
  }
  const BlockingLine* const line = line_from(n);
  const double through = line != nullptr ? comes_[place(n, line->of_class)] / line->most_per_s : 0.0;
  const double can = stations_.capacity(node);
  const double its = all > 0.0 ? (can > 0.0 ? all / can : infinity) : 0.0;
  return std::max(through, its + most * stations_.moving_on_s(node));
}
/// Of those who choose, and who come by other ways, to all of a group: of one class its customers over the most that
/// all can serve, of several their least work over all that servers can do.
double LeastFlows::share_of(const Group& group) const {
  double all = 0.0, can = 0.0, customers = 0.0;
  for (std::size_t i = 0; i < group.from.size(); ++i) {
    double least = infinity;
    for (const std::uint32_t n : group.of) least = std::min(least, work_of(group, i, n));
    all += comes_[group.from[i]] * least, customers += comes_[group.from[i]];
  }
  for (const std::uint32_t n : group.of) {
    const double its = stations_.capacity(model_.nodes[n]), taken = share(n) * its;
    if (group.from.size() > 1) all += taken, can += its;
    else can += std::max(0.0, its - taken) / work_of(group, 0, n);
  }
  if (group.from.size() == 1) all = customers;
  return all > 0.0 ? (can > 0.0 ? all / can : infinity) : 0.0;
}
double LeastFlows::work_of(const Group& group, std::size_t i, std::uint32_t n) const {
  return work(n, static_cast<std::uint32_t>(group.becomes[i]));
}
/// Whether no station of a group is overloaded as long as all together are not: customers go where they are fewest or
/// where there is least work, of one class, or where stations are alike; of some at random only where they are alike.
bool LeastFlows::evens_out(const Group& group) const {
  using How = M::Routing;
  const How how = model_.nodes[group.at].routing;
  const std::uint32_t first = group.of.front();
  const double can = stations_.capacity(model_.nodes[first]);
  const bool alike = std::all_of(group.of.begin(), group.of.end(), [&](std::uint32_t n) {
    for (std::size_t i = 0; i < group.from.size(); ++i)
      if (work_of(group, i, n) != work_of(group, i, first)) return false;
    return stations_.capacity(model_.nodes[n]) == can;
  });
  const bool by_all = how == How::shortest_queue || how == How::least_work;
  return alike ? by_all || how == How::power_of_d : by_all && group.from.size() == 1;
}
/// Nobody comes but those who are known, as often as was found.
bool LeastFlows::certain(std::uint32_t n) const {
  for (std::uint32_t c = 0; c < classes_; ++c)
    if (doubtful_[place(n, c)] != 0 || closed_[place(n, c)] != 0) return false;
  return true;
}
bool LeastFlows::exactly(std::uint32_t n) const {
  for (std::uint32_t c = 0; c < classes_; ++c)
    if (comes_[place(n, c)] > 0.0 && !work_[place(n, c)].exactly) return false;
  const BlockingLine* const line = line_from(n);
  return certain(n) && (line == nullptr || line->exactly);
}
bool LeastFlows::takes_longer(std::uint32_t n) const {
  for (std::uint32_t c = 0; c < classes_; ++c)
    if (comes_[place(n, c)] > 0.0 && work(n, c) > stations_.work(model_.nodes[n], c) * (1.0 + rounding_of_loads))
      return true;
  return false;
}
int LeastFlows::classes_that_come(std::uint32_t n) const {
  int out = 0;
  for (std::uint32_t c = 0; c < classes_; ++c)
    out += comes_[place(n, c)] > 0.0 || doubtful_[place(n, c)] != 0 || closed_[place(n, c)] != 0 ? 1 : 0;
  return out;
}
/// How many go on at least.
double LeastFlows::goes(std::size_t from) const {
  const auto n = static_cast<std::uint32_t>(from / classes_);
  const M::Node& node = model_.nodes[n];
  const double come = comes_[from];
  if (node.kind != Kind::station) return come;
  if (classes_that_come(n) > 1) return stops_[n] != 0 || !certain(n) ? 0.0 : come;
  if (const BlockingLine* const line = line_from(n)) return std::min(come, line->most_per_s);
  const double time_s = work(n, static_cast<std::uint32_t>(from % classes_));
  return time_s > 0.0 ? std::min(come, stations_.capacity(node) / time_s) : come;
}

/// From nobody on, from below; anew with what turned out to be overloaded. @returns whether it came to an end.
bool LeastFlows::settle() {
  constexpr int most = 64;
  for (int again = 0; again < most; ++again) {
    if (looked_at_ > most_ways || !rise(false)) return false;
    bool changed = false;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (model_.nodes[n].kind == Kind::station && stops_[n] == 0 && too_much(share(n))) stops_[n] = 1, changed = true;
    if (changed) spread_doubt();
    for (Passage& passage : passages_) {
      if (!passage.open || keeps_up(passage)) continue;
      passage.open = false, changed = true;
      if (passage.join != M::none) doubt_ways(passage.join, passage.of_class);
      spread_doubt();
    }
    if (!changed) return true;
  }
  return false;
}
bool LeastFlows::assumes_more() const {
  return std::any_of(assumed_.begin(), assumed_.end(), [](const std::vector<Way>& ways) { return !ways.empty(); }) ||
         std::any_of(passages_.begin(), passages_.end(), [](const Passage& one) { return !one.open; });
}
// Where every queue has a long run as many leave as come, so these are the numbers of all who come there: where they
// are more than can be served some queue has none.
bool LeastFlows::assume() { return looked_at_ <= most_ways && rise(true); }

bool LeastFlows::keeps_up(const Passage& passage) const {
  for (const std::uint32_t n : passage.stations)
    if (too_much(share(n)) || (passage.group == none && !certain(n))) return false;
  if (passage.group == none) return true;
  // Nobody comes to those stations but who chose here, and of those it is known how many they are.
  const Group& group = groups_[passage.group];
  if (!evens_out(group) || too_much(share_of(group))) return false;
  for (const std::size_t from : group.from)
    if (doubtful_[from] != 0 || closed_[from] != 0) return false;
  return std::all_of(passage.stations.begin(), passage.stations.end(), [&](std::uint32_t n) {
    return std::all_of(leads_to_[n].begin(), leads_to_[n].end(), [&](std::size_t from) {
      return std::find(group.from.begin(), group.from.end(), from) != group.from.end();
    });
  });
}
/// @returns whether it came to an end: where customers never leave there is none.
bool LeastFlows::rise(bool all_go_on) {
  constexpr int most_rounds = 2000;
  comes_.assign(ways_.size(), 0.0);
  std::vector<double> next;
  for (int round = 0; round < most_rounds; ++round) {
    next = sent_;
    for (std::size_t from = 0; from < ways_.size(); ++from) {
      if (comes_[from] == 0.0 || (ways_[from].empty() && assumed_[from].empty())) continue;
      looked_at_ += ways_[from].size() + assumed_[from].size() + classes_;
      const double go = all_go_on ? comes_[from] : goes(from);
      for (const Way& way : ways_[from])
        if (way.needs == M::none || all_go_on || passages_[way.needs].open) next[way.to] += go * way.weight;
      if (all_go_on)
        for (const Way& way : assumed_[from]) next[way.to] += go * way.weight;
    }
    double change = 0.0;
    for (std::size_t i = 0; i < next.size(); ++i)
      if (next[i] > 0.0) change = std::max(change, std::fabs(next[i] - comes_[i]) / next[i]);
    comes_.swap(next);
    if (change < 1e-14) return true;
    if (looked_at_ > most_ways) return false;
  }
  return false;
}

}  // namespace ergode
