#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/plugin/manifest.h"
#include "core/plugin/plugin_failure.h"
#include "core/results/result_table.h"

namespace ergode {

inline constexpr std::size_t most_plugin_rows = 100'000;
/// Sentences of a plugin that are kept: a run is no log.
inline constexpr std::size_t most_told_by_plugin = 100;

/// What a station of a plugin told in one call.
struct StationNews {
  struct Departure {
    std::uint64_t job = 0;
    bool changed = false;  ///< its attributes stand in `attributes`
  };
  struct Observation {
    std::uint32_t output = 0;  ///< by the manifest's list
    double value = 0.0;        ///< finite, in its unit
  };
  struct Row {
    std::uint32_t table = 0;  ///< by the manifest's list
    std::vector<ResultTable::Cell> cells;
  };
  std::vector<Departure> departures;  ///< in the order in which they leave
  std::vector<double> attributes;     ///< as many as the manifest has, for each departure that changed them, in order
  std::vector<Observation> observations;
  std::vector<Row> rows;  ///< of the first replication
  Diagnostics told;       ///< PLG026 of the first replication; pointers lead into its own input
  void clear() { departures.clear(), attributes.clear(), observations.clear(), rows.clear(), told.clear(); }
};

/// A station behind the plugin interface, driven by the clock of whoever holds it. Times in seconds since begin(), of a
/// clock that may stand for a while as seen from outside; never less than in the call before. One thread at a time; one
/// replication after the other.
///
/// Every call may throw PluginFailure; what it does to its own process is nobody else's.
class PluginStation {
 public:
  /// When nothing is to be done until somebody arrives.
  static constexpr double never = std::numeric_limits<double>::infinity();
  virtual ~PluginStation() = default;
  /// An empty station at time zero; whatever was there before is gone.
  /// @param life  how often it has begun before in this replication; each life draws numbers of its own
  virtual void begin(std::uint64_t replication, std::uint64_t life, StationNews& news) = 0;
  /// Somebody comes. @param job  a number that no other customer here has
  /// @param attributes  one for each of the manifest, in its unit
  /// @returns when advance() is wanted: not before `now`; never
  virtual double arrive(double now_s, std::uint64_t job, std::span<const double> attributes, StationNews& news) = 0;
  /// At the time that was wanted. @returns the next one
  virtual double advance(double now_s, StationNews& news) = 0;
  /// The replication is over, or this life of the station: what was observed once is in the news.
  virtual void finish(double now_s, StationNews& news) = 0;
};

/// Values of the parameters of a plugin.
struct PluginValues {
  std::vector<double> numbers;     ///< by parameter, in its unit; booleans 0 or 1
  std::vector<std::string> words;  ///< by parameter: of choices and files
};

/// Rows of the tables of a plugin, by table; of each the first most_plugin_rows are kept.
struct PluginRows {
  std::vector<std::vector<std::vector<ResultTable::Cell>>> kept;
  std::vector<std::uint64_t> told;  ///< how many there were
  void resize(std::size_t tables) { kept.resize(tables), told.resize(tables, 0); }
  void add(std::size_t table, std::vector<ResultTable::Cell> cells) {
    if (++told[table] <= most_plugin_rows) kept[table].push_back(std::move(cells));
  }
};

/// What a station told in one replication beside what it observed.
struct StationRecord {
  PluginRows rows;
  Diagnostics told;  ///< the first most_told_by_plugin
  /// Takes rows and sentences out of the news.
  void take(StationNews& news);
};

/// That of the first replication of the run that was begun last. For any thread.
class LastStationRecord {
 public:
  void begin(std::uint64_t seed);
  void keep(std::uint64_t seed, StationRecord record);
  PluginRows rows() const;   ///< empty: none was told
  Diagnostics told() const;  ///< nothing of the rows, of which there may be very many

 private:
  mutable std::mutex mutex_;
  std::uint64_t seed_ = 0;
  StationRecord record_;
};

/// A plugin with a station, known to notations by its manifest alone.
struct StationPlugin {
  PluginManifest manifest;
  /// Version and a hash of its files, for provenance. May read them.
  std::function<std::string()> identity = {};
  /// @param seed     of the run @param name  of the station in the model: with the replication and the life they name
  /// its draws
  /// @param give_up  asked while a call lasts, about ten times a second; true: the call throws PluginGaveUp
  std::function<std::unique_ptr<PluginStation>(PluginValues values, std::uint64_t seed, const std::string& name,
                                               std::function<bool()> give_up)>
      make;
};

/// Thrown by a station's call that was given up: no failure.
struct PluginGaveUp {};

/// The plugins with stations that this program knows, in the order of their names. Filled at the start of the program,
/// before the first document is opened; then const, for any thread.
const std::vector<StationPlugin>& station_plugins();
/// Null: there is none.
const StationPlugin* find_station_plugin(std::string_view name);
/// Adds one, or replaces the one of its name: for the start of a program.
void register_station_plugin(StationPlugin plugin);

}  // namespace ergode
