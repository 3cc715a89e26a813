#pragma once
#include <algorithm>
#include <limits>
#include <utility>

#include "solvers/queueing/running/running_network.h"

// What happens at every event of a plain network, put into one piece: stations without rules of their own, ways by
// fixed probabilities. Calls and what they save cost as much as the work itself, so inlining is not left to the
// compiler.
namespace ergode {

[[gnu::always_inline]] inline void RunningNetwork::count_step(std::uint32_t node) {
  // Many may move at one moment, and each through many nodes: what is too much is worked out when it may be.
  if (moment_s_ != world_.now()) moment_s_ = world_.now(), steps_ = 0, patience_ = World::longest_patience / 8;
  if (++steps_ > patience_) [[unlikely]]
    note_circle(node);
}

[[gnu::always_inline]] inline double RunningNetwork::duration(const Node& node, State& state,
                                                              const NetworkModel::Duration& time,
                                                              std::uint32_t customer) {
  if (time.drawn) [[likely]] {
    if (state.brief.exponential) return state.units.next(state.times) * time.mean_s;
    return time.process == none ? time.law.sample(state.times) : next_of_process(time.process, state.times);
  }
  return drawn_or_worked_out(node, state, time, customer);
}

[[gnu::always_inline]] inline RunningNetwork::Way RunningNetwork::way_of(std::uint32_t number, std::uint32_t of_class,
                                                                         std::uint32_t customer) {
  State& state = states_[number];
  if (of_class == 0 && state.only_target != none) return {state.only_target, state.only_becomes};
  const bool first_class = of_class == 0;
  const WaysOf its = first_class ? state.ways : of_class_[number * model_.classes.size() + of_class].ways;
  // Of many ways halving is faster than looking at each.
  if (its.count - 1 >= few_ways) [[unlikely]]
    return one_of(model_.nodes[number], state, model_.nodes[number].ways[of_class], true, customer);
  const FixedWay* way = first_class ? &state.first_way : &fixed_ways_[its.first];
  if (its.count > 1) {
    chosen_ = 0;
    if (const double uniform = uniform_of_way(state); uniform >= way->upto) {
      way = &later_way(its, uniform);
      chosen_ = static_cast<std::uint32_t>(way - &fixed_ways_[its.first]);
    }
  }
  return {way->target, way->becomes};
}

inline std::uint32_t RunningNetwork::destination(std::uint32_t customer, std::uint32_t node) {
  while (states_[node].brief.router) {
    count_step(node);
    if (width_ != 0 && !model_.nodes[node].sets.empty()) [[unlikely]]
      set_attributes(customer, model_.nodes[node]);
    const Way way = way_of(node, customers_[customer].of_class, customer);
    if (watched()) [[unlikely]]
      tell_way(customer, node, way);
    become(customer, way.becomes);
    node = way.target;
  }
  return node;
}

[[gnu::always_inline]] inline std::uint32_t RunningNetwork::new_customer(std::uint32_t of_class) {
  const std::uint32_t out = free_ == none ? one_more() : std::exchange(free_, customers_[free_].next);
  // What he has by name may decide when he is due; it is not there yet.
  const double due_s =
      width_ != 0 || !model_.classes[of_class].due.given ? std::numeric_limits<double>::infinity() : due_of(of_class);
  // One by one: put together first, they would be written twice.
  Customer& who = customers_[out];
  who.born_s = who.came_s = world_.now(), who.due_s = due_s;
  who.left_s = -1.0, who.whole_s = 0.0;
  who.of_class = of_class;
  who.next = who.goes_to = who.split = who.region_place = none;
  who.is_served(false);
  if (!stay_streams_.empty()) [[unlikely]]
    begin_passage(out);
  return out;
}

[[gnu::always_inline]] inline void RunningNetwork::leave_network(std::uint32_t customer) {
  if (limited_) [[unlikely]]
    give_up_limits(customer);
  if (watched()) [[unlikely]]
    tell_gone(customer);
  Customer& who = customers_[customer];
  const std::uint32_t split = std::exchange(who.split, none);
  who.outdate();
  who.next = std::exchange(free_, customer);
  if (split != none) [[unlikely]]
    part_is_gone(split);
}

[[gnu::always_inline]] inline void RunningNetwork::arrive(std::uint32_t customer, std::uint32_t node) {
  if (states_[node].brief.router) node = destination(customer, node);
  if (states_[node].brief.plain && !full(node)) [[likely]]
    return take_in_plainly(customer, node);
  const Node& there = model_.nodes[node];
  if (there.kind == NetworkModel::Kind::sink) return arrive_at_sink(customer, there);
  if (there.kind == NetworkModel::Kind::join && !limited_) return join(customer, node);
  enter(customer, node);
}

/// A customer of a source is born and goes where he goes.
[[gnu::always_inline]] inline void RunningNetwork::send_out(std::uint32_t node, std::uint32_t of_class,
                                                            const double* job) {
  const Way way = way_of(node, of_class, none);
  const std::uint32_t customer = new_customer(of_class);
  if (job != nullptr) customers_[customer].born_s = *job;
  if (watched()) [[unlikely]]
    tell_born(customer, node), tell_way(customer, node, way);
  customers_[customer].of_class = way.becomes;
  arrive(customer, way.target);
}

[[gnu::always_inline]] inline void RunningNetwork::arrive_at_sink(std::uint32_t customer, const Node& sink) {
  const Customer& who = customers_[customer];
  world_.set(sink.number, world_.slots()[sink.number] + 1.0);
  if (world_.now() > who.due_s) [[unlikely]]
    world_.set(sink.late, world_.slots()[sink.late] + 1.0);
  world_.observations.observe(sink.response, world_.now() - who.born_s, who.of_class);
  if (!stay_streams_.empty()) [[unlikely]]
    end_passage(customer, world_.now() - who.born_s);
  if (!handed_.empty()) [[unlikely]]
    hand_over(customer, sink);
  leave_network(customer);
}

/// Who is next at a station where all wait in one line in the order in which they came.
[[gnu::always_inline]] inline std::uint32_t RunningNetwork::first_of_line(State& state) {
  WaitingLine::Place place;
  do place = state.line.take_first();
  while (!waits(place, state));
  --state.waiting;
  count_waiting(state, place.customer, -1.0);
  return place.customer;
}

[[gnu::always_inline]] inline RunningNetwork::Served RunningNetwork::taken_up(std::uint32_t customer,
                                                                              std::uint32_t node, State& state) {
  const Customer& who = customers_[customer];
  const Brief& there = state.brief;
  if (there.noted && there.station) {
    if (world_.observations.wants(there.wait))
      world_.observations.observe(there.wait, world_.now() - who.came_s, who.of_class);
    if (wait_column_ != none) [[unlikely]]
      note_wait(customer, world_.now() - who.came_s);
  }
  // Of one class nobody is looked at unless somebody asks how long he stays: he may be far away.
  const std::uint32_t of_class = one_class_ ? 0 : who.of_class;
  const double mean_s = of_class == 0 ? state.pace : of_class_[node * model_.classes.size() + of_class].pace;
  const double time_s = mean_s >= 0.0
                            ? state.units.next(state.times) * mean_s
                            : duration(model_.nodes[node], state, model_.nodes[node].time[of_class], customer);
  ++state.working;
  if (there.by_class) [[unlikely]]
    count_plainly(state.busy_of_class, of_class, 1.0);
  return {world_.now() + time_s, order_++, customer};
}

[[gnu::always_inline]] inline void RunningNetwork::tell_plain_counts(const State& state) {
  if (!state.brief.told) {
    // Of a large network mostly so, and who cares for which slot is far away.
    double* const slots = world_.slots();
    slots[state.brief.number] = static_cast<double>(state.present);
    if (!state.brief.station) return;
    slots[state.brief.waiting] = static_cast<double>(state.waiting);
    slots[state.brief.busy] = static_cast<double>(state.working);
    return;
  }
  world_.set(state.brief.number, static_cast<double>(state.present));
  if (!state.brief.station) return;
  world_.set(state.brief.waiting, static_cast<double>(state.waiting));
  world_.set(state.brief.busy, static_cast<double>(state.working));
}

[[gnu::always_inline]] inline void RunningNetwork::take_in_plainly(std::uint32_t customer, std::uint32_t node) {
  State& state = states_[node];
  Customer& who = customers_[customer];
  if (state.brief.noted) who.came_s = world_.now();
  ++state.present;
  if (state.brief.by_class) [[unlikely]]
    count_plainly(state.of_class, who.of_class, 1.0);
  if (state.brief.station && state.served.size() >= state.servers) {
    state.line.push_last({customer, 0});
    ++state.waiting;
    count_waiting(state, customer, 1.0);
  } else {
    const Served one = taken_up(customer, node, state);
    state.served.push(one);
    if (state.served.front() == one) world_.timers.schedule(first_ + node, one.until_s);
  }
  tell_plain_counts(state);
}

}  // namespace ergode
