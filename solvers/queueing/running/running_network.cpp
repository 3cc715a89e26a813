#include "solvers/queueing/running/plain_stations.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"

namespace ergode {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;

RunningNetwork::RunningNetwork(const NetworkModel& model, World& world, std::uint64_t seed)
    : model_(model),
      world_(world),
      first_(world.add_timers(static_cast<std::uint32_t>(model.nodes.size()))),
      node_count_(static_cast<std::uint32_t>(model.nodes.size())),
      states_(model.nodes.size()),
      seed_(seed) {
  for (const Node& node : model.nodes)
    for (const char* purpose : {".times", ".ways", ".choices"})
      keys_.push_back(stream_key(seed, node.element.text() + purpose));
  keys_.push_back(stream_key(seed, "due dates"));
  prepare_plain_events();
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    const Node& node = model.nodes[n];
    State& state = states_[n];
    if (node.reader != none) readers_.emplace_back(node.reader, n);
    if (node.speed_reader != none && node.speed_reader != node.reader) readers_.emplace_back(node.speed_reader, n);
    if (node.rules == none) continue;
    const NetworkModel::Rules& rules = model.rules[node.rules];
    state.more = static_cast<std::uint32_t>(more_.size());
    More& more = more_.emplace_back();
    const std::size_t levels = node.has(NetworkModel::polls) ? model.classes.size()
                               : node.priorities == NetworkModel::Priorities::ignored || model.ranked ? 1
                                                                                                      : model.levels;
    if (levels > 1 || node.has(NetworkModel::polls)) more.lines.resize(levels);
    more.live.resize(std::max<std::size_t>(levels, 1));
    if (node.has(NetworkModel::shares)) {
      const bool even = node.discipline == Discipline::ps;
      more.shared = SharedServers(even                                 ? SharedServers::Rule::even
                                  : node.discipline == Discipline::dps ? SharedServers::Rule::by_customer
                                                                       : SharedServers::Rule::by_group,
                                  even ? std::vector<double>(model.classes.size(), 1.0) : rules.weight);
    }
    if (node.has(NetworkModel::tells_stays)) more.last_stay_s.resize(model.classes.size());
    if (node.has(NetworkModel::tells_services)) more.last_service_s.resize(model.classes.size());
    if (node.has(NetworkModel::own_servers))
      more.server_is.resize(static_cast<std::size_t>(node.servers.evaluate(nullptr))),
          more.server_has.resize(more.server_is.size(), none);
    if (node.has(NetworkModel::patient | NetworkModel::breaks_down) ||
        node.when_full == NetworkModel::WhenFull::retry) {
      more.alarm_timer = static_cast<std::uint32_t>(model.nodes.size() + alarm_nodes_.size());
      alarm_nodes_.push_back(n);
    }
  }
  world.add_timers(static_cast<std::uint32_t>(alarm_nodes_.size()));
  for (std::uint32_t p = 0; p < model.pools.size(); ++p)
    if (model.pools[p].reader != none) pool_readers_.emplace_back(model.pools[p].reader, p);
  for (const NetworkModel::Pool& pool : model.pools) preempts_ = preempts_ || pool.preempts;
  regions_.resize(model.regions.size()), pools_.resize(model.pools.size());
  limited_ = !model.regions.empty() || !model.pools.empty();
  place_number_.assign(model.nodes.size(), none);
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    if (model.nodes[n].kind == Kind::place) {
      place_number_[n] = static_cast<std::uint32_t>(tokens_.size());
      tokens_.emplace_back(model.classes.size());
    }
  users_.resize(tokens_.size());
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n) {
    if (model.nodes[n].kind != Kind::transition) continue;
    const NetworkModel::Transition& one = model.transitions[model.nodes[n].transition];
    if (one.immediate) immediate_.push_back(n);
    for (const auto* arcs : {&one.takes, &one.inhibitors})
      for (const NetworkModel::Arc& arc : *arcs) {
        auto& users = users_[place_number_[arc.place]];
        if (std::find(users.begin(), users.end(), n) == users.end()) users.push_back(n);
      }
  }
  std::sort(readers_.begin(), readers_.end());
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    if (model.nodes[n].handover != none) sources_of_jobs_.push_back(n);
  for (const Node& node : model.nodes)
    for (const NetworkModel::Quorum& quorum : node.quorums) counts_parts_ = counts_parts_ || !quorum.of_class.empty();
  prepare_attributes(seed);
}

