#pragma once
#include <array>
#include <cstddef>
#include <vector>

namespace ergode {

/// A range of the mix of two closed classes in which the same stations saturate.
struct SaturationSector {
  double from = 0.0, to = 1.0;        ///< share of customers of the first class among all, in [0, 1]; from < to
  std::vector<std::size_t> stations;  ///< that work all the time when there are many customers; ascending
};

/// Which stations of a closed network of two classes are bottlenecks when the population grows and its mix stays: one
/// station alone, or in between several at once. Sectors follow each other from share 0 to share 1 without gap.
///
/// Throughputs X of many customers lie on the border of { X >= 0 : sum_c D(k, c) X(c) <= 1 for all k }. At a corner
/// several stations are full; of those at station k a share X(1) D(k, 1) is of the first class, so the corner answers
/// to the mixes between the least and the greatest of these shares. Along an edge one station is full, whatever X.
/// Balbo and Serazzi, Asymptotic analysis of multiclass closed queueing networks: multiple bottlenecks, Performance
/// Evaluation 30(3), 1997.
///
/// O(stations^3).
/// @param demand_s  by station of one server: of each class [s], >= 0; without delays. Nothing where a class is served
///                  nowhere: it saturates no station.
std::vector<SaturationSector> saturation_sectors(const std::vector<std::array<double, 2>>& demand_s);

}  // namespace ergode
