#pragma once
#include <vector>

#include "solvers/queueing/exact/effort.h"
#include "solvers/queueing/exact/queueing_network.h"
#include "solvers/queueing/exact/wide_double.h"

namespace ergode {

/// Generating function of a station's weights: F(x) = P(x) / (1 - x/speed), x the sum over closed classes of demand
/// times the class's variable; scaled so that F(0) = 1. All coefficients are >= 0, and may be as small as 1/servers!.
struct StationFunction {
  std::vector<WideDouble> polynomial;  ///< P, from the constant, which is 1.
  std::vector<WideDouble> derivative;  ///< P' where there is a tail, else that of F itself.
  /// Of those who wait, one customer earlier, times (1 - x/speed)^2: (x + load)^c / (c! c). Queues with a tail only.
  std::vector<WideDouble> waiting;
  double tail_speed = 0;  ///< What remains for closed classes when all speed up is reached [1]; 0: no tail.
  double log_scale = 0;   ///< Logarithm of what F(0) was before: the sum over open customers alone.
  bool single_server() const { return polynomial.size() == 1 && tail_speed > 0; }
};

/// @param open_load  of all open classes together, below what the station can carry.
/// @param population  closed customers in the network: the degree at which a polynomial without tail is cut.
StationFunction station_function(const NetworkStation& station, double open_load, int population, Effort& effort);

}  // namespace ergode
