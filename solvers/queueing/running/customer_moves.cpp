// How customers come, go from node to node, are turned away, wait for room, and leave.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Kind = NetworkModel::Kind;
using Leaving = NetworkModel::Leaving;
using WhenFull = NetworkModel::WhenFull;

void RunningNetwork::emit(std::uint32_t node) {
  const Node& source = model_.nodes[node];
  State& state = states_[node];
  count_step(node);
  const bool nobody = state.place.nobody != 0;
  await_customer(node);
  if (nobody) return;
  // Thinning: Lewis and Shedler, Simulation of nonhomogeneous Poisson processes by thinning, Naval Research Logistics
  // Quarterly 26(3), 1979.
  if (source.rate_bound >= 0.0 && state.choices.uniform() * source.rate_bound >= rate_of(source)) return;
  double count = 1.0;
  if (source.batched) {
    const double drawn = drawn_or_worked_out(source, state, source.batch);
    count = std::round(drawn);
    constexpr double most = NetworkModel::most_at_once;
    // What is drawn is rounded; what is worked out is meant.
    const bool exact = source.batch.drawn || source.batch.list != none || count == drawn;
    if (!(exact && count >= 0.0 && count <= most))
      fail(source,
           number_text(drawn) + " customers come at once; wanted a whole number from 0 to " + number_text(most) + ".");
  }
  world_.set(source.number, world_.slots()[source.number] + count);
  // One behind the other: where the first was refused and went away, the next finds his place in a region free.
  for (; count > 0.0; count -= 1.0) {
    one_of_many();
    emit_one(node, nullptr);
    follow_up();
  }
}

void RunningNetwork::emit_one(std::uint32_t node, const double* job) {
  if (width_ != 0) [[unlikely]]
    return emit_with_attributes(node, job);
  send_out(node, model_.nodes[node].emits, job);
}

bool RunningNetwork::take_jobs() {
  bool any = false;
  for (const std::uint32_t node : sources_of_jobs_) {
    const Node& source = model_.nodes[node];
    world_.take_handed(source.handover, jobs_);
    for (std::size_t at = 0; at < jobs_.size(); at += 1 + source.taken.size()) {
      one_of_many();
      ++world_.events;
      count_step(node);
      world_.set(source.number, world_.slots()[source.number] + 1.0);
      emit_one(node, &jobs_[at]);
      any = true;
    }
  }
  if (any) follow_up();
  return any;
}

std::uint32_t RunningNetwork::one_more() {
  if (customers_.size() >= NetworkModel::most_customers) too_many();
  customers_.emplace_back();
  return static_cast<std::uint32_t>(customers_.size() - 1);
}

double RunningNetwork::due_of(std::uint32_t of_class) {
  const NetworkModel::JobClass& its = model_.classes[of_class];
  if (!its.due.given) return std::numeric_limits<double>::infinity();
  return world_.now() + worked_out(its.due, due_dates_, its.element, its.name);
}

// Told where most of them are: who comes too many comes from anywhere.
void RunningNetwork::too_many() {
  // Who was split at this moment more often than there are nodes that split came to one of them again.
  const auto splits = [](const Node& node) { return node.kind == Kind::fork || node.kind == Kind::scaler; };
  const auto most_once = std::count_if(model_.nodes.begin(), model_.nodes.end(), splits);
  if (std::any_of(splits_.begin(), splits_.end(), [&](const Split& one) {
        return one.since_s == world_.now() && one.depth >= static_cast<std::uint64_t>(most_once);
      }))
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (splits(model_.nodes[n]))
        if (const std::string names = circle_of_splits(n); !names.empty()) fail_of_circle(n, names);
  double most = 0.0;
  const Node* at = &model_.nodes.front();
  for (const Node& node : model_.nodes) {
    const bool holds = node.kind == Kind::station || node.kind == Kind::delay || node.kind == Kind::join ||
                       node.kind == Kind::scaler || node.kind == Kind::semaphore || node.kind == Kind::seize ||
                       node.kind == Kind::place || node.kind == Kind::plugin;
    if (holds && world_.slots()[node.number] > most) most = world_.slots()[node.number], at = &node;
  }
  const bool moving = most < static_cast<double>(moves_.size());
  if (moving) most = moves_.size(), at = &model_.nodes[moves_[0].node];
  fail(*at, "There are " + std::to_string(customers_.size()) + " customers in the network, " +
                std::to_string(static_cast<std::uint64_t>(most)) +
                (moving ? " of them on the way here" : " of them here") + "; wanted at most so many at one time.");
}

