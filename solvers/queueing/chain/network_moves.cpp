// What may happen in a state, and what becomes of it: as running/ has it, with chances in place of draws.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/chain/network_chain.h"
#include "solvers/queueing/chain/values_in_range.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {

using Discipline = NetworkModel::Discipline;
using Interruption = NetworkModel::Interruption;
using Kind = NetworkModel::Kind;
using Leaving = NetworkModel::Leaving;
using M = NetworkModel;

namespace {

constexpr double greatest = std::numeric_limits<double>::max();

}  // namespace

std::uint32_t NetworkChain::level_of(const Node& node, std::uint32_t of_class) const {
  return node.priorities == M::Priorities::ignored ? 0 : model_.classes[of_class].level;
}

double NetworkChain::speed(const Station& station, const NetworkState& state) const {
  const Node& node = model_.nodes[station.node];
  if (!node.has(M::varies_speed)) return 1.0;
  const Program& speed = model_.rules[node.rules].speed;
  if (speed.is_constant()) return speed.value();
  std::vector<double> at;
  return in_range(node, "The speed", speed.evaluate(slots(state, at).data()), greatest);
}

// Water into vessels: what one unit of weight gets; nobody has more than a server, and what is over goes to others.
std::vector<double> NetworkChain::shares(const Station& station, const NetworkState& state) const {
  const Node& node = model_.nodes[station.node];
  std::vector<double> number(model_.classes.size(), 0.0), out(number.size(), 1.0);
  double total = 0.0;
  for (const AlikeCustomers& one : state.stations[station_of_[station.node]].served)
    number[one.of_class] += one.count, total += one.count;
  if (node.kind == Kind::delay) return out;
  double servers = station.servers;
  if (!node.servers.is_constant()) {
    std::vector<double> at;
    servers = in_range(node, "The number of servers", node.servers.evaluate(slots(state, at).data()),
                       NetworkModel::most_servers);
  }
  if (total <= servers) return out;
  if (node.discipline == Discipline::ps) {
    out.assign(out.size(), servers / total);
    return out;
  }
  const std::vector<double>& weights = model_.rules[node.rules].weight;
  std::vector<double> weight(number.size(), 0.0);
  std::vector<std::uint8_t> full(number.size(), 0);
  for (std::size_t c = 0; c < number.size(); ++c)
    if (number[c] > 0.0) weight[c] = node.discipline == Discipline::dps ? weights[c] * number[c] : weights[c];
  for (;;) {
    double sum = 0.0, left = servers;
    for (std::size_t c = 0; c < number.size(); ++c) {
      if (full[c] != 0) left -= number[c];
      else sum += weight[c];
    }
    bool again = false;
    for (std::size_t c = 0; c < number.size(); ++c) {
      if (full[c] != 0 || number[c] == 0.0) continue;
      out[c] = left / sum * weight[c] / number[c];
      if (out[c] >= 1.0) out[c] = 1.0, full[c] = 1, again = true;
    }
    if (!again) return out;
  }
}

void NetworkChain::leave(Branch from, std::uint32_t node, std::uint32_t of_class, Leaving leaving, Branches& out,
                         Flows* flows, double rate, const NetworkState* seen) const {
  const auto& all = model_.nodes[node].ways_of(leaving);
  if (all.empty() || all[of_class].target.empty()) {  // out of the network
    out.push_back(std::move(from));
    return;
  }
  const std::uint32_t place = turn_of_[node];
  std::uint32_t turn = place == M::none ? 0 : from.state.turns[place];
  const std::vector<Way> found = ways(seen != nullptr ? *seen : from.state, node, of_class, leaving, turn);
  if (place != M::none && leaving == Leaving::done) from.state.turns[place] = turn;
  for (const Way& way : found) {
    if (way.probability <= 0.0) continue;
    Branch one{from.state, from.probability * way.probability};
    if (model_.nodes[way.target].passes())
      leave(std::move(one), way.target, way.becomes, Leaving::done, out, flows, rate);
    else arrive(std::move(one), way.target, way.becomes, out, flows, rate);
  }
}

