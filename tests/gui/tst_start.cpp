#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QTreeWidget>

#include "app/gui/help_window.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/session/gallery.h"
#include "core/format/hash.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/script_test.h"

using namespace ergode;

namespace {

QPushButton* button(GuiFixture& gui, const QString& name) { return gui.window.findChild<QPushButton*>(name); }

/// Clicks the first link of a label where a user would: where the pointer becomes a hand.
bool click_link(QLabel* label) {
  for (int y = 3; y < label->height(); y += 4)
    for (int x = 3; x < label->width(); x += 5) {
      QTest::mouseMove(label, QPoint(x, y));
      if (label->cursor().shape() != Qt::PointingHandCursor) continue;
      QTest::mouseClick(label, Qt::LeftButton, {}, QPoint(x + 4, y + 2));
      return true;
    }
  return false;
}

}  // namespace

class TestStart : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void one_click_opens_a_copy_of_a_template_or_example() {
    for (const char* name :
         {"template.redundant_pair", "template.statechart_tour", "example.03_repairable_component"}) {
      GuiFixture gui;
      gui.window.show_start_page();
      QVERIFY(!gui.canvas().isVisible());
      QPushButton* card = button(gui, name);
      QVERIFY2(card != nullptr, name);
      QTest::mouseClick(card, Qt::LeftButton);
      QVERIFY(gui.canvas().isVisible());
      QVERIFY(gui.workspace().path().isEmpty());
      QVERIFY(!gui.workspace().modified());
      const GalleryModel* model = find_in_gallery(QString(name).section('.', 1).toStdString());
      QCOMPARE(file_hash(gui.workspace().document()), file_hash(model->document));
    }
  }

  void the_queueing_examples_are_seen_in_a_small_window() {
    GuiFixture gui;
    gui.window.settle(QSize(1280, 720));
    gui.window.show_start_page();
    QApplication::processEvents();
    for (const char* name : {"example.10_mm1_queue", "example.11_web_farm", "template.service_desk"}) {
      const QWidget* card = button(gui, name);
      QVERIFY(card != nullptr);
      QVERIFY2(card->mapTo(&gui.window, QPoint(0, card->height())).y() <= 720, name);
    }
  }

  void all_templates_and_examples_are_there_and_the_recent_files() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("03_repairable_component/model.ergode", folder));
    gui.window.show_start_page();
    for (const GalleryModel& m : model_templates()) QVERIFY(button(gui, "template." + QString::fromStdString(m.name)));
    for (const GalleryModel& m : example_models()) QVERIFY(button(gui, "example." + QString::fromStdString(m.name)));
    gui.workspace().start_new();
    gui.window.show_start_page();
    QTest::mouseClick(button(gui, "recent.0"), Qt::LeftButton);
    QCOMPARE(gui.workspace().path(), QFileInfo(folder.filePath("model.ergode")).absoluteFilePath());
    QVERIFY(gui.canvas().isVisible());
  }

  void an_empty_model_is_one_click_away() {
    GuiFixture gui(example("03_repairable_component/model.ergode"));
    gui.window.show_start_page();
    QTest::mouseClick(button(gui, "action.start.empty"), Qt::LeftButton);
    QVERIFY(gui.canvas().isVisible());
    QVERIFY(gui.workspace().path().isEmpty());
    QVERIFY(gui.workspace().document().nodes(gui.workspace().diagram()).empty());
  }

  void f1_explains_what_is_selected() {
    GuiFixture gui(example("02_station_blackout/model.ergode"));
    const auto page_after_f1 = [&] {
      gui.window.actions_table()["help.topic"]->trigger();
      return gui.window.findChild<HelpWindow*>("dialog.help")->page();
    };
    QCOMPARE(gui.window.actions_table()["help.topic"]->shortcut(), QKeySequence(Qt::Key_F1));
    gui.workspace().select({gui.workspace().document().named(Section::node, "EDG")->id});
    QCOMPARE(page_after_f1(), QStringLiteral("kind.component"));
    gui.workspace().select({gui.workspace().document().named(Section::node, "CCF start")->id});
    QCOMPARE(page_after_f1(), QStringLiteral("kind.ccf_group"));
    gui.workspace().select({gui.workspace().document().of(Section::parameter).front()->id});
    QCOMPARE(page_after_f1(), QStringLiteral("kind.parameter"));
    gui.workspace().select({});
    gui.window.show_start_page();
    QCOMPARE(page_after_f1(), QStringLiteral("1_start"));
  }

  void help_goes_back_and_finds() {
    GuiFixture gui;
    HelpWindow help;
    help.show_page("1_start");
    help.show_page("kind.transition", "Memory of the delay");
    QVERIFY(help.findChild<QTextBrowser*>("view.help")->textCursor().selectedText().contains("Memory"));
    QTest::mouseClick(help.findChild<QPushButton*>("action.help.back"), Qt::LeftButton);
    QCOMPARE(help.page(), QStringLiteral("1_start"));
    help.findChild<QLineEdit*>("field.help.find")->setText("double failure biasing never written");
    auto* contents = help.findChild<QTreeWidget*>("list.help");
    QVERIFY(contents->topLevelItem(0)->child(0)->isHidden());
  }

  void an_undefined_name_is_reported_while_it_is_typed_and_one_click_creates_it() {
    GuiFixture gui;
    gui.window.activateWindow();  // only then do focus and presses go the way they go for a user
    QVERIFY(QTest::qWaitForWindowActive(&gui.window));
    QCOMPARE(play(gui, R"json([{"key": "S"}, {"key": "Return"}, {"type": "Up"}, {"key": "Return"},
      {"key": "S"}, {"key": "Return"}, {"type": "Down"}, {"key": "Return"},
      {"trigger": "tool.connect"}, {"drag": "Up", "to": "Down"}, {"type": "rate(lambda)"}])json"),
             QString());
    auto* field = gui.window.findChild<QLineEdit*>("field.canvas.label");
    QVERIFY(field->isVisible());
    QLabel* reason = nullptr;
    const auto find_reason = [&] {
      for (QLabel* label : field->parentWidget()->findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains("Create parameter lambda")) reason = label;
      return reason != nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(find_reason(), 5000);
    QVERIFY(gui.workspace().document().of(Section::parameter).empty());
    QVERIFY(click_link(reason));
    const Element* made = gui.workspace().document().named(Section::parameter, "lambda");
    QVERIFY(made != nullptr);
    QCOMPARE(gui.workspace().document().edges(gui.workspace().diagram()).front()->text("trigger"),
             std::string("rate(lambda)"));
    // The next keys are its value; Enter takes it, and Escape gives the keys back to the canvas.
    QWidget* value = gui.window.focusWidget();
    QVERIFY(value != nullptr);
    QCOMPARE(value->objectName(), QStringLiteral("field.parameter.value"));
    QTest::keyClicks(value, "1e-3 /h");
    QTest::keyClick(value, Qt::Key_Return);
    QCOMPARE(gui.window.focusWidget(), value);
    QTest::keyClick(value, Qt::Key_Escape);
    QCOMPARE(gui.workspace().find(made->id)->text("value"), std::string("1e-3 /h"));
    QCOMPARE(gui.window.focusWidget(), &gui.canvas());
  }

  void a_field_of_the_inspector_reports_and_offers_while_typing() {
    GuiFixture gui(example("03_repairable_component/model.ergode"));
    Workspace& workspace = gui.workspace();
    const Element* edge = nullptr;
    for (const Element& e : workspace.document().elements())
      if (e.text("trigger") == "rate(mu)") edge = &e;
    QVERIFY(edge != nullptr);
    const ElementId id = edge->id;
    workspace.select({id});
    PropertyField* field = gui.window.inspector().field("trigger");
    auto* line = qobject_cast<QLineEdit*>(field->editor());
    line->selectAll();
    QTest::keyClicks(line, "rate(mu_new)");
    auto* problem = gui.window.findChild<QLabel*>("problem.transition.trigger");
    QTRY_VERIFY_WITH_TIMEOUT(problem->isVisible() && problem->text().contains("Create parameter mu_new"), 5000);
    QCOMPARE(workspace.find(id)->text("trigger"), std::string("rate(mu)"));  // not applied yet
    QVERIFY(click_link(problem));
    QVERIFY(workspace.document().named(Section::parameter, "mu_new") != nullptr);
    QCOMPARE(workspace.find(id)->text("trigger"), std::string("rate(mu_new)"));
  }

  void a_new_component_takes_the_only_chart() {
    GuiFixture gui;
    QCOMPARE(play(gui, R"json([{"diagram": "System"}, {"key": "O"}, {"key": "Return"}, {"key": "Return"},
                               {"expect": {"nodes": 1}}])json"),
             QString());
    const auto nodes = gui.workspace().document().nodes(gui.workspace().diagram());
    QCOMPARE(nodes.front()->text("chart"), std::string("Chart"));
    gui.window.actions_table()["diagram.add_chart"]->trigger();
    QCOMPARE(play(gui, R"json([{"diagram": "System"}, {"key": "O"}, {"key": "Return"}, {"key": "Return"}])json"),
             QString());
    QVERIFY(gui.workspace().document().nodes(gui.workspace().diagram()).back()->text("chart").empty());
  }
};

ERGODE_GUI_TEST(TestStart)
#include "tst_start.moc"
