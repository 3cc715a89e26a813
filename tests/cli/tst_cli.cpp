#include <signal.h>
#include <sys/resource.h>

#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>

using Json = nlohmann::json;

namespace {

struct Outcome {
  int code = -1;
  bool crashed = false;
  QByteArray out, err;
  Json json() const { return Json::parse(out.toStdString()); }
};

const QString program = QString(ERGODE_BIN_DIR) + "/ergode";

QProcessEnvironment plain_environment() {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove("DISPLAY"), environment.remove("WAYLAND_DISPLAY");
  static const QTemporaryDir state;
  environment.insert("XDG_STATE_HOME", state.path());
  return environment;
}

struct Command {
  QStringList arguments;
  QByteArray input = {};
  std::map<QString, QString> environment = {};
  std::function<void()> in_child = {};
  QString output_file = {};
};

Outcome ergode(const Command& command) {
  QProcess process;
  QProcessEnvironment environment = plain_environment();
  for (const auto& [name, value] : command.environment) environment.insert(name, value);
  process.setProcessEnvironment(environment);
  if (command.in_child) process.setChildProcessModifier(command.in_child);
  if (!command.output_file.isEmpty()) process.setStandardOutputFile(command.output_file);
  process.start(program, command.arguments);
  process.write(command.input);
  process.closeWriteChannel();
  if (!process.waitForFinished(60000)) process.kill(), process.waitForFinished();
  Outcome out{process.exitCode(), process.exitStatus() == QProcess::CrashExit, process.readAllStandardOutput(),
              process.readAllStandardError()};
  // Nobody reads colours in a log: no escape sequence in anything that is not a terminal.
  if (out.out.contains('\x1b') || out.err.contains('\x1b'))
    throw std::runtime_error("an escape sequence in the output");
  return out;
}

Outcome ergode(const QStringList& arguments) { return ergode(Command{.arguments = arguments}); }

QString shown(const Outcome& o) {
  return QString("exit %1%2\n%3\n%4").arg(o.code).arg(o.crashed ? " CRASHED" : "").arg(QString(o.out), QString(o.err));
}

#define COMPARE_CODE(outcome, wanted)                                             \
  do {                                                                            \
    const Outcome& seen_ = (outcome);                                             \
    QVERIFY2(!seen_.crashed && seen_.code == (wanted), qPrintable(shown(seen_))); \
  } while (false)

}  // namespace

class TestCli : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString model_, other_, pumps_;

  QString file(const QString& name, const QByteArray& text) const {
    const QString path = folder_.filePath(name);
    QFile f(path);
    if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size()) throw std::runtime_error("cannot write");
    return path;
  }
  QString fresh(const char* name) const {
    const QString path = folder_.filePath(name);
    QDir().mkpath(path);
    return path;
  }

 private Q_SLOTS:
  void initTestCase();
  void help_of_every_subcommand_data();
  void help_of_every_subcommand();
  void version_and_bare_call();
  void run_prints_one_json_document_with_the_documented_keys();
  void the_closed_form_answers_a_printed_row();
  void usage_errors_exit_2_data();
  void usage_errors_exit_2();
  void broken_models_exit_3_data();
  void broken_models_exit_3();
  void validate_says_where_as_json();
  void a_model_is_read_from_standard_input();
  void threads_change_no_bit();
  void runs_are_never_overwritten();
  void results_export_and_report_tell_the_same();
  void a_diagram_is_exported_as_svg();
  void the_name_of_a_file_means_its_format_or_is_refused();
  void files_that_a_model_names_lie_below_its_folder_or_are_allowed();
  void validate_lists_what_mends_a_problem();
  void an_scxml_document_is_run_imported_and_exported();
  void scxml_that_cannot_be_run_is_refused_with_its_place();
  void new_models_run_and_are_not_overwritten();
  void hash_knows_meaning_from_layout();
  void fault_trees_run_and_are_imported();
  void programs_in_the_prism_language_run_and_are_imported();
  void rare_events_are_answered_with_their_effective_samples();
  void a_model_that_asks_nothing_runs_too();
  void solvers_say_why_they_cannot();
  void a_solver_that_does_not_fit_exits_1();
  void all_solvers_stand_side_by_side();
  void an_interrupt_ends_a_markov_solver();
  void a_precision_not_reached_exits_4();
  void an_interrupt_keeps_a_partial_record();
  void a_kill_leaves_earlier_records();
  void a_full_disk_leaves_earlier_records();
  void a_full_output_exits_1();
  void a_killed_run_is_resumed_with_the_same_bits();
  void options_without_use_are_refused_data();
  void options_without_use_are_refused();
  void nothing_but_output_is_overwritten();
  void a_run_is_kept_elsewhere_when_its_store_cannot_be_written();
  void names_cannot_move_the_terminal();
  void man_page_and_completions_know_every_option();
  void the_locale_changes_nothing();
  void no_desktop_library_is_linked();
};

void TestCli::initTestCase() {
  QVERIFY2(QFile::exists(program), qPrintable(program));
  const QString root = ERGODE_SOURCE_DIR;
  model_ = folder_.filePath("edg.ergode"), other_ = folder_.filePath("sbo.ergode");
  pumps_ = folder_.filePath("pumps.ergode");
  QVERIFY(QFile::copy(root + "/examples/04_repairable_system/model.ergode", pumps_));
  QVERIFY(QFile::copy(root + "/examples/01_edg_common_cause/model.ergode", model_));
  QVERIFY(QFile::copy(root + "/examples/02_station_blackout/model.ergode", other_));
}

void TestCli::help_of_every_subcommand_data() {
  QTest::addColumn<QString>("name");
  for (const char* name :
       {"run", "validate", "results", "export", "report", "hash", "new", "solvers", "import", "importance"})
    QTest::newRow(name) << name;
}

void TestCli::help_of_every_subcommand() {
  QFETCH(QString, name);
  const Outcome help = ergode({name, "--help"});
  COMPARE_CODE(help, 0);
  QVERIFY(help.err.isEmpty());
  QVERIFY2(help.out.contains("Example") && help.out.contains(QString("ergode " + name).toUtf8()), help.out.constData());
  QCOMPARE(ergode({"help", name}).out, help.out);
  QVERIFY(ergode({"--help"}).out.contains(QString("  " + name).toUtf8()));
}

