#pragma once
#include <cstdint>
#include <vector>

#include "solvers/queueing/model/station_limits.h"

namespace ergode {

/// Stations one behind the other through which one class goes, each but the first with little room, for which who comes
/// from before is held up. Nobody comes to any but the first from elsewhere.
struct BlockingLine {
  std::vector<std::uint32_t> stations;  ///< at least two nodes, in the order in which customers pass them
  std::uint32_t of_class = 0;
  double most_per_s = 0.0;  ///< customers that it lets through at most, whatever comes
  /// Nothing but these stations, of exponential services, decides: as many go on as come, up to the most.
  bool exactly = false;
};

/// The lines of a network, each as long as it can be. What a line lets through is worked out by saturated_throughput()
/// where all services are exponential; of one that is too long for that of each part of it as long as can be, since no
/// line lets more through than a part of it would alone.
/// Cost: O(nodes + ways), and thirty million steps for all lines together.
std::vector<BlockingLine> blocking_lines(const NetworkModel& model, const StationLimits& limits);

}  // namespace ergode
