// What several nodes share: regions into which only so many may come, pools whose units customers hold.
#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Region = NetworkModel::Region;

bool RunningNetwork::may_enter(const Crowd& crowd, const Region& region, std::uint32_t of_class) const {
  return crowd.inside < region.capacity && crowd.of_class[of_class] < region.capacity_of[of_class];
}

void RunningNetwork::take_place(std::uint32_t customer, std::uint32_t number) {
  Customer& who = customers_[customer];
  const auto classes = static_cast<std::uint32_t>(model_.classes.size());
  who.region_place = number * classes + who.of_class;
  came_in_s_.resize(customers_.size());
  inside_since_s_.resize(customers_.size());
  came_in_s_[customer] = inside_since_s_[customer] = world_.now();
  ++regions_[number].inside, ++regions_[number].of_class[who.of_class];
  count_plainly(model_.regions[number].number_of_class, who.of_class, 1.0);
}

bool RunningNetwork::enter_region(std::uint32_t customer, std::uint32_t node) {
  Customer& who = customers_[customer];
  const std::uint32_t to = model_.nodes[node].region;
  const auto classes = static_cast<std::uint32_t>(model_.classes.size());
  if (who.region_place == none ? to == none : who.region_place / classes == to) return true;
  leave_region(customer);
  if (to == none) return true;
  const Region& region = model_.regions[to];
  Crowd& crowd = regions_[to];
  if (may_enter(crowd, region, who.of_class)) {
    world_.observations.observe(region.wait, 0.0, who.of_class);
    take_place(customer, to);
    world_.set(region.number, static_cast<double>(crowd.inside));
    return true;
  }
  if (region.loses[who.of_class] != 0) {
    count_both(region.lost, region.lost_of_class, who.of_class, 1.0);
    world_.tell(region.name, region.element, "turned away");
    leave_network(customer);
    return false;
  }
  who.came_s = world_.now();
  crowd.line.push_back({customer, node});
  count_both(region.waiting, region.waiting_of_class, who.of_class, 1.0);
  return false;
}

// A passage may end at a reference inside: then what comes after is of the next one.
void RunningNetwork::note_stay_inside(std::uint32_t customer) {
  const std::uint32_t place = customers_[customer].region_place;
  if (place == none) return;
  const std::uint32_t column = region_column_[place / static_cast<std::uint32_t>(model_.classes.size())];
  if (column == none) return;
  stays_of(customer)[column] += world_.now() - std::exchange(inside_since_s_[customer], world_.now());
}

void RunningNetwork::leave_region(std::uint32_t customer) {
  if (!stay_streams_.empty()) note_stay_inside(customer);
  const std::uint32_t place = std::exchange(customers_[customer].region_place, none);
  if (place == none) return;
  // He may have become another since he came in, and gives back the place that he took.
  const auto classes = static_cast<std::uint32_t>(model_.classes.size());
  const std::uint32_t number = place / classes;
  const Region& region = model_.regions[number];
  Crowd& crowd = regions_[number];
  --crowd.inside, --crowd.of_class[place % classes];
  count_plainly(region.number_of_class, place % classes, -1.0);
  world_.observations.observe(region.response, world_.now() - came_in_s_[customer], place % classes);
  // The first who may: others may wait for a place of their class.
  for (std::uint32_t i = 0; i < crowd.line.size() && crowd.inside < region.capacity; ++i) {
    const Move first = crowd.line[i];
    Customer& next = customers_[first.customer];
    if (!may_enter(crowd, region, next.of_class)) continue;
    for (std::uint32_t j = i; j > 0; --j) crowd.line[j] = crowd.line[j - 1];
    crowd.line.pop_front();
    --i;
    world_.observations.observe(region.wait, world_.now() - next.came_s, next.of_class);
    note_wait(first.customer, world_.now() - next.came_s);
    count_plainly(region.waiting_of_class, next.of_class, -1.0);
    take_place(first.customer, number);
    moves_.push_back(first);
  }
  world_.set(region.number, static_cast<double>(crowd.inside));
  world_.set(region.waiting, static_cast<double>(crowd.line.size()));
}

