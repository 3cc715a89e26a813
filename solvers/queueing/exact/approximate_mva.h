#pragma once
#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

struct ApproximationOptions {
  double tolerance = 1e-10;  ///< Greatest change of a mean number, relative to the population, that counts as none.
  int most_iterations = 100'000;  ///< Of the inner iteration; QUE106 beyond.
};

/// Approximate means of closed and mixed networks of any population, by the Bard-Schweitzer estimate: one customer less
/// of a class takes its share from everywhere. Errors of throughputs are a few percent on average, and up to a quarter
/// for small populations; exact for one customer and for balanced networks of one class.
///
/// Several servers: a server c times as fast, followed by a delay of (c-1)/c of the service time (Seidmann). Open
/// classes take their share of each server first. Load-dependent stations are refused (QUE105). Time O(stations *
/// classes) per iteration; memory O(stations * classes).
///
/// Schweitzer, "Approximate analysis of multiclass closed networks of queues", 1979. Bard, "Some extensions to
/// multiclass queueing network analysis", 1979. Seidmann, Schweitzer and Shalev-Oren, "Computerized closed queueing
/// network models of flexible manufacturing systems", Large Scale Systems 12, 1987.
Solved<NetworkResult> schweitzer_bard(const QueueingNetwork& network, const ApproximationOptions& options = {});

/// The same with estimates of how a class's share at a station changes when a customer leaves, from solutions with one
/// customer less of each class, until they settle. Errors of throughputs are typically below one percent.
/// Time O(stations * classes^3) per inner iteration; memory O(stations * classes^2).
///
/// Chandy and Neuse, "Linearizer: a heuristic algorithm for queueing network models of computing systems",
/// Comm. ACM 25, 1982.
Solved<NetworkResult> linearizer(const QueueingNetwork& network, const ApproximationOptions& options = {});

}  // namespace ergode
