#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// How fast a station works with 1, 2, ... customers present, relative to one server at speed 1: its number of servers
/// at work times its speed, an expression over the station's own number alone.
///
/// The list ends where nothing changes any more, which interval arithmetic proves, or at `most` customers.
/// O(length * length of the expression), at most 100 000 numbers.
/// @param most  customers that can ever be there; NetworkModel::unlimited: any number
/// @returns why there is none, a sentence that names the station: the speed reads something else, is no number above
///     0, or goes on changing.
std::variant<std::vector<double>, std::string> speeds_by_number(const NetworkModel::Node& station,
                                                                const NetworkModel::Rules& rules, std::uint32_t most);

}  // namespace ergode
