#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace ergode::test {

/// Folder of a set of external cases, or of all of them; empty when there is none. ERGODE_CASES names another place.
inline std::string case_folder(const std::string& set = {}) {
  const char* given = std::getenv("ERGODE_CASES");
  const std::filesystem::path root =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::path(ERGODE_SOURCE_DIR) / "../shared/cases";
  return std::filesystem::is_directory(root / set) ? (root / set).string() : std::string();
}

}  // namespace ergode::test
