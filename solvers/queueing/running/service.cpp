// What servers do: whom they take, how long they serve, when they are interrupted, prepare, rest or go round.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Discipline = NetworkModel::Discipline;
using Kind = NetworkModel::Kind;
using Rules = NetworkModel::Rules;
using Visit = NetworkModel::Visit;

std::uint32_t RunningNetwork::level_of(const Node& node, std::uint32_t of_class) const {
  if (node.has(NetworkModel::polls)) return of_class;
  return node.priorities == NetworkModel::Priorities::ignored || model_.ranked ? 0 : model_.classes[of_class].level;
}

WaitingLine& RunningNetwork::line_of(State& state, std::uint32_t level) {
  return state.more == none || more_of(state).lines.empty() ? state.line : more_of(state).lines[level];
}

std::uint32_t RunningNetwork::first_level(const State& state) const {
  if (state.more == none) return 0;
  std::uint32_t level = 0;
  const std::vector<std::uint32_t>& live = more_of(state).live;
  while (level + 1 < live.size() && live[level] == 0) ++level;
  return level;
}

double RunningNetwork::clock(const Node& node, const State& state) const {
  if (!node.has(NetworkModel::varies_speed)) return world_.now();
  const More& more = more_of(state);
  return more.clock_s + (world_.now() - more.since_s) * more.speed;
}

// Brings what depends on the passing of time up to now; before anybody comes or goes, or speed changes.
void RunningNetwork::pass_time(const Node& node, State& state) {
  if (!node.has(NetworkModel::varies_speed | NetworkModel::shares | NetworkModel::by_attained)) return;
  More& more = more_of(state);
  const double elapsed = world_.now() - more.since_s;
  more.clock_s += elapsed * more.speed;
  if (node.has(NetworkModel::shares)) more.shared.pass(elapsed);
  if (node.has(NetworkModel::by_attained)) more.attained.pass(elapsed);
  more.since_s = world_.now();
}

double RunningNetwork::next_of(const NetworkModel::Duration& time, ElementId asks, const std::string& name) {
  const NetworkModel::List& list = model_.lists[time.list];
  std::uint32_t& taken = taken_of_list_[time.list];
  if (taken == list.time_s.size()) {
    if (!list.repeats)
      throw ModelFailure({.code = "RUN002",
                          .element = asks,
                          .message = what_when(name) + "All " + std::to_string(taken) +
                                     " times of its trace are taken; wanted another, or at_end = repeat."});
    taken = 0;
  }
  return list.time_s[taken++];
}

double RunningNetwork::next_of_process(std::uint32_t process, RandomStream& stream) {
  const MarkovianArrivalProcess& its = *model_.processes[process].markovian;
  std::uint32_t& phase = phases_[process];
  if (phase == none) phase = its.begin_after_arrival(stream);
  return its.next(phase, stream);
}

double RunningNetwork::drawn_or_worked_out(const Node& node, State& state, const NetworkModel::Duration& time,
                                           std::uint32_t customer) {
  if (time.drawn) return time.law.sample(state.choices);
  if (time.list != none) return next_of(time, node.element, node.name);
  if (customer != none) regard(customer);
  const double value = worked_out(time, state.choices, node.element, node.name);
  if (!(value >= 0.0 && value <= std::numeric_limits<double>::max()))
    fail(node, "The time is " + number_text(value) + " s; wanted a finite one >= 0.");
  return value;
}

double RunningNetwork::work_of(const Node& node, State& state, std::uint32_t customer) {
  Customer& who = customers_[customer];
  return who.left_s >= 0.0 ? who.left_s : duration(node, state, node.time[who.of_class], customer);
}

