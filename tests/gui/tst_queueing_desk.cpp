// What a user of queueing networks meets in the panels: names offered, streams, runs of others, two runs compared.
#include <QComboBox>
#include <QCompleter>
#include <QDockWidget>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>

#include "app/gui/canvas/minimap.h"
#include "app/gui/desk/typed_values.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/panels/results_panel.h"
#include "app/gui/start_page.h"
#include "core/document/command.h"
#include "tests/gui/run_test.h"

using namespace ergode;

namespace {

struct Queue {
  QTemporaryDir folder;
  QString path = example_copy(queue, folder);
  GuiFixture gui{path};
  Workspace& workspace = gui.workspace();
  ElementId id(const char* name) { return workspace.document().named(Section::node, name)->id; }
  PropertyField* field(ElementId element, const char* property) {
    workspace.select({element});
    return gui.window.inspector().field(QString::fromLatin1(property));
  }
  void set(ElementId element, const char* property, const char* text) {
    Edit edit(workspace.document(), "Set");
    edit.set(element, property, Value(text));
    workspace.push(edit.finish());
  }
};

}  // namespace

class TestQueueingDesk : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // One customer in a second asks for 1.5 s of one server.
  void run_asks_before_an_overloaded_model() {
    Queue q;
    const auto run = [&] { q.gui.window.actions_table()["run.start"]->trigger(); };
    const auto choose = [&](const char* name) { q.gui.window.actions_table()[name]->trigger(); };
    const auto active = [&] { return q.gui.window.desk().run().active(); };
    const auto finish = [&] {
      q.gui.window.desk().stop_and_keep();
      QVERIFY(!active());
    };
    auto* banner = q.gui.window.findChild<QFrame*>(QStringLiteral("view.banner"));
    auto* text = banner->findChild<QLabel*>(QStringLiteral("label.banner"));
    auto* anyway = banner->findChild<QPushButton*>(QStringLiteral("action.banner.run"));
    q.set(q.id("arrivals"), "interarrival", "exponential(mean = 1 s)");
    q.set(q.id("desk"), "service", "exponential(mean = 0.5 s)");
    run();
    QVERIFY(active() && banner->isHidden());
    finish();
    q.set(q.id("desk"), "service", "exponential(mean = 1.5 s)");
    run();
    QVERIFY(!active() && !banner->isHidden() && !anyway->isHidden());
    QVERIFY2(text->text().contains("was not run yet. \"desk\" gets 1.5 times the work that its servers can do"),
             qPrintable(text->text()));
    anyway->click();
    QVERIFY(active() && banner->isHidden());
    finish();
    // Asked again, and mended instead: the question goes with its reason.
    run();
    QVERIFY(!banner->isHidden());
    q.set(q.id("desk"), "service", "exponential(mean = 0.5 s)");
    QTRY_VERIFY(banner->isHidden());
    q.set(q.id("desk"), "service", "exponential(mean = 1.5 s)");
    choose("run.overload_refuse");
    run();
    QVERIFY(!active() && !banner->isHidden() && anyway->isHidden());
    QVERIFY2(text->text().contains("Overloaded model"), qPrintable(text->text()));
    choose("run.overload_run");
    run();
    QVERIFY(active());
    finish();
    // The program started with --run, sweeps and scripts' desks never ask.
    choose("run.overload_ask");
    q.gui.window.start_run();
    QVERIFY(active());
    finish();
    // What was chosen is kept.
    choose("run.overload_refuse");
    MainWindow other(q.gui.state.path());
    QVERIFY(other.actions_table()["run.overload_refuse"]->isChecked());
    QVERIFY(!other.actions_table()["run.overload_ask"]->isChecked());
  }

  void a_name_that_is_begun_in_an_expression_is_completed() {
    Queue q;
    PropertyField* servers = q.field(q.id("desk"), "servers");
    auto* line = qobject_cast<QLineEdit*>(servers->editor());
    line->setFocus();
    QTest::keyClicks(line, "2*arrivals.em");
    auto* completer = servers->findChild<QCompleter*>();
    QVERIFY(completer != nullptr);
    QCOMPARE(completer->completionCount(), 1);
    QCOMPARE(completer->currentCompletion(), QStringLiteral("arrivals.emitted"));
    QVERIFY(completer->popup()->isVisible());
    Q_EMIT completer->activated(completer->currentCompletion());
    QCOMPARE(line->text(), QStringLiteral("2*arrivals.emitted"));
    completer->popup()->hide();
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(q.workspace.find(q.id("desk"))->text("servers"), std::string("2*arrivals.emitted"));
  }

  void an_open_list_of_names_keeps_nothing_back() {
    Queue q;
    PropertyField* servers = q.field(q.id("desk"), "servers");
    auto* line = qobject_cast<QLineEdit*>(servers->editor());
    const auto begin = [&](const char* text) {
      line->window()->activateWindow();
      line->setFocus();
      line->selectAll();
      QTest::keyClicks(line, text);
      auto* completer = servers->findChild<QCompleter*>();
      return completer != nullptr && completer->popup()->isVisible() ? completer->popup() : nullptr;
    };
    const auto applied = [&] { return q.workspace.find(q.id("desk"))->text("servers"); };
    // Keys go to the list: Enter with no name chosen applies, with one it takes the name.
    QAbstractItemView* list = begin("3 + m");
    QVERIFY(list != nullptr);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(applied(), std::string("3 + m"));
    QVERIFY(!list->isVisible());
    list = begin("4 + arrivals.em");
    QVERIFY(list != nullptr);
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(line->text(), QStringLiteral("4 + arrivals.emitted"));
    QCOMPARE(applied(), std::string("3 + m"));
    // What is typed is confirmed before a run, a step, saving and closing.
    list = begin("5 + m");
    QVERIFY(list != nullptr);
    confirm_typed();
    QCOMPARE(applied(), std::string("5 + m"));
    QVERIFY(!list->isVisible());
    QVERIFY(begin("48 h") == nullptr);  // its unit is no name
  }

  void what_a_run_warns_of_at_its_end_is_told() {
    Queue q;
    for (const auto& [name, value] : {std::pair{"lambda", "3 /s"}, std::pair{"mission_time", "200 s"}}) {
      Edit edit(q.workspace.document(), "Overload");
      edit.set(q.workspace.document().named(Section::parameter, name)->id, "value", value);
      q.workspace.push(edit.finish());
    }
    QString said;
    connect(&q.workspace, &Workspace::message, this, [&](const QString& text) { said += text + '\n'; });
    q.gui.window.start_run();
    auto* banner = q.gui.window.findChild<QFrame*>("view.banner");
    QTRY_VERIFY_WITH_TIMEOUT(said.contains(" ended: "), 60000);
    QVERIFY2(banner->isVisible() && said.contains("RUN033: "), qPrintable(said));
  }

  void all_names_are_listed_when_they_are_asked_for() {
    Queue q;
    PropertyField* service = q.field(q.id("desk"), "service");
    auto* line = qobject_cast<QLineEdit*>(service->editor());
    line->setFocus();
    line->clear();
    QTest::keyClick(line, Qt::Key_Space, Qt::ControlModifier);
    auto* completer = service->findChild<QCompleter*>();
    QVERIFY(completer != nullptr && completer->popup()->isVisible());
    QVERIFY(completer->completionCount() > 10);
    QVERIFY(line->text().isEmpty());
    completer->popup()->hide();
  }

  void the_stream_of_a_measure_is_chosen_from_a_list() {
    Queue q;
    const ElementId wait = q.workspace.document().named(Section::measure, "waiting_time")->id;
    PropertyField* of = q.field(wait, "of");
    auto* list = qobject_cast<QComboBox*>(of->editor());
    QVERIFY(list != nullptr);
    QCOMPARE(of->text(), QStringLiteral("desk.waiting_time"));
    QCOMPARE(list->count(), 6);  // two of the desk, two of the sink, two of the system
    list->setCurrentIndex(list->findText("departures.time_in_system"));
    Q_EMIT list->activated(list->currentIndex());
    QCOMPARE(q.workspace.find(wait)->text("of"), std::string("departures.time_in_system"));
  }

  void the_table_of_measures_shows_what_each_asks() {
    Queue q;
    q.workspace.select({});
    auto* table = q.gui.window.findChild<QTableWidget*>("table.measure");
    QVERIFY(table != nullptr);
    QStringList asked;
    for (int row = 0; row < table->rowCount(); ++row) asked << table->item(row, 2)->text();
    QCOMPARE(asked, (QStringList{"desk.number", "desk.busy", "desk.response_time", "desk.waiting_time",
                                 "departures.time_in_system", "desk.number"}));
    // Editing it there changes what it shows.
    table->item(2, 2)->setText("desk.waiting_time");
    const Element* response = q.workspace.document().named(Section::measure, "response_time");
    QCOMPARE(response->text("of"), std::string("desk.waiting_time"));
    QVERIFY(!response->has("expression"));
  }

  void an_empty_capacity_says_that_it_is_unlimited() {
    Queue q;
    auto* line = qobject_cast<QLineEdit*>(q.field(q.id("desk"), "capacity")->editor());
    QCOMPARE(line->placeholderText(), QStringLiteral("unlimited"));
  }

  void a_warning_of_no_field_has_the_colour_of_warnings() {
    Queue q;
    Edit edit(q.workspace.document(), "Cut off");
    edit.remove(q.workspace.document().edges(q.workspace.diagram()).front()->id);
    q.workspace.push(edit.finish());
    q.workspace.select({q.id("desk")});  // nobody comes to it: QN007
    auto* problems = q.gui.window.inspector().findChild<QLabel*>("label.inspector.problems");
    QTRY_VERIFY(problems->text().contains("QN007"));
    QCOMPARE(problems->property("role").toString(), QStringLiteral("warning"));
  }

  void a_run_of_the_command_line_is_listed_without_a_run_of_the_desktop() {
    Queue q;
    run_to_the_end(q.gui.window, 2, 1);
    QCOMPARE(q.gui.window.desk().records().rows().size(), std::size_t{1});
    QProcess program;
    program.start(QStringLiteral(ERGODE_BIN_DIR "/ergode"),
                  {"run", q.path, "--replications", "2", "--seed", "77", "--solver", "simulation"});
    QVERIFY(program.waitForFinished(60000));
    QCOMPARE(program.exitCode(), 0);
    QTRY_COMPARE_WITH_TIMEOUT(q.gui.window.desk().records().rows().size(), std::size_t{2}, 20000);
    QCOMPARE(q.gui.window.desk().records().rows().front().seed, quint64{77});
    // What was on show stays.
    QCOMPARE(q.gui.window.desk().shown()->provenance.seed, std::uint64_t{1});
  }

  void two_runs_stand_side_by_side_when_both_are_chosen() {
    Queue q;
    run_to_the_end(q.gui.window, 3, 1);
    run_to_the_end(q.gui.window, 3, 2);
    auto* runs = q.gui.window.findChild<QTableWidget*>("table.runs");
    auto* pages = q.gui.window.findChild<QTabWidget*>("pages.results");
    QVERIFY(runs != nullptr && pages != nullptr && runs->rowCount() == 2);
    QVERIFY(q.gui.window.findChild<QTableWidget*>("table.results.comparison") == nullptr);
    runs->selectRow(0);
    runs->selectionModel()->setCurrentIndex(runs->model()->index(1, 0),
                                            QItemSelectionModel::Select | QItemSelectionModel::Rows);
    auto* table = q.gui.window.findChild<QTableWidget*>("table.results.comparison");
    QVERIFY(table != nullptr);
    QCOMPARE(runs->selectionModel()->selectedRows().size(), 2);
    QCOMPARE(table->rowCount(), 6);
    QCOMPARE(pages->tabText(1), QStringLiteral("Comparison"));
    QStringList heads;
    for (int c = 0; c < table->columnCount(); ++c) heads << table->horizontalHeaderItem(c)->text();
    QVERIFY(heads[2].contains("seed 2") && heads[3].contains("seed 1"));
    // One alone: no comparison.
    runs->selectRow(0);
    QVERIFY(q.gui.window.findChild<QTableWidget*>("table.results.comparison") == nullptr);
  }

  // With the mouse the row becomes the current one, and its run the one that is shown, before it is selected.
  void a_click_with_ctrl_chooses_the_second_of_two_runs() {
    Queue q;
    run_to_the_end(q.gui.window, 3, 1);
    run_to_the_end(q.gui.window, 3, 2);
    q.gui.window.findChild<QDockWidget*>("dock.results")->raise();
    auto* runs = q.gui.window.findChild<QTableWidget*>("table.runs");
    QTRY_VERIFY(runs->isVisible());
    const auto click = [runs](int row, Qt::KeyboardModifiers with) {
      const QPoint where = runs->visualItemRect(runs->item(row, 0)).center();
      QTest::mouseClick(runs->viewport(), Qt::LeftButton, with, where);
    };
    click(0, Qt::NoModifier);
    QCOMPARE(runs->selectionModel()->selectedRows().size(), 1);
    click(1, Qt::ControlModifier);
    QCOMPARE(runs->selectionModel()->selectedRows().size(), 2);
    QVERIFY(q.gui.window.findChild<QTableWidget*>("table.results.comparison") != nullptr);
    click(1, Qt::NoModifier);
    QCOMPARE(runs->selectionModel()->selectedRows().size(), 1);
    QVERIFY(q.gui.window.findChild<QTableWidget*>("table.results.comparison") == nullptr);
  }

  void another_run_is_compared_by_the_button() {
    Queue q;
    auto* button = q.gui.window.findChild<QToolButton*>("button.results.compare");
    run_to_the_end(q.gui.window, 3, 1);
    QVERIFY(button != nullptr && button->isHidden());  // there is nothing to compare with
    for (quint64 seed = 2; seed <= 3; ++seed) run_to_the_end(q.gui.window, 3, seed);
    QVERIFY(!button->isHidden());
    auto* runs = q.gui.window.findChild<QTableWidget*>("table.runs");
    for (int other = 0; other < 2; ++other) {  // the second comparison takes the place of the first
      Q_EMIT button->menu()->aboutToShow();
      QCOMPARE(button->menu()->actions().size(), 2);
      const QAction* wanted = button->menu()->actions()[other];
      QVERIFY2(wanted->text().endsWith(other == 0 ? ", seed 2" : ", seed 1"), qPrintable(wanted->text()));
      button->menu()->actions()[other]->trigger();
      QCOMPARE(runs->selectionModel()->selectedRows().size(), 2);
      auto* table = q.gui.window.findChild<QTableWidget*>("table.results.comparison");
      QVERIFY(table != nullptr);
      QVERIFY(table->horizontalHeaderItem(2)->text().contains(other == 0 ? "seed 2" : "seed 1"));
      QVERIFY(table->horizontalHeaderItem(3)->text().contains("seed 3"));
    }
  }

  // What a source is made of instead of a time between arrivals is offered, and the time says that it is not read.
  void jobs_of_a_source_are_offered() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("42_release/model.ergode", folder));
    for (const Element* diagram : gui.workspace().document().of(Section::diagram))
      if (diagram->text("notation") == "queueing") gui.workspace().show_diagram(diagram->id);
    for (const Element* node : gui.workspace().document().nodes(gui.workspace().diagram()))
      if (node->kind == "source") gui.workspace().select({node->id});
    auto* jobs = gui.window.findChild<QComboBox*>("field.source.jobs");
    QVERIFY(jobs != nullptr);
    QCOMPARE(jobs->currentText(), QStringLiteral("training"));
    QVERIFY(jobs->findText("training") >= 0 && jobs->findText("cluster") < 0);
    auto* gap = gui.window.findChild<QLineEdit*>("field.source.interarrival");
    QVERIFY(gap != nullptr);
    QCOMPARE(gap->placeholderText(), QStringLiteral("not used: Jobs of is given"));
  }

  void why_a_run_ended_is_said_in_words_and_pages_have_capitals() {
    Queue q;
    const Element* wait = q.workspace.document().named(Section::measure, "waiting_time");
    q.set(wait->id, "type", "observed_mean");  // with its distribution
    run_to_the_end(q.gui.window, 2, 1);
    QVERIFY(q.gui.window.findChild<QLabel*>("label.results.caption")->text().contains("stopped by replications"));
    QCOMPARE(stopped_by("cancelled"), QStringLiteral("cancelled"));
    auto* pages = q.gui.window.findChild<QTabWidget*>("pages.results");
    QStringList titles;
    for (int page = 0; page < pages->count(); ++page) titles << pages->tabText(page);
    QVERIFY(titles.contains("Quantiles"));
    for (const QString& title : titles) QVERIFY(title.front().isUpper());
  }

  void a_failure_that_was_taken_note_of_is_history() {
    Queue q;
    q.set(q.id("desk"), "service", "0 s");
    Edit edit(q.workspace.document(), "Circle");  // without time, and no way out
    const Element out = *q.workspace.document().edges(q.workspace.diagram()).back();
    Element back = out;
    back.id = {}, back.target = out.source;
    edit.set(out.id, "probability", Value("0"));
    back.properties["probability"] = "1";
    edit.insert(back);
    q.workspace.push(edit.finish());
    run(q.gui.window, 2, 1);
    QTRY_VERIFY_WITH_TIMEOUT(!q.gui.window.desk().run().active(), 60000);
    q.gui.window.desk().poll();
    auto* state = q.gui.window.findChild<QLabel*>("status.state");
    QCOMPARE(state->text(), QStringLiteral("Failed"));
    auto* close = q.gui.window.findChild<QPushButton*>("action.banner.close");
    close->click();
    QCOMPARE(state->text(), QStringLiteral("Ready"));
    run(q.gui.window, 2, 1);
    QTRY_VERIFY_WITH_TIMEOUT(!q.gui.window.desk().run().active(), 60000);
    q.gui.window.desk().poll();
    QCOMPARE(state->text(), QStringLiteral("Failed"));
  }

  void the_overview_stands_where_nothing_is_drawn() {
    Queue q;
    CanvasView& canvas = q.gui.canvas();
    auto* map = canvas.findChild<QWidget*>("view.minimap");
    QVERIFY(map != nullptr);
    // Larger than the view, with the sink in the corner that it likes best.
    canvas.set_zoom(3);
    const QRectF sink = canvas.scene_items().bounds(q.id("departures"));
    const QPointF corner = canvas.mapToScene(canvas.viewport()->rect().bottomRight() - QPoint(60, 50));
    canvas.centerOn(canvas.mapToScene(canvas.viewport()->rect().center()) + sink.center() - corner);
    const QRect drawn = canvas.mapFromScene(canvas.scene_items().bounds(q.id("departures"))).boundingRect();
    QVERIFY(canvas.viewport()->rect().contains(drawn.center()));
    QVERIFY(!map->isHidden());
    QVERIFY(!map->geometry().intersects(drawn));
  }
};

ERGODE_GUI_TEST(TestQueueingDesk)
#include "tst_queueing_desk.moc"
