#pragma once
#include <string>
#include <vector>

#include "plugins/host/discovery.h"

namespace ergode {

/// What a trial of a plugin found.
struct PluginTrial {
  struct Step {
    std::string what;       ///< "simulator: one replication with default values"
    double elapsed_ms = 0;  ///< of the wall clock
    bool passed = false;
  };
  std::vector<Step> steps;
  Diagnostics problems;  ///< of its manifest first; with an error when it did not pass
};

/// Tries a plugin in a process of its own, as a run would: starts it, makes replications 0, 1 and 0 again with the
/// default values of its parameters, and compares the two (PLG027 where they differ: results would depend on who ran
/// before). Of a station, serves a hundred customers one after the other. Nothing is run of a plugin that is refused or
/// off.
/// @param time_limit_s  for each replication; 0: as its manifest says
PluginTrial try_plugin(const FoundPlugin& plugin, double time_limit_s);

}  // namespace ergode