void RunningNetwork::line_up(std::uint32_t customer, std::uint32_t node, bool first) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  Customer& who = customers_[customer];
  const std::uint32_t level = level_of(here, who.of_class);
  const WaitingLine::Place place{customer, who.stamp()};
  WaitingLine& line = line_of(state, level);
  ++state.waiting;
  count_waiting(state, customer, 1.0);
  if (state.more != none) {
    More& more = more_of(state);
    ++more.live[more.lines.empty() ? 0 : level];
    if (who.left_s > 0.0) more.waiting_work_s += who.left_s;
  }
  const double mean = here.time[who.of_class].mean_s;
  switch (here.discipline) {
    case Discipline::sjf:
    case Discipline::srpt:
      line.push(place, who.left_s, order_++);
      break;
    case Discipline::ljf:
      line.push(place, -who.left_s, order_++);
      break;
    case Discipline::sept:
      line.push(place, mean, order_++);
      break;
    case Discipline::lept:
      line.push(place, -mean, order_++);
      break;
    case Discipline::edd:
      line.push(place, who.due_s, order_++);
      break;
    case Discipline::lcfs:
    case Discipline::lcfs_pr:
      line.push_last(place);  // the end is where they are taken from
      break;
    default:
      if (model_.ranked && here.has(NetworkModel::keyed)) {
        // Whose service was interrupted is before his equals, the last of them first.
        constexpr std::uint64_t middle = std::uint64_t{1} << 63U;
        const std::uint64_t order = order_++;
        line.push(place, rank_of(customer), first ? middle - order : middle + order);
      } else if (first) {
        line.push_first(place);
      } else {
        line.push_last(place);
      }
  }
  if (!here.has(NetworkModel::patient) || who.begun()) return;
  const NetworkModel::Duration& patience = rules_of(here).patience[who.of_class];
  if (!patience.given) return;
  const double most = drawn_or_worked_out(here, state, patience, customer);
  alarm(node, world_.now() + most, Alarm::gives_up, customer, who.stamp());
}

std::uint32_t RunningNetwork::next_of_line(std::uint32_t node, std::uint32_t level) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  WaitingLine& line = line_of(state, level);
  WaitingLine::Place place;
  do {
    switch (here.discipline) {
      case Discipline::lcfs:
      case Discipline::lcfs_pr:
        place = line.take_last();
        break;
      case Discipline::siro:
        place = line.take_any(state.choices.uniform());
        break;
      default:
        place = here.has(NetworkModel::keyed) ? line.take_least() : line.take_first();
    }
  } while (!waits(place, state));
  --state.waiting;
  count_waiting(state, place.customer, -1.0);
  if (state.more != none) {
    More& more = more_of(state);
    --more.live[more.lines.empty() ? 0 : level];
    if (customers_[place.customer].left_s > 0.0)
      more.waiting_work_s = state.waiting == 0 ? 0.0 : more.waiting_work_s - customers_[place.customer].left_s;
  }
  return place.customer;
}

void RunningNetwork::note_beginning(std::uint32_t customer) {
  if (began_s_.size() < customers_.size()) began_s_.resize(customers_.size());
  began_s_[customer] = world_.now();
}

