#include "solvers/queueing/exact/routing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "solvers/queueing/exact/cycle_visits.h"

namespace ergode {
namespace {

constexpr double row_tolerance = 1e-9;

std::optional<Diagnostic> check_routing(const Routing& routing) {
  std::vector<double> sum(routing.places, 0.0);
  for (const Routing::Way& way : routing.ways) {
    if (!std::isfinite(way.probability) || way.probability < 0)
      return queueing_error("QUE102", "The routing from place " + std::to_string(way.from + 1) + " to " +
                                          std::to_string(way.to + 1) + " is " + number_text(way.probability) +
                                          "; wanted at least 0.");
    sum[way.from] += way.probability;
  }
  for (std::size_t from = 0; from < routing.places; ++from)
    if (sum[from] > 1 + row_tolerance)
      return queueing_error("QUE102", "The routing from place " + std::to_string(from + 1) + " adds up to " +
                                          number_text(sum[from]) + "; wanted at most 1.");
  return {};
}

/// Where ways lead, forth or back.
std::vector<std::vector<std::uint32_t>> neighbours(const Routing& routing, bool back) {
  std::vector<std::vector<std::uint32_t>> out(routing.places);
  for (const Routing::Way& way : routing.ways)
    if (way.probability > 0) out[back ? way.to : way.from].push_back(back ? way.from : way.to);
  return out;
}

/// Places from which one of `starts` is reached (back) or that are reached from one.
std::vector<bool> reached(const Routing& routing, std::vector<std::size_t> starts, bool back) {
  const auto next_to = neighbours(routing, back);
  std::vector<bool> seen(routing.places, false);
  for (const std::size_t start : starts) seen[start] = true;
  while (!starts.empty()) {
    const std::size_t here = starts.back();
    starts.pop_back();
    for (const std::uint32_t next : next_to[here])
      if (!seen[next]) seen[next] = true, starts.push_back(next);
  }
  return seen;
}

/// Places that are reached from `reference`; each of them leads back.
Solved<std::vector<bool>> cycle_of(const Routing& routing, std::size_t reference) {
  std::vector<bool> forth = reached(routing, {reference}, false);
  const std::vector<bool> back = reached(routing, {reference}, true);
  for (std::size_t i = 0; i < routing.places; ++i)
    if (forth[i] && !back[i])
      return queueing_error("QUE102",
                            "Customers reach place " + std::to_string(i + 1) + " and never leave it for good.",
                            "Every place that is reached must lead on.");
  return forth;
}

/// The same where rows of all places that are reached add up to 1.
Solved<std::vector<bool>> closed_cycle(const Routing& routing, std::size_t reference) {
  if (auto bad = check_routing(routing)) return *bad;
  if (reference >= routing.places)
    return queueing_error("QUE101", "The reference is place " + std::to_string(reference + 1) + " of " +
                                        std::to_string(routing.places) + ".");
  const std::vector<bool> seen = reached(routing, {reference}, false);
  std::vector<double> sum(routing.places, 0.0);
  for (const Routing::Way& way : routing.ways) sum[way.from] += way.probability;
  for (std::size_t i = 0; i < routing.places; ++i)
    if (seen[i] && sum[i] < 1 - row_tolerance)
      return queueing_error("QUE102", "The routing from place " + std::to_string(i + 1) + " adds up to " +
                                          number_text(sum[i]) + "; wanted 1 in a closed network.");
  return cycle_of(routing, reference);
}

Diagnostic wrong_size(std::size_t entries, std::size_t places) {
  return queueing_error("QUE101", "The routing has " + std::to_string(entries) + " entries; wanted " +
                                      std::to_string(places * places) + ".");
}

}  // namespace

Routing routing_of(const std::vector<double>& table) {
  const auto places = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(table.size()))));
  if (places * places != table.size()) return {};
  Routing out{places, {}};
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i] != 0)
      out.ways.push_back({static_cast<std::uint32_t>(i / places), static_cast<std::uint32_t>(i % places), table[i]});
  return out;
}

Solved<std::vector<double>> open_visits(const Routing& routing, const std::vector<double>& arrivals) {
  if (routing.places != arrivals.size()) return wrong_size(routing.places * routing.places, arrivals.size());
  if (auto bad = check_routing(routing)) return *bad;
  double all = 0;
  for (const double each : arrivals) {
    if (!std::isfinite(each) || each < 0)
      return queueing_error("QUE102", "An arrival rate is " + number_text(each) + " /s; wanted at least 0 /s.");
    all += each;
  }
  if (all <= 0) return queueing_error("QUE102", "Nobody arrives from outside.");
  // Outside is one place more: whoever leaves comes again.
  Routing round{routing.places + 1, routing.ways};
  const auto outside = static_cast<std::uint32_t>(routing.places);
  std::vector<double> stays(routing.places, 0.0);
  for (const Routing::Way& way : routing.ways) stays[way.from] += way.probability;
  for (std::uint32_t i = 0; i < routing.places; ++i) {
    if (arrivals[i] > 0) round.ways.push_back({outside, i, arrivals[i] / all});
    if (stays[i] < 1 - 1e-12) round.ways.push_back({i, outside, 1 - stays[i]});  // below that it is rounding
  }
  const auto cycle = cycle_of(round, outside);
  if (const auto* bad = std::get_if<Diagnostic>(&cycle)) return *bad;
  std::vector<double> visits = cycle_visits(round, outside, std::get<std::vector<bool>>(cycle));
  visits.pop_back();
  return visits;
}

