#pragma once
#include <string>
#include <vector>

#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/solve/network_means.h"

namespace ergode {

/// What customers of a chain of classes do in the long run, from end to end.
struct Passage {
  std::string name;  ///< of its classes, joined by +
  ElementId element;
  double number = 0.0;      ///< in stations and delays
  double throughput = 0.0;  ///< of open ones those who come to sinks, of closed ones those who pass the reference [1/s]
  double response_s = NetworkMeans::none;  ///< from end to end; of closed ones without the stay at a delay of reference
  double waiting_s = NetworkMeans::none;   ///< in all lines of it; also NetworkMeans::lost_digits
  bool complete = true;                    ///< numbers are of those who are served to the end alone
};

/// Whether those who are at some places are served to the end. Who gives up, or is turned away after he was somewhere,
/// was counted there too; who is turned away at the only place where anybody is was nowhere.
/// @param places  at which there is anybody
inline bool all_pass(double gave_up, double lost, std::size_t places) {
  return gave_up == 0.0 && (lost == 0.0 || places <= 1);
}

/// By chain [of.chains]; of those to which nobody belongs all is 0. Numbers and rates are sums over means, times follow
/// by Little's law. O(nodes * classes).
std::vector<Passage> passages_of(const NetworkModel& model, const NetworkMeans& means, const Traffic& of);

/// Transitions make and end customers, and before regions they wait at no station: then numbers at stations do not tell
/// how long a passage takes.
bool passages_known(const NetworkModel& model);

}  // namespace ergode
