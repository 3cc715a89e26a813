#pragma once
#include <vector>

#include "solvers/queueing/exact/routing.h"

namespace ergode {

/// Visits between two visits of `reference`, in a chain whose rows add up to 1 for all places of `of`: those that are
/// reached from there, each of which leads back. 0 for the others.
///
/// By elimination without subtractions (Grassmann, Taksar and Heyman, "Regenerative analysis and steady state
/// distributions for Markov chains", Oper. Res. 33, 1985), so every digit counts. Places that few ways join go first
/// (Markowitz, "The elimination form of the inverse", Management Science 3, 1957): O(places log places) where ways
/// form chains and trees, O(places^3) at worst. Where that fills with ways, and customers come back soon, they are
/// added up step by step instead, O(ways) each, until none of all those to come counts: in positive terms, too, and
/// with a bound of what is left of each place.
std::vector<double> cycle_visits(const Routing& routing, std::size_t reference, const std::vector<bool>& of);

}  // namespace ergode
