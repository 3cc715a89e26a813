#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTableWidget>

#include "app/gui/panels/run_caption.h"
#include "app/gui/panels/tables.h"
#include "app/gui/plots/live_plot.h"
#include "app/gui/run_bar.h"
#include "tests/gui/run_test.h"

using namespace ergode;

namespace {

void run_scenario(MainWindow& window, const char* scenario, quint64 seed) {
  RunRequest request;
  request.solver = "simulation";
  request.scenario = scenario;
  request.replications = 2000;
  request.seed = seed;
  QVERIFY(window.desk().start(request));
  QTRY_VERIFY_WITH_TIMEOUT(!window.desk().run().active(), 60000);
  window.desk().poll();
}

int column(const QTableWidget& table, const QString& heading) {
  for (int c = 0; c < table.columnCount(); ++c)
    if (table.horizontalHeaderItem(c)->text() == heading) return c;
  return -1;
}

QString plot_caption(const MainWindow& window) {
  return window.findChild<QLabel*>("label.plot.caption")->text().remove("<b>").remove("</b>");
}

/// The row of the table that shows a measure; -1: none.
int row_of(const QTableWidget& table, const std::string& id) {
  for (int row = 0; row < table.rowCount(); ++row)
    if (table.item(row, 0)->toolTip().endsWith(QString::fromStdString("(" + id + ")"))) return row;
  return -1;
}

/// A unit that fails at 1 a thousand hours in a mission of 200 h, and when it did.
QString rare_unit(const QTemporaryDir& folder) {
  const QString path = folder.filePath("unit.ergode");
  QFile file(path);
  if (!file.open(QFile::WriteOnly)) return {};
  file.write(R"json({"format": "ergode-model", "schema": 1,
    "model": {"id": "0000000000000001", "name": "Unit", "horizon": "mission"},
    "parameters": [{"id": "000000000000000c", "name": "mission", "value": "200 h"}],
    "diagrams": [
      {"id": "0000000000000002", "name": "Unit", "notation": "statechart", "nodes": [
        {"id": "0000000000000003", "kind": "initial"}, {"id": "0000000000000004", "kind": "state", "name": "Up"},
        {"id": "0000000000000005", "kind": "state", "name": "Down"}], "edges": [
        {"id": "0000000000000006", "kind": "transition", "source": "0000000000000003", "target": "0000000000000004"},
        {"id": "0000000000000007", "kind": "transition", "source": "0000000000000004", "target": "0000000000000005",
         "trigger": "rate(1e-3 /h)"}]},
      {"id": "0000000000000008", "name": "System", "notation": "system", "nodes": [
        {"id": "0000000000000009", "kind": "component", "name": "unit", "chart": "Unit"}], "edges": []}],
    "measures": [
      {"id": "000000000000000a", "name": "failed", "type": "probability_by", "expression": "in(unit.Down)"},
      {"id": "000000000000000b", "name": "when_failed", "type": "time_to", "expression": "in(unit.Down)"},
      {"id": "000000000000000d", "name": "falls", "type": "count", "expression": "in(unit.Down)"}],
    "scenarios": [], "studies": [], "exclusions": [], "layout": {}})json");
  return path;
}

}  // namespace

