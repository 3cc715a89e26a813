#include "solvers/queueing/running_network.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/text.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;

bool serves(const NetworkModel::Node& node) { return node.kind == Kind::station || node.kind == Kind::delay; }

}  // namespace

void RunningNetwork::Line::push(std::uint32_t customer) {
  if (count_ == places_.size()) {
    std::vector<std::uint32_t> more(std::max<std::size_t>(8, 2 * places_.size()));
    for (std::uint32_t i = 0; i < count_; ++i) more[i] = at(i);
    places_ = std::move(more);
    head_ = 0;
  }
  at(count_++) = customer;
}

std::uint32_t RunningNetwork::Line::take_first() {
  const std::uint32_t out = at(0);
  head_ = (head_ + 1) & static_cast<std::uint32_t>(places_.size() - 1);
  --count_;
  return out;
}

std::uint32_t RunningNetwork::Line::take_last() { return at(--count_); }

std::uint32_t RunningNetwork::Line::take(std::uint32_t place) {
  std::swap(at(place), at(count_ - 1));
  return take_last();
}

RunningNetwork::RunningNetwork(const NetworkModel& model, World& world, std::uint64_t seed)
    : model_(model),
      world_(world),
      first_(world.add_timers(static_cast<std::uint32_t>(model.nodes.size()))),
      states_(model.nodes.size()) {
  for (const NetworkModel::Node& node : model.nodes)
    for (const char* purpose : {".times", ".ways", ".choices"})
      keys_.push_back(stream_key(seed, node.element.text() + purpose));
  const auto exponential = [](const NetworkModel::Duration& time) {
    return !time.drawn || time.law.family() == Distribution::Family::exponential;
  };
  for (std::size_t n = 0; n < states_.size(); ++n)
    states_[n].exponential =
        std::all_of(model.nodes[n].time.begin(), model.nodes[n].time.end(), exponential) || model.nodes[n].has_rate;
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    if (model.nodes[n].reader != none) readers_.emplace_back(model.nodes[n].reader, n);
  std::sort(readers_.begin(), readers_.end());
}

void RunningNetwork::restart_streams(std::uint64_t replication) {
  for (std::size_t n = 0; n < states_.size(); ++n) {
    states_[n].times.restart(keys_[3 * n], replication), states_[n].units.forget();
    states_[n].ways.restart(keys_[3 * n + 1], replication);
    states_[n].choices.restart(keys_[3 * n + 2], replication);
  }
}

void RunningNetwork::start(std::uint64_t replication) {
  restart_streams(replication);
  customers_.clear();
  free_ = none;
  order_ = 0;
  moment_s_ = -1.0;
  circle_.clear();
  for (std::size_t n = 0; n < states_.size(); ++n) {
    State& state = states_[n];
    state.served.clear(), state.line.clear();
    state.got_s = state.since_s = 0.0;
    // States that charts enter at time zero are not active yet: whoever reads them is woken then.
    state.servers = model_.nodes[n].kind == Kind::station ? servers_of(model_.nodes[n]) : 0;
  }
  for (std::uint32_t n = 0; n < states_.size(); ++n)
    if (model_.nodes[n].kind == Kind::source) await_customer(n);
  for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
    for (std::uint32_t i = 0; i < model_.classes[c].population; ++i) {
      world_.steps_at_moment = moves_ = 0;
      arrive(new_customer(c), model_.classes[c].reference);
    }
}

void RunningNetwork::fire(std::uint32_t node) {
  ++world_.events;
  if (model_.nodes[node].kind == Kind::source) emit(node);
  else done(node);
}

void RunningNetwork::emit(std::uint32_t node) {
  const NetworkModel::Node& source = model_.nodes[node];
  count_step(node);
  await_customer(node);
  world_.set(source.number, world_.slots()[source.number] + 1.0);
  arrive(new_customer(source.emits), way_of(source, states_[node], source.emits));
}

void RunningNetwork::arrive(std::uint32_t customer, std::uint32_t node) {
  const std::uint32_t of_class = customers_[customer].of_class;
  while (model_.nodes[node].kind == Kind::router) {
    count_step(node);
    node = way_of(model_.nodes[node], states_[node], of_class);
  }
  const NetworkModel::Node& there = model_.nodes[node];
  State& state = states_[node];
  if (there.kind == Kind::sink) {
    world_.set(there.number, world_.slots()[there.number] + 1.0);
    world_.observations.observe(there.response, world_.now() - customers_[customer].born_s, of_class);
    return leave_network(customer);
  }
  if (state.served.size() + state.line.size() >= there.capacity) {
    world_.set(there.lost, world_.slots()[there.lost] + 1.0);
    if (there.raises_loss) world_.raise(there.loss_event);
    return leave_network(customer);
  }
  customers_[customer].came_s = world_.now();
  if (there.kind == Kind::station && there.discipline != Discipline::ps && state.served.size() >= state.servers) {
    state.line.push(customer);
  } else {
    begin(customer, node);
    await_done(node);
  }
  tell_counts(there, state);
}

