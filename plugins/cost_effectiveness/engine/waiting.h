#pragma once
#include <cstdint>

namespace cost_effectiveness {

/// Requests that come at random to c equal servers with exponential times (Erlang 1917; Kleinrock, Queueing Systems,
/// vol. 1, 1975, section 3.5).
struct QueueWaiting {
  double utilisation = 0.0;  ///< 1 (but for rounding) and more: the line grows without end; what follows is infinite
  double chance = 0.0;       ///< that a request waits
  double wait_s = 0.0, response_s = 0.0;  ///< means
};
/// O(servers).
/// @param rate_per_s  >= 0
/// @param service_s   mean, > 0
/// @param servers     at least 1
QueueWaiting waiting(double rate_per_s, double service_s, std::uint32_t servers);
/// The fewest servers with which the mean response is at most `limit_s` (infinite: with which the line does not grow);
/// 0 where no number does, for the service alone takes longer. O(servers).
std::uint32_t fewest_servers(double rate_per_s, double service_s, double limit_s);

}  // namespace cost_effectiveness