void NetworkChain::arrive(Branch from, std::uint32_t number, std::uint32_t of_class, Branches& out, Flows* flows,
                          double rate, bool let_in) const {
  const Node& node = model_.nodes[number];
  const std::size_t place = number * model_.classes.size() + of_class;
  if (node.kind == Kind::place) {
    add_tokens(from.state, number, of_class, 1);
    out.push_back(std::move(from));
    return;
  }
  if (node.kind == Kind::sink) {
    if (flows != nullptr) flows->served[place] += rate * from.probability;
    out.push_back(std::move(from));
    return;
  }
  const auto turned_away = [&](Branch one) {
    if (flows != nullptr) flows->lost[place] += rate * one.probability;
    leave(std::move(one), number, of_class, Leaving::refused, out, flows, rate);
  };
  // Who comes from a station of the region has left his place there, so there is one for him.
  if (node.region != M::none && !let_in && !has_room(from.state, node.region, of_class)) {
    if (model_.regions[node.region].loses[of_class] != 0) {
      if (flows != nullptr) flows->lost[place] += rate * from.probability;
    } else {
      push_last(from.state.before[node.region], {.of_class = static_cast<std::uint16_t>(of_class),
                                                 .phase = static_cast<std::uint16_t>(station_of_[number]),
                                                 .count = 1});
    }
    out.push_back(std::move(from));
    return;
  }
  if (node.has(M::balks)) {
    std::vector<double> at;
    const double p = in_range(node, "The probability of turning round",
                              model_.rules[node.rules].balking.evaluate(slots(from.state, at).data()), 1.0);
    if (p > 0.0) turned_away({from.state, from.probability * p});
    if (p >= 1.0) return;
    from.probability *= 1.0 - p;
  }
  if (node.capacity != M::unlimited && present(from.state, number) >= node.capacity) turned_away(std::move(from));
  else take_in(std::move(from), number, of_class, out);
}

void NetworkChain::begin(Branch from, std::size_t s, AlikeCustomers one, Branches& out) const {
  const Station& station = stations_[s];
  const auto add = [&](NetworkState& state, AlikeCustomers begun) {
    if (station.ordered) push_last(state.stations[s].served, begun);
    else insert_sorted(state.stations[s].served, begun);
  };
  if (one.phase != 0) {
    add(from.state, one);
    out.push_back(std::move(from));
    return;
  }
  const std::vector<double>& initial = station.phases[one.of_class].initial;
  for (std::size_t p = 0; p < initial.size(); ++p) {
    if (initial[p] <= 0.0) continue;
    out.push_back({from.state, from.probability * initial[p]});
    one.phase = static_cast<std::uint16_t>(p + 1);
    add(out.back().state, one);
  }
}

void NetworkChain::take_in(Branch from, std::uint32_t number, std::uint32_t of_class, Branches& out) const {
  const std::size_t s = station_of_[number];
  const Station& station = stations_[s];
  const AlikeCustomers one{.of_class = static_cast<std::uint16_t>(of_class), .phase = 0, .count = 1};
  if (station.shares) return begin(std::move(from), s, one, out);
  const bool idle = count_of(from.state.stations[s].served) < station.servers;
  if (idle || (model_.nodes[number].has(M::preempts) && interrupt_for(from.state, s, of_class)))
    return begin(std::move(from), s, one, out);
  line_up(from.state, s, one, false);
  out.push_back(std::move(from));
}

void NetworkChain::line_up(NetworkState& state, std::size_t s, AlikeCustomers one, bool first) const {
  const Node& node = model_.nodes[stations_[s].node];
  std::vector<AlikeCustomers>& line = state.stations[s].lines[level_of(node, one.of_class)];
  switch (node.discipline) {
    case Discipline::lcfs:
    case Discipline::lcfs_pr:
      return push_last(line, one);  // the end is where they are taken from
    case Discipline::siro:
      return insert_sorted(line, one);
    case Discipline::sept:
    case Discipline::lept: {
      const double sign = node.discipline == Discipline::sept ? 1.0 : -1.0;
      const auto rank = [&](const AlikeCustomers& c) { return sign * node.time[c.of_class].mean_s; };
      std::size_t at = line.size();
      while (at > 0 && rank(line[at - 1]) > rank(one)) --at;
      if (at > 0 && line[at - 1].alike(one)) ++line[at - 1].count;
      else one.count = 1, line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), one);
      return;
    }
    default:
      return first ? push_first(line, one) : push_last(line, one);
  }
}

bool NetworkChain::interrupt_for(NetworkState& state, std::size_t s, std::uint32_t of_class) const {
  const Node& node = model_.nodes[stations_[s].node];
  std::vector<AlikeCustomers>& served = state.stations[s].served;
  const std::uint32_t level = level_of(node, of_class);
  const bool last_first = node.discipline == Discipline::lcfs_pr;
  // Lowest priority; then who began last, or with lcfs_pr first. One server: there is no other.
  std::size_t worst = served.size();
  for (std::size_t i = 0; i < served.size(); ++i) {
    if (worst == served.size()) {
      worst = i;
      continue;
    }
    const std::uint32_t its = level_of(node, served[i].of_class), other = level_of(node, served[worst].of_class);
    if (its > other || (its == other && !last_first)) worst = i;
  }
  if (worst == served.size()) return false;
  const std::uint32_t lowest = level_of(node, served[worst].of_class);
  if (!(level < lowest || (level == lowest && last_first))) return false;
  AlikeCustomers one = served[worst];
  take(served, worst);
  if (node.interruption == Interruption::resample) one.phase = 0;
  line_up(state, s, one, true);
  return true;
}

