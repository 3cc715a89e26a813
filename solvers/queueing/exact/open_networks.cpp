#include "solvers/queueing/exact/open_networks.h"

#include <limits>

#include "solvers/queueing/exact/birth_death_stations.h"
#include "solvers/queueing/exact/wide_double.h"

namespace ergode {
namespace {

struct MeanPresent {
  double number = 0, busy = 0, waiting = 0;
};

/// Speeds of any kind: weights load^n / (speed(1) .. speed(n)), and from the last multiplier on a geometric series.
MeanPresent load_dependent(const NetworkStation& station, double load) {
  WideDouble weight(1.0), sum(1.0), first;
  const int speeds = static_cast<int>(station.rate_multipliers.size());
  for (int n = 1; n < speeds; ++n) {
    weight = weight * WideDouble(load / rate_multiplier(station, n));
    sum += weight, first += weight * WideDouble(n);
  }
  const double x = load / station.rate_multipliers.back();
  const WideDouble tail = weight * WideDouble(x / (1 - x));  // `speeds` and more present
  sum += tail, first += tail * WideDouble(speeds + x / (1 - x));
  return {ratio(first, sum), 1 - ratio(WideDouble(1.0), sum), std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

Solved<NetworkResult> open_network(const QueueingNetwork& network, const Budget& budget) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  std::vector<double> throughput, number(network.service_s.size(), 0.0), waiting = number;
  std::vector<double> busy(network.stations.size(), 0.0);
  for (const NetworkClass& c : network.classes) {
    if (!c.open) return queueing_error("QUE105", "The network has a closed class; wanted open ones.");
    throughput.push_back(c.arrival_rate);
  }
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    const NetworkStation& station = network.stations[k];
    const double load = network.open_load(k);
    if (load <= 0) continue;
    MeanPresent present{load};
    if (station.kind == StationKind::queue) {
      // Arrivals in units of the mean service time: means are the same.
      const auto waits = erlang_c(station.servers, load, budget);
      if (const auto* bad = std::get_if<Diagnostic>(&waits)) return *bad;
      present.waiting = std::get<double>(waits) * load / (station.servers - load);
      present.number = load + present.waiting;
    } else if (station.kind == StationKind::load_dependent) {
      present = load_dependent(station, load);
    }
    busy[k] = present.busy;
    for (std::size_t r = 0; r < network.classes.size(); ++r) {
      const double share = throughput[r] * network.demand_s(k, r) / load;
      number[network.at(k, r)] = present.number * share, waiting[network.at(k, r)] = present.waiting * share;
    }
  }
  NetworkResult result = complete_result(network, std::move(throughput), std::move(number), busy);
  result.waiting = std::move(waiting);
  return result;
}

}  // namespace ergode