void TestCli::version_and_bare_call() {
  const Outcome version = ergode({"--version"});
  COMPARE_CODE(version, 0);
  QVERIFY(QRegularExpression("^ergode \\d+\\.\\d+\\.\\d+\n$").match(QString(version.out)).hasMatch());
  const Outcome bare = ergode(QStringList{});
  COMPARE_CODE(bare, 0);
  QVERIFY(bare.out.contains("Exit codes") && bare.err.isEmpty());
}

void TestCli::run_prints_one_json_document_with_the_documented_keys() {
  const Outcome run =
      ergode({"run", model_, "--json", "--no-store", "--replications", "1e4", "--seed", "9", "--scenario", "stress"});
  COMPARE_CODE(run, 0);
  const Json json = run.json();
  for (const char* key : {"run_id", "version", "solver", "seed", "scenario", "status", "replications", "parameters",
                          "options", "command"})
    QVERIFY2(json["run"].contains(key), key);
  QCOMPARE(json["run"]["seed"].get<int>(), 9);
  QCOMPARE(json["run"]["status"].get<std::string>(), std::string("complete"));
  QVERIFY(json["measures"].size() >= 8 && json["series"].size() >= 8);
  for (const Json& m : json["measures"]) {
    for (const char* key :
         {"id", "label", "unit", "estimate", "lower", "upper", "confidence", "replications", "solver"})
      QVERIFY2(m.contains(key), key);
    QVERIFY(m["lower"].get<double>() <= m["estimate"].get<double>() &&
            m["estimate"].get<double>() <= m["upper"].get<double>());
    QVERIFY(m.contains("exact_value"));  // the closed form fits this model
  }
  for (const Json& s : json["series"])
    QVERIFY(s.contains("measure") && s["x"].size() == s["y"].size() && !s["x"].empty());
}

void TestCli::the_closed_form_answers_a_printed_row() {
  const Outcome run = ergode({"run", model_, "--set", "lambda_ind=1.1e-3 /h", "--set", "delay_law=exponential", "--set",
                              "delay_mean=2 h", "--solver", "ccf-closed-form", "--json", "--no-store"});
  COMPARE_CODE(run, 0);
  const double printed[] = {8.97799275e-1, 9.68567027e-2, 4.64665962e-3, 4.38201380e-4, 2.59161521e-4};
  for (const Json& m : run.json()["measures"]) {
    const std::string id = m["id"];
    if (id.rfind("failed_", 0) != 0) continue;
    const double wanted = printed[id.back() - '0'];
    QVERIFY(std::abs(m["estimate"].get<double>() - wanted) < 6e-10 * std::max(1.0, wanted));
  }
}

void TestCli::usage_errors_exit_2_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("part");
  QTest::newRow("subcommand") << QStringList{"rnu", "x"} << "ergode run";
  QTest::newRow("option") << QStringList{"run", "MODEL", "--replicatons", "5"} << "replicatons";
  QTest::newRow("no model") << QStringList{"run"} << "MODEL";
  QTest::newRow("solver") << QStringList{"run", "MODEL", "--solver", "ccf-closed-frm"} << "ccf-closed-form";
  QTest::newRow("replications zero") << QStringList{"run", "MODEL", "--replications", "0"} << ">= 1";
  QTest::newRow("replications word") << QStringList{"run", "MODEL", "--replications", "many"} << "many";
  QTest::newRow("replications half") << QStringList{"run", "MODEL", "--replications", "1.5"} << "1.5";
  QTest::newRow("threads") << QStringList{"run", "MODEL", "--threads", "0"} << "1 to 1024";
  QTest::newRow("seed") << QStringList{"run", "MODEL", "--seed", "-1"} << "-1";
  QTest::newRow("precision") << QStringList{"run", "MODEL", "--precision", "2"} << "between 0 and 1";
  QTest::newRow("confidence") << QStringList{"run", "MODEL", "--confidence", "95"} << "between 0 and 1";
  QTest::newRow("wall time") << QStringList{"run", "MODEL", "--wall-time", "3 kg"} << "time";
  QTest::newRow("method") << QStringList{"run", "MODEL", "--method", "guess"} << "uniformisation";
  QTest::newRow("error bound") << QStringList{"run", "MODEL", "--error-bound", "0"} << "between 0 and 1";
  QTest::newRow("state limit") << QStringList{"run", "MODEL", "--state-limit", "0"} << "1 to 1000000000";
  QTest::newRow("lumping") << QStringList{"run", "MODEL", "--lumping", "maybe"} << "on or off";
  QTest::newRow("set") << QStringList{"run", "MODEL", "--set", "lambda_ind"} << "NAME=VALUE";
  QTest::newRow("progress") << QStringList{"run", "MODEL", "--progress", "loud"} << "loud";
}

void TestCli::usage_errors_exit_2() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, part);
  arguments.replaceInStrings("MODEL", model_);
  const Outcome run = ergode(arguments);
  COMPARE_CODE(run, 2);
  QVERIFY2(run.out.isEmpty() && run.err.contains(part.toUtf8()), qPrintable(shown(run)));
}

void TestCli::broken_models_exit_3_data() {
  QTest::addColumn<QString>("find");
  QTest::addColumn<QString>("replace");
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("code");
  const auto row = [](const char* name, const char* find, const char* replace, const char* code,
                      QStringList arguments = {}) { QTest::newRow(name) << find << replace << arguments << code; };
  row("no JSON", "{", "{{", "FMT002");
  row("truncated", "\"measures\"", "\x03", "FMT002");
  row("duplicate key", "\"schema\": 1", "\"schema\": 1, \"schema\": 1", "FMT004");
  row("newer schema", "\"schema\": 1", "\"schema\": 99", "FMT005");
  row("unknown unit", "1.1e-3 /h", "1.1e-3 /fortnite", "UNI001");
  row("negative rate", "1.1e-3 /h", "-1.1e-3 /h", "PAR005");
  row("circle", "\"1e-4 /h\"", "\"omega + mu\"", "PAR004");
  row("condition", "count(EDG[*].Repair) < repair_crews", "count(EDG[*].Repair < repair_crews", "SCH006");
  row("initial state", "\"kind\":\"initial\"", "\"kind\":\"note\"", "SCH001");
  row("scenario", "", "", "PAR008", {"--scenario", "repiar"});
  row("set of nobody", "", "", "PAR006", {"--set", "lambda=1 /h"});
  row("set of another dimension", "", "", "EXP004", {"--set", "mu=1 h"});
  row("set out of range", "", "", "PAR005", {"--set", "n=13"});
  row("missing file", "MISSING", "", "FMT000");
}

