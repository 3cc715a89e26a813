// What is told to people who watch one history: who moves along which flow, who is where, and what comes next.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Kind = NetworkModel::Kind;

namespace {

/// Those who stand in line one by one; of the others it is only told how many there are of each class.
constexpr std::uint32_t most_in_order = 64;

/// Groups of those at one node who stand beside each other and are alike.
class Groups {
 public:
  Groups(const NetworkModel& model, std::vector<Present>& out) : model_(model), out_(out) {}
  void begin(ElementId node) { node_ = node, first_ = out_.size(); }
  void add(Standing standing, std::uint32_t of_class, std::uint64_t count = 1) {
    add(standing, of_class == NetworkModel::none ? ElementId() : model_.classes[of_class].element, count);
  }
  void servers(Standing standing, std::uint64_t count) { add(standing, ElementId(), count); }

 private:
  void add(Standing standing, ElementId sort, std::uint64_t count) {
    if (count == 0) return;
    const auto shown =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
    if (out_.size() > first_ && out_.back().standing == standing && out_.back().sort == sort)
      out_.back().count += shown;
    else out_.push_back({node_, standing, sort, shown});
  }
  const NetworkModel& model_;
  std::vector<Present>& out_;
  ElementId node_;
  std::size_t first_ = 0;
};

}  // namespace

void RunningNetwork::tell_move(std::uint32_t customer, std::uint32_t from, std::uint32_t to, ElementId flow,
                               std::uint32_t becomes) {
  const auto node = [&](std::uint32_t n) { return n == none ? ElementId() : model_.nodes[n].element; };
  const Moved move{.edge = flow,
                   .from = node(from),
                   .to = node(to),
                   .sort = model_.classes[customers_[customer].of_class].element,
                   .becomes = model_.classes[becomes].element,
                   .who = customer};
  if (seen_at_.size() < customers_.size()) seen_at_.resize(customers_.size(), none);
  if (held_back_ == customer) {
    put_off_[customer].push_back(move);
    return;
  }
  seen_at_[customer] = to;
  world_.tell(move);
}

void RunningNetwork::tell_way(std::uint32_t customer, std::uint32_t node, const Way& way,
                              NetworkModel::Leaving leaving) {
  const NetworkModel::Ways& ways = model_.nodes[node].ways_of(leaving)[customers_[customer].of_class];
  tell_move(customer, node, way.target, ways.flow[ways.flow.size() == 1 ? 0 : chosen_], way.becomes);
}

void RunningNetwork::tell_born(std::uint32_t customer, std::uint32_t node) {
  tell_move(customer, none, node, {}, customers_[customer].of_class);
}

void RunningNetwork::tell_gone(std::uint32_t customer) {
  put_off_.erase(customer);
  if (customer >= seen_at_.size() || seen_at_[customer] == none) return;
  tell_move(customer, seen_at_[customer], none, {}, customers_[customer].of_class);
}

// He goes the way that he chose while he was still held back.
void RunningNetwork::tell_put_off(std::uint32_t customer) {
  const auto found = put_off_.find(customer);
  if (found == put_off_.end()) return;
  for (const Moved& move : found->second) world_.tell(move);
  const ElementId last = found->second.back().to;
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
    if (model_.nodes[n].element == last) seen_at_[customer] = n;
  put_off_.erase(found);
}

// Whoever waits at a join stands there as one of the customer whom he is a part of.
void RunningNetwork::tell_come(std::uint32_t part, std::uint32_t node, std::uint32_t whole) {
  tell_gone(part);
  seen_at_[part] = none;
  if (whole == none) return;
  const ElementId of = model_.classes[customers_[whole].of_class].element;
  world_.tell({.to = model_.nodes[node].element, .sort = of, .becomes = of, .who = part});
}

void RunningNetwork::tell_joined(std::uint32_t whole, const Split& split) {
  const ElementId of = model_.classes[customers_[whole].of_class].element;
  at_joins(split, [&](std::uint32_t join, std::uint32_t parts) {
    for (std::uint32_t i = 0; i < parts; ++i)
      world_.tell({.from = model_.nodes[join].element, .sort = of, .becomes = of, .who = none});
  });
  tell_born(whole, split.at);
}

