#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ergode {

/// Devices of like speed, as placement sees them. Jain et al., PAL, SC 2024.
struct DeviceBins {
  std::vector<std::uint32_t> bin_of;  ///< by device
  std::vector<double> score;          ///< by bin, ascending: its centroid over that of the bin that holds the median
  double silhouette = 0.0;            ///< mean, of what was clustered; 0 of one bin

  /// Score of the bin of each device.
  std::vector<double> scores() const;
};
/// Values above mean + 3 sd get a bin each; the others are clustered by k-means, of k = 2 ... 10 the one with the best
/// mean silhouette (the least k of equals). In one dimension k-means has an exact answer by dynamic programming, so
/// bins do not depend on a start. Wang and Song, Ckmeans.1d.dp, R Journal 3(2), 2011; Rousseeuw, Silhouettes, J.
/// Comput. Appl. Math. 20, 1987. Equal values share a bin; values that are all alike are one. Precondition: not empty,
/// all > 0. O(k n log n).
DeviceBins bin_devices(std::span<const double> values);

/// Where each of k clusters of sorted values begins: the least sum of squares within clusters. The first is 0.
/// Precondition: at least k different values. O(k n log n).
std::vector<std::size_t> best_clusters(std::span<const double> sorted, std::size_t k);
/// Mean silhouette of these clusters of sorted values; one that is alone in its cluster counts 0. O(k n).
double mean_silhouette(std::span<const double> sorted, std::span<const std::size_t> begins);

}  // namespace ergode
