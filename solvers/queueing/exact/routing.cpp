#include "solvers/queueing/exact/routing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/text.h"

namespace ergode {
namespace {

constexpr double row_tolerance = 1e-9;

std::optional<Diagnostic> check_routing(const std::vector<double>& routing, std::size_t places) {
  if (places == 0 || routing.size() != places * places)
    return queueing_error("QUE101", "The routing has " + std::to_string(routing.size()) + " entries; wanted " +
                                        std::to_string(places * places) + ".");
  for (std::size_t from = 0; from < places; ++from) {
    double sum = 0;
    for (std::size_t to = 0; to < places; ++to) {
      const double p = routing[from * places + to];
      if (!std::isfinite(p) || p < 0)
        return queueing_error("QUE102", "The routing from place " + std::to_string(from + 1) + " to " +
                                            std::to_string(to + 1) + " is " + number_text(p) + "; wanted at least 0.");
      sum += p;
    }
    if (sum > 1 + row_tolerance)
      return queueing_error("QUE102", "The routing from place " + std::to_string(from + 1) + " adds up to " +
                                          number_text(sum) + "; wanted at most 1.");
  }
  return {};
}

/// Places from which `start` is reached (back) or that are reached from it.
std::vector<bool> reached(const std::vector<double>& p, std::size_t places, std::size_t start, bool back) {
  std::vector<bool> seen(places, false);
  std::vector<std::size_t> open{start};
  seen[start] = true;
  while (!open.empty()) {
    const std::size_t here = open.back();
    open.pop_back();
    for (std::size_t next = 0; next < places; ++next)
      if (!seen[next] && p[back ? next * places + here : here * places + next] > 0)
        seen[next] = true, open.push_back(next);
  }
  return seen;
}

/// Visits between two visits of `reference`, in a chain whose rows add up to 1 for all places reached.
Solved<std::vector<double>> cycle_visits(const std::vector<double>& p, std::size_t places, std::size_t reference) {
  const std::vector<bool> forth = reached(p, places, reference, false), back = reached(p, places, reference, true);
  std::vector<std::size_t> at{reference};
  for (std::size_t i = 0; i < places; ++i) {
    if (forth[i] && !back[i])
      return queueing_error("QUE102",
                            "Customers reach place " + std::to_string(i + 1) + " and never leave it for good.",
                            "Every place that is reached must lead on.");
    if (forth[i] && i != reference) at.push_back(i);
  }
  const std::size_t n = at.size();
  std::vector<double> a(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[i * n + j] = p[at[i] * places + at[j]];
  std::vector<double> leaves(n, 0.0);
  for (std::size_t last = n; last-- > 1;) {
    for (std::size_t j = 0; j < last; ++j) leaves[last] += a[last * n + j];
    for (std::size_t i = 0; i < last; ++i) {
      const double share = a[i * n + last] / leaves[last];
      for (std::size_t j = 0; j < last; ++j) a[i * n + j] += share * a[last * n + j];
    }
  }
  std::vector<double> visits(places, 0.0);
  visits[reference] = 1;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) visits[at[i]] += visits[at[j]] * a[j * n + i];
    visits[at[i]] /= leaves[i];
  }
  return visits;
}

}  // namespace

Solved<std::vector<double>> open_visits(const std::vector<double>& routing, const std::vector<double>& arrivals) {
  const std::size_t places = arrivals.size();
  if (auto bad = check_routing(routing, places)) return *bad;
  double all = 0;
  for (const double each : arrivals) {
    if (!std::isfinite(each) || each < 0)
      return queueing_error("QUE102", "An arrival rate is " + number_text(each) + " /s; wanted at least 0 /s.");
    all += each;
  }
  if (all <= 0) return queueing_error("QUE102", "Nobody arrives from outside.");
  // Outside is a place too, the first one: who leaves comes back as the next arrival.
  const std::size_t n = places + 1;
  std::vector<double> p(n * n, 0.0);
  for (std::size_t i = 0; i < places; ++i) {
    p[i + 1] = arrivals[i] / all;
    double stays = 0;
    for (std::size_t j = 0; j < places; ++j) stays += p[(i + 1) * n + j + 1] = routing[i * places + j];
    p[(i + 1) * n] = stays < 1 - 1e-12 ? 1 - stays : 0;  // below that it is rounding
  }
  auto visits = cycle_visits(p, n, 0);
  if (auto* found = std::get_if<std::vector<double>>(&visits)) found->erase(found->begin());
  return visits;
}

Solved<std::vector<double>> closed_visits(const std::vector<double>& routing, std::size_t reference) {
  const auto places = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(routing.size()))));
  if (auto bad = check_routing(routing, places)) return *bad;
  if (reference >= places)
    return queueing_error(
        "QUE101", "The reference is place " + std::to_string(reference + 1) + " of " + std::to_string(places) + ".");
  const std::vector<bool> seen = reached(routing, places, reference, false);
  for (std::size_t i = 0; i < places; ++i) {
    const auto row = routing.begin() + static_cast<std::ptrdiff_t>(i * places);
    const double sum = std::accumulate(row, row + static_cast<std::ptrdiff_t>(places), 0.0);
    if (seen[i] && sum < 1 - row_tolerance)
      return queueing_error("QUE102", "The routing from place " + std::to_string(i + 1) + " adds up to " +
                                          number_text(sum) + "; wanted 1 in a closed network.");
  }
  return cycle_visits(routing, places, reference);
}

Solved<ChainVisits> closed_chain_visits(std::size_t stations, std::size_t classes, const std::vector<double>& routing,
                                        const std::vector<std::size_t>& reference) {
  const std::size_t places = stations * classes;
  if (auto bad = check_routing(routing, places)) return *bad;
  if (reference.size() != classes)
    return queueing_error("QUE101", "There are " + std::to_string(reference.size()) + " references; wanted " +
                                        std::to_string(classes) + ".");
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
    auto visits = closed_visits(routing, reference[r] * classes + r);
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
    chain.population += network.classes[r].population;
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
  for (std::size_t r = 0; r < classes; ++r) throughput[r] = merged.class_throughput[chains.chain[r]];
  for (std::size_t k = 0; k < stations; ++k) {
    std::vector<double> demand(chains.chains, 0.0);
    for (std::size_t r = 0; r < classes; ++r) demand[chains.chain[r]] += visited.demand_s(k, r);
    for (std::size_t r = 0; r < classes; ++r) {
      const std::size_t c = chains.chain[r];
      if (demand[c] > 0)
        number[network.at(k, r)] = merged.number[k * chains.chains + c] * visited.demand_s(k, r) / demand[c];
    }
    for (std::size_t c = 0; c < chains.chains; ++c) busy[k] += merged.utilisation[k * chains.chains + c];
  }
  return complete_result(visited, std::move(throughput), std::move(number), busy);
}

}  // namespace ergode