void TestCli::broken_models_exit_3() {
  QFETCH(QString, find);
  QFETCH(QString, replace);
  QFETCH(QStringList, arguments);
  QFETCH(QString, code);
  QFile source(model_);
  QVERIFY(source.open(QIODevice::ReadOnly));
  QByteArray text = source.readAll();
  QString path = folder_.filePath("absent.ergode");
  if (find != "MISSING") {
    if (!find.isEmpty()) {
      const auto at = text.indexOf(find.toUtf8());
      QVERIFY2(at >= 0, "the example has changed; the row spoils nothing");
      text = replace == "\x03" ? text.left(at) : text.left(at) + replace.toUtf8() + text.mid(at + find.toUtf8().size());
    }
    path = file("broken.ergode", text);
  }
  for (const char* verb : {"validate", "run"}) {
    const Outcome out = ergode(QStringList{verb, path} + arguments);
    COMPARE_CODE(out, 3);
    QVERIFY2((out.out + out.err).contains(code.toUtf8()), qPrintable(shown(out)));
  }
  QVERIFY(!QFile::exists(folder_.filePath("broken.results.sqlite")));  // nothing ran, nothing is left behind
}

void TestCli::validate_says_where_as_json() {
  const Outcome good = ergode({"validate", model_, "--json"});
  COMPARE_CODE(good, 0);
  QVERIFY(good.json()["valid"].get<bool>() && good.json()["problems"].empty());
  const Outcome bad = ergode({"validate", model_, "--json", "--set", "mu=1 /"});
  COMPARE_CODE(bad, 3);
  const Json json = bad.json();
  QCOMPARE(json["valid"].get<bool>(), false);
  QVERIFY(json["errors"].get<int>() >= 1);
  QVERIFY(json["problems"][0].contains("code") && json["problems"][0].contains("message"));
}

void TestCli::a_model_is_read_from_standard_input() {
  QFile source(model_);
  QVERIFY(source.open(QIODevice::ReadOnly));
  const QByteArray text = source.readAll();
  const Outcome run = ergode(Command{.arguments = {"run", "-", "--json", "--replications", "100"}, .input = text});
  COMPARE_CODE(run, 0);
  QCOMPARE(run.json()["run"]["replications"].get<int>(), 100);
  COMPARE_CODE(ergode(Command{.arguments = {"validate", "-"}, .input = "nonsense"}), 3);
}

void TestCli::threads_change_no_bit() {
  const auto measures = [this](const char* threads) {
    const Outcome run =
        ergode({"run", other_, "--json", "--no-store", "--replications", "20000", "--seed", "4", "--threads", threads});
    if (run.code != 0) throw std::runtime_error(shown(run).toStdString());
    return run.json();
  };
  const Json one = measures("1"), two = measures("2");
  QVERIFY(one["measures"] == two["measures"]);
  QVERIFY(one["series"] == two["series"]);
  QCOMPARE(one["run"]["fingerprint"].dump(), two["run"]["fingerprint"].dump());
}

void TestCli::runs_are_never_overwritten() {
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
}

void TestCli::results_export_and_report_tell_the_same() {
  const QString store = fresh("same");
  const Outcome run =
      ergode({"run", model_, "--json", "--replications", "1000", "--scenario", "stress", "--out", store});
  COMPARE_CODE(run, 0);
  const Json json = run.json();
  const std::string id = json["run"]["run_id"];
  const Outcome shown_again =
      ergode({"results", model_, QString::fromStdString(id.substr(0, 8)), "--store", store, "--json"});
  COMPARE_CODE(shown_again, 0);
  Json kept = shown_again.json();
  if (kept.contains("measures"))
    for (std::size_t i = 0; i < kept["measures"].size(); ++i)
      QCOMPARE(kept["measures"][i]["estimate"].dump(), json["measures"][i]["estimate"].dump());
  const QString csv = store + "/run.csv", html = store + "/report.html", copy = store + "/run.json";
  COMPARE_CODE(ergode({"export", model_, "latest", "--store", store, "--out", csv}), 0);
  COMPARE_CODE(ergode({"export", model_, "latest", "--store", store, "--format", "json", "--out", copy}), 0);
  COMPARE_CODE(ergode({"report", model_, "latest", "--store", store, "--out", html}), 0);
  const auto text = [](const QString& path) {
    QFile f(path);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
  };
  QVERIFY(text(csv).contains("failed_4") &&
          text(csv).contains(json["measures"][4]["estimate"].dump().substr(0, 6).c_str()));
  QVERIFY(Json::parse(text(copy).toStdString())["run"]["run_id"] == id);
  QVERIFY(text(html).startsWith("<!DOCTYPE html>") && text(html).contains("failed") && text(html).contains("<svg"));
  COMPARE_CODE(ergode({"results", model_, "ffffffffffffffff", "--store", store}), 1);
  COMPARE_CODE(ergode({"results", model_, "--store", folder_.filePath("nowhere")}), 1);
}

void TestCli::an_scxml_document_is_run_imported_and_exported() {
  const QString chart =
      file("lamp.scxml", R"xml(<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="off-1">
      <state id="off-1"><onexit><send event="timeout" delay="10ms"/></onexit><transition event="press" target="on"/></state>
      <state id="on"><transition event="timeout" target="dim"/></state>
      <state id="dim"><transition event="press" target="end"/></state><final id="end"/></scxml>)xml");
  const Outcome run = ergode({"run", chart, "--events", "press,press,press@+20ms", "--json"});
  COMPARE_CODE(run, 0);
  // By hand: the second press finds nobody, the third comes after the delay.
  QCOMPARE(run.json()["configurations"].dump(), std::string(R"([["off-1"],["on"],["on"],["end"]])"));
  QCOMPARE(run.json()["final"].get<std::string>(), std::string("end"));
  QCOMPARE(ergode({"run", chart, "--events", "press@2s"}).code, 0);
  QCOMPARE(ergode({"run", chart, "--events", "press@soon"}).code, 2);
  QCOMPARE(ergode({"run", chart, "--horizon", "ten"}).code, 2);
  QCOMPARE(ergode({"run", chart, "--horizon", "1e308 yr"}).code, 2);
  QCOMPARE(ergode({"run", chart, "--events", "x@1e308yr"}).code, 2);
  QCOMPARE(ergode({"run", model_, "--events", "press"}).code, 2);

  const QString model = folder_.filePath("lamp.ergode"), again = folder_.filePath("again.scxml");
  COMPARE_CODE(ergode({"import", chart, "-o", model}), 0);
  COMPARE_CODE(ergode({"validate", model}), 0);
  COMPARE_CODE(ergode({"export", model, "--format", "scxml", "-o", again}), 0);
  const Outcome rerun = ergode({"run", again, "--events", "press,press,press@+20ms", "--json"});
  QCOMPARE(rerun.json()["configurations"], run.json()["configurations"]);
  const Outcome boost = ergode({"export", again, "--format", "boost-statechart"});
  COMPARE_CODE(boost, 3);  // it has a delay
  QVERIFY2(boost.err.contains("SCX201") && boost.err.contains("off_1"), boost.err.constData());
  QCOMPARE(ergode({"export", model_, "--format", "scxml", "--chart", "Generator"}).code, 3);
  QCOMPARE(ergode({"export", model_, "--format", "scxml", "--chart", "Generatr"}).code, 3);
}

