#include <QMessageBox>
#include <QScreen>
#include <QTableWidget>

#include "app/gui/look/look.h"
#include "app/gui/sweep_dialog.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

namespace {

SweepDialog* opened(GuiFixture& gui) {
  gui.window.findChild<QAction*>("action.run.sweep")->trigger();
  return gui.window.findChild<SweepDialog*>("dialog.sweep");
}
void fill(SweepDialog& dialog, const char* parameter, const char* from, const char* to, const char* count) {
  auto* list = dialog.findChild<QComboBox*>("field.sweep.parameter");
  list->setCurrentIndex(list->findText(parameter));
  dialog.findChild<QLineEdit*>("field.sweep.from")->setText(from);
  dialog.findChild<QLineEdit*>("field.sweep.to")->setText(to);
  dialog.findChild<QLineEdit*>("field.sweep.count")->setText(count);
}
/// Of so many points that it does not end by itself.
SweepDialog* begun(GuiFixture& gui) {
  SweepDialog* dialog = opened(gui);
  fill(*dialog, "lambda", "0.1 /s", "0.9", "1000");
  dialog->start();
  return dialog;
}
void choose_measure(SweepDialog& dialog, const char* name) {
  auto* list = dialog.findChild<QComboBox*>("field.sweep.measure");
  list->setCurrentIndex(list->findData(name));
}

}  // namespace