// One customer at a time, at exponential gaps of a mean that stays.
bool RunningNetwork::emits_plainly(const Node& source) const {
  if (source.process != none || source.batched || !model_.attributes.empty()) return false;
  if (source.has_rate) return source.rate_bound < 0.0 && source.rate.is_constant() && source.rate.value() > 0.0;
  return source.time[0].drawn && source.time[0].law.family() == Distribution::Family::exponential;
}

void RunningNetwork::prepare_plain_events() {
  const auto exponential = [](const NetworkModel::Duration& time) {
    return !time.drawn || (time.process == none && time.law.family() == Distribution::Family::exponential);
  };
  constexpr std::size_t in_the_caches = 500;
  large_ = states_.size() > in_the_caches;
  one_class_ = model_.classes.size() == 1;
  of_class_.resize(states_.size() * model_.classes.size());
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    const Node& node = model_.nodes[n];
    Brief& brief = states_[n].brief;
    brief.number = node.number, brief.waiting = node.waiting, brief.busy = node.busy;
    states_[n].of_class = node.of_class, states_[n].busy_of_class = node.busy_of_class;
    states_[n].waiting_of_class = node.waiting_of_class;
    brief.by_class = node.of_class != none || node.busy_of_class != none;
    brief.response = node.response, brief.wait = node.wait;
    if (node.kind == Kind::source) brief.emits = node.emits, brief.by_rate = node.has_rate;
    brief.capacity = node.capacity;
    brief.when_due = node.kind == Kind::source       ? (emits_plainly(node) ? WhenDue::emit_plainly : WhenDue::emit)
                     : node.kind == Kind::transition ? WhenDue::fire
                     : node.kind == Kind::plugin     ? WhenDue::advance
                     : node.features == 0            ? WhenDue::done_plainly
                                                     : WhenDue::done;
    brief.station = node.kind == Kind::station;
    brief.plain = node.features == 0 && (brief.station || node.kind == Kind::delay);
    brief.in_order = node.discipline == Discipline::fcfs;
    brief.router = node.kind == Kind::router;
    brief.exponential = std::all_of(node.time.begin(), node.time.end(), exponential) || node.has_rate;
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
      OfClass& its = of_class_[n * model_.classes.size() + c];
      if (brief.when_due == WhenDue::emit_plainly) its.pace = node.has_rate ? node.rate.value() : node.time[0].mean_s;
      else if (brief.exponential && c < node.time.size() && node.time[c].drawn) its.pace = node.time[c].mean_s;
      if (c >= node.ways.size() || node.ways[c].upto.empty()) continue;
      const NetworkModel::Ways& ways = node.ways[c];
      if (ways.target.size() > 1 && node.routing != NetworkModel::Routing::probabilities) continue;
      its.ways = {static_cast<std::uint32_t>(fixed_ways_.size()), static_cast<std::uint32_t>(ways.target.size())};
      for (std::size_t w = 0; w < ways.target.size(); ++w)
        fixed_ways_.push_back({ways.upto[w], ways.target[w], ways.becomes[w]});
    }
    if (model_.classes.empty()) continue;
    const OfClass& first = of_class_[n * model_.classes.size()];
    states_[n].pace = first.pace, states_[n].ways = first.ways;
    if (first.ways.count == 0) continue;
    const FixedWay& way = states_[n].first_way = fixed_ways_[first.ways.first];
    if (first.ways.count == 1) states_[n].only_target = way.target, states_[n].only_becomes = way.becomes;
  }
}

void RunningNetwork::restart_streams(std::uint64_t replication) {
  for (std::size_t n = 0; n < states_.size(); ++n) {
    states_[n].times.restart(keys_[3 * n], replication), states_[n].units.forget();
    states_[n].ways_stream.restart(keys_[3 * n + 1], replication), states_[n].next_way = -1.0;
    states_[n].choices.restart(keys_[3 * n + 2], replication);
  }
  due_dates_.restart(keys_.back(), replication);
  for (std::size_t law = 0; law < attribute_keys_.size(); ++law)
    attribute_streams_[law].restart(attribute_keys_[law], replication);
}

void RunningNetwork::note_wanted() {
  note_stays_wanted();
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    Brief& its = states_[n].brief;
    its.noted = its.plain && (world_.observations.wants(its.response) ||
                              (its.station && (world_.observations.wants(its.wait) || wait_column_ != none)) ||
                              ends_or_counts_stays(n));
    its.told = !its.plain || world_.cared_for(its.number) ||
               (its.station && (world_.cared_for(its.waiting) || world_.cared_for(its.busy)));
  }
}

