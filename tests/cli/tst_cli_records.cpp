#include "tests/cli/cli_test.h"

/// What is kept of runs, whatever happens to them.
class TestCliRecords : public CliTest {
  Q_OBJECT
 private Q_SLOTS:
  void runs_are_never_overwritten();
  void an_interrupt_ends_a_markov_solver();
  void an_interrupt_keeps_a_partial_record();
  void a_kill_leaves_earlier_records();
  void a_full_disk_leaves_earlier_records();
  void a_full_output_exits_1();
  void a_killed_run_is_resumed_with_the_same_bits();
  void a_resumed_run_has_the_tables_of_the_first_history();
  void a_run_kept_elsewhere_is_found_from_where_it_should_be();
  void a_run_is_kept_elsewhere_when_its_store_cannot_be_written();
};

void TestCliRecords::runs_are_never_overwritten() {
  const QString store = fresh("twice");
  std::set<std::string> ids;
  for (int i = 0; i < 2; ++i) {
    const Outcome run = ergode({"run", model_, "--json", "--replications", "500", "--seed", "1", "--out", store});
    COMPARE_CODE(run, 0);
    ids.insert(run.json()["run"]["run_id"].get<std::string>());
  }
  QCOMPARE(ids.size(), std::size_t{2});
  const Outcome list = ergode({"results", model_, "--store", store, "--json"});
  COMPARE_CODE(list, 0);
  for (const std::string& id : ids) QVERIFY2(list.out.contains(id.c_str()), list.out.constData());
  // Remarks are the user's; what is not given stays.
  const QString id = QString::fromStdString(*ids.begin());
  const auto results = [&](const QStringList& more) {
    return ergode(QStringList{"results", model_, "--store", store} + more);
  };
  COMPARE_CODE(results({id, "--label", "base case", "--star"}), 0);
  COMPARE_CODE(results({id.left(12), "--note", "seed 1"}), 0);
  const auto remarks = [&] {
    for (const Json& run : results({"--json"}).json())
      if (run["run_id"] == *ids.begin())
        return run["label"].get<std::string>() + "|" + run["note"].get<std::string>() + "|" + run["star"].dump();
    return std::string();
  };
  QCOMPARE(remarks(), std::string("base case|seed 1|true"));
  QVERIFY(results({}).out.contains("* base case"));
  COMPARE_CODE(results({id, "--label", "-", "--no-star"}), 0);
  QCOMPARE(remarks(), std::string("|seed 1|false"));
  COMPARE_CODE(results({"--label", "whose?"}), 2);
  COMPARE_CODE(results({"ffffffffffffffff", "--label", "nobody's"}), 1);
}

void TestCliRecords::an_interrupt_ends_a_markov_solver() {
  QProcess run;
  run.setProcessEnvironment(plain_environment());
  run.start(program, {"run", pumps_, "--solver", "ctmc-transient", "--set", "pumps = 24", "--lumping", "off",
                      "--state-limit", "1e9", "--no-store"});
  QVERIFY(run.waitForStarted());
  QVERIFY(!run.waitForFinished(1500));
  ::kill(static_cast<pid_t>(run.processId()), SIGINT);
  QVERIFY(run.waitForFinished(10000));
  QCOMPARE(run.exitStatus(), QProcess::NormalExit);
  QCOMPARE(run.exitCode(), 130);
}

void TestCliRecords::an_interrupt_keeps_a_partial_record() {
  const QString store = fresh("interrupted");
  for (const int signal : {SIGINT, SIGTERM}) {
    QProcess run;
    run.setProcessEnvironment(plain_environment());
    run.start(program, {"run", other_, "--replications", "1e11", "--json", "--out", store, "--progress", "plain"});
    QVERIFY(run.waitForStarted());
    QVERIFY(!run.waitForFinished(1500));
    // As from timeout, which ends its child and then its group.
    for (int i = 0; i < 2; ++i) ::kill(static_cast<pid_t>(run.processId()), signal), QTest::qWait(20);
    QVERIFY(run.waitForFinished(10000));
    // One second is promised; another is allowed for machines that do other work at the same time.
    QCOMPARE(run.exitStatus(), QProcess::NormalExit);
    QCOMPARE(run.exitCode(), 130);
    const Json json = Json::parse(run.readAllStandardOutput().toStdString());
    QCOMPARE(json["run"]["status"].get<std::string>(), std::string("partial"));
    QVERIFY(json["run"]["replications"].get<std::uint64_t>() > 0);
    const Outcome kept = ergode({"results", other_, "latest", "--store", store, "--json"});
    COMPARE_CODE(kept, 0);
    QVERIFY(kept.out.contains("partial") && kept.out.contains(json["run"]["run_id"].get<std::string>().c_str()));
    // What is reported, and what would make the same numbers again, are the replications that were made.
    const QString made = QString::number(json["run"]["replications"].get<std::uint64_t>()),
                  html = fresh("html") + ".html";
    COMPARE_CODE(ergode({"report", other_, "latest", "--store", store, "--out", html}), 0);
    QFile report(html);
    QVERIFY(report.open(QIODevice::ReadOnly));
    const QString text = report.readAll();
    QVERIFY(text.contains(made + " made; asked: 100000000000"));
    QVERIFY(text.contains("--replications " + made) && !text.contains("--replications 100000000000"));
  }
}