void TestCli::scxml_that_cannot_be_run_is_refused_with_its_place() {
  const Outcome broken = ergode({"run", file("broken.scxml", "<scxml>\n <state id=a/></scxml>")});
  COMPARE_CODE(broken, 3);
  QVERIFY2(broken.err.contains("SCX001") && broken.err.contains("line 2, column 12"), broken.err.constData());
  const QString partial = file("partial.scxml",
                               "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\n"
                               "<state id=\"a\"><invoke/></state></scxml>");
  const Outcome refused = ergode({"run", partial});
  COMPARE_CODE(refused, 3);
  QVERIFY2(refused.err.contains("SCX005 2:16") && refused.err.contains("<invoke>"), refused.err.constData());
  COMPARE_CODE(ergode({"import", partial, "-o", folder_.filePath("partial.ergode")}), 0);
  QCOMPARE(ergode({"import", model_}).code, 2);
  QCOMPARE(ergode({"run", folder_.filePath("nowhere.scxml")}).code, 3);
}

void TestCli::the_name_of_a_file_means_its_format_or_is_refused() {
  QTemporaryDir folder;
  const auto written = [&](const QString& name, const QStringList& more) {
    const QString path = folder.filePath(name);
    const Outcome o = ergode(QStringList{"export", model_, "--out", path} + more);
    QFile file(path);
    return std::pair(o, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
  };
  for (const char* name : {"d.pdf", "d.PDF"})
    QVERIFY(written(name, {"--diagram", "Generator"}).second.startsWith("%PDF-"));
  QVERIFY(written("d.svg", {"--diagram", "Generator"}).second.startsWith("<?xml"));
  for (const QStringList& what : {QStringList{"--diagram", "Generator"}, QStringList{"--plot", "failed_4"}})
    for (const char* name : {"d.png", "d.txt", "d", "d.csv"}) {
      const auto [outcome, bytes] = written(name, what);
      QVERIFY2(outcome.code == 2 && outcome.err.contains("svg or pdf"), qPrintable(shown(outcome)));
      QCOMPARE(outcome.err.contains("PNG is not written"), QString(name) == "d.png");
      QVERIFY(bytes.isEmpty());
    }
  const auto [other, none] = written("e.svg", {"--diagram", "Generator", "--format", "pdf"});
  QVERIFY2(other.code == 2 && none.isEmpty(), qPrintable(shown(other)));
  const auto [run, nothing] = written("run.pdf", {"latest"});
  QVERIFY2(run.code == 2 && run.err.contains("csv or json") && nothing.isEmpty(), qPrintable(shown(run)));
  const QString store = fresh("formats");
  COMPARE_CODE(ergode({"run", model_, "--replications", "100", "--out", store}), 0);
  const QStringList of_run = {"latest", "--store", store, "--plot"};
  QVERIFY(written("p.pdf", of_run + QStringList{"failed_4"}).second.startsWith("%PDF-"));
  // The picture says what it shows, as the desktop does.
  QVERIFY(written("p.svg", of_run + QStringList{"failed_4"}).second.contains("font-weight=\"bold\""));
  QFile::remove(folder.filePath("p.pdf"));
  const auto [plot, no_plot] = written("p.pdf", of_run + QStringList{"failed_9"});
  QVERIFY2(plot.code == 2 && plot.err.contains("it has:") && no_plot.isEmpty(), qPrintable(shown(plot)));
}

void TestCli::files_that_a_model_names_lie_below_its_folder_or_are_allowed() {
  QTemporaryDir root;
  QDir(root.path()).mkpath("model"), QDir(root.path()).mkpath("data");
  const auto write = [&](const char* name, const QByteArray& text) {
    QFile out(root.filePath(name));
    return out.open(QIODevice::WriteOnly) && out.write(text) == text.size() ? out.fileName() : QString();
  };
  write("data/delays.csv", "hours\n1\n2\n");
  write("model/delays.csv", "hours\n1\n2\n");
  write("data/secret.csv", "root:x:0:0:root:/root:/bin/bash\nroot:x:0:0:root:/root:/bin/bash\n");
  QFile example(QString(ERGODE_SOURCE_DIR) + "/examples/03_repairable_component/model.ergode");
  QVERIFY(example.open(QIODevice::ReadOnly));
  const QByteArray text = example.readAll();
  const auto naming = [&](const QByteArray& name) {
    QByteArray changed = text;
    const qsizetype at = changed.indexOf("\"trigger\":\""), end = changed.indexOf('"', at + 11);
    changed.replace(at, end - at + 1,
                    "\"trigger\":\"after(empirical(\\\"" + name + "\\\", column = 1, unit = \\\"h\\\"))\"");
    return write("model/plant.ergode", changed);
  };
  COMPARE_CODE(ergode({"validate", naming("delays.csv")}), 0);
  const QStringList run = {"--replications", "50", "--no-store", "--no-cross-check"};
  COMPARE_CODE(ergode(QStringList{"run", naming("delays.csv")} + run), 0);
  const QString outside = naming("../data/delays.csv"), data = root.filePath("data");
  for (const QStringList& command :
       {QStringList{"validate", outside}, QStringList{"run", outside} + run, QStringList{"solvers", outside}}) {
    const Outcome refused = ergode(command);
    COMPARE_CODE(refused, 3);
    QVERIFY2((refused.out + refused.err).contains("EXP008") && (refused.out + refused.err).contains("--allow-folder"),
             qPrintable(shown(refused)));
    COMPARE_CODE(ergode(command + QStringList{"--allow-folder", data}), 0);
  }
  QVERIFY(QFile::link(root.filePath("data/delays.csv"), root.filePath("model/link.csv")));
  COMPARE_CODE(ergode({"validate", naming("link.csv")}), 3);
  for (const QByteArray& name : {QByteArray("/etc/passwd"), QByteArray("../data/secret.csv")}) {
    const Outcome refused = ergode({"validate", naming(name)});
    QVERIFY2(refused.code == 3 && !refused.out.contains("/bin/"), qPrintable(shown(refused)));
  }
  const Outcome quoted = ergode({"validate", naming("../data/secret.csv"), "--allow-folder", data});
  QVERIFY2(quoted.code == 3 && quoted.out.contains("root:x:0:0:r...") && !quoted.out.contains("/bin/"),
           qPrintable(shown(quoted)));
  COMPARE_CODE(ergode({"validate", outside, "--allow-folder", root.filePath("nowhere")}), 2);
}

void TestCli::validate_lists_what_mends_a_problem() {
  QFile example(model_);
  QVERIFY(example.open(QIODevice::ReadOnly));
  QByteArray text = example.readAll();
  text.replace("\"model\":\"bfr\"", "\"model\":\"beta\",\"beta\":\"0.1\",\"total\":\"lambda_ind\"");
  const QString twice = file("twice.ergode", text);
  const Outcome plain = ergode({"validate", twice});
  COMPARE_CODE(plain, 0);
  QVERIFY2(plain.out.contains("warning CCF026") && plain.out.contains("    fix: Let the group carry them"),
           qPrintable(shown(plain)));
  const Outcome json = ergode({"validate", twice, "--json"});
  bool listed = false;
  const Json answer = json.json();
  for (const auto& problem : answer["problems"])
    listed = listed || (problem["code"] == "CCF026" && problem["fixes"].size() == 2);
  QVERIFY2(listed, qPrintable(shown(json)));
}

void TestCli::a_diagram_is_exported_as_svg() {
  const Outcome svg = ergode({"export", model_, "--diagram", "Generator"});
  COMPARE_CODE(svg, 0);
  QXmlStreamReader xml(svg.out);
  int elements = 0;
  while (!xml.atEnd()) elements += xml.readNext() == QXmlStreamReader::StartElement;
  QVERIFY2(!xml.hasError() && elements > 10, qPrintable(xml.errorString()));
  const Outcome none = ergode({"export", model_, "--diagram", "Generatr"});
  QVERIFY2(none.code != 0 && none.out.isEmpty() && none.err.contains("Generator"), qPrintable(shown(none)));
}

void TestCli::new_models_run_and_are_not_overwritten() {
  const QString path = folder_.filePath("fresh.ergode");
  COMPARE_CODE(ergode({"new", path}), 0);
  COMPARE_CODE(ergode({"validate", path}), 0);
  COMPARE_CODE(ergode({"run", path, "--replications", "100", "--no-store", "-q"}), 0);
  const Outcome again = ergode({"new", path});
  QVERIFY2(again.code != 0 && again.err.contains("--force"), qPrintable(shown(again)));
  COMPARE_CODE(ergode({"new", path, "--force"}), 0);
}

void TestCli::hash_knows_meaning_from_layout() {
  const Json before = ergode({"hash", model_, "--json"}).json();
  QFile source(model_);
  QVERIFY(source.open(QIODevice::ReadOnly));
  QByteArray text = source.readAll();
  const auto at = text.lastIndexOf("\": [");  // a place in the layout
  QVERIFY(at > 0);
  text.insert(at + 4, "1");
  const Json after = ergode({"hash", file("moved.ergode", text), "--json"}).json();
  QVERIFY(before["semantic"] == after["semantic"]);
  QVERIFY(before["file"] != after["file"]);
}

// Oracle: 1 - exp(-2 * 3 * 0.5), by hand: two commands on one action.
void TestCli::programs_in_the_prism_language_run_and_are_imported() {
  const QString program_file = file("pair.prism",
                                    "ctmc const double a; module One x:[0..1]; [go] x=0 -> a:(x'=1); endmodule "
                                    "module Two y:[0..1]; [go] y=0 -> 3:(y'=1); endmodule label \"both\" = x=1 & y=1;");
  const QStringList options = {"--solver", "ctmc-transient", "--set", "a=2", "--set", "mission_time=0.5 h", "--json"};
  const QString model = folder_.filePath("pair.ergode");
  COMPARE_CODE(ergode({"import", program_file, "-o", model}), 0);
  for (const QString& path : {program_file, model}) {
    const Outcome run = ergode(QStringList{"run", path} + options);
    COMPARE_CODE(run, 0);
    const double seen = run.json()["measures"][0]["estimate"].get<double>();
    QVERIFY2(std::abs(seen - (1 - std::exp(-3.0))) < 1e-9, qPrintable(shown(run)));
  }
  const Outcome wrong =
      ergode({"validate", file("wrong.prism", "ctmc\nmodule M x:[0..1]; [] z=0 -> 1:true; endmodule")});
  COMPARE_CODE(wrong, 3);
  QVERIFY2((wrong.out + wrong.err).contains("line 2, column 23"), qPrintable(shown(wrong)));
}

void TestCli::fault_trees_run_and_are_imported() {
  const QString tree = file("tree.dft", "toplevel T; T csp A B; A lambda=1; B lambda=1;");
  const QString model = folder_.filePath("tree.ergode");
  COMPARE_CODE(ergode({"import", tree, "-o", model}), 0);
  const QStringList options = {"--no-store", "--json", "--set", "mission_time = 2 h", "--replications", "5000"};
  const Outcome direct = ergode(QStringList{"run", tree} + options),
                imported = ergode(QStringList{"run", model} + options);
  COMPARE_CODE(direct, 0);
  COMPARE_CODE(imported, 0);
  const Json by_end = direct.json()["measures"][0];
  QCOMPARE(by_end["id"].get<std::string>(), std::string("failed_by_end"));
  QVERIFY(std::abs(by_end["exact_value"].get<double>() - (1 - 3 * std::exp(-2.0))) < 1e-10);  // Erlang
  QCOMPARE(by_end["estimate"].get<double>(), imported.json()["measures"][0]["estimate"].get<double>());
  const Outcome importance =
      ergode({"importance", file("or.dft", "toplevel T; T or A B; A prob=0.5; B prob=0.5;"), "--time", "1", "--json"});
  COMPARE_CODE(importance, 0);
  QCOMPARE(importance.json()["top"].get<double>(), 0.75);
  QCOMPARE(importance.json()["events"][0]["birnbaum"].get<double>(), 0.5);
  COMPARE_CODE(ergode({"importance", tree, "--time", "1"}), 3);
  COMPARE_CODE(ergode({"importance", tree, "--time", "soon"}), 2);
  const Outcome wrong = ergode({"run", file("wrong.dft", "toplevel T;\nT and A;")});
  COMPARE_CODE(wrong, 3);
  QVERIFY2(wrong.err.contains("GAL004") && wrong.err.contains("line 2, column 7"), wrong.err.constData());
}

void TestCli::rare_events_are_answered_with_their_effective_samples() {
  const QString model = QString(ERGODE_SOURCE_DIR) + "/examples/06_rare_event/model.ergode";
  const Outcome biased = ergode({"run", model, "--no-store", "--json", "--variance-reduction", "failure-biasing",
                                 "--bias-probability", "0.4", "--replications", "20000"});
  COMPARE_CODE(biased, 0);
  const Json m = biased.json()["measures"][0];
  QVERIFY(m["effective_samples"].get<double>() > 500 && m["estimate"].get<double>() < 2e-8);
  QCOMPARE(biased.json()["run"]["options"]["bias_probability"].get<std::string>(), std::string("0.4"));
  const Outcome split = ergode({"run", model, "--no-store", "--json", "--variance-reduction", "splitting",
                                "--importance", "count(pump[*].Down)", "--levels", "1, 2, 3", "--effort", "500"});
  COMPARE_CODE(split, 0);
  QCOMPARE(split.json()["run"]["options"]["levels"].get<std::string>(), std::string("1, 2, 3"));
  // Two paths reach nothing: there is no estimate, so no interval that an exact value could be inside of.
  const Json nothing = ergode({"run", model, "--no-store", "--json", "--variance-reduction", "failure-biasing",
                               "--replications", "2", "--seed", "2"})
                           .json()["measures"][1];
  QVERIFY(nothing.contains("not_available") && nothing.contains("exact_value"));
  QVERIFY(!nothing.contains("exact_inside_interval"));
  COMPARE_CODE(ergode({"run", model, "--variance-reduction", "luck"}), 2);
  COMPARE_CODE(ergode({"run", model, "--levels", "2, 1"}), 2);
  const QString flowing = QString(ERGODE_SOURCE_DIR) + "/examples/07_heated_tank/model.ergode";
  COMPARE_CODE(ergode({"run", flowing, "--no-store", "--variance-reduction", "failure-biasing"}), 1);
}

void TestCli::a_model_that_asks_nothing_runs_too() {
  Outcome fresh = ergode({"new", "-"});
  COMPARE_CODE(fresh, 0);
  Json json = fresh.json();
  json["measures"] = Json::array();
  const QString path = file("nothing.ergode", QByteArray::fromStdString(json.dump()));
  const Outcome run = ergode({"run", path, "--replications", "100", "--no-store"});
  COMPARE_CODE(run, 0);
  QVERIFY(run.err.contains("MEA008"));
  COMPARE_CODE(ergode({"run", path, "--replications", "100", "--no-store", "--json"}), 0);
}

void TestCli::solvers_say_why_they_cannot() {
  const Outcome all = ergode({"solvers"});
  COMPARE_CODE(all, 0);
  QVERIFY(all.out.contains("simulation") && all.out.contains("ccf-closed-form"));
  const Outcome of = ergode({"solvers", model_, "--set", "repair_crews=1"});
  COMPARE_CODE(of, 0);
  QVERIFY2(of.out.contains("repair"), of.out.constData());
}

void TestCli::a_solver_that_does_not_fit_exits_1() {
  const Outcome run = ergode({"run", model_, "--solver", "ccf-closed-form", "--scenario", "repair", "--no-store"});
  COMPARE_CODE(run, 1);
  QVERIFY2(run.out.isEmpty() && run.err.contains("SOL001") && run.err.contains("Waiting"), qPrintable(shown(run)));
}

void TestCli::a_precision_not_reached_exits_4() {
  const Outcome few = ergode({"run", model_, "--scenario", "stress", "--precision", "0.001", "--replications", "3000",
                              "--json", "--no-store"});
  COMPARE_CODE(few, 4);
  QVERIFY(few.json()["measures"].size() >= 8 && few.err.contains("precision"));
  const Outcome enough = ergode({"run", model_, "--scenario", "stress", "--precision", "0.1", "--json", "--no-store"});
  COMPARE_CODE(enough, 0);
  QCOMPARE(enough.json()["run"]["stop_reason"].get<std::string>(), std::string("precision"));
}

void TestCli::all_solvers_stand_side_by_side() {
  const QString store = fresh("all");
  // 99.99 %: of ten measures one is outside by bad luck in a thousand seeds; this seed is none of them.
  const QStringList asked = {"run", pumps_, "--solver", "all", "--replications", "4000", "--confidence", "0.9999"};
  const Outcome run = ergode(asked + QStringList{"--json", "--out", store});
  COMPARE_CODE(run, 0);
  const Json json = run.json();
  QCOMPARE(json["run"]["solver"].get<std::string>(), std::string("simulation"));
  for (const Json& m : json["measures"]) {
    QCOMPARE(m["exact"].size(), std::size_t{1});
    QCOMPARE(m["exact"][0]["solver"].get<std::string>(), std::string("ctmc-transient"));
    QVERIFY2(m["exact"][0]["inside_interval"].get<bool>(), m["id"].get<std::string>().c_str());
    QVERIFY(m["exact"][0]["lower"].get<double>() < m["exact"][0]["upper"].get<double>());
    QVERIFY(m.contains("long_run"));
    if (m["id"] == "time_to_failure") QVERIFY(std::abs(m["long_run"]["value"].get<double>() - 2500.0) < 1e-6);
  }
  std::map<std::string, bool> answered;
  for (const Json& one : json["solvers"]) answered[one["name"]] = one["answered"];
  const std::map<std::string, bool> wanted = {
      {"simulation", true}, {"ccf-closed-form", false}, {"ctmc-transient", true}, {"ctmc-steady-state", true}};
  for (const auto& [name, yes] : wanted) QVERIFY2(answered.contains(name) && answered[name] == yes, name.c_str());
  // Each answer is a run of its own.
  const Outcome kept = ergode({"results", pumps_, "--store", store, "--json"});
  COMPARE_CODE(kept, 0);
  QCOMPARE(kept.json().size(), std::size_t{3});

  const Outcome table = ergode(asked + QStringList{"--no-store"});
  COMPARE_CODE(table, 0);
  for (const char* word : {"ctmc-transient", "inside", "ctmc-steady-state", "ccf-closed-form gave no answer", "SOL001"})
    QVERIFY2(table.out.contains(word), word);
  QVERIFY(!table.out.contains("  no  "));  // in the column "inside"
}

void TestCli::an_interrupt_ends_a_markov_solver() {
  QProcess run;
  run.setProcessEnvironment(plain_environment());
  run.start(program, {"run", pumps_, "--solver", "ctmc-transient", "--set", "pumps = 24", "--lumping", "off",
                      "--state-limit", "1e9", "--no-store"});
  QVERIFY(run.waitForStarted());
  QVERIFY(!run.waitForFinished(1500));
  QElapsedTimer clock;
  clock.start();
  ::kill(static_cast<pid_t>(run.processId()), SIGINT);
  QVERIFY(run.waitForFinished(10000));
  QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
  QCOMPARE(run.exitStatus(), QProcess::NormalExit);
  QCOMPARE(run.exitCode(), 130);
}

void TestCli::an_interrupt_keeps_a_partial_record() {
  const QString store = fresh("interrupted");
  for (const int signal : {SIGINT, SIGTERM}) {
    QProcess run;
    run.setProcessEnvironment(plain_environment());
    run.start(program, {"run", other_, "--replications", "1e11", "--json", "--out", store, "--progress", "plain"});
    QVERIFY(run.waitForStarted());
    QVERIFY(!run.waitForFinished(1500));
    QElapsedTimer clock;
    clock.start();
    ::kill(static_cast<pid_t>(run.processId()), signal);
    QVERIFY(run.waitForFinished(10000));
    // One second is promised; another is allowed for machines that do other work at the same time.
    QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
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

void TestCli::a_kill_leaves_earlier_records() {
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

void TestCli::a_full_disk_leaves_earlier_records() {
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

void TestCli::a_full_output_exits_1() {
  const Outcome run = ergode(Command{.arguments = {"run", model_, "--replications", "100", "--json", "--no-store"},
                                     .output_file = "/dev/full"});
  COMPARE_CODE(run, 1);
  COMPARE_CODE(ergode({"run", model_, "--replications", "100", "--no-store", "--report", "/nowhere/report.html"}), 1);
}

void TestCli::a_killed_run_is_resumed_with_the_same_bits() {
  const QString store = fresh("resumed");
  const QStringList asked = {"run", pumps_, "--seed", "3", "--json", "--no-cross-check"};
  QProcess run;
  run.setProcessEnvironment(plain_environment());
  run.start(program, asked + QStringList{"--replications", "1e9", "--threads", "2", "--out", store});
  QVERIFY(run.waitForStarted());
  // The first journal comes after five seconds.
  const QString file = store + "/pumps.results.sqlite";
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), 20000);
  QTest::qWait(500);  // it is being written
  run.kill();
  QVERIFY(run.waitForFinished());
  const Json listed = ergode({"results", pumps_, "--store", store, "--json"}).json();
  QCOMPARE(listed.size(), std::size_t{1});
  QVERIFY(listed[0]["interrupted"].get<bool>() && listed[0]["resumable"].get<bool>());
  const std::string id = listed[0]["run_id"];
  // What there is of it can be looked at.
  QVERIFY(ergode({"results", pumps_, "latest", "--store", store, "--json"}).code == 1);
  const Json so_far = ergode({"results", pumps_, QString::fromStdString(id), "--store", store, "--json"}).json();
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
}

void TestCli::options_without_use_are_refused_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* name, const QStringList& arguments, const char* part) {
    QTest::newRow(name) << arguments << part;
  };
  row("solver of a chart", {"run", "CHART", "--solver", "zzz"}, "--solver means nothing");
  row("set of a chart", {"run", "CHART", "--set", "a=1"}, "--set means nothing");
  row("report of a chart", {"run", "CHART", "--report", "r.html"}, "--report means nothing");
  row("threads of a chart", {"run", "CHART", "--threads", "1"}, "--threads means nothing");
  row("seed of a chart", {"run", "CHART", "--seed", "abc"}, "wanted a whole number");
  row("great seed of a chart", {"run", "CHART", "--seed", "1e30"}, "wanted a whole number");
  row("great seed", {"run", "MODEL", "--seed", "1e30"}, "wanted a whole number");
  row("events of a model", {"run", "MODEL", "--events", "a"}, "--events is for SCXML");
  row("horizon of a model", {"run", "MODEL", "--horizon", "1 h"}, "--horizon is for SCXML");
  row("levels", {"run", "MODEL", "--levels", "1,2"}, "--levels is for --variance-reduction");
  row("levels nan", {"run", "MODEL", "--variance-reduction", "splitting", "--levels", "nan"}, "ascending numbers");
  row("bias", {"run", "MODEL", "--variance-reduction", "splitting", "--bias-probability", "0.5"}, "means nothing");
  row("method", {"run", "MODEL", "--method", "direct"}, "--method is for Markov solvers");
  row("seed of an exact solver", {"run", "MODEL", "--solver", "ccf-closed-form", "--seed", "1"},
      "is for the simulation");
  row("help of nothing", {"chekc", "--help"}, "There is no command");
  row("help of no command", {"help", "rnu"}, "ergode run");
}

void TestCli::options_without_use_are_refused() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, part);
  const QString chart = folder_.filePath("two.scxml");
  QFile file(chart);
  QVERIFY(file.open(QFile::WriteOnly));
  file.write(R"(<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a"/></scxml>)");
  file.close();
  arguments.replaceInStrings("CHART", chart).replaceInStrings("MODEL", model_);
  const Outcome refused = ergode(arguments);
  COMPARE_CODE(refused, 2);
  QVERIFY2(refused.err.contains(part.toUtf8()) && refused.out.isEmpty(), qPrintable(shown(refused)));
}

