#pragma once
#include <QtTest>
#include <map>
#include <string>

#include "plugins/host/discovery.h"
#include "plugins/host/plugin_input.h"
#include "plugins/host/simulator_solver.h"

namespace ergode::test {

/// Plugins of the tests, built below the build folder.
inline const std::string test_plugins = std::string(ERGODE_BIN_DIR) + "/../tests/plugins";

inline std::string codes_of(const Diagnostics& list) {
  std::string out;
  for (const Diagnostic& d : list) out += (out.empty() ? "" : " ") + d.code + " " + d.message;
  return out;
}

/// The plugin of this name among those of the tests and those that come with the program.
inline const FoundPlugin& plugin_named(const std::string& name) {
  static const std::vector<FoundPlugin> all = [] {
    std::vector<PluginPlace> places = {{test_plugins, "path"}};
    for (const PluginPlace& place : plugin_places())
      if (place.source == "built-in") places.push_back(place);
    return find_plugins(places);
  }();
  Diagnostic why;
  const FoundPlugin* const found = find_plugin(all, name, why);
  if (found == nullptr) throw std::runtime_error(why.message + " " + why.hint);
  return *found;
}

struct PluginAsk {
  std::map<std::string, std::string> sets;
  std::uint64_t replications = 20, seed = 1;
  unsigned threads = 1;
  std::string time_limit = {};
  double confidence = 0.95;
};

inline ResultSet run_plugin(const FoundPlugin& plugin, const PluginAsk& ask, RunControl& control) {
  const SimulatorSolver solver(plugin);
  RunRequest request;
  request.overrides = ask.sets;
  request.replications = ask.replications, request.seed = ask.seed, request.threads = ask.threads;
  request.confidence = ask.confidence;
  if (!ask.time_limit.empty()) request.options["time-limit"] = ask.time_limit;
  return solver.solve(parameters_document(*plugin.manifest), request, control);
}
inline ResultSet run_plugin(const std::string& name, const PluginAsk& ask) {
  RunControl control;
  return run_plugin(plugin_named(name), ask, control);
}

}  // namespace ergode::test