void TestCliRecords::a_kill_leaves_earlier_records() {
  const QString store = fresh("killed");
  const Outcome first = ergode({"run", model_, "--replications", "500", "--json", "--out", store});
  COMPARE_CODE(first, 0);
  const std::string id = first.json()["run"]["run_id"];
  QProcess run;
  run.start(program, {"run", model_, "--replications", "1e11", "--out", store});
  QVERIFY(run.waitForStarted());
  QVERIFY(!run.waitForFinished(500));
  run.kill();
  QVERIFY(run.waitForFinished());
  const Outcome kept = ergode({"results", model_, QString::fromStdString(id), "--store", store, "--json"});
  COMPARE_CODE(kept, 0);
  QVERIFY(kept.out.contains(id.c_str()));
  COMPARE_CODE(ergode({"run", model_, "--replications", "500", "--out", store}), 0);  // and the store takes more
}

void TestCliRecords::a_full_disk_leaves_earlier_records() {
  const QString store = fresh("full");
  const Outcome first = ergode({"run", model_, "--replications", "500", "--json", "--out", store});
  COMPARE_CODE(first, 0);
  const std::string id = first.json()["run"]["run_id"];
  // No file may grow past 4 kB: what a full disk is to a program, for this child alone.
  const auto limited = [] {
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
  };
  const Outcome full = ergode(
      Command{.arguments = {"run", model_, "--replications", "500", "--out", store, "--report", store + "/report.html"},
              .in_child = limited});
  COMPARE_CODE(full, 1);
  QVERIFY2(full.err.contains("error RES"), qPrintable(shown(full)));
  QVERIFY(!QFile::exists(store + "/report.html"));  // whole or not at all
  const Outcome kept = ergode({"results", model_, QString::fromStdString(id), "--store", store, "--json"});
  COMPARE_CODE(kept, 0);
  QVERIFY(kept.out.contains(id.c_str()));
  COMPARE_CODE(ergode({"run", model_, "--replications", "500", "--out", store}), 0);
}

void TestCliRecords::a_run_kept_elsewhere_is_found_from_where_it_should_be() {
  const QString store = fresh("blocked");
  // A folder where the store should be cannot be written as one.
  QVERIFY(QDir().mkpath(store + "/" + QFileInfo(model_).completeBaseName() + ".results.sqlite"));
  const Outcome run = ergode({"run", model_, "--replications", "500", "--out", store, "--json"});
  QVERIFY2(run.err.contains("RES013"), qPrintable(shown(run)));
  const Outcome looked = ergode({"results", model_, "--store", store});
  const QRegularExpression hint("--store ([^`]+)` shows them");
  const auto found = hint.match(QString::fromUtf8(looked.err));
  QVERIFY2(found.hasMatch(), qPrintable(shown(looked)));
  const Outcome listed = ergode({"results", model_, "--store", found.captured(1), "--json"});
  QCOMPARE(listed.json()[0]["run_id"], run.json()["run"]["run_id"]);
  QVERIFY2(!listed.err.contains("shows them"), qPrintable(shown(listed)));
  // It ends well, so that this is no error, also where nothing else is said.
  const Outcome quiet = ergode({"run", model_, "--replications", "500", "--out", store, "--quiet"});
  COMPARE_CODE(quiet, 0);
  QVERIFY2(quiet.err.startsWith("warning RES013"), qPrintable(shown(quiet)));
}