void TestCli::nothing_but_output_is_overwritten() {
  const QString place = fresh("overwrite");
  QVERIFY(QDir().mkpath(place));
  const QString model = place + "/plant.ergode", store = place + "/plant.results.sqlite", notes = place + "/notes.csv",
                other = place + "/other.ergode", report = place + "/plant.html";
  QVERIFY(QFile::copy(model_, model) && QFile::copy(other_, other));
  COMPARE_CODE(ergode({"run", model, "--replications", "100", "-q"}), 0);
  const auto content = [](const QString& path) {
    QFile file(path);
    return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray("missing");
  };
  QFile mine(notes);
  QVERIFY(mine.open(QFile::WriteOnly) && mine.write("my notes\n") > 0);
  mine.close();
  const std::map<QString, QByteArray> before = {
      {model, content(model)}, {store, content(store)}, {notes, content(notes)}, {other, content(other)}};
  for (const auto& [path, bytes] : before)
    for (const QStringList& tail : {QStringList{}, QStringList{"--force"}}) {
      if (path == notes && !tail.isEmpty()) continue;
      for (const QStringList& command :
           {QStringList{"export", model, "-o", path}, QStringList{"export", model, "--format", "json", "-o", path},
            QStringList{"report", model, "--out", path}, QStringList{"run", model, "--no-store", "--report", path}}) {
        const Outcome refused = ergode(command + tail);
        QVERIFY2(refused.code == 2 && refused.out.isEmpty(), qPrintable(shown(refused)));
        QVERIFY2(content(path) == bytes, qPrintable(path));
      }
    }
  QVERIFY(ergode({"new", store, "--force"}).code == 2 && content(store) == before.at(store));
  // What this program made it makes again; what it did not, with --force.
  for (int i = 0; i < 2; ++i) COMPARE_CODE(ergode({"report", model, "--out", report}), 0);
  COMPARE_CODE(ergode({"export", model, "-o", notes, "--force"}), 0);
  for (const char* name : {"a.csv", "a.json", "a.svg", "a.pdf"})
    for (int i = 0; i < 2; ++i) {
      QStringList command = {"export", model, "-o", place + "/" + name};
      if (QString(name).endsWith("svg") || QString(name).endsWith("pdf")) command += {"--plot", "failed_4"};
      COMPARE_CODE(ergode(command), 0);
    }
}

