#include "solvers/queueing/exact/open_networks.h"

#include "solvers/queueing/exact/birth_death_stations.h"
#include "solvers/queueing/exact/wide_double.h"

namespace ergode {
namespace {

struct Present {
  double number = 0, busy = 0;
};

/// Speeds of any kind: weights load^n / (speed(1) .. speed(n)), and from the last multiplier on a geometric series.
Present load_dependent(const NetworkStation& station, double load) {
  WideDouble weight(1.0), sum(1.0), first;
  const int speeds = static_cast<int>(station.rate_multipliers.size());
  for (int n = 1; n < speeds; ++n) {
    weight = weight * WideDouble(load / rate_multiplier(station, n));
    sum += weight, first += weight * WideDouble(n);
  }
  const double x = load / station.rate_multipliers.back();
  const WideDouble tail = weight * WideDouble(x / (1 - x));  // `speeds` and more present
  sum += tail, first += tail * WideDouble(speeds + x / (1 - x));
  return {ratio(first, sum), 1 - ratio(WideDouble(1.0), sum)};
}

}  // namespace

Solved<NetworkResult> open_network(const QueueingNetwork& network) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  std::vector<double> throughput, number(network.service_s.size(), 0.0), busy(network.stations.size(), 0.0);
  for (const NetworkClass& c : network.classes) {
    if (!c.open) return queueing_error("QUE105", "The network has a closed class; wanted open ones.");
    throughput.push_back(c.arrival_rate);
  }
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    const NetworkStation& station = network.stations[k];
    const double load = network.open_load(k);
    if (load <= 0) continue;
    Present present{load, 0};
    if (station.kind == StationKind::queue) {
      // Arrivals in units of the mean service time: means are the same.
      const auto means = mmc(load, 1.0, station.servers);
      if (const auto* bad = std::get_if<Diagnostic>(&means)) return *bad;
      present.number = std::get<StationMeans>(means).number;
    } else if (station.kind == StationKind::load_dependent) {
      present = load_dependent(station, load);
    }
    busy[k] = present.busy;
    for (std::size_t r = 0; r < network.classes.size(); ++r)
      number[network.at(k, r)] = present.number * throughput[r] * network.demand_s(k, r) / load;
  }
  return complete_result(network, std::move(throughput), std::move(number), busy);
}

}  // namespace ergode