void TestCliRecords::a_full_output_exits_1() {
  const Outcome run = ergode(Command{.arguments = {"run", model_, "--replications", "100", "--json", "--no-store"},
                                     .output_file = "/dev/full"});
  COMPARE_CODE(run, 1);
  QVERIFY2(run.err.contains("cannot be written: No space left on device"), qPrintable(shown(run)));
  COMPARE_CODE(ergode({"run", model_, "--replications", "100", "--no-store", "--report", "/nowhere/report.html"}), 1);
}

void TestCliRecords::a_resumed_run_has_the_tables_of_the_first_history() {
  const QString store = fresh("resumed_spend"), model = ERGODE_SOURCE_DIR "/examples/26_spot_or_on_demand/model.ergode";
  const QStringList asked = {"run", model, "--set", "mission_time=500 h", "--json", "--out", store};
  QProcess run;
  run.setProcessEnvironment(plain_environment());
  run.start(program, asked + QStringList{"--replications", "8000", "--no-cross-check", "--progress", "bar"});
  QVERIFY(run.waitForStarted());
  // As soon as it has made some: by the clock, a fast machine would be done.
  QByteArray told;
  const QRegularExpression some("[1-9][0-9]*/8000");
  QTRY_VERIFY_WITH_TIMEOUT((told += run.readAllStandardError(), some.match(told).hasMatch()), 20000);
  ::kill(static_cast<pid_t>(run.processId()), SIGINT);
  QVERIFY(run.waitForFinished(20000));
  QCOMPARE(run.exitCode(), 130);
  const Json partial = Json::parse(run.readAllStandardOutput().toStdString());
  QVERIFY(partial["run"]["replications"].get<int>() > 0);
  const Outcome resumed = ergode({"run", model, "--resume", "latest", "--out", store, "--json"});
  COMPARE_CODE(resumed, 0);
  QCOMPARE(resumed.json()["run"]["replications"].get<int>(), 8000);
  QCOMPARE(resumed.json()["tables"][0]["name"].get<std::string>(), std::string("spend"));
  QVERIFY(resumed.json()["tables"][0]["rows"] == partial["tables"][0]["rows"]);
}

void TestCliRecords::a_killed_run_is_resumed_with_the_same_bits() {
  const QString store = fresh("resumed");
  const QStringList asked = {"run", pumps_, "--seed", "3", "--json", "--no-cross-check"};
  QProcess run;
  run.setProcessEnvironment(plain_environment());
  run.start(program, asked + QStringList{"--replications", "1e9", "--threads", "2", "--out", store});
  QVERIFY(run.waitForStarted());
  // The first journal comes after five seconds.
  const QString file = store + "/pumps.results.sqlite";
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), 20000);
  QTest::qWait(4000);  // it is being written, as fast as others let it
  run.kill();
  QVERIFY(run.waitForFinished());
  const Json listed = ergode({"results", pumps_, "--store", store, "--json"}).json();
  QCOMPARE(listed.size(), std::size_t{1});
  QVERIFY(listed[0]["interrupted"].get<bool>() && listed[0]["resumable"].get<bool>());
  const std::string id = listed[0]["run_id"];
  // The hint is a command that finds the run again.
  const Outcome hinted = ergode({"results", pumps_, "--store", store});
  QVERIFY2(QString::fromUtf8(hinted.err).contains("--resume " + QString::fromStdString(id) + " --out " + store),
           qPrintable(shown(hinted)));
  // What there is of it can be looked at.
  const Json so_far = ergode({"results", pumps_, QString::fromStdString(id), "--store", store, "--json"}).json();
  QCOMPARE(ergode({"results", pumps_, "latest", "--store", store, "--json"}).json(), so_far);
  QCOMPARE(so_far["run"]["stop_reason"].get<std::string>(), std::string("interrupted"));
  COMPARE_CODE(ergode({"run", pumps_, "--resume", "latest", "--out", store, "--seed", "4"}), 2);
  // It would go on for long: an interrupt ends it, and its record still can be resumed.
  QProcess again;
  again.setProcessEnvironment(plain_environment());
  again.start(program, {"run", pumps_, "--resume", "latest", "--out", store, "--json", "--threads", "1"});
  QVERIFY(again.waitForStarted());
  QVERIFY(!again.waitForFinished(1500));
  ::kill(static_cast<pid_t>(again.processId()), SIGHUP);
  QVERIFY(again.waitForFinished(10000));
  QCOMPARE(again.exitCode(), 130);
  const QString said = QString::fromUtf8(again.readAllStandardError());
  QVERIFY2(said.contains("--resume " + QString::fromStdString(id) + " --out " + store + "` goes on"), qPrintable(said));
  const Json partial = Json::parse(again.readAllStandardOutput().toStdString());
  QCOMPARE(partial["run"]["run_id"].get<std::string>(), id);
  QVERIFY(partial["run"]["made"]["resumed"].get<std::string>().starts_with(id + " after "));
  const auto n = partial["run"]["replications"].get<std::uint64_t>();
  QVERIFY(n > so_far["run"]["replications"].get<std::uint64_t>());
  // An uninterrupted run of as many replications has the same fingerprint.
  const Json whole =
      ergode(asked + QStringList{"--replications", QString::number(n), "--threads", "2", "--no-store"}).json();
  QCOMPARE(partial["run"]["fingerprint"], whole["run"]["fingerprint"]);
  const Json records = ergode({"results", pumps_, "--store", store, "--json"}).json();
  QVERIFY(records.size() == 1 && !records[0]["interrupted"].get<bool>() && records[0]["resumable"].get<bool>());
  // Without a word about threads it is resumed as well.
  QProcess third;
  third.setProcessEnvironment(plain_environment());
  third.start(program, {"run", pumps_, "--resume", "latest", "--out", store});
  QVERIFY(third.waitForStarted());
  QVERIFY2(!third.waitForFinished(1000), third.readAllStandardError().constData());
  third.kill();
  QVERIFY(third.waitForFinished());
  // A changed model is another run.
  const QString changed = folder_.filePath("changed/pumps.ergode");
  QVERIFY(QDir().mkpath(folder_.filePath("changed")));
  QFile in(pumps_), out(changed);
  QVERIFY(in.open(QFile::ReadOnly) && out.open(QFile::WriteOnly));
  out.write(in.readAll().replace("mission_time", "mission_tim2"));
  out.close();
  QVERIFY(QFile::copy(file, folder_.filePath("changed/pumps.results.sqlite")));
  const Outcome other = ergode({"run", changed, "--resume", "latest"});
  QVERIFY2(other.code == 1 && other.err.contains("RES014"), qPrintable(shown(other)));
  const Outcome unhinted = ergode({"results", changed});
  QVERIFY2(unhinted.code == 0 && !unhinted.err.contains("--resume") &&
               unhinted.err.contains("made of a model that has changed since"),
           qPrintable(shown(unhinted)));
}

