#include "plugins/host/discovery.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/base/atomic_file.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_manifest = std::size_t{4} << 20U;

std::string variable(const char* name) {
  const char* const found = std::getenv(name);
  return found != nullptr ? found : "";
}

/// The folder of the running program, absolute; empty where the system does not tell.
fs::path own_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path() : program.parent_path();
}

/// Of this user for this program; empty: he has none.
std::string data_folder() {
  const std::string data = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (!data.empty()) return data + "/ergode";
  return home.empty() ? std::string() : home + "/.local/share/ergode";
}

std::vector<std::string> names_in_off_file() {
  const std::string path = plugins_off_file();
  std::error_code none;
  if (path.empty() || !fs::is_regular_file(path, none)) return {};
  const auto text = read_text(path, largest_manifest);
  std::vector<std::string> out;
  if (const auto* found = std::get_if<std::string>(&text))
    for (std::string& name : split(*found, '\n'))
      if (!name.empty()) out.push_back(std::move(name));
  return out;
}

/// There is something of the manifest's name, of whatever kind: what is wrong with it is then said.
bool names_plugin(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(folder / "plugin.json", failed));
}

}  // namespace

std::string plugins_off_file() {
  const std::string data = data_folder();
  return data.empty() ? data : data + "/plugins_off";
}

std::optional<Diagnostic> turn_plugin(const std::string& name, bool on) {
  const std::string path = plugins_off_file();
  if (path.empty())
    return Diagnostic{.code = "RES001",
                      .message = "There is no folder for the user's data: neither XDG_DATA_HOME nor HOME is set."};
  std::vector<std::string> names = names_in_off_file();
  names.erase(std::remove(names.begin(), names.end(), name), names.end());
  if (!on) names.push_back(name);
  std::string text;
  for (const std::string& one : names) text += one + "\n";
  std::error_code shown_when_written;
  fs::create_directories(fs::path(path).parent_path(), shown_when_written);
  return write_file_atomically(path, text);
}

const char* to_text(PluginState state) {
  switch (state) {
    case PluginState::ready:
      return "ready";
    case PluginState::refused:
      return "refused";
    case PluginState::hidden:
      return "hidden";
    case PluginState::off:
      return "off";
  }
  return "refused";
}

std::vector<std::string> FoundPlugin::program() const {
  if (!manifest) return {};
  if (native()) return {(fs::path(folder) / manifest->library).string()};
  std::vector<std::string> out = manifest->command;
  for (std::string& word : out)
    if (word.starts_with("./")) word = (fs::path(folder) / word.substr(2)).string();
  return out;
}

std::vector<std::string> FoundPlugin::own_files() const {
  std::vector<std::string> out = {(fs::path(folder) / "plugin.json").string()};
  for (const std::string& word : program())
    if (word.starts_with(folder + "/")) out.push_back(word);
  return out;
}

std::vector<PluginPlace> plugin_places() {
  std::vector<PluginPlace> out;
  if (variable("ERGODE_PLUGINS") == "off") return out;
  if (const std::string path = variable("ERGODE_PLUGIN_PATH"); !path.empty())
    for (const std::string& folder : split(path, ':'))
      if (!folder.empty()) out.push_back({folder, "path"});
  if (const std::string data = data_folder(); !data.empty()) out.push_back({data + "/plugins", "user"});
  if (const fs::path own = own_folder(); !own.empty())
    out.push_back({(own.parent_path() / "lib/ergode/plugins").string(), "built-in"});
  return out;
}

