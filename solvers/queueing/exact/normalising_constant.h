#pragma once
#include "core/study/budget.h"
#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

/// Exact means of a mixed network by normalising constants over the lattice of populations (convolution).
/// Any number of open and closed classes, all kinds of stations; speeds depend on how many are present, of all classes.
///
/// All sums have positive terms only, so nothing cancels at any load: a station with c servers is the polynomial
/// sum over n < c of (1 - n/c) x^n / n!, followed by one server of speed c; open classes shift its argument by their
/// load. Beyond 100 customers numbers have an exponent of their own (`WideDouble`) and never overflow.
///
/// Time O(lattice * classes * (stations + speeds)), for networks with stations other than delays and single servers
/// times the number of these; memory five numbers per lattice point, at most 2e7 points (QUE104).
/// @throws OverBudget  before it begins, where that is more than allowed; RUN003 when it was stopped.
///
/// Buzen, "Computational algorithms for closed queueing networks with exponential servers", Comm. ACM 16, 1973.
/// Reiser and Kobayashi, "Queueing networks with multiple closed chains: theory and computational algorithms",
/// IBM J. Res. Dev. 19, 1975. The open classes: Lam, "Queueing networks with population size constraints",
/// IBM J. Res. Dev. 21, 1977.
Solved<NetworkResult> convolution(const QueueingNetwork& network, const Budget& budget = Budget());

/// Natural logarithms of the normalising constants G(0) = 1, G(1), .. G(population) of a network of one closed class,
/// with demands as they are [s]. G(n-1) / G(n) is the throughput with n customers. QUE105 for other networks.
Solved<std::vector<double>> log_normalising_constants(const QueueingNetwork& network);

/// Probabilities of 0, 1, .. population customers at a station of a network of one closed class, by the constants of
/// the network without it. Relative error about 1e-11 at thousands of customers. QUE105 for other networks; QUE101 for
/// a station that there is not.
Solved<std::vector<double>> marginal_probabilities(const QueueingNetwork& network, std::size_t station);

}  // namespace ergode
