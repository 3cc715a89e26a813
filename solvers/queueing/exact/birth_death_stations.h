#pragma once
#include <vector>

#include "core/study/budget.h"
#include "solvers/queueing/exact/station_means.h"

namespace ergode {

/// Stations with Poisson arrivals and exponential times. Rates in 1/s: arrival_rate finite and >= 0, service_rate
/// finite and > 0, of one server; servers >= 1. QUE102 for values out of range, QUE103 for unstable stations. No
/// factorials: any number of servers. O(servers) at most, of which those that are never needed cost
/// nothing, and O(capacity) where there is one.
///
/// Kleinrock, "Queueing systems", volume 1, 1975.
Solved<StationMeans> mm1(double arrival_rate, double service_rate);
Solved<StationMeans> mmc(double arrival_rate, double service_rate, int servers);
/// An approximation for servers of different speeds: as many that all have the mean of the rates.
/// Bolch, Greiner, de Meer and Trivedi, "Queueing networks and Markov chains", 2nd edition, 2006.
Solved<StationMeans> mmc_unequal(double arrival_rate, const std::vector<double>& service_rates);
Solved<StationMeans> mminf(double arrival_rate, double service_rate);
/// At most `capacity` present, those in service counted; capacity >= servers. Stable at any load.
Solved<StationMeans> mmck(double arrival_rate, double service_rate, int servers, int capacity);
inline Solved<StationMeans> mm1k(double arrival_rate, double service_rate, int capacity) {
  return mmck(arrival_rate, service_rate, 1, capacity);
}
/// Probabilities of 0, 1, .. capacity present.
Solved<std::vector<double>> mmck_distribution(double arrival_rate, double service_rate, int servers, int capacity);

/// Those who wait give up after an exponential patience, at the rate `abandonment_rate` >= 0 each; with 0 as mmc().
/// `response_s` and `waiting_s` are over all who come, also those who give up; `wait_probability` too.
/// Palm, "Research on telephone traffic carried by full availability groups", 1957; Mandelbaum and Zeltyn, "Service
/// engineering in action: the Palm/Erlang-A queue", 2007. O(servers + length of the queue that still counts).
Solved<StationMeans> erlang_a(double arrival_rate, double service_rate, int servers, double abandonment_rate);

/// Probability of loss without waiting room. `offered` >= 0: arrival rate over service rate.
/// Erlang, "Solution of some problems in the theory of probabilities of significance in automatic telephone exchanges",
/// 1917; the recursion of its inverse: Jagerman, "Some properties of the Erlang loss function", 1974.
Solved<double> erlang_b(int servers, double offered);
/// Probability of waiting; QUE103 where offered >= servers. @throws OverBudget  where that takes more than allowed.
Solved<double> erlang_c(int servers, double offered, const Budget& budget = Budget());

/// Call congestion of `sources` customers at `servers` without waiting room: what an arriving one sees, of the others.
/// `offered_each`: rate of an idle source over the service rate, >= 0. 0 where servers >= sources.
/// Engset, "Die Wahrscheinlichkeitsrechnung zur Bestimmung der Waehleranzahl in automatischen Fernsprechaemtern", 1918.
Solved<double> engset(int sources, int servers, double offered_each);

}  // namespace ergode