void RunningNetwork::enter(std::uint32_t customer, std::uint32_t node) {
  const Node& there = model_.nodes[node];
  if (there.kind == Kind::sink) return arrive_at_sink(customer, there);
  if (there.kind > Kind::sink) return pass_through(customer, node);
  if (there.has(NetworkModel::in_regions) && !enter_region(customer, node)) return;
  if (there.has(NetworkModel::balks)) {
    regard(customer);
    const double turns = rules_of(there).balking.evaluate(world_.slots());
    if (!(turns >= 0.0 && turns <= 1.0))
      fail(there, "Customers turn round with probability " + number_text(turns) + "; wanted 0 to 1.");
    if (turns > 0.0 && states_[node].choices.uniform() < turns) return turn_away(customer, node, Leaving::refused);
  }
  if (!full(node)) return take_in(customer, node);
  switch (there.when_full) {
    case WhenFull::lose:
      return turn_away(customer, node, Leaving::refused);
    case WhenFull::retry:
      return alarm(node, world_.now() + drawn_or_worked_out(there, states_[node], rules_of(there).retry_after),
                   Alarm::comes_again, customer, customers_[customer].stamp());
    default:
      more_of(states_[node]).outside.push_back({.customer = customer});
  }
}

// Nodes at which nobody is served.
void RunningNetwork::pass_through(std::uint32_t customer, std::uint32_t node) {
  const Node& there = model_.nodes[node];
  if (limited_) leave_region(customer);
  switch (there.kind) {
    case Kind::fork:
      count_step(node);
      return split(customer, node);
    case Kind::join:
    case Kind::scaler:
      return join(customer, node);
    case Kind::semaphore:
      return pass_semaphore(customer, node);
    case Kind::seize:
      return seize(customer, node);
    case Kind::release:
      return release(customer, node);
    case Kind::place:
      return put_token(customer, node);
    case Kind::plugin:
      return enter_plugin(customer, node);
    default: {  // a logger
      count_step(node);
      const Customer& who = customers_[customer];
      State& state = states_[node];
      world_.set(there.number, world_.slots()[there.number] + 1.0);
      if (state.present != 0) world_.observations.observe(there.wait, world_.now() - state.last_s, who.of_class);
      state.present = 1, state.last_s = world_.now();
      world_.observations.observe(there.response, world_.now() - who.born_s, who.of_class);
      if (there.value_stream != none) {
        regard(customer);
        world_.observations.observe(there.value_stream, there.value.evaluate(world_.slots()), who.of_class);
      }
      const Way way = way_of(node, customers_[customer].of_class, customer);
      if (watched()) tell_way(customer, node, way);
      become(customer, way.becomes);
      moves_.push_back({customer, way.target});
    }
  }
}

void RunningNetwork::turn_away(std::uint32_t customer, std::uint32_t node, Leaving why) {
  const Node& here = model_.nodes[node];
  const bool refused = why == Leaving::refused;
  const std::uint32_t of_class = customers_[customer].of_class;
  if (refused) count_both(here.lost, here.lost_of_class, of_class, 1.0);
  else count_both(here.gave_up, here.gave_up_of_class, of_class, 1.0);
  if (refused && here.loss_event != none) world_.raise(here.loss_event);
  world_.tell(here.name, here.element, refused ? "turned away" : "gives up");
  const std::vector<NetworkModel::Ways>& ways = here.ways_of(why);
  if (ways.empty() || ways[of_class].target.empty()) return leave_network(customer);
  // He goes on from here, though he was never in: later, because those who turn others away are in the middle of it,
  // but before those who are still to come, so that he keeps no place in a region from them.
  count_step(node);
  const Way way = one_of(here, states_[node], ways[of_class], false, customer);
  if (watched()) tell_way(customer, node, way, why);
  become(customer, way.becomes);
  turned_away_.push_back({customer, way.target});
}

