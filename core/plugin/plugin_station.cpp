#include "core/plugin/plugin_station.h"

#include <utility>

#include "core/plugin/plugin_registry.h"

namespace ergode {

void StationRecord::take(StationNews& news) {
  for (StationNews::Row& one : news.rows) rows.add(one.table, std::move(one.cells));
  for (Diagnostic& one : news.told)
    if (told.size() < most_told_by_plugin) told.push_back(std::move(one));
}

void LastStationRecord::begin(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  if (seed_ != seed) record_ = {};
  seed_ = seed;
}
void LastStationRecord::keep(std::uint64_t seed, StationRecord record) {
  const std::lock_guard lock(mutex_);
  if (seed == seed_) record_ = std::move(record);
}
PluginRows LastStationRecord::rows() const {
  const std::lock_guard lock(mutex_);
  return record_.rows;
}
Diagnostics LastStationRecord::told() const {
  const std::lock_guard lock(mutex_);
  return record_.told;
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