void RunningNetwork::note_stays_wanted() {
  stay_streams_.clear();
  const auto column_of = [&](std::uint32_t stream) {
    if (stream == none || !world_.observations.wants(stream)) return none;
    stay_streams_.push_back(stream);
    return static_cast<std::uint32_t>(stay_streams_.size() - 1);
  };
  stay_column_.clear(), region_column_.clear();
  for (const Node& node : model_.nodes) stay_column_.push_back(column_of(node.residence));
  for (const NetworkModel::Region& region : model_.regions) region_column_.push_back(column_of(region.residence));
  wait_column_ = column_of(model_.system_wait), whole_column_ = column_of(model_.system_response);
}

bool RunningNetwork::ends_or_counts_stays(std::uint32_t node) const {
  if (stay_streams_.empty()) return false;
  return stay_column_[node] != none || std::any_of(model_.classes.begin(), model_.classes.end(),
                                                   [&](const auto& one) { return one.reference == node; });
}

// Charts enter their states after other parts start, and what is drawn, served and chosen here may depend on them: so
// the network opens when everybody else is in place, at the first chance to settle.
void RunningNetwork::start(std::uint64_t replication) {
  restart_streams(replication);
  note_wanted();
  replication_ = replication;
  customers_.clear();
  free_ = none;
  order_ = 0;
  moment_s_ = -1.0, patience_ = 0;
  circle_.clear(), room_.clear(), moves_.clear(), turned_away_.clear(), due_.clear();
  for (State& state : states_) {
    state.served.clear(), state.line.clear();
    state.present = state.waiting = state.working = state.held = state.down = state.servers = 0;
    state.place = {};
  }
  splits_.clear(), parts_come_.clear(), gates_.clear(), holds_.clear(), attributes_.clear();
  where_.clear(), holdings_.clear(), began_s_.clear(), stays_s_.clear(), came_in_s_.clear(), inside_since_s_.clear();
  passage_since_s_.clear();
  seen_at_.clear(), put_off_.clear(), held_back_ = none;
  taken_of_list_.assign(model_.lists.size(), 0);
  phases_.assign(model_.processes.size(), none);
  free_split_ = free_gate_ = none;
  net_changed_ = false;
  for (auto* crowds : {&regions_, &pools_})
    for (Crowd& crowd : *crowds)
      crowd.line.clear(), crowd.holders.clear(), crowd.inside = 0, crowd.of_class.assign(model_.classes.size(), 0);
  for (auto& place : tokens_)
    for (auto& line : place) line.clear();
  begun_ = false;
}

bool RunningNetwork::settle() {
  if (begun_) [[likely]] {
    const bool changed = heed_changes();
    return (!sources_of_jobs_.empty() && take_jobs()) || changed;
  }
  begun_ = true;
  if (!model_.plugins.empty()) begin_plugins();
  open();
  return true;
}

void RunningNetwork::begin_with_one_more() {
  world_.steps_at_moment = steps_ = 0;
  one_of_many();
}

void RunningNetwork::open() {
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    const Node& node = model_.nodes[n];
    if (node.kind == Kind::station) count_servers(node, states_[n]);
    if (states_[n].more != none) start_more(n);
  }
  open_pools_and_places();
  for (std::uint32_t n = 0; n < states_.size(); ++n)
    if (model_.nodes[n].kind == Kind::source) await_customer(n);
  for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
    for (std::uint32_t i = 0; i < model_.classes[c].population; ++i) {
      begin_with_one_more();
      const std::uint32_t customer = born_at(c, none);
      if (watched()) tell_born(customer, model_.classes[c].reference);
      arrive(customer, model_.classes[c].reference);
    }
  follow_up();
}

void RunningNetwork::open_pools_and_places() {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) tell_pool(pool);
  for (std::uint32_t n = 0; n < states_.size(); ++n) {
    const Node& node = model_.nodes[n];
    if (node.kind == Kind::transition) states_[n].servers = servers_of(node);
  }
  for (std::uint32_t n = 0; n < states_.size(); ++n)
    for (std::uint32_t i = 0; i < model_.nodes[n].tokens; ++i) {
      begin_with_one_more();
      const std::uint32_t token = born_at(model_.nodes[n].emits, none);
      if (watched()) tell_born(token, n);
      put_token(token, n);
    }
  for (std::uint32_t n = 0; n < states_.size(); ++n)
    if (model_.nodes[n].kind == Kind::transition && !model_.transitions[model_.nodes[n].transition].immediate)
      reconsider(n);
  net_changed_ = !immediate_.empty();
}