void RunningNetwork::take_in(std::uint32_t customer, std::uint32_t node) {
  const Node& there = model_.nodes[node];
  State& state = states_[node];
  Customer& who = customers_[customer];
  if (there.features == 0) return take_in_plainly(customer, node);
  who.came_s = world_.now(), who.left_s = -1.0, who.is_served(false), who.goes_to = none;
  ++state.present;
  count_class(there, who.of_class, 1.0);
  if (there.arrival_event != none) world_.raise(there.arrival_event);
  find_rank(customer);
  if (preempts_) is_at(customer, node);
  if (there.has(NetworkModel::draws_first)) who.left_s = work_of(there, state, customer);
  if (there.has(NetworkModel::shares | NetworkModel::by_attained)) {
    begin(customer, node);
  } else if (there.kind != Kind::station ||
             (idle(state) > 0 && state.waiting == 0 &&
              !there.has(NetworkModel::sets_up | NetworkModel::polls | NetworkModel::batches))) {
    begin(customer, node);
  } else if (there.has(NetworkModel::preempts) && idle(state) == 0 && preempts(customer, node)) {
    begin(customer, node);
  } else {
    line_up(customer, node, false);
    look_for_work(node, false);
  }
  await_done(node);
  tell_counts(there, state);
}

// He is done here: goes on at once, or stands before a full station and keeps his server meanwhile.
void RunningNetwork::finish(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  Customer& who = customers_[customer];
  if (preempts_) is_at(customer, none);
  const std::uint32_t was = who.of_class;
  // He may choose by it himself.
  if (here.has(NetworkModel::tells_services))
    more_of(states_[node]).last_service_s[was] = world_.now() - began_s_[customer];
  std::uint32_t target = who.goes_to;
  if (target == none) {
    const Way way = way_of(node, was, customer);
    // Who may have to wait for room is seen to go when he does.
    if (watched()) held_back_ = here.has(NetworkModel::may_block) ? customer : none, tell_way(customer, node, way);
    become(customer, way.becomes);
    target = here.has(NetworkModel::may_block) ? destination(customer, way.target) : way.target;
    held_back_ = none;
  }
  if (here.has(NetworkModel::may_block)) {
    const Node& there = model_.nodes[target];
    if ((there.when_full == WhenFull::block || there.when_full == WhenFull::block_before) && full(target)) {
      State& state = states_[node];
      const bool keeps = here.kind == Kind::station &&
                         !here.has(NetworkModel::batches | NetworkModel::shares | NetworkModel::by_attained);
      if (here.kind == Kind::station && keeps) ++state.held;
      more_of(states_[target]).outside.push_back({.customer = customer, .holds = node, .as = was});
      count_both(here.blocked, here.blocked_of_class, was, 1.0);
      who.goes_to = target;
      if (!keeps) after_service(node);
      await_done(node);
      tell_counts(here, state);
      return look_for_deadlock(node);
    }
  }
  const std::uint32_t becomes = who.of_class;
  who.of_class = was;
  leave_station(customer, node);
  who.of_class = becomes;
  if (!here.has(NetworkModel::may_block)) return arrive(customer, target);
  if (watched()) tell_put_off(customer);
  enter(customer, target);
  if (here.has(NetworkModel::holds_before)) free_again(node);
}

// Whether the next one may begin depends on the room that is left where this one has just gone.
void RunningNetwork::free_again(std::uint32_t node) {
  after_service(node);
  await_done(node);
  tell_counts(model_.nodes[node], states_[node]);
}

void RunningNetwork::leave_station(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  const Customer& who = customers_[customer];
  world_.observations.observe(here.response, world_.now() - who.came_s, who.of_class);
  if (!stay_streams_.empty()) note_stay(customer, node);
  if (here.departure_event != none) world_.raise(here.departure_event);
  if (here.has(NetworkModel::tells_stays)) more_of(state).last_stay_s[who.of_class] = world_.now() - who.came_s;
  --state.present;
  count_class(here, who.of_class, -1.0);
  if (here.kind == Kind::station && !here.has(NetworkModel::holds_before)) after_service(node);
  await_done(node);
  tell_counts(here, state);
  if (state.more != none && !more_of(state).outside.empty()) room_.push_back(node);
}