void RunningNetwork::begin(std::uint32_t customer, std::uint32_t node) {
  const Node& there = model_.nodes[node];
  State& state = states_[node];
  Customer& who = customers_[customer];
  if (there.features == 0) return state.served.push(taken_up(customer, node, state));
  if (there.has(NetworkModel::holds_before) && who.goes_to == none) {
    const Way way = way_of(node, who.of_class, customer);
    if (watched()) held_back_ = customer, tell_way(customer, node, way);
    const std::uint32_t was = who.of_class;
    const std::uint32_t target = destination(customer, (who.of_class = way.becomes, way.target));
    // He becomes what he becomes when he goes; where that is another class this is not allowed (QN011).
    who.of_class = was, who.goes_to = target;
    held_back_ = none;
    if (model_.nodes[target].when_full == NetworkModel::WhenFull::block_before && full(target)) {
      ++state.held;
      more_of(states_[target]).outside.push_back({.customer = customer, .holds = node, .as = was, .before = 1});
      count_both(there.blocked, there.blocked_of_class, was, 1.0);
      return look_for_deadlock(node);
    }
  }
  if (there.kind == Kind::station && !who.begun()) {
    world_.observations.observe(there.wait, world_.now() - who.came_s, who.of_class);
    note_wait(customer, world_.now() - who.came_s);
  }
  if (there.has(NetworkModel::tells_services) && !who.begun()) note_beginning(customer);
  const bool fresh = who.left_s < 0.0 || !who.begun();
  const double work = work_of(there, state, customer);
  if (fresh) who.whole_s = work;
  who.is_served(true);
  who.outdate();  // he does not give up any more
  if (there.has(NetworkModel::shares | NetworkModel::by_attained)) {
    pass_time(there, state);
    More& more = more_of(state);
    if (there.has(NetworkModel::by_attained)) more.attained.add(customer, work, order_++);
    else more.shared.add(customer, work, who.of_class, order_++);
    return;
  }
  double takes = work;
  if (there.has(NetworkModel::own_servers)) {
    More& more = more_of(state);
    const std::vector<double>& speeds = rules_of(there).speeds;
    // The fastest who is free; of equal ones the first.
    std::size_t best = more.server_is.size();
    for (std::size_t s = 0; s < more.server_is.size(); ++s)
      if (more.server_is[s] == static_cast<std::uint8_t>(ServerIs::idle) &&
          (best == more.server_is.size() || (!speeds.empty() && speeds[s] > speeds[best])))
        best = s;
    more.server_is[best] = static_cast<std::uint8_t>(ServerIs::busy);
    more.server_has[best] = customer;
    if (!speeds.empty()) takes = work / speeds[best];
  }
  pass_time(there, state);
  state.served.push({clock(there, state) + takes, order_++, customer});
  ++state.working;
  count_busy(there, who.of_class, 1.0);
}

void RunningNetwork::begin_batch(std::uint32_t node, std::uint32_t level) {
  State& state = states_[node];
  const std::uint32_t most = rules_of(model_.nodes[node]).batch;
  const std::uint32_t first = next_of_line(node, level);
  begin(first, node);
  std::uint32_t last = first;
  customers_[first].next = none;
  More& more = more_of(state);
  for (std::uint32_t count = 1; count < most && state.waiting > 0; ++count) {
    const std::uint32_t another = next_of_line(node, first_level(state));
    Customer& who = customers_[another];
    world_.observations.observe(model_.nodes[node].wait, world_.now() - who.came_s, who.of_class);
    note_wait(another, world_.now() - who.came_s);
    if (model_.nodes[node].has(NetworkModel::tells_services)) note_beginning(another);
    who.is_served(true), who.outdate(), who.next = none;
    customers_[last].next = another;
    last = another;
    ++more.in_batches;
  }
}

void RunningNetwork::occupy(std::uint32_t node, Doing doing, const NetworkModel::Duration& law) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  const double takes = drawn_or_worked_out(here, state, law);
  pass_time(here, state);
  state.served.push({clock(here, state) + takes, order_++, doing});
}

void RunningNetwork::look_for_work(std::uint32_t node, bool warm) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  if (here.has(NetworkModel::shares | NetworkModel::by_attained)) return;
  while (idle(state) > 0) {
    if (here.has(NetworkModel::polls)) {
      if (!poll(node)) return;
      continue;
    }
    if (state.waiting == 0) return;
    if (here.features == 0) [[likely]] {
      begin(next_of_line(node, 0), node);
      continue;
    }
    if (here.has(NetworkModel::batches) && state.waiting < rules_of(here).least_batch) return;
    if (here.has(NetworkModel::sets_up) && !warm) {
      More& more = more_of(state);
      if (more.setting_up >= state.waiting) return;
      ++more.setting_up;
      occupy(node, Doing::setup, rules_of(here).setup);
      continue;
    }
    warm = false;
    if (here.has(NetworkModel::batches)) begin_batch(node, first_level(state));
    else begin(next_of_line(node, first_level(state)), node);
  }
}

