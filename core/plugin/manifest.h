#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/catalogue/choice.h"
#include "core/results/result_table.h"

namespace ergode {

/// Version of the manifests that are read; a manifest says its own.
inline constexpr int plugin_manifest_schema = 1;
/// Major version of the plugin interface that this program speaks (plugins/abi/ergode_plugin.h).
inline constexpr int plugin_abi_major = 1;

/// One parameter of a plugin: what forms, --set, checks and manual pages know of it.
struct PluginParameter {
  enum class Type { number, integer, boolean, choice, file };
  std::string name;   ///< Letters, digits and _.
  std::string label;  ///< For people.
  Type type = Type::number;
  std::string unit;          ///< Of numbers; empty: dimensionless.
  std::string default_text;  ///< As the value of a parameter of a model is written: "2 /h", "true", "fifo".
  std::optional<double> minimum, maximum;  ///< in `unit`
  std::vector<Choice> choices;             ///< of a choice, at least one
  std::string help, reference;
  bool for_simulator = true, for_station = true;  ///< Which of the two reads it.
};
/// "number", "integer", ...: as in manifests. Static.
const char* to_text(PluginParameter::Type type);

/// A quantity that a plugin measures.
struct PluginOutput {
  /// How often it is observed, and what is made of it.
  enum class Kind {
    value,         ///< once a replication: mean and distribution
    count,         ///< once, a whole number >= 0: the same
    indicator,     ///< once, 0 or 1: a probability
    observations,  ///< any number of times: mean and distribution of the observations
  };
  std::string name, label, unit, help;
  Kind kind = Kind::value;
  std::optional<double> minimum, maximum;  ///< in `unit`: what bounds an observation, and so the interval of its mean
  bool headline = true;
};
const char* to_text(PluginOutput::Kind kind);

/// A table that the first replication fills, of stations when they end.
struct PluginTable {
  struct Column {
    std::string label, unit;
    bool text = false;  ///< Words; else numbers.
  };
  std::string name, title;
  std::vector<Column> columns;          ///< at least one
  std::optional<TableScatter> scatter;  ///< It is drawn as points: labels of its columns.
  /// Its first row holds the labels of columns that only a run knows; a column without a word there is left out.
  bool first_row_names = false;
};

/// A number that customers carry into a plugin station and out of it.
struct PluginAttribute {
  std::string name, unit, help;
  double otherwise = 0.0;  ///< in `unit`: of customers that have no such attribute
};

/// What a plugin offers that has a model of its own.
struct PluginSimulatorOffer {
  std::vector<PluginOutput> outputs;  ///< at least one
  std::vector<PluginTable> tables;
  bool deterministic = false;     ///< It draws nothing: the same parameters give the same, whatever the seed.
  bool measures_targets = false;  ///< It asks simulators of other plugins.
};

/// What is known of a plugin without running anything of it: the content of its plugin.json, checked.
struct PluginManifest {
  std::string name;  ///< Letters, digits and _; unique among plugins.
  std::string label, version, licence, description, reference, author;
  int abi = plugin_abi_major;        ///< Major version of the interface it was built for.
  std::string library;               ///< A shared library in its folder; or
  std::vector<std::string> command;  ///< a program that speaks the messages on its standard input and output.
  bool one_run_per_process = false;  ///< It has state that runs share: each gets a process of its own.
  bool reentrant = false;            ///< Several threads may call its library at once, each with stations of its own.
  double time_limit_s = 60.0;  ///< > 0: for one replication, or one call of a station, unless the user says another.
  std::vector<PluginParameter> parameters;
  using Simulator = PluginSimulatorOffer;
  struct Station {
    std::vector<PluginAttribute> attributes;
    std::vector<PluginOutput> outputs;
    std::vector<PluginTable> tables;
  };
  std::optional<Simulator> simulator;
  std::optional<Station> station;

  const PluginParameter* parameter(std::string_view name) const;  ///< Null: there is none.
};

/// Reads a manifest and checks all of it. Never throws.
///
/// PLG001 no JSON object, or not of this format; PLG002 a key that is missing, of another type or unknown; PLG003 a
/// value that is refused; PLG004 made for another version of the schema or of the interface. Each with the JSON pointer
/// and the values seen and wanted. Unknown keys are warnings.
/// @param path  for messages
/// @returns nothing when there were errors other than PLG004: the manifest is then as far as it is known.
std::optional<PluginManifest> parse_plugin_manifest(std::string_view text, const std::string& path,
                                                    Diagnostics& problems);

/// The keys that the parser knows, by the object in which they stand ("manifest", "parameter", ...): for the test that
/// compares them with the schema.
struct ManifestKeys {
  std::string_view object;
  std::vector<std::string_view> keys;
};
const std::vector<ManifestKeys>& plugin_manifest_keys();

}  // namespace ergode
