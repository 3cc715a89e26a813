#include "tests/cli/cli_test.h"

/// What is read and written beside the store.
class TestCliFiles : public CliTest {
  Q_OBJECT
 private Q_SLOTS:
  void results_export_and_report_tell_the_same();
  void a_diagram_is_exported_as_svg();
  void the_name_of_a_file_means_its_format_or_is_refused();
  void files_that_a_model_names_lie_below_its_folder_or_are_allowed();
  void new_models_run_and_are_not_overwritten();
  void nothing_but_output_is_overwritten();
  void what_a_database_keeps_beside_itself_is_never_written();
  void a_dangling_link_is_written_through();
};

void TestCliFiles::results_export_and_report_tell_the_same() {
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
      QCOMPARE(kept["measures"][i].dump(), json["measures"][i].dump());  // with the exact values beside it
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
  const Json exported = Json::parse(text(copy).toStdString());
  QVERIFY(exported["run"]["run_id"] == id);
  QVERIFY(json["measures"][4].contains("exact_value"));
  QCOMPARE(exported["measures"].dump(), json["measures"].dump());
  QVERIFY(text(html).startsWith("<!DOCTYPE html>") && text(html).contains("failed") && text(html).contains("<svg"));
  COMPARE_CODE(ergode({"results", model_, "ffffffffffffffff", "--store", store}), 1);
  COMPARE_CODE(ergode({"results", model_, "--store", folder_.filePath("nowhere")}), 1);
}

void TestCliFiles::a_diagram_is_exported_as_svg() {
  const Outcome svg = ergode({"export", model_, "--diagram", "Generator"});
  COMPARE_CODE(svg, 0);
  QXmlStreamReader xml(svg.out);
  int elements = 0;
  while (!xml.atEnd()) elements += xml.readNext() == QXmlStreamReader::StartElement;
  QVERIFY2(!xml.hasError() && elements > 10, qPrintable(xml.errorString()));
  const Outcome none = ergode({"export", model_, "--diagram", "Generatr"});
  QVERIFY2(none.code != 0 && none.out.isEmpty() && none.err.contains("Generator"), qPrintable(shown(none)));
}

