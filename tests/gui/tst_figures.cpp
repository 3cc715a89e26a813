#include <QPainter>
#include <QProcess>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QToolButton>
#include <QTreeWidget>

#include "app/gui/plots/live_plot.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/script_test.h"

using namespace ergode;

namespace {

QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray output(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForFinished(60000) || process.exitCode() != 0) return "FAILED " + process.readAllStandardError();
  return process.readAllStandardOutput();
}

QByteArray ergode_command(const QStringList& arguments) {
  return output(QStringLiteral(ERGODE_BIN_DIR "/ergode"), arguments);
}

/// What poppler, which knows nothing of us, says about a file.
void check_pdf(const QString& path, const QStringList& words) {
  const QString info = output("pdfinfo", {path});
  QVERIFY2(info.contains(QRegularExpression("Pages:\\s+1\n")) && !info.contains("Error"), qPrintable(info));
  QVERIFY2(!info.contains("Date"), qPrintable(info));  // the same bytes tomorrow
  QVERIFY2(info.contains("Title:") && info.contains("Ergode"), qPrintable(info));
  const QStringList fonts = QString(output("pdffonts", {path})).split('\n', Qt::SkipEmptyParts).mid(2);
  QVERIFY(!fonts.isEmpty());
  for (const QString& font : fonts)
    QVERIFY2(font.contains(QRegularExpression("CID TrueType\\s+Identity-H\\s+yes yes yes")), qPrintable(font));
  QString text = output("pdftotext", {"-layout", path, "-"});
  for (const QString& word : words) QVERIFY2(text.contains(word), qPrintable(word + "\n" + text));
}

/// Mean difference of grey values between poppler's picture of the PDF and Qt's of the SVG, 0 ... 255.
double difference(const QString& pdf, const QString& svg) {
  const QString stem = pdf + ".page";
  output("pdftoppm", {"-r", "192", "-png", "-singlefile", pdf, stem});
  const QImage a = QImage(stem + ".png").convertToFormat(QImage::Format_Grayscale8);
  QSvgRenderer renderer(svg);
  QImage b(a.size(), QImage::Format_Grayscale8);
  if (a.isNull()) return 255;
  b.fill(Qt::white);
  QPainter painter(&b);
  renderer.render(&painter);
  painter.end();
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) sum += std::abs(a.constScanLine(y)[x] - b.constScanLine(y)[x]);
  return sum / a.width() / a.height();
}

constexpr const char* finished_run = R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "3000"},
  {"set": "field.run.seed", "text": "7"}, {"trigger": "run.start"}, {"wait_run": 60000}, {"expect": {"state": "Done"}}])";

}  // namespace

