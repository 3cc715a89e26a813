#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <fstream>

#include "app/gui/help_window.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/panels/problems_panel.h"
#include "app/gui/plots/live_plot.h"
#include "app/gui/recovery.h"
#include "app/gui/script/script_player.h"
#include "core/format/model_file.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

namespace {

QString play(MainWindow& window, const char* script) {
  return ScriptPlayer(window).play(QJsonDocument::fromJson(script).array());
}

constexpr const char* short_run = R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "2000"},
  {"trigger": "run.start"}, {"wait_run": 60000}, {"expect": {"state": "Done"}}])";

void set_header(Workspace& workspace, const char* property, const char* text) {
  Edit edit(workspace.document(), "Change");
  edit.set(workspace.document().model().id, property, text);
  workspace.push(edit.finish());
}

void set_property_of(Workspace& workspace, ElementId id, const char* property, const char* text) {
  Edit edit(workspace.document(), "Change");
  edit.set(id, property, text);
  workspace.push(edit.finish());
}

QString caption(const MainWindow& window, const char* name) { return window.findChild<QLabel*>(name)->text(); }

/// The field in which a cell of a table is being typed; null: none.
QLineEdit* typing_field(const MainWindow& window, const char* table) {
  auto* field = window.findChild<QTableWidget*>(table)->viewport()->findChild<QLineEdit*>();
  return field != nullptr && field->isVisible() ? field : nullptr;
}

QTreeWidgetItem* section(QTreeWidget& outline, const QString& title) {
  for (int i = 0; i < outline.topLevelItemCount(); ++i)
    if (outline.topLevelItem(i)->text(0) == title) return outline.topLevelItem(i);
  return nullptr;
}

}  // namespace