// Whoever calls sets the timer afterwards.
void RunningNetwork::begin(std::uint32_t customer, std::uint32_t node) {
  const NetworkModel::Node& there = model_.nodes[node];
  State& state = states_[node];
  const Customer& who = customers_[customer];
  if (there.kind == Kind::station) world_.observations.observe(there.wait, world_.now() - who.came_s, who.of_class);
  double from = world_.now();
  if (there.discipline == Discipline::ps) {
    share(state);
    from = state.got_s;
  }
  state.served.push_back({from + duration(there, state, who.of_class), order_++, customer});
  std::push_heap(state.served.begin(), state.served.end(), std::greater<>());
}

std::uint32_t RunningNetwork::next_of_line(const NetworkModel::Node& node, State& state) {
  switch (node.discipline) {
    case Discipline::lcfs:
      return state.line.take_last();
    case Discipline::siro: {
      const double u = state.choices.uniform();
      return state.line.take(std::min(static_cast<std::uint32_t>(u * state.line.size()), state.line.size() - 1));
    }
    default:
      return state.line.take_first();
  }
}

void RunningNetwork::serve_waiting(std::uint32_t node) {
  State& state = states_[node];
  while (state.line.size() > 0 && state.served.size() < state.servers)
    begin(next_of_line(model_.nodes[node], state), node);
}

void RunningNetwork::done(std::uint32_t node) {
  const NetworkModel::Node& here = model_.nodes[node];
  State& state = states_[node];
  count_step(node);
  if (here.discipline == Discipline::ps) share(state), state.got_s = state.served.front().until_s;
  const std::uint32_t customer = state.served.front().customer;
  std::pop_heap(state.served.begin(), state.served.end(), std::greater<>());
  state.served.pop_back();
  const Customer& who = customers_[customer];
  world_.observations.observe(here.response, world_.now() - who.came_s, who.of_class);
  if (here.kind == Kind::station) serve_waiting(node);
  await_done(node);
  tell_counts(here, state);
  arrive(customer, way_of(here, state, who.of_class));
}

void RunningNetwork::leave_network(std::uint32_t customer) {
  customers_[customer].next_free = free_;
  free_ = customer;
}

std::uint32_t RunningNetwork::new_customer(std::uint32_t of_class) {
  std::uint32_t out = free_;
  if (out == none) {
    out = static_cast<std::uint32_t>(customers_.size());
    customers_.emplace_back();
  } else {
    free_ = customers_[out].next_free;
  }
  customers_[out] = {.born_s = world_.now(), .came_s = world_.now(), .of_class = of_class};
  return out;
}

std::uint32_t RunningNetwork::way_of(const NetworkModel::Node& node, State& state, std::uint32_t of_class) {
  const NetworkModel::Ways& ways = node.ways[of_class];
  if (ways.target.size() == 1 && !ways.upto.empty()) return ways.target[0];
  if (ways.upto.empty()) return changing_way(node, state, ways);
  const double u = state.ways.uniform();
  std::size_t w = 0;
  while (u >= ways.upto[w]) ++w;  // the last is 1, and u is below
  return ways.target[w];
}

std::uint32_t RunningNetwork::changing_way(const NetworkModel::Node& node, State& state,
                                           const NetworkModel::Ways& ways) {
  double sum = 0.0;
  std::size_t open = 0;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    if (ways.given[w] == 0) {
      ++open;
      continue;
    }
    const double p = ways.probability[w].evaluate(world_.slots());
    if (!(p >= 0.0 && p <= 1.0)) fail(node, "The probability of a way is " + number_text(p) + "; wanted 0 to 1.");
    sum += p;
  }
  constexpr double hair = 1e-9;
  if (sum > 1.0 + hair || (open == 0 && sum < 1.0 - hair))
    fail(node, "The probabilities of the ways sum up to " + number_text(sum) + "; wanted 1.");
  const double each = open == 0 ? 0.0 : std::max(0.0, 1.0 - sum) / static_cast<double>(open);
  double left = state.ways.uniform();
  std::uint32_t last = none;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    const double p = ways.given[w] == 0 ? each : ways.probability[w].evaluate(world_.slots());
    if (p > 0.0) last = ways.target[w];
    if (left < p) return last;
    left -= p;
  }
  return last;  // rounding left the sum a hair below one
}

double RunningNetwork::duration(const NetworkModel::Node& node, State& state, std::uint32_t of_class) {
  const NetworkModel::Duration& time = node.time[of_class];
  if (time.drawn) return state.exponential ? state.units.next(state.times) * time.mean_s : time.law.sample(state.times);
  const double value = time.value.evaluate(world_.slots());
  if (!(value >= 0.0)) fail(node, "The time is " + number_text(value) + " s; wanted >= 0.");
  return value;
}

void RunningNetwork::await_customer(std::uint32_t node) {
  const NetworkModel::Node& source = model_.nodes[node];
  State& state = states_[node];
  if (!source.has_rate) return world_.timers.schedule(first_ + node, world_.now() + duration(source, state, 0));
  const double rate = source.rate.evaluate(world_.slots());
  if (!(rate >= 0.0 && rate <= std::numeric_limits<double>::max()))
    fail(source, "The rate is " + number_text(rate * 3600.0) + " /h; wanted a finite rate >= 0.");
  if (rate > 0.0) world_.timers.schedule(first_ + node, world_.now() + state.units.next(state.times) / rate);
  else world_.timers.cancel(first_ + node);
}