void TestCli::a_run_is_kept_elsewhere_when_its_store_cannot_be_written() {
  const QString place = fresh("unwritable"), state = fresh("state");
  QVERIFY(QDir().mkpath(place + "/plant.results.sqlite"));  // a folder is in the way
  QVERIFY(QFile::copy(model_, place + "/plant.ergode"));
  const Outcome run = ergode(Command{.arguments = {"run", place + "/plant.ergode", "--replications", "100"},
                                     .environment = {{"XDG_STATE_HOME", state}}});
  COMPARE_CODE(run, 0);
  QVERIFY2(run.err.contains("RES013"), qPrintable(shown(run)));
  const Outcome kept = ergode({"results", place + "/plant.ergode", "--store", state + "/ergode/runs"});
  QVERIFY2(kept.code == 0 && kept.out.contains("complete"), qPrintable(shown(kept)));
  // And when there is nowhere, nobody is told that all is well.
  const Outcome lost = ergode(Command{.arguments = {"run", place + "/plant.ergode", "--replications", "100"},
                                      .environment = {{"XDG_STATE_HOME", "/proc"}}});
  COMPARE_CODE(lost, 1);
}

void TestCli::names_cannot_move_the_terminal() {
  const QString evil = folder_.filePath("evil.ergode");
  QFile in(model_), out(evil);
  QVERIFY(in.open(QFile::ReadOnly) && out.open(QFile::WriteOnly));
  out.write(in.readAll().replace("\"failed_4\"", "\"failed_4\\u001b[2J\\u009b31m\""));
  out.close();
  for (const QStringList& command :
       {QStringList{"validate", evil}, QStringList{"run", evil, "--replications", "10", "--no-store"},
        QStringList{"solvers", evil}, QStringList{"validate", "no\x1b[31m.ergode"}}) {
    const Outcome said = ergode(command);  // throws at an escape
    QVERIFY2(!said.out.contains("\xc2\x9b") && !said.err.contains("\xc2\x9b"), qPrintable(shown(said)));
  }
}

