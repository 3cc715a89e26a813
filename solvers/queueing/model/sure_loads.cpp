#include "solvers/queueing/model/sure_loads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/base/special_values.h"
#include "solvers/queueing/model/station_limits.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

/// Places are node * classes + class.
class LeastFlows {
 public:
  LeastFlows(const NetworkModel& model, std::span<const Range> ranges)
      : model_(model), stations_(model, ranges), classes_(model.classes.size()) {
    const std::size_t places = model.nodes.size() * classes_;
    ways_.resize(places), sent_.assign(places, 0.0), doubtful_.assign(places, 0);
    closed_.assign(places, 0), stops_.assign(model.nodes.size(), 0);
    leads_to_.resize(model.nodes.size());
    for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
      for (std::uint32_t c = 0; c < classes_; ++c) {
        look_at(n, c);
        for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
          if (const std::vector<M::Ways>& all = model.nodes[n].ways_of(how); all.size() > c)
            for (const std::uint32_t target : all[c].target) leads_to_[target].push_back(place(n, c));
      }
    for (std::uint32_t c = 0; c < classes_; ++c) {
      const M::JobClass& one = model.classes[c];
      if (one.population > 0 && one.reference != M::none) mark(place(one.reference, c), closed_);
    }
    doubt_who_was_not_split();
    spread_doubt();
  }

