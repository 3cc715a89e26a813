// The journals of a store: what is kept of runs that go on.
#include <algorithm>

#include "core/base/process.h"
#include "core/results/result_json.h"
#include "core/results/result_store.h"
#include "core/results/sqlite.h"

namespace ergode {

using namespace sqlite;

namespace {

// Made with the first journal: a store without runs that take long has none, and neither have old ones.
constexpr const char* journal_table = R"(
CREATE TABLE IF NOT EXISTS journal(
  run_id TEXT PRIMARY KEY,
  written INTEGER NOT NULL,
  owner TEXT NOT NULL,
  asked TEXT NOT NULL,
  checkpoint BLOB NOT NULL,
  so_far TEXT NOT NULL))";

/// The list's line of a run of which there is a journal alone.
RunRecord interrupted_record(const ResultSet& so_far) {
  const Provenance& p = so_far.provenance;
  RunRecord r;
  r.run_id = p.run_id, r.started_utc = p.made.started_utc, r.model_name = p.model_name, r.model_path = p.model_path;
  r.scenario = p.scenario, r.solver = p.solver, r.semantic_hash = p.semantic_hash, r.version = p.version;
  r.status = so_far.status, r.stop_reason = so_far.stop_reason;
  r.seed = p.seed, r.replications = so_far.replications, r.elapsed_s = p.made.elapsed_s;
  r.overrides = p.overrides;
  r.interrupted = r.resumable = true;
  return r;
}

}  // namespace

bool ResultStore::has_journals() const { return has_table(database_.get(), "journal"); }

bool ResultStore::make_journal_table() { return execute(database_.get(), journal_table); }

std::optional<Diagnostic> ResultStore::write_journal(const RunJournal& journal) {
  Transaction whole(database_.get());
  if (!whole.begun() || !make_journal_table()) return failure("RES006", path_, database_.get());
  Statement replace(database_.get(),
                    "INSERT OR REPLACE INTO journal(run_id, written, owner, asked, checkpoint, so_far) "
                    "VALUES(?1, (SELECT 1 + ifnull(max(written), 0) FROM journal), ?2, ?3, ?4, ?5)");
  replace.bind(journal.run_id);
  replace.bind(journal.owner);
  replace.bind(journal.asked);
  replace.bind_blob(journal.checkpoint);
  const std::string so_far = results_text(journal.so_far);
  replace.bind_kept(so_far);
  if (replace.step() != SQLITE_DONE) return failure("RES006", path_, database_.get());
  replace.end();
  if (!make_digest_table() || !write_digest(journal.run_id, Kept::journal, journal.asked + journal.checkpoint + so_far))
    return failure("RES006", path_, database_.get());
  if (!whole.commit()) return failure("RES006", path_, database_.get());
  return std::nullopt;
}

void ResultStore::add_interrupted(std::vector<RunRecord>& runs) const {
  if (!has_journals()) return;
  Statement select(database_.get(), "SELECT run_id, owner, so_far FROM journal ORDER BY written");
  while (select.step() == SQLITE_ROW) {
    const std::string id = select.text(0);
    const auto record = std::find_if(runs.begin(), runs.end(), [&](const RunRecord& r) { return r.run_id == id; });
    if (record != runs.end()) {
      record->resumable = !process_alive(select.text(1));  // else somebody has taken it up
      continue;
    }
    Diagnostics problems;
    const auto so_far = parse_results(select.text(2), problems);
    // Of a run that goes on, its own process tells.
    if (!so_far || process_alive(select.text(1))) continue;
    RunRecord own = interrupted_record(*so_far);
    const auto older =
        std::find_if(runs.begin(), runs.end(), [&](const RunRecord& r) { return r.started_utc <= own.started_utc; });
    runs.insert(older, std::move(own));
  }
}

std::variant<RunJournal, Diagnostic> ResultStore::journal(const std::string& run_id) const {
  const auto none = [&] {
    return refusal("RES005", path_,
                   "There is no run in " + path_ + " that " +
                       (run_id == "latest" ? "can be resumed." : "begins with '" + run_id + "' and can be resumed."),
                   "`ergode results MODEL` lists the runs; those that were interrupted can be resumed.");
  };
  if (run_id.empty() || !has_journals()) return none();
  const bool latest = run_id == "latest";
  Statement select(database_.get(),
                   latest ? "SELECT run_id, owner, asked, checkpoint, so_far FROM journal ORDER BY written DESC"
                          : "SELECT run_id, owner, asked, checkpoint, so_far FROM journal WHERE substr(run_id, 1, "
                            "length(?1)) = lower(?1) ORDER BY written DESC");
  if (!latest) select.bind(run_id);
  if (const int state = select.step(); state == SQLITE_DONE) return none();
  else if (state != SQLITE_ROW) return failure("RES007", path_, database_.get());
  if (auto problem = changed(select.text(0), Kept::journal, select.text(2) + select.blob(3) + select.text(4));
      problem && problem->severity == Severity::error)
    return *problem;
  Diagnostics problems;
  auto so_far = parse_results(select.text(4), problems);
  if (!so_far)
    return refusal("RES007", path_,
                   "The journal of run " + select.text(0) + " is damaged: " + problems.front().message);
  RunJournal out{select.text(0), select.text(1), select.text(2), select.blob(3), std::move(*so_far)};
  Statement record(database_.get(), "SELECT 1 FROM run WHERE run_id = ?");
  record.bind(out.run_id);
  out.recorded = record.step() == SQLITE_ROW;
  if (!latest && select.step() == SQLITE_ROW)
    return refusal("RES005", path_,
                   "More than one run begins with '" + run_id + "': " + out.run_id + ", " + select.text(0) + ".",
                   "Give more digits.");
  return out;
}

std::variant<bool, Diagnostic> ResultStore::change_owner(const std::string& run_id, const std::string& from,
                                                         const std::string& to) {
  if (!has_journals()) return false;
  Statement update(database_.get(), "UPDATE journal SET owner = ?1 WHERE run_id = ?2 AND owner = ?3");
  update.bind(to);
  update.bind(run_id);
  update.bind(from);
  if (update.step() != SQLITE_DONE) return failure("RES006", path_, database_.get());
  return sqlite3_changes(database_.get()) > 0;
}

std::optional<Diagnostic> ResultStore::drop_journal(const std::string& run_id) {
  if (!has_journals()) return std::nullopt;
  Statement forget(database_.get(), "DELETE FROM journal WHERE run_id = ?");
  forget.bind(run_id);
  if (forget.step() != SQLITE_DONE) return failure("RES006", path_, database_.get());
  if (!has_digests()) return std::nullopt;
  Statement digest(database_.get(), "DELETE FROM digest WHERE run_id = ? AND what = 'journal'");
  digest.bind(run_id);
  if (digest.step() != SQLITE_DONE) return failure("RES006", path_, database_.get());
  return std::nullopt;
}

}  // namespace ergode
