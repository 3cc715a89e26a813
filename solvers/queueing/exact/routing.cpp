#include "solvers/queueing/exact/routing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"

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

/// Places from which `start` is reached (back) or that are reached from it.
std::vector<bool> reached(const Routing& routing, std::size_t start, bool back) {
  const auto next_to = neighbours(routing, back);
  std::vector<bool> seen(routing.places, false);
  std::vector<std::size_t> open{start};
  seen[start] = true;
  while (!open.empty()) {
    const std::size_t here = open.back();
    open.pop_back();
    for (const std::uint32_t next : next_to[here])
      if (!seen[next]) seen[next] = true, open.push_back(next);
  }
  return seen;
}

/// Takes places out one by one; who went there goes on at once to where they lead.
class Elimination {
 public:
  explicit Elimination(const Routing& routing) : out_(routing.places), in_(routing.places) {
    for (const Routing::Way& way : routing.ways) {
      if (way.from == way.to || way.probability == 0) continue;  // how often he stays decides nothing of where he goes
      out_[way.from][way.to] += way.probability;
      in_[way.to].insert(way.from);
    }
  }
  /// Visits between two visits of `reference`, where every place of `of` is reached from there and leads back.
  std::vector<double> visits(std::size_t reference, const std::vector<bool>& of) {
    std::set<std::pair<std::size_t, std::uint32_t>> left;  // those whose ways are fewest first
    std::vector<std::size_t> cost(out_.size(), 0);
    const auto ways = [&](std::uint32_t i) { return in_[i].size() * out_[i].size(); };
    for (std::uint32_t i = 0; i < out_.size(); ++i)
      if (of[i] && i != reference) left.insert({cost[i] = ways(i), i});
    struct Taken {
      std::uint32_t place;
      double leaves;
      std::vector<std::pair<std::uint32_t, double>> from;
    };
    std::vector<Taken> order;
    while (!left.empty()) {
      // Once nearly everything leads nearly everywhere a plain table is faster.
      if (left.begin()->first * 16 > left.size() * left.size()) break;
      const std::uint32_t i = left.begin()->second;
      left.erase(left.begin());
      Taken taken{i, 0.0, {}};
      for (const auto& [to, p] : out_[i]) taken.leaves += p, in_[to].erase(i);
      for (const std::uint32_t from : in_[i]) {
        const auto at = out_[from].find(i);
        const double p = at->second;
        out_[from].erase(at);
        if (!of[from]) continue;
        taken.from.emplace_back(from, p);
        const double share = p / taken.leaves;
        for (const auto& [to, q] : out_[i])
          if (to != from) out_[from][to] += share * q, in_[to].insert(from);
      }
      const auto again = [&](std::uint32_t j) {
        if (!of[j] || j == reference || left.erase({cost[j], j}) == 0) return;
        left.insert({cost[j] = ways(j), j});
      };
      for (const auto& [to, p] : out_[i]) again(to);
      for (const auto& [from, p] : taken.from) again(from);
      order.push_back(std::move(taken));
    }
    std::vector<std::uint32_t> rest{static_cast<std::uint32_t>(reference)};
    for (const auto& [ways_of_it, place] : left) rest.push_back(place);
    std::vector<double> visits(out_.size(), 0.0);
    dense(rest, visits);
    for (auto one = order.rbegin(); one != order.rend(); ++one) {
      for (const auto& [from, p] : one->from) visits[one->place] += visits[from] * p;
      visits[one->place] /= one->leaves;
    }
    return visits;
  }

 private:
  /// Visits of the places in `rest` between two of the first of them, by a table.
  void dense(const std::vector<std::uint32_t>& rest, std::vector<double>& visits) const {
    const std::size_t n = rest.size();
    std::vector<std::size_t> at(out_.size(), n);
    for (std::size_t i = 0; i < n; ++i) at[rest[i]] = i;
    std::vector<double> a(n * n, 0.0), leaves(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (const auto& [to, p] : out_[rest[i]])
        if (at[to] < n) a[i * n + at[to]] = p;
    for (std::size_t last = n; last-- > 1;) {
      for (std::size_t j = 0; j < last; ++j) leaves[last] += a[last * n + j];
      for (std::size_t i = 0; i < last; ++i) {
        const double share = a[i * n + last] / leaves[last];
        if (share == 0.0) continue;
        for (std::size_t j = 0; j < last; ++j) a[i * n + j] += share * a[last * n + j];
      }
    }
    visits[rest[0]] = 1;
    for (std::size_t i = 1; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < i; ++j) sum += visits[rest[j]] * a[j * n + i];
      visits[rest[i]] = sum / leaves[i];
    }
  }

  std::vector<std::map<std::uint32_t, double>> out_;
  std::vector<std::set<std::uint32_t>> in_;
};

/// Visits between two visits of `reference`, in a chain whose rows add up to 1 for all places reached.
Solved<std::vector<double>> cycle_visits(const Routing& routing, std::size_t reference) {
  const std::vector<bool> forth = reached(routing, reference, false), back = reached(routing, reference, true);
  for (std::size_t i = 0; i < routing.places; ++i)
    if (forth[i] && !back[i])
      return queueing_error("QUE102",
                            "Customers reach place " + std::to_string(i + 1) + " and never leave it for good.",
                            "Every place that is reached must lead on.");
  return Elimination(routing).visits(reference, forth);
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
  auto visits = cycle_visits(round, outside);
  if (auto* found = std::get_if<std::vector<double>>(&visits)) found->pop_back();
  return visits;
}

Solved<std::vector<double>> closed_visits(const Routing& routing, std::size_t reference) {
  if (auto bad = check_routing(routing)) return *bad;
  if (reference >= routing.places)
    return queueing_error("QUE101", "The reference is place " + std::to_string(reference + 1) + " of " +
                                        std::to_string(routing.places) + ".");
  const std::vector<bool> seen = reached(routing, reference, false);
  std::vector<double> sum(routing.places, 0.0);
  for (const Routing::Way& way : routing.ways) sum[way.from] += way.probability;
  for (std::size_t i = 0; i < routing.places; ++i)
    if (seen[i] && sum[i] < 1 - row_tolerance)
      return queueing_error("QUE102", "The routing from place " + std::to_string(i + 1) + " adds up to " +
                                          number_text(sum[i]) + "; wanted 1 in a closed network.");
  return cycle_visits(routing, reference);
}

bool always_reaches(const Routing& routing, std::size_t start, std::size_t target) {
  const std::vector<bool> forth = reached(routing, start, false), back = reached(routing, target, true);
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
