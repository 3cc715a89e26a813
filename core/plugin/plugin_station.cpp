#include "core/plugin/plugin_station.h"

#include <utility>

#include "core/plugin/plugin_registry.h"

namespace ergode {
namespace {

PluginRegistry<StationPlugin>& station_registry() {
  static PluginRegistry<StationPlugin> all;
  return all;
}

}  // namespace

const std::vector<StationPlugin>& station_plugins() { return station_registry().all(); }
const StationPlugin* find_station_plugin(std::string_view name) { return station_registry().find(name); }
void register_station_plugin(StationPlugin plugin) { station_registry().add(std::move(plugin)); }

}  // namespace ergode