void TestCliRecords::a_run_is_kept_elsewhere_when_its_store_cannot_be_written() {
  const QString state = fresh("state");
  // Two models of one name, in folders of one name.
  const QString places[] = {fresh("a/unwritable"), fresh("b/unwritable")};
  QString kept_in[2];
  for (int i = 0; i < 2; ++i) {
    const QString model = places[i] + "/plant.ergode";
    QVERIFY(QDir().mkpath(places[i] + "/plant.results.sqlite"));  // a folder is in the way
    QVERIFY(QFile::copy(model_, model));
    const Outcome run = ergode(Command{.arguments = {"run", "plant.ergode", "--replications", "100"},
                                       .environment = {{"XDG_STATE_HOME", state}},
                                       .folder = places[i]});
    COMPARE_CODE(run, 0);
    QVERIFY2(run.err.contains("RES013"), qPrintable(shown(run)));
    const auto where = QRegularExpression("`ergode results MODEL --store (.+)`").match(QString(run.err));
    QVERIFY2(where.hasMatch(), qPrintable(shown(run)));
    kept_in[i] = where.captured(1);
    const Outcome kept = ergode({"results", model, "--store", kept_in[i], "--json"});
    COMPARE_CODE(kept, 0);
    QCOMPARE(kept.json().size(), std::size_t{1});
    // The next one of this model goes there too, by whatever path it is called.
    COMPARE_CODE(
        ergode(Command{.arguments = {"run", places[i] + "/../unwritable/plant.ergode", "--replications", "100"},
                       .environment = {{"XDG_STATE_HOME", state}}}),
        0);
    QCOMPARE(ergode({"results", model, "--store", kept_in[i], "--json"}).json().size(), std::size_t{2});
  }
  QVERIFY(kept_in[0] != kept_in[1]);
  // And when there is nowhere, nobody is told that all is well.
  const Outcome lost = ergode(Command{.arguments = {"run", places[0] + "/plant.ergode", "--replications", "100"},
                                      .environment = {{"XDG_STATE_HOME", "/proc"}}});
  COMPARE_CODE(lost, 1);
}

QTEST_GUILESS_MAIN(TestCliRecords)
#include "tst_cli_records.moc"
