#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace ergode::test {

/// Folder of traces that other projects published; empty when there is none. ERGODE_TRACES names another place.
inline std::string trace_folder() {
  const char* given = std::getenv("ERGODE_TRACES");
  const std::filesystem::path root =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::path(ERGODE_SOURCE_DIR) / "../shared/traces";
  return std::filesystem::is_directory(root) ? root.string() : std::string();
}

}  // namespace ergode::test
