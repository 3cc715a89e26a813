// Which drawings a small state can tell, and why others not.
#include "solvers/queueing/chain/network_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"

namespace ergode {

using Discipline = NetworkModel::Discipline;
using Family = Distribution::Family;
using Interruption = NetworkModel::Interruption;
using Kind = NetworkModel::Kind;
using M = NetworkModel;
using RoutingRule = NetworkModel::Routing;

namespace {

constexpr std::size_t most_station_phases = 200;

std::string quoted(const NetworkModel::Node& node) { return "\"" + node.name + "\""; }

}  // namespace

NetworkChain::NetworkChain(const NetworkModel& model, Diagnostics& reasons) : model_(model), reasons_(&reasons) {
  const auto nodes = static_cast<std::uint32_t>(model.nodes.size());
  station_of_.assign(nodes, M::none), turn_of_.assign(nodes, M::none), place_of_.assign(nodes, M::none);
  std::uint32_t last_slot = 0;
  const auto know = [&](std::uint32_t slot) {
    last_slot = std::max(last_slot, slot);
    known_slot_.resize(last_slot + 1, 0);
    known_slot_[slot] = 1;
  };
  for (const Node& node : model.nodes) {
    if (node.kind != Kind::station && node.kind != Kind::delay && node.kind != Kind::place) continue;
    know(node.number);
    for (std::uint32_t c = 0; node.of_class != M::none && c < model.classes.size(); ++c) know(node.of_class + c);
    if (node.kind == Kind::station) know(node.waiting), know(node.busy);
    for (std::uint32_t c = 0; node.waiting_of_class != M::none && c < model.classes.size(); ++c)
      know(node.waiting_of_class + c);
  }
  const bool as_they_came = !classes_change();
  for (const M::Region& region : model.regions) {
    know(region.number), know(region.waiting);
    for (std::uint32_t c = 0; region.number_of_class != M::none && c < model.classes.size(); ++c) {
      know(region.waiting_of_class + c);
      // States do not tell as which class somebody came in.
      if (as_they_came) know(region.number_of_class + c);
    }
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Kind kind = model.nodes[n].kind;
    if (kind == Kind::source) look_at_source(n);
    if (kind == Kind::place) place_of_[n] = static_cast<std::uint32_t>(places_.size()), places_.push_back(n);
    if (kind == Kind::transition) look_at_transition(n);
    if (kind == Kind::station || kind == Kind::delay) look_at_station(n);
    if (kind != Kind::sink) look_at_ways(n);
  }
  if (stations_.empty() && places_.empty()) refuse({}, "There is no station and no place.");
  for (std::uint32_t r = 0; r < model.regions.size(); ++r) look_at_region(r);
  look_for_bounds();
  look_for_circles();
  reasons_ = nullptr;
}

// Moves are followed until time passes: through what customers only pass, and past stations that turn them away.
void NetworkChain::look_for_circles() {
  const std::size_t classes = model_.classes.size();
  enum Seen : std::uint8_t { not_yet, on_the_way, done };
  std::vector<Seen> seen(model_.nodes.size() * classes, not_yet);
  const auto visit = [&](const auto& again, std::uint32_t n, std::uint32_t c) -> void {
    const Node& node = model_.nodes[n];
    const auto& all = node.passes() ? node.ways : node.refused;
    if (all.empty()) return;
    Seen& here = seen[n * classes + c];
    if (here == on_the_way)
      refuse(node.element, "Customers may go round at " + quoted(node) + " without time passing.");
    if (here != not_yet) return;
    here = on_the_way;
    const M::Ways& ways = all[c];
    for (std::size_t w = 0; w < ways.target.size(); ++w)
      if (ways.upto.empty() || ways.upto[w] > (w == 0 ? 0.0 : ways.upto[w - 1]))
        again(again, ways.target[w], ways.becomes[w]);
    seen[n * classes + c] = done;
  };
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
    for (std::uint32_t c = 0; c < classes; ++c) visit(visit, n, c);
}

const KnownElements& NetworkChain::known() {
  static const KnownElements all{.kinds = bit_of(Kind::place) | bit_of(Kind::transition),
                                 .disciplines = blind_disciplines | bit_of(Discipline::ps) |
                                                bit_of(Discipline::lcfs_pr) | bit_of(Discipline::sept) |
                                                bit_of(Discipline::lept) | bit_of(Discipline::dps) |
                                                bit_of(Discipline::gps),
                                 .features = M::patient | M::balks | M::varies_speed | M::prioritises,
                                 .capacities = true,
                                 .batches_come = true,
                                 .choices = true,
                                 .changing = true,
                                 .memory = true,
                                 .class_changes = true,
                                 .regions = true};
  return all;
}

void NetworkChain::refuse(ElementId element, std::string why) { ergode::refuse(*reasons_, element, std::move(why)); }

bool NetworkChain::knows(const Program& program) const {
  for (const std::uint32_t slot : program.slots())
    if (slot >= known_slot_.size() || known_slot_[slot] == 0) return false;
  return true;
}

bool NetworkChain::phases_of(const M::Duration& time, ElementId element, const std::string& what, Phases& out) {
  if (!time.drawn) {
    refuse(element, what + " change while the model runs.");
    return false;
  }
  const auto found = time.law.phases(most_station_phases);
  if (!found) {
    refuse(element,
           what + " have no phases that are exponential (at most " + std::to_string(most_station_phases) + ").");
    return false;
  }
  if (std::accumulate(found->initial.begin(), found->initial.end(), 0.0) < 1 - 1e-9) {
    refuse(element, what + " may be 0 s.");
    return false;
  }
  out = *found;
  return true;
}

void NetworkChain::look_at_source(std::uint32_t n) {
  const Node& node = model_.nodes[n];
  Phases gap;
  processes_.push_back(nullptr);
  if (node.process != M::none) {
    if (const auto& process = model_.processes[node.process].markovian) processes_.back() = &*process;
    else refuse(node.element, "When customers of " + quoted(node) + " come is no matter of phases.");
  } else if (node.has_rate) {
    if (!knows(node.rate))
      refuse(node.element, "The rate of " + quoted(node) + " asks for more than numbers at stations.");
    needs_slots_ = needs_slots_ || !node.rate.is_constant();
  } else {
    phases_of(node.time[0], node.element, "Times between customers of " + quoted(node), gap);
  }
  if (node.batched &&
      !(node.batch.drawn && node.batch.law.family() == Family::deterministic && node.batch.mean_s <= 100))
    refuse(node.element, "How many come at once from " + quoted(node) + " is not fixed, or more than 100.");
  sources_.push_back(n), gaps_.push_back(std::move(gap));
}

void NetworkChain::look_at_station(std::uint32_t n) {
  const Node& node = model_.nodes[n];
  Station made{.node = n};
  const std::string name = quoted(node);
  made.phases.resize(model_.classes.size()), made.patience.assign(model_.classes.size(), 0.0);
  const auto comes = [&](std::size_t c) { return !node.ways[c].target.empty(); };
  for (std::size_t c = 0; c < model_.classes.size(); ++c)
    if (comes(c)) phases_of(node.time[c], node.element, "Times at " + name, made.phases[c]);
  made.shares = node.kind == Kind::delay || node.has(M::shares);
  station_of_[n] = static_cast<std::uint32_t>(stations_.size());
  if (node.kind == Kind::delay) {
    stations_.push_back(std::move(made));
    return;
  }
  if (node.has(M::preempts)) {
    if (node.interruption == Interruption::repeat)
      refuse(node.element, "Services at " + name + " begin again, as long as before.");
    if (node.interruption == Interruption::resample && node.has(M::patient))
      refuse(node.element, "Services at " + name + " begin again, and customers give up.");
  }
  if (node.servers.is_constant()) {
    made.servers = static_cast<std::uint32_t>(node.servers.value());
  } else {
    needs_slots_ = true;
    if (!made.shares || !knows(node.servers))
      refuse(node.element, "The servers of " + name + " change while the model runs.");
  }
  made.ordered = node.has(M::preempts) && made.servers > 1;
  if (node.rules != M::none) {
    const M::Rules& rules = model_.rules[node.rules];
    for (const Program* program : {&rules.speed, &rules.balking}) {
      needs_slots_ = needs_slots_ || !program->is_constant();
      if (!knows(*program))
        refuse(node.element, "What happens at " + name + " depends on more than numbers at stations.");
    }
    for (std::size_t c = 0; node.has(M::patient) && c < model_.classes.size(); ++c) {
      const M::Duration& patience = rules.patience[c];
      if (!comes(c) || !patience.given) continue;
      if (!patience.drawn || patience.law.family() != Family::exponential)
        refuse(node.element, "Patience at " + name + " is not exponential.");
      else made.patience[c] = 1 / patience.mean_s;
    }
  }
  stations_.push_back(std::move(made));
}

void NetworkChain::look_at_ways(std::uint32_t n) {
  const Node& node = model_.nodes[n];
  if (node.routing == RoutingRule::least_work)
    refuse(node.element, "Customers at " + quoted(node) + " look at the work left.");
  if (node.routing == RoutingRule::last_response)
    refuse(node.element, "Customers at " + quoted(node) + " look at how long others stayed.");
  if (node.routing == RoutingRule::last_service)
    refuse(node.element, "Customers at " + quoted(node) + " look at how long others were served.");
  std::size_t most = 0;
  std::uint32_t round = 1;
  for (const M::Leaving leaving : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
    for (const M::Ways& ways : node.ways_of(leaving)) {
      for (const Program& p : ways.probability) {
        needs_slots_ = needs_slots_ || !p.is_constant();
        if (!knows(p)) refuse(node.element, "Ways from " + quoted(node) + " depend on more than numbers at stations.");
      }
      if (leaving != M::Leaving::done || ways.target.empty()) continue;
      most = std::max(most, ways.target.size());
      if (round < 1000000)
        round = std::lcm(round, static_cast<std::uint32_t>(std::min<std::size_t>(ways.target.size(), 1000)));
    }
  if (node.routing == RoutingRule::power_of_d && most > 16)
    refuse(node.element, "Customers at " + quoted(node) + " choose some of " + std::to_string(most) +
                             " ways; at most 16 are worked out.");
  if (node.routing != RoutingRule::round_robin || most < 2) return;
  turn_of_[n] = static_cast<std::uint32_t>(turns_.size());
  turns_.push_back(round);
}

void NetworkChain::look_at_transition(std::uint32_t n) {
  const Node& node = model_.nodes[n];
  const M::Transition& one = model_.transitions[node.transition];
  (one.immediate ? immediate_ : timed_).push_back(n);
  // Who has been in a place longest is taken first: no small state tells which class that is.
  const bool any_class =
      std::any_of(one.takes.begin(), one.takes.end(), [](const auto& a) { return a.of_class == M::none; });
  if (model_.classes.size() > 1 && any_class)
    refuse(node.element, quoted(node) + " takes tokens of whatever class has been there longest.");
  if (one.immediate) return;
  const M::Duration& time = node.time[0];
  if (!time.drawn || time.law.family() != Family::exponential)
    refuse(node.element, "The time of " + quoted(node) + " is not exponential.");
  needs_slots_ = needs_slots_ || !node.servers.is_constant();
  if (!knows(node.servers)) refuse(node.element, "The servers of " + quoted(node) + " change while the model runs.");
}

void NetworkChain::look_at_region(std::uint32_t r) {
  const M::Region& region = model_.regions[r];
  for (const M::JobClass& one : model_.classes)
    if (one.population > 0 && model_.nodes[one.reference].region == r)
      refuse(region.element, "All customers" + (one.name.empty() ? "" : " of class \"" + one.name + "\"") +
                                 " are in the region \"" + region.name + "\" at the beginning, whatever its capacity.");
  // Who has become another class in it still counts as what he was.
  const bool by_class = std::any_of(region.capacity_of.begin(), region.capacity_of.end(),
                                    [](std::uint32_t most) { return most != M::unlimited; });
  for (const Node& node : model_.nodes)
    if (node.kind == Kind::logger)
      refuse(node.element, "Whoever passes " + quoted(node) + " gives up his place in the region \"" + region.name +
                               "\" for that moment.");
  for (const Node& node : model_.nodes)
    for (std::uint32_t c = 0; by_class && c < node.ways.size(); ++c)
      if (changes(node, c))
        refuse(region.element, "Customers become others at " + quoted(node) + ", and the region \"" + region.name +
                                   "\" counts them by the class in which they came.");
}

bool NetworkChain::changes(const Node& node, std::uint32_t of_class) {
  return node.kind != Kind::source &&
         std::any_of(node.ways[of_class].becomes.begin(), node.ways[of_class].becomes.end(),
                     [&](std::uint32_t becomes) { return becomes != of_class; });
}

bool NetworkChain::classes_change() const {
  return std::any_of(model_.nodes.begin(), model_.nodes.end(), [](const Node& node) {
    for (std::uint32_t c = 0; c < node.ways.size(); ++c)
      if (changes(node, c)) return true;
    return false;
  });
}

// Whether open customers can be without number at any node.
void NetworkChain::look_for_bounds() {
  bool open = false;
  for (const std::uint32_t source : sources_) open = open || source != M::none;
  for (const std::uint32_t node : timed_)
    open = open || model_.transitions[model_.nodes[node].transition].takes.empty();
  if (open && !(places_.empty() && model_.regions.empty())) finite_ = false;
  for (const Station& station : stations_)
    if (open && model_.nodes[station.node].capacity == M::unlimited) finite_ = false;
}

NetworkState NetworkChain::blank() const {
  NetworkState out;
  out.stations.resize(stations_.size());
  for (std::size_t s = 0; s < stations_.size(); ++s) {
    const Node& node = model_.nodes[stations_[s].node];
    const std::size_t levels = stations_[s].shares ? 0 : node.priorities == M::Priorities::ignored ? 1 : model_.levels;
    out.stations[s].lines.resize(levels);
  }
  out.phases.assign(sources_.size(), 0), out.turns.assign(turns_.size(), 0);
  out.tokens.assign(places_.size() * model_.classes.size(), 0);
  out.before.resize(model_.regions.size());
  return out;
}

std::vector<std::pair<NetworkState, double>> NetworkChain::initial() const {
  Branches now{{blank(), 1.0}}, next;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const Node& place = model_.nodes[places_[p]];
    now[0].state.tokens[p * model_.classes.size() + place.emits] = place.tokens;
  }
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::span<const double> initial = processes_[s] != nullptr ? processes_[s]->stationary() : gaps_[s].initial;
    if (initial.empty()) continue;
    next.clear();
    for (const Branch& one : now)
      for (std::size_t p = 0; p < initial.size(); ++p) {
        if (initial[p] <= 0.0) continue;
        next.push_back({one.state, one.probability * initial[p]});
        next.back().state.phases[s] = static_cast<std::uint32_t>(p);
      }
    now.swap(next);
  }
  double gathered = 0.0;
  for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
    for (std::uint32_t i = 0; i < model_.classes[c].population; ++i) {
      next.clear();
      go_on(now.size(), gathered);
      for (Branch& one : now) take_in(std::move(one), model_.classes[c].reference, c, next);
      join_alike(next);
      now.swap(next);
    }
  if (!immediate_.empty() || !model_.regions.empty()) {
    next.clear();
    for (Branch& one : now) settle(std::move(one), next, nullptr, 0.0);
    now.swap(next);
  }
  std::vector<std::pair<NetworkState, double>> out;
  for (Branch& one : now) out.emplace_back(std::move(one.state), one.probability);
  return out;
}

