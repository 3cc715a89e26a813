#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace ergode {

/// A station of a line through which customers go one after the other, whose services are exponential.
struct LineStation {
  double rate_per_s = 1.0;    ///< of one server, > 0
  std::uint32_t servers = 1;  ///< >= 1
  std::uint32_t room = 1;     ///< customers, those served included; of the first not looked at
  /// It begins a service only when there is room behind it (blocking before service); one server then. Else who is
  /// done keeps his server until there is (blocking after service).
  bool holds_before = false;
};

/// Customers per second that a line lets through whose first station always has some: whatever comes to it, no more
/// go on for long, and as long as fewer come its queue has a long run. The chain of those at the other stations, and of
/// those who are done and held up, is solved by elimination without subtractions (Grassmann, Taksar and Heyman,
/// Regenerative analysis and steady state distributions for Markov chains, Operations Research 33(5), 1985). Blocking:
/// Perros, Queueing Networks with Blocking, 1994; Konheim and Reiser, A queueing model with finite waiting room and
/// blocking, Journal of the ACM 23(2), 1976, for the limit of two stations.
///
/// @param most_steps  multiplications that may be spent
/// @returns nothing where they do not suffice, or for fewer than two stations
/// Cost: O(states x band^2), states being some product of rooms and band that of all but the greatest.
std::optional<double> saturated_throughput(std::span<const LineStation> line, double most_steps);

}  // namespace ergode
