#pragma once
#include "core/plugin/plugin_station.h"
#include "plugins/host/discovery.h"

namespace ergode {

/// A plugin's station in a process of its own, for whoever drives it. @param plugin  ready, with a station; outlives it
StationPlugin station_plugin(const FoundPlugin& plugin);

/// Version and a hash over what its folder says of it and runs. Reads its files.
std::string identity_of_plugin(const FoundPlugin& plugin);

/// Makes the stations of all plugins that are ready known to notations (register_station_plugin()), once for the
/// program.
void register_known_stations();

}  // namespace ergode
