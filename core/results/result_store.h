#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/results/result_set.h"

struct sqlite3;

namespace ergode {

/// What a list of runs shows of one of them. label, note and star are the user's and may change; the rest never does.
struct RunRecord {
  std::string run_id, started_utc, model_name, model_path, scenario, solver, stop_reason, semantic_hash, version;
  RunStatus status = RunStatus::complete;
  std::uint64_t seed = 0;
  std::uint64_t replications = 0;
  double elapsed_s = 0.0;
  std::string label, note;
  bool star = false;
};

/// A file of immutable run records (SQLite 3, write-ahead log). Any number of programs may use one store at a time; a
/// kill or a full disk during a write leaves every earlier record as it was. Runs are never overwritten: the database
/// itself refuses changes (triggers). Not for use by two threads at once; open it twice.
///
/// Errors: RES003 cannot be opened, RES004 made by a newer version, RES005 no such run or not unique, RES006 cannot be
/// written (disk full, locked for more than 10 s, run already there), RES007 cannot be read.
class ResultStore {
 public:
  enum class Access { create, existing };
  /// Opens the store, and makes it when it is missing and `access` says so. The folder must exist.
  static std::variant<ResultStore, Diagnostic> open(const std::string& path, Access access = Access::create);

  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;
  ~ResultStore();

  /// Adds one run in one transaction; on return it is on disk. provenance.run_id must not be in the store yet.
  std::optional<Diagnostic> add(const ResultSet& results);
  /// Adds every run of another store that is not here yet, in its order and with the user's remarks, in one
  /// transaction; the other store stays as it is.
  std::optional<Diagnostic> add_all_of(const std::string& other_path);
  /// All runs, the newest first.
  std::variant<std::vector<RunRecord>, Diagnostic> list() const;
  /// The run whose id is or begins with `run_id`; "latest" is the newest run.
  std::variant<ResultSet, Diagnostic> load(const std::string& run_id) const;
  /// Sets the user's remarks on a run; the run itself stays as it is.
  std::optional<Diagnostic> annotate(const std::string& run_id, const std::string& label, const std::string& note,
                                     bool star);
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  ResultStore(std::string path, std::unique_ptr<sqlite3, Close> database);
  std::variant<std::string, Diagnostic> find(const std::string& prefix) const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Version of the store's tables, kept in SQLite's user_version.
inline constexpr int store_schema = 1;

}  // namespace ergode
