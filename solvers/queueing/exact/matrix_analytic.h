#pragma once
#include <vector>

#include "solvers/queueing/exact/station_means.h"

namespace ergode {

/// Arrivals in phases (MAP): a Markov chain of phases some of whose transitions bring a customer. Row after row.
struct MarkovianArrivals {
  std::size_t phases = 0;
  std::vector<double> without;  ///< D0 [1/s]: off the diagonal >= 0; the diagonal is minus what leaves
  std::vector<double> with;     ///< D1 [1/s]: >= 0
};
/// A time in phases (PH) that is never 0.
struct PhaseService {
  std::vector<double> initial;    ///< by phase, >= 0, sum 1
  std::vector<double> generator;  ///< row after row [1/s]; rows sum to <= 0
};

/// What StationMeans says, and the distribution of the number of customers.
struct MapPhMeans : StationMeans {
  std::vector<double> number_probability;  ///< of 0, 1, ... present, until less than 1e-12 is left, at most 10,000
  double decay = 0;                        ///< ratio of the probabilities of great neighbouring numbers
  int iterations = 0;                      ///< of the logarithmic reduction
};

/// MAP/PH/1 first come first served, by matrix-analytic methods: levels are numbers of customers, and the matrix G of
/// the first passage one level down follows by logarithmic reduction, whose steps square what is left over; R, of
/// visits one level up, from it. QUE102 for values out of range, QUE103 where the load is not below 1, QUE106 should
/// the reduction not settle, QUE107 where rounding leaves less than some seven digits of the means (phases that last a
/// billion times longer than a service). O(p^3 log(1 / distance from saturation)), p the product of the numbers of
/// phases, at most 400 (QUE104).
///
/// Latouche and Ramaswami, "A logarithmic reduction algorithm for quasi-birth-death processes", J. Appl. Prob. 30,
/// 1993; Neuts, "Matrix-geometric solutions in stochastic models", 1981.
Solved<MapPhMeans> map_ph_1(const MarkovianArrivals& arrivals, const PhaseService& service);

/// MAP/MAP/1: services, too, that depend on those before. Their phase goes on where the last service left it, and
/// stands while nobody is there; `service.with` ends one. Diagnostics, cost and sources as of map_ph_1().
Solved<MapPhMeans> map_map_1(const MarkovianArrivals& arrivals, const MarkovianArrivals& service);

/// Gaps that are phase-type and independent, as arrivals.
MarkovianArrivals renewal_arrivals(const PhaseService& gap);

}  // namespace ergode
