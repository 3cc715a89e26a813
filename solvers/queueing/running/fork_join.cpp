// One customer who becomes several, which go on side by side and become one again.
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Kind = NetworkModel::Kind;

void RunningNetwork::split(std::uint32_t customer, std::uint32_t node) {
  const NetworkModel::Ways& ways = model_.nodes[node].ways[customers_[customer].of_class];
  std::uint32_t made = free_split_;
  if (made == none) {
    made = static_cast<std::uint32_t>(splits_.size());
    splits_.emplace_back();
  } else {
    free_split_ = splits_[made].next_free;
  }
  if (watched()) tell_gone(customer);
  splits_[made] = {.since_s = world_.now(), .whole = customer};
  for (const std::uint32_t count : ways.count) splits_[made].left += count;
  for (std::size_t w = 0; w < ways.target.size(); ++w)
    for (std::uint32_t i = 0; i < ways.count[w]; ++i) {
      const std::uint32_t part = new_customer(ways.becomes[w]);
      const Customer& whole = customers_[customer];
      if (width_ != 0) {
        share_attributes(customer, part);
        customers_[part].of_class = whole.of_class;
        become(part, ways.becomes[w]);
      }
      customers_[part].born_s = whole.born_s, customers_[part].due_s = whole.due_s;
      customers_[part].split = made;
      if (watched()) {
        tell_born(part, node);
        tell_move(part, node, ways.target[w], ways.flow[w], customers_[part].of_class);
      }
      moves_.push_back({part, ways.target[w]});
    }
}

void RunningNetwork::vanish(std::uint32_t customer) {
  customers_[customer].split = none;  // nobody is to be told
  leave_network(customer);
}

void RunningNetwork::join(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  count_step(node);
  const std::uint32_t number = customers_[customer].split;
  // Who was never split has nobody to wait for.
  if (number == none) {
    if (here.kind == Kind::scaler) return split(customer, node);
    const Way way = way_of(node, customers_[customer].of_class, customer);
    if (watched()) tell_way(customer, node, way);
    become(customer, way.becomes);
    moves_.push_back({customer, way.target});
    return;
  }
  if (watched()) tell_come(customer, node, splits_[number].whole);
  vanish(customer);
  Split& split = splits_[number];
  --split.left, ++split.come;
  if (split.whole == none) {  // a late one
    if (split.left == 0) split.next_free = free_split_, free_split_ = number;
    return;
  }
  split.at = node;
  world_.set(here.number, world_.slots()[here.number] + 1.0);
  if (split.left == 0 || (here.quorum != 0 && split.come >= here.quorum)) go_on_as_one(number);
}

void RunningNetwork::go_on_as_one(std::uint32_t number) {
  Split& split = splits_[number];
  const std::uint32_t customer = std::exchange(split.whole, none), node = split.at;
  const Node& here = model_.nodes[node];
  world_.set(here.number, world_.slots()[here.number] - static_cast<double>(split.come));
  if (watched()) tell_joined(customer, node, split.come);
  Customer& who = customers_[customer];
  world_.observations.observe(here.response, world_.now() - split.since_s, who.of_class);
  if (split.left == 0) split.next_free = free_split_, free_split_ = number;
  count_step(node);
  if (here.kind == Kind::scaler) return this->split(customer, node);
  const Way way = way_of(node, customers_[customer].of_class, customer);
  if (watched()) tell_way(customer, node, way);
  become(customer, way.becomes);
  moves_.push_back({customer, way.target});
}

void RunningNetwork::part_is_gone(std::uint32_t number) {
  Split& split = splits_[number];
  --split.left;
  if (split.left != 0) return;
  if (split.whole == none) {
    split.next_free = free_split_, free_split_ = number;
  } else if (split.come > 0) {
    go_on_as_one(number);
  } else {
    const std::uint32_t whole = split.whole;
    split.next_free = free_split_, free_split_ = number;
    leave_network(whole);
  }
}

void RunningNetwork::pass_semaphore(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  const auto pass = [&](std::uint32_t who) {
    const Way way = way_of(node, customers_[who].of_class, who);
    if (watched()) tell_way(who, node, way);
    become(who, way.becomes);
    moves_.push_back({who, way.target});
  };
  count_step(node);
  const std::uint32_t number = customers_[customer].split;
  if (number == none || splits_[number].passed != 0) return pass(customer);
  Split& split = splits_[number];
  customers_[customer].next = split.held;
  split.held = customer, split.gate = node;
  world_.set(here.number, world_.slots()[here.number] + 1.0);
  if (++split.held_count < here.quorum) return;
  split.passed = 1;
  world_.set(here.number, world_.slots()[here.number] - static_cast<double>(split.held_count));
  for (std::uint32_t who = std::exchange(split.held, none); who != none;) {
    const std::uint32_t next = std::exchange(customers_[who].next, none);
    pass(who);
    who = next;
  }
  split.held_count = 0;
}

}  // namespace ergode
