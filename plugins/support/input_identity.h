#pragma once
#include <string>

#include "plugins/abi/ergode_plugin.h"

namespace plugin_support {

/// What tells one input from another: its parameters, and size and age of the files that they name. Seed and
/// replication are not in it; files that those files name are not known. O(parameters).
std::string input_identity(const ergode_input& input);

}  // namespace plugin_support