void RunningNetwork::let_in(std::uint32_t node) {
  Ring<Outside>& outside = more_of(states_[node]).outside;
  while (!outside.empty() && !full(node)) {
    const Outside first = outside.pop_front();
    if (first.holds == none) {
      take_in(first.customer, node);
      continue;
    }
    const Node& from = model_.nodes[first.holds];
    State& state = states_[first.holds];
    count_both(from.blocked, from.blocked_of_class, first.as, -1.0);
    const bool kept = from.kind == Kind::station &&
                      !from.has(NetworkModel::batches | NetworkModel::shares | NetworkModel::by_attained);
    if (kept) --state.held;
    if (first.before != 0) {
      // Room for one lets one begin, and is not kept for him.
      begin(first.customer, first.holds);
      await_done(first.holds);
      return tell_counts(from, state);
    }
    const std::uint32_t becomes = std::exchange(customers_[first.customer].of_class, first.as);
    leave_station(first.customer, first.holds);
    customers_[first.customer].of_class = becomes;
    if (watched()) tell_put_off(first.customer);
    take_in(first.customer, node);
    if (from.has(NetworkModel::holds_before)) free_again(first.holds);
  }
}

void RunningNetwork::follow_up_moves() {
  while (!room_.empty() || !turned_away_.empty() || !moves_.empty() || (net_changed_ && fire_immediate())) {
    if (!room_.empty()) {
      const std::uint32_t node = room_.pop_front();
      if (node >= model_.nodes.size()) {
        give_units(node - static_cast<std::uint32_t>(model_.nodes.size()));
        continue;
      }
      count_step(node);
      let_in(node);
    } else if (!turned_away_.empty() || !moves_.empty()) {
      one_of_many();
      const Move move = (turned_away_.empty() ? moves_ : turned_away_).pop_front();
      arrive(move.customer, move.node);
    }
  }
}

// Who is of a closed class stands at his reference at time zero, and has not left it before.
void RunningNetwork::begin_passage(std::uint32_t customer, bool part) {
  const std::size_t width = stay_streams_.size();
  if (stays_s_.size() < customers_.size() * width) stays_s_.resize(customers_.size() * width);
  std::fill_n(stays_of(customer), width, 0.0);
  if (!part && model_.classes[customers_[customer].of_class].reference != none)
    *stays_of(customer) = std::numeric_limits<double>::quiet_NaN();
  if (whole_column_ == none) return;
  passage_since_s_.resize(std::max(passage_since_s_.size(), customers_.size()));
  passage_since_s_[customer] = world_.now();
}

void RunningNetwork::note_stay(std::uint32_t customer, std::uint32_t node) {
  const Customer& who = customers_[customer];
  if (const std::uint32_t column = stay_column_[node]; column != none)
    stays_of(customer)[column] += world_.now() - who.came_s;
  if (model_.classes[who.of_class].reference != node) return;
  const double until_s = model_.nodes[node].kind == Kind::delay ? who.came_s : world_.now();
  end_passage(customer, whole_column_ == none ? 0.0 : until_s - passage_since_s_[customer]);
  if (whole_column_ != none) passage_since_s_[customer] = world_.now();
}

void RunningNetwork::end_passage(std::uint32_t customer, double lasted_s) {
  if (!region_column_.empty()) note_stay_inside(customer);
  double* const stays = stays_of(customer);
  if (!std::isnan(*stays)) {
    if (whole_column_ != none) stays[whole_column_] = lasted_s;
    for (std::size_t column = 0; column < stay_streams_.size(); ++column)
      world_.observations.observe(stay_streams_[column], stays[column], customers_[customer].of_class);
  }
  std::fill_n(stays, stay_streams_.size(), 0.0);
}

void RunningNetwork::share_stays(std::uint32_t part, std::uint32_t whole) {
  for (std::size_t column = 0; column < stay_streams_.size(); ++column)
    stays_of(whole)[column] += stays_of(part)[column];
}

void RunningNetwork::give_up_limits(std::uint32_t customer) {
  leave_region(customer);
  for (std::uint32_t pool = 0; pool < model_.pools.size(); ++pool) {
    holds_.resize(customers_.size() * model_.pools.size());
    if (const std::uint32_t units = std::exchange(units_of(customer, pool), 0); units > 0) {
      pools_[pool].inside -= units;
      if (preempts_) std::erase(pools_[pool].holders, customer);
      give_units(pool);
    }
  }
}

}  // namespace ergode