  std::vector<SureOverload> overloads() {
    if (!settle()) return {};
    std::vector<SureOverload> out;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const M::Node& node = model_.nodes[n];
      if (!stations_.judged(node) || !too_much(share(n))) continue;
      SureOverload one{.stations = {n}, .share = share(n), .most = stations_.changes(node), .up = stations_.up(node)};
      one.up_at_most = stations_.up_at_most(node);
      one.moves_on = stations_.moving_on_s(node) > 0.0;
      one.exactly = certain(n) && !one.up_at_most, one.tries_again = node.capacity != M::unlimited;
      out.push_back(std::move(one));
    }
    for (const Group& group : groups_) {
      const bool judged = std::all_of(group.of.begin(), group.of.end(), [&](std::uint32_t n) {
        return stations_.judged(model_.nodes[n]) && model_.nodes[n].capacity == M::unlimited;
      });
      if (const double all = judged ? share_of(group) : 0.0; too_much(all))
        out.push_back({.stations = group.of, .chosen_at = group.at, .share = all});
    }
    return out;
  }

 private:
  struct Way {
    std::size_t to;
    double weight;
    std::uint32_t needs = M::none;  ///< number among passages_: there only as long as that is open
  };
  /// Stations among which customers choose at a node, by whatever rule.
  struct Group {
    std::uint32_t at = M::none;
    std::vector<std::uint32_t> of;
    std::vector<std::size_t> from, becomes;  ///< places that choose, and the class in which they come
  };
  /// What customers go through between a fork and its join, or when they choose, and stations that must keep up for it.
  struct Passage {
    std::set<std::uint32_t> stations;
    std::size_t group = none;
    std::uint32_t from = M::none, of_class = M::none;  ///< where it begins
    std::uint32_t join = M::none;                      ///< of a fork
    bool open = true;
  };
  static constexpr auto none = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t most_ways = 100'000'000;  // a second or two, after which nothing is judged
  static bool too_much(double share) { return share >= 1.0 - rounding_of_loads; }
  std::size_t place(std::size_t n, std::size_t c) const { return n * classes_ + c; }
  const M::Node& node_at(std::size_t place) const { return model_.nodes[place / classes_]; }

  const M::Ways* ways_at(std::uint32_t n, std::uint32_t c) const {
    const M::Node& node = model_.nodes[n];
    return node.ways.size() > c && !node.ways[c].target.empty() ? &node.ways[c] : nullptr;
  }
  /// Where ways lead. Tokens of any class that keep theirs may come as each.
  template <class Use>
  void each_place(const M::Ways& ways, const Use& use) const {
    for (std::size_t w = 0; w < ways.target.size(); ++w)
      if (ways.becomes[w] < classes_) use(to(ways, w));
      else
        for (std::size_t c = 0; c < classes_; ++c) use(place(ways.target[w], c));
  }
  /// All places that somebody who is here may come to. A join sends on who was split, whatever his parts have become.
  void mark(std::size_t from, std::vector<std::uint8_t>& marks) const {
    std::vector<std::size_t> ahead = {from};
    while (!ahead.empty()) {
      const std::size_t here = ahead.back();
      ahead.pop_back();
      if (std::exchange(marks[here], std::uint8_t{1}) != 0) continue;
      ++looked_at_;
      for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged}) {
        const std::vector<M::Ways>& all = node_at(here).ways_of(how);
        const Kind kind = node_at(here).kind;
        const bool any = kind == Kind::join || kind == Kind::scaler || kind == Kind::transition;
        for (std::size_t c = 0; c < all.size(); ++c)
          if (any || c == here % classes_) each_place(all[c], [&](std::size_t next) { ahead.push_back(next); });
      }
    }
  }
  void doubt_ways(std::uint32_t n, std::uint32_t c) {
    if (const M::Ways* ways = ways_at(n, c)) each_place(*ways, [&](std::size_t next) { mark(next, doubtful_); });
  }

  void look_at(std::uint32_t n, std::uint32_t c) {
    const M::Node& node = model_.nodes[n];
    if (node.kind == Kind::source && node.emits == c) source(n, c);
    const M::Ways* const ways = ways_at(n, c);
    if (ways == nullptr) return;
    if (node.kind == Kind::fork) return split(n, c, *ways);
    if (node.kind == Kind::join) return;  // whoever was split sends on (split())
    const bool chooses = node.routing != M::Routing::probabilities && node.routing != M::Routing::random;
    if (!stations_.passes(node)) return doubt_ways(n, c);
    if (ways->target.size() > 1 && chooses) return choose(n, c, *ways);
    if (ways->upto.empty() && ways->target.size() > 1) return doubt_ways(n, c);
    for (std::size_t w = 0; w < ways->target.size(); ++w)
      ways_[place(n, c)].push_back({to(*ways, w), chance(*ways, w)});
  }
  std::size_t to(const M::Ways& ways, std::size_t w) const { return place(ways.target[w], ways.becomes[w]); }
  static double chance(const M::Ways& ways, std::size_t w) {
    if (ways.target.size() == 1 || ways.upto.empty()) return 1.0;
    return ways.upto[w] - (w > 0 ? ways.upto[w - 1] : 0.0);
  }

  /// Of what is rounded to whole numbers: the sum of P(X >= k - 1/2) over k >= 1. What is beyond a thousand is left
  /// out.
  static double mean_of_whole(const Distribution& law) {
    constexpr int most = 1000;
    if (law.family() == Distribution::Family::deterministic) return std::floor(law.mean() + 0.5);
    double out = 0.0;
    for (int k = 1; k <= most; ++k) {
      const double beyond = 1.0 - law.cdf(std::nextafter(k - 0.5, 0.0));
      if (!(beyond > 1e-12)) break;
      out += beyond;
    }
    return out;
  }
  void source(std::uint32_t n, std::uint32_t c) {
    const M::Node& node = model_.nodes[n];
    const std::optional<double> known = rate_of(node);
    double at_once = 1.0;
    if (node.batched)
      at_once = node.batch.drawn ? mean_of_whole(node.batch.law) : std::floor(stations_.lower(node.batch.value) + 0.5);
    const double rate = known ? *known : node.has_rate ? stations_.lower(node.rate) : 0.0;
    sent_[place(n, c)] = std::isfinite(rate * at_once) ? rate * at_once : 0.0;
    if (!known || (node.batched && !node.batch.drawn)) doubt_ways(n, c);
  }

  // Parts go each their way; of the whole as many go on behind the join as were split.
  void split(std::uint32_t n, std::uint32_t c, const M::Ways& ways) {
    if (looked_at_ > most_ways) return;
    const std::size_t here = place(n, c);
    for (std::size_t w = 0; w < ways.target.size(); ++w)
      ways_[here].push_back({to(ways, w), static_cast<double>(ways.count[w])});
    Passage passage;
    const std::size_t join = joined(n, c, passage, 0);
    const M::Ways* const on = join == none ? nullptr : ways_at(static_cast<std::uint32_t>(join), c);
    const bool sure =
        on != nullptr && model_.nodes[join].kind == Kind::join && (on->target.size() == 1 || drawn(join, *on));
    if (!sure) return doubt_joins(n, c);
    const auto number = static_cast<std::uint32_t>(passages_.size());
    passage.from = n, passage.of_class = c, passage.join = join_of_[here] = static_cast<std::uint32_t>(join);
    passages_.push_back(std::move(passage));
    for (std::size_t w = 0; w < on->target.size(); ++w) ways_[here].push_back({to(*on, w), chance(*on, w), number});
  }
  /// Of parts it is known how many come, but not how many go on from where they may meet.
  void doubt_joins(std::uint32_t n, std::uint32_t c) {
    std::vector<std::uint8_t> parts(ways_.size(), 0);
    for (std::size_t w = 0; w < ways_at(n, c)->target.size(); ++w) mark(to(*ways_at(n, c), w), parts);
    for (std::size_t here = 0; here < parts.size(); ++here)
      if (parts[here] != 0 && (node_at(here).kind == Kind::join || node_at(here).kind == Kind::scaler))
        mark(here, doubtful_);
  }
  /// Whether ways from there are chosen by probabilities that stay the same.
  bool drawn(std::size_t n, const M::Ways& ways) const {
    const M::Routing how = model_.nodes[n].routing;
    return !ways.upto.empty() && (how == M::Routing::probabilities || how == M::Routing::random);
  }
  // Whoever comes to a join as one goes on at once, and is in no number that a fork tells.
  void doubt_who_was_not_split() {
    std::vector<std::uint8_t> seen(ways_.size(), 0);
    std::vector<std::size_t> ahead;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (const M::Node& node = model_.nodes[n]; node.kind == Kind::source) ahead.push_back(place(n, node.emits));
    while (!ahead.empty()) {
      const std::size_t here = ahead.back();
      ahead.pop_back();
      if (std::exchange(seen[here], std::uint8_t{1}) != 0) continue;
      const M::Node& node = node_at(here);
      auto n = static_cast<std::uint32_t>(here / classes_);
      const auto c = static_cast<std::uint32_t>(here % classes_);
      if (node.kind == Kind::join || node.kind == Kind::scaler) {
        mark(here, doubtful_);
        continue;
      }
      if (node.kind == Kind::fork) {
        const auto join = join_of_.find(here);
        if (join == join_of_.end()) continue;  // whatever comes of it is in doubt
        n = join->second;
      }
      for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
        if (const std::vector<M::Ways>& all = model_.nodes[n].ways_of(how); all.size() > c)
          each_place(all[c], [&](std::size_t next) { ahead.push_back(next); });
    }
  }
  /// Where somebody of whom nothing is known comes to others, it is not known how many of them go on either.
  void spread_doubt() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
        if (model_.nodes[n].kind != Kind::station || (certain(n) && stops_[n] == 0)) continue;
        int classes = 0;
        for (std::uint32_t c = 0; c < classes_; ++c) classes += ways_at(n, c) != nullptr ? 1 : 0;
        for (std::uint32_t c = 0; c < classes_ && classes > 1; ++c)
          if (const M::Ways* ways = ways_at(n, c))
            for (std::size_t w = 0; w < ways->target.size(); ++w)
              if (doubtful_[to(*ways, w)] == 0) mark(to(*ways, w), doubtful_), changed = true;
      }
    }
  }
  /// The one join to which all parts of a customer come for sure if the stations of `passage` keep up; none: there is
  /// no such.
  std::size_t joined(std::uint32_t fork, std::uint32_t c, Passage& passage, int depth) const {
    constexpr int deepest = 16;
    const M::Ways* const first = ways_at(fork, c);
    if (first == nullptr || depth > deepest) return none;
    std::vector<std::size_t> ahead;
    for (std::size_t w = 0; w < first->target.size(); ++w) ahead.push_back(to(*first, w));
    std::set<std::size_t> seen;
    std::size_t out = none;
    while (!ahead.empty()) {
      const std::size_t here = ahead.back();
      ahead.pop_back();
      if (!seen.insert(here).second) continue;
      ++looked_at_;
      const M::Node& node = node_at(here);
      const auto n = static_cast<std::uint32_t>(here / classes_), of = static_cast<std::uint32_t>(here % classes_);
      std::uint32_t from = n;
      if (node.kind == Kind::join || node.kind == Kind::scaler) {
        if (out != none && out != n) return none;
        out = n;
        continue;
      }
      if (node.kind == Kind::fork) {
        const std::size_t inner = joined(n, of, passage, depth + 1);
        if (inner == none || model_.nodes[inner].kind != Kind::join) return none;
        from = static_cast<std::uint32_t>(inner);
      } else if (!stations_.passes(node)) {
        return none;
      }
      if (node.kind == Kind::station) passage.stations.insert(n);
      const M::Ways* const on = ways_at(from, of);
      if (on == nullptr) return none;
      for (std::size_t w = 0; w < on->target.size(); ++w) ahead.push_back(to(*on, w));
    }
    return out;
  }

  void choose(std::uint32_t n, std::uint32_t c, const M::Ways& ways) {
    const M::Node& node = model_.nodes[n];
    // In turn each way takes as many of one class; of several nobody knows who comes when.
    if (node.routing == M::Routing::round_robin && only_class(n, c)) {
      for (std::size_t w = 0; w < ways.target.size(); ++w)
        ways_[place(n, c)].push_back({to(ways, w), 1.0 / static_cast<double>(ways.target.size())});
      return;
    }
    doubt_ways(n, c);
    const bool one = std::all_of(ways.becomes.begin(), ways.becomes.end(),
                                 [&](std::uint32_t becomes) { return becomes == ways.becomes[0]; });
    if (!one) return;
    std::vector<std::uint32_t> of = ways.target;
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.at == n && g.of == of; });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), {n, of, {}, {}});
    group->from.push_back(place(n, c)), group->becomes.push_back(ways.becomes[0]);
    Passage passage;
    passage.group = static_cast<std::size_t>(group - groups_.begin()), passage.from = n, passage.of_class = c;
    std::map<std::size_t, double> least;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const M::Node& target = model_.nodes[of[i]];
      const M::Ways* const on = ways_at(of[i], ways.becomes[0]);
      std::map<std::size_t, double> these;
      const bool sure = target.kind == Kind::station && stations_.passes(target) && on != nullptr &&
                        (on->target.size() == 1 || drawn(of[i], *on));
      if (!sure) return;
      for (std::size_t w = 0; w < on->target.size(); ++w) these[to(*on, w)] += chance(*on, w);
      if (i == 0) least = std::move(these);
      else
        for (auto& [place, p] : least) p = std::min(p, these.count(place) != 0 ? these[place] : 0.0);
      passage.stations.insert(of[i]);
    }
    const auto number = static_cast<std::uint32_t>(passages_.size());
    passages_.push_back(std::move(passage));
    for (const auto& [place_to, p] : least)
      if (p > 0.0) ways_[place(n, c)].push_back({place_to, p, number});
  }
  bool only_class(std::uint32_t n, std::uint32_t c) const {
    for (std::uint32_t other = 0; other < classes_; ++other)
      if (other != c && ways_at(n, other) != nullptr) return false;
    return true;
  }

  double share(std::uint32_t n) const {
    const M::Node& node = model_.nodes[n];
    double all = 0.0, most = 0.0;
    for (std::uint32_t c = 0; c < classes_; ++c) {
      const double come = comes_[place(n, c)];
      if (come > 0.0) all += come * stations_.work(node, c), most = std::max(most, come);
    }
    const double can = stations_.capacity(node);
    return (all > 0.0 ? (can > 0.0 ? all / can : infinity) : 0.0) + most * stations_.moving_on_s(node);
  }
  /// Of those who choose, and who come by other ways, to all of a group: of one class its customers over the most that
  /// all can serve, of several their least work over all that servers can do.
  double share_of(const Group& group) const {
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
  double work_of(const Group& group, std::size_t i, std::uint32_t n) const {
    return stations_.work(model_.nodes[n], static_cast<std::uint32_t>(group.becomes[i]));
  }
  /// Whether no station of a group is overloaded as long as all together are not: customers go where they are fewest or
  /// where there is least work, of one class, or where stations are alike; of some at random only where they are alike.
  bool evens_out(const Group& group) const {
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
  bool certain(std::uint32_t n) const {
    for (std::uint32_t c = 0; c < classes_; ++c)
      if (doubtful_[place(n, c)] != 0 || closed_[place(n, c)] != 0) return false;
    return true;
  }
  int classes_that_come(std::uint32_t n) const {
    int out = 0;
    for (std::uint32_t c = 0; c < classes_; ++c)
      out += comes_[place(n, c)] > 0.0 || doubtful_[place(n, c)] != 0 || closed_[place(n, c)] != 0 ? 1 : 0;
    return out;
  }
  /// How many go on at least.
  double goes(std::size_t from) const {
    const auto n = static_cast<std::uint32_t>(from / classes_);
    const M::Node& node = model_.nodes[n];
    const double come = comes_[from];
    if (node.kind != Kind::station) return come;
    if (classes_that_come(n) > 1) return stops_[n] != 0 || !certain(n) ? 0.0 : come;
    const double time_s = stations_.work(node, static_cast<std::uint32_t>(from % classes_));

    return time_s > 0.0 ? std::min(come, stations_.capacity(node) / time_s) : come;
  }

  /// From nobody on, from below; anew with what turned out to be overloaded. @returns whether it came to an end.
  bool settle() {
    constexpr int most = 64;
    for (int again = 0; again < most; ++again) {
      if (looked_at_ > most_ways || !rise()) return false;
      bool changed = false;
      for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
        if (model_.nodes[n].kind == Kind::station && stops_[n] == 0 && too_much(share(n)))
          stops_[n] = 1, changed = true;
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
  bool keeps_up(const Passage& passage) const {
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
  bool rise() {
    constexpr int most_rounds = 2000;

    comes_.assign(ways_.size(), 0.0);
    std::vector<double> next;
    for (int round = 0; round < most_rounds; ++round) {
      next = sent_;
      for (std::size_t from = 0; from < ways_.size(); ++from) {
        if (comes_[from] == 0.0 || ways_[from].empty()) continue;
        looked_at_ += ways_[from].size() + classes_;
        const double go = goes(from);
        for (const Way& way : ways_[from])
          if (way.needs == M::none || passages_[way.needs].open) next[way.to] += go * way.weight;
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

  const NetworkModel& model_;
  StationLimits stations_;
  std::size_t classes_;
  std::vector<std::vector<Way>> ways_;              ///< by place
  std::vector<double> sent_, comes_;                ///< by place: from outside, and in all, per second at least
  std::vector<std::uint8_t> doubtful_;              ///< by place: more may come than was found
  std::vector<std::uint8_t> closed_;                ///< by place: closed customers may come
  std::vector<std::uint8_t> stops_;                 ///< by node: which of several classes it lets pass nobody knows
  std::vector<std::vector<std::size_t>> leads_to_;  ///< by node: places from which somebody may come there
  std::map<std::size_t, std::uint32_t> join_of_;    ///< of a fork, by place
  std::vector<Group> groups_;
  std::vector<Passage> passages_;
  mutable std::size_t looked_at_ = 0;  ///< places and ways so far
};

}  // namespace

std::vector<SureOverload> sure_overloads(const NetworkModel& model, std::span<const Range> ranges) {
  return LeastFlows(model, ranges).overloads();
}

}  // namespace ergode
