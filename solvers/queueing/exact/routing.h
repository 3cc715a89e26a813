#pragma once
#include <vector>

#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

/// Traffic equations: mean visits from probabilities of where to go next, by elimination without subtractions
/// (Grassmann, Taksar and Heyman, "Regenerative analysis and steady state distributions for Markov chains",
/// Oper. Res. 33, 1985), so every digit counts. O(places^3).
///
/// `routing[from * places + to]`: finite, >= 0, each row at most 1 (in closed networks 1, within 1e-9). QUE101 for
/// tables that do not fit, QUE102 for values out of range, and for places that customers reach but never leave.

/// Open: visits per arrival from outside; the rest of a row leaves. `arrivals[place]` in any unit, their sum above 0.
Solved<std::vector<double>> open_visits(const std::vector<double>& routing, const std::vector<double>& arrivals);

/// Closed: visits between two visits of `reference`; 0 for places that are never reached from there.
Solved<std::vector<double>> closed_visits(const std::vector<double>& routing, std::size_t reference);

/// Closed classes whose customers may become others. Classes between which they change form a chain.
struct ChainVisits {
  std::vector<double> visits;      ///< [station * classes + class], per visit of the chain's reference
  std::vector<std::size_t> chain;  ///< [class], counted from 0
  std::size_t chains = 0;
};

/// @param routing    a place is station * classes + class.
/// @param reference  [class] station at which the class counts, should it be the first of its chain.
Solved<ChainVisits> closed_chain_visits(std::size_t stations, std::size_t classes, const std::vector<double>& routing,
                                        const std::vector<std::size_t>& reference);

/// The network with one class per chain: the populations of its classes together, their greatest think time, visits
/// added up, service times as their mean. Means of product-form networks depend on no more.
QueueingNetwork merge_chains(const QueueingNetwork& network, const ChainVisits& chains);

/// Means of each class from those of its chain: at a station in proportion to demands.
/// Classes have the chain's throughput; their visits say what part of it is theirs.
NetworkResult split_chains(const QueueingNetwork& network, const ChainVisits& chains, const NetworkResult& merged);

}  // namespace ergode