void NetworkChain::fill_servers(Branch from, std::size_t s, Branches& out) const {
  const Station& station = stations_[s];
  std::vector<std::vector<AlikeCustomers>>& lines = from.state.stations[s].lines;
  const auto line = std::find_if(lines.begin(), lines.end(), [](const auto& one) { return !one.empty(); });
  if (station.shares || line == lines.end() || count_of(from.state.stations[s].served) >= station.servers) {
    out.push_back(std::move(from));
    return;
  }
  Branches begun;
  const Discipline discipline = model_.nodes[station.node].discipline;
  if (discipline == Discipline::siro) {
    const double waiting = count_of(*line);
    const auto level = static_cast<std::size_t>(line - lines.begin());
    for (std::size_t i = 0; i < line->size(); ++i) {
      Branch one{from.state, from.probability * (*line)[i].count / waiting};
      const AlikeCustomers next = (*line)[i];
      take(one.state.stations[s].lines[level], i);
      begin(std::move(one), s, next, begun);
    }
  } else {
    const bool from_end = discipline == Discipline::lcfs || discipline == Discipline::lcfs_pr;
    const std::size_t i = from_end ? line->size() - 1 : 0;
    const AlikeCustomers next = (*line)[i];
    take(*line, i);
    begin(std::move(from), s, next, begun);
  }
  for (Branch& one : begun) fill_servers(std::move(one), s, out);
}

void NetworkChain::services(const NetworkState& state, std::size_t s, const Emit& emit, Flows* flows,
                            double weight) const {
  const Station& station = stations_[s];
  const std::vector<AlikeCustomers>& served = state.stations[s].served;
  if (served.empty()) return;
  const double fast = speed(station, state);
  const std::vector<double> part = station.shares ? shares(station, state) : std::vector<double>();
  for (std::size_t i = 0; i < served.size(); ++i) {
    const AlikeCustomers one = served[i];
    const Phases& phases = station.phases[one.of_class];
    const std::size_t p = one.phase - 1U;
    const double rate = phases.rate[p] * one.count * fast * (part.empty() ? 1.0 : part[one.of_class]);
    if (!(rate > 0.0)) continue;
    NetworkState without = state;
    double ends = 1.0;
    for (const Phases::Jump& jump : phases.jumps[p]) {
      if (jump.probability <= 0.0) continue;
      ends -= jump.probability;
      NetworkState to = state;
      AlikeCustomers moved = one;
      moved.phase = static_cast<std::uint16_t>(jump.phase + 1);
      if (!station.ordered) {
        take(to.stations[s].served, i);
        insert_sorted(to.stations[s].served, moved);
        emit(to, rate * jump.probability);
        continue;
      }
      // Any of those who are alike and began one after the other: each keeps his place.
      for (std::uint32_t k = 0; k < one.count; ++k) {
        std::vector<AlikeCustomers> again;
        for (std::size_t j = 0; j < served.size(); ++j)
          for (std::uint32_t n = 0; n < served[j].count; ++n) push_last(again, j == i && n == k ? moved : served[j]);
        to.stations[s].served = std::move(again);
        emit(to, rate * jump.probability / one.count);
      }
    }
    if (ends <= 1e-15) continue;
    const double done = rate * ends;
    if (flows != nullptr) flows->served[station.node * model_.classes.size() + one.of_class] += done * weight;
    take(without.stations[s].served, i);
    Branches left, out;
    fill_servers({std::move(without), 1.0}, s, left);
    // Where a station has rules of its own, he chooses his way before he is gone.
    const NetworkState* const seen = model_.nodes[station.node].features != 0 ? &state : nullptr;
    Lines* const lines = flows != nullptr ? flows->lines : nullptr;
    if (lines != nullptr) lines->served[station.node * model_.classes.size() + one.of_class] = 1;
    for (Branch& each : left) {
      if (lines == nullptr) {
        leave(std::move(each), station.node, one.of_class, Leaving::done, out, flows, done * weight, seen);
        continue;
      }
      const std::size_t first = out.size();
      leave(each, station.node, one.of_class, Leaving::done, out, flows, done * weight, seen);
      for (std::size_t k = first; k < out.size(); ++k)
        if (stays_begun(each.state, out[k].state, s)) see_lines(each.state, *lines);
    }
    for (const Branch& each : out) emit(each.state, done * each.probability);
  }
}