void RunningNetwork::tell_taken(std::uint32_t node, const NetworkModel::Arc& arc, const std::uint32_t* tokens) {
  std::uint32_t next = 0;
  for (const NetworkModel::DrawnArc& one : model_.transitions[model_.nodes[node].transition].drawn)
    for (std::uint32_t i = 0; one.arc.place == arc.place && one.arc.of_class == arc.of_class && i < one.arc.count; ++i)
      if (const std::uint32_t who = tokens[next++]; true)
        tell_move(who, arc.place, node, one.flow, customers_[who].of_class);
}

void RunningNetwork::present(std::vector<Present>& out) const {
  Groups groups(model_, out);
  const auto class_of = [&](std::uint32_t customer) { return customers_[customer].of_class; };
  // Who stands before a full node, or is held back behind another, is known there.
  std::map<std::uint32_t, std::vector<std::uint32_t>> outside, held;
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    if (states_[n].more == none) continue;
    const More& more = more_of(states_[n]);
    for (std::uint32_t i = 0; i < more.outside.size(); ++i)
      (more.outside[i].holds == none ? outside[n] : held[more.outside[i].holds]).push_back(more.outside[i].customer);
    for (const Alarmed& one : more.alarms)
      if (one.what == static_cast<std::uint8_t>(Alarm::comes_again) && !lapsed(one)) outside[n].push_back(one.who);
  }
  for (const Crowd& region : regions_)
    for (std::uint32_t i = 0; i < region.line.size(); ++i)
      outside[region.line[i].node].push_back(region.line[i].customer);
  std::map<std::uint32_t, std::vector<std::uint32_t>> at_seize;
  for (const Crowd& pool : pools_)
    for (std::uint32_t i = 0; i < pool.line.size(); ++i)
      (model_.nodes[pool.line[i].node].kind == Kind::seize ? at_seize : held)[pool.line[i].node].push_back(
          pool.line[i].customer);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> come;  // by join and class
  std::map<std::uint32_t, std::vector<std::uint32_t>> gated;
  for (const Split& split : splits_) {
    if (split.whole != none && split.come > 0)
      at_joins(split, [&](std::uint32_t join, std::uint32_t parts) { come[{join, class_of(split.whole)}] += parts; });
    for (std::uint32_t g = split.gates; g != none; g = gates_[g].next)
      for (std::uint32_t who = gates_[g].held; who != none; who = customers_[who].next)
        gated[gates_[g].node].push_back(who);
  }
  const auto some = [&](const auto& from, std::uint32_t n, Standing standing) {
    if (const auto found = from.find(n); found != from.end())
      for (const std::uint32_t who : found->second) groups.add(standing, class_of(who));
  };
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    const Node& node = model_.nodes[n];
    groups.begin(node.element);
    if (node.kind == Kind::station || node.kind == Kind::delay) {
      present_in_line(
          n, [&](std::uint32_t of_class, std::uint64_t count) { groups.add(Standing::waiting, of_class, count); });
      const std::uint64_t serving =
          present_served(n, [&](std::uint32_t of_class) { groups.add(Standing::served, of_class); });
      some(held, n, Standing::blocked);
      if (node.kind == Kind::station) {
        const State& state = states_[n];
        const auto away = static_cast<std::uint64_t>(std::count_if(
            state.served.begin(), state.served.end(), [](const Served& one) { return one.doing() != Doing::service; }));
        const std::uint64_t taken = serving + away + state.held + state.down;
        groups.servers(Standing::away, away);
        groups.servers(Standing::down, state.down);
        groups.servers(Standing::idle, state.servers > taken ? state.servers - taken : 0);
      }
    }
    if (node.kind == Kind::place)
      for (std::uint32_t c = 0; c < model_.classes.size(); ++c) groups.add(Standing::waiting, c, tokens_in(n, c));
    if (node.kind == Kind::plugin) {
      std::vector<std::uint64_t> inside(model_.classes.size(), 0);
      for (std::uint32_t who = 0; who < plugin_at_.size(); ++who)
        if (plugin_at_[who] == n) ++inside[class_of(who)];
      // Where the clock stands nobody is served.
      const bool up = begun_ && plugins_[node.plugin].up;
      const Standing standing = up ? Standing::served : Standing::waiting;
      for (std::uint32_t c = 0; c < inside.size(); ++c) groups.add(standing, c, inside[c]);
    }
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
      if (const auto found = come.find({n, c}); found != come.end()) groups.add(Standing::waiting, c, found->second);
    some(gated, n, Standing::waiting);
    some(at_seize, n, Standing::waiting);
    some(outside, n, Standing::outside);
  }
}

