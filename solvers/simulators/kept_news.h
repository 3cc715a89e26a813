#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/plugin/plugin_simulator.h"

namespace ergode {

/// What simulators without chance found, kept for as long as the program runs: the last `most_kept` of them.
inline constexpr std::size_t most_kept_news = 64;

/// What is kept under `key`, or what `play` finds, which is then kept. Where somebody plays it already the others wait.
/// What fails is not kept. For any thread.
/// @param key      everything that what is found depends on: the plugin with its version, values, contents of files
/// @param give_up  asked some times a second while it waits; true: PluginGaveUp
/// @throws what `play` throws
std::shared_ptr<const SimulatorNews> kept_news(const std::string& key, const std::function<bool()>& give_up,
                                               const std::function<SimulatorNews()>& play);

}  // namespace ergode
