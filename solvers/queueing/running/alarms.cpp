// What may happen at a station besides the end of a service: somebody gives up or comes again, a server fails.
#include <algorithm>

#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Interruption = NetworkModel::Interruption;

void RunningNetwork::alarm(std::uint32_t node, double at_s, Alarm what, std::uint32_t who, std::uint32_t stamp) {
  more_of(states_[node]).alarms.push({at_s, order_++, who, stamp, static_cast<std::uint8_t>(what)});
  await_alarm(node);
}

bool RunningNetwork::lapsed(const Alarmed& one) const {
  const auto what = static_cast<Alarm>(one.what);
  return (what == Alarm::gives_up || what == Alarm::comes_again) && customers_[one.who].stamp() != one.stamp;
}

void RunningNetwork::await_alarm(std::uint32_t node) {
  More& more = more_of(states_[node]);
  // Those whose service has begun do not give up any more: only the first matters, the others wait their turn to lapse.
  while (!more.alarms.empty() && lapsed(more.alarms.front())) more.alarms.pop();
  if (more.alarms.empty()) return world_.timers.cancel(first_ + more.alarm_timer);
  world_.timers.schedule(first_ + more.alarm_timer, more.alarms.front().at_s);
}

void RunningNetwork::ring(std::uint32_t node) {
  State& state = states_[node];
  More& more = more_of(state);
  count_step(node);
  const Alarmed first = more.alarms.front();
  more.alarms.pop();
  const bool still = !lapsed(first);
  await_alarm(node);
  if (!still) return;
  switch (static_cast<Alarm>(first.what)) {
    case Alarm::gives_up: {
      leave_line(node, first.who);
      if (preempts_) is_at(first.who, none);
      if (!stay_streams_.empty()) {
        note_wait(first.who, world_.now() - customers_[first.who].came_s);
        note_stay(first.who, node);
      }
      --state.present;
      count_class(model_.nodes[node], customers_[first.who].of_class, -1.0);
      tell_counts(model_.nodes[node], state);
      if (!more.outside.empty()) room_.push_back(node);
      turn_away(first.who, node, NetworkModel::Leaving::reneged);
      break;
    }
    case Alarm::comes_again:
      enter(first.who, node);
      break;
    case Alarm::fails:
      server_fails(node, first.who);
      await_done(node);
      tell_counts(model_.nodes[node], state);
      break;
    case Alarm::is_repaired:
      server_is_repaired(node, first.who);
      break;
  }
}

void RunningNetwork::leave_line(std::uint32_t node, std::uint32_t customer) {
  State& state = states_[node];
  More& more = more_of(state);
  Customer& who = customers_[customer];
  const std::uint32_t level = level_of(model_.nodes[node], who.of_class);
  who.outdate();  // his place has lapsed
  --state.waiting;
  count_waiting(state, customer, -1.0);
  --more.live[more.lines.empty() ? 0 : level];
  if (who.left_s > 0.0) more.waiting_work_s -= who.left_s;
  WaitingLine& line = line_of(state, level);
  constexpr std::size_t few = 64;
  if (line.places() > few + 2 * static_cast<std::size_t>(state.waiting))
    line.sweep([&](const WaitingLine::Place& p) { return customers_[p.customer].stamp() == p.stamp; });
}

void RunningNetwork::server_fails(std::uint32_t node, std::uint32_t server) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  std::uint8_t& is = more_of(state).server_is[server];
  if (is == static_cast<std::uint8_t>(ServerIs::busy)) {
    if (here.interruption == Interruption::finish) {
      is = static_cast<std::uint8_t>(ServerIs::going_down);
      return;
    }
    interrupt(node, place_of(more_of(state).server_has[server], state));
  }
  is = static_cast<std::uint8_t>(ServerIs::down);
  ++state.down;
  world_.tell(here.name, here.element, "server fails");
  const double takes = drawn_or_worked_out(here, state, rules_of(here).to_repair);
  alarm(node, world_.now() + takes, Alarm::is_repaired, server, 0);
  // Whoever was interrupted may find another server.
  look_for_work(node, true);
}

void RunningNetwork::server_is_repaired(std::uint32_t node, std::uint32_t server) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  more_of(state).server_is[server] = static_cast<std::uint8_t>(ServerIs::idle);
  --state.down;
  world_.tell(here.name, here.element, "server is repaired");
  const double lasts = drawn_or_worked_out(here, state, rules_of(here).to_failure);
  alarm(node, world_.now() + lasts, Alarm::fails, server, 0);
  look_for_work(node, true);
  await_done(node);
  tell_counts(here, state);
}

}  // namespace ergode