// One server and a line for every class. @returns false: it stays where it is and does nothing.
bool RunningNetwork::poll(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  More& more = more_of(state);
  const Rules& rules = rules_of(here);
  const bool stays = rules.visit == Visit::exhaustive || (rules.visit == Visit::gated && more.gate > 0) ||
                     (rules.visit == Visit::limited && more.taken < rules.limit);
  if (more.live[more.at] > 0 && stays) {
    ++more.taken;
    if (more.gate > 0) --more.gate;
    begin(next_of_line(node, more.at), node);
    return true;
  }
  if (!rules.switchover.always_zero()) {
    occupy(node, Doing::switchover, rules.switchover);
    return true;
  }
  if (state.waiting == 0) return false;
  const auto classes = static_cast<std::uint32_t>(more.live.size());
  do more.at = (more.at + 1) % classes;
  while (more.live[more.at] == 0);
  more.taken = 0, more.gate = more.live[more.at];
  return true;
}

std::uint32_t RunningNetwork::server_of(const More& more, std::uint32_t customer) {
  const auto at = std::find(more.server_has.begin(), more.server_has.end(), customer);
  return static_cast<std::uint32_t>(at - more.server_has.begin());
}

void RunningNetwork::server_freed(std::uint32_t node, std::uint32_t server) {
  const Node& here = model_.nodes[node];
  if (!here.has(NetworkModel::own_servers)) return;
  More& more = more_of(states_[node]);
  more.server_has[server] = none;
  std::uint8_t& is = more.server_is[server];
  if (is == static_cast<std::uint8_t>(ServerIs::going_down)) {
    is = static_cast<std::uint8_t>(ServerIs::idle);
    return server_fails(node, server);
  }
  is = static_cast<std::uint8_t>(ServerIs::idle);
}

void RunningNetwork::done(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  count_step(node);
  pass_time(here, state);
  if (here.has(NetworkModel::shares)) return finish(more_of(state).shared.take(), node);
  if (here.has(NetworkModel::by_attained)) {
    More& more = more_of(state);
    if (more.attained.due()) return finish(more.attained.take(), node);
    return await_done(node);
  }
  const Served top = state.served.front();
  if (here.has(NetworkModel::varies_speed)) more_of(state).clock_s = top.until_s;
  state.served.pop();
  if (top.doing() == Doing::service) {
    --state.working;
    count_busy(here, customers_[top.customer()].of_class, -1.0);
    if (here.has(NetworkModel::own_servers)) server_freed(node, server_of(more_of(state), top.customer()));
    if (!here.has(NetworkModel::batches)) return finish(top.customer(), node);
    for (std::uint32_t member = top.customer(), next = none; member != none; member = next) {
      next = customers_[member].next;
      customers_[member].next = none;
      if (member != top.customer()) --more_of(state).in_batches;
      finish(member, node);
    }
    return;
  }
  More& more = more_of(state);
  world_.tell(here.name, here.element,
              top.doing() == Doing::setup      ? "is set up"
              : top.doing() == Doing::vacation ? "comes back"
                                               : "has moved on");
  if (top.doing() == Doing::setup) --more.setting_up;
  if (top.doing() == Doing::switchover) {
    more.at = (more.at + 1) % static_cast<std::uint32_t>(more.live.size());
    more.taken = 0, more.gate = more.live[more.at];
  }
  if (top.doing() == Doing::vacation && state.waiting == 0 && !rules_of(here).one_vacation)
    occupy(node, Doing::vacation, rules_of(here).vacation);
  look_for_work(node, true);
  await_done(node);
  tell_counts(here, state);
}

// A server is free: it takes whoever waits, or leaves.
void RunningNetwork::after_service(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  look_for_work(node, true);
  if (!here.has(NetworkModel::vacates)) return;
  if (State& state = states_[node]; idle(state) > 0 && state.waiting == 0)
    occupy(node, Doing::vacation, rules_of(here).vacation);
}

