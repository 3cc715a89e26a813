#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTreeWidget>

#include "app/gui/desk/step_desk.h"
#include "app/gui/run_bar.h"
#include "app/gui/run_options_dialog.h"
#include "core/format/model_file.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

namespace {

struct Stepped {
  QTemporaryDir folder;
  GuiFixture gui;
  Stepped() : gui(example_copy(blackout, folder)) {}
  StepDesk& desk() { return gui.window.step_desk(); }
  void press(const char* action) { gui.window.actions_table()[action]->trigger(); }
  int rows(const char* table) { return gui.window.findChild<QTableWidget*>(QLatin1String(table))->rowCount(); }
  int outlined_active() {
    int found = 0;
    auto* outline = gui.window.findChild<QTreeWidget*>(QStringLiteral("panel.outline"));
    for (QTreeWidgetItemIterator row(outline); *row != nullptr; ++row)
      if ((*row)->text(0).endsWith(QStringLiteral("active"))) ++found;
    return found;
  }
};

}  // namespace

class TestStep : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_first_step_shows_the_beginning() {
    Stepped s;
    QCOMPARE(s.rows("table.step_waiting"), 0);
    QVERIFY(!s.gui.window.actions_table()["step.back"]->isEnabled());
    s.press("step.forward");
    QVERIFY(s.desk().history() != nullptr);
    QCOMPARE(s.desk().history()->steps(), std::size_t{0});
    QVERIFY(!s.desk().active().empty());
    QVERIFY(s.rows("table.step_waiting") > 0);
    QVERIFY(s.outlined_active() > 0);
    s.press("step.forward");
    QCOMPARE(s.desk().history()->steps(), std::size_t{1});
    QVERIFY(s.rows("table.step_taken") > 0);
    QVERIFY(s.gui.window.actions_table()["step.back"]->isEnabled());
  }

  void times_carry_the_unit_of_the_model_and_values_fit_their_column() {
    Stepped s;
    Edit edit(s.gui.workspace().document(), "Unit");
    edit.set(s.gui.workspace().document().model().id, "time_unit", "d");
    s.gui.workspace().push(edit.finish());
    s.press("step.forward");
    for (const char* table : {"table.step_waiting", "table.step_taken"})
      QCOMPARE(s.gui.window.findChild<QTableWidget*>(table)->horizontalHeaderItem(0)->text(), QString("Time [d]"));
    auto* variables = s.gui.window.findChild<QTableWidget*>("table.step_variables");
    for (int row = 0; row < variables->rowCount(); ++row)
      QVERIFY2(variables->item(row, 1)->text().size() <= 12, qPrintable(variables->item(row, 1)->text()));
  }

  void a_step_back_shows_what_was_shown() {
    Stepped s;
    s.press("step.forward");
    s.press("step.forward");
    const auto active = s.desk().active();
    const int taken = s.rows("table.step_taken");
    s.press("step.forward");
    s.press("step.back");
    QVERIFY(s.desk().active() == active);
    QCOMPARE(s.rows("table.step_taken"), taken);
  }

  void one_component_is_shown_when_chosen() {
    Stepped s;
    s.press("step.forward");
    const std::size_t all = s.desk().active().size();
    auto* choice = s.gui.window.findChild<QComboBox*>(QStringLiteral("choice.step_component"));
    QCOMPARE(choice->count(), 7);  // all, four generators, grid, core
    choice->setCurrentIndex(5);
    QCOMPARE(s.desk().active().size(), std::size_t{1});
    QVERIFY(all > 1);
  }

  void playing_goes_to_the_end_and_keeps_the_highlight() {
    Stepped s;
    s.press("step.forward");
    s.desk().set_speed(0);
    s.press("step.play");
    QVERIFY(s.desk().playing());
    QTRY_VERIFY_WITH_TIMEOUT(s.desk().history()->ended(), 20000);
    QVERIFY(!s.desk().playing());
    QVERIFY(!s.desk().active().empty());
    QVERIFY(!s.gui.window.actions_table()["step.forward"]->isEnabled());
    QVERIFY(s.gui.window.findChild<QLabel*>(QStringLiteral("label.step"))->text().contains("End of the mission"));
  }

  void a_breakpoint_ends_playing() {
    Stepped s;
    ElementId recovery;
    for (const Element* chart : s.gui.workspace().document().of(Section::diagram))
      for (const Element* edge : s.gui.workspace().document().edges(chart->id))
        if (edge->text("trigger").rfind("after(lognormal", 0) == 0) recovery = edge->id;
    QVERIFY(recovery);
    s.gui.workspace().reveal(recovery);
    s.press("step.breakpoint");
    QVERIFY(s.desk().breakpoints().contains(recovery));
    s.desk().set_speed(0);
    s.press("step.play");
    QTRY_VERIFY_WITH_TIMEOUT(!s.desk().playing(), 20000);
    QCOMPARE(s.desk().said(), QStringLiteral("Breakpoint"));
    // One moment may bring more than one transition.
    const auto& trace = s.desk().history()->trace();
    QVERIFY(std::any_of(trace.begin(), trace.end(), [&](const auto& t) { return t.element == recovery; }));
    for (const auto& taken : trace) QVERIFY(taken.element != recovery || taken.time_s == trace.back().time_s);
    s.press("step.breakpoint");
    QVERIFY(s.desk().breakpoints().empty());
  }

  void an_event_is_given_by_hand() {
    QTemporaryDir folder;
    const QString path = folder.filePath("lamp.scxml");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' name='Lamp'><state id='off'>"
        "<transition event='press' target='on'/></state><state id='on'/></scxml>");
    file.close();
    GuiFixture gui(path);
    gui.window.actions_table()["step.forward"]->trigger();
    auto* event = gui.window.findChild<QComboBox*>(QStringLiteral("choice.step_event"));
    event->setCurrentText(QStringLiteral("press"));
    gui.window.findChild<QPushButton*>(QStringLiteral("action.step.give"))->click();
    const Stepper& history = *gui.window.step_desk().history();
    QCOMPARE(history.trace().size(), std::size_t{1});
    QCOMPARE(history.now_s(), 0.0);
  }

  void a_trace_is_saved_and_made_again() {
    Stepped s;
    for (int i = 0; i < 6; ++i) s.press("step.forward");
    const QString path = s.folder.filePath("trace.json");
    QCOMPARE(s.desk().save_trace(path), QString());
    const auto before = s.desk().history()->fingerprint();
    s.press("step.end");
    QVERIFY(s.desk().history() == nullptr);
    QCOMPARE(s.outlined_active(), 0);
    QVERIFY(!s.desk().replay_trace(path));
    QCOMPARE(s.desk().history()->fingerprint(), before);
    const auto code = [&](const QString& of) { return s.desk().replay_trace(of).value_or(Diagnostic{}).code; };
    QCOMPARE(code(s.folder.filePath("model.ergode")), std::string("STP001"));
    QCOMPARE(code(s.folder.path()), std::string("FMT014"));  // a folder
    QCOMPARE(code(QStringLiteral("/dev/zero")), std::string("FMT014"));
    QVERIFY(s.desk().save_trace(s.folder.filePath("model.ergode")).contains("FMT009"));
  }

  void a_history_is_of_the_scenario_that_is_chosen() {
    Stepped s;
    auto* scenario = s.gui.window.findChild<QComboBox*>(QStringLiteral("field.run.scenario"));
    QVERIFY(scenario->count() > 1);
    scenario->setCurrentIndex(1);
    for (int i = 0; i < 6; ++i) s.press("step.forward");
    const QString path = s.folder.filePath("trace.json");
    QCOMPARE(s.desk().save_trace(path), QString());
    scenario->setCurrentIndex(0);
    QVERIFY(s.desk().history() == nullptr);
    QVERIFY(!s.desk().replay_trace(path));
    QCOMPARE(scenario->currentIndex(), 1);
    QCOMPARE(s.gui.window.workspace().scenario(), scenario->currentText());
    QVERIFY(s.desk().history() != nullptr);
  }

  void an_edit_ends_the_history() {
    Stepped s;
    s.press("step.forward");
    Edit edit(s.gui.workspace().document(), "Edit");
    edit.set(s.gui.workspace().document().model().id, "question", "Another?");
    s.gui.workspace().push(edit.finish());
    QVERIFY(s.desk().history() == nullptr);
    QVERIFY(s.desk().active().empty());
  }

  void run_options_come_from_the_table_and_are_checked() {
    const std::map<std::string, std::string> given = {{"variance-reduction", "splitting"}};
    RunOptionsDialog dialog(given);
    const auto field = [&](const char* name) {
      return dialog.findChild<QLineEdit*>(QStringLiteral("field.option.") + QLatin1String(name));
    };
    const auto list = [&](const char* name) {
      return dialog.findChild<QComboBox*>(QStringLiteral("field.option.") + QLatin1String(name));
    };
    QCOMPARE(list("variance-reduction")->currentText(), QStringLiteral("splitting"));
    // One of several words is chosen from a list of them; the first is what an option that is left out means.
    QStringList methods;
    for (int i = 0; i < list("ode-method")->count(); ++i) methods << list("ode-method")->itemText(i);
    QCOMPARE(methods, (QStringList{"automatic (default)", "stiff", "nonstiff"}));
    for (const QLabel* label : dialog.findChildren<QLabel*>()) QVERIFY2(!label->text().startsWith("--"), "a flag");
    QVERIFY(field("seed") == nullptr);  // in the tool bar
    field("ode-relative-tolerance")->setText(QStringLiteral("-1"));
    auto* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    ok->click();
    QCOMPARE(dialog.result(), 0);
    QVERIFY(dialog.findChild<QLabel*>(QStringLiteral("label.option_problem"))
                ->text()
                .startsWith("ODE relative tolerance is"));
    field("ode-relative-tolerance")->setText(QStringLiteral("1e-6"));
    ok->click();
    QCOMPARE(dialog.result(), int(QDialog::Accepted));
    GuiFixture gui;
    gui.window.run_bar().set_options(dialog.options());
    const RunRequest request = gui.window.run_bar().request();
    QCOMPARE(request.ode.relative, 1e-6);
    QCOMPARE(request.options.at("variance-reduction"), std::string("splitting"));
  }

  void a_model_with_errors_is_refused_with_its_place() {
    GuiFixture gui;
    gui.window.actions_table()["step.forward"]->trigger();
    QVERIFY(gui.window.step_desk().history() == nullptr);
    QVERIFY(gui.window.findChild<QLabel*>(QStringLiteral("label.banner"))->text().contains("not stepped"));
  }
};

ERGODE_GUI_TEST(TestStep)
#include "tst_step.moc"
