#pragma once
#include <optional>

#include "solvers/queueing/exact/station_means.h"

namespace ergode {

/// What StationMeans says here: `response_s` and `waiting_s` are of those who are served, `loss_probability` is that of
/// being turned away, `wait_probability` that one who is let in finds all servers busy.
struct ImpatientMeans : StationMeans {
  double abandonment_probability = 0;  ///< That one who comes is let in and gives up.
};

/// M/M/c/K+M: Poisson arrivals, exponential times and patience, first come first served; at most `capacity` present
/// (absent: any number). Who waits gives up at the rate `abandonment_rate`, > 0. An arrival who finds q others waiting
/// is served with probability c mu / (c mu + (q + 1) theta), after a mean wait of the sum of 1 / (c mu + k theta) over
/// k from 1 to q + 1. QUE102; QUE104 where more than four million states count. O(servers + length of the queue that
/// still counts). Palm 1957; Ancker and Gafarian, "Some queuing problems with balking and reneging", Oper. Res. 11,
/// 1963.
Solved<ImpatientMeans> impatient_customers(double arrival_rate, double service_rate, int servers,
                                           double abandonment_rate, std::optional<int> capacity = {});

}  // namespace ergode
