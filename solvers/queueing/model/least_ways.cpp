// Ways of customers of whom it is known how many they are at least: how LeastFlows is built.
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

namespace {

double chance(const M::Ways& ways, std::size_t w) {
  if (ways.target.size() == 1 || ways.upto.empty()) return 1.0;
  return ways.upto[w] - (w > 0 ? ways.upto[w - 1] : 0.0);
}

/// Of what is rounded to whole numbers: the sum of P(X >= k - 1/2) over k >= 1. What is beyond a thousand is left
/// out.
double mean_of_whole(const Distribution& law) {
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

}  // namespace

LeastFlows::LeastFlows(const NetworkModel& model, const KnownSlots& known)
    : model_(model), stations_(model, known), classes_(model.classes.size()) {
  const std::size_t places = model.nodes.size() * classes_;
  ways_.resize(places), assumed_.resize(places), sent_.assign(places, 0.0), doubtful_.assign(places, 0);
  closed_.assign(places, 0), stops_.assign(model.nodes.size(), 0);
  timed_.assign(places, 0);
  leads_to_.resize(model.nodes.size());
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    for (std::uint32_t c = 0; c < classes_; ++c)
      for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
        if (const std::vector<M::Ways>& all = model.nodes[n].ways_of(how); all.size() > c)
          for (const std::uint32_t target : all[c].target) leads_to_[target].push_back(place(n, c));
  lines_ = blocking_lines(model, stations_);
  line_of_.assign(model.nodes.size(), M::none);
  for (std::uint32_t line = 0; line < lines_.size(); ++line)
    for (const std::uint32_t n : lines_[line].stations) line_of_[n] = line;
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    if (timed(model.nodes[n])) mark(place(n, model.nodes[n].emits), timed_);
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    for (std::uint32_t c = 0; c < classes_; ++c) look_at(n, c);
  for (std::uint32_t c = 0; c < classes_; ++c) {
    const M::JobClass& one = model.classes[c];
    if (one.population > 0 && one.reference != M::none) mark(place(one.reference, c), closed_);
  }
  doubt_who_was_not_split();
  spread_doubt();
  work_out();
}

const M::Ways* LeastFlows::ways_at(std::uint32_t n, std::uint32_t c) const {
  const M::Node& node = model_.nodes[n];
  return node.ways.size() > c && !node.ways[c].target.empty() ? &node.ways[c] : nullptr;
}
const BlockingLine* LeastFlows::line_from(std::uint32_t n) const {
  const std::uint32_t line = line_of_[n];
  return line != M::none && lines_[line].stations[0] == n ? &lines_[line] : nullptr;
}

/// All places that somebody who is here may come to. A join sends on who was split, whatever his parts have become.
void LeastFlows::mark(std::size_t from, std::vector<std::uint8_t>& marks) const {
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
void LeastFlows::doubt_ways(std::uint32_t n, std::uint32_t c) {
  if (const M::Ways* ways = ways_at(n, c)) each_place(*ways, [&](std::size_t next) { mark(next, doubtful_); });
}

// Who has come by then may still be there when the mission ends, and goes on later.
bool LeastFlows::passes(std::uint32_t n) const { return stations_.passes(model_.nodes[n]) && !over_mission(n); }
bool LeastFlows::over_mission(std::uint32_t n) const {
  for (std::uint32_t c = 0; c < classes_ && model_.nodes[n].kind == Kind::station; ++c)
    if (timed_[place(n, c)] != 0) return true;
  return false;
}
bool LeastFlows::timed(const M::Node& node) const {
  return node.kind == Kind::source && node.has_rate && stations_.mean_over_mission(node.rate).has_value();
}

void LeastFlows::look_at(std::uint32_t n, std::uint32_t c) {
  const M::Node& node = model_.nodes[n];
  if (node.kind == Kind::source && node.emits == c) source(n, c);
  const M::Ways* const ways = ways_at(n, c);
  if (ways == nullptr) return;
  if (node.kind == Kind::fork) return split(n, c, *ways);
  if (node.kind == Kind::join) return;  // whoever was split sends on (split())
  const bool chooses = node.routing != M::Routing::probabilities && node.routing != M::Routing::random;
  const bool at_random = !chooses && (ways->target.size() == 1 || !ways->upto.empty());
  const auto go_on = [&](std::vector<Way>& here, const M::Ways& all) {
    for (std::size_t w = 0; w < all.target.size(); ++w) here.push_back({to(all, w), chance(all, w)});
  };
  if (const std::uint32_t line = line_of_[n]; line != M::none && lines_[line].exactly) {
    const std::uint32_t last = lines_[line].stations.back();
    const bool known = ways_at(last, c)->target.size() == 1 || drawn(last, *ways_at(last, c));
    if (n == lines_[line].stations[0] && known) go_on(ways_[place(n, c)], *ways_at(last, c));
    if (n == last && !known) doubt_ways(n, c);
    return;
  }
  if (!passes(n)) {
    if (stations_.keeps_all(node) && (at_random || ways->target.size() == 1)) go_on(assumed_[place(n, c)], *ways);
    return doubt_ways(n, c);
  }
  if (ways->target.size() > 1 && chooses) return choose(n, c, *ways);
  if (at_random) return go_on(ways_[place(n, c)], *ways);
  const std::vector<double> chances = chances_over_time(n, c, *ways);
  if (chances.empty()) return doubt_ways(n, c);
  for (std::size_t w = 0; w < chances.size(); ++w) ways_[place(n, c)].push_back({to(*ways, w), chances[w]});
}

namespace {

constexpr std::size_t longest_flow = 2000;  // operations

Program times(const Program& a, const Program& b) { return Program::apply(Program::Op::multiply, {a, b}); }
Program plus(const Program& a, const Program& b) { return Program::apply(Program::Op::add, {a, b}); }

/// The probability of a way; nothing where the state of the network says which one is gone.
std::optional<Program> chance_of(const M::Node& node, const M::Ways& ways, std::size_t w) {
  const bool drawn = node.routing == M::Routing::probabilities || node.routing == M::Routing::random;
  if (ways.target.size() == 1) return Program(1.0);
  if (!drawn) return std::nullopt;
  if (!ways.upto.empty()) return Program(chance(ways, w));
  if (ways.given[w] != 0) return ways.probability[w];
  Program left(1.0);
  double open = 0.0;
  for (std::size_t other = 0; other < ways.target.size(); ++other)
    if (ways.given[other] == 0) ++open;
    else left = plus(left, times(Program(-1.0), ways.probability[other]));
  return times(Program(1.0 / open), left);
}

/// Gaps of a law with a density forget what a chart of fixed delays would keep time with.
bool spread_out(const M::Node& source) {
  using Family = Distribution::Family;
  if (source.has_rate) return true;
  if (source.process != M::none || source.time.empty() || !source.time[0].drawn) return false;
  const Family family = source.time[0].law.family();
  return family != Family::deterministic && family != Family::empirical && family != Family::quantile_table;
}

}  // namespace

// Who comes from elsewhere has been where the same charts may have held him up.
std::optional<Program> LeastFlows::straight_flow(std::size_t here, bool& keeps_time, int depth) const {
  constexpr int deepest = 16;
  const M::Node& node = node_at(here);
  Program out(0.0);
  if (depth > deepest) return std::nullopt;
  if (node.kind == Kind::source) {
    const std::optional<double> known = rate_of(node);
    if (node.emits != here % classes_ || (!known && !node.has_rate)) return std::nullopt;
    out = known ? Program(*known) : node.rate;
    keeps_time = keeps_time || !spread_out(node);
  } else if (node.kind != Kind::router && node.kind != Kind::logger) {
    return std::nullopt;
  }
  std::set<std::size_t> seen;
  for (const std::size_t from : leads_to_[here / classes_]) {
    if (!seen.insert(from).second) continue;
    const M::Node& before = node_at(from);
    const auto c = static_cast<std::uint32_t>(from % classes_);
    const M::Ways* const ways = ways_at(static_cast<std::uint32_t>(from / classes_), c);
    if (ways == nullptr) return std::nullopt;
    for (std::size_t w = 0; w < ways->target.size(); ++w) {
      if (ways->target[w] != here / classes_) continue;
      if (ways->becomes[w] >= classes_) return std::nullopt;
      if (to(*ways, w) != here) continue;
      const auto flow = straight_flow(from, keeps_time, depth + 1);
      const auto its = chance_of(before, *ways, w);
      if (!flow || !its) return std::nullopt;
      out = plus(out, times(*flow, *its));
      if (out.code().size() > longest_flow) return std::nullopt;
    }
  }
  return out;
}

std::vector<double> LeastFlows::chances_over_time(std::uint32_t n, std::uint32_t c, const M::Ways& ways) const {
  bool keeps_time = false;
  const auto flow = straight_flow(place(n, c), keeps_time, 0);
  const auto over_time = [&](const Program& program) {
    return program.is_constant() ? std::optional(program.value()) : stations_.mean(program, keeps_time);
  };
  const std::optional<double> all = flow ? over_time(*flow) : std::nullopt;
  if (!all || !(*all > 0.0)) return {};
  std::vector<double> out;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    const auto chance = chance_of(model_.nodes[n], ways, w);
    const std::optional<double> goes = chance ? over_time(times(*flow, *chance)) : std::nullopt;
    if (!goes) return {};
    out.push_back(*goes / *all);
  }
  return out;
}

void LeastFlows::source(std::uint32_t n, std::uint32_t c) {
  const M::Node& node = model_.nodes[n];
  std::optional<double> known = rate_of(node);
  if (!known && node.has_rate) known = stations_.mean(node.rate);
  if (!known && timed(node)) known = stations_.mean_over_mission(node.rate);
  double at_once = 1.0;
  if (node.batched)
    at_once = node.batch.drawn ? mean_of_whole(node.batch.law) : std::floor(stations_.lower(node.batch.value) + 0.5);
  const double rate = known ? *known : node.has_rate ? stations_.lower(node.rate) : 0.0;
  sent_[place(n, c)] = std::isfinite(rate * at_once) ? rate * at_once : 0.0;
  if (!known || (node.batched && !node.batch.drawn)) doubt_ways(n, c);
}

// Parts go each their way; of the whole as many go on behind the join as were split.
void LeastFlows::split(std::uint32_t n, std::uint32_t c, const M::Ways& ways) {
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
void LeastFlows::doubt_joins(std::uint32_t n, std::uint32_t c) {
  std::vector<std::uint8_t> parts(ways_.size(), 0);
  for (std::size_t w = 0; w < ways_at(n, c)->target.size(); ++w) mark(to(*ways_at(n, c), w), parts);
  for (std::size_t here = 0; here < parts.size(); ++here)
    if (parts[here] != 0 && (node_at(here).kind == Kind::join || node_at(here).kind == Kind::scaler))
      mark(here, doubtful_);
}
/// Whether ways from there are chosen by probabilities that stay the same.
bool LeastFlows::drawn(std::size_t n, const M::Ways& ways) const {
  const M::Routing how = model_.nodes[n].routing;
  return !ways.upto.empty() && (how == M::Routing::probabilities || how == M::Routing::random);
}
// Whoever comes to a join as one goes on at once, and is in no number that a fork tells.
void LeastFlows::doubt_who_was_not_split() {
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
void LeastFlows::spread_doubt() {
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
std::size_t LeastFlows::joined(std::uint32_t fork, std::uint32_t c, Passage& passage, int depth) const {
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
    } else if (!passes(n)) {
      return none;
    }
    if (node.kind == Kind::station) passage.stations.insert(n);
    const M::Ways* const on = ways_at(from, of);
    if (on == nullptr) return none;
    for (std::size_t w = 0; w < on->target.size(); ++w) ahead.push_back(to(*on, w));
  }
  return out;
}

void LeastFlows::choose(std::uint32_t n, std::uint32_t c, const M::Ways& ways) {
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
    const bool sure =
        target.kind == Kind::station && passes(of[i]) && on != nullptr && (on->target.size() == 1 || drawn(of[i], *on));
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
bool LeastFlows::only_class(std::uint32_t n, std::uint32_t c) const {
  for (std::uint32_t other = 0; other < classes_; ++other)
    if (other != c && ways_at(n, other) != nullptr) return false;
  return true;
}

}  // namespace ergode
