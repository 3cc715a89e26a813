// `ergode plugins`: lists, explanations, trials and runs, in text and JSON.
#include <unistd.h>

#include "tests/cli/cli_test.h"
#include "tests/support/test_processes.h"

namespace {

const QString plugins_of_tests = QString(ERGODE_BIN_DIR) + "/../tests/plugins";

Outcome with_environment(const QStringList& arguments, const QString& path = plugins_of_tests) {
  return ergode(
      Command{.arguments = arguments, .environment = {{"ERGODE_PLUGIN_PATH", path}, {"XDG_DATA_HOME", "/nowhere"}}});
}
Outcome with_plugins(const QStringList& arguments, const QString& path = plugins_of_tests) {
  return with_environment(QStringList{"plugins"} + arguments, path);
}

}  // namespace

class TestCliPlugins : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void list_says_what_is_there_and_why_not() {
    const Outcome text = with_plugins({"list"});
    COMPARE_CODE(text, 0);
    for (const char* words : {"single_server", "token_server", "simulator, station", "built-in", "ready", "Apache-2.0"})
      QVERIFY2(text.out.contains(words), text.out);
    std::map<std::string, Json> by_name;
    const Json all = with_plugins({"list", "--json"}).json();
    for (const Json& one : all["plugins"]) by_name[one["name"]] = one;
    QCOMPARE(by_name.at("single_server")["abi"].get<int>(), 1);
    QCOMPARE(by_name.at("misbehaving")["source"].get<std::string>(), std::string("path"));
    QCOMPARE(by_name.at("token_server")["runs_as"].get<std::string>(), std::string("command"));
    const Outcome off = ergode(Command{.arguments = {"plugins", "list"}, .environment = {{"ERGODE_PLUGINS", "off"}}});
    QVERIFY2(off.code == 0 && off.out.contains("ERGODE_PLUGINS is off"), off.out);
    const Outcome some = ergode(Command{.arguments = {"plugins", "run", "single_server"},
                                        .environment = {{"ERGODE_PLUGINS_OFF", "single_server"}}});
    QVERIFY2(some.code == 2 && some.err.contains("PLG010") && some.err.contains("is off"), some.err);
  }

  void plugins_are_turned_off_and_on_for_a_user() {
    QTemporaryDir data;
    const auto plugins = [&](const QStringList& arguments) {
      return ergode(
          Command{.arguments = QStringList{"plugins"} + arguments, .environment = {{"XDG_DATA_HOME", data.path()}}});
    };
    COMPARE_CODE(plugins({"disable", "single_server"}), 0);
    const Outcome off = plugins({"run", "single_server"});
    QVERIFY2(off.code == 2 && off.err.contains("ergode plugins enable single_server"), off.err);
    QVERIFY(plugins({"list"}).out.contains("off"));
    COMPARE_CODE(plugins({"disable", "token_server"}), 0);
    COMPARE_CODE(plugins({"enable", "single_server"}), 0);
    COMPARE_CODE(plugins({"run", "single_server", "--replications", "2"}), 0);
    COMPARE_CODE(plugins({"run", "token_server"}), 2);
    COMPARE_CODE(plugins({"enable"}), 2);
    COMPARE_CODE(plugins({"enable", "two words"}), 2);
    const Outcome nowhere = ergode(Command{.arguments = {"plugins", "disable", "single_server"},
                                           .environment = {{"XDG_DATA_HOME", "/proc/nowhere"}}});
    QVERIFY2(nowhere.code == 1 && nowhere.err.contains("RES001"), nowhere.err);
  }

  void refused_plugins_say_why() {
    QTemporaryDir folder;
    QFile manifest(folder.filePath("plugin.json"));
    QVERIFY(manifest.open(QIODevice::WriteOnly));
    manifest.write(
        R"({"format": "ergode-plugin", "schema": 1, "name": "old", "label": "Old", "version": "1", "licence": "MIT",
      "description": "Of another time.", "abi": 7, "command": ["true"], "simulator": {"outputs": [{"name": "x", "label": "x", "kind": "value"}]}})");
    manifest.close();
    const Outcome list = with_plugins({"list"}, folder.path());
    QVERIFY2(
        list.code == 0 && list.out.contains("refused") && list.err.contains("PLG004") && list.err.contains("version 7"),
        list.err);
    const Outcome run = with_plugins({"run", "old"}, folder.path());
    QVERIFY2(run.code == 2 && run.err.contains("refused") && run.err.contains("version 7"), run.err);
    const Outcome path = with_plugins({"run", folder.path()}, "");
    QVERIFY2(path.code == 1 && path.err.contains("PLG004"), path.err);
    COMPARE_CODE(with_plugins({"check", folder.path()}, ""), 1);
  }

  void explain_is_made_of_the_manifest() {
    const Outcome text = with_plugins({"explain", "single_server"});
    COMPARE_CODE(text, 0);
    for (const char* words : {"service_rate", "60 /h", "from 0.001 /h", "Of the simulator.", "probability",
                              "The first hundred customers", "busy_share", "ergode plugins run single_server"})
      QVERIFY2(text.out.contains(words), text.out);
    const Json j = with_plugins({"explain", "token_server", "--json"}).json();
    QCOMPARE(j["parameters"].size(), std::size_t{6});
    QCOMPARE(j["station"]["outputs"][0]["unit"].get<std::string>(), std::string("s"));
    const Outcome man = with_plugins({"explain", "single_server", "--man"});
    QVERIFY2(man.out.startsWith(".TH \"ERGODE\\-PLUGIN\\-single_server\" 7") && man.out.contains(".SH PARAMETERS"),
             man.out);
    // Of a plugin whose library does not even load.
    QVERIFY(with_plugins({"explain", "no_library"}).out.contains("What it does wrong."));
  }

  void run_answers_as_every_run_does() {
    const QStringList ask = {"run", "single_server", "--set", "service_rate = 45 /h", "--replications",
                             "30",  "--seed",        "9"};
    const Outcome text = with_plugins(ask);
    COMPARE_CODE(text, 0);
    for (const char* words : {"last_response", "95 % interval", "quantiles", "30 replications, seed 9"})
      QVERIFY2(text.out.contains(words), text.out);
    const Json j = with_plugins(ask + QStringList{"--json", "--threads", "2"}).json();
    QCOMPARE(j["measures"].size(), std::size_t{4});
    QCOMPARE(j["run"]["parameters"]["service_rate"].get<std::string>(), std::string("45 /h"));
    const Json again = with_plugins(ask + QStringList{"--json", "--threads", "1"}).json();
    QVERIFY(j["measures"] == again["measures"] && j["tables"] == again["tables"]);
    const Outcome table = with_plugins(ask + QStringList{"--table", "customers"});
    QVERIFY2(
        table.out.startsWith("Customer,Arrived [h],Waited [min],Found the server\n1,") && table.out.count('\n') == 101,
        table.out);
    const Json alone = with_plugins(ask + QStringList{"--table", "customers", "--json"}).json();
    QVERIFY(alone["rows"].size() == 100 && alone == j["tables"][0]);
    const Outcome none = with_plugins(ask + QStringList{"--table", "customer"});
    QVERIFY2(none.code == 2 && none.err.contains("wanted one of: customers"), none.err);
  }

  void the_command_of_a_run_makes_it_again() {
    const Json first = with_plugins({"run", "token_server", "--set", "requests=20", "--set", "base_time = 0.02 s",
                                     "--seed", "3", "--replications", "5", "--json"})
                           .json();
    QStringList words =
        QProcess::splitCommand(QString::fromStdString(first["run"]["command"].get<std::string>()).replace('\'', '"'));
    QCOMPARE(words.mid(0, 3), (QStringList{"ergode", "plugins", "run"}));
    const Json second = with_plugins(words.mid(2) + QStringList{"--json"}).json();
    QVERIFY(first["measures"] == second["measures"]);
  }

  void what_is_wrong_is_told() {
    const Outcome near = with_plugins({"run", "single_servr"});
    QVERIFY2(near.code == 2 && near.err.contains("Did you mean single_server?"), near.err);
    const Outcome parameter = with_plugins({"run", "single_server", "--set", "service = 1 /h"});
    QVERIFY2(parameter.code == 3 && parameter.err.contains("PAR006"), parameter.err);
    const Outcome path = with_plugins({"run", "single_server", "--set", "desk.customers = 3"});
    QVERIFY2(path.code == 3 && path.err.contains("PAR006") && path.err.contains("desk.customers"), path.err);
    COMPARE_CODE(with_plugins({"run", "single_server", "--allow-folder", "/tmp"}), 2);
    const Outcome bound = with_plugins({"run", "single_server", "--set", "customers = 0"});
    QVERIFY2(bound.code == 3 && bound.err.contains("PAR005"), bound.err);
    const Outcome precision = with_plugins({"run", "single_server", "--precision", "waits=0.1"});
    QVERIFY2(precision.code == 3 && precision.err.contains("RUN010"), precision.err);
    const Outcome limit = with_plugins({"run", "single_server", "--time-limit", "soon"});
    QVERIFY2(limit.code == 2 && limit.err.contains("--time-limit"), limit.err);
    const Outcome useless = with_plugins({"list", "--seed", "4"});
    QVERIFY2(useless.code == 2 && useless.err.contains("means nothing"), useless.err);
    COMPARE_CODE(with_plugins({"run"}), 2);
  }

  void a_crash_leaves_results_and_exit_code_1() {
    const Outcome crash = with_plugins({"run", "misbehaving", "--set", "how=crash", "--set", "at=6", "--replications",
                                        "50", "--threads", "1", "--json"});
    COMPARE_CODE(crash, 1);
    QVERIFY2(crash.err.contains("PLG020") && crash.err.contains("replication 6") && crash.err.contains("signal 11"),
             crash.err);
    const Json j = crash.json();
    QCOMPARE(j["run"]["replications"].get<int>(), 6);
    QVERIFY(j["measures"][0]["estimate"].is_number());
    const Outcome late = with_plugins({"run", "misbehaving", "--set", "how=hang", "--time-limit", "0.5"});
    QVERIFY2(late.code == 1 && late.err.contains("PLG021"), late.err);
  }

  void an_interrupt_keeps_what_there_is() {
    QProcess process;
    process.start(program, {"plugins", "run", "single_server", "--set", "customers=200000", "--replications", "100000",
                            "--json"});
    QTest::qWait(1500);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(5000));
    QCOMPARE(process.exitCode(), 130);
    const Json j = Json::parse(process.readAllStandardOutput().toStdString());
    QCOMPARE(j["run"]["status"].get<std::string>(), std::string("partial"));
    QVERIFY(j["run"]["command"].get<std::string>().starts_with("ergode plugins run single_server"));
  }

  void an_interrupt_before_the_first_replication_says_that_nothing_is_kept() {
    QTemporaryDir folder;
    const QString out = folder.filePath("early.results.sqlite");
    QProcess process;
    process.start(program, {"plugins", "run", "single_server", "--set", "customers=10000000", "--replications", "100",
                            "--threads", "1", "--out", out});
    QTest::qWait(700);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(5000));
    QCOMPARE(process.exitCode(), 130);
    const QByteArray said = process.readAllStandardError();
    QVERIFY2(said.contains("nothing was kept"), said);
    QVERIFY(!QFile::exists(out));
  }

  void reports_and_stores_are_those_of_other_runs() {
    QTemporaryDir folder;
    const QString report = folder.filePath("r.html");
    const QStringList ask = {"run", "single_server", "--replications", "5"};
    const Outcome first = with_plugins(ask + QStringList{"--report", report, "--out", folder.filePath("store")});
    COMPARE_CODE(first, 0);
    QFile file(report);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray html = file.readAll();
    for (const char* words : {"<html", "last_response", "Single server"}) QVERIFY2(html.contains(words), words);
    QFile other(folder.filePath("mine.html"));
    QVERIFY(other.open(QIODevice::WriteOnly) && other.write("mine") == 4);
    other.close();
    const Outcome kept_off = with_plugins(ask + QStringList{"--report", other.fileName()});
    QVERIFY2(kept_off.code == 2 && kept_off.err.contains("FMT009") && other.size() == 4, kept_off.err);
    COMPARE_CODE(with_plugins(ask + QStringList{"--report", other.fileName(), "--force"}), 0);
    COMPARE_CODE(with_plugins(ask + QStringList{"--report", folder.filePath("r.pdf")}), 2);
    // The name that was given, with the ending by which others know a store.
    const QString store = folder.filePath("store.results.sqlite");
    QVERIFY2(QFile::exists(store) && first.err.contains(store.toUtf8()), first.err);
    const Outcome kept = ergode(Command{.arguments = {"results", folder.filePath("store")}});
    QVERIFY2(kept.code == 0 && kept.out.contains("single_server"), kept.out + kept.err);
  }

  // Its store is a run's like any other, though no model file stands beside it.
  void a_run_is_read_from_its_store_alone() {
    QTemporaryDir folder;
    COMPARE_CODE(with_plugins({"run", "single_server", "--replications", "5", "--set", "service_rate = 45 /h", "--out",
                               folder.filePath("runs/")}),
                 0);
    const QString store = folder.filePath("runs/single_server.results.sqlite");
    QVERIFY(QFile::exists(store));
    for (const QStringList& ask :
         {QStringList{"results", store, "latest"},
          QStringList{"results", "single_server", "latest", "--store", folder.filePath("runs")}}) {
      const Outcome csv = with_environment(ask);
      QVERIFY2(csv.code == 0 && csv.out.contains("last_response") && csv.err.isEmpty(), csv.out + csv.err);
    }
    COMPARE_CODE(with_environment({"export", store, "--out", folder.filePath("run.csv")}), 0);
    QVERIFY(QFile::exists(folder.filePath("run.csv")) && QFile::exists(folder.filePath("run.customers.csv")));
    const Outcome report = with_environment({"report", store});
    QVERIFY2(report.code == 0 && !report.err.contains("warning"), report.err);
    QFile html(folder.filePath("runs/single_server.report.html"));
    QVERIFY(html.open(QIODevice::ReadOnly));
    const QByteArray text = html.readAll();
    for (const char* words : {"last_response", "service_rate", "45 /h"}) QVERIFY2(text.contains(words), words);
    // Without the plugin its parameters are not known; the numbers are.
    const Outcome without =
        ergode(Command{.arguments = {"report", store, "--out", "-"}, .environment = {{"ERGODE_PLUGINS", "off"}}});
    QVERIFY2(without.code == 0 && without.err.contains("RES010") && without.out.contains("last_response"), without.err);
    COMPARE_CODE(with_environment({"report", folder.filePath("other.results.sqlite")}), 3);
  }

  // Each row is a run: the table comes back with what a single run has, in the units of the parameters.
  void points_of_a_table_are_measured() {
    QTemporaryDir folder;
    const auto file = [&folder](const QByteArray& text) {
      QFile out(folder.filePath("points.csv"));
      if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size()) throw std::runtime_error("no file");
      return out.fileName();
    };
    const QStringList run = {"run", "single_server", "--replications", "3"};
    const Outcome some = with_plugins(run + QStringList{"--points",
                                                        file("set,service_rate,customers\nsweep,45,10\n"
                                                             "\"a, b\",0.02 /s,20\n"),
                                                        "--measure", "wait", "--measure", "waited"});
    COMPARE_CODE(some, 0);
    QByteArray wanted = "set,service_rate,customers,wait,waited\n";
    for (const auto& [cells, rate, customers] :
         {std::tuple{"sweep,45,10", "45 /h", "10"}, {"\"a, b\",0.02 /s,20", "0.02 /s", "20"}}) {
      const Json one = with_plugins(run + QStringList{"--json", "--set", QString("service_rate=") + rate, "--set",
                                                      QString("customers=") + customers})
                           .json();
      wanted += cells;
      for (const char* name : {"wait", "waited"})
        for (const Json& m : one["measures"])
          if (m["id"] == name) wanted += "," + QByteArray::number(m["estimate"].get<double>(), 'g', 17);
      wanted += "\n";
    }
    const auto numbers = [](const QByteArray& text) {
      QStringList out;
      for (const QByteArray& line : text.split('\n'))
        for (const QByteArray& cell : line.split(',')) {
          bool number = false;
          const double x = cell.toDouble(&number);
          out << (number ? QString::number(x, 'g', 12) : QString(cell));
        }
      return out;
    };
    QCOMPARE(numbers(some.out), numbers(wanted));
    // What is wrong is told with its row; the rows before it are there.
    const Outcome bad = with_plugins(run + QStringList{"--points", file("customers\n10\n0\n")});
    QVERIFY2(bad.code == 3 && bad.err.contains("row 3") && bad.err.contains("PAR005") && bad.out.count('\n') == 2,
             bad.err);
    const Outcome crash =
        with_plugins({"run", "misbehaving", "--replications", "2", "--points", file("how\nwell\ncrash\n")});
    QVERIFY2(crash.code == 1 && crash.err.contains("PLG020") && crash.out.count('\n') == 2, crash.err);
    const Outcome none = with_plugins(run + QStringList{"--points", file("customer\n1\n")});
    QVERIFY2(none.code == 3 && none.err.contains("did you mean customers?"), none.err);
    const Outcome ragged = with_plugins(run + QStringList{"--points", file("customers,x\n1,2\n3\n")});
    QVERIFY2(ragged.code == 3 && ragged.err.contains("row 3 has 1 cell"), ragged.err);
    const Outcome twice = with_plugins(run + QStringList{"--points", file("customers\n1\n"), "--set", "customers=2"});
    QVERIFY2(twice.code == 2 && twice.err.contains("both set"), twice.err);
    const Outcome measure = with_plugins(run + QStringList{"--points", file("customers\n1\n"), "--measure", "waits"});
    QVERIFY2(measure.code == 2 && measure.err.contains("wanted one of: wait"), measure.err);
    COMPARE_CODE(with_plugins(run + QStringList{"--measure", "wait"}), 2);
  }

  // From sweeps to what is to be measured, measured by another plugin, and back: no column is renamed by hand.
  void representatives_are_points_for_whoever_measures_them() {
    const QTemporaryDir folder;
    const auto file = [&folder](const char* name, const QString& content) {
      QFile out(folder.filePath(name));
      return out.open(QFile::WriteOnly) && out.write(content.toUtf8()) > 0 ? out.fileName() : QString();
    };
    QString sweeps = "type,set,rows,columns,cycles\n";
    for (int v = 1; v < 100; ++v)
      sweeps += QString("gemm,sweep,%1,64,%2\ngemm,sweep,64,%1,%3\n")
                    .arg(v)
                    .arg(500 + (v + 15) / 16 * 100)
                    .arg(500 + (v + 7) / 8 * 50);
    const auto study = [](const QString& measured) {
      return with_plugins({"run", "performance_representatives", "--replications", "2", "--set", "source=measurements",
                           "--set", "measurements=" + measured, "--table", "representatives"});
    };
    const Outcome wanted = study(file("sweeps.csv", sweeps));
    QVERIFY2(wanted.code == 0 && wanted.out.startsWith("Type,Point,rows,columns,Measured,Estimate\n"), wanted.out);
    const Outcome measured = with_plugins({"run", "npu", "--set", "hardware=m8_simple", "--points",
                                           file("points.csv", wanted.out), "--measure", "cycles"});
    QVERIFY2(measured.code == 0 && measured.out.startsWith("Type,Point,rows,columns,Measured,Estimate,cycles"),
             measured.out + measured.err);
    const Outcome again = study(file("measured.csv", measured.out));
    QVERIFY2(again.code == 0 && again.out.contains("gemm,") && again.out.startsWith("Type,Point,rows,columns,"),
             again.err);
  }

  void nothing_of_a_plugin_outlives_the_program_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("word");
    QTest::newRow("library") << QStringList{"run", "misbehaving", "--set", "how=hang"}
                             << QByteArray("libmisbehaving.so");
    QTest::newRow("program") << QStringList{"run", "bad_messages", "--set", "how=closes"}
                             << QByteArray("bad_messages.py");
  }
  void nothing_of_a_plugin_outlives_the_program() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, word);
    const TestProcesses processes;
    QProcess process;
    QProcessEnvironment environment = plain_environment();
    environment.insert("ERGODE_PLUGIN_PATH", plugins_of_tests);
    process.setProcessEnvironment(environment);
    process.start(program, QStringList{"plugins"} + arguments + QStringList{"--threads", "1", "--time-limit", "100"});
    QTRY_VERIFY_WITH_TIMEOUT(processes.running(word) > 0, 10000);
    QTest::qWait(200);
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);  // it can say nothing to anybody
    QVERIFY(process.waitForFinished(5000));
    QTRY_COMPARE_WITH_TIMEOUT(processes.running(word), 0, 3000);
  }

  void plugins_run_where_there_is_no_standard_input_or_output() {
    const Outcome out =
        ergode(Command{.arguments = {"plugins", "check", "token_server"}, .in_child = [] { ::close(0), ::close(2); }});
    QVERIFY2(out.code == 0 && out.out.contains("token_server: works"), out.out);
  }

  // One that crashes whenever it is asked, beside one that works: lists and explanations run nothing, a trial of all
  // goes on with the others, and so does the next command.
  void one_that_crashes_is_named_and_the_others_are_tried() {
    QTemporaryDir folder;
    const auto copied = [&](const QString& name, const QString& file, const QByteArray& from, const QByteArray& to) {
      const QString here = QString(plugins_of_tests) + "/" + name + "/";
      QFile manifest(here + "plugin.json"), out(folder.filePath(name + "/plugin.json"));
      return QDir().mkpath(folder.filePath(name)) && QFile::copy(here + file, folder.filePath(name + "/" + file)) &&
             manifest.open(QIODevice::ReadOnly) && out.open(QIODevice::WriteOnly) &&
             out.write(manifest.readAll().replace(from, to)) > 0;
    };
    const QByteArray well = "\"default\": \"well\"";
    QVERIFY(copied("misbehaving", "libmisbehaving.so", well, "\"default\": \"crash\""));
    QVERIFY(copied("bad_messages", "bad_messages.py", well, "\"default\": \"half_and_leaves\""));
    const Outcome list = with_plugins({"list"}, folder.path());
    QVERIFY2(list.code == 0 && list.out.contains("misbehaving") && list.out.contains("bad_messages"), list.out);
    for (const char* name : {"misbehaving", "bad_messages"}) {
      COMPARE_CODE(with_plugins({"explain", name}, folder.path()), 0);
      const Outcome run = with_plugins({"run", name}, folder.path());
      QVERIFY2(run.code == 1 && run.err.contains("PLG020") && run.err.contains(name), run.err);
    }
    const Json all = with_plugins({"check", "--json"}, folder.path()).json();
    std::map<std::string, bool> passed;
    for (const Json& one : all["plugins"]) passed[one["name"].get<std::string>()] = one["passed"].get<bool>();
    QVERIFY(!passed.at("misbehaving") && !passed.at("bad_messages"));
    QVERIFY(passed.at("single_server") && passed.at("token_server") && passed.at("llm_serving"));
    COMPARE_CODE(with_plugins({"check"}, folder.path()), 1);
  }

  void check_tries_what_is_there() {
    const Outcome good = with_plugins({"check", "single_server"});
    QVERIFY2(good.code == 0 && good.out.contains("single_server: works") && good.out.contains("passed  station"),
             good.out);
    const Json bad = with_plugins({"check", "newer_library", "--json"}).json();
    QCOMPARE(bad["plugins"][0]["passed"].get<bool>(), false);
    QCOMPARE(bad["plugins"][0]["diagnostics"][0]["code"].get<std::string>(), std::string("PLG005"));
  }
};

QTEST_APPLESS_MAIN(TestCliPlugins)
#include "tst_cli_plugins.moc"
