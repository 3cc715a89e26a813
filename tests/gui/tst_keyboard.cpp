#include <QComboBox>
#include <QLineEdit>
#include <QToolButton>

#include "app/gui/panels/problems_panel.h"
#include "app/session/catalogue.h"
#include "core/format/hash.h"
#include "tests/gui/gui_test.h"
#include "tests/gui/script_test.h"

using namespace ergode;

namespace {

/// An initial state, Up and Down, and the edges between them: keys only.
constexpr const char* draw_chart = R"json([
  {"key": "I"}, {"expect": {"tool": "place.initial"}}, {"key": "Return"},
  {"key": "S"}, {"key": "Return"}, {"type": "Up"}, {"key": "Return"},
  {"key": "S"}, {"key": "Return"}, {"type": "Down"}, {"key": "Return"},
  {"expect": {"nodes": 3, "selected": ["Down"], "tool": "select"}},
  {"key": "Tab"}, {"key": "T"}, {"expect": {"tool": "connect"}}, {"key": "Return"}, {"key": "Return"},
  {"key": "Tab"}, {"key": "Tab"}, {"expect": {"selected": ["Up"], "edges": 1}},
  {"key": "T"}, {"type": "d"}, {"key": "Return"}, {"type": "rate(0.01 /h)"}, {"key": "Return"},
  {"key": "Ctrl+Right"}, {"expect": {"selected": ["Down"], "edges": 2}},
  {"key": "T"}, {"key": "Left"}, {"key": "Return"}, {"type": "rate(0.1 /h)"}, {"key": "Return"},
  {"expect": {"edges": 3, "tool": "select"}}])json";

const Element* edge_between(const Document& document, ElementId diagram, const char* source, const char* target) {
  for (const Element* edge : document.edges(diagram))
    if (document.find(edge->source)->name() == source && document.find(edge->target)->name() == target) return edge;
  return nullptr;
}

}  // namespace