void RunningNetwork::await_done(std::uint32_t node) {
  const NetworkModel::Node& here = model_.nodes[node];
  State& state = states_[node];
  if (state.served.empty()) return world_.timers.cancel(first_ + node);
  double at = state.served.front().until_s;
  if (here.discipline == Discipline::ps) {
    const double speed = share(state);
    if (!(speed > 0.0)) return world_.timers.cancel(first_ + node);
    at = world_.now() + std::max(0.0, at - state.got_s) / speed;
  }
  world_.timers.schedule(first_ + node, at);
}

double RunningNetwork::share(State& state) {
  const double customers = static_cast<double>(state.served.size()), servers = state.servers;
  const double speed = customers <= servers ? 1.0 : servers / customers;
  state.got_s += (world_.now() - state.since_s) * (customers > 0.0 ? speed : 0.0);
  state.since_s = world_.now();
  return speed;
}

std::uint32_t RunningNetwork::servers_of(const NetworkModel::Node& node) const {
  const double servers = node.servers.evaluate(world_.slots());
  constexpr double most = 4e9;
  if (!(servers >= 0.0 && servers <= most) || servers != std::floor(servers))
    fail(node, "There are " + number_text(servers) + " servers; wanted a whole number >= 0.");
  return static_cast<std::uint32_t>(servers);
}

void RunningNetwork::woken(std::uint32_t reader) {
  for (auto at = std::lower_bound(readers_.begin(), readers_.end(), std::pair{reader, 0U});
       at != readers_.end() && at->first == reader; ++at) {
    const std::uint32_t n = at->second;
    const NetworkModel::Node& node = model_.nodes[n];
    // No memory: a changed rate is a fresh wait.
    if (node.kind == Kind::source) {
      await_customer(n);
      continue;
    }
    State& state = states_[n];
    if (node.discipline == Discipline::ps) share(state);
    state.servers = servers_of(node);
    serve_waiting(n);
    await_done(n);
    tell_counts(node, state);
  }
}

void RunningNetwork::tell_counts(const NetworkModel::Node& node, const State& state) {
  world_.set(node.number, static_cast<double>(state.served.size() + state.line.size()));
  if (node.kind != Kind::station) return;
  world_.set(node.waiting, static_cast<double>(state.line.size()));
  world_.set(node.busy, static_cast<double>(std::min<std::size_t>(state.served.size(), state.servers)));
}

void RunningNetwork::count_step(std::uint32_t node) {
  if (moment_s_ != world_.now()) moment_s_ = world_.now(), moves_ = 0;
  // Below the patience of the loop, which would know of no node.
  constexpr std::uint64_t patience = World::patience / 8;
  if (++moves_ > patience) [[unlikely]]
    note_circle(node);
}

// Goes on until somebody comes to where one was before: those between are the circle, or part of it.
void RunningNetwork::note_circle(std::uint32_t node) {
  const bool again = std::find(circle_.begin(), circle_.end(), node) != circle_.end();
  circle_.push_back(node);
  if (!again) return;
  constexpr std::size_t most = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(circle_.size(), most); ++i)
    names += (i == 0 ? "\"" : ", \"") + model_.nodes[circle_[i]].name + "\"";
  fail(model_.nodes[node],
       "Customers go round without end and without time passing: " + names + (circle_.size() > most ? ", ..." : "."));
}

void RunningNetwork::fail(const NetworkModel::Node& node, std::string message) const {
  throw ModelFailure(
      {.code = "RUN002",
       .element = node.element,
       .message = "\"" + node.name + "\" at time " + number_text(world_.now() / 3600.0) + " h: " + message});
}

void RunningNetwork::save(ByteWriter& into) const {
  into(customers_, free_, order_);
  for (const State& state : states_) into(state.served, state.line, state.servers, state.got_s, state.since_s);
}

void RunningNetwork::restore(ByteReader& from, std::uint64_t path) {
  from(customers_, free_, order_);
  for (State& state : states_) from(state.served, state.line, state.servers, state.got_s, state.since_s);
  moment_s_ = -1.0;  // what was counted of a moment was another path's
  circle_.clear();
  restart_streams(path);
}

void RunningNetwork::waiting(std::vector<Waiting>& out) const {
  for (std::uint32_t n = 0; n < states_.size(); ++n)
    if (serves(model_.nodes[n]) || model_.nodes[n].kind == Kind::source)
      if (world_.timers.armed(first_ + n))
        out.push_back({world_.timers.time_of(first_ + n), model_.nodes[n].name,
                       model_.nodes[n].kind == Kind::source ? "customer" : "done", model_.nodes[n].element});
}

void RunningNetwork::active(std::set<ElementId>& out) const {
  for (std::size_t n = 0; n < states_.size(); ++n)
    if (!states_[n].served.empty()) out.insert(model_.nodes[n].element);
}

}  // namespace ergode
