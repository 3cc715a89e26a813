#pragma once
#include <cstdint>
#include <vector>

#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

/// Traffic equations: mean visits from probabilities of where to go next, by cycle_visits(), so every digit counts.
///
/// Probabilities are finite and >= 0, those of each place at most 1 (in closed networks 1, within 1e-9). QUE101 for
/// tables that do not fit, QUE102 for values out of range, and for places that customers reach but never leave.

/// Where to go next, from place to place; of several ways between two places the sum.
struct Routing {
  struct Way {
    std::uint32_t from, to;
    double probability;
  };
  std::size_t places = 0;
  std::vector<Way> ways;
};
/// From a table [from * places + to]; of one that is not square a Routing without places.
Routing routing_of(const std::vector<double>& table);

/// Open: visits per arrival from outside; the rest of a place's probability leaves. `arrivals[place]` in any unit,
/// their sum above 0.
Solved<std::vector<double>> open_visits(const Routing& routing, const std::vector<double>& arrivals);

/// Closed: visits between two visits of `reference`; 0 for places that are never reached from there.
Solved<std::vector<double>> closed_visits(const Routing& routing, std::size_t reference);

/// The same but for how often: 1 for places that are visited. O(places + ways)
Solved<std::vector<double>> closed_places(const Routing& routing, std::size_t reference);

/// Whether whoever begins at one of `starts` comes to `target` in the end, wherever he goes. O(places + ways)
bool always_reaches(const Routing& routing, const std::vector<std::size_t>& starts, std::size_t target);

/// Classes whose customers may become others. Classes between which they change form a chain.
struct ChainVisits {
  /// [station * classes + class]: of closed classes per visit of the chain's reference, of open ones per customer who
  /// comes from outside.
  std::vector<double> visits;
  std::vector<std::size_t> chain;  ///< [class], counted from 0
  std::size_t chains = 0;
};

/// @param routing    a place is station * classes + class.
/// @param reference  [class] station at which the class counts, should it be the first of its chain.
Solved<ChainVisits> closed_chain_visits(std::size_t stations, std::size_t classes, const std::vector<double>& routing,
                                        const std::vector<std::size_t>& reference);

/// The network with one class per chain: the populations of its classes together, their greatest think time, visits
/// added up, service times as their mean. Means of product-form networks depend on no more. Classes of an open chain
/// each have the chain's arrival rate.
QueueingNetwork merge_chains(const QueueingNetwork& network, const ChainVisits& chains);

/// Means of each class from those of its chain, those who wait too: at a station in proportion to demands.
/// Classes have the chain's throughput; their visits say what part of it is theirs.
NetworkResult split_chains(const QueueingNetwork& network, const ChainVisits& chains, const NetworkResult& merged);

}  // namespace ergode