Solved<std::vector<double>> closed_visits(const Routing& routing, std::size_t reference) {
  const auto cycle = closed_cycle(routing, reference);
  if (const auto* bad = std::get_if<Diagnostic>(&cycle)) return *bad;
  return cycle_visits(routing, reference, std::get<std::vector<bool>>(cycle));
}

Solved<std::vector<double>> closed_places(const Routing& routing, std::size_t reference) {
  const auto cycle = closed_cycle(routing, reference);
  if (const auto* bad = std::get_if<Diagnostic>(&cycle)) return *bad;
  const auto& visited = std::get<std::vector<bool>>(cycle);
  return std::vector<double>(visited.begin(), visited.end());
}

bool always_reaches(const Routing& routing, const std::vector<std::size_t>& starts, std::size_t target) {
  const std::vector<bool> forth = reached(routing, starts, false), back = reached(routing, {target}, true);
  for (std::size_t i = 0; i < routing.places; ++i)
    if (forth[i] && !back[i]) return false;
  return true;
}

Solved<ChainVisits> closed_chain_visits(std::size_t stations, std::size_t classes, const std::vector<double>& routing,
                                        const std::vector<std::size_t>& reference) {
  const std::size_t places = stations * classes;
  if (places == 0 || routing.size() != places * places) return wrong_size(routing.size(), places);
  if (reference.size() != classes)
    return queueing_error("QUE101", "There are " + std::to_string(reference.size()) + " references; wanted " +
                                        std::to_string(classes) + ".");
  const Routing sparse = routing_of(routing);
  ChainVisits result{std::vector<double>(places, 0.0), std::vector<std::size_t>(classes), 0};
  std::iota(result.chain.begin(), result.chain.end(), std::size_t{0});
  for (std::size_t from = 0; from < places; ++from)
    for (std::size_t to = 0; to < places; ++to) {
      const std::size_t a = result.chain[from % classes], b = result.chain[to % classes];
      if (a == b || routing[from * places + to] <= 0) continue;
      for (std::size_t& each : result.chain)
        if (each == std::max(a, b)) each = std::min(a, b);
    }
  for (std::size_t r = 0; r < classes; ++r) {
    if (result.chain[r] != r) continue;
    auto visits = closed_visits(sparse, reference[r] * classes + r);
    if (const auto* bad = std::get_if<Diagnostic>(&visits)) return *bad;
    for (std::size_t i = 0; i < places; ++i) result.visits[i] += std::get<std::vector<double>>(visits)[i];
  }
  // Numbered without gaps, in order of their first classes.
  std::vector<std::size_t> number(classes);
  for (std::size_t r = 0; r < classes; ++r) {
    if (result.chain[r] == r) number[r] = result.chains++;
    result.chain[r] = number[result.chain[r]];
  }
  return result;
}

QueueingNetwork merge_chains(const QueueingNetwork& network, const ChainVisits& chains) {
  const std::size_t classes = network.classes.size();
  QueueingNetwork merged{network.stations, std::vector<NetworkClass>(chains.chains), {}, {}};
  merged.service_s.assign(network.stations.size() * chains.chains, 0.0), merged.visits = merged.service_s;
  for (std::size_t r = 0; r < classes; ++r) {
    NetworkClass& chain = merged.classes[chains.chain[r]];
    const NetworkClass& one = network.classes[r];
    if (!one.name.empty()) chain.name += (chain.name.empty() ? "" : "+") + one.name;
    chain.open = one.open, chain.arrival_rate = std::max(chain.arrival_rate, one.arrival_rate);
    chain.population += one.population;
    chain.think_s = std::max(chain.think_s, network.classes[r].think_s);
  }
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    for (std::size_t r = 0; r < classes; ++r) {
      const std::size_t to = merged.at(k, chains.chain[r]), from = network.at(k, r);
      merged.visits[to] += chains.visits[from];
      merged.service_s[to] += chains.visits[from] * network.service_s[from];
    }
    for (std::size_t c = 0; c < chains.chains; ++c)
      if (const std::size_t i = merged.at(k, c); merged.visits[i] > 0) merged.service_s[i] /= merged.visits[i];
  }
  return merged;
}

NetworkResult split_chains(const QueueingNetwork& network, const ChainVisits& chains, const NetworkResult& merged) {
  const std::size_t classes = network.classes.size(), stations = network.stations.size();
  QueueingNetwork visited = network;
  visited.visits = chains.visits;
  std::vector<double> throughput(classes), number(stations * classes, 0.0), busy(stations, 0.0);
  std::vector<double> waiting(merged.waiting.empty() ? 0 : stations * classes, 0.0);
  for (std::size_t r = 0; r < classes; ++r) throughput[r] = merged.class_throughput[chains.chain[r]];
  for (std::size_t k = 0; k < stations; ++k) {
    std::vector<double> demand(chains.chains, 0.0);
    for (std::size_t r = 0; r < classes; ++r) demand[chains.chain[r]] += visited.demand_s(k, r);
    for (std::size_t r = 0; r < classes; ++r) {
      const std::size_t c = chains.chain[r];
      if (demand[c] <= 0) continue;
      const double share = visited.demand_s(k, r) / demand[c];
      number[network.at(k, r)] = merged.number[k * chains.chains + c] * share;
      if (!waiting.empty()) waiting[network.at(k, r)] = merged.waiting[k * chains.chains + c] * share;
    }
    for (std::size_t c = 0; c < chains.chains; ++c) busy[k] += merged.utilisation[k * chains.chains + c];
  }
  NetworkResult result = complete_result(visited, std::move(throughput), std::move(number), busy);
  result.waiting = std::move(waiting);
  return result;
}

}  // namespace ergode