std::uint32_t RunningNetwork::units_in(std::uint32_t pool) const {
  const NetworkModel::Pool& one = model_.pools[pool];
  const double units = one.units.evaluate(world_.slots());
  constexpr double most = 4e9;
  if (!(units >= 0.0 && units <= most) || units != std::floor(units))
    throw ModelFailure(
        {.code = "RUN002",
         .element = one.element,
         .message = "\"" + one.name + "\" has " + number_text(units) + " units; wanted a whole number >= 0."});
  return static_cast<std::uint32_t>(units);
}

void RunningNetwork::tell_pool(std::uint32_t number) {
  const NetworkModel::Pool& pool = model_.pools[number];
  const Crowd& crowd = pools_[number];
  const std::uint32_t units = units_in(number);
  world_.set(pool.busy, static_cast<double>(crowd.inside));
  world_.set(pool.free, static_cast<double>(units > crowd.inside ? units - crowd.inside : 0));
  world_.set(pool.waiting, static_cast<double>(crowd.line.size()));
}

void RunningNetwork::seize(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  Customer& who = customers_[customer];
  who.came_s = world_.now();
  world_.set(here.number, world_.slots()[here.number] + 1.0);
  find_rank(customer);
  if ((here.reads & NetworkModel::reads_in_units) != 0)
    attribute_of(customer, units_at_) = static_cast<double>(units_wanted(customer, here));
  Ring<Move>& line = pools_[here.pool].line;
  // Behind all of his priority or more.
  line.push_back({customer, node});
  for (std::uint32_t i = line.size() - 1; i > 0 && rank_of(line[i - 1].customer) > rank_of(customer); --i)
    std::swap(line[i - 1], line[i]);
  give_units(here.pool);
}

// In their order: who wants many is not overtaken by who wants few.
void RunningNetwork::give_units(std::uint32_t number) {
  Crowd& crowd = pools_[number];
  const std::uint32_t units = units_in(number);
  while (!crowd.line.empty()) {
    const Move first = crowd.line[0];
    const Node& at = model_.nodes[first.node];
    const bool returns = at.kind != NetworkModel::Kind::seize;  // his units were taken away
    const std::uint32_t wants = returns ? holding_of(first.customer, number).lost
                                : (at.reads & NetworkModel::reads_in_units) == 0
                                    ? at.units
                                    : static_cast<std::uint32_t>(attribute_of(first.customer, units_at_));
    const Node& seized = returns ? model_.nodes[holding_of(first.customer, number).node] : at;
    if (crowd.inside + wants > units && !(seized.preempts && take_units(number, first.customer, wants, units))) break;
    crowd.line.pop_front();
    crowd.inside += wants;
    holds_.resize(customers_.size() * model_.pools.size());
    units_of(first.customer, number) += wants;
    if (model_.pools[number].preempts) {
      std::erase(crowd.holders, first.customer);
      crowd.holders.push_back(first.customer);
      if (!returns) holding_of(first.customer, number).node = first.node;
    }
    if (returns) {
      go_on_there(first.customer, first.node);
      continue;
    }
    const Customer& who = customers_[first.customer];
    world_.observations.observe(at.wait, world_.now() - who.came_s, who.of_class);
    note_wait(first.customer, world_.now() - who.came_s);
    world_.set(at.number, world_.slots()[at.number] - 1.0);
    count_step(first.node);
    const Way way = way_of(first.node, customers_[first.customer].of_class, first.customer);
    if (watched()) tell_way(first.customer, first.node, way);
    become(first.customer, way.becomes);
    moves_.push_back({first.customer, way.target});
  }
  tell_pool(number);
}

void RunningNetwork::release(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  holds_.resize(customers_.size() * model_.pools.size());
  std::uint32_t& holds = units_of(customer, here.pool);
  const std::uint32_t most = units_wanted(customer, here);
  const std::uint32_t units = most == 0 ? holds : std::min(most, holds);
  holds -= units;
  pools_[here.pool].inside -= units;
  if (preempts_ && holds == 0) std::erase(pools_[here.pool].holders, customer);
  if (units > 0) give_units(here.pool);
  count_step(node);
  const Way way = way_of(node, customers_[customer].of_class, customer);
  if (watched()) tell_way(customer, node, way);
  become(customer, way.becomes);
  moves_.push_back({customer, way.target});
}

}  // namespace ergode
