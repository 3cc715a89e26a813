#include "app/gui/script/script_player.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

namespace {

QString play(GuiFixture& gui, const char* script) {
  const QJsonDocument steps = QJsonDocument::fromJson(script);
  return steps.isArray() ? ScriptPlayer(gui.window).play(steps.array()) : QStringLiteral("the script is no JSON");
}

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
    // Three nodes, two names, three edges, two labels.
    QCOMPARE(gui.workspace().history().depth(), before + 10);
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
};

ERGODE_GUI_TEST(TestKeyboard)
#include "tst_keyboard.moc"
