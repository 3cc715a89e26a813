#include "core/plugin/plugin_station.h"

#include <utility>

#include "core/plugin/plugin_registry.h"

namespace ergode {

void StationTables::begin(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  if (seed_ != seed) rows_ = {};
  seed_ = seed;
}
void StationTables::keep(std::uint64_t seed, PluginRows rows) {
  const std::lock_guard lock(mutex_);
  if (seed == seed_) rows_ = std::move(rows);
}
PluginRows StationTables::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}
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
