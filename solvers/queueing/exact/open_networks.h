#pragma once
#include "core/study/budget.h"
#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

/// Exact means of an open product-form network, station by station: with one class Jackson's, with several those of
/// Baskett, Chandy, Muntz and Palacios. Visits come from `open_visits`. All kinds of stations; classes share those
/// present at a station in proportion to the work that they bring.
/// QUE103 names the first station that cannot carry its load; QUE105 for closed classes.
/// O(stations * (classes + servers)).
///
/// Jackson, "Networks of waiting lines", Oper. Res. 5, 1957, and "Jobshop-like queueing systems", Man. Sci. 10, 1963.
Solved<NetworkResult> open_network(const QueueingNetwork& network, const Budget& budget = Budget());

}  // namespace ergode
