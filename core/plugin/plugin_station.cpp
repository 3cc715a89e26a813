#include "core/plugin/plugin_station.h"

#include <algorithm>

namespace ergode {
namespace {

std::vector<StationPlugin>& station_registry() {
  static std::vector<StationPlugin> all;
  return all;
}

}  // namespace

const std::vector<StationPlugin>& station_plugins() { return station_registry(); }

const StationPlugin* find_station_plugin(std::string_view name) {
  for (const StationPlugin& one : station_registry())
    if (one.manifest.name == name) return &one;
  return nullptr;
}

void register_station_plugin(StationPlugin plugin) {
  auto& all = station_registry();
  const auto place =
      std::lower_bound(all.begin(), all.end(), plugin.manifest.name,
                       [](const StationPlugin& one, const std::string& name) { return one.manifest.name < name; });
  if (place != all.end() && place->manifest.name == plugin.manifest.name) *place = std::move(plugin);
  else all.insert(place, std::move(plugin));
}

}  // namespace ergode