void RunningNetwork::start_more(std::uint32_t n) {
  const Node& node = model_.nodes[n];
  State& state = states_[n];
  More& more = more_of(state);
  for (WaitingLine& line : more.lines) line.clear();
  std::fill(more.live.begin(), more.live.end(), 0);
  std::fill(more.last_stay_s.begin(), more.last_stay_s.end(), 0.0);
  std::fill(more.last_service_s.begin(), more.last_service_s.end(), 0.0);
  std::fill(more.server_is.begin(), more.server_is.end(), static_cast<std::uint8_t>(ServerIs::idle));
  std::fill(more.server_has.begin(), more.server_has.end(), none);
  more.alarms.clear(), more.outside.clear(), more.shared.clear(), more.attained.clear();
  more.clock_s = more.since_s = more.waiting_work_s = 0.0;
  more.speed = node.kind == Kind::station ? speed_of(node) : 1.0;
  more.setting_up = more.at = more.taken = more.gate = more.turn = more.in_batches = 0;
  if (node.has(NetworkModel::breaks_down))
    for (std::uint32_t s = 0; s < more.server_is.size(); ++s)
      alarm(n, drawn_or_worked_out(node, state, rules_of(node).to_failure), Alarm::fails, s, 0);
  // A server that rests or goes round whenever there is nobody does so at time zero.
  if (node.has(NetworkModel::vacates))
    for (std::uint32_t s = 0; s < state.servers; ++s) occupy(n, Doing::vacation, rules_of(node).vacation);
  if (node.has(NetworkModel::polls)) look_for_work(n, false);
  if (node.kind == Kind::station) await_done(n);
}

void RunningNetwork::fire(std::uint32_t timer) {
  ++world_.events;
  if (timer >= node_count_) {
    ring(alarm_nodes_[timer - node_count_]);
    return follow_up();
  }
  State& state = states_[timer];
  switch (state.brief.when_due) {
    case WhenDue::done_plainly:
      done_plainly(timer);
      break;
    case WhenDue::emit_plainly:
      emit_plainly(timer);
      break;
    case WhenDue::emit:
      emit(timer);
      break;
    case WhenDue::done:
      done(timer);
      break;
    case WhenDue::fire:
      state.served.pop();
      fire_transition(timer);
      reconsider(timer);
      break;
    case WhenDue::advance:
      advance_plugin(timer);
  }
  follow_up();
}

void RunningNetwork::done_plainly(std::uint32_t node) {
  State& state = states_[node];
  const Brief& here = state.brief;
  count_step(node);
  const std::uint32_t customer = state.served.front().customer();
  --state.working, --state.present;
  const std::uint32_t of_class = one_class_ ? 0 : customers_[customer].of_class;
  if (here.by_class) [[unlikely]] {
    count_plainly(state.of_class, of_class, -1.0);
    count_plainly(state.busy_of_class, of_class, -1.0);
  }
  if (here.noted) {
    world_.observations.observe(here.response, world_.now() - customers_[customer].came_s, of_class);
    if (!stay_streams_.empty()) [[unlikely]]
      note_stay(customer, node);
  }
  // One server has become free, so one of those who wait at most.
  if (state.waiting > 0 && state.served.size() <= state.servers) {
    state.served.replace_front(taken_up(here.in_order ? first_of_line(state) : next_of_line(node, 0), node, state));
  } else {
    state.served.pop();
  }
  if (!state.served.empty()) await(node, state.served.front().until_s);
  else if (large_) await(node, std::numeric_limits<double>::infinity());  // and hear who is next instead
  else world_.timers.cancel(first_ + node);
  tell_plain_counts(state);
  const Way way = way_of(node, of_class, customer);
  if (watched()) [[unlikely]]
    tell_way(customer, node, way);
  become(customer, way.becomes);
  arrive(customer, way.target);
}

void RunningNetwork::emit_plainly(std::uint32_t node) {
  State& state = states_[node];
  const Brief& here = state.brief;
  count_step(node);
  const double unit = state.units.next(state.times);
  const double pace = here.emits == 0 ? state.pace : of_class_[node * model_.classes.size() + here.emits].pace;
  await(node, world_.now() + (here.by_rate ? unit / pace : unit * pace));
  world_.set(here.number, world_.slots()[here.number] + 1.0);
  send_out(node, here.emits, nullptr);
}

double RunningNetwork::rate_of(const Node& source) const {
  const double rate = source.rate.evaluate(world_.slots());
  if (!(rate >= 0.0 && rate <= std::numeric_limits<double>::max()))
    fail(source, "The rate is " + number_text(rate * model_.time_unit.scale) + " /" + model_.time_unit.symbol +
                     "; wanted a finite rate >= 0.");
  return rate;
}