template <typename Take>
void RunningNetwork::present_in_line(std::uint32_t n, Take&& take) const {
  const Node& node = model_.nodes[n];
  const State& state = states_[n];
  const bool last_first =
      node.discipline == NetworkModel::Discipline::lcfs || node.discipline == NetworkModel::Discipline::lcfs_pr;
  std::uint32_t left = most_in_order;
  std::vector<std::uint64_t> others(model_.classes.size(), 0);
  const auto all_of = [&](const WaitingLine& line) {
    for (const WaitingLine::Place& place : line.in_order(last_first)) {
      if (!waits(place, state)) continue;
      const std::uint32_t of_class = customers_[place.customer].of_class;
      if (left == 0) ++others[of_class];
      else --left, take(of_class, 1);
    }
  };
  if (state.more == none || more_of(state).lines.empty()) all_of(state.line);
  else
    for (const WaitingLine& line : more_of(state).lines) all_of(line);
  for (std::uint32_t c = 0; c < others.size(); ++c) take(c, others[c]);
}

// @returns how many servers serve.
template <typename Take>
std::uint64_t RunningNetwork::present_served(std::uint32_t n, Take&& take) const {
  const Node& node = model_.nodes[n];
  const State& state = states_[n];
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;  // order of beginning, customer
  if (node.has(NetworkModel::shares | NetworkModel::by_attained)) {
    const auto add = [&](std::uint64_t order, std::uint32_t customer) { all.emplace_back(order, customer); };
    if (node.has(NetworkModel::shares)) more_of(state).shared.everybody(add);
    else more_of(state).attained.everybody(add);
    std::sort(all.begin(), all.end());
    for (const auto& [order, customer] : all) take(customers_[customer].of_class);
    return std::min<std::uint64_t>(all.size(), state.servers);
  }
  for (const Served& one : state.served)
    if (one.doing() == Doing::service)
      all.emplace_back(node.has(NetworkModel::own_servers) ? server_of(more_of(state), one.customer()) : one.order(),
                       one.customer());
  std::sort(all.begin(), all.end());
  for (const auto& [order, customer] : all)
    for (std::uint32_t who = customer; who != none; who = node.has(NetworkModel::batches) ? customers_[who].next : none)
      take(customers_[who].of_class);
  return all.size();
}

void RunningNetwork::waiting(std::vector<Waiting>& out) const {
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    const Node& node = model_.nodes[n];
    if (!world_.timers.armed(first_ + n)) continue;
    const char* what = node.kind == Kind::source ? "customer" : "done";
    if (node.kind == Kind::station && !states_[n].served.empty()) switch (states_[n].served.front().doing()) {
        case Doing::service:
          break;
        case Doing::setup:
          what = "is set up";
          break;
        case Doing::vacation:
          what = "comes back";
          break;
        case Doing::switchover:
          what = "has moved on";
          break;
      }
    out.push_back({world_.timers.time_of(first_ + n), node.name, what, node.element});
  }
  for (std::size_t a = 0; a < alarm_nodes_.size(); ++a) {
    const Node& node = model_.nodes[alarm_nodes_[a]];
    for (const Alarmed& one : more_of(states_[alarm_nodes_[a]]).alarms)
      if (!lapsed(one)) {
        constexpr const char* words[] = {"gives up", "comes again", "server fails", "server is repaired"};
        out.push_back({one.at_s, node.name, words[one.what], node.element});
      }
  }
}

void RunningNetwork::active(std::set<ElementId>& out) const {
  for (std::size_t n = 0; n < states_.size(); ++n)
    if (states_[n].present > 0) out.insert(model_.nodes[n].element);
}

}  // namespace ergode
