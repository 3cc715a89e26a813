#pragma once
#include <limits>
#include <string>
#include <vector>

#include "core/des/known_slots.h"
#include "core/results/result_table.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// What somebody found of how busy a station is: the share of its servers' time, with the ends of its interval, which
/// are the share itself where it is exact. NaN: it was not looked at, or has no ends.
struct StationUse {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double share = none, lower = none, upper = none;
};

/// The table `utilisation`: the stations of a network in the order of their utilisation, beside what the traffic
/// equations say (offered_loads()), and in its note the bottleneck in a sentence. That is the station that is busy most
/// where `uses` knows it of all; else the one of which most is asked. Equal ones, and those whose intervals overlap,
/// are named together; where the equations tell them apart all the same, that is said, and those of which they ask
/// alike are none because a mission fills one first. None is called the bottleneck while nothing is known of one, where
/// what is offered decides and some of it may be lost, and where customers may also wait for what is not busy: servers
/// that fail, are away or held up, units of pools, room in regions.
/// @param uses    by node; empty: nobody looked
/// @param solver  for the table
/// @param known   of numbers of servers; by default of those that stay the same
/// @returns  a table without rows where there are fewer than two stations, or nothing is known of any
ResultTable utilisation_table(const NetworkModel& model, const std::vector<StationUse>& uses, const std::string& solver,
                              const KnownSlots& known = {});

}  // namespace ergode