/// "Vary a parameter": oracles are the closed form of M/M/1 and what the picture shows.
class TestSweepDialog : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // All that a choice may be, or some of it; the ends are for numbers.
  void a_choice_is_varied_over_its_words() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("23_rent_gpus/model.ergode", folder));
    SweepDialog* dialog = opened(gui);
    QVERIFY(dialog != nullptr);
    auto* list = dialog->findChild<QComboBox*>("field.sweep.parameter");
    // The model's own first, its choices among them, then those of elements; each once.
    const auto parameters = gui.workspace().document().of(Section::parameter);
    QStringList names;
    for (int i = 0; i < list->count(); ++i)
      if (!list->itemText(i).isEmpty()) names << list->itemText(i);
    QCOMPARE(names.removeDuplicates(), 0);
    for (int i = 0; i < names.size(); ++i) QCOMPARE(names[i].contains('.'), i >= static_cast<int>(parameters.size()));
    QVERIFY(names.contains("small.gpus"));
    list->setCurrentIndex(list->findText("policy"));
    auto* from = dialog->findChild<QLineEdit*>("field.sweep.from");
    QCOMPARE(from->text(), QString("optimal, equal_width, one_gpu, equi, hesrpt, greedy"));
    QVERIFY(!dialog->findChild<QLineEdit*>("field.sweep.to")->isEnabled());
    from->setText("one_gpu, optimal");
    choose_measure(*dialog, "mean_response_time");
    QTest::mouseClick(dialog->findChild<QPushButton*>("action.sweep.run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 120000);
    auto* table = dialog->findChild<QTableWidget*>("table.sweep");
    QCOMPARE(table->rowCount(), 2);
    QCOMPARE(table->item(0, 0)->text(), QString("one_gpu"));
    QVERIFY(std::fabs(table->item(0, 1)->text().toDouble() - 3.142857) < 0.05);
    QVERIFY(std::fabs(table->item(1, 1)->text().toDouble() - 1.374608) < 0.05);
    // A dot at each word with its interval upright, and a ring where the exact value is known.
    PlotView& plot = dialog->plot();
    QCOMPARE(plot.xAxis->label(), QString("policy"));
    QVERIFY(plot.graphCount() >= 3);
    int dots = 0;
    for (int i = 0; i < plot.graphCount(); ++i) dots += plot.graph(i)->lineStyle() == QCPGraph::lsNone;
    QCOMPARE(dots, 2);
    QVERIFY(plot.xAxis->range().lower < 0 && plot.xAxis->range().upper > 1);
    plot.replot();
    QVERIFY(plot.xAxis->tickVectorLabels().contains("one_gpu") && plot.xAxis->tickVectorLabels().contains("optimal"));
    const QString svg = folder.filePath("words.svg");
    QCOMPARE(dialog->export_to(svg), QString());
    QFile drawn(svg);
    QVERIFY(drawn.open(QFile::ReadOnly));
    const QByteArray text = drawn.readAll();
    QVERIFY(text.contains(">one_gpu<") && text.contains(">optimal<") && text.contains("95 % interval"));
    const QString picture = qEnvironmentVariable("ERGODE_TEST_PICTURES");
    dialog->grab().save((picture.isEmpty() ? folder.path() : picture) + "/sweep_words.png");
    list->setCurrentIndex(list->findText("b"));
    QVERIFY(dialog->findChild<QLineEdit*>("field.sweep.to")->isEnabled());
  }

  // The screen of the test platform is 800 by 800, less than the dialog would like to be wide.
  void its_buttons_are_on_the_screen() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    SweepDialog* dialog = opened(gui);
    QVERIFY(dialog != nullptr);
    const QSize room = dialog->screen()->availableSize();
    QVERIFY2(dialog->width() <= room.width() && dialog->height() < room.height(),
             qPrintable(QString("%1 by %2").arg(dialog->width()).arg(dialog->height())));
    QVERIFY(dialog->minimumSizeHint().height() <= 720 - 48);
    // Any window, on any screen.
    QWidget greedy;
    resize_on_screen(greedy, {5000, 5000});
    QVERIFY(greedy.width() < room.width() && greedy.height() < room.height());
    resize_on_screen(greedy, {300, 200});
    QCOMPARE(greedy.size(), QSize(300, 200));
  }

  // A queue to which more comes than it can serve is warned of, once, with the first value at which it is so; a new
  // sweep begins without.
  void what_points_warn_of_is_told() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    SweepDialog* dialog = opened(gui);
    QVERIFY(dialog != nullptr);
    auto* list = dialog->findChild<QListWidget*>("list.sweep.warnings");
    QVERIFY(list != nullptr && !list->isVisible());
    fill(*dialog, "lambda", "0.5 /s", "1.5", "3");
    QTest::mouseClick(dialog->findChild<QPushButton*>("action.sweep.run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 120000);
    SweepWarnings wanted;
    for (std::size_t i = 0; i < dialog->sweep().points.size(); ++i) wanted.hear(i, dialog->sweep().points[i].said);
    QVERIFY(!wanted.all().empty() && list->isVisible());
    QCOMPARE(list->count(), static_cast<int>(wanted.all().size()));
    for (int i = 0; i < list->count(); ++i) {
      const SweepWarning& one = wanted.all()[static_cast<std::size_t>(i)];
      const QString text = list->item(i)->text(),
                    value = QString::number(0.5 + 0.5 * static_cast<double>(one.points[0]));
      QVERIFY2(text.startsWith("lambda = " + value + " /s"), qPrintable(text));
      QVERIFY2(text.contains(QString::fromStdString(one.what.code + ": " + one.what.message)), qPrintable(text));
    }
    fill(*dialog, "lambda", "0.5 /s", "0.5", "1");
    QTest::mouseClick(dialog->findChild<QPushButton*>("action.sweep.run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 120000);
    SweepWarnings sound;
    sound.hear(0, dialog->sweep().points[0].said);
    QCOMPARE(list->count(), static_cast<int>(sound.all().size()));
  }

  void a_sweep_is_drawn_kept_and_exported() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    SweepDialog* dialog = opened(gui);
    QVERIFY(dialog != nullptr && dialog->isVisible());
    // Around what the parameter is.
    QCOMPARE(dialog->findChild<QLineEdit*>("field.sweep.from")->text(), QString("0.45 /s"));
    QCOMPARE(dialog->findChild<QLineEdit*>("field.sweep.to")->text(), QString("0.99 /s"));  // served are 1 /s
    fill(*dialog, "lambda", "0.1 /s", "0.9", "9");
    choose_measure(*dialog, "queue_length");
    QTest::mouseClick(dialog->findChild<QPushButton*>("action.sweep.run"), Qt::LeftButton);
    QVERIFY(dialog->active());
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 120000);
    const Sweep& sweep = dialog->sweep();
    QCOMPARE(sweep.points.size(), std::size_t{9});
    auto* table = dialog->findChild<QTableWidget*>("table.sweep");
    QCOMPARE(table->rowCount(), 9);
    for (std::size_t i = 0; i < 9; ++i) {
      const SweepPoint& point = sweep.points[i];
      QVERIFY2(point.problem.empty() && point.results != nullptr, point.problem.c_str());
      const MeasureResult& m = *point.results->measure("queue_length");
      // Eight standard errors: about half the width of a 95 % interval each 1.96.
      const double lambda = 0.1 * static_cast<double>(i + 1), exact = lambda / (1.0 - lambda);
      QVERIFY(std::fabs(m.estimate - exact) < 8.0 * m.standard_error);
      QVERIFY(std::fabs(table->item(static_cast<int>(i), 4)->text().toDouble() - exact) < 1e-4 * exact);
    }
    // Kept with the runs of the model.
    QCOMPARE(gui.window.desk().records().rows().size(), std::size_t{9});
    for (const char* name : {"sweep.svg", "sweep.pdf", "sweep.png", "sweep.csv"}) {
      const QString path = folder.filePath(name);
      QCOMPARE(dialog->export_to(path), QString());
      QVERIFY(QFileInfo(path).size() > 500);
    }
    // The plot is drawn anew when there is nothing else to do.
    QTRY_VERIFY(dialog->plot().xAxis->range().upper >= 0.9);
    QTest::qWait(200);
    const QString picture = qEnvironmentVariable("ERGODE_TEST_PICTURES");
    dialog->grab().save((picture.isEmpty() ? folder.path() : picture) + "/sweep_dialog.png");
    // The band of the curve: more than one colour of ink right of the middle, where intervals are wide.
    const QImage drawn = dialog->plot().grab().toImage();
    QSet<QRgb> colours;
    for (int y = 0; y < drawn.height(); ++y) colours.insert(drawn.pixel(drawn.width() * 7 / 8, y));
    QVERIFY(colours.size() > 2);
  }

  // What grows without end has a number too: its row says what was warned of, under a heading of its own.
  void rows_name_warnings_under_their_heading() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    SweepDialog* dialog = opened(gui);
    fill(*dialog, "lambda", "0.5 /s", "1.2", "2");
    choose_measure(*dialog, "queue_length");
    QTest::mouseClick(dialog->findChild<QPushButton*>("action.sweep.run"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 120000);
    auto* table = dialog->findChild<QTableWidget*>("table.sweep");
    QStringList headings;
    for (int c = 0; c < table->columnCount(); ++c) headings << table->horizontalHeaderItem(c)->text();
    const auto warnings = static_cast<int>(headings.indexOf("warnings"));
    QVERIFY2(warnings > 0 && headings.count("value") == 1, qPrintable(headings.join("; ")));
    QVERIFY(!table->item(0, warnings)->text().contains("QN010") && table->item(1, warnings)->text().contains("QN010"));
    if (const QString pictures = qEnvironmentVariable("ERGODE_TEST_PICTURES"); !pictures.isEmpty())
      dialog->grab().save(pictures + "/sweep_warnings.png");
  }

  void choices_are_compared_in_pairs_and_the_run_shows_it() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    SweepDialog* dialog = opened(gui);
    fill(*dialog, "lambda", "0.5 /s", "0.6", "2");
    auto* pairs = dialog->findChild<QSpinBox*>("field.sweep.pairs");
    QVERIFY(!pairs->isEnabled());
    dialog->findChild<QCheckBox*>("field.sweep.compare")->click();
    QVERIFY(pairs->isEnabled());
    pairs->setValue(3);
    dialog->start();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 120000);
    // What the command line would say: the same code, model and seeds.
    const PairedComparison& made = dialog->comparison();
    QCOMPARE(made.pairs, std::size_t{3});
    auto* table = dialog->findChild<QTableWidget*>("table.sweep");
    QCOMPARE(table->rowCount(), static_cast<int>(made.rows.size()));
    QCOMPARE(table->item(1, 4)->text(), QString::fromStdString(cell_text(made.rows[1].difference)));
    QCOMPARE(gui.window.desk().records().rows().size(), std::size_t{1});
    const auto kept = gui.window.desk().records().results(0);
    QVERIFY(kept != nullptr && kept->tables.front().name == "comparison");
    QVERIFY(gui.window.findChild<QTableWidget*>("table.results.comparison") != nullptr);
    QVERIFY(gui.window.findChild<QWidget*>("chart.results.comparison") != nullptr);
    QVERIFY(!dialog->plot().isVisible());
    QTRY_VERIFY(dialog->findChild<QWidget*>("chart.sweep.comparison")->visibleRegion().boundingRect().height() > 200);
    QCOMPARE(dialog->export_to(folder.filePath("pairs.csv")), QString());
    const QString picture = qEnvironmentVariable("ERGODE_TEST_PICTURES");
    dialog->grab().save((picture.isEmpty() ? folder.path() : picture) + "/sweep_pairs.png");
    gui.window.grab().save((picture.isEmpty() ? folder.path() : picture) + "/sweep_pairs_window.png");
  }

  void a_bad_point_has_a_row_that_says_why() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    SweepDialog* dialog = opened(gui);
    // A service rate below zero is none.
    fill(*dialog, "mu", "-1 /s", "2 /s", "2");
    dialog->start();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 120000);
    auto* table = dialog->findChild<QTableWidget*>("table.sweep");
    QVERIFY(table->item(0, table->columnCount() - 1)->text().contains("mu"));
    QVERIFY(table->item(1, table->columnCount() - 1)->text().isEmpty());
    QVERIFY(dialog->findChild<QLabel*>("label.sweep.progress")->text().contains("1 with a problem"));
  }

  void what_is_no_axis_is_said() {
    GuiFixture gui(example(queue));
    SweepDialog* dialog = opened(gui);
    fill(*dialog, "lambda", "fast", "0.9", "9");
    dialog->start();
    QVERIFY(!dialog->active());
    auto* said = dialog->findChild<QLabel*>("label.sweep.problem");
    QVERIFY(said->isVisible() && said->text().contains("fast"));
  }

  void a_point_that_takes_long_says_how_far_it_is() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    SweepDialog* dialog = opened(gui);
    // Nobody sees the end of the first replication.
    fill(*dialog, "mission_time", "1e12 s", "2e12 s", "2");
    dialog->start();
    auto* said = dialog->findChild<QLabel*>("label.sweep.progress");
    QTRY_VERIFY_WITH_TIMEOUT(said->text().startsWith("0 of 2 points; first replication of the next at 0 %"), 20000);
    dialog->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->active(), 20000);
  }

  void the_program_asks_before_it_ends_a_sweep() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    QPointer<SweepDialog> dialog = begun(gui);
    QString asked;
    QTimer::singleShot(50, qApp, [&asked] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      asked = box->objectName();
      box->button(QMessageBox::Cancel)->click();
    });
    QVERIFY(!gui.window.close());
    QCOMPARE(asked, QString("dialog.quit.sweep"));
    QVERIFY(dialog != nullptr && dialog->active());
    dialog->close();
    QTRY_VERIFY_WITH_TIMEOUT(dialog.isNull(), 10000);
  }

  void closing_stops_it() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    QPointer<SweepDialog> dialog = begun(gui);
    QVERIFY(dialog->active());
    dialog->close();
    QTRY_VERIFY_WITH_TIMEOUT(dialog.isNull(), 10000);
  }
};

ERGODE_GUI_TEST(TestSweepDialog)
#include "tst_sweep_dialog.moc"
