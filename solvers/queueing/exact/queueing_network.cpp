#include "solvers/queueing/exact/queueing_network.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

bool in_range(double value) { return std::isfinite(value) && value >= 0.0; }

std::string class_label(const QueueingNetwork& network, std::size_t r) {
  return network.classes[r].name.empty() ? "class " + std::to_string(r + 1) : network.classes[r].name;
}

Diagnostics complain(std::string code, std::string message) {
  return {queueing_error(std::move(code), std::move(message))};
}

Diagnostics check_station(const QueueingNetwork& network, std::size_t k) {
  const NetworkStation& station = network.stations[k];
  const std::string label = station_label(network, k);
  if (station.kind == StationKind::queue && station.servers < 1)
    return complain("QUE102", label + " has " + std::to_string(station.servers) + " servers; wanted at least 1.");
  if (station.kind != StationKind::load_dependent) return {};
  if (station.rate_multipliers.empty()) return complain("QUE102", label + " has no rate multipliers.");
  for (const double rate : station.rate_multipliers)
    if (!std::isfinite(rate) || rate <= 0)
      return complain("QUE102", label + " has the rate multiplier " + number_text(rate) + "; wanted above 0.");
  return {};
}

Diagnostics check_class(const QueueingNetwork& network, std::size_t r) {
  const NetworkClass& c = network.classes[r];
  const std::string label = class_label(network, r);
  if (c.open && !in_range(c.arrival_rate))
    return complain("QUE102",
                    label + " has the arrival rate " + number_text(c.arrival_rate) + " /s; wanted at least 0.");
  if (!c.open && c.population < 0)
    return complain("QUE102", label + " has the population " + std::to_string(c.population) + "; wanted at least 0.");
  if (!c.open && !in_range(c.think_s))
    return complain("QUE102", label + " has the think time " + number_text(c.think_s) + " s; wanted at least 0.");
  double total = c.think_s;
  for (std::size_t k = 0; k < network.stations.size(); ++k) total += network.demand_s(k, r);
  if (!std::isfinite(total)) return complain("QUE102", label + " has demands beyond all numbers.");
  if (!c.open && c.population > 0 && total <= 0)
    return complain("QUE102", label + " asks nothing of any station: its throughput has no limit.");
  return {};
}

}  // namespace

double QueueingNetwork::open_load(std::size_t station) const {
  double load = 0;
  for (std::size_t r = 0; r < classes.size(); ++r)
    if (classes[r].open) load += classes[r].arrival_rate * demand_s(station, r);
  return load;
}

Diagnostic queueing_error(std::string code, std::string message, std::string hint) {
  Diagnostic error;
  error.code = std::move(code), error.message = std::move(message), error.hint = std::move(hint);
  return error;
}

std::string station_label(const QueueingNetwork& network, std::size_t station) {
  const std::string& name = network.stations[station].name;
  return name.empty() ? "station " + std::to_string(station + 1) : name;
}

double rate_multiplier(const NetworkStation& station, int present) {
  if (station.kind == StationKind::delay) return present;
  if (station.kind == StationKind::queue) return std::min(present, station.servers);
  return station.rate_multipliers[std::min(static_cast<std::size_t>(present), station.rate_multipliers.size()) - 1];
}

bool nobody_waits(const QueueingNetwork& network, std::size_t station) {
  const NetworkStation& at = network.stations[station];
  if (at.kind != StationKind::queue) return at.kind == StationKind::delay;
  double most = 0;
  for (std::size_t r = 0; r < network.classes.size(); ++r) {
    if (network.demand_s(station, r) == 0) continue;
    if (network.classes[r].open && network.classes[r].arrival_rate > 0) return false;
    if (!network.classes[r].open) most += network.classes[r].population;
  }
  return most <= at.servers;
}

Diagnostics check_network(const QueueingNetwork& network) {
  const std::size_t cells = network.stations.size() * network.classes.size();
  if (network.stations.empty() || network.classes.empty())
    return complain("QUE101", "The network has no station or no class.");
  if (network.service_s.size() != cells || network.visits.size() != cells)
    return complain("QUE101", "There are " + std::to_string(network.service_s.size()) + " service times and " +
                                  std::to_string(network.visits.size()) + " visits; wanted " + std::to_string(cells) +
                                  " of each.");
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    if (Diagnostics bad = check_station(network, k); !bad.empty()) return bad;
    for (std::size_t r = 0; r < network.classes.size(); ++r) {
      const double service = network.service_s[network.at(k, r)], visits = network.visits[network.at(k, r)];
      if (!in_range(service) || !in_range(visits))
        return complain("QUE102", station_label(network, k) + " has the service time " + number_text(service) +
                                      " s and " + number_text(visits) + " visits of " + class_label(network, r) +
                                      "; wanted at least 0.");
    }
  }
  for (std::size_t r = 0; r < network.classes.size(); ++r)
    if (Diagnostics bad = check_class(network, r); !bad.empty()) return bad;
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    const NetworkStation& station = network.stations[k];
    if (station.kind == StationKind::delay) continue;
    const double capacity = station.kind == StationKind::queue ? station.servers : station.rate_multipliers.back();
    if (const double load = network.open_load(k); load >= capacity)
      return complain("QUE103", station_label(network, k) + " has the open load " + number_text(load, 6) +
                                    "; wanted below " + number_text(capacity, 6) + ".");
  }
  return {};
}

NetworkResult complete_result(const QueueingNetwork& network, std::vector<double> class_throughput,
                              std::vector<double> number, const std::vector<double>& busy) {
  const std::size_t stations = network.stations.size(), classes = network.classes.size();
  NetworkResult result;
  result.class_throughput = std::move(class_throughput), result.number = std::move(number);
  result.utilisation.assign(stations * classes, 0.0);
  result.response_s = result.throughput = result.utilisation;
  result.class_response_s.assign(classes, 0.0);
  for (std::size_t k = 0; k < stations; ++k) {
    const NetworkStation& station = network.stations[k];
    double work = 0;
    for (std::size_t r = 0; r < classes; ++r) {
      const std::size_t i = network.at(k, r);
      result.throughput[i] = result.class_throughput[r] * network.visits[i];
      if (result.throughput[i] > 0) result.response_s[i] = result.number[i] / result.throughput[i];
      result.class_response_s[r] += network.visits[i] * result.response_s[i];
      result.utilisation[i] = result.throughput[i] * network.service_s[i];
      if (station.kind == StationKind::queue) result.utilisation[i] /= station.servers;
      work += result.utilisation[i];
    }
    if (station.kind != StationKind::load_dependent || work <= 0) continue;
    for (std::size_t r = 0; r < classes; ++r) result.utilisation[network.at(k, r)] *= busy[k] / work;
  }
  return result;
}

}  // namespace ergode
