#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/results/result_set.h"

struct sqlite3;

namespace ergode {

/// What a list of runs shows of one of them, as RunStatus and Provenance have it. label, note and star are the user's
/// and may change; the rest never does.
struct RunRecord {
  std::string run_id, started_utc, model_name, model_path, scenario, solver, stop_reason, semantic_hash, version;
  RunStatus status = RunStatus::complete;
  std::uint64_t seed = 0;
  std::uint64_t replications = 0;
  double elapsed_s = 0.0;  ///< of the wall clock
  std::string label, note;
  bool star = false;
  std::map<std::string, std::string> overrides;  ///< Provenance::overrides; runs kept by older versions have none here
  /// The run has ended in no order: all there is of it is its journal. `status` is then partial.
  bool interrupted = false;
  /// A journal says where it can go on.
  bool resumable = false;
  /// What is shown here (but for the user's remarks) is not what was written with the run: another program or the
  /// medium changed it. The record of the run tells what it is.
  bool altered = false;
};

/// What is kept of a run while it goes on, so that a kill loses a few seconds and not the run.
/// Its id is that under which the run will be recorded; a journal without a record is a run that goes on or was
/// interrupted, which the owner tells.
struct RunJournal {
  std::string run_id;
  std::string owner;       ///< the process that makes the run: see this_process()
  std::string asked;       ///< JSON of what was asked for, so that the run can be asked for again
  std::string checkpoint;  ///< from which the run goes on (RunControl::resume_from)
  ResultSet so_far;        ///< a snapshot of its results with its provenance; status partial
  bool recorded = false;   ///< a partial record has this id already; not written
};

/// A file of immutable run records (SQLite 3, rollback journal: one file, readable on read-only media too). Any number
/// of programs may use one store at a time; a kill or a full disk during a write leaves every earlier record as it was.
/// Runs are never overwritten: the database itself refuses changes (triggers), and what was kept of a run is read only
/// if it has the SHA-256 that it was written with, as far as the store has one. Not for use by two threads at once;
/// open it twice.
///
/// Errors: RES003 cannot be opened, RES004 made by a newer version, RES005 no such run or not unique, RES006 cannot be
/// written (disk full, locked for more than 10 s, run already there), RES007 cannot be read.
///
///     auto opened = ResultStore::open("model.results.sqlite");
///     if (auto* problem = std::get_if<Diagnostic>(&opened)) return show(*problem);
///     auto& store = std::get<ResultStore>(opened);
///     if (auto problem = store.add(results)) return show(*problem);
class ResultStore {
 public:
  /// create: a missing file is made; existing: a missing file is RES003.
  enum class Access { create, existing };
  /// Opens the store, and makes it when it is missing and `access` says so. The folder must exist. An existing store
  /// that may not be written is opened for reading. Waits up to 10 s for a program that writes, as every other call
  /// here does; such waiting blocks the thread.
  /// @returns RES003 for a file of another program or one that cannot be opened, RES004.
  static std::variant<ResultStore, Diagnostic> open(const std::string& path, Access access = Access::create);

  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;
  ~ResultStore();

  /// Adds one run in one transaction; on return it is on disk. provenance.run_id must be 16 hexadecimal digits and not
  /// in the store yet. The journal of a complete run goes with the same transaction; that of a partial one stays, so
  /// that it can be resumed. O(size of the results as JSON).
  /// @returns nothing, or RES006; then the store is as it was.
  std::optional<Diagnostic> add(const ResultSet& results);
  /// Adds every run and journal of another store that is not here yet, in its order and with the user's remarks, in one
  /// transaction; the other store stays as it is.
  /// @returns nothing, or RES003, RES004 (of the other one), RES006; then this one is as it was.
  std::optional<Diagnostic> add_all_of(const std::string& other_path);

  /// Replaces the journal of a run that goes on; on return it is on disk. RES006.
  std::optional<Diagnostic> write_journal(const RunJournal& journal);
  /// The journal of the run whose id is or begins with `run_id`; "latest" is the one written last. Of a run that goes
  /// on, too: whether its owner lives is the caller's to ask (process_alive()). RES005, RES007.
  std::variant<RunJournal, Diagnostic> journal(const std::string& run_id) const;
  /// Gives the journal of a run another owner if it still has the one that was read of it: of several programs that
  /// try, one does. @returns whether it did; RES006.
  std::variant<bool, Diagnostic> change_owner(const std::string& run_id, const std::string& from,
                                              const std::string& to);
  /// Forgets the journal of a run; nothing when there is none.
  std::optional<Diagnostic> drop_journal(const std::string& run_id);

  /// All runs, the newest first; those of which there is a journal alone, and whose process is gone, come as
  /// interrupted. Runs that go on are not listed. What was altered since it was written is marked (RunRecord::altered).
  /// Reads no results but those of journals: O(runs). RES007.
  std::variant<std::vector<RunRecord>, Diagnostic> list() const;
  /// The run whose id is or begins with `run_id`; "latest" is the first of list(). Of an interrupted one, what its
  /// journal has. Where list() says something else of it, a warning RES007 stands among its diagnostics. RES005, RES007
  /// (a record that is damaged).
  std::variant<ResultSet, Diagnostic> load(const std::string& run_id) const;
  /// Sets the user's remarks on a recorded run, all three; the run itself stays as it is. RES005 (of an interrupted run
  /// as well), RES006.
  std::optional<Diagnostic> annotate(const std::string& run_id, const std::string& label, const std::string& note,
                                     bool star);
  /// As it was opened.
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  ResultStore(std::string path, std::unique_ptr<sqlite3, Close> database);
  std::variant<std::string, Diagnostic> find(const std::string& prefix) const;
  bool has_journals() const;
  bool make_journal_table();
  enum class Kept { record, journal, row };
  bool has_digests() const;
  bool make_digest_table();
  /// Of records that an older version wrote, as they are now.
  bool write_missing_digests();
  /// What a list shows of a run that was just added; with the first, of those of an older version as well.
  bool write_row_digest(const std::string& run_id);
  void mark_altered(std::vector<RunRecord>& runs) const;
  /// Of one run, or of all of them.
  std::variant<std::vector<RunRecord>, Diagnostic> rows(const std::string& run_id = {}) const;
  bool write_digest(const std::string& run_id, Kept what, const std::string& bytes);
  /// RES007 where `bytes` are not those that were written; a warning where nothing is known of them in a store that
  /// knows it of others; nothing in one of a version that kept no digests. The table is made first.
  std::optional<Diagnostic> changed(const std::string& run_id, Kept what, const std::string& bytes) const;
  bool has_overrides() const;
  bool make_overrides_table();
  bool write_overrides(const Provenance& run);
  void read_overrides(std::vector<RunRecord>& runs) const;
  /// Marks the runs that can be resumed, and adds those that were interrupted where they belong by their start.
  void add_interrupted(std::vector<RunRecord>& runs) const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Version of the store's tables, kept in SQLite's user_version.
inline constexpr int store_schema = 1;

}  // namespace ergode
