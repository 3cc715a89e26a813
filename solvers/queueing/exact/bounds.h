#pragma once
#include <vector>

#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

/// Between what throughput [1/s] and response time [s] lie; response times are without thinking.
struct ThroughputBounds {
  double throughput_lower = 0, throughput_upper = 0;
  double response_lower_s = 0, response_upper_s = 0;
};

/// A closed network of one class and single servers.
struct ClosedDemands {
  std::vector<double> demand_s;  ///< Of each server [s]; finite, >= 0, one above 0.
  double think_s = 0;            ///< Thinking and delays [s]; finite, >= 0.
  int population = 1;            ///< >= 1
};

/// All of them: QUE102 for values out of range; O(servers) unless said otherwise.

/// Asymptotic bounds: nobody waits, or everybody for all others.
/// Muntz and Wong, "Asymptotic properties of closed queueing network models", 1974.
Solved<ThroughputBounds> asymptotic_bounds(const ClosedDemands& network);

/// Balanced job bounds: balanced networks that are slower and faster.
/// Zahorjan, Sevcik, Eager and Galler, "Balanced job bound analysis of queueing networks", Comm. ACM 25, 1982; with
/// think times as in Lazowska, Zahorjan, Graham and Sevcik, "Quantitative system performance", 1984, table 5.2.
Solved<ThroughputBounds> balanced_job_bounds(const ClosedDemands& network);

/// Proportional bounds: an arriving customer finds the others spread in proportion to a power of the demands.
/// Hsieh and Lam, "Two classes of performance bounds for closed queueing networks", Perf. Evaluation 7, 1987.
Solved<ThroughputBounds> proportional_bounds(const ClosedDemands& network);

/// Geometric bounds of throughput, response time and each server's mean number.
struct GeometricBounds : ThroughputBounds {
  std::vector<double> number_lower, number_upper;  ///< [server]
};

/// Casale, Muntz and Serazzi, "Geometric bounds: a noniterative analysis technique for closed queueing networks",
/// IEEE Trans. Computers 57, 2008.
Solved<GeometricBounds> geometric_bounds(const ClosedDemands& network);

/// Asymptotic bounds of each closed class of a network of single servers and delays. QUE105 for open classes and other
/// stations. A class without customers has zeros. O(stations * classes).
/// Lazowska, Zahorjan, Graham and Sevcik, "Quantitative system performance", 1984, chapter 5.
Solved<std::vector<ThroughputBounds>> multiclass_asymptotic_bounds(const QueueingNetwork& network);

/// Tighter ones: an arriving customer finds at most all others, each at the station where its class needs most; and
/// what the other classes take of a server at least is not there for this one. Zahorjan et al. 1982 (lower throughput);
/// Kerola, "The composite bound method for computing throughput bounds in multiple class environments", Perf.
/// Evaluation 6, 1986 (upper). O(stations * classes^2).
Solved<std::vector<ThroughputBounds>> multiclass_composite_bounds(const QueueingNetwork& network);

/// An open network of one class and single servers: the throughput is what arrives; bounded are what can arrive at most
/// and the response time. `response_upper_s` of the asymptotic bounds is infinite. QUE102 for an arrival rate that is
/// not finite or negative, QUE103 where a server cannot carry it.
Solved<ThroughputBounds> open_asymptotic_bounds(double arrival_rate, const std::vector<double>& demand_s);
Solved<ThroughputBounds> open_balanced_bounds(double arrival_rate, const std::vector<double>& demand_s);

}  // namespace ergode