FoundPlugin read_plugin(const std::string& folder, const std::string& source) {
  const auto begin = std::chrono::steady_clock::now();
  std::error_code failed;
  FoundPlugin out;
  out.folder = fs::absolute(folder, failed).lexically_normal().string();
  if (out.folder.size() > 1 && out.folder.ends_with('/')) out.folder.pop_back();
  out.source = source;
  out.name = fs::path(out.folder).filename().string();
  const std::string path = (fs::path(out.folder) / "plugin.json").string();
  const auto read = read_text(path, largest_manifest);
  if (const auto* problem = std::get_if<Diagnostic>(&read)) {
    const bool regular = fs::is_regular_file(path, failed);
    out.problems.push_back(
        {.code = "PLG001", .message = regular ? problem->message : path + " is no regular file; wanted a manifest."});
  } else {
    out.manifest = parse_plugin_manifest(std::get<std::string>(read), path, out.problems);
    if (out.manifest) out.name = out.manifest->name;
  }
  if (out.native() && !fs::is_regular_file(out.program().front(), failed))
    out.problems.push_back({.code = "PLG005",
                            .pointer = "/library",
                            .message = path + ": The library \"" + quotable(out.manifest->library) +
                                       "\" is not there; wanted a file beside the manifest.",
                            .hint = "Build the plugin, or put its library there."});
  if (has_errors(out.problems)) out.state = PluginState::refused;
  out.load_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

std::vector<FoundPlugin> find_plugins(const std::vector<PluginPlace>& places) {
  std::vector<FoundPlugin> out;
  for (const PluginPlace& place : places) {
    std::error_code failed;
    if (names_plugin(place.folder)) {
      out.push_back(read_plugin(place.folder, place.source));
      continue;
    }
    std::vector<std::string> folders;
    for (fs::directory_iterator at(place.folder, failed), end; !failed && at != end; at.increment(failed))
      if (names_plugin(at->path())) folders.push_back(at->path().string());
    std::sort(folders.begin(), folders.end());
    for (const std::string& folder : folders) out.push_back(read_plugin(folder, place.source));
  }
  std::vector<std::string> off = split(variable("ERGODE_PLUGINS_OFF"), ',');
  for (std::string& name : names_in_off_file()) off.push_back(std::move(name));
  std::map<std::string, std::string> first;
  for (FoundPlugin& one : out) {
    if (one.state == PluginState::ready && std::find(off.begin(), off.end(), one.name) != off.end())
      one.state = PluginState::off;
    if (one.state != PluginState::ready) continue;
    const auto [before, fresh] = first.emplace(one.name, one.folder);
    if (fresh || before->second == one.folder) continue;
    one.state = PluginState::hidden;
    one.problems.push_back({.severity = Severity::warning,
                            .code = "PLG006",
                            .pointer = "/name",
                            .message = "The plugin " + one.name + " in " + one.folder + " is hidden by the one in " +
                                       before->second + ", which was found first."});
  }
  return out;
}

const std::vector<FoundPlugin>& known_plugins() {
  static const std::vector<FoundPlugin> all = find_plugins();
  return all;
}

const FoundPlugin* find_plugin(const std::vector<FoundPlugin>& all, std::string_view name, Diagnostic& why) {
  std::vector<std::string> names;
  const FoundPlugin* other = nullptr;
  for (const FoundPlugin& one : all) {
    if (one.name == name && one.state == PluginState::ready) return &one;
    if (one.name == name && other == nullptr) other = &one;
    names.push_back(one.name);
  }
  why = {.code = "PLG010", .message = "There is no plugin \"" + quotable(name) + "\"."};
  if (other != nullptr) {
    why.message = "The plugin " + other->name + " in " + other->folder + " is " + to_text(other->state) + ".";
    for (const Diagnostic& d : other->problems)
      if (d.severity == Severity::error) why.hint = d.message;
    if (other->state == PluginState::off)
      why.hint = "`ergode plugins enable " + other->name + "` turns it on, unless ERGODE_PLUGINS_OFF names it.";
    return nullptr;
  }
  if (const std::string near = nearest_word(name, names); !near.empty()) why.hint = "Did you mean " + near + "?";
  else {
    why.hint = "Looked for in:";
    for (const PluginPlace& place : plugin_places()) why.hint += " " + place.folder;
    if (plugin_places().empty()) why.hint = "ERGODE_PLUGINS is off: no plugin is looked for.";
  }
  return nullptr;
}

std::string plugin_host_program() {
  if (const std::string given = variable("ERGODE_PLUGIN_HOST"); !given.empty()) return given;
  const fs::path own = own_folder();
  std::error_code failed;
  for (const fs::path& folder : {own, own.parent_path() / "bin", own.parent_path() / "libexec/ergode"})
    if (const fs::path program = folder / "ergode-plugin-host"; fs::is_regular_file(program, failed))
      return program.string();
  return {};
}

}  // namespace ergode