/// What users of other programs take for granted at a desk.
class TestDesk : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_model_without_a_name_is_called_like_its_file() {
    QTemporaryDir folder;
    GuiFixture gui;
    gui.workspace().start_new();
    QCOMPARE(gui.workspace().title(), QStringLiteral("Untitled"));
    QVERIFY(!gui.workspace().save(folder.filePath("pumps.ergode")));
    QCOMPARE(gui.workspace().title(), QStringLiteral("pumps"));
    set_header(gui.workspace(), "name", "Feedwater");
    QCOMPARE(gui.workspace().title(), QStringLiteral("Feedwater"));
  }

  // Three lines of a long one, so that others stay in sight; all of the one that is chosen.
  void long_problems_are_read_in_full() {
    GuiFixture gui(example(repairable));
    Diagnostic problem{.code = "TST001", .message = "short", .hint = {}};
    Diagnostic large = problem;
    large.message = QString("a sentence of many words ").repeated(40).toStdString();
    gui.workspace().set_check([=](const Document&) { return Diagnostics{problem, large}; });
    gui.workspace().check_now();
    auto* panel = gui.window.findChild<QTreeWidget*>("panel.problems");
    gui.window.findChild<QDockWidget*>("dock.problems")->raise();
    QTRY_COMPARE(panel->topLevelItemCount(), 2);
    const auto height = [panel](int row) { return panel->topLevelItem(row)->sizeHint(0).height(); };
    const int line = panel->fontMetrics().lineSpacing();
    QVERIFY(height(0) <= 2 * line);
    QVERIFY(height(1) >= 3 * line && height(1) < 5 * line);
    panel->setCurrentItem(panel->topLevelItem(1));
    const QRect room(0, 0, panel->header()->sectionSize(2), 100000);
    QVERIFY(height(1) >=
            panel->fontMetrics().boundingRect(room, Qt::TextWordWrap, panel->topLevelItem(1)->text(2)).height());
  }

  // The row that is chosen shows all of its sentence: the buttons below go down with their rows.
  void a_fix_stands_in_the_row_of_its_problem() {
    GuiFixture gui(example(repairable));
    Diagnostic problem{
        .code = "TST001", .message = QString("Something is wrong. ").repeated(30).toStdString(), .hint = {}};
    problem.fixes.push_back({"Mend it", nullptr});
    gui.workspace().set_check([=](const Document&) { return Diagnostics{problem, problem, problem}; });
    gui.workspace().check_now();
    auto* panel = gui.window.findChild<QTreeWidget*>("panel.problems");
    gui.window.show_dock("problems");
    QTRY_COMPARE(panel->topLevelItemCount(), 3);
    for (int chosen = 0; chosen < panel->topLevelItemCount(); ++chosen) {
      panel->setCurrentItem(panel->topLevelItem(chosen));
      QCoreApplication::processEvents();
      for (int i = 0; i < panel->topLevelItemCount(); ++i) {
        const QWidget* button = panel->itemWidget(panel->topLevelItem(i), 4);
        QVERIFY(panel->visualItemRect(panel->topLevelItem(i)).contains(button->geometry().center()));
      }
    }
  }

  // What a measure has no plot of cannot be chosen once its run is over.
  void views_that_a_measure_has_not_are_greyed() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    QCOMPARE(play(gui.window, R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "3"},
      {"trigger": "run.start"}, {"wait_run": 60000}])"),
             QString());
    auto* views = gui.window.findChild<QComboBox*>("field.plot.view");
    auto* measures = gui.window.findChild<QComboBox*>("field.plot.measure");
    const auto shown = gui.window.desk().shown();
    QVERIFY(shown != nullptr && measures->count() > 2);
    int offered = 0, greyed = 0;
    for (int m = 0; m < measures->count(); ++m) {
      measures->setCurrentIndex(m);
      Q_EMIT measures->activated(m);
      for (int v = 0; v < views->count(); ++v) {
        const bool enabled = (views->model()->flags(views->model()->index(v, 0)) & Qt::ItemIsEnabled) != 0;
        bool there = false;
        const std::string id = measures->itemData(m).toString().toStdString();
        const auto look_in = [&](const ResultSet& run) {
          for (const Series& s : run.series)
            there = there || (s.measure == id && s.kind == views->itemData(v).toString().toStdString());
        };
        look_in(*shown);
        for (const auto& beside : shown->company) look_in(*beside);
        QCOMPARE(enabled, there);
        (enabled ? offered : greyed) += 1;
      }
    }
    QVERIFY(offered > 0 && greyed > 0);
  }

  void unsaved_work_is_copied_soon_after_the_last_edit() {
    GuiFixture gui(example(repairable));
    const QString copy = gui.window.recovery().own_file();
    set_header(gui.workspace(), "name", "Edited");
    QVERIFY(!QFile::exists(copy));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(copy), RecoveryJournal::settled_ms + 1500);
  }

  void who_never_pauses_loses_five_seconds_at_most() {
    GuiFixture gui(example(repairable));
    const QString copy = gui.window.recovery().own_file();
    // An edit each 300 ms, ten times as many as the copy may wait for.
    for (int edits = 0; !QFile::exists(copy) && edits < 10 * RecoveryJournal::latest_ms / 300; ++edits) {
      set_header(gui.workspace(), "name", qPrintable(QString::number(edits)));
      QTest::qWait(300);
    }
    QVERIFY(QFile::exists(copy));
  }

  void unsaved_work_is_copied_before_a_run_starts() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    set_header(gui.workspace(), "name", "About to run");
    const QString copy = gui.window.recovery().own_file();
    QVERIFY(!QFile::exists(copy));
    gui.window.start_run();
    QVERIFY(QFile::exists(copy));
    gui.window.desk().stop_and_keep();
  }

  void the_mark_of_stale_results_moves_no_panel_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("small") << QSize(1280, 720);
    QTest::newRow("large") << QSize(1600, 1000);
  }
  void the_mark_of_stale_results_moves_no_panel() {
    QFETCH(QSize, size);
    QTemporaryDir folder;
    GuiFixture gui(example_copy("01_edg_common_cause/model.ergode", folder));
    gui.window.settle(size);
    QCOMPARE(play(gui.window, short_run), QString());
    const auto widths = [&] {
      QApplication::processEvents();
      QStringList out;
      for (const char* name : {"palette", "outline", "inspector", "plot", "results"})
        out << QStringLiteral("%1 %2")
                   .arg(QLatin1String(name))
                   .arg(gui.window.findChild<QDockWidget*>(QStringLiteral("dock.") + QLatin1String(name))->width());
      return out << QString::number(gui.window.width());
    };
    for (const char* dock : {"plot", "results"}) {
      gui.window.show_dock(QLatin1String(dock));
      const QStringList before = widths();
      set_header(gui.workspace(), "horizon", "7 h");
      QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().stale(), 2000);
      QTRY_VERIFY(caption(gui.window, "label.plot.caption").contains("model edited since"));
      QCOMPARE(widths(), before);
      gui.workspace().undo();
      QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().stale(), 2000);
      QCOMPARE(widths(), before);
    }
  }

  void nothing_that_names_a_thing_is_cut_in_a_small_window() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("01_edg_common_cause/model.ergode", folder));
    gui.window.settle(QSize(1280, 720));
    QCOMPARE(play(gui.window, short_run), QString());
    gui.window.show_dock("plot");
    QApplication::processEvents();
    // The window itself fits a small screen with the desktop's own panels.
    QStringList least;
    for (const QDockWidget* dock : gui.window.findChildren<QDockWidget*>())
      least << QStringLiteral("%1 %2").arg(dock->objectName()).arg(dock->widget()->minimumSizeHint().width());
    QVERIFY2(gui.window.minimumSizeHint().width() <= 1240,
             qPrintable(QStringLiteral("%1: %2").arg(gui.window.minimumSizeHint().width()).arg(least.join(", "))));
    // Every name of the palette has the room that it is painted in.
    auto* palette = gui.window.findChild<QListWidget*>("panel.palette");
    for (int row = 0; row < palette->count(); ++row) {
      const QListWidgetItem* item = palette->item(row);
      const int room = palette->visualItemRect(item).width() - 62;  // icon and key
      QVERIFY2(palette->fontMetrics().horizontalAdvance(item->text()) <= room, qPrintable(item->text()));
    }
    // The name of a parameter is read whole in its field, and what it is worth stands below.
    auto* horizon = gui.window.findChild<QLineEdit*>("field.model.horizon");
    QVERIFY(horizon != nullptr);
    QCOMPARE(horizon->text(), QString("mission_time"));
    QTRY_VERIFY2(horizon->fontMetrics().horizontalAdvance(horizon->text()) + 16 <= horizon->width(),
                 qPrintable(QString::number(horizon->width())));
    // A message that does not fit says so by its end.
    auto* hint = gui.window.findChild<QLabel*>("status.hint");
    const QString long_text = QString("Something that needs to be said at length, ").repeated(20);
    gui.workspace().say(long_text);
    QApplication::processEvents();
    QCOMPARE(hint->text(), long_text);
    QCOMPARE(hint->toolTip(), long_text);
    const QImage cut = hint->grab().toImage();
    gui.workspace().say(long_text + "and more");
    QApplication::processEvents();
    QCOMPARE(hint->grab().toImage(), cut);  // both end in the same dots
    gui.workspace().say(hint->fontMetrics().elidedText(long_text, Qt::ElideRight, hint->contentsRect().width()));
    QApplication::processEvents();
    QCOMPARE(hint->grab().toImage(), cut);
  }

  void nobody_is_told_that_there_are_no_problems_before_the_check_ends() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    auto* button = gui.window.findChild<QToolButton*>("status.problems");
    QTRY_VERIFY(gui.workspace().checked());
    QCOMPARE(button->text(), QString("No problems"));
    QStringList said;
    connect(&gui.workspace(), &Workspace::problems_changed, button, [&] { said << button->text(); });
    gui.window.findChild<QAction*>("action.file.new")->trigger();
    QTRY_VERIFY(gui.workspace().checked());
    QCOMPARE(said.value(0), QString("Checking ..."));
    QVERIFY(button->text() != "Checking ...");
  }

  void a_refusal_to_run_is_taken_back_with_its_reason() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    auto* banner = gui.window.findChild<QFrame*>("view.banner");
    set_header(gui.workspace(), "horizon", "nonsense");
    gui.window.start_run();
    QVERIFY(banner->isVisible() && caption(gui.window, "label.banner").contains("was not run"));
    // Another edit that leaves the reason where it is leaves its banner too.
    set_header(gui.workspace(), "name", "Still wrong");
    QTRY_VERIFY_WITH_TIMEOUT(gui.workspace().checked(), 5000);
    QVERIFY(banner->isVisible());
    gui.workspace().undo();
    gui.workspace().undo();
    QTRY_VERIFY_WITH_TIMEOUT(!banner->isVisible(), 5000);
    gui.workspace().redo();
    gui.window.start_run();
    QVERIFY(banner->isVisible());
    gui.workspace().start_new();
    QVERIFY(!banner->isVisible());
  }

  void results_of_another_model_are_marked_until_undo_brings_it_back() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    QCOMPARE(play(gui.window, short_run), QString());
    gui.window.show_dock("plot");
    const auto marked = [&] {
      return caption(gui.window, "label.plot.caption").contains("model edited since") &&
             caption(gui.window, "label.results.caption").contains("Model edited since");
    };
    QVERIFY(!gui.window.desk().stale() && !marked());
    set_header(gui.workspace(), "horizon", "7 h");
    QTRY_VERIFY_WITH_TIMEOUT(marked(), 1000);
    gui.workspace().undo();
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().stale() && !marked(), 1000);
    // Where a box stands is no part of what was run.
    const Element* node = gui.workspace().document().of(Section::node).front();
    Edit edit(gui.workspace().document(), "Move");
    edit.move({node->id}, 10, 10);
    gui.workspace().push(edit.finish());
    QTest::qWait(100);
    QVERIFY(!gui.window.desk().stale());
  }

  void the_window_and_its_questions_name_the_file() {
    QTemporaryDir folder;
    const QString path = folder.filePath("plant.ergode");
    QFile::copy(example(repairable), path);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    GuiFixture gui(path);
    QCOMPARE(gui.window.windowTitle(), QString("plant.ergode[*] – Ergode"));
    set_header(gui.workspace(), "name", "Another name");
    QCOMPARE(gui.window.windowTitle(), QString("plant.ergode[*] – Ergode"));
    QString asked;
    QTimer::singleShot(100, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      asked = box->text();
      box->button(QMessageBox::Cancel)->click();
    });
    QVERIFY(!gui.window.close());
    QVERIFY2(asked.contains("plant.ergode"), qPrintable(asked));
  }

  void a_new_row_waits_for_its_name_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"parameter", "measure", "scenario", "diagram"}) QTest::newRow(kind) << QString(kind);
  }
  void a_new_row_waits_for_its_name() {
    QFETCH(QString, kind);
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    gui.workspace().select({});
    const std::size_t before = gui.workspace().history().depth();
    const std::size_t elements = gui.workspace().document().elements().size();
    const QByteArray table = "table." + kind.toUtf8();
    QTest::mouseClick(gui.window.findChild<QToolButton*>("action." + kind + ".add"), Qt::LeftButton);
    QTRY_VERIFY(typing_field(gui.window, table) != nullptr);
    QLineEdit* field = typing_field(gui.window, table);
    QVERIFY(!field->text().isEmpty());
    QCOMPARE(field->selectedText(), field->text());
    QTest::keyClicks(field, "fresh");
    // The check of what was added ends while the name is being typed, and must not take it away.
    QTRY_VERIFY_WITH_TIMEOUT(gui.workspace().checked(), 5000);
    QTest::qWait(100);
    QCOMPARE(typing_field(gui.window, table), field);
    QTest::keyClicks(field, "_name");
    QCOMPARE(field->text(), QString("fresh_name"));
    QTest::keyClick(field, Qt::Key_Return);
    const auto named = [&] {
      const auto all = gui.workspace().document().elements();
      return std::any_of(all.begin(), all.end(), [](const Element& e) { return e.name() == "fresh_name"; });
    };
    QTRY_VERIFY(named());
    QCOMPARE(gui.workspace().history().depth(), before + 1);
    gui.workspace().undo();
    QCOMPARE(gui.workspace().document().elements().size(), elements);
  }

  void a_placed_component_with_its_name_is_one_step() {
    GuiFixture gui;
    QCOMPARE(play(gui.window, R"([{"diagram": "System"}, {"key": "O"}, {"click": "200,200"}, {"wait_idle": 5000}])"),
             QString());
    auto* field = gui.window.findChild<QLineEdit*>("field.canvas.label");
    QVERIFY(field->isVisible());
    field->selectAll();
    QTest::keyClicks(field, "Pump");
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(gui.workspace().document().named(Section::node, "Pump") != nullptr);
    QCOMPARE(gui.workspace().history().depth(), std::size_t{1});
    gui.workspace().undo();
    QVERIFY(gui.workspace().document().of(Section::node).empty());
    gui.workspace().redo();
    QVERIFY(gui.workspace().document().named(Section::node, "Pump") != nullptr);
    // A later name is a step of its own.
    gui.canvas().edit_label(gui.workspace().document().named(Section::node, "Pump")->id);
    field->selectAll();
    QTest::keyClicks(field, "Valve");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(gui.workspace().history().depth(), std::size_t{2});
  }

  void the_outline_stays_as_the_user_left_it() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(blackout, folder));
    auto* outline = gui.window.findChild<QTreeWidget*>("panel.outline");
    QTRY_VERIFY(section(*outline, "Parameters") != nullptr);
    for (const char* title : {"Parameters", "Measures"}) section(*outline, title)->setExpanded(true);
    outline->topLevelItem(0)->setExpanded(false);
    set_header(gui.workspace(), "horizon", "7 h");
    QTest::qWait(200);
    for (const char* title : {"Parameters", "Measures"}) QVERIFY(section(*outline, title)->isExpanded());
    QVERIFY(!section(*outline, "Scenarios")->isExpanded());
    QVERIFY(!outline->topLevelItem(0)->isExpanded());
  }

  void choices_are_shown_in_the_words_of_the_field_and_kept_by_name() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("01_edg_common_cause/model.ergode", folder));
    const Element* group = nullptr;
    for (const Element& e : gui.workspace().document().elements())
      if (e.kind == "ccf_group") group = &e;
    QVERIFY(group != nullptr);
    gui.workspace().reveal(group->id);
    auto* model = qobject_cast<QComboBox*>(gui.window.inspector().field("model")->editor());
    QCOMPARE(model->currentText(), QString("Binomial failure rate"));
    for (int i = 0; i < model->count(); ++i)
      QVERIFY2(!model->itemText(i).contains('_'), qPrintable(model->itemText(i)));
    model->setCurrentIndex(model->findText("Beta factor"));
    Q_EMIT model->activated(model->currentIndex());
    QCOMPARE(gui.workspace().find(group->id)->text("model"), std::string("beta"));
    QCOMPARE(model->currentText(), QString("Beta factor"));
    // Whoever knows the word of the file may type it.
    gui.window.inspector().field("model")->set_text("mgl");
    gui.window.inspector().field("model")->apply();
    QCOMPARE(gui.workspace().find(group->id)->text("model"), std::string("mgl"));
  }

  void what_is_typed_at_a_list_chooses_or_is_refused() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    const ElementId measure = gui.workspace().document().of(Section::measure).front()->id;
    const auto type = [&] { return gui.workspace().find(measure)->text("type", "probability_at"); };
    set_property_of(gui.workspace(), measure, "type", "probability_at");
    gui.workspace().reveal(measure);
    QTest::qWait(20);
    const auto box = [&] { return qobject_cast<QComboBox*>(gui.window.inspector().field("type")->editor()); };
    // A click opens the list and selects the word that is there; what is typed next replaces it.
    QTest::mouseClick(box()->lineEdit(), Qt::LeftButton);
    QVERIFY(box()->view()->isVisible());
    box()->hidePopup();
    QTRY_COMPARE(box()->lineEdit()->selectedText(), QString("Probability at a time"));
    QTest::keyClicks(box()->lineEdit(), "Time av");
    QTest::keyClick(box()->lineEdit(), Qt::Key_Return);
    QCOMPARE(type(), std::string("time_average"));
    QCOMPARE(box()->currentText(), QString("Time average"));
    // The beginning of one label alone is that one, in any case.
    gui.window.inspector().field("type")->set_text("final");
    gui.window.inspector().field("type")->apply();
    QCOMPARE(type(), std::string("final_value"));
    // Anything else is refused in a line, and the model keeps what it had.
    const std::size_t depth = gui.workspace().history().depth();
    for (const char* wrong : {"Time avx", "Probability"}) {
      box()->setEditText(wrong);
      QTest::keyClick(box()->lineEdit(), Qt::Key_Return);
      QCOMPARE(type(), std::string("final_value"));
      QCOMPARE(box()->currentText(), QString("Final value"));
      const QString said = gui.window.findChild<QLabel*>("problem.measure.type")->text();
      QVERIFY2(said.contains(wrong) && said.size() < 120, qPrintable(said));
    }
    QCOMPARE(gui.workspace().history().depth(), depth);
    // Typing goes on with another word, and nothing is said any more.
    QTest::keyClicks(box()->lineEdit(), "number of e");
    QTest::keyClick(box()->lineEdit(), Qt::Key_Return);
    QCOMPARE(type(), std::string("count"));
    QVERIFY(!gui.window.findChild<QLabel*>("problem.measure.type")->text().contains("The list"));
    // A parameter may choose.
    Edit edit(gui.workspace().document(), "Parameter");
    Element choice;
    choice.section = Section::parameter, choice.kind = "parameter";
    choice.properties["name"] = "question", choice.properties["type"] = "choice";
    edit.insert(choice);
    gui.workspace().push(edit.finish());
    box()->setEditText("question");
    QTest::keyClick(box()->lineEdit(), Qt::Key_Return);
    QCOMPARE(type(), std::string("question"));
  }

  void the_tools_used_most_are_in_sight_and_stay_there() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    show_chart(gui);
    gui.window.settle(QSize(1280, 720));
    auto* palette = gui.window.findChild<QListWidget*>("panel.palette");
    const auto row_of = [&](const QString& name) {
      for (int row = 0; row < palette->count(); ++row)
        if (palette->item(row)->text() == name) return palette->item(row);
      return static_cast<QListWidgetItem*>(nullptr);
    };
    for (const char* name :
         {"Select", "Transition", "State", "Initial state", "Final state", "Choice", "Region", "History", "Junction"}) {
      QListWidgetItem* row = row_of(name);
      QVERIFY2(row != nullptr && palette->viewport()->rect().contains(palette->visualItemRect(row)), name);
    }
    QListWidgetItem* last = palette->item(palette->count() - 1);
    palette->scrollToItem(last);
    const int scrolled = palette->verticalScrollBar()->value();
    QVERIFY(scrolled > 0);
    QTest::mouseClick(palette->viewport(), Qt::LeftButton, {}, palette->visualItemRect(last).center());
    QVERIFY(gui.canvas().tool().name().startsWith("place."));
    gui.canvas().use_select_tool();
    QCOMPARE(palette->currentItem()->text(), QString("Select"));
    QCOMPARE(palette->verticalScrollBar()->value(), scrolled);
  }

  void a_long_step_that_mends_leaves_room_for_what_is_wrong() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    gui.window.settle(QSize(1280, 720));
    for (const Element& e : gui.workspace().document().elements()) {
      if (e.kind != "transition" || e.text("trigger").empty()) continue;
      Edit edit(gui.workspace().document(), "Break");
      edit.set(e.id, "trigger", "rate(a_rate_with_a_name_that_is_longer_than_anybody_would_make_it)");
      gui.workspace().push(edit.finish());
      break;
    }
    gui.window.show_dock("problems");
    auto& problems = gui.window.problems();
    QTRY_VERIFY(problems.findChild<QToolButton*>("button.problem.fix") != nullptr);
    QTest::qWait(50);
    QVERIFY2(problems.columnWidth(2) > problems.viewport()->width() / 4,
             qPrintable(QString::number(problems.columnWidth(2))));
    auto* fix = problems.findChild<QToolButton*>("button.problem.fix");
    QVERIFY(fix->toolTip().contains("a_rate_with_a_name_that_is_longer_than_anybody_would_make_it"));
  }

  void a_measure_is_listed_with_its_type() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable, folder));
    gui.workspace().select({});
    auto* table = gui.window.findChild<QTableWidget*>("table.measure");
    const auto measures = gui.workspace().document().of(Section::measure);
    const ElementId first = measures.front()->id;
    set_property_of(gui.workspace(), first, "type", "time_to");
    QCOMPARE(table->horizontalHeaderItem(1)->text(), QString("Type"));
    QCOMPARE(table->item(0, 1)->text(), QString("Time to an event"));
    // One click opens the list of them; what is chosen is one step.
    const std::size_t depth = gui.workspace().history().depth();
    gui.window.show_dock("inspector");
    Q_EMIT table->cellClicked(0, 1);
    auto* types = table->viewport()->findChild<QComboBox*>("field.measure.type");
    QVERIFY(types != nullptr);
    QCOMPARE(types->currentText(), QString("Time to an event"));
    const int other = types->findData("probability_by");
    const QString label = types->itemText(other);
    types->setCurrentIndex(other);
    Q_EMIT types->activated(other);
    QCOMPARE(gui.workspace().find(first)->text("type"), std::string("probability_by"));
    QCOMPARE(gui.workspace().history().depth(), depth + 1);
    QTRY_COMPARE(table->item(0, 1)->text(), label);
    set_property_of(gui.workspace(), first, "type", "time_to");
    // All of its properties, for whoever does not know that there are more.
    auto* open = gui.window.findChild<QToolButton*>("action.measure.open");
    table->setCurrentCell(0, 0);
    QVERIFY(open->isEnabled());
    open->click();
    QTRY_COMPARE(gui.workspace().selection(), std::vector<ElementId>{first});
    gui.workspace().select({});
    QTRY_VERIFY((table = gui.window.findChild<QTableWidget*>("table.measure")) != nullptr);
    // The last column is typed in as before.
    table->item(0, 2)->setText("true");
    QCOMPARE(gui.workspace().find(first)->text("expression"), std::string("true"));
    QCOMPARE(gui.workspace().find(first)->text("type"), std::string("time_to"));
  }

  void the_help_of_the_program_names_it() {
    QProcess program;
    program.start(ERGODE_BIN_DIR "/ergode-workbench", {"--help"});
    QVERIFY(program.waitForFinished(30000));
    const QString text = QString::fromUtf8(program.readAllStandardOutput());
    QVERIFY2(text.startsWith("Usage: ergode-workbench ") && !text.contains("executable_name"),
             qPrintable(text.left(200)));
  }

  void the_present_theme_is_marked() {
    GuiFixture gui;
    auto* menu = gui.window.findChild<QMenu*>("menu.theme");
    const auto marked = [&] {
      QStringList names;
      for (const QAction* one : menu->actions())
        if (one->isChecked()) names << one->text().remove('&');
      return names;
    };
    QCOMPARE(marked(), QStringList("Light"));
    gui.window.set_theme("dark");
    QCOMPARE(marked(), QStringList("Dark"));
    gui.window.actions_table()["view.theme_dark"]->trigger();
    QTRY_COMPARE(marked(), QStringList("Dark"));
    gui.window.set_theme("light");
  }

  void a_word_that_no_page_of_the_help_contains_is_said_so() {
    HelpWindow help;
    auto* field = help.findChild<QLineEdit*>("field.help.find");
    auto* none = help.findChild<QLabel*>("label.help.none");
    field->setText("qwertyuiop");
    QVERIFY(!none->isHidden() && none->text().contains("qwertyuiop"));
    field->setText("transition");
    QVERIFY(none->isHidden());
  }

  void the_expansion_of_a_group_has_the_values_of_the_chosen_scenario() {
    QTemporaryDir folder;
    const QString path = example_copy("01_edg_common_cause/model.ergode", folder);
    GuiFixture gui(path);
    const Document& document = gui.workspace().document();
    const Element* group = nullptr;
    for (const Element& e : document.elements())
      if (e.kind == "ccf_group") group = &e;
    const std::string mu = group->text("mu");
    QVERIFY2(document.named(Section::parameter, mu) != nullptr, mu.c_str());
    Edit edit(document, "Scenario");
    Element scenario;
    scenario.section = Section::scenario, scenario.kind = "scenario";
    scenario.properties = {{"name", "many_shocks"}, {"values", mu + " = 1e-2 /h"}};
    edit.insert(scenario);
    gui.workspace().push(edit.finish());
    gui.workspace().reveal(group->id);
    auto* summary = gui.window.findChild<QLabel*>("label.preview");
    const QString base = summary->text();
    QVERIFY(base.contains("Base parameter values"));
    auto* scenarios = gui.window.findChild<QComboBox*>("field.run.scenario");
    scenarios->setCurrentIndex(scenarios->findData("many_shocks"));
    QTRY_VERIFY(summary->text().contains("many_shocks"));
    QVERIFY(summary->text().section('\n', 1) != base.section('\n', 1));
    scenarios->setCurrentIndex(0);
    QTRY_COMPARE(summary->text(), base);
  }

  void files_outside_the_folder_are_read_after_a_question_data() {
    QTest::addColumn<bool>("allow");
    QTest::newRow("allowed") << true;
    QTest::newRow("refused") << false;
  }
  void files_outside_the_folder_are_read_after_a_question() {
    QFETCH(bool, allow);
    QTemporaryDir root;
    QDir(root.path()).mkpath("model"), QDir(root.path()).mkpath("data");
    std::ofstream(root.filePath("data/delays.csv").toStdString()) << "hours\n1\n2\n";
    const QString path = root.filePath("model/plant.ergode");
    QFile::copy(example(repairable), path);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    GuiFixture gui(path);
    auto* bar = gui.window.findChild<QWidget*>("view.access");
    QTRY_VERIFY(gui.workspace().checked());
    QVERIFY(!bar->isVisible());
    for (const Element& e : gui.workspace().document().elements()) {
      if (e.kind != "transition" || e.text("trigger").empty()) continue;
      Edit edit(gui.workspace().document(), "Data");
      edit.set(e.id, "trigger", R"(after(empirical("../data/delays.csv", column = "hours", unit = "h")))");
      gui.workspace().push(edit.finish());
      break;
    }
    QTRY_VERIFY(bar->isVisible());
    QVERIFY2(caption(gui.window, "label.access").contains("/data"), qPrintable(caption(gui.window, "label.access")));
    QTest::mouseClick(gui.window.findChild<QPushButton*>(allow ? "action.access.allow" : "action.access.refuse"),
                      Qt::LeftButton);
    QVERIFY(!bar->isVisible());
    QTRY_VERIFY(gui.workspace().checked());
    QTest::qWait(100);
    QVERIFY(!bar->isVisible());
    QCOMPARE(has_errors(gui.workspace().problems()), !allow);
    if (allow) QCOMPARE(play(gui.window, short_run), QString());
  }

  void nothing_is_cut_in_a_small_window() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(blackout, folder));
    gui.window.settle(QSize(1280, 720));
    QCOMPARE(play(gui.window, R"([{"wait_idle": 5000}, {"set": "field.run.replications", "text": "1000"},
      {"trigger": "run.start"}, {"wait_run": 60000}])"),
             QString());
    gui.window.show_dock("results");
    QTest::qWait(100);
    auto* runs = gui.window.findChild<QTableWidget*>("table.runs");
    const QAbstractItemView* contents = runs;
    // When and of which scenario; the rest of a run's row is by its numbers, whose names come first.
    for (int column = 0; column < 2; ++column) {
      QVERIFY2(runs->columnWidth(column) >= contents->sizeHintForColumn(column), qPrintable(QString::number(column)));
      QVERIFY2(runs->columnViewportPosition(column) + runs->columnWidth(column) <= runs->viewport()->width(),
               qPrintable(QString::number(column)));
    }
    const auto* measures = gui.window.findChild<QTableWidget*>("table.measures");
    QVERIFY2(measures->columnWidth(0) >= 150, qPrintable(QString::number(measures->columnWidth(0))));
    // The text of a button that mends a problem.
    for (const Element& e : gui.workspace().document().elements()) {
      if (e.kind != "transition" || e.text("trigger").empty()) continue;
      Edit edit(gui.workspace().document(), "Break");
      edit.set(e.id, "trigger", "rate(a_rate_with_a_long_name)");
      gui.workspace().push(edit.finish());
      break;
    }
    gui.window.show_dock("problems");
    QTRY_VERIFY(gui.window.problems().findChild<QToolButton*>("button.problem.fix") != nullptr);
    auto* fix = gui.window.problems().findChild<QToolButton*>("button.problem.fix");
    QTRY_VERIFY2(fix->width() >= fix->sizeHint().width(),
                 qPrintable(QString("%1 < %2").arg(fix->width()).arg(fix->sizeHint().width())));
    // The words of a choice.
    for (const Element& e : gui.workspace().document().elements()) {
      if (e.kind != "ccf_group" && e.kind != "measure" && e.kind != "transition") continue;
      gui.workspace().reveal(e.id);
      QTest::qWait(20);
      for (QComboBox* box : gui.window.inspector().findChildren<QComboBox*>()) {
        if (!box->isVisible()) continue;
        const int room = box->lineEdit()->width() - 6;
        QVERIFY2(box->fontMetrics().horizontalAdvance(box->currentText()) <= room,
                 qPrintable(QString("%1: %2 in %3").arg(box->objectName(), box->currentText()).arg(room)));
      }
    }
  }
};

ERGODE_GUI_TEST(TestDesk)
#include "tst_desk.moc"
