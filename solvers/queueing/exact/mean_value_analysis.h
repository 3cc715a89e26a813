#pragma once
#include "core/study/budget.h"
#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

/// Exact means of a closed, open or mixed product-form network by mean value analysis.
///
/// Single servers and delays: the arrival theorem over the lattice of populations, in one pass that keeps one slice of
/// it. Time O(lattice * classes * stations); memory two slices, the greatest population left out, of one number per
/// single server. At most 2e8 states and 1e8 numbers (QUE104). Open classes alone: Jackson's networks, `open_network`.
///
/// With several servers or load-dependent speeds anywhere the answer comes from `convolution`: the recursion of
/// marginal probabilities takes that of an idle station as 1 minus a sum and loses all digits near saturation.
///
/// Open classes take their share of each server first; what is left serves the closed ones.
///
/// Reiser and Lavenberg, "Mean-value analysis of closed multichain queuing networks", J. ACM 27, 1980.
/// Zahorjan and Wong, "The solution of separable queueing network models using mean value analysis", 1981 (mixed).
///
/// Those who wait are in the result, where they are a sum of positive terms: at queues always, but for thousands of
/// servers that open and closed customers share.
/// @throws OverBudget  before it begins, where the work would be more than allowed; RUN003 when it was stopped.
Solved<NetworkResult> mean_value_analysis(const QueueingNetwork& network, const Budget& budget = Budget());

}  // namespace ergode
