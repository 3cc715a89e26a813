// One customer who becomes several, which go on side by side and become one again.
#include <algorithm>

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
  const std::uint32_t before = customers_[customer].split;
  const std::uint32_t depth = before == none || splits_[before].since_s < world_.now() ? 0 : splits_[before].depth + 1;
  if (depth > deepest_split) fail_of_circle(node, circle_of_splits(node));
  splits_[made] = {.since_s = world_.now(), .whole = customer, .of_class = customers_[customer].of_class};
  splits_[made].depth = depth;
  for (const std::uint32_t count : ways.count) splits_[made].left += count;
  if (counts_parts_) {
    const std::size_t classes = model_.classes.size();
    if (parts_come_.size() < splits_.size() * classes) parts_come_.resize(splits_.size() * classes);
    std::fill_n(parts_come_.begin() + static_cast<std::ptrdiff_t>(made * classes), classes, 0U);
  }
  for (std::size_t w = 0; w < ways.target.size(); ++w)
    for (std::uint32_t i = 0; i < ways.count[w]; ++i) {
      one_of_many();
      const std::uint32_t part = new_customer(ways.becomes[w]);
      const Customer& whole = customers_[customer];
      if (width_ != 0) {
        share_attributes(customer, part);
        customers_[part].of_class = whole.of_class;
        become(part, ways.becomes[w]);
      }
      customers_[part].born_s = whole.born_s, customers_[part].due_s = whole.due_s;
      customers_[part].split = made;
      if (!stay_streams_.empty()) {
        begin_passage(part, true);
        if (whole_column_ != none) passage_since_s_[part] = passage_since_s_[customer];
      }
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
  if (!stay_streams_.empty() && splits_[number].whole != none) share_stays(customer, splits_[number].whole);
  if (counts_parts_) ++parts_come_[number * model_.classes.size() + customers_[customer].of_class];
  vanish(customer);
  Split& split = splits_[number];
  --split.left, ++split.come;
  if (split.whole == none) {  // a late one
    if (split.left == 0) forget(number);
    return;
  }
  // Nearly always they come to one join, and its number is that of all.
  if (split.scattered == 0 && split.at != none && split.at != node)
    split.scattered = 1, gate_of(number, split.at).count = split.come - 1;
  if (split.scattered != 0) ++gate_of(number, node).count;
  split.at = node;
  world_.set(here.number, world_.slots()[here.number] + 1.0);
  if (split.left == 0 || enough_come(number, here)) go_on_as_one(number);
}

bool RunningNetwork::enough_come(std::uint32_t number, const Node& join) const {
  const Split& split = splits_[number];
  const NetworkModel::Quorum& quorum = join.quorums[split.of_class];
  if (quorum.of_all() || split.come < quorum.count) return false;
  const std::size_t first = number * model_.classes.size();
  for (std::size_t c = 0; c < quorum.of_class.size(); ++c)
    if (parts_come_[first + c] < quorum.of_class[c]) return false;
  return true;
}

void RunningNetwork::go_on_as_one(std::uint32_t number) {
  Split& split = splits_[number];
  const std::uint32_t customer = std::exchange(split.whole, none), node = split.at;
  const Node& here = model_.nodes[node];
  at_joins(split, [&](std::uint32_t join, std::uint32_t parts) {
    const std::uint32_t slot = model_.nodes[join].number;
    world_.set(slot, world_.slots()[slot] - static_cast<double>(parts));
  });
  if (watched()) tell_joined(customer, split);
  Customer& who = customers_[customer];
  world_.observations.observe(here.response, world_.now() - split.since_s, who.of_class);
  if (split.left == 0) forget(number);
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
    forget(number);
  } else if (split.come > 0) {
    go_on_as_one(number);
  } else {
    const std::uint32_t whole = split.whole;
    forget(number);
    leave_network(whole);
  }
}

void RunningNetwork::forget(std::uint32_t number) {
  Split& split = splits_[number];
  while (split.gates != none) {
    const std::uint32_t gate = split.gates;
    split.gates = std::exchange(gates_[gate].next, free_gate_);
    free_gate_ = gate;
  }
  split.next_free = free_split_, free_split_ = number;
}

NetworkRecords::Gate& RunningNetwork::gate_of(std::uint32_t number, std::uint32_t node) {
  Split& split = splits_[number];
  for (std::uint32_t g = split.gates; g != none; g = gates_[g].next)
    if (gates_[g].node == node) return gates_[g];
  std::uint32_t made = free_gate_;
  if (made == none) made = static_cast<std::uint32_t>(gates_.size()), gates_.emplace_back();
  else free_gate_ = gates_[made].next;
  gates_[made] = {.node = node, .next = split.gates};
  split.gates = made;
  return gates_[made];
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
  if (number == none) return pass(customer);
  Gate& gate = gate_of(number, node);
  if (gate.passed != 0) return pass(customer);
  customers_[customer].next = std::exchange(gate.held, customer);
  world_.set(here.number, world_.slots()[here.number] + 1.0);
  // He may have gone on already: what counts is kept with the split.
  if (++gate.count < here.quorums[splits_[number].of_class].count) return;
  gate.passed = 1;
  world_.set(here.number, world_.slots()[here.number] - static_cast<double>(gate.count));
  // They are linked from the last one on, and go on in the order in which they came.
  std::uint32_t first = none;
  for (std::uint32_t who = std::exchange(gate.held, none); who != none;)
    who = std::exchange(customers_[who].next, std::exchange(first, who));
  while (first != none) pass(std::exchange(first, std::exchange(customers_[first].next, none)));
}

}  // namespace ergode
