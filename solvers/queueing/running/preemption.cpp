// What is taken from those who have it by somebody of more right: servers, and units of a pool.
#include <algorithm>
#include <limits>

#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Discipline = NetworkModel::Discipline;
using Interruption = NetworkModel::Interruption;
using Kind = NetworkModel::Kind;

bool RunningNetwork::preempts(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  pass_time(here, state);
  const Customer& who = customers_[customer];
  const auto standing = [&](std::uint32_t customer_here) {
    return here.has(NetworkModel::prioritises) ? rank_of(customer_here) : 0.0;
  };
  const double level = standing(customer);
  // Whoever has least right to his server: lowest priority, then by the discipline, then who began last.
  std::size_t worst = state.served.size();
  double worst_left = 0.0, worst_level = 0.0, worst_until = 0.0;
  for (std::size_t s = 0; s < state.served.size(); ++s) {
    const Served& one = state.served[s];
    if (one.doing() != Doing::service) continue;
    const double its = standing(one.customer());
    const double left = work_left(here, state, one);
    bool worse = worst == state.served.size() || its > worst_level;
    if (!worse && its == worst_level) {
      const Served& other = state.served[worst];
      if (here.discipline == Discipline::srpt && left != worst_left) worse = left > worst_left;
      else if (here.discipline == Discipline::lcfs_pr) worse = one.order() < other.order();
      else worse = one.order() > other.order();
    }
    if (worse) worst = s, worst_left = left, worst_level = its, worst_until = one.until_s;
  }
  if (worst == state.served.size()) return false;
  // Less by more than rounding leaves of a difference of moments: equals do not interrupt each other.
  const double hair = 4.0 * std::numeric_limits<double>::epsilon() * worst_until;
  const bool shorter = here.discipline == Discipline::srpt && who.left_s < worst_left - hair;
  const bool better =
      level < worst_level || (level == worst_level && (here.discipline == Discipline::lcfs_pr || shorter));
  if (better) interrupt(node, worst);
  return better;
}

// The customer waits again, before those who came after him.
void RunningNetwork::interrupt(std::uint32_t node, std::size_t place) {
  line_up(stop_service(node, place), node, true);
}

std::uint32_t RunningNetwork::stop_service(std::uint32_t node, std::size_t place) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  pass_time(here, state);
  const Served was = state.served[place];
  state.served.take_out(place);
  --state.working;
  Customer& who = customers_[was.customer()];
  count_busy(here, who.of_class, -1.0);
  const double left = work_left(here, state, was);
  if (here.has(NetworkModel::own_servers)) server_freed(node, server_of(more_of(state), was.customer()));
  switch (here.interruption) {
    case Interruption::repeat:
      who.left_s = who.whole_s;
      break;
    case Interruption::resample:
      who.left_s =
          here.has(NetworkModel::draws_first) ? duration(here, state, here.time[who.of_class], was.customer()) : -1.0;
      break;
    default:
      who.left_s = left;
  }
  return was.customer();
}

RunningNetwork::Holding& RunningNetwork::holding_of(std::uint32_t customer, std::uint32_t pool) {
  holdings_.resize(customers_.size() * model_.pools.size());
  return holdings_[customer * model_.pools.size() + pool];
}

void RunningNetwork::is_at(std::uint32_t customer, std::uint32_t node) {
  if (where_.size() < customers_.size()) where_.resize(customers_.size(), none);
  where_[customer] = node;
  if (node == none) return;
  // Somebody may wait for what he holds, and could not have it where he was.
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool)
    if (model_.pools[pool].preempts && !pools_[pool].line.empty() && units_held(customer, pool) > 0)
      room_.push_back(static_cast<std::uint32_t>(model_.nodes.size()) + pool);
}

std::size_t RunningNetwork::place_of(std::uint32_t customer, const State& state) {
  std::size_t place = 0;
  while (place < state.served.size() &&
         (state.served[place].doing() != Doing::service || state.served[place].customer() != customer))
    ++place;
  return place;
}

bool RunningNetwork::may_lose(std::uint32_t customer) const {
  const std::uint32_t at = customer < where_.size() ? where_[customer] : none;
  if (at == none) return false;
  const Node& here = model_.nodes[at];
  if (here.has(NetworkModel::shares | NetworkModel::by_attained | NetworkModel::batches | NetworkModel::holds_before))
    return false;
  if (here.kind == Kind::delay || here.interruption != Interruption::finish) return true;
  return place_of(customer, states_[at]) == states_[at].served.size();
}

bool RunningNetwork::take_units(std::uint32_t number, std::uint32_t customer, std::uint32_t wants,
                                std::uint32_t units) {
  Crowd& crowd = pools_[number];
  const double rank = rank_of(customer);
  const std::uint64_t missing = std::uint64_t{crowd.inside} + wants - units;
  // The lowest priority first, of equal ones who got his units last.
  std::vector<std::uint32_t> victims;
  for (std::size_t h = crowd.holders.size(); h-- > 0;)
    if (rank_of(crowd.holders[h]) > rank && may_lose(crowd.holders[h])) victims.push_back(crowd.holders[h]);
  std::stable_sort(victims.begin(), victims.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return rank_of(a) > rank_of(b); });
  std::uint64_t got = 0;
  std::size_t count = 0;
  while (count < victims.size() && got < missing) got += units_of(victims[count++], number);
  if (got < missing) return false;
  victims.resize(count);
  // Whose units are not needed after all keeps them.
  for (std::size_t v = count; v-- > 0;)
    if (const std::uint32_t his = units_of(victims[v], number); got - his >= missing) {
      got -= his;
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(v));
    }
  for (const std::uint32_t victim : victims) suspend(victim, number);
  return true;
}

// He keeps his place in the station, but neither waits there nor is served until he has his units again.
void RunningNetwork::suspend(std::uint32_t customer, std::uint32_t number) {
  const std::uint32_t node = std::exchange(where_[customer], none);
  State& state = states_[node];
  Crowd& crowd = pools_[number];
  holding_of(customer, number).lost = std::exchange(units_of(customer, number), 0);
  crowd.inside -= holding_of(customer, number).lost;
  std::erase(crowd.holders, customer);
  if (const std::size_t place = place_of(customer, state); place < state.served.size()) {
    stop_service(node, place);
  } else {
    leave_line(node, customer);
  }
  // Before his equals: he had units already. Not before who takes them, whose priority is higher.
  crowd.line.push_back({customer, node});
  for (std::uint32_t i = crowd.line.size() - 1; i > 0 && rank_of(crowd.line[i - 1].customer) >= rank_of(customer); --i)
    std::swap(crowd.line[i - 1], crowd.line[i]);
  world_.tell(model_.nodes[node].name, model_.nodes[node].element, "units are taken away");
  const std::uint32_t slot = model_.pools[number].preempted;
  world_.set(slot, world_.slots()[slot] + 1.0);
  if (model_.nodes[node].kind == Kind::station) after_service(node);
  await_done(node);
  tell_counts(model_.nodes[node], state);
}

void RunningNetwork::go_on_there(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  count_step(node);
  is_at(customer, node);
  const bool at_once = idle(state) > 0 && state.waiting == 0 &&
                       !here.has(NetworkModel::sets_up | NetworkModel::polls | NetworkModel::batches);
  if (here.kind == Kind::delay || at_once ||
      (here.has(NetworkModel::preempts) && idle(state) == 0 && preempts(customer, node))) {
    begin(customer, node);
  } else {
    line_up(customer, node, true);
    look_for_work(node, false);
  }
  await_done(node);
  tell_counts(here, state);
}

}  // namespace ergode
