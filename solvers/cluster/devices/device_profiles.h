#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random/distribution.h"

namespace ergode {

/// How much slower than the median one the devices of a kind are: quantiles of time over median time, the quantile
/// function linear between them.
struct SlownessProfile {
  std::vector<double> p;       ///< rising from 0 to 1
  std::vector<double> values;  ///< not falling, > 0
  double quantile(double probability) const;
  double mean() const { return mean_of_greatest(1); }
  /// Of the greatest of k independent draws: the integral of F^-1(u) k u^(k - 1), piece by piece, and F^-1(0.5^(1/k)).
  /// k >= 1. O(points).
  double mean_of_greatest(double k) const;
  double median_of_greatest(double k) const;
  /// (upper - lower whisker) / median of the law itself: whiskers are the fences, or the ends where these lie within.
  double variation() const;
  /// The same shape about 1, stretched so that its variation is `wanted`: 1 + (x - 1) c. Precondition: variation() > 0.
  /// Never below 0.05: a device is no faster than twenty.
  SlownessProfile scaled_to(double wanted) const;
  /// The law that an expression writes as quantile_table(...).
  Distribution law() const;
  std::string law_text() const;
};
/// Probabilities that profiles of measured devices have: 0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100 %.
std::span<const double> profile_probabilities();
/// That of measured devices: quantiles of value over median, between order statistics. Precondition: not empty, a
/// median above 0. O(n log n).
SlownessProfile profile_of_devices(std::span<const double> medians);

/// One that was measured.
struct DeviceProfile {
  const char* name;   ///< as properties and the command line have it: "sgemm_longhorn"
  const char* label;  ///< "SGEMM, Longhorn (V100)"
  std::array<double, 11> values;
  SlownessProfile profile() const;
};
/// Derived from the measurements in the repository hal-uw/blox-pal (MIT licence, zenodo 12575031) to Sinha et al., Not
/// all GPUs are created equal, SC 2022, and Jain et al., PAL: A variability-aware policy for scheduling ML workloads in
/// GPU clusters, SC 2024.
std::span<const DeviceProfile> device_profiles();
/// Of 32 GPUs of Frontera, by class A, B and C, D, as PAL's artifact describes them: means 1.0219, 1.0067 and 1.0,
/// least and greatest of A 0.9886 and 1.1172, greatest of B and C 1.0591, standard deviations of A and D 0.0409 and
/// 0.0005. Medians are 1; the shapes between, and the least of B and C (that of all of Frontera), are assumptions.
/// @param of_class  0 ... 3
SlownessProfile profile_of_32_frontera(std::size_t of_class);
/// Null: none of this name.
const DeviceProfile* find_device_profile(std::string_view name);

}  // namespace ergode
