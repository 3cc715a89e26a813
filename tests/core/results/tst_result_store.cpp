#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fstream>

#include "core/base/process.h"
#include "core/results/result_json.h"
#include "core/results/result_store.h"
#include "tests/core/results/example_results.h"

using namespace ergode;

namespace {

ResultStore opened(const std::string& path) {
  auto store = ResultStore::open(path);
  if (const auto* problem = std::get_if<Diagnostic>(&store)) qFatal("%s", problem->message.c_str());
  return std::move(std::get<ResultStore>(store));
}

std::vector<RunRecord> listed(const ResultStore& store) {
  auto list = store.list();
  if (const auto* problem = std::get_if<Diagnostic>(&list)) qFatal("%s", problem->message.c_str());
  return std::get<0>(std::move(list));
}

/// Runs SQL on a connection of its own. @returns the error text, or "ok".
std::string sql(const std::string& path, const char* text) {
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  char* message = nullptr;
  const int state = sqlite3_exec(database, text, nullptr, nullptr, &message);
  const std::string out = state == SQLITE_OK ? "ok" : message;
  sqlite3_free(message);
  sqlite3_close(database);
  return out;
}

/// Runs `act` in a child process. @returns its process id.
template <class Act>
pid_t child(Act act) {
  const pid_t id = ::fork();
  if (id == 0) ::_exit(act());
  return id;
}

int exit_code(pid_t id) {
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

class TestResultStore : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void a_run_reads_back_as_it_was();
  void the_list_shows_the_newest_first();
  void what_was_set_is_listed_and_a_run_without_it_has_none();
  void runs_are_found_by_unique_prefix();
  void a_changed_record_or_journal_is_never_read_as_the_truth();
  void latest_is_the_first_of_the_list_interrupted_or_not();
  void runs_cannot_be_changed_deleted_or_replaced();
  void remarks_change_and_the_run_does_not();
  void newer_foreign_and_broken_files_are_refused();
  void two_processes_write_at_once();
  void a_kill_during_writes_leaves_earlier_runs_readable();
  void the_runs_of_another_store_move_along_once();
  void a_full_disk_leaves_earlier_runs_readable();
  void an_interrupted_run_is_listed_and_goes_with_its_record();
  void a_read_only_store_can_be_read();
  void a_name_is_a_name();

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::string path_;
};

void TestResultStore::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  path_ = folder_->filePath("runs.results.sqlite").toStdString();
}

void TestResultStore::an_interrupted_run_is_listed_and_goes_with_its_record() {
  ResultStore store = opened(path_);
  QVERIFY(!store.add(example_results(1)));
  QVERIFY(std::holds_alternative<Diagnostic>(store.journal("latest")));
  RunJournal journal{.run_id = ElementId(7).text(),
                     .owner = this_process(),
                     .asked = "{}",
                     .checkpoint = std::string("\0a\0", 3),
                     .so_far = example_results(7)};
  QVERIFY(!store.write_journal(journal));
  QCOMPARE(listed(store).size(), std::size_t{1});  // it goes on: nothing was interrupted
  // Its process dies.
  const pid_t id = child([&] {
    journal.owner = this_process();
    return opened(path_).write_journal(journal) ? 1 : 0;
  });
  QCOMPARE(exit_code(id), 0);
  auto list = listed(store);
  QCOMPARE(list.size(), std::size_t{2});
  const auto& found = list[0].run_id == journal.run_id ? list[0] : list[1];
  QVERIFY(found.interrupted && found.resumable && found.run_id == journal.run_id);
  QCOMPARE(std::get<ResultSet>(store.load("00000000000000")).provenance.run_id, ElementId(1).text());
  QCOMPARE(std::get<ResultSet>(store.load(journal.run_id)).provenance.run_id, journal.run_id);
  const auto back = std::get<RunJournal>(store.journal("latest"));
  QCOMPARE(back.checkpoint, journal.checkpoint);
  QVERIFY(!back.recorded);
  // A partial record keeps it resumable, a complete one ends that.
  ResultSet record = example_results(7);
  record.status = RunStatus::partial;
  QVERIFY(!store.add(record));
  list = listed(store);
  QCOMPARE(list.size(), std::size_t{2});
  QVERIFY(!list[0].interrupted && list[0].resumable);
  QVERIFY(std::get<RunJournal>(store.journal(journal.run_id)).recorded);
  journal.run_id = ElementId(8).text(), journal.so_far = example_results(8);
  QVERIFY(!store.write_journal(journal));
  record = example_results(8);
  record.status = RunStatus::complete;
  QVERIFY(!store.add(record));
  QVERIFY(std::holds_alternative<Diagnostic>(store.journal(ElementId(8).text())));
  // Another store takes runs and journals over.
  const std::string other = folder_->filePath("other.sqlite").toStdString();
  QVERIFY(!opened(other).add_all_of(path_));
  QCOMPARE(listed(opened(other)).size(), std::size_t{3});
  QVERIFY(std::holds_alternative<RunJournal>(opened(other).journal(ElementId(7).text())));
}

