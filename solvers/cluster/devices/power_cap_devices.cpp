#include "solvers/cluster/devices/power_cap_devices.h"

#include <algorithm>
#include <cmath>

namespace ergode {

PowerCapDevice draw_power_cap_device(const PowerCapModel& model, RandomStream& stream) {
  const double warmth = stream.normal(), silicon = stream.normal(), rest = stream.normal();
  const double tail = stream.uniform(), how_far = stream.uniform();
  PowerCapDevice out;
  out.temperature_c = std::clamp(model.temperature_c + model.temperature_sd * warmth, model.coolest_c, model.hottest_c);
  out.frequency_mhz =
      std::clamp(model.frequency_mhz + model.per_degree_mhz * (out.temperature_c - model.at_temperature_c) +
                     model.frequency_sd * silicon,
                 model.slowest_mhz, model.fastest_mhz);
  out.time_ms = model.time_ms * std::pow(out.frequency_mhz / model.reference_mhz, model.exponent) *
                std::exp(model.residual_sd * rest);
  out.in_tail = tail < model.tail_probability;
  out.power_w = model.power_w - (out.in_tail ? (model.power_w - model.tail_power_w) * how_far : 0.0);
  if (out.in_tail) out.time_ms *= model.tail_low + (model.tail_high - model.tail_low) * how_far;
  return out;
}

std::vector<PowerCapDevice> draw_power_cap_devices(const PowerCapModel& model, std::size_t count,
                                                   RandomStream& stream) {
  std::vector<PowerCapDevice> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(draw_power_cap_device(model, stream));
  return out;
}

double power_cap_run_ms(const PowerCapModel& model, const PowerCapDevice& device, RandomStream& stream) {
  return device.time_ms * std::exp(model.run_sd * stream.normal());
}

double power_cap_middle_ms(const PowerCapModel& model) {
  const double mhz = model.frequency_mhz + model.per_degree_mhz * (model.temperature_c - model.at_temperature_c);
  return model.time_ms * std::pow(mhz / model.reference_mhz, model.exponent);
}

double matrix_product_flops(double n, double time_s) { return 2.0 * n * n * n / time_s; }

double peak_flops(double lanes, double frequency_mhz) { return 2.0 * lanes * frequency_mhz * 1e6; }

}  // namespace ergode
