#include "solvers/queueing/exact/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/text.h"

namespace ergode {
namespace {

struct Sums {
  double total = 0, greatest = 0, squares = 0;
  double mean = 0;
};

Sums sums_of(const std::vector<double>& demand) {
  Sums sums;
  for (const double d : demand) sums.total += d, sums.greatest = std::max(sums.greatest, d), sums.squares += d * d;
  sums.mean = sums.total / static_cast<double>(demand.size());
  return sums;
}

std::optional<Diagnostic> check_demands(const std::vector<double>& demand) {
  for (std::size_t k = 0; k < demand.size(); ++k)
    if (!std::isfinite(demand[k]) || demand[k] < 0)
      return queueing_error("QUE102", "Station " + std::to_string(k + 1) + " has the demand " + number_text(demand[k]) +
                                          " s; wanted at least 0 s.");
  const double greatest = demand.empty() ? 0 : *std::max_element(demand.begin(), demand.end());
  if (greatest <= 0) return queueing_error("QUE102", "No station has a demand above 0 s.");
  return {};
}

std::optional<Diagnostic> check_closed(const ClosedDemands& network) {
  if (auto bad = check_demands(network.demand_s)) return bad;
  if (!std::isfinite(network.think_s) || network.think_s < 0)
    return queueing_error("QUE102", "The think time is " + number_text(network.think_s) + " s; wanted at least 0 s.");
  if (network.population < 1)
    return queueing_error("QUE102", "The population is " + std::to_string(network.population) + "; wanted at least 1.");
  return {};
}

/// Response times follow from throughputs by Little's law.
ThroughputBounds with_responses(const ClosedDemands& network, double lower, double upper) {
  const double n = network.population;
  return {lower, upper, std::max(0.0, n / upper - network.think_s), n / lower - network.think_s};
}

ThroughputBounds asymptotic(const ClosedDemands& network, double n) {
  const Sums d = sums_of(network.demand_s);
  if (n <= 0) return {};
  return {n / (n * d.total + network.think_s), std::min(1 / d.greatest, n / (d.total + network.think_s)), 0, 0};
}

ThroughputBounds balanced(const ClosedDemands& network) {
  const Sums d = sums_of(network.demand_s);
  const double n = network.population, z = network.think_s;
  const double slower = (n - 1) * d.greatest / (1 + z / (n * d.total));
  const double faster = (n - 1) * d.mean / (1 + z / d.total);
  return with_responses(network, n / (d.total + z + slower), std::min(1 / d.greatest, n / (d.total + z + faster)));
}

/// (y - y^(n+1)) / (1 - y), the sum y + .. + y^n, also at and near y = 1.
double geometric_sum(double y, int n) {
  if (y >= 1) return n;
  if (y <= 0) return 0;
  return -y * std::expm1(n * std::log(y)) / (1 - y);
}

}  // namespace

Solved<ThroughputBounds> asymptotic_bounds(const ClosedDemands& network) {
  if (auto bad = check_closed(network)) return *bad;
  const ThroughputBounds x = asymptotic(network, network.population);
  return with_responses(network, x.throughput_lower, x.throughput_upper);
}

Solved<ThroughputBounds> balanced_job_bounds(const ClosedDemands& network) {
  if (auto bad = check_closed(network)) return *bad;
  return balanced(network);
}

Solved<ThroughputBounds> proportional_bounds(const ClosedDemands& network) {
  if (auto bad = check_closed(network)) return *bad;
  const Sums d = sums_of(network.demand_s);
  const double n = network.population, z = network.think_s;
  const ThroughputBounds before = asymptotic(network, n - 1);
  double high = 0, low = 0;  // demands by powers n and n-1, relative to the greatest, which must not overflow
  for (const double each : network.demand_s)
    high += std::pow(each / d.greatest, n), low += std::pow(each / d.greatest, n - 1);
  const double slower = d.greatest * high / low * (n - 1 - z * before.throughput_lower);
  const double faster = d.squares / d.total * (n - 1 - z * before.throughput_upper);
  return with_responses(network, n / (d.total + z + slower), std::min(1 / d.greatest, n / (d.total + z + faster)));
}

Solved<GeometricBounds> geometric_bounds(const ClosedDemands& network) {
  if (auto bad = check_closed(network)) return *bad;
  const Sums d = sums_of(network.demand_s);
  const double z = network.think_s;
  // Mean numbers with n customers, given bounds of the throughput with n. P(number >= j) is demand^j times the product
  // of the throughputs with n, n-1, .. n-j+1.
  const auto lower_number = [&](double demand, int n) {
    const double y = demand * n / (z + d.total + d.greatest * n);
    return std::max(0.0, geometric_sum(y, n) - n * std::pow(y, n + 1));
  };
  const auto upper_number = [&](double demand, int n, double throughput) {
    return geometric_sum(demand * throughput, n);
  };
  const int n = network.population;
  const ThroughputBounds before = asymptotic(network, n - 1);
  double least = 0, most = 0;  // what those beside the bottleneck take off its response time
  for (const double each : network.demand_s) {
    least += (d.greatest - each) * lower_number(each, n - 1);
    most += (d.greatest - each) * upper_number(each, n - 1, before.throughput_upper);
  }
  const double lower = n / (z + d.total + d.greatest * (n - 1 - z * before.throughput_lower) - least);
  const double room = z + d.total + d.greatest * (n - 1 - z * before.throughput_upper) - most;
  const double limit = asymptotic(network, n).throughput_upper;
  GeometricBounds bounds;
  static_cast<ThroughputBounds&>(bounds) = with_responses(network, lower, room > 0 ? std::min(limit, n / room) : limit);
  // The bottlenecks share what the others leave.
  double others_lower = 0, others_upper = 0;
  int bottlenecks = 0;
  for (const double each : network.demand_s) {
    bounds.number_lower.push_back(lower_number(each, n));
    bounds.number_upper.push_back(upper_number(each, n, bounds.throughput_upper));
    if (each >= d.greatest) ++bottlenecks;
    else others_lower += bounds.number_lower.back(), others_upper += bounds.number_upper.back();
  }
  for (std::size_t k = 0; k < network.demand_s.size(); ++k) {
    if (network.demand_s[k] < d.greatest) continue;
    bounds.number_lower[k] = std::max(0.0, (n - z * bounds.throughput_upper - others_upper) / bottlenecks);
    bounds.number_upper[k] = (n - z * bounds.throughput_lower - others_lower) / bottlenecks;
  }
  return bounds;
}

namespace {

std::optional<Diagnostic> check_classes(const QueueingNetwork& network) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  for (std::size_t k = 0; k < network.stations.size(); ++k)
    if (const NetworkStation& s = network.stations[k];
        s.kind == StationKind::load_dependent || (s.kind == StationKind::queue && s.servers > 1))
      return queueing_error("QUE105", station_label(network, k) + " is no single server.");
  for (const NetworkClass& c : network.classes)
    if (c.open) return queueing_error("QUE105", "Bounds are of closed classes; the network has an open one.");
  return {};
}

double customers_of(const QueueingNetwork& network) {
  double customers = 0;
  for (const NetworkClass& c : network.classes) customers += c.population;
  return customers;
}

void set_responses(const NetworkClass& c, ThroughputBounds& b) {
  b.response_lower_s = std::max(0.0, c.population / b.throughput_upper - c.think_s);
  b.response_upper_s = c.population / b.throughput_lower - c.think_s;
}

}  // namespace