/// What a run says in the panels: which run, which number, over what.
class TestResults : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_reopened_run_names_its_scenario() {
    QTemporaryDir folder;
    const QString path = example_copy(blackout, folder);
    {
      GuiFixture gui(path);
      run_scenario(gui.window, "", 1);
      QVERIFY2(plot_caption(gui.window).startsWith("Base, n = 2000, seed 1"), qPrintable(plot_caption(gui.window)));
      run_scenario(gui.window, "two_required", 1);
    }
    GuiFixture again(path);
    again.window.settle(QSize(1280, 720));
    again.window.show_dock("results");
    QTest::qWait(100);
    QCOMPARE(again.window.run_bar().request().scenario, std::string());  // what the next run would be
    QVERIFY2(plot_caption(again.window).startsWith("two_required, n = 2000, seed 1"),
             qPrintable(plot_caption(again.window)));
    auto* runs = again.window.findChild<QTableWidget*>("table.runs");
    const int scenario = column(*runs, "Scenario");
    QCOMPARE(runs->item(0, scenario)->text(), QString("two_required"));
    QCOMPARE(runs->item(1, scenario)->text(), QString("Base"));
    const int end = runs->columnViewportPosition(scenario) + runs->columnWidth(scenario);
    QVERIFY2(end <= runs->viewport()->width(), qPrintable(QString::number(end)));
    QVERIFY(runs->columnWidth(scenario) >= runs->fontMetrics().horizontalAdvance("two_required"));
    runs->setCurrentCell(1, 0);
    QVERIFY2(plot_caption(again.window).startsWith("Base, "), qPrintable(plot_caption(again.window)));
  }

  // A replication that nobody will see the end of: how far it is stands below from its beginning.
  void how_far_the_first_replication_is_stands_in_the_status_line() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("10_mm1_queue/model.ergode", folder));
    RunRequest request;
    request.solver = "simulation", request.replications = 1;
    request.overrides["mission_time"] = "1e12 s";
    QVERIFY(gui.window.desk().start(request));
    auto* text = gui.window.findChild<QLabel*>("status.progress");
    QTRY_VERIFY_WITH_TIMEOUT(text->text().startsWith("first replication at 0 %  ETA "), 20000);
    gui.window.desk().stop_and_keep();
    QTRY_VERIFY_WITH_TIMEOUT(!text->text().contains("first"), 20000);
  }

  // Runs that differ by what was set alone are told apart; the first is what the command line would have made.
  void a_run_is_called_by_what_was_set() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    for (const bool set : {false, true}) {
      RunRequest request;
      request.solver = "simulation", request.replications = 100;
      if (set) request.overrides["mission"] = "100 h";
      QVERIFY(gui.window.desk().start(request));
      QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 60000);
      gui.window.desk().poll();
    }
    auto* runs = gui.window.findChild<QTableWidget*>("table.runs");
    const int scenario = column(*runs, "Scenario");
    QCOMPARE(runs->item(0, scenario)->text(), QString("mission = 100 h"));
    QCOMPARE(runs->item(1, scenario)->text(), QString("Base"));
    QVERIFY2(plot_caption(gui.window).startsWith("mission = 100 h, n = 100"), qPrintable(plot_caption(gui.window)));
    gui.window.desk().records().reload();
    QCOMPARE(gui.window.desk().records().rows().front().name, QString("mission = 100 h"));
  }

  // A value and no interval: the dot stands where the value is, and the axes are made for it.
  void one_replication_is_a_dot_without_a_band() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    run_to_the_end(gui.window, 1, 3);
    gui.window.show_dock("plot");
    auto* live = gui.window.findChild<LivePlot*>();
    auto* measures = live->findChild<QComboBox*>("field.plot.measure");
    measures->setCurrentIndex(measures->findData("falls"));
    QVERIFY(measures->currentIndex() >= 0);
    live->refresh();
    const PlotView& plot = live->plot();
    const QCPGraph* dot = plot.graph(0);
    QCOMPARE(dot->dataCount(), 1);
    QVERIFY(!dot->scatterStyle().isNone() && !dot->name().contains("band"));
    const double value = dot->dataMainValue(0);
    QVERIFY(plot.yAxis->range().contains(value) && plot.xAxis->range().contains(1.0));
    QVERIFY(plot.yAxis->range().size() < 2.0);
    QVERIFY2(plot_caption(gui.window).contains("no interval from one replication"),
             qPrintable(plot_caption(gui.window)));
    // Nor is an exact value inside or outside of none.
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    QCOMPARE(table->item(row_of(*table, "falls"), column(*table, "Inside"))->text(), QString());
  }

  void names_and_dates_are_no_numbers() {
    const std::unique_ptr<QTableWidget> table(plain_table("table.tried"));
    const QStringList numbers = {"7.2 s", "0", "-1.2e-05 /yr", "330000", "40.4 USD/h", "+3 %", "2.5×10⁻⁴"};
    const QStringList words = {
        "95 % of the orders are done", "11-26 03:48", "2 of 3", "[1, 2]", "4 clerks and more", ""};
    set_headings(table.get(), QStringList(numbers.size() + words.size(), "x"));
    table->setRowCount(1);
    set_cells(table.get(), 0, numbers + words);
    for (int c = 0; c < table->columnCount(); ++c)
      QVERIFY2(!(table->item(0, c)->textAlignment() & Qt::AlignRight) == (c >= numbers.size()),
               qPrintable(table->item(0, c)->text()));
  }

  void a_run_of_a_model_without_measures_says_what_to_do() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("10_mm1_queue/model.ergode", folder));
    Edit edit(gui.workspace().document(), "Ask nothing");
    for (const Element* measure : gui.workspace().document().of(Section::measure)) edit.remove(measure->id);
    gui.workspace().push(edit.finish());
    run_to_the_end(gui.window, 2, 1);
    const auto* caption = gui.window.findChild<RunCaption*>("label.results.caption");
    QVERIFY2(
        caption->text().contains("Nothing was asked of this run") && caption->text().contains("Measure every element"),
        qPrintable(caption->text()));
  }

  void where_there_is_no_number_the_reason_stands_beside() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    run_to_the_end(gui.window, 1, 3);
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    const int row = row_of(*table, "when_failed");
    QCOMPARE(table->item(row, column(*table, "Estimate"))->text(), QStringLiteral("–"));
    QVERIFY(table->item(row, column(*table, "95 % interval"))->text().startsWith("the event never occurred"));
  }

  // What stands among the numbers in words takes no room from the names.
  void a_note_does_not_cut_the_names() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("16_fork_join/model.ergode", folder));
    gui.window.settle(QSize(1280, 720));
    run_to_the_end(gui.window, 2, 1);
    gui.window.show_dock("results");
    QTest::qWait(100);
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    const int interval = column(*table, "95 % interval");
    bool noted = false;
    for (int row = 0; row < table->rowCount(); ++row)
      noted = noted || table->item(row, interval)->text().contains('\n');
    QVERIFY(noted);
    QVERIFY2(table->columnWidth(interval) <= 200, qPrintable(QString::number(table->columnWidth(interval))));
    QVERIFY2(table->columnWidth(0) >= 180, qPrintable(QString::number(table->columnWidth(0))));
  }

  void the_level_of_the_intervals_stands_in_their_heading() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    RunRequest request;
    request.solver = "simulation", request.replications = 200, request.confidence = 0.9;
    QVERIFY(gui.window.desk().start(request));
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 60000);
    gui.window.desk().poll();
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    const int interval = column(*table, "90 % interval");
    QVERIFY(interval > 0);
    QVERIFY(table->horizontalHeaderItem(interval)->toolTip().contains("90 %"));
    QVERIFY(table->item(row_of(*table, "failed"), interval)->toolTip().endsWith("90 % confidence interval"));
    QVERIFY(gui.window.findChild<QTabWidget*>("pages.results")->tabToolTip(1).contains("90 % intervals"));
  }

  // What an exact run says stands under its estimates; there is no second column of it, and nothing to be inside of.
  void columns_of_nothing_are_not_shown() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("12_mmc_queue/model.ergode", folder));
    RunRequest request;
    request.solver = "mva";
    QVERIFY(gui.window.desk().start(request));
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 60000);
    gui.window.desk().poll();
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    QVERIFY(table->rowCount() > 0);
    for (int c = 1; c < table->columnCount() - 1; ++c) {
      bool anything = false;
      for (int row = 0; row < table->rowCount(); ++row) anything = anything || !table->item(row, c)->text().isEmpty();
      QVERIFY2(table->isColumnHidden(c) == !anything, qPrintable(table->horizontalHeaderItem(c)->text()));
    }
  }

  // Of a measure of the long run the limit is the exact value, which stands once.
  void names_are_told_apart_beside_companions() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("13_mg1_heavy_tail/model.ergode", folder));
    gui.window.settle(QSize(1280, 720));
    run_to_the_end(gui.window, 2, 1);
    gui.window.show_dock("results");
    QTest::qWait(100);
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    QVERIFY(table->isColumnHidden(column(*table, "Long run")) && !table->isColumnHidden(column(*table, "Exact")));
    QVERIFY2(table->columnWidth(0) >= 150, qPrintable(QString::number(table->columnWidth(0))));
  }

  void what_is_said_below_takes_two_lines_and_the_rest_is_a_click_away() {
    QWidget window;
    RunCaption caption(&window);
    window.show();  // what is not shown hears of its size later
    caption.resize(400, 60);
    caption.show_sentences({"first"}, {});
    QVERIFY(caption.text() == "first" && caption.toolTip().isEmpty());
    QStringList many;
    for (int i = 0; i < 9; ++i) many << QString("Sentence %1 of some that are said of one run").arg(i);
    caption.show_sentences(many, {"a detail"});
    const int line = caption.fontMetrics().lineSpacing();
    QVERIFY(caption.heightForWidth(400) <= 2 * line + 12);
    QVERIFY(caption.text().contains("Sentence 0") && !caption.text().contains("Sentence 8"));
    QVERIFY(caption.text().contains(">more</a>"));
    QVERIFY(caption.toolTip().contains("Sentence 8") && caption.toolTip().contains("a detail"));
    caption.resize(3000, 60);
    QVERIFY(caption.text().contains("Sentence 4"));
  }

  void titles_of_axes_are_whole_in_a_small_window() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("10_mm1_queue/model.ergode", folder));
    gui.window.settle(QSize(1280, 720));
    gui.window.show_dock("plot");
    run_to_the_end(gui.window, 2, 1);
    auto* live = gui.window.findChild<LivePlot*>();
    auto* measures = live->findChild<QComboBox*>("field.plot.measure");
    for (int i = 0; i < measures->count(); ++i) {
      measures->setCurrentIndex(i);
      live->refresh();
      live->plot().replot();
      const QString shown = live->plot().yAxis->label() + live->plot().header();
      QVERIFY2(!shown.contains(QChar(0x2026)), qPrintable(shown));
    }
  }

  void estimate_interval_and_exact_value_are_seen_in_a_small_window() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    QVERIFY(gui.opened);
    gui.window.settle(QSize(1280, 720));
    run_to_the_end(gui.window, 2000);
    gui.window.show_dock("results");
    QTest::qWait(100);
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    const QAbstractItemView* contents = table;
    for (const char* heading : {"Estimate", "95 % interval", "Exact"}) {
      const int c = column(*table, heading);
      QVERIFY2(!table->isColumnHidden(c), heading);
      QVERIFY2(table->columnWidth(c) >= contents->sizeHintForColumn(c), heading);
      QVERIFY2(table->columnViewportPosition(c) + table->columnWidth(c) <= table->viewport()->width(), heading);
    }
    // Nothing is divided here: no column for it.
    QVERIFY(table->isColumnHidden(table->columnCount() - 1));
  }

  // Oracle: the number of failures stands in the other measure, which counts every history.
  void a_time_that_some_histories_do_not_see_says_in_how_many_it_was_seen() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    run_to_the_end(gui.window, 2000);
    const auto results = gui.window.desk().shown();
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    const double share = results->measure("failed")->estimate;
    QVERIFY(share > 0.1 && share < 0.3);  // 1 - exp(-0.2) = 0.18
    const int row = row_of(*table, "when_failed");
    const QString text = table->item(row, column(*table, "95 % interval"))->text();
    const auto said = QRegularExpression(R"(\]\nin ([0-9.]+) % of the histories$)").match(text);
    QVERIFY2(said.hasMatch(), qPrintable(text));
    QVERIFY(std::abs(said.captured(1).toDouble() - 100 * share) < 0.06);
    QVERIFY(!table->item(row_of(*table, "failed"), 2)->text().contains("histories"));
    // Exact values carry the unit as well.
    QVERIFY(table->item(row, column(*table, "Exact"))->text().endsWith(" h"));
    auto* measure = gui.window.findChild<QComboBox*>("field.plot.measure");
    measure->setCurrentIndex(measure->findData("when_failed"));
    gui.window.show_dock("plot");
    gui.window.plot().refresh();
    gui.window.plot().plot().replot();
    const auto* title = qobject_cast<QCPTextElement*>(gui.window.plot().plot().plotLayout()->element(0, 0));
    QVERIFY2(title->text().contains(said.captured(1) + " % of the histories"), qPrintable(title->text()));
  }

  void the_parts_of_a_split_add_up_to_the_value() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("01_edg_common_cause/model.ergode", folder));
    run_to_the_end(gui.window, 2000);
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    const int bars = table->columnCount() - 1;
    QVERIFY(!table->isColumnHidden(bars));
    int split = 0;
    for (int row = 0; row < table->rowCount(); ++row) {
      const QString tip = table->item(row, bars)->toolTip();
      if (tip.isEmpty()) continue;
      double sum = 0.0;
      for (const QString& line : tip.split('\n')) {
        const auto percent = QRegularExpression(R"(: ([0-9.]+) %$)").match(line);
        QVERIFY2(percent.hasMatch(), qPrintable(line));
        sum += percent.captured(1).toDouble();
      }
      QVERIFY2(std::abs(sum - 100.0) < 0.05 * static_cast<double>(tip.count('\n') + 1) + 1e-9, qPrintable(tip));
      ++split;
    }
    QVERIFY(split > 0);
  }

  void quantiles_stand_beside_the_measures() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    run_to_the_end(gui.window, 4000);
    auto* pages = gui.window.findChild<QTabWidget*>("pages.results");
    auto* table = gui.window.findChild<QTableWidget*>("table.results.quantiles");
    QVERIFY(table != nullptr && pages->indexOf(table) == 1);
    QCOMPARE(table->rowCount(), 1);
    // Of the exponential time to failure, given that it is below 200 h: t = -ln(1 - p (1 - exp(-0.2))) / 1e-3 h.
    for (const auto& [heading, p] : {std::pair{"25 %", 0.25}, {"50 %", 0.5}, {"75 %", 0.75}}) {
      const QString text = table->item(0, column(*table, heading))->text();
      const auto said = QRegularExpression(R"(^([0-9.]+) \[([0-9.]+), ([0-9.]+)\]$)").match(text);
      QVERIFY2(said.hasMatch(), qPrintable(text));
      const double exact = -std::log(1 - p * (1 - std::exp(-0.2))) / 1e-3;
      QVERIFY2(std::abs(said.captured(1).toDouble() - exact) < 15, qPrintable(text));
    }
  }

  // Where there is too little room the table is scrolled.
  void numbers_in_tables_are_whole_in_a_small_window() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("26_spot_or_on_demand/model.ergode", folder));
    gui.window.settle(QSize(1280, 720));
    gui.window.show_dock("results");
    run_to_the_end(gui.window, 2);
    auto* pages = gui.window.findChild<QTabWidget*>("pages.results");
    QStringList seen;
    for (int at = 1; at < pages->count(); ++at) {
      auto* table = qobject_cast<QTableWidget*>(pages->widget(at));
      if (table == nullptr) continue;
      pages->setCurrentIndex(at);
      QCoreApplication::processEvents();
      seen << table->objectName();
      const QAbstractItemView* contents = table;
      for (int column = 0; column < table->columnCount(); ++column)
        QVERIFY2(table->columnWidth(column) >= contents->sizeHintForColumn(column),
                 qPrintable(table->objectName() + ' ' + table->horizontalHeaderItem(column)->text()));
    }
    QVERIFY2(seen.contains("table.results.bill") && seen.contains("table.results.jobs"), qPrintable(seen.join(' ')));
  }

  // A closed form has values and no curve: whoever waits for them looks at the table.
  void a_run_without_a_curve_ends_on_its_results() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("26_spot_or_on_demand/model.ergode", folder));
    const auto in_sight = [&](const char* panel) {
      return !gui.window.findChild<QWidget*>(panel)->visibleRegion().isEmpty();
    };
    auto* solvers = gui.window.findChild<QComboBox*>("field.run.solver");
    solvers->setCurrentIndex(solvers->findData(QStringLiteral("rental-budget")));
    Q_EMIT solvers->activated(solvers->currentIndex());
    gui.window.actions_table()["run.start"]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().shown() != nullptr && !gui.window.desk().run().active(), 60000);
    QTRY_VERIFY(in_sight("panel.results"));
    QVERIFY(!in_sight("panel.plot"));
  }

  void nothing_of_an_earlier_model_stays_in_the_plot() {
    QTemporaryDir folder;
    GuiFixture gui(rare_unit(folder));
    gui.window.show_dock("plot");
    run_to_the_end(gui.window, 2000);
    auto* measure = gui.window.findChild<QComboBox*>("field.plot.measure");
    PlotView& plot = gui.window.plot().plot();
    QCOMPARE(measure->count(), 3);
    QVERIFY(plot.xAxis->visible());
    // Of a view that a measure has not another is shown, until one has it again.
    auto* view = gui.window.findChild<QComboBox*>("field.plot.view");
    const int curve = view->findData("curve");
    measure->setCurrentIndex(measure->findData("when_failed")), view->setCurrentIndex(curve);
    Q_EMIT view->activated(curve);
    QVERIFY(view->currentIndex() != curve && plot.xAxis->visible() && plot.graphCount() > 0);
    QCOMPARE(plot_caption(gui.window).indexOf("no such plot"), -1);
    const auto has_curve = [&](const QString& id) {
      const auto shown = gui.window.desk().shown();
      return std::any_of(shown->series.begin(), shown->series.end(),
                         [&](const Series& s) { return s.kind == "curve" && id == QString::fromStdString(s.measure); });
    };
    for (int m = 0; m < measure->count(); ++m) {
      if (!has_curve(measure->itemData(m).toString())) continue;
      measure->setCurrentIndex(m);
      Q_EMIT measure->activated(m);
      QCOMPARE(view->currentIndex(), curve);
    }
    QVERIFY(gui.window.open(example_copy(repairable_system, folder)));
    QCOMPARE(measure->count(), 0);
    QCOMPARE(plot.graphCount(), 0);
  }
};

ERGODE_GUI_TEST(TestResults)
#include "tst_results.moc"
