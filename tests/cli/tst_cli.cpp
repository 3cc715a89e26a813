#include "tests/cli/cli_test.h"

/// What is typed, and what is said of it: help, usage, checks, manual, locale.
class TestCli : public CliTest {
  Q_OBJECT
 private Q_SLOTS:
  void help_of_every_subcommand_data();
  void help_of_every_subcommand();
  void version_and_bare_call();
  void usage_errors_exit_2_data();
  void usage_errors_exit_2();
  void broken_models_exit_3_data();
  void broken_models_exit_3();
  void validate_says_where_as_json();
  void validate_lists_what_mends_a_problem();
  void hash_knows_meaning_from_layout();
  void options_without_use_are_refused_data();
  void options_without_use_are_refused();
  void what_cannot_be_read_is_named_with_what_is_near();
  void names_cannot_move_the_terminal();
  void man_page_and_completions_know_every_option();
  void the_locale_changes_nothing();
  void no_desktop_library_is_linked();
};

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
  // The overview says a whole sentence of it.
  const Outcome all = ergode({"help"});
  QCOMPARE(all.out, ergode({"--help"}).out);
  const auto line = QString::fromUtf8(all.out).split(QLatin1Char('\n')).filter(QRegularExpression("^  " + name + " "));
  QVERIFY2(line.size() == 1 && line.front().endsWith(QLatin1Char('.')), all.out.constData());
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

void TestCli::usage_errors_exit_2_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("part");
  QTest::newRow("subcommand") << QStringList{"rnu", "x"} << "ergode run";
  QTest::newRow("option") << QStringList{"run", "MODEL", "--replicatons", "5"} << "replicatons";
  QTest::newRow("no model") << QStringList{"run"} << "MODEL";
  QTest::newRow("solver") << QStringList{"run", "MODEL", "--solver", "ccf-closed-frm"} << "ccf-closed-form";
  QTest::newRow("replications zero") << QStringList{"run", "MODEL", "--replications", "0"} << "from 1 to";
  QTest::newRow("replications word") << QStringList{"run", "MODEL", "--replications", "many"} << "many";
  QTest::newRow("replications half") << QStringList{"run", "MODEL", "--replications", "1.5"} << "1.5";
  QTest::newRow("threads") << QStringList{"run", "MODEL", "--threads", "0"} << "1 to 1024";
  QTest::newRow("seed") << QStringList{"run", "MODEL", "--seed", "-1"} << "-1";
  QTest::newRow("no precision") << QStringList{"run", "MODEL", "--precision", ",", "--no-store"}
                                << "--precision is \",\"";
  QTest::newRow("half a precision") << QStringList{"run", "MODEL", "--no-store", "--precision", "0.1,"} << "\"0.1,\"";
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
  row("unknown unit", "1.1e-3 /h", "1.1e-3 /fortnite", "EXP002");
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
  row("folder of no store", {"run", "MODEL", "--no-store", "--out", "somewhere"}, "--no-store keeps nothing");
  row("folder of standard input", {"run", "-", "--out", "somewhere"}, "standard input has none");
  row("a parameter set twice", {"run", "MODEL", "--set", "mu=1e-4 /h", "--set", "mu = 2e-4 /h"},
      "mu twice: \"1e-4 /h\" and \"2e-4 /h\"");
  row("set twice to validate", {"validate", "MODEL", "--set", "n=4", "--set", "n=4"}, "n twice");
  for (const char* option : {"ode-method", "ode-relative-tolerance", "ode-absolute-tolerance"})
    for (const char* solver : {"simulation", "all"})
      row(qPrintable(QString("%1 of %2 where nothing is integrated").arg(option, solver)),
          {"run", "MODEL", "--solver", solver, QString("--") + option,
           option == QString("ode-method") ? "stiff" : "1e-6"},
          "is for models with continuous variables");
  for (const QStringList& command :
       {QStringList{"run", "MODEL", "--report"}, QStringList{"run", "MODEL", "--out"},
        QStringList{"run", "MODEL", "--seed"}, QStringList{"run", "MODEL", "--scenario"},
        QStringList{"run", "MODEL", "--resume"}, QStringList{"report", "MODEL", "-o"},
        QStringList{"export", "MODEL", "--out"}, QStringList{"export", "MODEL", "--format"},
        QStringList{"results", "MODEL", "--store"}, QStringList{"validate"}, QStringList{"results", "MODEL"}})
    row(qPrintable(QString("empty value: %1").arg(command.join(' '))), command + QStringList{""}, "the value is empty");
  row("help of nothing", {"chekc", "--help"}, "There is no command");
  row("help of no command", {"help", "rnu"}, "ergode run");
  row("as others call it", {"check", "MODEL"}, "Did you mean `ergode validate`?");
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

