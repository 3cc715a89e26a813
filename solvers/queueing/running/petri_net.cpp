// Places hold customers as tokens; transitions take them and send them on.
#include <algorithm>
#include <functional>

#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Arc = NetworkModel::Arc;

std::uint32_t RunningNetwork::tokens_in(std::uint32_t place, std::uint32_t of_class) const {
  const auto& lines = tokens_[place_number_[place]];
  if (of_class != none) return lines[of_class].size();
  std::uint32_t sum = 0;
  for (const auto& line : lines) sum += line.size();
  return sum;
}

void RunningNetwork::put_token(std::uint32_t customer, std::uint32_t place) {
  Customer& who = customers_[customer];
  who.came_s = world_.now();
  tokens_[place_number_[place]][who.of_class].push_back(customer);
  count_class(model_.nodes[place], who.of_class, 1.0);
  place_changed(place);
}

std::uint32_t RunningNetwork::take_token(const Arc& arc) {
  auto& lines = tokens_[place_number_[arc.place]];
  std::uint32_t line = arc.of_class;
  // Of any class: who has been there longest.
  if (line == none)
    for (std::uint32_t c = 0; c < lines.size(); ++c)
      if (!lines[c].empty() && (line == none || customers_[lines[c][0]].came_s < customers_[lines[line][0]].came_s))
        line = c;
  const std::uint32_t out = lines[line].pop_front();
  const Node& place = model_.nodes[arc.place];
  count_class(place, line, -1.0);
  world_.observations.observe(place.response, world_.now() - customers_[out].came_s, line);
  return out;
}

void RunningNetwork::place_changed(std::uint32_t place) {
  world_.set(model_.nodes[place].number, static_cast<double>(tokens_in(place, none)));
  for (const std::uint32_t node : users_[place_number_[place]]) {
    if (model_.transitions[model_.nodes[node].transition].immediate) net_changed_ = true;
    else reconsider(node);
  }
}

// How many times it could fire at once.
std::uint32_t RunningNetwork::enabled(const NetworkModel::Transition& transition) const {
  for (const Arc& arc : transition.inhibitors)
    if (tokens_in(arc.place, arc.of_class) >= arc.count) return 0;
  std::uint32_t times = none;
  for (const Arc& arc : transition.takes) times = std::min(times, tokens_in(arc.place, arc.of_class) / arc.needs);
  return times == none ? 1 : times;  // one that takes nothing is a source
}

// As many firings are under way as it is enabled, at most as many as it has servers; those begun last are given up
// first, and begin anew when it is enabled again.
void RunningNetwork::reconsider(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  const std::uint32_t wanted = std::min(enabled(model_.transitions[here.transition]), state.servers);
  if (state.served.size() > wanted) {
    // Thousands may be given up at once: all together cost as much as one.
    firings_.clear();
    for (const Served& one : state.served) firings_.push_back(one.order());
    const auto first_out = firings_.begin() + wanted;
    std::nth_element(firings_.begin(), first_out, firings_.end());
    state.served.keep([before = *first_out](const Served& one) { return one.order() < before; });
  }
  while (state.served.size() < wanted) {
    one_of_many();
    state.served.push({world_.now() + duration(here, state, here.time[0]), order_++, Doing::service});
  }
  if (state.served.empty()) world_.timers.cancel(first_ + node);
  else world_.timers.schedule(first_ + node, state.served.front().until_s);
}

void RunningNetwork::fire_transition(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  const NetworkModel::Transition& transition = model_.transitions[here.transition];
  count_step(node);
  world_.set(here.number, world_.slots()[here.number] + 1.0);
  std::vector<std::uint32_t> taken;
  world_.tell(here.name, here.element, "fires");
  for (const Arc& arc : transition.takes) {
    for (std::uint32_t i = 0; i < arc.count; ++i) taken.push_back(take_token(arc));
    if (watched()) tell_taken(node, arc, taken.data() + taken.size() - arc.count);
  }
  for (const Arc& arc : transition.takes) place_changed(arc.place);
  // Those who came go on, each in his class unless the flow names one; who is missing is born, who is left over leaves.
  const NetworkModel::Ways& ways = here.ways[0];
  std::size_t next = 0;
  for (std::size_t w = 0; w < ways.target.size(); ++w)
    for (std::uint32_t i = 0; i < ways.count[w]; ++i) {
      one_of_many();
      const std::uint32_t was = taken.empty() ? 0 : customers_[taken[std::min(next, taken.size() - 1)]].of_class;
      const std::uint32_t becomes = ways.becomes[w] == none ? was : ways.becomes[w];
      const bool fresh = next == taken.size();
      const std::uint32_t who = next < taken.size() ? taken[next++] : born_at(becomes, none);
      if (watched()) {
        if (fresh) tell_born(who, node);
        tell_move(who, node, ways.target[w], ways.flow[w], becomes);
      }
      become(who, becomes);
      moves_.push_back({who, ways.target[w]});
    }
  for (; next < taken.size(); ++next) leave_network(taken[next]);
}

bool RunningNetwork::fire_immediate() {
  net_changed_ = false;
  double weights = 0.0;
  long priority = 0;
  candidates_.clear();
  for (const std::uint32_t node : immediate_) {
    const NetworkModel::Transition& one = model_.transitions[model_.nodes[node].transition];
    if ((!candidates_.empty() && one.priority < priority) || enabled(one) == 0) continue;
    if (candidates_.empty() || one.priority > priority) candidates_.clear(), weights = 0.0, priority = one.priority;
    candidates_.push_back(node);
    weights += one.weight;
  }
  if (candidates_.empty()) return false;
  std::uint32_t chosen = candidates_.back();
  if (candidates_.size() > 1) {
    double left = states_[candidates_.front()].choices.uniform() * weights;
    for (const std::uint32_t node : candidates_) {
      left -= model_.transitions[model_.nodes[node].transition].weight;
      if (left < 0.0) {
        chosen = node;
        break;
      }
    }
  }
  fire_transition(chosen);
  net_changed_ = true;
  return true;
}

}  // namespace ergode
