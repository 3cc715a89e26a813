#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QSet>
#include <QTableWidget>

#include "app/gui/panels/inspector_panel.h"
#include "app/gui/plots/live_plot.h"
#include "app/gui/plots/short_ticker.h"
#include "core/format/hash.h"
#include "core/format/model_file.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/script_test.h"

using namespace ergode;

namespace {

QByteArray file_bytes(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestWorkbench : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void opening_and_saving_leaves_every_example_byte_for_byte() {
    for (const char* name : {"01_edg_common_cause/model.ergode", blackout, repairable}) {
      QTemporaryDir folder;
      const QString copy = example_copy(name, folder);
      const QByteArray before = file_bytes(copy);
      GuiFixture gui(copy);
      QVERIFY(gui.opened);
      QVERIFY(!gui.workspace().modified());
      QVERIFY(gui.window.save());
      QVERIFY2(file_bytes(copy) == before, name);
    }
  }

  void an_scxml_document_is_opened_as_an_unsaved_drawing() {
    QTemporaryDir folder;
    const QString path = folder.filePath("lamp.scxml");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' name='Lamp'><state id='off'>"
        "<transition event='press' target='on'/></state><state id='on'><invoke/></state></scxml>");
    file.close();
    GuiFixture gui(path);
    QVERIFY(gui.opened);
    QVERIFY(gui.workspace().modified());
    QVERIFY(gui.workspace().path().isEmpty());
    QVERIFY(gui.workspace().document().named(Section::diagram, "Lamp") != nullptr);
    QVERIFY(gui.window.findChild<QLabel*>("label.banner")->text().contains("lamp.scxml"));  // the invoke is missing
    file.resize(10);
    const std::string hash = file_hash(gui.workspace().document());
    QVERIFY(!gui.window.import(path));
    QCOMPARE(file_hash(gui.workspace().document()), hash);
    QVERIFY(gui.window.findChild<QLabel*>("label.banner")->text().contains("SCX001"));
  }