/// Oracles: poppler and Qt's SVG renderer, each of which reads what it is given and knows nothing of us; the bytes that
/// the command line writes.
class TestFigures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_diagram_is_the_same_picture_as_pdf_and_svg_and_from_the_command_line_data() {
    QTest::addColumn<QString>("path");
    for (const char* name : {"01_edg_common_cause", "02_station_blackout", "07_heated_tank", "09_statechart_tour"})
      QTest::newRow(name) << QString(name) + "/model.ergode";
  }
  void every_diagram_is_the_same_picture_as_pdf_and_svg_and_from_the_command_line() {
    QFETCH(QString, path);
    QTemporaryDir folder;
    const QString model = example(qPrintable(path));
    GuiFixture gui(model);
    for (const Element* diagram : gui.workspace().document().of(Section::diagram)) {
      gui.workspace().show_diagram(diagram->id);
      const QString name = QString::fromStdString(diagram->name()), pdf = folder.filePath(name + ".pdf"),
                    svg = folder.filePath(name + ".SVG");
      QCOMPARE(gui.window.export_diagram(pdf), QString());
      QCOMPARE(gui.window.export_diagram(svg), QString());
      QStringList words;
      for (const Element* node : gui.workspace().document().nodes(diagram->id))
        if (node->kind == "state") words << QString::fromStdString(node->name());
      check_pdf(pdf, words);
      const double apart = difference(pdf, svg);
      QVERIFY2(apart < 2.5, qPrintable(QString("%1: %2").arg(name).arg(apart)));
      for (const QString& file : {pdf, svg}) {
        const QString theirs = folder.filePath("theirs." + QFileInfo(file).suffix());
        ergode_command({"export", model, "--diagram", name, "--out", theirs});
        QVERIFY(!bytes_of(file).isEmpty());
        QVERIFY2(bytes_of(theirs) == bytes_of(file), qPrintable(file));
      }
    }
  }
  void plots_of_a_run_are_the_same_bytes_from_desktop_and_command_line() {
    QTemporaryDir folder;
    const QString model = example_copy("04_repairable_system/model.ergode", folder);
    GuiFixture gui(model);
    QCOMPARE(play(gui, finished_run), QString());
    gui.window.show_dock("plot");
    LivePlot& live = gui.window.plot();
    auto boxes = live.findChildren<QComboBox*>();
    QComboBox *measures = boxes[0], *views = boxes[1];
    if (measures->findData("curve") >= 0) std::swap(measures, views);
    int compared = 0;
    for (int m = 0; m < measures->count(); ++m)
      for (int v = 0; v < views->count(); ++v) {
        measures->setCurrentIndex(m), views->setCurrentIndex(v);
        live.refresh();
        const QString measure = measures->currentData().toString(), kind = views->currentData().toString();
        for (const QString& suffix : {QStringLiteral("pdf"), QStringLiteral("svg")}) {
          const QString ours = folder.filePath("ours." + suffix), theirs = folder.filePath("theirs." + suffix);
          QFile::remove(ours), QFile::remove(theirs);
          const QString why = live.plot().export_to(ours);
          const QByteArray said =
              ergode_command({"export", model, "latest", "--plot", measure, "--kind", kind, "--out", theirs});
          QCOMPARE(QFile::exists(ours), QFile::exists(theirs));
          QVERIFY2(QFile::exists(ours) == why.isEmpty(), qPrintable(why));
          if (!why.isEmpty()) continue;
          QVERIFY2(bytes_of(ours) == bytes_of(theirs), qPrintable(measure + " " + kind + " " + said));
          ++compared;
          if (suffix == "pdf") check_pdf(ours, {"seed 7"});
        }
        if (QFile::exists(folder.filePath("ours.svg")) && QFile::exists(folder.filePath("ours.pdf")))
          QVERIFY(difference(folder.filePath("ours.pdf"), folder.filePath("ours.svg")) < 2.5);
      }
    QVERIFY2(compared >= 4, qPrintable(QString::number(compared)));
  }
  void an_extension_means_its_format_or_is_refused_with_those_there_are() {
    QTemporaryDir folder;
    GuiFixture gui(example("03_repairable_component/model.ergode"));
    for (const char* name : {"d.txt", "d", "d.pdf.bak", "d.jpeg"}) {
      const QString path = folder.filePath(name), why = gui.window.export_diagram(path);
      QVERIFY2(why.contains("svg, pdf or png"), qPrintable(why));
      QVERIFY(!QFile::exists(path));
      QVERIFY(gui.window.plot().plot().export_to(path).contains("svg, pdf, png or csv"));
      QVERIFY(!QFile::exists(path));
    }
    const std::pair<const char*, QByteArray> begins[] = {
        {"d.pdf", "%PDF-1."}, {"d.PDF", "%PDF-1."}, {"d.svg", "<?xml"}, {"d.png", "\x89PNG"}};
    for (const auto& [name, beginning] : begins) {
      QCOMPARE(gui.window.export_diagram(folder.filePath(name)), QString());
      QVERIFY2(bytes_of(folder.filePath(name)).startsWith(beginning), name);
    }
  }
  void a_quick_fix_of_the_problems_panel_is_one_step_that_mends_the_problem() {
    GuiFixture gui(example("01_edg_common_cause/model.ergode"));
    Workspace& workspace = gui.workspace();
    Edit edit(workspace.document(), "count twice");
    const ElementId group = workspace.document().named(Section::node, "CCF A")->id;
    edit.set(group, "model", "beta"), edit.set(group, "beta", "0.1"), edit.set(group, "total", "lambda_ind");
    workspace.push(edit.finish());
    QCOMPARE(play(gui, R"([{"wait_idle": 5000}])"), QString());
    gui.window.show_dock("problems");
    auto* panel = gui.window.findChild<QTreeWidget*>("panel.problems");
    auto* button = panel->findChild<QToolButton*>("button.problem.fix");
    QVERIFY(button != nullptr);
    const auto actions = button->menu()->actions();
    QCOMPARE(actions.size(), 2);
    const std::size_t depth = workspace.history().depth();
    actions[1]->trigger();
    QCOMPARE(workspace.history().depth(), depth + 1);
    QCOMPARE(play(gui, R"([{"wait_idle": 5000}])"), QString());
    for (const Diagnostic& d : workspace.problems()) QVERIFY2(d.code != "CCF026", d.message.c_str());
    QCOMPARE(workspace.find(group)->text("independent"), std::string("chart"));
    workspace.undo();
    QCOMPARE(play(gui, R"([{"wait_idle": 5000}])"), QString());
    QVERIFY(panel->findChild<QToolButton*>("button.problem.fix") != nullptr);
  }

  // The file dialog asks about replacing a file; nobody says yes to losing work.
  void exports_never_replace_a_model_or_a_store() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("04_repairable_system/model.ergode", folder));
    RunRequest request;
    request.solver = "simulation", request.replications = 1000, request.seed = 1;
    QVERIFY(gui.window.desk().start(request));
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 60000);
    gui.window.desk().poll();
    const auto bytes_of = [](const QString& path) {
      QFile file(path);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QString store = folder.filePath("model.results.sqlite"), model = folder.filePath("model.ergode");
    for (const QString& precious : {store, model}) {
      for (const char* name : {"out.svg", "out.csv", "out.html", "out.json"}) {
        const QString path = folder.filePath(QLatin1String(name));
        QVERIFY(QFile::copy(precious, path));
        const QByteArray before = bytes_of(path);
        // A report's name is looked at before the file is: only .html comes as far as what stands there.
        const QString report = gui.window.export_report(path);
        QVERIFY2(report.contains(path.endsWith(".html") ? "FMT009" : "wanted .html"), qPrintable(report));
        QStringList said;
        if (path.endsWith(".svg")) said << gui.window.export_diagram(path) << gui.window.plot().plot().export_to(path);
        if (path.endsWith(".csv")) said << gui.window.plot().plot().export_to(path);
        for (const QString& why : said) QVERIFY2(why.contains("FMT009"), qPrintable(path + ": " + why));
        QCOMPARE(bytes_of(path), before);
        QVERIFY(QFile::remove(path));
      }
    }
    const auto failed = gui.workspace().save(store);
    QVERIFY(failed && failed->code == "FMT009");
    // Another file was asked about.
    const QString other = folder.filePath("other.html");
    QFile file(other);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("<p>mine") > 0);
    file.close();
    QCOMPARE(gui.window.export_report(other), QString());
    QCOMPARE(gui.window.export_report(other), QString());
    QVERIFY(bytes_of(other).contains("complete") && !bytes_of(other).contains("still running"));
    // A name that promises another format is refused, as by the command line.
    const QString pdf = folder.filePath("report.PDF");
    QVERIFY(gui.window.export_report(pdf).contains("wanted .html"));
    QVERIFY(!QFile::exists(pdf));
    // Of a run that is going on the report says so.
    request.replications = 1000000000;
    QVERIFY(gui.window.desk().start(request));
    QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().shows_live() && gui.window.desk().shown() != nullptr, 60000);
    QCOMPARE(gui.window.export_report(other), QString());
    gui.window.desk().stop_and_keep();
    QVERIFY(bytes_of(other).contains("Partial results") && bytes_of(other).contains("still running"));
  }
};

ERGODE_GUI_TEST(TestFigures)
#include "tst_figures.moc"