Solved<std::vector<ThroughputBounds>> multiclass_composite_bounds(const QueueingNetwork& network) {
  auto answer = multiclass_asymptotic_bounds(network);
  auto* bounds = std::get_if<std::vector<ThroughputBounds>>(&answer);
  if (bounds == nullptr) return answer;
  const std::size_t classes = network.classes.size();
  const double customers = customers_of(network);
  for (std::size_t r = 0; r < classes; ++r) {
    double all = network.classes[r].think_s, greatest = 0;
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      all += network.demand_s(k, r);
      if (network.stations[k].kind == StationKind::queue) greatest = std::max(greatest, network.demand_s(k, r));
    }
    if (network.classes[r].population == 0) continue;
    ThroughputBounds& b = (*bounds)[r];
    b.throughput_lower =
        std::max(b.throughput_lower, network.classes[r].population / (all + greatest * (customers - 1)));
  }
  for (std::size_t r = 0; r < classes; ++r) {
    if (network.classes[r].population == 0) continue;
    ThroughputBounds& b = (*bounds)[r];
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      const double demand = network.demand_s(k, r);
      if (network.stations[k].kind == StationKind::delay || demand <= 0) continue;
      double left = 1;
      for (std::size_t s = 0; s < classes; ++s)
        if (s != r) left -= (*bounds)[s].throughput_lower * network.demand_s(k, s);
      b.throughput_upper = std::min(b.throughput_upper, left / demand);
    }
    set_responses(network.classes[r], b);
  }
  return answer;
}