  void a_broken_file_is_refused_and_the_open_model_stays() {
    QTemporaryDir folder;
    const QString path = folder.filePath("broken.ergode");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"format\": \"ergode-model\", ");
    file.close();
    GuiFixture gui(example(repairable));
    const std::string hash = file_hash(gui.workspace().document());
    QVERIFY(!gui.window.open(path));
    QCOMPARE(file_hash(gui.workspace().document()), hash);
    QVERIFY(gui.window.findChild<QLabel*>("label.banner")->text().contains("FMT"));
  }

  void a_field_applies_on_enter_and_escape_restores() {
    GuiFixture gui(example(blackout));
    Workspace& workspace = gui.workspace();
    const Element* edg = workspace.document().named(Section::node, "EDG");
    workspace.select({edg->id});
    PropertyField* field = gui.window.inspector().field("count");
    QVERIFY(field != nullptr);
    const QString before = field->text();
    const std::string hash = file_hash(workspace.document());
    field->set_text("7");
    QTest::keyClick(field->editor(), Qt::Key_Escape);
    QCOMPARE(field->text(), before);
    QCOMPARE(file_hash(workspace.document()), hash);
    field->set_text("7");
    QTest::keyClick(field->editor(), Qt::Key_Return);
    QCOMPARE(workspace.find(edg->id)->text("count"), std::string("7"));
    QCOMPARE(workspace.history().depth(), 1u);
    workspace.undo();
    QCOMPARE(field->text(), before);
  }

  void the_fields_follow_the_selection_and_every_one_has_an_accessible_name() {
    GuiFixture gui(example(blackout));
    Workspace& workspace = gui.workspace();
    QVERIFY(gui.window.inspector().field("horizon") != nullptr);
    workspace.select({workspace.document().named(Section::node, "EDG")->id});
    QVERIFY(gui.window.inspector().field("horizon") == nullptr);
    QVERIFY(gui.window.inspector().field("chart") != nullptr);
    workspace.select({workspace.document().named(Section::node, "CCF start")->id});
    QVERIFY(gui.window.inspector().field("alphas")->isVisibleTo(&gui.window));
    QVERIFY(!gui.window.inspector().field("mu")->isVisibleTo(&gui.window));
    for (const PropertyField* field : gui.window.inspector().findChildren<PropertyField*>())
      QVERIFY2(!field->editor()->accessibleName().isEmpty(), qPrintable(field->objectName()));
  }

  void a_group_of_four_expands_into_eleven_combinations() {
    GuiFixture gui(example(blackout));
    gui.workspace().select({gui.workspace().document().named(Section::node, "CCF start")->id});
    auto* sets = gui.window.findChild<QTableWidget*>("table.preview.1");
    QVERIFY(sets != nullptr);
    QCOMPARE(sets->rowCount(), 11);
  }

  void problems_follow_an_edit_within_the_limit_and_lead_to_the_element() {
    GuiFixture gui(example(blackout));
    Workspace& workspace = gui.workspace();
    QCOMPARE(play(gui, R"([{"wait_idle": 5000}, {"expect": {"problems": 0}}, {"select": ["EDG"]},
      {"set": "field.component.chart", "text": "NoSuchChart"}, {"wait_idle": 5000}])"),
             QString());
    QVERIFY(has_errors(workspace.problems()));
    QVERIFY2(workspace.check_latency_ms() <= 300, qPrintable(QString::number(workspace.check_latency_ms())));
    workspace.select({});
    gui.window.actions_table()["problem.next"]->trigger();
    QVERIFY(!workspace.selection().empty());
    workspace.undo();
    QCOMPARE(play(gui, R"([{"wait_idle": 5000}, {"expect": {"problems": 0}}])"), QString());
  }

  void a_model_with_errors_is_not_run_and_says_why() {
    GuiFixture gui(example(repairable));
    QCOMPARE(play(gui, R"([{"wait_idle": 5000}])"), QString());
    const Element* component = nullptr;
    for (const Element& element : gui.workspace().document().elements())
      if (element.kind == "component") component = &element;
    QVERIFY(component != nullptr);
    Edit edit(gui.workspace().document(), "Break");
    edit.set(component->id, "chart", "NoSuchChart");
    gui.workspace().push(edit.finish());
    gui.window.start_run();
    QCOMPARE(gui.window.desk().state(), RunState::idle);
    auto* banner = gui.window.findChild<QLabel*>("label.banner");
    QVERIFY(banner->isVisible());
    QVERIFY(banner->text().contains("not run"));
  }

  void a_run_ends_with_a_record_beside_the_model_and_a_plot() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    QCOMPARE(
        play(
            gui,
            R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "3000"}, {"set": "field.run.seed", "text": "7"},
      {"trigger": "run.start"}, {"wait_run": 60000}, {"expect": {"state": "Done", "depth": 0, "modified": false}}])"),
        QString());
    QCOMPARE(gui.window.desk().records().rows().size(), 1u);
    QCOMPARE(gui.window.desk().records().rows().front().seed, 7u);
    QVERIFY(QFile::exists(folder.filePath("model.results.sqlite")));
    QVERIFY(gui.window.plot().plot().graphCount() > 0);
    QVERIFY(gui.window.actions_table()["run.start"]->isEnabled());
    gui.window.desk().records().reload();
    QCOMPARE(gui.window.desk().records().rows().size(), 1u);
    QVERIFY(gui.window.desk().records().results(0) != nullptr);
    QVERIFY(gui.window.export_report(folder.filePath("report.html")).isEmpty() || gui.window.show_dock("results"));
  }

  void exact_and_long_run_values_stand_beside_the_estimates() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("04_repairable_system/model.ergode", folder));
    QCOMPARE(
        play(
            gui,
            R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "3000"}, {"set": "field.run.seed", "text": "7"},
      {"trigger": "run.start"}, {"wait_run": 60000}, {"expect": {"state": "Done"}}])"),
        QString());
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    const auto column = [&](const QString& heading) {
      for (int c = 0; c < table->columnCount(); ++c)
        if (table->horizontalHeaderItem(c)->text() == heading) return c;
      return -1;
    };
    QVERIFY(!table->isColumnHidden(column("Long run")));
    bool seen = false;
    for (int row = 0; row < table->rowCount(); ++row) {
      QVERIFY(!table->item(row, column("Exact"))->text().isEmpty());
      QVERIFY(table->item(row, column("Exact"))->toolTip().contains("ctmc-transient"));
      QVERIFY(!table->item(row, column("Inside"))->text().isEmpty());
      bool number = false;
      table->item(row, column("Delta %"))->text().toDouble(&number);
      QVERIFY(number);
      seen = seen || table->item(row, column("Long run"))->text() == "2500 h";
    }
    QVERIFY(seen);  // the mean time to failure
    QVERIFY(gui.window.findChild<QLabel*>("label.results.caption")->toolTip().contains("ccf-closed-form: SOL001"));
  }

  void a_run_can_be_paused_resumed_and_stopped_with_partial_results() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    QCOMPARE(
        play(
            gui,
            R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "2000000000"}, {"trigger": "run.start"}])"),
        QString());
    RunDesk& desk = gui.window.desk();
    QTRY_COMPARE(desk.state(), RunState::advancing);
    QTRY_VERIFY(desk.snapshot() != nullptr);
    desk.pause_or_resume();
    QCOMPARE(desk.state(), RunState::paused);
    desk.pause_or_resume();
    QCOMPARE(desk.state(), RunState::advancing);
    desk.stop();
    QTRY_VERIFY(!desk.run().active());
    desk.poll();
    QCOMPARE(desk.state(), RunState::cancelled);
    QCOMPARE(desk.results()->status, RunStatus::partial);
  }

  void new_data_never_move_what_the_user_has_zoomed_to() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    const char* run =
        R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "2000"}, {"trigger": "run.start"}, {"wait_run": 60000}])";
    QCOMPARE(play(gui, run), QString());
    PlotView& plot = gui.window.plot().plot();
    plot.set_following(false);
    plot.xAxis->setRange(100, 300);
    plot.yAxis->setRange(0.2, 0.4);
    QCOMPARE(play(gui, run), QString());
    QCOMPARE(plot.xAxis->range().lower, 100.0);
    QCOMPARE(plot.yAxis->range().upper, 0.4);
    plot.set_following(true);
    QVERIFY(plot.xAxis->range().upper > 300);
  }

  void the_exported_diagram_does_not_depend_on_the_theme_of_the_windows() {
    QTemporaryDir folder;
    GuiFixture gui(example(blackout));
    QCOMPARE(gui.window.export_diagram(folder.filePath("light.svg")), QString());
    gui.window.set_theme("dark");
    QCOMPARE(gui.window.export_diagram(folder.filePath("dark.svg")), QString());
    gui.window.set_theme("light");
    QVERIFY(file_bytes(folder.filePath("light.svg")).size() > 1000);
    QCOMPARE(file_bytes(folder.filePath("light.svg")), file_bytes(folder.filePath("dark.svg")));
    QCOMPARE(gui.window.export_diagram(folder.filePath("d.png")), QString());
    QVERIFY(!QImage(folder.filePath("d.png")).text("ModelHash").isEmpty());
  }

  void every_action_has_its_own_name_a_tip_and_no_key_twice() {
    GuiFixture gui;
    QSet<QString> names, keys;
    for (const QAction* action : gui.window.actions_table().all()) {
      QVERIFY(!names.contains(action->objectName()));
      names.insert(action->objectName());
      QVERIFY2(!action->toolTip().isEmpty(), qPrintable(action->objectName()));
      for (const QKeySequence& key : action->shortcuts()) {
        QVERIFY2(!keys.contains(key.toString()), qPrintable(key.toString()));
        keys.insert(key.toString());
      }
    }
    QVERIFY(names.contains("action.run.start"));
  }

  void a_window_of_1280x720_shows_all_of_its_tool_bar() {
    QTemporaryDir state;
    MainWindow window(state.path());
    QVERIFY(window.open(example(blackout)));
    window.settle(QSize(1280, 720));
    QCOMPARE(window.size(), QSize(1280, 720));
    const auto* bar = window.findChild<QWidget*>("bar.main");
    const auto* seed = window.findChild<QWidget*>("field.run.seed");
    QVERIFY(seed->isVisible());
    QVERIFY(bar->rect().contains(seed->geometry()));
    QVERIFY(window.canvas().width() > 500 && window.canvas().height() > 250);
  }

  void ticks_are_short_and_all_of_one_form() {
    QCOMPARE(count_text(100000), QString("100k"));
    QCOMPARE(count_text(1.5e6), QString("1.5M"));
    QCOMPARE(count_text(2000), QString("2000"));
    PlotView plot;
    plot.resize(600, 300);
    Series series;
    series.kind = "convergence";
    for (int i = 1; i <= 100; ++i) {
      series.x.push_back(1000.0 * i);
      series.y.push_back(2e-4);
      series.lower.push_back(2e-4 - 1e-3 / i);
      series.upper.push_back(2e-4 + 1e-3 / i);
    }
    plot.show_curves({{"k", "Simulation", &series}}, {"core damage, given loss of offsite power", "x", "y"});
    plot.replot();
    QVERIFY(plot.xAxis->tickVectorLabels().contains("100k"));
    for (const QString& label : plot.yAxis->tickVectorLabels())
      QVERIFY2(label == "0" || label.contains(QStringLiteral("×10⁻⁴")), qPrintable(label));
    // The band at the end is 2e-5 wide, at half 4e-5: the range follows these, not the 2e-3 of the beginning.
    QVERIFY(plot.yAxis->range().size() < 2e-4);
    QVERIFY(plot.yAxis->range().contains(2e-4 + 2e-5) && plot.yAxis->range().contains(2e-4 - 2e-5));
  }

  // Oracle: RFC 4180, and what files of results do with values that are none.
  void a_plot_as_csv_quotes_its_words_and_leaves_out_what_is_no_number() {
    PlotView plot;
    Series series;
    series.measure = "a \"level\", at once", series.kind = "convergence", series.solver = "=1+1";
    series.x = {1, 2}, series.y = {0.5, NAN}, series.lower = {-INFINITY, 0.25};
    plot.show_curves({{"k", "Simulation", &series}}, {"title", "x", "y"});
    QCOMPARE(plot.csv(), QString("measure,solver,kind,x,y,lower,upper\r\n"
                                 "\"a \"\"level\"\", at once\",'=1+1,convergence,1,0.5,,\r\n"
                                 "\"a \"\"level\"\", at once\",'=1+1,convergence,2,,0.25,\r\n"));
  }

  void long_run_values_differ_in_word_colour_and_dash_and_do_not_stretch_the_axis() {
    ResultSet run;
    run.provenance.solver = "simulation";
    run.replications = 1000;
    MeasureResult m;
    m.id = "down", m.label = "System down", m.kind = "probability_at";
    m.estimate = 0.01, m.lower = 0.008, m.upper = 0.012, m.replications = 1000, m.solver = "simulation";
    run.measures = {m};
    Series s;
    s.measure = "down", s.kind = "convergence", s.solver = "simulation";
    s.x = {100, 500, 1000}, s.y = {0.01, 0.01, 0.01}, s.lower = {0.008, 0.008, 0.008}, s.upper = {0.012, 0.012, 0.012};
    run.series = {s};
    run.provenance.run_id = "0123456789abcdef";
    run.provenance.made.started_utc = "2024-05-01T10:00:00Z";
    const auto beside = [&](const char* solver, double value, bool long_run) {
      ResultSet set;
      set.provenance.solver = solver;
      set.long_run = long_run;
      MeasureResult v = m;
      v.exact = true, v.solver = solver, v.estimate = v.lower = v.upper = value;
      set.measures = {v};
      run.company.push_back(std::make_shared<const ResultSet>(set));
    };
    beside("ctmc-transient", 0.0101, false);
    beside("ctmc-steady-state", 0.9, true);
    GuiFixture gui;
    gui.window.show_dock("plot");
    RunRecords& records = gui.window.desk().records();
    QCOMPARE(records.add(*records.home(), std::make_shared<const ResultSet>(run)), QString());
    PlotView& plot = gui.window.plot().plot();
    QMap<QString, QPen> pens;
    for (int i = 0; i < plot.graphCount(); ++i)
      if (!plot.graph(i)->name().startsWith("Graph")) pens[plot.graph(i)->name()] = plot.graph(i)->pen();
    const QPen simulated = pens["estimate, 95 % band"], exact = pens["exact (ctmc-transient)"],
               limit = pens["long run (ctmc-steady-state): 0.9"];
    QCOMPARE(pens.size(), 3);
    QVERIFY(exact.color() != limit.color() && exact.color() != simulated.color() && limit.color() != simulated.color());
    QVERIFY(exact.dashPattern() != limit.dashPattern() && exact.dashPattern() != simulated.dashPattern());
    QVERIFY(plot.yAxis->range().upper < 0.05);
    QCOMPARE(plot.xAxis->label(), QStringLiteral("Replications"));
    // The legend stands beside the axes, not on the curves.
    plot.replot();
    QVERIFY(!plot.legend->outerRect().intersects(plot.axisRect()->rect()));
    QVERIFY(plot.axisRect()->width() > plot.width() / 2);
    auto* table = gui.window.findChild<QTableWidget*>("table.measures");
    QCOMPARE(table->item(0, 1)->text(), QStringLiteral("0.0100"));
    QCOMPARE(table->item(0, 2)->text(), QStringLiteral("[0.0080, 0.0120]"));
    QVERIFY(table->item(0, 3)->foreground().color() == exact.color());
    QVERIFY(table->item(0, 6)->foreground().color() == limit.color());
  }

  void the_script_player_reports_the_step_that_fails() {
    GuiFixture gui;
    QVERIFY(play(gui, R"([{"expect": {"depth": 0}}, {"expect": {"depth": 4}}])").startsWith("Step 2"));
    QVERIFY(!play(gui, R"([{"trigger": "no.such"}])").isEmpty());
    QVERIFY(!play(gui, R"([{"click": "Nobody"}])").isEmpty());
  }
};

ERGODE_GUI_TEST(TestWorkbench)
#include "tst_workbench.moc"
