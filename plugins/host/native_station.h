#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/plugin/plugin_station.h"
#include "plugins/host/discovery.h"
#include "plugins/host/plugin_input.h"

namespace ergode {

/// Whether the user wants this plugin's stations in his own process: ERGODE_PLUGINS_IN_PROCESS names it (names with
/// commas between). Only libraries whose manifest says that they are reentrant; others keep their process.
bool runs_in_process(const FoundPlugin& plugin);

/// What names the draws of a station in one of its lives: the first is named as the station is.
std::string name_of_life(const std::string& station, std::uint64_t life);

/// A station of a library that is loaded into this process: a call costs some nanoseconds in place of a pair of
/// messages. What it tells is checked as everybody's; a crash is this process's, and so is a call that does not come
/// back.
/// @throws PluginFailure  PLG005: the library cannot be loaded
std::unique_ptr<PluginStation> native_station(const FoundPlugin& plugin, PluginInput input, std::uint64_t seed,
                                              const std::string& name);

}  // namespace ergode