void TestResultStore::a_read_only_store_can_be_read() {
  QVERIFY(!opened(path_).add(example_results(1)));
  QCOMPARE(sql(path_, "PRAGMA journal_mode"), std::string("ok"));
  QVERIFY(!std::filesystem::exists(path_ + "-wal"));
  for (const char* mode : {"DELETE", "WAL"}) {  // as an earlier version left it
    QCOMPARE(sql(path_, (std::string("PRAGMA journal_mode = ") + mode).c_str()), std::string("ok"));
    QVERIFY(QFile::setPermissions(QString::fromStdString(path_), QFile::ReadOwner | QFile::ReadOther));
    QVERIFY(QFile::setPermissions(folder_->path(),
                                  QFile::ReadOwner | QFile::ExeOwner | QFile::ReadOther | QFile::ExeOther));
    const pid_t id = child([&] {
      if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
        return 9;  // permissions bind nobody but root
      auto store = ResultStore::open(path_, ResultStore::Access::existing);
      auto* good = std::get_if<ResultStore>(&store);
      if (good == nullptr) return 2;
      if (!std::holds_alternative<ResultSet>(good->load("latest")) || listed(*good).size() != 1) return 3;
      return good->add(example_results(2)) ? 0 : 4;
    });
    QCOMPARE(exit_code(id), 0);
    QFile::setPermissions(folder_->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QFile::setPermissions(QString::fromStdString(path_), QFile::ReadOwner | QFile::WriteOwner);
  }
}

void TestResultStore::a_name_is_a_name() {
  const QString before = QDir::currentPath();
  QVERIFY(QDir::setCurrent(folder_->path()));
  for (const char* name : {"file:x?mode=memory", ":memory:", "a b%41#.sqlite"}) {
    QVERIFY(!opened(name).add(example_results(1)));
    QVERIFY2(std::filesystem::exists(name), name);
    QCOMPARE(listed(opened(name)).size(), std::size_t{1});
  }
  QVERIFY(!opened("other").add_all_of("file:x?mode=memory"));
  QVERIFY(QDir::setCurrent(before));
}

void TestResultStore::a_run_reads_back_as_it_was() {
  const ResultSet run = example_results(0x1234567890abcdef);
  QVERIFY(!opened(path_).add(run));
  const auto back = opened(path_).load("1234567890abcdef");
  QVERIFY(std::holds_alternative<ResultSet>(back));
  QCOMPARE(to_json(std::get<ResultSet>(back)).dump(), to_json(run).dump());
}

void TestResultStore::the_list_shows_the_newest_first() {
  ResultStore store = opened(path_);
  QVERIFY(listed(store).empty());
  for (const std::uint64_t id : {3U, 1U, 2U}) QVERIFY(!store.add(example_results(id)));
  const auto list = listed(store);
  QCOMPARE(list.size(), std::size_t{3});
  QCOMPARE(list[0].run_id, ElementId(2).text());
  QCOMPARE(list[2].run_id, ElementId(3).text());
  QCOMPARE(list[0].seed, 18446744073709551615ULL);
  QCOMPARE(list[0].status, RunStatus::partial);
  QCOMPARE(list[0].replications, std::uint64_t{1234567});
  QCOMPARE(list[0].semantic_hash, std::string("ba7816bf"));
  QCOMPARE(list[0].elapsed_s, 7.25);
}

void TestResultStore::what_was_set_is_listed_and_a_run_without_it_has_none() {
  ResultStore store = opened(path_);
  ResultSet plain = example_results(1), set = example_results(2);
  plain.provenance.overrides.clear();
  QVERIFY(!store.add(plain));
  QVERIFY(listed(store).front().overrides.empty());
  set.provenance.overrides = {{"lambda", "0.5 /s"}, {"desk.servers", "3"}};
  QVERIFY(!store.add(set));
  const auto list = listed(opened(path_));
  QCOMPARE(list[0].overrides, set.provenance.overrides);
  QVERIFY(list[1].overrides.empty());
  // One that an older version wrote.
  QCOMPARE(sql(path_, "DROP TABLE overrides"), std::string("ok"));
  QCOMPARE(listed(opened(path_)).size(), std::size_t{2});
}

void TestResultStore::runs_are_found_by_unique_prefix() {
  ResultStore store = opened(path_);
  for (const std::uint64_t id : {0xabc0000000000001ULL, 0xabd0000000000002ULL})
    QVERIFY(!store.add(example_results(id)));
  QCOMPARE(std::get<ResultSet>(store.load("ABC")).provenance.run_id, std::string("abc0000000000001"));
  QCOMPARE(std::get<ResultSet>(store.load("latest")).provenance.run_id, std::string("abd0000000000002"));
  const auto two = std::get<Diagnostic>(store.load("ab"));
  QCOMPARE(two.code, std::string("RES005"));
  QCOMPARE(two.message, std::string("More than one run begins with 'ab': abd0000000000002, abc0000000000001."));
  QVERIFY(std::get<Diagnostic>(store.load("f")).message.ends_with("begins with 'f'."));
  QVERIFY(std::holds_alternative<Diagnostic>(store.load("")));
  QVERIFY(std::holds_alternative<Diagnostic>(store.load("%")));
}

void TestResultStore::a_changed_record_or_journal_is_never_read_as_the_truth() {
  ResultStore store = opened(path_);
  QVERIFY(!store.add(example_results(1)) && !store.add(example_results(2)));
  RunJournal journal{"00000000000000aa", "nobody", "{}", "where it was", example_results(0xaa)};
  QVERIFY(!store.write_journal(journal));
  // One digit of an estimate, as a medium or an editor changes it: the document still parses.
  QCOMPARE(sql(path_,
               "DROP TRIGGER run_is_immutable; UPDATE run SET document = replace(document, '0.3', '0.4') WHERE "
               "run_id = '0000000000000001'; UPDATE journal SET checkpoint = 'where it is'"),
           std::string("ok"));
  const auto damaged = store.load("0000000000000001");
  QVERIFY(std::holds_alternative<Diagnostic>(damaged));
  QCOMPARE(std::get<Diagnostic>(damaged).code, std::string("RES007"));
  QVERIFY2(std::get<Diagnostic>(damaged).message.find("SHA-256") != std::string::npos,
           std::get<Diagnostic>(damaged).message.c_str());
  QVERIFY(std::holds_alternative<ResultSet>(store.load("0000000000000002")));
  QCOMPARE(std::get<Diagnostic>(store.journal("latest")).code, std::string("RES007"));
  // Whoever takes over a store takes over what its records were, damaged ones as well.
  const std::string other = path_ + ".other";
  ResultStore copy = opened(other);
  QVERIFY(!copy.add_all_of(path_));
  QVERIFY(std::holds_alternative<Diagnostic>(copy.load("0000000000000001")));
  QVERIFY(std::holds_alternative<ResultSet>(copy.load("0000000000000002")));
  QCOMPARE(std::get<Diagnostic>(store.load("00000000000000aa")).code, std::string("RES007"));  // and not "no such run"
  // Of one whose digest is lost it is said; one under another's name is none.
  QCOMPARE(sql(path_, "DELETE FROM digest WHERE run_id = '0000000000000002'"), std::string("ok"));
  const auto unknown = store.load("0000000000000002");
  QCOMPARE(std::get<ResultSet>(unknown).diagnostics.back().code, std::string("RES007"));
  QCOMPARE(sql(path_, "UPDATE run SET run_id = '0000000000000003' WHERE run_id = '0000000000000002'"),
           std::string("ok"));
  QVERIFY(std::get<Diagnostic>(store.load("0000000000000003")).message.find("that of run") != std::string::npos);
  // What lists show is read from elsewhere: where it is not what the record says, whoever reads that is told.
  QVERIFY(!store.add(example_results(9)));
  const auto as_listed = std::get<ResultSet>(store.load("0000000000000009"));
  QCOMPARE(sql(path_, "UPDATE run SET seed = '77' WHERE run_id = '0000000000000009'"), std::string("ok"));
  const auto unlike = std::get<ResultSet>(store.load("0000000000000009"));
  QCOMPARE(unlike.diagnostics.size(), as_listed.diagnostics.size() + 1);
  QVERIFY(unlike.diagnostics.back().message.find("seed 77") != std::string::npos);
  const auto altered = [&] {
    std::string out;
    const auto listed = store.list();
    for (const RunRecord& run : std::get<std::vector<RunRecord>>(listed))
      if (run.altered) out += run.run_id.back();
    return out;
  };
  QCOMPARE(altered(), std::string("9"));
  QCOMPARE(sql(path_, "UPDATE run SET elapsed_s = elapsed_s + 1 WHERE run_id = '0000000000000001'"), std::string("ok"));
  QVERIFY(!store.annotate("0000000000000009", "mine", "", true));  // remarks are the user's
  QCOMPARE(altered(), std::string("91"));
  // Records of versions that kept no digests are read as they are, and with the next run they get theirs.
  QCOMPARE(sql(path_, "DROP TABLE digest"), std::string("ok"));
  QVERIFY(std::holds_alternative<ResultSet>(store.load("0000000000000001")));
  QVERIFY(!store.add(example_results(4)));
  QCOMPARE(std::get<ResultSet>(store.load("0000000000000001")).diagnostics.size(),
           example_results(1).diagnostics.size());
  QCOMPARE(sql(path_, "UPDATE run SET document = replace(document, '0.4', '0.5') WHERE run_id = '0000000000000001'"),
           std::string("ok"));
  QVERIFY(std::holds_alternative<Diagnostic>(store.load("0000000000000001")));
}

void TestResultStore::latest_is_the_first_of_the_list_interrupted_or_not() {
  ResultStore store = opened(path_);
  ResultSet older = example_results(1), cut = example_results(0xaa);
  older.provenance.made.started_utc = "2026-01-01T00:00:00Z", cut.provenance.made.started_utc = "2026-01-02T00:00:00Z";
  cut.status = RunStatus::partial;
  QVERIFY(!store.write_journal({"00000000000000aa", "nobody", "{}", "", cut}));
  // Alone, and after another that ended.
  QCOMPARE(std::get<ResultSet>(store.load("latest")).provenance.run_id, std::string("00000000000000aa"));
  QVERIFY(!store.add(older));
  QCOMPARE(listed(store).front().run_id, std::string("00000000000000aa"));
  QCOMPARE(std::get<ResultSet>(store.load("latest")).provenance.run_id, std::string("00000000000000aa"));
}

void TestResultStore::runs_cannot_be_changed_deleted_or_replaced() {
  ResultStore store = opened(path_);
  QVERIFY(!store.add(example_results(1)));
  const auto again = store.add(example_results(1));
  QVERIFY(again && again->code == "RES006");
  QVERIFY(again->message.ends_with("this run is already in the store."));
  QCOMPARE(sql(path_, "UPDATE run SET solver = 'x'"), std::string("runs are immutable"));
  QCOMPARE(sql(path_, "DELETE FROM run"), std::string("runs are never deleted"));
  QCOMPARE(sql(path_, "INSERT OR REPLACE INTO run SELECT * FROM run"), std::string("this run is already in the store"));
  QCOMPARE(sql(path_,
               "INSERT OR REPLACE INTO run SELECT 1, 'other', started_utc, status, stop_reason, model_name, "
               "model_path, scenario, solver, seed, replications, elapsed_s, semantic_hash, version, document "
               "FROM run"),
           std::string("this run is already in the store"));
  QCOMPARE(listed(store).size(), std::size_t{1});
  ResultSet nameless = example_results(1);
  nameless.provenance.run_id = "x";
  QVERIFY(store.add(nameless)->message.find("wanted 16 hexadecimal digits") != std::string::npos);
}

void TestResultStore::remarks_change_and_the_run_does_not() {
  ResultStore store = opened(path_);
  QVERIFY(!store.add(example_results(1)));
  const std::string before = to_json(std::get<ResultSet>(store.load("latest"))).dump();
  QVERIFY(!store.annotate("latest", "base case", "looks right", true));
  QVERIFY(!store.annotate("0000", "base case 2", "it's \"fine\"", true));
  const RunRecord record = listed(store)[0];
  QCOMPARE(record.label, std::string("base case 2"));
  QCOMPARE(record.note, std::string("it's \"fine\""));
  QVERIFY(record.star);
  QCOMPARE(to_json(std::get<ResultSet>(store.load("latest"))).dump(), before);
  QVERIFY(store.annotate("ff", "", "", false).has_value());
}

void TestResultStore::newer_foreign_and_broken_files_are_refused() {
  const auto code = [&](ResultStore::Access access = ResultStore::Access::create) {
    const auto store = ResultStore::open(path_, access);
    return std::holds_alternative<Diagnostic>(store) ? std::get<Diagnostic>(store).code : "opened";
  };
  QCOMPARE(code(ResultStore::Access::existing), std::string("RES003"));
  QVERIFY(!std::filesystem::exists(path_));
  QCOMPARE(code(), std::string("opened"));
  QCOMPARE(sql(path_, "PRAGMA user_version = 2"), std::string("ok"));
  QCOMPARE(code(), std::string("RES004"));
  init();
  QCOMPARE(sql(path_, "CREATE TABLE contacts(name TEXT)"), std::string("ok"));
  QCOMPARE(code(), std::string("RES003"));
  init();
  std::ofstream(path_) << "this is no database, but a text that is long enough to be taken for one: "
                       << std::string(4096, 'x');
  QCOMPARE(code(), std::string("RES003"));
  path_ = folder_->filePath("none/runs.sqlite").toStdString();
  QCOMPARE(code(), std::string("RES003"));
}

void TestResultStore::two_processes_write_at_once() {
  constexpr std::uint64_t runs = 40;
  std::vector<pid_t> children;
  for (std::uint64_t who = 1; who <= 2; ++who)
    children.push_back(child([&] {
      auto store = ResultStore::open(path_);
      if (!std::holds_alternative<ResultStore>(store)) return 1;
      for (std::uint64_t i = 0; i < runs; ++i)
        if (std::get<ResultStore>(store).add(example_results(who * 1000 + i))) return 2;
      return 0;
    }));
  for (const pid_t id : children) QCOMPARE(exit_code(id), 0);
  QCOMPARE(listed(opened(path_)).size(), std::size_t{2 * runs});
}

void TestResultStore::a_kill_during_writes_leaves_earlier_runs_readable() {
  QVERIFY(!opened(path_).add(example_results(1)));
  for (int round = 0; round < 5; ++round) {
    const std::size_t before = listed(opened(path_)).size();
    const pid_t writer = child([&] {
      auto store = ResultStore::open(path_);
      for (std::uint64_t i = 0;; ++i)
        if (std::get<ResultStore>(store).add(example_results(1000000ULL * static_cast<std::uint64_t>(round + 1) + i)))
          return 1;
    });
    QTest::qSleep(30 + 17 * round);
    ::kill(writer, SIGKILL);
    QCOMPARE(exit_code(writer), -1);
    const ResultStore store = opened(path_);
    const auto list = listed(store);
    QVERIFY(list.size() >= before);
    for (const RunRecord& record : list) QVERIFY(std::holds_alternative<ResultSet>(store.load(record.run_id)));
    QCOMPARE(list.back().run_id, ElementId(1).text());
  }
  QVERIFY(listed(opened(path_)).size() > 1);
}

void TestResultStore::the_runs_of_another_store_move_along_once() {
  const std::string other = folder_->filePath("other.sqlite").toStdString();
  QVERIFY(!opened(other).add(example_results(1)));
  {
    ResultStore from = opened(other);
    QVERIFY(!from.add(example_results(2)));
    QVERIFY(!from.annotate(ElementId(2).text(), "base case", "looks right", true));
  }
  ResultStore store = opened(path_);
  QVERIFY(!store.add(example_results(7)));
  QVERIFY(!store.add_all_of(other));
  QVERIFY(!store.add_all_of(other));
  const auto list = listed(store);
  QCOMPARE(list.size(), std::size_t{3});
  QCOMPARE(list[0].run_id, ElementId(2).text());
  QCOMPARE(list[0].label, std::string("base case"));
  QCOMPARE(list[2].run_id, ElementId(7).text());
  for (const RunRecord& run : list) QCOMPARE(run.overrides, example_results(1).provenance.overrides);
  QCOMPARE(to_json(std::get<ResultSet>(store.load(ElementId(1).text()))).dump(), to_json(example_results(1)).dump());
  QCOMPARE(listed(opened(other)).size(), std::size_t{2});
  QCOMPARE(store.add_all_of(folder_->filePath("none").toStdString())->code, std::string("RES003"));
}

// The kernel refuses to let any file of the child grow past 256 KiB, as it refuses on a full disk.
void TestResultStore::a_full_disk_leaves_earlier_runs_readable() {
  QVERIFY(!opened(path_).add(example_results(1)));
  const pid_t writer = child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{256 * 1024, 256 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ResultSet big = example_results(2);
    big.series[0].x.assign(200000, 0.123456789);
    big.series[0].y = big.series[0].lower = big.series[0].upper = big.series[0].x;
    auto store = ResultStore::open(path_);
    if (!std::holds_alternative<ResultStore>(store)) return 1;
    const auto problem = std::get<ResultStore>(store).add(big);
    if (!problem || problem->code != "RES006" || problem->hint.empty()) return 2;
    return std::holds_alternative<ResultSet>(std::get<ResultStore>(store).load("latest")) ? 7 : 3;
  });
  QCOMPARE(exit_code(writer), 7);
  ResultStore store = opened(path_);
  QCOMPARE(listed(store).size(), std::size_t{1});
  QVERIFY(!store.add(example_results(3)));
}

QTEST_APPLESS_MAIN(TestResultStore)
#include "tst_result_store.moc"
