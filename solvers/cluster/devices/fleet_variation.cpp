#include "solvers/cluster/devices/fleet_variation.h"

#include <algorithm>
#include <cmath>

#include "core/random/normal_quantile.h"
#include "solvers/cluster/devices/device_bins.h"

namespace ergode {
namespace {

constexpr double pi_of_ranks = 3.14159265358979323846;

void draw_quantity(const std::optional<DeviceQuantityLaw>& law, double of_a, double own, std::vector<double>& into) {
  if (!law) return;
  const double r = 2.0 * std::sin(pi_of_ranks * law->rank_correlation / 6.0);
  into.push_back(law->quantiles.quantile(normal_cdf(r * of_a + std::sqrt(std::max(0.0, 1.0 - r * r)) * own)));
}

}  // namespace

DrawnDevices draw_fleet(const FleetVariation& variation, std::size_t gpus, RandomStream& stream, RandomStream& heat) {
  DrawnDevices out;
  for (auto& one : out.slowdowns) one.assign(gpus, 1.0);
  const double middle = variation.power_cap ? power_cap_middle_ms(*variation.power_cap) : 1.0;
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    if (variation.law) {
      double of_a = 0.0;
      const ByClass<double> drawn = variation.law->draw(stream, of_a);
      for (std::size_t c = 0; c < application_classes; ++c) out.slowdowns[c][gpu] = drawn[c];
      const double warmth = heat.normal(), clock = heat.normal(), watts = heat.normal();
      draw_quantity(variation.temperature_c, of_a, warmth, out.temperature_c);
      draw_quantity(variation.frequency_mhz, of_a, clock, out.frequency_mhz);
      draw_quantity(variation.power_w, of_a, watts, out.power_w);
    } else if (variation.power_cap) {
      const PowerCapDevice device = draw_power_cap_device(*variation.power_cap, stream);
      out.slowdowns[0][gpu] = device.time_ms / middle;
      out.temperature_c.push_back(device.temperature_c), out.frequency_mhz.push_back(device.frequency_mhz);
      out.power_w.push_back(device.power_w);
    }
  }
  return out;
}

ByClass<std::vector<double>> binned_scores(const ByClass<std::vector<double>>& slowdowns) {
  ByClass<std::vector<double>> out;
  for (std::size_t c = 0; c < application_classes; ++c) out[c] = bin_devices(slowdowns[c]).scores();
  return out;
}

void add_sgemm_longhorn_heat(FleetVariation& variation) {
  const PowerCapModel known;
  constexpr double warm_and_slow = 0.4343;
  constexpr int parts = 400;
  SlownessProfile temperature;
  for (int i = 0; i <= parts; ++i) {
    const double p = i / static_cast<double>(parts), least = 1e-9;
    const double z = normal_quantile(std::clamp(p, least, 1.0 - least));
    temperature.p.push_back(p);
    temperature.values.push_back(
        std::clamp(known.temperature_c + known.temperature_sd * z, known.coolest_c, known.hottest_c));
  }
  variation.temperature_c = DeviceQuantityLaw{std::move(temperature), warm_and_slow};
  variation.power_w = DeviceQuantityLaw{{{0.0, 1.0}, {known.power_w, known.power_w}}, 0.0};
}

}  // namespace ergode