Solved<std::vector<ThroughputBounds>> multiclass_asymptotic_bounds(const QueueingNetwork& network) {
  if (auto bad = check_classes(network)) return *bad;
  const std::size_t classes = network.classes.size();
  const double customers = customers_of(network);
  std::vector<ThroughputBounds> bounds(classes);
  for (std::size_t r = 0; r < classes; ++r) {
    if (network.classes[r].population == 0) continue;
    double total = 0, greatest = 0, delay = network.classes[r].think_s, crowded = 0;
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      const double demand = network.demand_s(k, r);
      if (network.stations[k].kind == StationKind::delay) {
        delay += demand;
        continue;
      }
      total += demand, greatest = std::max(greatest, demand);
      // At worst all others stand before each visit, and each of them takes what is longest there.
      double longest = 0;
      for (std::size_t s = 0; s < classes; ++s)
        if (network.classes[s].population > 0) longest = std::max(longest, network.service_s[network.at(k, s)]);
      const double visits = network.visits[network.at(k, r)];
      crowded += demand + visits * longest * (customers - 1);
    }
    const double n = network.classes[r].population;
    ThroughputBounds& b = bounds[r];
    b.throughput_lower = n / (delay + crowded);
    b.throughput_upper = n / (delay + total);
    if (greatest > 0) b.throughput_upper = std::min(b.throughput_upper, 1 / greatest);
    set_responses(network.classes[r], b);
  }
  return bounds;
}

namespace {

std::optional<Diagnostic> check_open(double rate, const std::vector<double>& demand) {
  if (auto bad = check_demands(demand)) return bad;
  if (!std::isfinite(rate) || rate < 0)
    return queueing_error("QUE102", "The arrival rate is " + number_text(rate) + " /s; wanted at least 0 /s.");
  const auto busiest = std::max_element(demand.begin(), demand.end());
  if (rate * *busiest >= 1)
    return queueing_error("QUE103", "Station " + std::to_string(busiest - demand.begin() + 1) + " has the load " +
                                        number_text(rate * *busiest, 6) + "; wanted below 1.");
  return {};
}

}  // namespace

Solved<ThroughputBounds> open_asymptotic_bounds(double arrival_rate, const std::vector<double>& demand_s) {
  // At the very limit bounds still hold.
  if (auto bad = check_open(arrival_rate * (1 - 1e-15), demand_s)) return *bad;
  const Sums d = sums_of(demand_s);
  return ThroughputBounds{0, 1 / d.greatest, d.total, std::numeric_limits<double>::infinity()};
}

Solved<ThroughputBounds> open_balanced_bounds(double arrival_rate, const std::vector<double>& demand_s) {
  if (auto bad = check_open(arrival_rate, demand_s)) return *bad;
  const Sums d = sums_of(demand_s);
  return ThroughputBounds{0, 1 / d.greatest, d.total / (1 - arrival_rate * d.mean),
                          d.total / (1 - arrival_rate * d.greatest)};
}

}  // namespace ergode
