#pragma once
#include "core/plugin/plugin_simulator.h"
#include "plugins/host/discovery.h"
#include "plugins/host/plugin_process.h"
#include "plugins/host/target_service.h"

namespace ergode {

/// A plugin's simulator in a process of its own, which stays for the next replication.
class HostedSimulator : public PluginSimulator, PluginListener {
 public:
  /// @param plugin   ready, with a simulator; outlives this
  /// @param named    what its draws are named by, beside the run's seed
  /// @param give_up  empty: nobody asks it to
  HostedSimulator(const FoundPlugin& plugin, PluginInput input, PluginProcess::Limits limits, std::uint64_t seed,
                  std::string named, std::function<bool()> give_up);
  ~HostedSimulator() override { process_.stop(); }
  void run(std::uint64_t replication, SimulatorNews& news) override;

 private:
  void observe(std::size_t output, std::span<const double> values) override { listener_->observe(output, values); }
  void row(std::size_t table, std::vector<ResultTable::Cell> cells) override {
    listener_->row(table, std::move(cells));
  }
  void told(Diagnostic what) override { listener_->told(std::move(what)); }
  double measure(const TargetQuestion& question) override { return targets_->measure(question); }

  const FoundPlugin& plugin_;
  PluginProcess process_;
  std::uint64_t seed_;
  std::string named_;
  std::optional<TargetService> targets_;   ///< of those that ask others
  SimulatorListener* listener_ = nullptr;  ///< while a replication is played
};

/// For whoever draws it. @param plugin  ready, with a simulator; outlives it
SimulatorPlugin simulator_plugin(const FoundPlugin& plugin);

/// Makes the simulators of all plugins that are ready known to notations (register_simulator_plugin()), once for the
/// program.
void register_known_simulators();

}  // namespace ergode
