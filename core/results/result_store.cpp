#include "core/results/result_store.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "core/base/text_place.h"
#include "core/results/result_json.h"
#include "core/results/sqlite.h"

namespace ergode {

using namespace sqlite;

namespace {

constexpr int busy_timeout_ms = 10000;

constexpr const char* tables = R"(
CREATE TABLE run(
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  started_utc TEXT NOT NULL,
  status TEXT NOT NULL,
  stop_reason TEXT NOT NULL,
  model_name TEXT NOT NULL,
  model_path TEXT NOT NULL,
  scenario TEXT NOT NULL,
  solver TEXT NOT NULL,
  seed TEXT NOT NULL,
  replications INTEGER NOT NULL,
  elapsed_s REAL NOT NULL,
  semantic_hash TEXT NOT NULL,
  version TEXT NOT NULL,
  document TEXT NOT NULL);
CREATE TABLE annotation(
  run_id TEXT PRIMARY KEY REFERENCES run(run_id),
  label TEXT NOT NULL,
  note TEXT NOT NULL,
  star INTEGER NOT NULL);
CREATE INDEX run_by_hash ON run(semantic_hash);
CREATE TRIGGER run_is_immutable BEFORE UPDATE ON run BEGIN SELECT RAISE(ABORT, 'runs are immutable'); END;
CREATE TRIGGER run_is_kept BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'runs are never deleted'); END;
CREATE TRIGGER run_is_not_replaced BEFORE INSERT ON run
  WHEN EXISTS(SELECT 1 FROM run WHERE run_id = NEW.run_id OR number = NEW.number)
  BEGIN SELECT RAISE(ABORT, 'this run is already in the store'); END;
)";

/// A relative name is a name, whatever it begins with: neither a URI nor ":memory:".
std::string plain_name(const std::string& path) { return path.starts_with('/') ? path : "./" + path; }

/// As a URI of a file that nobody changes: the only way to read a write-ahead log's database on a read-only medium.
std::string unchanging(const std::string& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::error_code failed;
  std::string out = "file:";
  for (const char c : std::filesystem::absolute(path, failed).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_') out += c;
    else out += {'%', digits[byte >> 4U], digits[byte & 15U]};
  }
  return out + "?immutable=1";
}

bool has_other_tables(sqlite3* database) {
  Statement others(database, "SELECT 1 FROM sqlite_master LIMIT 1");
  return others.step() == SQLITE_ROW;
}

/// The columns of a run that a list shows, in the order of row_of() and listed_row().
constexpr const char* listed_columns =
    "run_id, started_utc, status, stop_reason, model_name, model_path, scenario, solver, seed, replications, "
    "elapsed_s, semantic_hash, version";
constexpr int listed_count = 13;

/// What a list shows of these results.
RunRecord row_of(const ResultSet& results) {
  const Provenance& p = results.provenance;
  return {.run_id = p.run_id,
          .started_utc = p.made.started_utc,
          .model_name = p.model_name,
          .model_path = p.model_path,
          .scenario = p.scenario,
          .solver = p.solver,
          .stop_reason = results.stop_reason,
          .semantic_hash = p.semantic_hash,
          .version = p.version,
          .status = results.status,
          .seed = p.seed,
          .replications = results.replications,
          .elapsed_s = p.made.elapsed_s};
}

/// What the columns of a row say, from this one on.
RunRecord listed_row(const Statement& select, int first) {
  RunRecord r;
  r.run_id = select.text(first);
  r.started_utc = select.text(first + 1);
  const std::string status = select.text(first + 2);
  r.status = status == "complete" ? RunStatus::complete : status == "partial" ? RunStatus::partial : RunStatus::failed;
  r.stop_reason = select.text(first + 3);
  r.model_name = select.text(first + 4);
  r.model_path = select.text(first + 5);
  r.scenario = select.text(first + 6);
  r.solver = select.text(first + 7);
  const std::string seed = select.text(first + 8);
  std::from_chars(seed.data(), seed.data() + seed.size(), r.seed);
  r.replications = static_cast<std::uint64_t>(select.integer(first + 9));
  r.elapsed_s = select.real(first + 10);
  r.semantic_hash = select.text(first + 11);
  r.version = select.text(first + 12);
  return r;
}

