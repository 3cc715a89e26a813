#include "app/session/keep.h"

#include <cstdlib>
#include <filesystem>

#include "core/base/sha256.h"
#include "core/results/result_store.h"

namespace ergode {
namespace {

namespace fs = std::filesystem;

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

std::string second_store(const std::string& path) {
  std::error_code failed;
  // One model has one second store, by whatever way its folder was reached.
  fs::path whole = fs::weakly_canonical(fs::absolute(path, failed), failed);
  if (failed) whole = path;
  // A folder for each: the file in it keeps the name by which a model finds its store.
  constexpr std::size_t told_apart = 16;
  const std::string folder =
      whole.parent_path().filename().string() + "-" + sha256_hex(whole.parent_path().string()).substr(0, told_apart);
  return (fs::path(state_folder()) / "runs" / folder / whole.filename()).string();
}

Kept keep_runs(const std::string& path, const std::vector<std::shared_ptr<const ResultSet>>& runs) {
  auto problem = add_all(path, runs);
  if (!problem) return {path, {}};
  const std::string elsewhere = second_store(path);
  const fs::path folder = fs::path(elsewhere).parent_path();
  std::error_code ignored;
  fs::create_directories(folder, ignored);
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
