#include "solvers/cluster/devices/fleet_variation.h"

#include "solvers/cluster/devices/device_bins.h"

namespace ergode {

ByClass<std::vector<double>> draw_fleet(const FleetVariation& variation, std::size_t gpus, RandomStream& stream) {
  ByClass<std::vector<double>> out;
  for (auto& one : out) one.assign(gpus, 1.0);
  const double middle = variation.power_cap ? power_cap_middle_ms(*variation.power_cap) : 1.0;
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    if (variation.law) {
      const ByClass<double> drawn = variation.law->draw(stream);
      for (std::size_t c = 0; c < application_classes; ++c) out[c][gpu] = drawn[c];
    } else if (variation.power_cap) {
      out[0][gpu] = draw_power_cap_device(*variation.power_cap, stream).time_ms / middle;
    }
  }
  return out;
}

ByClass<std::vector<double>> binned_scores(const ByClass<std::vector<double>>& slowdowns) {
  ByClass<std::vector<double>> out;
  for (std::size_t c = 0; c < application_classes; ++c) out[c] = bin_devices(slowdowns[c]).scores();
  return out;
}

}  // namespace ergode