std::uint32_t NetworkChain::present(const NetworkState& state, std::uint32_t node) const {
  const std::uint32_t s = station_of_[node];
  if (s == M::none) return 0;
  std::uint32_t sum = count_of(state.stations[s].served);
  for (const auto& line : state.stations[s].lines) sum += count_of(line);
  return sum;
}

std::uint64_t NetworkChain::open_customers(const NetworkState& state) const {
  std::uint64_t sum = 0;
  const auto add = [&](const std::vector<AlikeCustomers>& crowds) {
    for (const AlikeCustomers& one : crowds)
      if (model_.classes[one.of_class].population == 0) sum += one.count;
  };
  for (const StationState& station : state.stations) {
    add(station.served);
    for (const auto& line : station.lines) add(line);
  }
  for (const std::uint32_t count : state.tokens) sum += count;
  for (const auto& line : state.before) add(line);
  return sum;
}

void NetworkChain::count(const NetworkState& state, Numbers& numbers, double weight) const {
  const std::size_t classes = model_.classes.size();
  for (std::size_t p = 0; p < places_.size(); ++p)
    for (std::size_t c = 0; c < classes; ++c)
      numbers.present[places_[p] * classes + c] += state.tokens[p * classes + c] * weight;
  for (std::size_t s = 0; s < stations_.size(); ++s) {
    const Station& station = stations_[s];
    const std::size_t first = station.node * classes;
    const auto total = static_cast<double>(count_of(state.stations[s].served));
    double busy_part = 1.0;  // servers at work for each of them
    if (station.shares && total > 0.0) {
      const Node& node = model_.nodes[station.node];
      double servers = node.kind == Kind::delay ? 0.0 : station.servers;
      if (node.kind == Kind::station && !node.servers.is_constant()) {
        std::vector<double> at;
        servers = node.servers.evaluate(slots(state, at).data());
      }
      busy_part = std::min(total, servers) / total;
    }
    std::vector<double> part(classes, busy_part);
    if (station.shares && busy_part < 1.0 && busy_part > 0.0) part = shares(station, state);
    for (const AlikeCustomers& one : state.stations[s].served) {
      const double count = one.count * weight;
      numbers.present[first + one.of_class] += count;
      numbers.busy[first + one.of_class] += count * part[one.of_class];
    }
    for (const auto& line : state.stations[s].lines)
      for (const AlikeCustomers& one : line) {
        numbers.present[first + one.of_class] += one.count * weight;
        numbers.waiting[first + one.of_class] += one.count * weight;
      }
  }
}