void NetworkChain::abandonments(const NetworkState& state, std::size_t s, const Emit& emit, Flows* flows,
                                double weight) const {
  const Station& station = stations_[s];
  if (!model_.nodes[station.node].has(M::patient)) return;
  for (std::size_t level = 0; level < state.stations[s].lines.size(); ++level) {
    const std::vector<AlikeCustomers>& line = state.stations[s].lines[level];
    for (std::size_t i = 0; i < line.size(); ++i) {
      const AlikeCustomers one = line[i];
      const double rate = station.patience[one.of_class] * one.count;
      if (one.phase != 0 || rate <= 0.0) continue;
      if (flows != nullptr) flows->gave_up[station.node * model_.classes.size() + one.of_class] += rate * weight;
      if (flows != nullptr && flows->lines != nullptr)
        flows->lines->gave_up[station.node * model_.classes.size() + one.of_class] = 1;
      Branch without{state, 1.0};
      take(without.state.stations[s].lines[level], i);
      Branches out;
      leave(std::move(without), station.node, one.of_class, Leaving::reneged, out, flows, rate * weight);
      for (const Branch& each : out) emit(each.state, rate * each.probability);
    }
  }
}

void NetworkChain::arrivals(const NetworkState& state, std::size_t s, std::uint64_t limit, const Emit& emit,
                            Flows* flows, double weight) const {
  const std::uint32_t number = sources_[s];
  const Node& source = model_.nodes[number];
  const Phases& gap = gaps_[s];
  const MarkovianArrivalProcess* const process = processes_[s];
  std::vector<double> after;  // by phase: probability that the next gap begins in it
  double rate = 0.0, comes = 1.0;
  if (process != nullptr) {
    const std::size_t n = process->phases(), p = state.phases[s];
    after.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      rate += after[j] = process->with()[p * n + j];
      if (j == p || process->without()[p * n + j] <= 0.0) continue;
      NetworkState to = state;
      to.phases[s] = static_cast<std::uint32_t>(j);
      emit(to, process->without()[p * n + j]);
    }
    for (double& one : after) one /= rate;
  } else if (gap.rate.empty()) {
    std::vector<double> at;
    rate = source.rate.is_constant() ? source.rate.value() : source.rate.evaluate(slots(state, at).data());
    in_range(source, "The rate", rate, greatest, " /" + model_.time_unit.symbol, model_.time_unit.scale);
  } else {
    const std::size_t p = state.phases[s];
    rate = gap.rate[p];
    after = gap.initial;
    for (const Phases::Jump& jump : gap.jumps[p]) {
      comes -= jump.probability;
      NetworkState to = state;
      to.phases[s] = jump.phase;
      emit(to, rate * jump.probability);
    }
  }
  rate *= comes;
  if (!(rate > 1e-15 * (gap.rate.empty() ? 0.0 : gap.rate[0])) || rate <= 0.0) return;
  Branches now{{state, 1.0}}, next;
  const int count = source.batched ? static_cast<int>(std::lround(source.batch.mean_s)) : 1;
  for (int i = 0; i < count; ++i) {
    next.clear();
    for (Branch& one : now) {
      if (open_customers(one.state) < limit) {
        leave(std::move(one), number, source.emits, Leaving::done, next, flows, rate * weight);
        continue;
      }
      if (flows != nullptr) flows->cut += rate * weight * one.probability;
      next.push_back(std::move(one));
    }
    now.swap(next);
  }
  for (Branch& one : now) {
    if (after.empty()) {
      emit(one.state, rate * one.probability);
      continue;
    }
    for (std::size_t p = 0; p < after.size(); ++p) {
      if (!(after[p] > 0.0)) continue;
      one.state.phases[s] = static_cast<std::uint32_t>(p);
      emit(one.state, rate * one.probability * after[p]);
    }
  }
}

void NetworkChain::moves(const NetworkState& state, std::uint64_t limit, const Emit& emit, Flows* flows,
                         double weight) const {
  if (!immediate_.empty() || !model_.regions.empty()) {
    const Emit settled = [&](const NetworkState& to, double rate) {
      if (!(rate > 0.0)) return;
      Branches out;
      settle({to, 1.0}, out, flows, rate * weight);
      for (const Branch& one : out) emit(one.state, rate * one.probability);
    };
    return timed_moves(state, limit, settled, flows, weight);
  }
  timed_moves(state, limit, emit, flows, weight);
}

void NetworkChain::timed_moves(const NetworkState& state, std::uint64_t limit, const Emit& emit, Flows* flows,
                               double weight) const {
  for (std::size_t s = 0; s < sources_.size(); ++s) arrivals(state, s, limit, emit, flows, weight);
  for (std::size_t s = 0; s < stations_.size(); ++s) {
    services(state, s, emit, flows, weight);
    abandonments(state, s, emit, flows, weight);
  }
  for (const std::uint32_t node : timed_) firings(state, node, limit, emit, flows, weight);
}

}  // namespace ergode
