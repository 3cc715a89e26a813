#pragma once
#include <vector>

#include "solvers/queueing/exact/station_means.h"

namespace ergode {

/// An open network in which stations are told from each other by means and variabilities alone. A variability is a
/// squared coefficient of variation: variance over squared mean.
struct OpenStation {
  int servers = 1;                 ///< 0: as many as customers
  double mean_s = 0;               ///< service time [s]; finite, >= 0
  double service_variability = 1;  ///< finite, >= 0
};
/// Customers from outside at one station: part `share` of a renewal stream of this variability goes there.
struct OutsideArrivals {
  std::size_t station = 0;
  double rate = 0;         ///< that come here [1/s], > 0
  double share = 1;        ///< of the stream, (0, 1]
  double variability = 1;  ///< of the stream before it is split
  std::size_t stream = 0;  ///< those with one number are parts of one; read by heavy_traffic() only
};
/// Customers who go from one station to another.
struct InsideFlow {
  std::size_t from = 0, to = 0;
  double rate = 0;  ///< [1/s], > 0
};

/// Rates and variabilities of what arrives at each station.
struct StationArrivals {
  double rate = 0;         ///< [1/s]
  double variability = 1;  ///< where nobody comes: 1
};

/// What arrives at every station, its flows superposed, split and passed through servers, each seen as a renewal
/// process: linear equations for the variabilities. Exact for one source before one station, and where all are 1.
/// QUE102 for values out of range, QUE103 where a station cannot carry its load. O(stations^3).
/// Whitt, "The queueing network analyzer", Bell System Tech. J. 62, 1983, sections 4.2 to 4.4 (with nu = 0).
Solved<std::vector<StationArrivals>> decompose(const std::vector<OpenStation>& stations,
                                               const std::vector<OutsideArrivals>& outside,
                                               const std::vector<InsideFlow>& inside);

}  // namespace ergode