void TestCli::what_cannot_be_read_is_named_with_what_is_near() {
  const auto said = [this](const QStringList& arguments, int code) {
    const Outcome out = ergode(Command{.arguments = arguments, .folder = folder_.path()});
    if (out.code != code || !out.out.isEmpty()) throw std::runtime_error(shown(out).toStdString());
    return out.err;
  };
  QVERIFY(said({"run", "edgg.ergode"}, 3).contains("Did you mean edg.ergode?"));
  QVERIFY(said({"run", "edg"}, 3).contains("Did you mean edg.ergode?"));
  QVERIFY(said({"run", folder_.filePath("edg.ergod")}, 3).contains("Did you mean " + model_.toUtf8() + "?"));
  QVERIFY(said({"run", "somethingelse.ergode"}, 3).contains("Check its name"));
  QVERIFY(said({"run", "nowhere/edg.ergode"}, 3).contains("There is no folder nowhere"));
  QVERIFY(said({"edg.ergode"}, 2).contains("`ergode run edg.ergode`"));
  file("wrong.ergode", content(model_).replace("1.1e-3 /h", "1.1e-3 /fortnite"));
  QVERIFY(said({"run", "wrong.ergode"}, 3).contains("Nothing was run. Mend the errors above in wrong.ergode"));
}

void TestCli::names_cannot_move_the_terminal() {
  QByteArray text = content(model_);
  const QByteArray name = "failed_{m}";
  QVERIFY2(text.contains(name), "the example has changed; nothing is spoiled");
  const QString evil = file("evil.ergode", text.replace(name, name + "\\u001b[2J\\u009b31m"));
  // Each shows what is there, and moves nothing.
  const QByteArray visible = name + "\\u001b[2J\\u009b31m";
  const std::pair<QStringList, QByteArray> commands[] = {{{"run", evil, "--replications", "10", "--no-store"}, visible},
                                                         {{"validate", evil}, visible},
                                                         {{"solvers", evil}, visible},
                                                         {{"validate", "no\x1b[31m.ergode"}, "no\\u001b[31m.ergode"}};
  for (const auto& [command, escape] : commands) {
    const Outcome said = ergode(command);  // throws at an escape
    QVERIFY2(!said.out.contains("\xc2\x9b") && !said.err.contains("\xc2\x9b"), qPrintable(shown(said)));
    QVERIFY2(said.out.contains(escape) || said.err.contains(escape), qPrintable(shown(said)));
  }
}

namespace {

/// Every --option that the help of a command offers.
std::set<QByteArray> options_of(const QString& command) {
  std::set<QByteArray> out;
  static const QRegularExpression option("^  +(?:-\\w,\\s*)?(--[a-z][a-z-]*(?:,\\s*--[a-z-]+)*)",
                                         QRegularExpression::MultilineOption);
  auto found = option.globalMatch(QString(ergode({command, "--help"}).out));
  while (found.hasNext())
    for (const QString& name : found.next().captured(1).split(','))
      if (name.trimmed() != "--help") out.insert(name.trimmed().toUtf8());
  return out;
}

}  // namespace

void TestCli::man_page_and_completions_know_every_option() {
  const QByteArray man = ergode({"manual"}).out;
  std::map<QByteArray, QByteArray> words;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome completion = ergode({"completion", shell});
    COMPARE_CODE(completion, 0);
    words[shell] = completion.out;
  }
  std::size_t known = 0;
  for (const char* command :
       {"run", "validate", "results", "export", "report", "hash", "new", "solvers", "import", "importance"}) {
    const QByteArray name = command;
    const auto section = [&](const QByteArray& all, const QByteArray& begin, const QByteArray& end) {
      const auto at = all.indexOf(begin);
      const auto stop = all.indexOf(end, at + begin.size());
      return at < 0 ? QByteArray() : all.mid(at, stop < 0 ? -1 : stop - at);
    };
    const QByteArray page = section(man, ".SS \"ergode " + name + "\"", ".SS "),
                     bash = section(words["bash"], "    " + name + ") ", ";;"),
                     zsh = section(words["zsh"], "    " + name + ") _arguments", ";;");
    for (const QByteArray& option : options_of(command)) {
      ++known;
      QVERIFY2(page.contains(QByteArray(option).replace("-", "\\-") + "\\fR"), (name + " " + option).constData());
      QVERIFY2(bash.contains(option + " ") || bash.contains(option + "\""), (name + " " + option).constData());
      QVERIFY2(zsh.contains("'" + option + "["), (name + " " + option).constData());
      const QRegularExpression fish("__fish_seen_subcommand_from " + QRegularExpression::escape(QString(name)) +
                                    "'[^\n]* -l " + QRegularExpression::escape(QString(option.mid(2))) + " ");
      QVERIFY2(fish.match(QString(words["fish"])).hasMatch(), (name + " " + option).constData());
    }
  }
  QVERIFY2(known > 60, qPrintable(QString::number(known)));  // whatever the help looks like, it was read
  QProcess bash;
  bash.start("bash",
             {"-c", "source /dev/stdin; COMP_WORDS=(ergode run --var); COMP_CWORD=2; _ergode; echo ${COMPREPLY[@]}"});
  bash.write(words["bash"]);
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
