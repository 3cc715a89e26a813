#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ergode::test {

/// Folder of a set of external cases, or of all of them; empty when there is none. ERGODE_CASES names another place.
inline std::string case_folder(const std::string& set = {}) {
  const char* given = std::getenv("ERGODE_CASES");
  const std::filesystem::path root =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::path(ERGODE_SOURCE_DIR) / "../shared/cases";
  return std::filesystem::is_directory(root / set) ? (root / set).string() : std::string();
}

/// Rows of a table by the names of its columns; an empty cell is no number.
inline std::vector<std::map<std::string, double>> table(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::vector<std::string> names;
  std::vector<std::map<std::string, double>> rows;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!cells[i].empty() && cells[i] != "NaN") rows.back()[names[i]] = std::stod(cells[i]);
  }
  return rows;
}

}  // namespace ergode::test
