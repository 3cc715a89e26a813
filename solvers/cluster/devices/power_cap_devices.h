#pragma once
#include <vector>

#include "core/random/random_stream.h"

namespace ergode {

/// Devices that a power cap makes different: the warmer one leaks more, so it must clock lower to keep the cap, and is
/// slower. Defaults are fitted to the medians of 386 V100 of Longhorn (SGEMM 25536, 300 W) without outliers.
/// After Sinha, Guliani, Jain, Tran, Sinclair and Venkataraman, Not all GPUs are created equal, SC 2022; the law of the
/// tail is an assumption.
struct PowerCapModel {
  double temperature_c = 65.47, temperature_sd = 6.23, coolest_c = 48.0, hottest_c = 82.0;
  double frequency_mhz = 1362.7, per_degree_mhz = -1.925, at_temperature_c = 66.0, frequency_sd = 19.35;
  double slowest_mhz = 1290.0, fastest_mhz = 1530.0;
  double time_ms = 2431.1, reference_mhz = 1365.0, exponent = -0.938;  ///< time = time_ms (f / reference)^exponent
  double residual_sd = 0.00263;                                        ///< of the logarithm of time
  double run_sd = 0.0017;                                              ///< the same, of each run
  double power_w = 297.0;                                              ///< the cap
  double tail_probability = 6.0 / 392.0;                               ///< that a device is hot or failing; 0: none
  double tail_low = 1.05, tail_high = 1.20;                            ///< times so much slower, equally likely between
  /// Of the slowest of the tail: what is hot or failing does not come to the cap. Of the others in proportion, which is
  /// an assumption; five of Longhorn draw 250.4 to 295.0 W.
  double tail_power_w = 250.4;
};

struct PowerCapDevice {
  double temperature_c = 0.0, frequency_mhz = 0.0, time_ms = 0.0, power_w = 0.0;
  bool in_tail = false;
};

/// Temperatures and frequencies beyond their ends are put there. Five draws a device, whatever the model.
PowerCapDevice draw_power_cap_device(const PowerCapModel& model, RandomStream& stream);
std::vector<PowerCapDevice> draw_power_cap_devices(const PowerCapModel& model, std::size_t count, RandomStream& stream);
/// One run on it [ms]. One draw.
double power_cap_run_ms(const PowerCapModel& model, const PowerCapDevice& device, RandomStream& stream);
/// Time of the device at the mean temperature and without noise [ms]: what 1 stands for.
double power_cap_middle_ms(const PowerCapModel& model);

/// Floating point operations a second of n x n matrices multiplied in `time_s`: 2 n^3 / t.
double matrix_product_flops(double n, double time_s);
/// Of `lanes` fused multiply-adds at so many MHz.
double peak_flops(double lanes, double frequency_mhz);

}  // namespace ergode