void TestCliFiles::the_name_of_a_file_means_its_format_or_is_refused() {
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

void TestCliFiles::files_that_a_model_names_lie_below_its_folder_or_are_allowed() {
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
  const Json made = ergode(QStringList{"run", naming("./delays.csv"), "--json"} + run).json();
  QCOMPARE(made["run"]["data_files"].size(), std::size_t{1});
  QCOMPARE(made["run"]["data_files"]["delays.csv"].get<std::string>().size(), std::size_t{64});
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

void TestCliFiles::new_models_run_and_are_not_overwritten() {
  const QString path = folder_.filePath("fresh.ergode");
  COMPARE_CODE(ergode({"new", path}), 0);
  COMPARE_CODE(ergode({"validate", path}), 0);
  COMPARE_CODE(ergode({"run", path, "--replications", "100", "--no-store", "-q"}), 0);
  const Outcome again = ergode({"new", path});
  QVERIFY2(again.code != 0 && again.err.contains("--force"), qPrintable(shown(again)));
  COMPARE_CODE(ergode({"new", path, "--force"}), 0);

  // Two examples call their traces alike: that the second reads the first one's is said.
  const auto made = [this](const char* from) {
    return ergode({"new", folder_.filePath(QString("of_%1.ergode").arg(from)), "--template", from, "--force"});
  };
  COMPARE_CODE(made("24_a100_month"), 0);
  QVERIFY(made("24_a100_month").err.contains("trace.csv is there already, and the same"));
  const Outcome other = made("30_cluster_policies");
  QVERIFY2(other.code == 0 && other.err.contains("trace.csv is there already and holds something else"),
           qPrintable(shown(other)));
}

void TestCliFiles::nothing_but_output_is_overwritten() {
  const QString place = fresh("overwrite");
  QVERIFY(QDir().mkpath(place));
  const QString model = place + "/plant.ergode", store = place + "/plant.results.sqlite", notes = place + "/notes.csv",
                other = place + "/other.ergode", report = place + "/plant.html";
  QVERIFY(QFile::copy(model_, model) && QFile::copy(other_, other));
  COMPARE_CODE(ergode({"run", model, "--replications", "100", "-q"}), 0);
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
  // A name that promises another format is no HTML.
  for (const QStringList& command : {QStringList{"report", model, "--out", place + "/r.pdf"},
                                     QStringList{"run", model, "--no-store", "--report", place + "/r.pdf"}}) {
    const Outcome refused = ergode(command);
    QVERIFY2(refused.code == 2 && refused.err.contains("RES011") && !QFile::exists(place + "/r.pdf"),
             qPrintable(shown(refused)));
  }
  COMPARE_CODE(ergode({"export", model, "-o", notes, "--force"}), 0);
  for (const char* name : {"a.csv", "a.json", "a.svg", "a.pdf"})
    for (int i = 0; i < 2; ++i) {
      QStringList command = {"export", model, "-o", place + "/" + name};
      if (QString(name).endsWith("svg") || QString(name).endsWith("pdf")) command += {"--plot", "failed_4"};
      COMPARE_CODE(ergode(command), 0);
    }
}

void TestCliFiles::what_a_database_keeps_beside_itself_is_never_written() {
  const QString place = fresh("companions"), model = place + "/plant.ergode", store = place + "/plant.results.sqlite";
  QVERIFY(QFile::copy(model_, model));
  COMPARE_CODE(ergode({"run", model, "--replications", "100", "-q"}), 0);
  QVERIFY(QFile::copy(store, place + "/other.db"));
  QVERIFY(QFile::link(store + "-wal", place + "/innocent.html"));
  for (const char* name : {"plant.results.sqlite-wal", "plant.results.sqlite-shm", "plant.results.sqlite-journal",
                           "other.db-wal", "later.results.sqlite", "later.results.sqlite-wal", "innocent.html"})
    for (const QStringList& command :
         {QStringList{"report", model, "-o"}, QStringList{"export", model, "--format", "csv", "-o"},
          QStringList{"run", model, "--no-store", "--report"}, QStringList{"new"}}) {
      const Outcome refused = ergode(command + QStringList{place + "/" + name, "--force"});
      COMPARE_CODE(refused, 2);
      QVERIFY2(refused.err.contains("FMT009"), qPrintable(shown(refused)));
      QVERIFY2(!QFile::exists(place + "/" + name), name);
    }
  COMPARE_CODE(ergode({"results", model, "latest"}), 0);
}

void TestCliFiles::a_dangling_link_is_written_through() {
  const QString place = fresh("links"), link = place + "/report.html", again = place + "/again.html";
  QVERIFY(QFile::link("later.html", link) && QFile::link(link, again));
  COMPARE_CODE(ergode({"run", model_, "--replications", "100", "-q", "--out", place}), 0);
  const Outcome plain = ergode({"report", model_, "--store", place, "-o", again});
  COMPARE_CODE(plain, 0);
  QVERIFY2(!plain.err.contains("made with"), qPrintable(plain.err));
  // The latest run may be one of other values than the model's, as a point of a sweep is.
  COMPARE_CODE(ergode({"run", model_, "--replications", "100", "-q", "--out", place, "--set", "mission_time=7 h"}), 0);
  const Outcome other = ergode({"report", model_, "--store", place, "-o", place + "/other.html"});
  COMPARE_CODE(other, 0);
  QVERIFY2(other.err.contains("made with mission_time = 7 h"), qPrintable(other.err));
  QVERIFY(QFileInfo(link).isSymLink() && QFileInfo(again).isSymLink());
  QVERIFY(content(place + "/later.html").contains("<html"));
  QVERIFY(QFile::link("nowhere/later.html", place + "/far.html"));
  const Outcome far = ergode({"report", model_, "--store", place, "-o", place + "/far.html"});
  QVERIFY2(far.code == 1 && far.err.contains("RES001") && QFileInfo(place + "/far.html").isSymLink(),
           qPrintable(shown(far)));
  QVERIFY(QFile::link("b.html", place + "/a.html") && QFile::link("a.html", place + "/b.html"));
  const Outcome circle = ergode({"report", model_, "--store", place, "-o", place + "/a.html"});
  QVERIFY2(circle.code == 1 && circle.err.contains("RES001") && QFileInfo(place + "/a.html").isSymLink(),
           qPrintable(shown(circle)));
}

QTEST_GUILESS_MAIN(TestCliFiles)
#include "tst_cli_files.moc"
