#include "plugins/host/simulator_host.h"

#include <utility>

#include "plugins/host/simulator_solver.h"
#include "plugins/host/station_host.h"

namespace ergode {

HostedSimulator::HostedSimulator(const FoundPlugin& plugin, PluginInput input, PluginProcess::Limits limits,
                                 std::uint64_t seed, std::string named, std::function<bool()> give_up)
    : plugin_(plugin),
      process_(plugin, PluginProcess::Capability::simulator, std::move(input), limits),
      seed_(seed),
      named_(std::move(named)) {
  if (plugin.manifest->simulator->measures_targets) {
    targets_.emplace(plugin.name, give_up);
    process_.offer_targets();
  }
  process_.heed(std::move(give_up));
}

void HostedSimulator::run(std::uint64_t replication, SimulatorNews& news) {
  SimulatorListener listener(*plugin_.manifest, news, replication == 0);
  listener_ = &listener;
  process_.run(replication, plugin_seed(seed_, named_, replication), *this);
  if (targets_ && replication == 0) {
    for (const Diagnostic& one : targets_->told()) listener.told(one);
    news.sources = targets_->sources();
  }
  listener.close(replication);
}

SimulatorPlugin simulator_plugin(const FoundPlugin& plugin) {
  return {.manifest = *plugin.manifest,
          .identity = [&plugin] { return identity_of_plugin(plugin); },
          .make = [&plugin](PluginValues values, std::uint64_t seed, const std::string& name,
                            std::function<bool()> give_up) -> std::unique_ptr<PluginSimulator> {
            return std::make_unique<HostedSimulator>(
                plugin, plugin_input(*plugin.manifest, std::move(values.numbers), values.words),
                PluginProcess::Limits{.time_s = plugin.manifest->time_limit_s}, seed, "simulator " + name,
                std::move(give_up));
          }};
}

void register_known_simulators() {
  static const bool once = [] {
    for (const FoundPlugin& plugin : known_plugins())
      if (plugin.state == PluginState::ready && plugin.manifest && plugin.manifest->simulator)
        register_simulator_plugin(simulator_plugin(plugin));
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace ergode
