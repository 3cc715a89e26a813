#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/plugin/manifest.h"

namespace ergode {

/// A folder in which plugins are looked for: it is one itself (it has a plugin.json), or each of its folders may be.
struct PluginPlace {
  std::string folder;
  std::string
      source;  ///< "path" (ERGODE_PLUGIN_PATH), "user" (the user's data folder), "built-in" (beside the program)
};

/// ready: it may be used; refused: its manifest has errors, is for another version, or its library is missing; hidden:
/// another of its name was found before it; off: the user does not want it.
enum class PluginState { ready, refused, hidden, off };
const char* to_text(PluginState state);

/// A plugin as it was found; nothing of it was run.
struct FoundPlugin {
  std::string name;  ///< of its manifest; of its folder where that cannot be read
  std::string folder, source;
  PluginState state = PluginState::ready;
  std::optional<PluginManifest> manifest;  ///< absent: it cannot be read
  Diagnostics problems;                    ///< with at least one error when it is refused
  double load_ms = 0.0;                    ///< to read and check the manifest

  /// Path of the library, or the program with its arguments; those that begin with "./" are of the plugin's folder.
  std::vector<std::string> program() const;
  /// The manifest, and what of the program lies in its folder: paths.
  std::vector<std::string> own_files() const;
  bool native() const { return manifest && !manifest->library.empty(); }
};

/// In this order: folders of ERGODE_PLUGIN_PATH (separated by colons), $XDG_DATA_HOME/ergode/plugins or
/// ~/.local/share/ergode/plugins, and lib/ergode/plugins beside the program's own folder. None where ERGODE_PLUGINS is
/// "off".
std::vector<PluginPlace> plugin_places();

/// The plugin in a folder that has a plugin.json.
FoundPlugin read_plugin(const std::string& folder, const std::string& source);

/// All plugins there, by place and then by name of folder; of one name the first counts, others are hidden (PLG006).
/// Names in ERGODE_PLUGINS_OFF (separated by commas) and in the user's file (plugins_off_file()) are off. O(files of
/// the folders).
std::vector<FoundPlugin> find_plugins(const std::vector<PluginPlace>& places = plugin_places());

/// The plugins of this process, found at the first call: the same for everybody, however long it runs.
const std::vector<FoundPlugin>& known_plugins();
/// The one of this name that is ready; null: there is none, and `why` gets PLG010 with what there is instead.
const FoundPlugin* find_plugin(const std::vector<FoundPlugin>& all, std::string_view name, Diagnostic& why);

/// Where the user's choice is kept: a name a line, in his data folder. Empty: he has none.
std::string plugins_off_file();
/// Turns a plugin off or on for this user. @returns nothing, or why the file cannot be written (RES001)
std::optional<Diagnostic> turn_plugin(const std::string& name, bool on);

/// A program that belongs to this one: beside it, or in ../bin of its folder. Empty: there is none.
/// ERGODE_PLUGIN_HOST names the child that loads libraries where it stands elsewhere.
std::string plugin_host_program();

}  // namespace ergode
