#include "app/session/keep.h"

#include <cstdlib>
#include <filesystem>

#include "core/results/result_store.h"

namespace ergode {
namespace {

std::optional<Diagnostic> add_all(const std::string& path, const std::vector<std::shared_ptr<const ResultSet>>& runs) {
  auto made = ResultStore::open(path);
  if (const auto* refused = std::get_if<Diagnostic>(&made)) return *refused;
  for (const auto& run : runs)
    if (auto problem = std::get<ResultStore>(made).add(*run)) return problem;
  return std::nullopt;
}

}  // namespace

std::string state_folder() {
  const char* set = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (set != nullptr && *set == '/') return std::string(set) + "/ergode";
  return std::string(home != nullptr && *home == '/' ? home : "/var/tmp") + "/.local/state/ergode";
}

Kept keep_runs(const std::string& path, const std::vector<std::shared_ptr<const ResultSet>>& runs) {
  auto problem = add_all(path, runs);
  if (!problem) return {path, {}};
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::path(state_folder()) / "runs";
  fs::create_directories(folder, ignored);
  const std::string elsewhere = (folder / fs::path(path).filename()).string();
  if (auto second = add_all(elsewhere, runs)) return {"", {*problem, *second}};
  problem->severity = Severity::warning;
  return {elsewhere,
          {*problem,
           {.severity = Severity::warning,
            .code = "RES013",
            .pointer = elsewhere,
            .message = "The run is kept in " + elsewhere + " instead.",
            .hint = "`ergode results MODEL --store " + folder.string() + "` shows it."}}};
}

}  // namespace ergode