/// Whether both are of the same run as its numbers go; names that are no UTF-8 are replaced in a record.
bool agree(const RunRecord& a, const RunRecord& b) {
  return a.started_utc == b.started_utc && a.status == b.status && a.solver == b.solver && a.seed == b.seed &&
         a.replications == b.replications;
}

/// user_version, or -1 when the file cannot be read as a database.
int version_of(sqlite3* database) {
  Statement version(database, "PRAGMA user_version");
  return version.step() == SQLITE_ROW ? static_cast<int>(version.integer(0)) : -1;
}

}  // namespace

void ResultStore::Close::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
ResultStore::ResultStore(std::string path, std::unique_ptr<sqlite3, Close> database)
    : path_(std::move(path)), database_(std::move(database)) {}
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;
ResultStore::~ResultStore() = default;

std::variant<ResultStore, Diagnostic> ResultStore::open(const std::string& path, Access access) {
  std::error_code unknown;
  if (access == Access::existing && !std::filesystem::exists(path, unknown))
    return refusal("RES003", path, "There is no result store " + path + ".",
                   "Run a model first, or name another file.");
  std::unique_ptr<sqlite3, Close> database;
  int version = -1;
  const auto open_as = [&](const std::string& name, int flags) {
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
    database.reset(opened);
    if (result != SQLITE_OK) return false;
    sqlite3_extended_result_codes(opened, 1);
    sqlite3_busy_timeout(opened, busy_timeout_ms);
    return (version = version_of(opened)) >= 0;
  };
  bool opened = open_as(plain_name(path), SQLITE_OPEN_READWRITE | (access == Access::create ? SQLITE_OPEN_CREATE : 0));
  // Read-only media: without the right to write, and for a database in write-ahead mode as a file that nobody changes.
  if (!opened && access == Access::existing)
    opened = open_as(plain_name(path), SQLITE_OPEN_READONLY) ||
             open_as(unchanging(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  sqlite3* const raw = database.get();
  if (!opened) return failure("RES003", path, raw);
  const Diagnostic foreign =
      refusal("RES003", path, path + " is a database of another program, wanted a result store.", "Name another file.");
  if (version != 0 && !has_table(raw, "run")) return foreign;
  if (version == 0 && sqlite3_db_readonly(raw, "main") == 0) {
    // Another program may be making the tables at this moment: look again once the lock is ours.
    Transaction making(raw);
    if (!making.begun()) return failure("RES003", path, raw);
    version = version_of(raw);
    if (version == 0 && has_other_tables(raw)) return foreign;
    const std::string number = "PRAGMA user_version = " + std::to_string(store_schema);
    if (version == 0 && (!execute(raw, tables) || !execute(raw, number.c_str()))) return failure("RES003", path, raw);
    if (!making.commit()) return failure("RES003", path, raw);
    if (version == 0) version = store_schema;
  }
  if (version > store_schema)
    return refusal("RES004", path,
                   "The result store " + path + " has version " + std::to_string(version) + ", wanted at most " +
                       std::to_string(store_schema) + ".",
                   "It was made by a newer version of the program: use that one, or name another file.");
  // Fails while another program holds a store that an earlier version left with a write-ahead log: it serves as well.
  if (sqlite3_db_readonly(raw, "main") == 0) execute(raw, "PRAGMA journal_mode = DELETE");
  if (!execute(raw, "PRAGMA synchronous = FULL") || !execute(raw, "PRAGMA foreign_keys = ON"))
    return failure("RES003", path, raw);
  return ResultStore(path, std::move(database));
}

std::optional<Diagnostic> ResultStore::add(const ResultSet& results) {
  const Provenance& p = results.provenance;
  if (!ElementId::parse(p.run_id))
    return refusal("RES006", path_, "The run id is '" + p.run_id + "', wanted 16 hexadecimal digits.");
  const RunRecord row = row_of(results);
  Statement insert(database_.get(), ("INSERT INTO run(" + std::string(listed_columns) +
                                     ", document) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                                        .c_str());
  insert.bind(row.run_id);
  insert.bind(row.started_utc);
  insert.bind(std::string(to_text(row.status)));
  insert.bind(row.stop_reason);
  insert.bind(row.model_name);
  insert.bind(row.model_path);
  insert.bind(row.scenario);
  insert.bind(row.solver);
  // SQLite's integers are signed: a seed beyond 2^63 would come back negative.
  insert.bind(std::to_string(row.seed));
  insert.bind(static_cast<std::int64_t>(row.replications));
  insert.bind(row.elapsed_s);
  insert.bind(row.semantic_hash);
  insert.bind(row.version);
  const std::string document = results_text(results);
  insert.bind_kept(document);
  Transaction both(database_.get());
  if (!both.begun() || insert.step() != SQLITE_DONE) return failure("RES006", path_, database_.get());
  // A statement that has not ended keeps the transaction from being committed.
  insert.end();
  if (!make_digest_table() || !write_digest(p.run_id, Kept::record, document) || !write_overrides(p) ||
      !write_row_digest(p.run_id))
    return failure("RES006", path_, database_.get());
  if (results.status == RunStatus::complete)
    if (auto problem = drop_journal(p.run_id)) return problem;
  if (!both.commit()) return failure("RES006", path_, database_.get());
  return std::nullopt;
}

std::optional<Diagnostic> ResultStore::add_all_of(const std::string& other_path) {
  // Opened on its own first: that refuses what is no store of ours, and brings its log into it.
  const auto other = open(other_path, Access::existing);
  if (const auto* problem = std::get_if<Diagnostic>(&other)) return *problem;
  sqlite3* database = database_.get();
  Statement attach(database, "ATTACH DATABASE ? AS other");
  attach.bind(plain_name(other_path));
  if (attach.step() != SQLITE_DONE) return failure("RES006", path_, database);
  const bool journals = std::get<ResultStore>(other).has_journals();
  const bool overrides = std::get<ResultStore>(other).has_overrides();
  const bool digests = std::get<ResultStore>(other).has_digests();
  Transaction whole(database);
  const bool copied =
      whole.begun() && (!digests || make_digest_table()) && execute(database, R"(
INSERT INTO run(run_id, started_utc, status, stop_reason, model_name, model_path, scenario, solver, seed, replications,
                elapsed_s, semantic_hash, version, document)
  SELECT run_id, started_utc, status, stop_reason, model_name, model_path, scenario, solver, seed, replications,
         elapsed_s, semantic_hash, version, document
  FROM other.run WHERE run_id NOT IN (SELECT run_id FROM main.run) ORDER BY number;
INSERT OR IGNORE INTO annotation(run_id, label, note, star) SELECT run_id, label, note, star FROM other.annotation;
)") && (!journals || (make_journal_table() && execute(database, R"(
INSERT OR IGNORE INTO journal SELECT * FROM other.journal WHERE run_id NOT IN
  (SELECT run_id FROM main.run WHERE status = 'complete'))"))) &&
      (!overrides || (make_overrides_table() &&
                      execute(database, "INSERT OR IGNORE INTO overrides SELECT * FROM other.overrides"))) &&
      (digests ? execute(database, "INSERT OR IGNORE INTO digest SELECT * FROM other.digest")
               : !has_digests() || write_missing_digests()) &&
      whole.commit();
  std::optional<Diagnostic> problem;
  if (!copied) problem = failure("RES006", path_, database);
  whole.undo();
  execute(database, "DETACH DATABASE other");
  return problem;
}

std::variant<std::vector<RunRecord>, Diagnostic> ResultStore::list() const {
  auto out = rows();
  if (auto* runs = std::get_if<std::vector<RunRecord>>(&out)) mark_altered(*runs), add_interrupted(*runs);
  return out;
}

std::variant<std::vector<RunRecord>, Diagnostic> ResultStore::rows(const std::string& run_id) const {
  Statement select(database_.get(), ("SELECT " + std::string(listed_columns) +
                                     ", label, note, star FROM run LEFT JOIN annotation USING(run_id) "
                                     "WHERE ?1 = '' OR run_id = ?1 ORDER BY number DESC")
                                        .c_str());
  select.bind(run_id);
  std::vector<RunRecord> out;
  int state = select.step();
  for (; state == SQLITE_ROW; state = select.step()) {
    RunRecord r = listed_row(select, 0);
    r.label = select.text(listed_count);
    r.note = select.text(listed_count + 1);
    r.star = select.integer(listed_count + 2) != 0;
    out.push_back(std::move(r));
  }
  if (state != SQLITE_DONE) return failure("RES007", path_, database_.get());
  read_overrides(out);
  return out;
}

std::variant<std::string, Diagnostic> ResultStore::find(const std::string& prefix) const {
  if (prefix.empty())
    return refusal("RES005", path_, "The run id is empty, wanted the first digits of one, or latest.");
  const bool latest = prefix == "latest";
  Statement select(
      database_.get(),
      latest ? "SELECT run_id FROM run ORDER BY number DESC LIMIT 1"
             : "SELECT run_id FROM run WHERE substr(run_id, 1, length(?1)) = lower(?1) ORDER BY number DESC LIMIT 4");
  if (!latest) select.bind(prefix);
  std::vector<std::string> found;
  int state = select.step();
  for (; state == SQLITE_ROW; state = select.step()) found.push_back(select.text(0));
  if (state != SQLITE_DONE) return failure("RES007", path_, database_.get());
  if (found.empty() && latest) return refusal("RES005", path_, "There is no run in " + path_ + ".");
  if (found.empty()) return refusal("RES005", path_, "No run in " + path_ + " begins with '" + prefix + "'.");
  if (found.size() == 1) return found.front();
  std::string ids;
  for (std::size_t i = 0; i < 3 && i < found.size(); ++i) ids += (i != 0 ? ", " : "") + found[i];
  return refusal("RES005", path_,
                 "More than one run begins with '" + prefix + "': " + ids + (found.size() > 3 ? ", ..." : "") + ".",
                 "Give more digits.");
}

std::variant<ResultSet, Diagnostic> ResultStore::load(const std::string& run_id) const {
  if (run_id == "latest" && has_journals()) {
    const auto runs = list();
    if (const auto* problem = std::get_if<Diagnostic>(&runs)) return *problem;
    if (const auto& all = std::get<std::vector<RunRecord>>(runs); !all.empty()) return load(all.front().run_id);
  }
  const auto id = find(run_id);
  if (const auto* problem = std::get_if<Diagnostic>(&id)) {
    auto interrupted = run_id == "latest" ? std::variant<RunJournal, Diagnostic>(*problem) : journal(run_id);
    if (auto* found = std::get_if<RunJournal>(&interrupted)) return std::move(found->so_far);
    // It is there, and damaged.
    if (auto& why = std::get<Diagnostic>(interrupted); why.code == "RES007") return std::move(why);
    return *problem;
  }
  Statement select(database_.get(),
                   ("SELECT document, " + std::string(listed_columns) + " FROM run WHERE run_id = ?").c_str());
  select.bind(std::get<std::string>(id));
  if (select.step() != SQLITE_ROW) return failure("RES007", path_, database_.get());
  const std::string document = select.text(0);
  const RunRecord listed = listed_row(select, 1);
  auto problem = changed(std::get<std::string>(id), Kept::record, document);
  if (problem && problem->severity == Severity::error) return std::move(*problem);
  Diagnostics problems;
  auto results = parse_results(document, problems);
  if (results && results->provenance.run_id != std::get<std::string>(id))
    return refusal("RES007", path_,
                   "The record of run " + std::get<std::string>(id) + " is damaged: it is that of run " +
                       results->provenance.run_id + ".");
  if (results && problem) results->diagnostics.push_back(std::move(*problem));
  // Lists are read from columns of their own, which no digest guards: the record does.
  if (results && !agree(listed, row_of(*results)))
    results->diagnostics.push_back(
        {.severity = Severity::warning,
         .code = "RES007",
         .message = "The list of runs says something else of run " + listed.run_id + " than its record: seed " +
                    std::to_string(listed.seed) + ", " + std::to_string(listed.replications) +
                    " replications, solver " + quotable(listed.solver) + ", " + to_text(listed.status) + ".",
         .hint = "The record is as it was written; the list was changed by another program or by its medium."});
  if (results) return std::move(*results);
  return refusal("RES007", path_,
                 "The record of run " + std::get<std::string>(id) + " is damaged: " + problems.front().message);
}

std::optional<Diagnostic> ResultStore::annotate(const std::string& run_id, const std::string& label,
                                                const std::string& note, bool star) {
  const auto id = find(run_id);
  if (const auto* problem = std::get_if<Diagnostic>(&id)) return *problem;
  Statement replace(database_.get(), "INSERT OR REPLACE INTO annotation(run_id, label, note, star) VALUES(?, ?, ?, ?)");
  replace.bind(std::get<std::string>(id));
  replace.bind(label);
  replace.bind(note);
  replace.bind(std::int64_t{star});
  if (replace.step() != SQLITE_DONE) return failure("RES006", path_, database_.get());
  return std::nullopt;
}

}  // namespace ergode