void RunningNetwork::await_customer(std::uint32_t node) {
  const Node& source = model_.nodes[node];
  State& state = states_[node];
  if (source.handover != none) return;
  if (source.process != none) {
    const double at_s = model_.processes[source.process].next_s(state.place, world_.now(), state.times);
    if (at_s <= std::numeric_limits<double>::max()) world_.timers.schedule(first_ + node, at_s);
    else world_.timers.cancel(first_ + node);
    return;
  }
  if (!source.has_rate)
    return world_.timers.schedule(first_ + node, world_.now() + duration(source, state, source.time[0]));
  // Where it changes between events somebody may come at the greatest rate, and comes if the present one says so.
  const double rate = source.rate_bound >= 0.0 ? source.rate_bound : rate_of(source);
  if (rate > 0.0) world_.timers.schedule(first_ + node, world_.now() + state.units.next(state.times) / rate);
  else world_.timers.cancel(first_ + node);
}

// Charts that hand over at one moment (one machine back, its stand-in off) pass through numbers that were never there
// for any time: nobody begins or loses a service by them.
void RunningNetwork::woken(std::uint32_t reader) {
  if (!begun_) return;
  if (std::find(due_.begin(), due_.end(), reader) == due_.end()) due_.push_back(reader);
  world_.unsettle();
}

bool RunningNetwork::heed_changes() {
  if (due_.empty()) return false;
  heeded_.swap(due_);
  due_.clear();
  for (const std::uint32_t reader : heeded_) heed_change(reader);
  return true;
}

void RunningNetwork::heed_change(std::uint32_t reader) {
  for (auto at = std::lower_bound(readers_.begin(), readers_.end(), std::pair{reader, 0U});
       at != readers_.end() && at->first == reader; ++at) {
    const std::uint32_t n = at->second;
    const Node& node = model_.nodes[n];
    // No memory: a changed rate is a fresh wait.
    if (node.kind == Kind::source) {
      await_customer(n);
      continue;
    }
    if (node.kind == Kind::plugin) {
      reconsider_plugin(n);
      continue;
    }
    State& state = states_[n];
    if (node.kind == Kind::transition) {
      state.servers = servers_of(node);
      if (!model_.transitions[node.transition].immediate) reconsider(n);
      continue;
    }
    pass_time(node, state);
    if (reader == node.speed_reader) more_of(state).speed = speed_of(node);
    if (reader == node.reader) {
      count_servers(node, state);
      if (node.has(NetworkModel::takes_away)) take_servers_away(n);
    }
    look_for_work(n, false);
    await_done(n);
    tell_counts(node, state);
  }
  for (const auto& [own, pool] : pool_readers_)
    if (own == reader) give_units(pool);
  follow_up();
}

void RunningNetwork::take_servers_away(std::uint32_t node) {
  State& state = states_[node];
  while (state.working > 0 && state.served.size() + state.held > state.servers) {
    std::size_t last = state.served.size();
    for (std::size_t s = 0; s < state.served.size(); ++s)
      if (state.served[s].doing() == Doing::service &&
          (last == state.served.size() || state.served[s].order() > state.served[last].order()))
        last = s;
    interrupt(node, last);
  }
}

void RunningNetwork::save(ByteWriter& into) const {
  // What a plugin holds nobody else can copy.
  for (const Node& node : model_.nodes)
    if (node.kind == Kind::plugin)
      fail(node,
           "A plugin serves customers here, whose state cannot be kept; wanted a method that begins every history "
           "at its beginning.");
  into(customers_, free_, order_, splits_, free_split_, parts_come_, gates_, free_gate_, regions_, pools_, holds_,
       states_, more_, tokens_, taken_of_list_, phases_, attributes_, where_, holdings_, began_s_, stays_s_, came_in_s_,
       inside_since_s_, passage_since_s_);
}

void RunningNetwork::restore(ByteReader& from, std::uint64_t path) {
  begun_ = true;
  from(customers_, free_, order_, splits_, free_split_, parts_come_, gates_, free_gate_, regions_, pools_, holds_);
  from.fixed(states_), from.fixed(more_);
  from(tokens_, taken_of_list_, phases_, attributes_, where_, holdings_, began_s_, stays_s_, came_in_s_,
       inside_since_s_, passage_since_s_);
  moment_s_ = -1.0;  // what was counted of a moment was another path's
  circle_.clear();
  restart_streams(path);
  note_wanted();
}

}  // namespace ergode
