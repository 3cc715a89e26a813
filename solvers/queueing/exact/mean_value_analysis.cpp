#include "solvers/queueing/exact/mean_value_analysis.h"

#include <algorithm>
#include <new>

#include "core/base/text.h"
#include "solvers/queueing/exact/effort.h"
#include "solvers/queueing/exact/normalising_constant.h"
#include "solvers/queueing/exact/open_networks.h"

namespace ergode {
namespace {

constexpr double most_states = 2e8;
constexpr double most_numbers = 1e8;
constexpr std::size_t block = 4;  // sums side by side
constexpr std::size_t pair = 2;   // stations in one go: what a vector register holds everywhere

/// The closed classes with customers, the one with the greatest population first: its dimension is not kept.
struct ClosedPart {
  std::vector<std::size_t> classes;
  std::vector<std::size_t> servers;  ///< Single servers, by their number in the network.
  std::vector<double> delay;         ///< [class] thinking and delays
  std::vector<double> demand;        ///< [class][server, padded]
  std::vector<double> total;         ///< [class] sum of all demands, with the delay
  std::size_t width = 0;             ///< Servers, padded to pairs.

  explicit ClosedPart(const QueueingNetwork& network) {
    for (std::size_t r = 0; r < network.classes.size(); ++r)
      if (!network.classes[r].open && network.classes[r].population > 0) classes.push_back(r);
    std::stable_sort(classes.begin(), classes.end(), [&](std::size_t a, std::size_t b) {
      return network.classes[a].population > network.classes[b].population;
    });
    for (std::size_t k = 0; k < network.stations.size(); ++k)
      if (!nobody_waits(network, k)) servers.push_back(k);
    width = (servers.size() + pair - 1) / pair * pair;
    demand.assign(classes.size() * width, 0.0);
    for (std::size_t s = 0; s < classes.size(); ++s) {
      const std::size_t r = classes[s];
      delay.push_back(network.classes[r].think_s);
      for (std::size_t k = 0; k < network.stations.size(); ++k)
        if (nobody_waits(network, k)) delay[s] += network.demand_s(k, r);
      total.push_back(delay[s]);
      for (std::size_t i = 0; i < servers.size(); ++i) {
        const double slowed = network.demand_s(servers[i], r) / (1 - network.open_load(servers[i]));
        demand[s * width + i] = slowed, total[s] += slowed;
      }
    }
  }
};

/// Customers at each server with all populations, and class throughputs.
struct ClosedMeans {
  std::vector<double> number_with_one_less;  ///< [class][server, padded]: all classes together
  std::vector<double> throughput;            ///< [class]
};

/// Sum over servers of demand times those found there. Four sums side by side: the order of additions is fixed, and
/// none waits for the one before.
inline double found(const double* demand, const double* number, std::size_t width) {
  double sum[block] = {};
  std::size_t i = 0;
  for (; i + block <= width; i += block)
    for (std::size_t j = 0; j < block; ++j) sum[j] += demand[i + j] * number[i + j];
  if (i < width)
    for (std::size_t j = 0; j < pair; ++j) sum[j] += demand[i + j] * number[i + j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

ClosedMeans recursion(const ClosedPart& part, const std::vector<int>& limit, Effort& effort) {
  const std::size_t classes = part.classes.size(), width = part.width;
  std::vector<std::size_t> stride(classes, 0);
  std::size_t slice = 1;
  for (std::size_t s = classes; s-- > 1;) {
    stride[s] = slice * width;
    slice *= static_cast<std::size_t>(limit[s]) + 1;
  }
  std::vector<double> now(slice * width, 0.0), previous(slice * width, 0.0);
  std::vector<const double*> seen(classes);
  std::vector<double> throughput(classes);
  std::vector<int> n(classes);
  ClosedMeans means;
  for (int first = 0; first <= limit[0]; ++first) {
    std::swap(now, previous);
    std::fill(n.begin(), n.end(), 0);
    n[0] = first;
    for (std::size_t i = 0; i < slice; ++i) {
      effort.spend(static_cast<double>(2 * classes * width + 1));
      double* here = now.data() + i * width;
      bool fresh = true;
      for (std::size_t s = 0; s < classes; ++s) {
        throughput[s] = 0;
        if (n[s] == 0) continue;
        seen[s] = s == 0 ? previous.data() + i * width : here - stride[s];
        const double* demand = part.demand.data() + s * width;
        const double x = n[s] / (part.total[s] + found(demand, seen[s], width));
        throughput[s] = x;
        const double* const before = seen[s];
        if (fresh)
          for (std::size_t k = 0; k < width; ++k) here[k] = x * demand[k] * (1 + before[k]);
        else
          for (std::size_t k = 0; k < width; ++k) here[k] += x * demand[k] * (1 + before[k]);
        fresh = false;
      }
      if (fresh) std::fill(here, here + width, 0.0);  // nobody at all
      for (std::size_t s = classes; s-- > 1;) {
        if (++n[s] <= limit[s]) break;
        n[s] = 0;
      }
    }
  }
  for (std::size_t s = 0; s < classes; ++s)
    means.number_with_one_less.insert(means.number_with_one_less.end(), seen[s], seen[s] + width);
  means.throughput = throughput;
  return means;
}

bool needs_speeds(const QueueingNetwork& network) {
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    const NetworkStation& station = network.stations[k];
    if (station.kind == StationKind::load_dependent || (station.servers > 1 && !nobody_waits(network, k))) return true;
  }
  return false;
}

}  // namespace

Solved<NetworkResult> mean_value_analysis(const QueueingNetwork& network, const Budget& budget) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  if (std::all_of(network.classes.begin(), network.classes.end(), [](const NetworkClass& c) { return c.open; }))
    return open_network(network, budget);
  if (needs_speeds(network)) return convolution(network, budget);
  const ClosedPart part(network);
  std::vector<int> limit;
  double states = 1;
  for (const std::size_t r : part.classes) limit.push_back(network.classes[r].population), states *= limit.back() + 1.0;
  const double slice = part.classes.empty() ? 1 : states / (limit[0] + 1.0);
  if (states > most_states || slice * static_cast<double>(part.width) * 2 > most_numbers)
    return queueing_error("QUE104",
                          "The populations span " + number_text(states) + " states; wanted at most " +
                              number_text(most_states) + ", and " + number_text(most_numbers) + " numbers of a slice.",
                          "Approximate mean value analysis takes any population.");
  Effort effort(budget);
  const std::string what = "The recursion over " + number_text(states) + " populations";
  effort.foresee(states * (2.0 * static_cast<double>(part.classes.size() * part.width) + 1.0), what);
  effort.foresee_bytes(slice * static_cast<double>(part.width) * 2 * sizeof(double), what);
  ClosedMeans means;
  try {
    if (!part.classes.empty()) means = recursion(part, limit, effort);
  } catch (const std::bad_alloc&) {
    return queueing_error("QUE104", "No memory for " + number_text(states) + " states.");
  }
  std::vector<double> throughput(network.classes.size(), 0.0), number(network.service_s.size(), 0.0), waiting = number;
  for (std::size_t s = 0; s < part.classes.size(); ++s) throughput[part.classes[s]] = means.throughput[s];
  for (std::size_t r = 0; r < network.classes.size(); ++r) {
    if (network.classes[r].open) throughput[r] = network.classes[r].arrival_rate;
    for (std::size_t k = 0; k < network.stations.size(); ++k)
      number[network.at(k, r)] = throughput[r] * network.demand_s(k, r);  // delays; servers below
  }
  for (std::size_t i = 0; i < part.servers.size(); ++i) {
    const std::size_t k = part.servers[i];
    const double open = network.open_load(k);
    double closed = 0;
    for (std::size_t s = 0; s < part.classes.size(); ++s) {
      const std::size_t at = s * part.width + i;
      const double slowed = means.throughput[s] * part.demand[at], before = means.number_with_one_less[at];
      const double here = slowed * (1 + before);
      number[network.at(k, part.classes[s])] = here, closed += here;
      waiting[network.at(k, part.classes[s])] = slowed * (open + before);
    }
    // An open customer finds the closed ones as anybody does who looks at random.
    for (std::size_t r = 0; r < network.classes.size(); ++r)
      if (network.classes[r].open) {
        waiting[network.at(k, r)] = number[network.at(k, r)] * (open + closed) / (1 - open);
        number[network.at(k, r)] *= (1 + closed) / (1 - open);
      }
  }
  NetworkResult result = complete_result(network, std::move(throughput), std::move(number));
  result.waiting = std::move(waiting);
  return result;
}

}  // namespace ergode