class TestKeyboard : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_million_is_typed_in_the_run_bar_as_people_write_it() {
    GuiFixture gui;
    auto* field = gui.window.findChild<QLineEdit*>("field.run.replications");
    QTest::keyClicks(field, "2e3");
    QCOMPARE(field->text(), QStringLiteral("2e3"));
    field->clear();
    QTest::keyClicks(field, "12x0.0");
    QCOMPARE(field->text(), QStringLiteral("120.0"));
    QVERIFY(!field->hasAcceptableInput());
  }
  void a_chart_of_two_states_is_drawn_and_run_by_keys_alone() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    const Workspace& workspace = gui.workspace();
    const Element* fails = edge_between(workspace.document(), workspace.diagram(), "Up", "Down");
    const Element* repairs = edge_between(workspace.document(), workspace.diagram(), "Down", "Up");
    QVERIFY(fails != nullptr && repairs != nullptr);
    QVERIFY(edge_between(workspace.document(), workspace.diagram(), "", "Up") != nullptr);
    QCOMPARE(fails->text("trigger"), std::string("rate(0.01 /h)"));
    QCOMPARE(repairs->text("trigger"), std::string("rate(0.1 /h)"));
    QCOMPARE(play(gui, R"([
      {"key": "Ctrl+PgDown"}, {"key": "O"}, {"key": "Return"}, {"type": "unit"}, {"key": "Return"},
      {"expect": {"nodes": 1, "selected": ["unit"]}},
      {"key": "Alt+Return"}, {"key": "Tab"}, {"type": "Chart"}, {"key": "Return"},
      {"expect": {"property": {"element": "unit", "name": "chart", "is": "Chart"}}},
      {"key": "Ctrl+M"}, {"wait_idle": 5000}, {"key": "F5"}, {"wait_run": 60000}, {"expect": {"state": "Done"}}])"),
             QString());
    const auto results = gui.window.desk().results();
    QVERIFY(results != nullptr);
    QVERIFY(results->replications > 0);
  }

  void every_step_by_keys_is_one_undo_step() {
    GuiFixture gui;
    const std::size_t before = gui.workspace().history().depth();
    QCOMPARE(play(gui, draw_chart), QString());
    // Three nodes and three edges; the first name or label of each belongs to its making.
    QCOMPARE(gui.workspace().history().depth(), before + 6);
    while (gui.workspace().history().depth() > before) QTest::keyClick(&gui.canvas(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(gui.workspace().document().nodes(gui.workspace().diagram()).empty());
    QVERIFY(gui.workspace().document().edges(gui.workspace().diagram()).empty());
  }

  void escape_gives_up_a_choice_of_the_target_and_leaves_the_document() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    const std::size_t depth = gui.workspace().history().depth();
    QCOMPARE(play(gui, R"([{"select": ["Up"]}, {"key": "T"}, {"key": "Right"}, {"key": "Escape"},
                           {"expect": {"tool": "select", "edges": 3}}])"),
             QString());
    QCOMPARE(gui.workspace().history().depth(), depth);
  }

  void a_name_that_no_target_begins_with_keeps_the_choice() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    QCOMPARE(play(gui, R"([{"select": ["Up"]}, {"key": "T"}, {"type": "do"}, {"type": "x"}, {"key": "Return"},
                           {"key": "Escape"}, {"expect": {"edges": 4}}])"),
             QString());
    const Workspace& workspace = gui.workspace();
    const Element* made = workspace.find(workspace.selection().front());
    QVERIFY(made != nullptr && made->is_edge());
    QCOMPARE(workspace.find(made->target)->name(), std::string("Down"));
  }

  void the_arrows_move_a_shape_before_enter_places_it() {
    GuiFixture gui;
    QCOMPARE(play(gui, R"([{"key": "S"}, {"key": "Return"}, {"type": "A"}, {"key": "Return"},
                           {"key": "S"}, {"key": "Down"}, {"key": "Down"}, {"key": "Down"}, {"key": "Right"},
                           {"key": "Return"}, {"type": "B"}, {"key": "Return"}])"),
             QString());
    const auto nodes = gui.workspace().document().nodes(gui.workspace().diagram());
    QCOMPARE(nodes.size(), 2u);
    QCOMPARE(nodes[1]->layout.bounds->y - nodes[0]->layout.bounds->y, 60.0);
    QVERIFY(nodes[1]->layout.bounds->x > nodes[0]->layout.bounds->right());
  }

  // Who clicks a free place and then presses the key means that place.
  void the_key_of_a_tool_leaves_the_view_where_it_is() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy("03_repairable_component/model.ergode", folder));
    show_chart(gui);
    gui.window.settle(QSize(1280, 720));
    CanvasView& canvas = gui.canvas();
    // The chart fills the view.
    QRectF content;
    for (const Element* node : gui.workspace().document().nodes(gui.workspace().diagram()))
      content = content.united(canvas.scene_items().bounds(node->id));
    canvas.set_zoom(canvas.viewport()->height() / (content.height() + 40));
    canvas.centerOn(content.center());
    gui.workspace().select({});
    const QPoint corner(30, canvas.viewport()->height() - 60);
    QVERIFY(!canvas.element_at(canvas.mapToScene(corner)));
    QTest::mouseMove(canvas.viewport(), corner);
    QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, corner);
    canvas.viewport()->setAttribute(Qt::WA_UnderMouse);
    const QPointF before = canvas.mapToScene(corner);
    QTest::keyClick(&canvas, Qt::Key_S);
    QCOMPARE(canvas.tool().name(), QString("place.state"));
    QCOMPARE(canvas.mapToScene(corner), before);
    QTest::keyClick(&canvas, Qt::Key_Escape);
    // With a node selected and no room in sight beside it, the click decides all the same.
    gui.workspace().select({gui.workspace().document().nodes(gui.workspace().diagram()).back()->id});
    QTest::keyClick(&canvas, Qt::Key_S);
    QCOMPARE(canvas.mapToScene(corner), before);
    const std::size_t nodes = gui.workspace().document().nodes(gui.workspace().diagram()).size();
    QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, corner);
    const auto after = gui.workspace().document().nodes(gui.workspace().diagram());
    QCOMPARE(after.size(), nodes + 1);
    const Rect& box = *after.back()->layout.bounds;
    QVERIFY(std::abs(box.x + box.width / 2 - before.x()) <= 10 && std::abs(box.y + box.height / 2 - before.y()) <= 10);
  }

  void the_place_offered_for_enter_is_in_sight_where_there_is_one() {
    GuiFixture gui;
    gui.window.settle(QSize(1280, 720));
    QCOMPARE(play(gui, draw_chart), QString());
    gui.workspace().select({});
    gui.canvas().viewport()->setAttribute(Qt::WA_UnderMouse, false);
    for (int i = 0; i < 3; ++i) {
      const QPointF before = gui.canvas().mapToScene(QPoint(0, 0));
      QTest::keyClick(&gui.canvas(), Qt::Key_S);
      QCOMPARE(gui.canvas().mapToScene(QPoint(0, 0)), before);
      QTest::keyClick(&gui.canvas(), Qt::Key_Return);
      const ElementId made = gui.workspace().selection().front();
      const QRectF box = gui.canvas().scene_items().bounds(made);
      for (const Element* node : gui.workspace().document().nodes(gui.workspace().diagram()))
        QVERIFY(node->id == made || !gui.canvas().scene_items().bounds(node->id).intersects(box));
      QTest::keyClick(gui.window.findChild<QLineEdit*>("field.canvas.label"), Qt::Key_Return);
      gui.workspace().select({});
    }
  }

  void a_step_that_mends_gives_the_keys_back_to_the_canvas() {
    GuiFixture gui;
    QCOMPARE(play(gui, R"json([{"key": "S"}, {"key": "Return"}, {"type": "Up"}, {"key": "Return"},
                               {"wait_idle": 5000}])json"),
             QString());
    gui.window.show_dock("problems");
    ProblemsPanel& problems = gui.window.problems();
    problems.setFocus();
    QToolButton* begin = nullptr;
    for (QToolButton* fix : problems.findChildren<QToolButton*>("button.problem.fix"))
      if (fix->text() == "Begin in Up") begin = fix;
    QVERIFY(begin != nullptr);
    QTest::mouseClick(begin, Qt::LeftButton);
    QTRY_COMPARE(gui.window.focusWidget(), &gui.canvas());
    QCOMPARE(play(gui, R"json([{"select": ["Up"]}])json"), QString());
    QTest::keyClick(gui.window.focusWidget(), Qt::Key_T);
    QCOMPARE(gui.canvas().tool().name(), QString("connect"));
  }

  void an_edge_drawn_by_the_mouse_takes_what_is_typed_next() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    const double zoom = gui.canvas().zoom();
    QCOMPARE(play(gui, R"json([{"trigger": "tool.connect"}, {"drag": "Up", "to": "Down"},
      {"type": "rate(lambda) [x > 1]"}, {"expect": {"nodes": 3, "edges": 4}}, {"key": "Return"},
      {"expect": {"nodes": 3, "edges": 4, "tool": "select"}}])json"),
             QString());
    const Workspace& workspace = gui.workspace();
    const Element* made = workspace.find(workspace.selection().front());
    QVERIFY(made != nullptr && made->is_edge());
    QCOMPARE(made->text("trigger"), std::string("rate(lambda)"));
    QCOMPARE(made->text("guard"), std::string("x > 1"));
    QCOMPARE(gui.canvas().zoom(), zoom);
  }

  void an_edge_drawn_by_two_clicks_takes_what_is_typed_next() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    QCOMPARE(play(gui, R"json([{"trigger": "tool.connect"}, {"click": "Down"}, {"click": "Up"},
      {"type": "after(2 h)"}, {"key": "Return"}, {"expect": {"nodes": 3, "edges": 4}}])json"),
             QString());
    QCOMPARE(gui.workspace().find(gui.workspace().selection().front())->text("trigger"), std::string("after(2 h)"));
  }

  void enter_in_the_inspector_keeps_the_keys_and_tab_goes_to_the_next_field() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    QCOMPARE(play(gui, R"json([{"select": ["Up"]}, {"key": "Alt+Return"}])json"), QString());
    auto* name = qobject_cast<QLineEdit*>(gui.window.focusWidget());
    QVERIFY(name != nullptr && name->objectName() == "field.state.name");
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(gui.window.focusWidget(), name);
    name->setText("not a name");
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(gui.window.focusWidget(), name);
    QTest::keyClick(name, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(name, "Working");
    QTest::keyClick(name, Qt::Key_Return);
    QVERIFY(gui.workspace().document().named(Section::node, "Working") != nullptr);
    QCOMPARE(gui.window.focusWidget(), name);
    // Letters are letters, and Tab stays with this element.
    const std::size_t nodes = gui.workspace().document().nodes(gui.workspace().diagram()).size();
    const ElementId selected = gui.workspace().selection().front();
    QTest::keyClick(gui.window.focusWidget(), Qt::Key_Tab);
    QWidget* next = gui.window.focusWidget();
    QVERIFY(next != name && next->objectName().startsWith("field.state."));
    QTest::keyClick(next, Qt::Key_S);
    QTest::keyClick(next, Qt::Key_Return);
    QCOMPARE(gui.window.focusWidget(), next);
    QCOMPARE(gui.workspace().selection(), std::vector<ElementId>{selected});
    QCOMPARE(gui.canvas().tool().name(), QStringLiteral("select"));
    QCOMPARE(gui.workspace().document().nodes(gui.workspace().diagram()).size(), nodes);
  }

  void escape_in_the_inspector_takes_back_and_then_gives_the_keys_to_the_canvas() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    QCOMPARE(play(gui, R"json([{"select": ["Up"]}, {"key": "Alt+Return"}])json"), QString());
    auto* name = qobject_cast<QLineEdit*>(gui.window.focusWidget());
    QVERIFY(name != nullptr);
    QTest::keyClicks(name, "x");
    QTest::keyClick(name, Qt::Key_Escape);
    QCOMPARE(name->text(), QStringLiteral("Up"));
    QCOMPARE(gui.window.focusWidget(), name);
    QTest::keyClick(name, Qt::Key_Escape);
    QCOMPARE(gui.window.focusWidget(), &gui.canvas());
  }

  // Neither keys nor buttons of the tool bar take the focus away, which would confirm it.
  void what_is_typed_is_saved_and_run_without_enter() {
    QTemporaryDir folder;
    const QString model = example_copy(queue, folder);
    GuiFixture gui(model);
    QVERIFY(QTest::qWaitForWindowActive(&gui.window));
    QCOMPARE(play(gui, R"json([{"select": ["desk"]}, {"key": "Alt+Return"}])json"), QString());
    auto* const service = gui.window.findChild<QLineEdit*>("field.station.service");
    QVERIFY(service != nullptr);
    const auto type = [&](const char* law) {
      service->setFocus(), service->selectAll();
      QTest::keyClicks(service, law);
    };
    type("exponential(mean = 0.25 s)");
    gui.window.findChild<QAction*>("action.file.save")->trigger();
    QFile file(model);
    QVERIFY(file.open(QIODevice::ReadOnly) && file.readAll().contains("exponential(mean = 0.25 s)"));
    QCOMPARE(QApplication::focusWidget(), service);
    type("exponential(mean = 0.75 s)");
    gui.window.findChild<QAction*>("action.step.forward")->trigger();
    const Element* desk = gui.workspace().document().named(Section::node, "desk");
    QCOMPARE(desk->text("service"), std::string("exponential(mean = 0.75 s)"));
    QCOMPARE(gui.workspace().history().depth(), std::size_t{2});
  }

  // A field in which nothing was typed has nothing to take back: the model has.
  void undo_at_an_untouched_field_is_that_of_the_model() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    QCOMPARE(play(gui, R"json([{"select": ["Up"]}, {"key": "Alt+Return"}])json"), QString());
    auto* name = qobject_cast<QLineEdit*>(gui.window.focusWidget());
    QVERIFY(name != nullptr);
    const auto taken_by_field = [&] {
      QKeyEvent undo(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
      undo.ignore();
      QCoreApplication::sendEvent(name, &undo);
      return undo.isAccepted();
    };
    QVERIFY(!taken_by_field());
    QTest::keyClicks(name, "x");
    QVERIFY(taken_by_field());
  }

  void no_key_typed_at_a_field_reaches_a_tool() {
    GuiFixture gui;
    QCOMPARE(play(gui, draw_chart), QString());
    const Workspace& workspace = gui.workspace();
    const Element* fails = edge_between(workspace.document(), workspace.diagram(), "Up", "Down");
    QVERIFY(fails != nullptr);
    // Every letter that means a tool in any notation, and the keys that the canvas knows beside them.
    QString letters = QStringLiteral("V+-!\")0 ");
    for (const NotationSpec& notation : catalogue().notations())
      for (const KindSpec& kind : notation.kinds) letters += QString::fromStdString(kind.shortcut);
    QVERIFY(letters.size() > 14);
    const auto type_everything = [&](QWidget* field) {
      for (const QChar letter : letters) QTest::keyClick(field, letter.toLatin1());
      for (const Qt::Key key : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Left, Qt::Key_PageUp, Qt::Key_F24})
        QTest::keyClick(field, key);
    };
    const std::string before = file_hash(workspace.document());
    const double zoom = gui.canvas().zoom();
    gui.workspace().select({fails->id});
    std::vector<QWidget*> fields;
    for (QLineEdit* line : gui.window.findChildren<QLineEdit*>())
      if (line->isVisible()) fields.push_back(line);
    QVERIFY(fields.size() > 4);
    for (QWidget* field : fields) {
      if (qobject_cast<QComboBox*>(field->parent()) != nullptr) continue;  // Arrows there choose; see below.
      field->setFocus();
      type_everything(field);
      QTest::keyClick(field, Qt::Key_Escape);
    }
    gui.canvas().edit_label(fails->id);
    auto* label = gui.window.findChild<QLineEdit*>("field.canvas.label");
    type_everything(label);
    QVERIFY(gui.canvas().editing_label());
    QVERIFY(label->text().contains('V', Qt::CaseInsensitive));
    QTest::keyClick(label, Qt::Key_Escape);
    gui.canvas().quick_add(QPointF(900, 900));
    auto* add = gui.window.findChild<QLineEdit*>("field.quick_add");
    QVERIFY(add != nullptr);
    type_everything(add);
    QTest::keyClick(add, Qt::Key_Escape);
    QCOMPARE(gui.canvas().tool().name(), QStringLiteral("select"));
    QCOMPARE(gui.canvas().zoom(), zoom);
    QCOMPARE(file_hash(workspace.document()), before);
  }
};

ERGODE_GUI_TEST(TestKeyboard)
#include "tst_keyboard.moc"
