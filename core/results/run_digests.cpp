// What SQLite does not keep: that the bytes of a record are those that were written. A table of its own, made with the
// first record: older versions read the store as before, and records of theirs are taken as they are then. It guards
// against media and accidents, not against who wants to deceive: he can write a digest as well.
#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "core/base/sha256.h"
#include "core/results/result_store.h"
#include "core/results/sqlite.h"

namespace ergode {

using sqlite::execute;
using sqlite::Statement;

namespace {

/// What a list shows of a run, without the user's remarks; no two runs that differ in it have the same text.
std::string row_text(const RunRecord& run) {
  std::string out;
  const auto add = [&](const std::string& text) { out += std::to_string(text.size()) + ":" + text; };
  for (const std::string* text : {&run.run_id, &run.started_utc, &run.model_name, &run.model_path, &run.scenario,
                                  &run.solver, &run.stop_reason, &run.semantic_hash, &run.version})
    add(*text);
  add(to_text(run.status));
  add(std::to_string(run.seed)), add(std::to_string(run.replications));
  add(std::to_string(std::bit_cast<std::uint64_t>(run.elapsed_s)));
  for (const auto& [name, text] : run.overrides) add(name), add(text);
  return out;
}

std::map<std::string, std::string> row_digests(sqlite3* database) {
  std::map<std::string, std::string> out;
  Statement select(database, "SELECT run_id, sha256 FROM digest WHERE what = 'row'");
  while (select.step() == SQLITE_ROW) out[select.text(0)] = select.text(1);
  return out;
}

}  // namespace

bool ResultStore::has_digests() const { return sqlite::has_table(database_.get(), "digest"); }

bool ResultStore::make_digest_table() {
  if (has_digests()) return true;
  return execute(database_.get(),
                 "CREATE TABLE digest(run_id TEXT NOT NULL, what TEXT NOT NULL, sha256 TEXT NOT NULL, "
                 "PRIMARY KEY(run_id, what))") &&
         write_missing_digests();
}

bool ResultStore::write_missing_digests() {
  std::vector<std::string> ids;  // first: what is read must not be written meanwhile
  Statement without(database_.get(),
                    "SELECT run_id FROM run WHERE run_id NOT IN (SELECT run_id FROM digest WHERE what = 'record')");
  int state = without.step();
  for (; state == SQLITE_ROW; state = without.step()) ids.push_back(without.text(0));
  without.end();
  if (state != SQLITE_DONE) return false;
  for (const std::string& id : ids) {
    Statement record(database_.get(), "SELECT document FROM run WHERE run_id = ?");
    record.bind(id);
    if (record.step() != SQLITE_ROW || !write_digest(id, Kept::record, record.text(0))) return false;
  }
  return true;
}

bool ResultStore::write_row_digest(const std::string& run_id) {
  Statement any(database_.get(), "SELECT 1 FROM digest WHERE what = 'row' LIMIT 1");
  const bool first = any.step() == SQLITE_DONE;
  any.end();
  // As they are read again: a name that is no UTF-8 comes back as it was put.
  const auto listed = rows(first ? std::string() : run_id);
  const auto* runs = std::get_if<std::vector<RunRecord>>(&listed);
  return runs != nullptr && std::all_of(runs->begin(), runs->end(), [&](const RunRecord& run) {
           return write_digest(run.run_id, Kept::row, row_text(run));
         });
}

void ResultStore::mark_altered(std::vector<RunRecord>& runs) const {
  if (!has_digests()) return;
  const std::map<std::string, std::string> known = row_digests(database_.get());
  for (RunRecord& run : runs)
    if (const auto was = known.find(run.run_id); was != known.end())
      run.altered = sha256_hex(row_text(run)) != was->second;
}

bool ResultStore::write_digest(const std::string& run_id, Kept what, const std::string& bytes) {
  Statement replace(database_.get(), "INSERT OR REPLACE INTO digest(run_id, what, sha256) VALUES(?, ?, ?)");
  replace.bind(run_id);
  replace.bind(std::string(what == Kept::record ? "record" : what == Kept::row ? "row" : "journal"));
  replace.bind(sha256_hex(bytes));
  return replace.step() == SQLITE_DONE;
}

std::optional<Diagnostic> ResultStore::changed(const std::string& run_id, Kept what, const std::string& bytes) const {
  if (!has_digests()) return std::nullopt;
  const std::string name = what == Kept::record ? "record" : "journal";
  Statement select(database_.get(), "SELECT sha256 FROM digest WHERE run_id = ? AND what = ?");
  select.bind(run_id);
  select.bind(name);
  const int state = select.step();
  if (state == SQLITE_DONE)
    return Diagnostic{.severity = Severity::warning,
                      .code = "RES007",
                      .message = "The " + name + " of run " + run_id +
                                 " has no SHA-256 in the store: whether it is as it was written cannot be told.",
                      .hint = "Another program or an older version put it there, or its digest is lost."};
  if (state != SQLITE_ROW) return sqlite::failure("RES007", path_, database_.get());
  const std::string was = select.text(0), is = sha256_hex(bytes);
  if (is == was) return std::nullopt;
  return sqlite::refusal("RES007", path_,
                         "The " + name + " of run " + run_id + " is damaged: its SHA-256 is " + is.substr(0, 16) +
                             "..., wanted " + was.substr(0, 16) + "..., as it was when it was written.",
                         "The file was changed by another program or by its medium; take a copy of it from a backup.");
}

}  // namespace ergode