void TestCli::man_page_and_completions_know_every_option() {
  const Outcome man = ergode({"manual"});
  COMPARE_CODE(man, 0);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome words = ergode({"completion", shell});
    COMPARE_CODE(words, 0);
    for (const char* option : {"variance-reduction", "resume", "transparent", "template"})
      QVERIFY2(words.out.contains(option) && man.out.contains(QByteArray(option).replace("-", "\\-")), option);
  }
  QProcess bash;
  bash.start("bash",
             {"-c", "source /dev/stdin; COMP_WORDS=(ergode run --var); COMP_CWORD=2; _ergode; echo ${COMPREPLY[@]}"});
  bash.write(ergode({"completion", "bash"}).out);
  bash.closeWriteChannel();
  QVERIFY(bash.waitForFinished());
  QCOMPARE(bash.readAllStandardOutput().trimmed(), QByteArray("--variance-reduction"));
  COMPARE_CODE(ergode({"completion", "tcsh"}), 2);
}

void TestCli::the_locale_changes_nothing() {
  const auto run = [this](const char* locale) {
    const Outcome out =
        ergode(Command{.arguments = {"run", model_, "--scenario", "stress", "--replications", "2000", "--no-store"},
                       .environment = {{"LC_ALL", locale}, {"LANG", locale}}});
    if (out.code != 0) throw std::runtime_error(shown(out).toStdString());
    return out.out;
  };
  const QByteArray plain = run("C");
  QVERIFY(plain.contains("0."));
  QCOMPARE(run("de_DE.UTF-8"), plain);
  QProcess installed;
  installed.start("locale", {"-a"});
  installed.waitForFinished();
  if (!installed.readAll().contains("de_DE"))
    QSKIP("the locale de_DE.UTF-8 is not installed; compared as far as it goes");
}

void TestCli::no_desktop_library_is_linked() {
  QProcess ldd;
  ldd.start("ldd", {program});
  QVERIFY(ldd.waitForFinished());
  const QByteArray libraries = ldd.readAll();
  QVERIFY(libraries.contains("libstdc++") && !libraries.contains("Qt") && !libraries.contains("libX11"));
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
