#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// How often customers of one class come to each node: of an open class per second, of a closed one per visit of its
/// reference station. The traffic equations a = e + a P, solved as they stand (Jackson, Networks of waiting lines,
/// Operations Research 5, 1957). Sparse elimination: O(nodes) where ways form chains, more where they form meshes.
/// @returns by node; or why there is no answer, half a sentence: ways or rates that change while the model runs,
///     customers who never leave or never come back.
std::variant<std::vector<double>, std::string> traffic(const NetworkModel& model, std::uint32_t of_class);

/// Customers per second that a source sends in the long run, 0 where gaps have no finite mean; nothing where that
/// changes while the model runs, or is not known (bursts, lists of times that end).
std::optional<double> rate_of(const NetworkModel::Node& source);

/// By node: the share of its servers' time that open classes ask of a station, above 1 where it cannot keep up. 0 of
/// all other nodes, and where anything that decides changes while the model runs or customers turn round or give up;
/// servers whose number changes count with the most there can be.
/// @param ranges  by slot: what it can hold; none: only stations whose number of servers is fixed are answered
std::vector<double> offered_loads(const NetworkModel& model, std::span<const Range> ranges = {});
/// QN010 (warning): stations to which more work comes than they can do.
Diagnostics overloads(const NetworkModel& model, std::span<const Range> ranges);

}  // namespace ergode
