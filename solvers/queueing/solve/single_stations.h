#pragma once
#include <string>
#include <variant>
#include <vector>

#include "solvers/queueing/solve/network_means.h"

namespace ergode {

/// Customers of one class at a station that stands for itself.
struct StationTraffic {
  std::uint32_t of_class = 0;
  double arrival_rate = 0.0;  ///< [1/s], > 0; Poisson
};

/// Means of one station or delay with Poisson arrivals, by the closed form that fits it.
/// @param traffic  of the classes that come, at least one
/// @returns means in the order of `traffic`; or why no closed form fits, sentences that name the station.
std::variant<std::vector<PlaceMeans>, std::string> closed_form_of(const NetworkModel& model, std::uint32_t node,
                                                                  const std::vector<StationTraffic>& traffic);

}  // namespace ergode
