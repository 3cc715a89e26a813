// Whatever a plugin does, this process goes on, the replications before it are kept, and the plugin is named.
#include <chrono>
#include <thread>

#include "plugins/host/check_plugin.h"
#include "tests/plugins/plugin_test.h"
#include "tests/support/test_processes.h"

using namespace ergode;
using namespace ergode::test;

class TestPluginMisbehaviour : public QObject {
  Q_OBJECT
  const TestProcesses processes_;
  /// None may be left, when those that were killed had a moment to go.
  int left_running(const char* word) const {
    for (int i = 0; i < 100 && processes_.running(word) > 0; ++i) QTest::qSleep(20);
    return processes_.running(word);
  }

 private Q_SLOTS:
  void each_misdeed_of_a_library_is_a_diagnostic_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words");
    const std::pair<const char*, const char*> crash = {"PLG020", "signal"};
    QTest::newRow("crash") << crash.first << "signal 11";
    QTest::newRow("abort") << crash.first << "an assertion failed";
    QTest::newRow("exit") << crash.first << "exit code 7";
    QTest::newRow("hang") << "PLG021"
                          << "within 1 s";
    QTest::newRow("wait") << "PLG021"
                          << "within 1 s";
    QTest::newRow("throw_text") << "PLG023"
                                << "no more bolts";
    QTest::newRow("throw_number") << "PLG023"
                                  << "an exception left the library";
    QTest::newRow("nothing") << "PLG022"
                             << "draw 0 times";
    QTest::newRow("twice") << "PLG022"
                           << "draw 2 times";
    QTest::newRow("no_number") << "PLG022"
                               << "wanted a finite number";
    QTest::newRow("infinite") << "PLG022"
                              << "wanted a finite number";
    QTest::newRow("beyond") << "PLG022"
                            << "from 0 to 1";
    QTest::newRow("half") << "PLG022"
                          << "wanted 0 or 1";
    QTest::newRow("unknown") << "PLG022"
                             << "which its manifest does not have";
    QTest::newRow("short_row") << "PLG022"
                               << "columns (2)";
    QTest::newRow("endless") << "PLG02"
                             << "";  // by bytes or by time, whichever comes first
    QTest::newRow("endless_rows") << "PLG02"
                                  << "";
    QTest::newRow("endless_words") << "PLG021"
                                   << "word after word";
    QTest::newRow("fails") << "PLG023"
                           << "the pump is dry";
    QTest::newRow("fails_mutely") << "PLG023"
                                  << "run() returned 77";
  }
  void each_misdeed_of_a_library_is_a_diagnostic() {
    QFETCH(QString, code);
    QFETCH(QString, words);
    const ResultSet good = run_plugin("misbehaving", {.replications = 7});
    const ResultSet r =
        run_plugin("misbehaving",
                   {.sets = {{"how", QTest::currentDataTag()}, {"at", "7"}}, .replications = 20, .time_limit = "1"});
    QCOMPARE(r.status, RunStatus::failed);
    const Diagnostic& d = r.diagnostics.back();
    QVERIFY2(
        QString::fromStdString(d.code).startsWith(code) && d.message.find(words.toStdString()) != std::string::npos,
        codes_of(r.diagnostics).c_str());
    QVERIFY2(d.message.find("misbehaving") != std::string::npos && d.message.find("replication 7") != std::string::npos,
             d.message.c_str());
    // The seven before it are there, as if nobody had asked for more.
    QCOMPARE(r.replications, std::uint64_t{7});
    QCOMPARE(r.measure("draw")->estimate, good.measure("draw")->estimate);
    QCOMPARE(r.tables.size(), std::size_t{1});
    QCOMPARE(left_running("libmisbehaving"), 0);
  }

  // Its children end with it, those too that left its group and its session; the run is as good as without them.
  void what_a_library_leaves_behind_ends_with_it() {
    const ResultSet good = run_plugin("misbehaving", {});
    for (const char* how : {"leaves_a_child", "leaves_a_daemon"}) {
      const ResultSet r = run_plugin("misbehaving", {.sets = {{"how", how}, {"at", "3"}}});
      QVERIFY2(r.status == RunStatus::complete, codes_of(r.diagnostics).c_str());
      QCOMPARE(r.fingerprint, good.fingerprint);
      QCOMPARE(left_running("libmisbehaving"), 0);
    }
  }

  void what_a_library_prints_is_no_message() {
    const ResultSet good = run_plugin("misbehaving", {}), r = run_plugin("misbehaving", {.sets = {{"how", "prints"}}});
    QVERIFY2(r.status == RunStatus::complete, codes_of(r.diagnostics).c_str());
    QCOMPARE(r.fingerprint, good.fingerprint);
  }

  void each_bad_message_is_a_diagnostic_data() {
    QTest::addColumn<QString>("code");
    for (const char* how : {"no_json", "half_json", "a_list", "a_number", "unknown", "deep", "values", "words",
                            "stranger", "negative", "cells", "early", "bytes", "nan", "infinite", "past", "no_time"})
      QTest::newRow(how) << "PLG022";
    QTest::newRow("long_line") << "PLG024";
    QTest::newRow("leaves") << "PLG020";
    for (const char* how : {"closes", "half_and_leaves", "half_and_closes"}) QTest::newRow(how) << "PLG020";
    QTest::newRow("departs") << "PLG02";
    for (const char* how : {"forks", "daemon_and_dies", "daemon_and_stops"}) QTest::newRow(how) << "PLG020";
    QTest::newRow("daemon_and_hangs") << "PLG021";
    QTest::newRow("progress") << "PLG02";
  }
  void each_bad_message_is_a_diagnostic() {
    QFETCH(QString, code);
    const ResultSet r =
        run_plugin("bad_messages", {.sets = {{"how", QTest::currentDataTag()}, {"at", "3"}}, .time_limit = "2"});
    QCOMPARE(r.status, RunStatus::failed);
    const Diagnostic& d = r.diagnostics.back();
    QVERIFY2(QString::fromStdString(d.code).startsWith(code) && d.message.find("bad_messages") != std::string::npos &&
                 d.message.find("replication 3") != std::string::npos,
             codes_of(r.diagnostics).c_str());
    QCOMPARE(r.replications, std::uint64_t{3});
    QCOMPARE(r.measure("draw")->estimate, run_plugin("bad_messages", {.replications = 3}).measure("draw")->estimate);
    QCOMPARE(left_running("bad_messages.py"), 0);
  }

  // An answer too many is not that of the next replication.
  void who_answers_twice_is_not_believed() {
    const ResultSet r =
        run_plugin("bad_messages", {.sets = {{"how", "answers_twice"}, {"at", "3"}}, .time_limit = "2"});
    QCOMPARE(r.status, RunStatus::failed);
    QVERIFY2(r.diagnostics.back().code == "PLG022" &&
                 r.diagnostics.back().message.find("although it was asked nothing") != std::string::npos,
             codes_of(r.diagnostics).c_str());
    QCOMPARE(r.replications, std::uint64_t{4});
  }

  void mutated_messages_are_taken_or_refused() {
    // 80 good messages with some letters changed: each is heard, or ends the run with a code; never anything else.
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
      const ResultSet r = run_plugin(
          "bad_messages", {.sets = {{"how", "mutated"}}, .replications = 1, .seed = seed, .time_limit = "2"});
      if (r.status == RunStatus::complete) continue;
      ++refused;
      QVERIFY2(r.status == RunStatus::failed && r.diagnostics.back().code.starts_with("PLG02"),
               codes_of(r.diagnostics).c_str());
    }
    QVERIFY(refused > 40);
  }

  void a_program_that_does_not_start_says_why() {
    const ResultSet left = run_plugin("bad_messages", {.sets = {{"how", "no_start"}}});
    QVERIFY2(left.diagnostics.back().message.find("cannot find my libraries") != std::string::npos,
             codes_of(left.diagnostics).c_str());
    QCOMPARE(run_plugin("bad_messages", {.sets = {{"how", "not_ready"}}}).diagnostics.back().code,
             std::string("PLG022"));
    const Diagnostic spoken = run_plugin("bad_messages", {.sets = {{"how", "other_protocol"}}}).diagnostics.back();
    QVERIFY2(spoken.code == "PLG011" && spoken.message.find("protocol 2; wanted 1") != std::string::npos,
             spoken.message.c_str());
    FoundPlugin missing = plugin_named("bad_messages");
    missing.manifest->command = {"no-such-program-anywhere"};
    RunControl control;
    const ResultSet r = run_plugin(missing, {}, control);
    QVERIFY2(r.diagnostics.back().message.find("No such file") != std::string::npos, codes_of(r.diagnostics).c_str());
    QCOMPARE(r.replications, std::uint64_t{0});
  }

  // Stopping does not wait for one that never gets ready: nothing failed, nothing is left behind.
  void stopping_does_not_wait_for_one_that_never_gets_ready() {
    RunControl control;
    int before = 0;
    std::jthread user([this, &control, &before] {
      for (int i = 0; i < 500 && before == 0; ++i) {
        QTest::qSleep(20);
        before = processes_.running("bad_messages.py");
      }
      control.stop.request_stop();
    });
    const ResultSet r = run_plugin(plugin_named("bad_messages"), {.sets = {{"how", "mute"}}}, control);
    user.join();
    QVERIFY(before > 0);  // they are seen while they run
    QVERIFY2(r.status == RunStatus::partial && !has_errors(r.diagnostics), codes_of(r.diagnostics).c_str());
    QCOMPARE(r.replications, std::uint64_t{0});
    QCOMPARE(left_running("bad_messages.py"), 0);
  }

  // What was read of it holds until it is read again; what its program then says is measured by that.
  void a_manifest_that_changes_is_as_it_was_read() {
    QTemporaryDir folder;
    const QString from = QString::fromStdString(plugin_named("bad_messages").folder);
    for (const char* file : {"/plugin.json", "/bad_messages.py"})
      QVERIFY(QFile::copy(from + file, folder.path() + file));
    const FoundPlugin found = read_plugin(folder.path().toStdString(), "path");
    const auto run = [&found](RunControl control = {}) {
      return run_plugin(found, {.sets = {{"how", "well"}}}, control);
    };
    const ResultSet before = run();
    QVERIFY2(before.status == RunStatus::complete, codes_of(before.diagnostics).c_str());
    const auto write = [&folder](const QByteArray& text) {
      QFile file(folder.filePath("plugin.json"));
      if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) throw std::runtime_error("no file");
    };
    QFile original(from + "/plugin.json");
    QVERIFY(original.open(QIODevice::ReadOnly));
    const QByteArray good = original.readAll();
    for (const QByteArray& text :
         {QByteArray("{"), QByteArray(), QByteArray(good).replace("\"abi\": 1", "\"abi\": 7")}) {
      write(text);
      const ResultSet after = run();
      QVERIFY2(after.status == RunStatus::complete, codes_of(after.diagnostics).c_str());
      QCOMPARE(after.fingerprint, before.fingerprint);
      QVERIFY(read_plugin(folder.path().toStdString(), "path").state == PluginState::refused);
    }
    QVERIFY(QFile::remove(folder.filePath("plugin.json")));
    QCOMPARE(run().fingerprint, before.fingerprint);
    // One that promises what the program does not say: the program is measured by it.
    write(QByteArray(good).replace("\"draw\"", "\"drawn\""));
    RunControl control;
    const FoundPlugin other = read_plugin(folder.path().toStdString(), "path");
    const ResultSet r = run_plugin(other, {}, control);
    QVERIFY2(r.status == RunStatus::failed && r.diagnostics.back().code == "PLG022", codes_of(r.diagnostics).c_str());
  }

  void several_threads_fail_as_one() {
    for (int i = 0; i < 5; ++i) {
      const ResultSet r =
          run_plugin("misbehaving", {.sets = {{"how", "crash"}, {"at", "11"}}, .replications = 200, .threads = 4});
      QCOMPARE(r.status, RunStatus::failed);
      QVERIFY(r.replications <= 11);
      QVERIFY(r.diagnostics.back().message.find("replication 11") != std::string::npos);
    }
  }

  void libraries_of_another_interface_are_refused_data() {
    QTest::addColumn<QString>("words");
    QTest::newRow("newer_library") << "it was built for version 2";
    QTest::newRow("knows_no_host") << "does not know this version";
    QTest::newRow("no_entry") << "exports no ergode_plugin_entry";
    QTest::newRow("no_library") << "cannot be loaded";
  }
  void libraries_of_another_interface_are_refused() {
    QFETCH(QString, words);
    RunControl control;
    const ResultSet r = run_plugin(plugin_named(QTest::currentDataTag()), {}, control);
    QCOMPARE(r.status, RunStatus::failed);
    QCOMPARE(r.diagnostics.back().code, std::string("PLG005"));
    QVERIFY2(r.diagnostics.back().message.find(words.toStdString()) != std::string::npos,
             codes_of(r.diagnostics).c_str());
  }

  void trials_find_what_is_wrong() {
    const auto with_default = [](const char* how) {
      FoundPlugin changed = plugin_named("misbehaving");
      changed.manifest->parameters[0].default_text = how;
      return try_plugin(changed, 1.0);
    };
    QVERIFY2(!has_errors(with_default("well").problems), codes_of(with_default("well").problems).c_str());
    for (const char* how :
         {"crash", "hang", "throw_text", "twice", "remembers", "past", "nan_time", "keeps", "stranger", "again"})
      QVERIFY2(has_errors(with_default(how).problems), how);
    QCOMPARE(with_default("remembers").problems.front().code, std::string("PLG027"));
    for (const char* how : {"nan", "departs", "half_and_leaves", "forks", "long_line", "no_start"}) {
      FoundPlugin changed = plugin_named("bad_messages");
      changed.manifest->parameters[0].default_text = how;
      const PluginTrial trial = try_plugin(changed, 1.0);
      QVERIFY2(has_errors(trial.problems), how);
      for (const Diagnostic& d : trial.problems)
        QVERIFY2(d.message.find("bad_messages") != std::string::npos, d.message.c_str());
    }
    for (const char* name : {"single_server", "token_server"}) {
      const PluginTrial trial = try_plugin(plugin_named(name), 0.0);
      QVERIFY2(trial.problems.empty() && trial.steps.size() == 4, codes_of(trial.problems).c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestPluginMisbehaviour)
#include "tst_plugin_misbehaviour.moc"