const std::vector<double>& NetworkChain::slots(const NetworkState& state, std::vector<double>& into) const {
  into.assign(known_slot_.size(), 0.0);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const Node& place = model_.nodes[places_[p]];
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      const double count = state.tokens[p * model_.classes.size() + c];
      into[place.number] += count;
      if (place.of_class != M::none) into[place.of_class + c] = count;
    }
  }
  for (std::size_t s = 0; s < stations_.size(); ++s) {
    const Node& node = model_.nodes[stations_[s].node];
    double served = 0.0, waiting = 0.0;
    const auto add = [&](const AlikeCustomers& one, double& sum) {
      sum += one.count;
      if (node.of_class != M::none) into[node.of_class + one.of_class] += one.count;
    };
    for (const AlikeCustomers& one : state.stations[s].served) add(one, served);
    for (const auto& line : state.stations[s].lines)
      for (const AlikeCustomers& one : line) {
        add(one, waiting);
        if (node.waiting_of_class != M::none) into[node.waiting_of_class + one.of_class] += one.count;
      }
    into[node.number] = served + waiting;
    if (node.kind != Kind::station) continue;
    into[node.waiting] = waiting;
    into[node.busy] = served;
  }
  for (std::size_t r = 0; r < model_.regions.size(); ++r) {
    const M::Region& region = model_.regions[r];
    into[region.waiting] = count_of(state.before[r]);
    const bool by_class = region.number_of_class != M::none;
    if (by_class)
      for (const AlikeCustomers& one : state.before[r]) into[region.waiting_of_class + one.of_class] += one.count;
    for (const Station& station : stations_) {
      const Node& node = model_.nodes[station.node];
      if (node.region != r) continue;
      into[region.number] += into[node.number];
      for (std::uint32_t c = 0; by_class && c < model_.classes.size() && known_slot_[region.number_of_class + c] != 0;
           ++c)
        into[region.number_of_class + c] += into[node.of_class + c];
    }
  }
  // With shared servers as many are busy as there are; their number may be an expression over the others.
  for (const Station& station : stations_) {
    const Node& node = model_.nodes[station.node];
    if (node.kind != Kind::station || !station.shares) continue;
    const double servers = node.servers.is_constant() ? station.servers : node.servers.evaluate(into.data());
    into[node.busy] = std::min(into[node.busy], servers);
  }
  return into;
}

}  // namespace ergode
