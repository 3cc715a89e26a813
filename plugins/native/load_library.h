#pragma once
#include <string>

#include "plugins/abi/ergode_plugin.h"

namespace ergode {

/// Loads a library of the plugin interface with local binding and looks whether it is one: its entry, its version, the
/// sizes of its structs and that no function is missing. It stays loaded.
/// @param into  what it offers, static
/// @returns empty, or why it cannot be used: half a sentence about it
std::string load_plugin_library(const char* path, const ergode_plugin*& into);

}  // namespace ergode
