#pragma once
#include <vector>

#include "solvers/queueing/exact/general_service_stations.h"

namespace ergode {

/// In which order one server takes jobs whose size decides.
enum class SizeOrder {
  shortest_first,            ///< of those who wait the shortest; services are not interrupted
  longest_first,             ///< the longest
  shortest_remaining_first,  ///< preemptive
  least_attained_first       ///< those who have got least share the server; sizes need not be known
};

/// Jobs of one class.
struct SizedClass {
  double arrival_rate = 0;  ///< [1/s]; finite, >= 0
  ServiceDensity service;
};

/// M/G/1, several classes, of which only the size counts. Per class; utilisation is the class's own share. `waiting_s`
/// is until service begins for the first time: 0 for least_attained_first. All means are finite if second moments are;
/// QUE102 for values out of range and where a density does not integrate to 1 and the mean, each within 1e-6; QUE103.
///
/// The response time of a job of size x, with F the mixture of all classes, rho(x) the load of jobs up to x and m(x)
/// their part of the second moment: shortest first lambda E[S^2] / 2 / (1 - rho(x))^2 + x; Schrage and Miller 1966 for
/// shortest remaining first; Kleinrock, "Queueing systems", volume 2, 1976, for least attained first (sizes cut at x)
/// and the others. Integrated over panels that shrink geometrically towards both ends of each density, ten Gauss nodes
/// each, tails from behind. Digits: ten or more for the usual families. Time: some 3e3 values of each density.
Solved<std::vector<StationMeans>> mg1_by_size(SizeOrder order, const std::vector<SizedClass>& classes);

}  // namespace ergode
