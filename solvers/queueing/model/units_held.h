#pragma once
#include <cstdint>
#include <vector>

#include "solvers/queueing/model/least_flows.h"

namespace ergode {

/// How many units of pools customers hold where, at least: on whichever way they come there, and while they are served
/// or stay, waits not counted. Units that attributes decide count as none; parts of customers hold none.
/// Cost: O(pools x places x ways), as often as a place turns out to be reached with fewer.
class UnitsHeld {
 public:
  /// @param flows  must outlive this; what it found last is what comes
  UnitsHeld(const NetworkModel& model, const LeastFlows& flows);
  /// The mean number of units that are held if everybody goes on who comes (Little, A proof for the queuing formula
  /// L = lambda W, Operations Research 9(3), 1961), over the most that there can be.
  double share(std::uint32_t pool) const;
  /// The first node at which it is seized; none: at none.
  std::uint32_t taken_at(std::uint32_t pool) const;

 private:
  void follow(std::uint32_t pool);
  double stays_s(std::uint32_t node, std::uint32_t of_class) const;

  const NetworkModel& model_;
  const LeastFlows& flows_;
  std::size_t classes_;
  std::vector<std::vector<std::uint32_t>> held_;  ///< by pool, then place; none: nobody comes there
};

}  // namespace ergode
