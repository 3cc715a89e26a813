#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/plugin/manifest.h"
#include "core/plugin/plugin_failure.h"
#include "core/plugin/plugin_station.h"
#include "core/results/result_table.h"

namespace ergode {

/// What one replication of a plugin's own model told. Numbers are in the units of the manifest.
struct SimulatorNews {
  /// By output, those of observations 0: each was told exactly once, indicators are 0 or 1, counts whole and not
  /// negative.
  std::vector<double> once;
  std::vector<std::vector<double>> observations;  ///< by output: in the order in which they came; finite
  PluginRows rows;                                ///< of replication 0 alone
  /// What it wants people to know, of replication 0: the first 100; then PLG028 (warning) for each table with more rows
  /// than are kept.
  Diagnostics told;
  /// Of replication 0, for provenance: "plugin npu" -> version and hash of a plugin that it measured, "file of npu
  /// a.json" -> sha256 of a file that this was given.
  std::map<std::string, std::string> sources;
};

/// A simulator behind the plugin interface. One thread at a time; one replication after the other.
class PluginSimulator {
 public:
  virtual ~PluginSimulator() = default;
  /// Plays one replication; what `news` held is gone. What it finds depends on values, seed, name and number alone.
  /// @throws PluginFailure  it failed, took too long, or did not tell what its manifest says
  /// @throws PluginGaveUp   it was asked to
  virtual void run(std::uint64_t replication, SimulatorNews& news) = 0;
};

/// A plugin with a simulator, known to notations by its manifest alone.
struct SimulatorPlugin {
  PluginManifest manifest;
  /// Version and a hash of its files, for provenance. May read them.
  std::function<std::string()> identity = {};
  /// @param seed     of the run @param name  of the simulator in the model: with the replication they name its draws
  /// @param give_up  asked while a replication lasts, about ten times a second; true: the call throws PluginGaveUp
  std::function<std::unique_ptr<PluginSimulator>(PluginValues values, std::uint64_t seed, const std::string& name,
                                                 std::function<bool()> give_up)>
      make;
};

/// The plugins with simulators that this program knows, in the order of their names; as station_plugins().
const std::vector<SimulatorPlugin>& simulator_plugins();
/// Null: there is none.
const SimulatorPlugin* find_simulator_plugin(std::string_view name);
/// Adds one, or replaces the one of its name: for the start of a program.
void register_simulator_plugin(SimulatorPlugin plugin);

/// Adds up what a simulator tells in one replication and checks it.
class SimulatorListener {
 public:
  /// @param manifest  with a simulator; outlives this
  SimulatorListener(const PluginManifest& manifest, SimulatorNews& news, bool keeps_tables);
  void observe(std::size_t output, std::span<const double> values);
  void row(std::size_t table, std::vector<ResultTable::Cell> cells);
  void told(Diagnostic what);
  /// When all of the replication is there. @throws PluginFailure  PLG022: an output was not told once, or is none
  void close(std::uint64_t replication) const;

 private:
  const PluginManifest& manifest_;
  SimulatorNews& news_;
  bool keeps_tables_;
  std::vector<std::uint64_t> times_;  ///< by output
};

/// A table of the manifest with the rows that were told. @param tables  of the simulator, or of the station
/// @param number  of the table among them @param name  of the table among those of the run
/// @param where  what the title ends with: ", in the first replication"
ResultTable table_of_plugin(const PluginManifest& manifest, const std::vector<PluginTable>& tables, std::size_t number,
                            const PluginRows& rows, std::string name, const std::string& where);

}  // namespace ergode