double RunningNetwork::work_left(const Node& node, const State& state, const Served& one) const {
  const bool own_speeds = node.has(NetworkModel::own_servers) && !rules_of(node).speeds.empty();
  const double speed = own_speeds ? rules_of(node).speeds[server_of(more_of(state), one.customer())] : 1.0,
               now = clock(node, state);
  // Who has only just begun has got nothing: he is still equal to his equals.
  if (const double at_first = customers_[one.customer()].left_s;
      at_first >= 0.0 && one.until_s == now + at_first / speed)
    return at_first;
  return std::max(0.0, one.until_s - now) * speed;
}

void RunningNetwork::allot(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  More& more = more_of(state);
  if (here.has(NetworkModel::shares)) more.shared.allot(state.servers, more.speed);
  else more.attained.allot(state.servers, more.speed);
}

void RunningNetwork::await_done(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  if (here.has(NetworkModel::shares | NetworkModel::by_attained)) {
    pass_time(here, state);
    allot(node);
    const double in_s = here.has(NetworkModel::shares) ? more_of(state).shared.next() : more_of(state).attained.next();
    if (!(in_s <= std::numeric_limits<double>::max())) return world_.timers.cancel(first_ + node);
    return world_.timers.schedule(first_ + node, world_.now() + in_s);
  }
  if (state.served.empty()) return world_.timers.cancel(first_ + node);
  double at = state.served.front().until_s;
  if (here.has(NetworkModel::varies_speed)) {
    const double speed = more_of(state).speed;
    if (!(speed > 0.0)) return world_.timers.cancel(first_ + node);
    at = world_.now() + std::max(0.0, at - clock(here, state)) / speed;
  }
  world_.timers.schedule(first_ + node, at);
}

std::uint32_t RunningNetwork::servers_of(const Node& node) const {
  const double servers = node.servers.evaluate(world_.slots());
  if (!(servers >= 0.0 && servers <= NetworkModel::most_servers) || servers != std::floor(servers))
    fail(node, "There are " + number_text(servers) + " servers; wanted a whole number from 0 to " +
                   number_text(NetworkModel::most_servers) + ".");
  return static_cast<std::uint32_t>(servers);
}

void RunningNetwork::count_servers(const Node& node, State& state) {
  state.servers = servers_of(node);
  if (!node.servers.is_constant()) world_.set(node.servers_now, state.servers);
}

double RunningNetwork::speed_of(const Node& node) const {
  const double speed = rules_of(node).speed.evaluate(world_.slots());
  if (!(speed >= 0.0 && speed <= std::numeric_limits<double>::max()))
    fail(node, "The speed is " + number_text(speed) + "; wanted a finite number >= 0.");
  return speed;
}

void RunningNetwork::tell_counts(const Node& node, const State& state) {
  tell_plain_counts(state);
  if (!node.has(NetworkModel::shares | NetworkModel::by_attained)) return;
  const std::size_t busy =
      node.has(NetworkModel::shares) ? more_of(state).shared.size() : more_of(state).attained.size();
  world_.set(node.busy, static_cast<double>(std::min<std::size_t>(busy, state.servers)));
  if (node.busy_of_class == none) return;
  const More& more = more_of(state);
  const auto classes = static_cast<std::uint32_t>(model_.classes.size());
  if (node.has(NetworkModel::shares)) {
    for (std::uint32_t c = 0; c < classes; ++c) world_.set(node.busy_of_class + c, more.shared.given(c, more.speed));
    return;
  }
  std::vector<double> given(classes, 0.0);
  more.attained.served(more.speed, [&](std::uint32_t who, double part) { given[customers_[who].of_class] += part; });
  for (std::uint32_t c = 0; c < classes; ++c) world_.set(node.busy_of_class + c, given[c]);
}

}  // namespace ergode
