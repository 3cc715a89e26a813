#include <QAccessible>
#include <QDropEvent>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>

#include "app/gui/canvas/overlay.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/script/script_player.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

namespace {

/// Two states A and B and a composite C in the chart of a new model, laid out on the grid.
struct Drawing : GuiFixture {
  Drawing() {
    Edit edit(workspace().document(), "Draw");
    a = add(edit, "A", {100, 100, 140, 60});
    b = add(edit, "B", {400, 100, 140, 60});
    c = add(edit, "C", {100, 300, 400, 240});
    workspace().push(edit.finish());
    canvas().set_zoom(1);
    canvas().centerOn(300, 300);
  }
  ElementId add(Edit& edit, const char* name, Rect box) {
    Element made;
    made.kind = "state";
    made.diagram = workspace().diagram();
    made.properties["name"] = name;
    made.layout.bounds = box;
    return edit.insert(made);
  }
  QString play(const char* script) { return ScriptPlayer(window).play(QJsonDocument::fromJson(script).array()); }
  ElementId a, b, c;
};

}  // namespace

class TestCanvas : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void dragging_a_node_moves_it_on_the_grid_in_one_step() {
    Drawing d;
    QCOMPARE(d.play(R"([{"drag": "A", "to": "223,201"}, {"expect": {"depth": 2, "undo_text": "Move state A",
      "bounds": {"element": "A", "is": [150, 170, 140, 60]}}}, {"key": "Ctrl+Z"}])"),
             QString());
  }

  void a_node_dropped_near_a_neighbours_centre_line_snaps_to_it_and_not_with_ctrl() {
    Drawing d;
    QCOMPARE(d.play(R"([{"drag": "A", "to": "173,133", "modifiers": []}])"), QString());
    QCOMPARE(d.workspace().find(d.a)->layout.bounds->y, d.workspace().find(d.b)->layout.bounds->y);
    QCOMPARE(d.play(R"([{"drag": "A", "to": "203,133", "modifiers": ["ctrl"]}])"), QString());
    QVERIFY(d.workspace().find(d.a)->layout.bounds->y != d.workspace().find(d.b)->layout.bounds->y);
  }

  void a_state_dragged_into_a_composite_becomes_its_child_and_keeps_its_transitions() {
    Drawing d;
    ElementId edge;
    std::string why;
    d.workspace().push(*ergode::connect(d.workspace().document(), *d.workspace().notation(), d.a, d.b, edge, why));
    QCOMPARE(
        d.play(
            R"([{"drag": "A", "to": "300,430"}, {"expect": {"depth": 3, "edges": 1, "parent": {"element": "A", "is": "C"}}}])"),
        QString());
    d.workspace().undo();
    QVERIFY(!d.workspace().find(d.a)->parent);
  }

  void the_connect_tool_draws_a_transition_by_dragging_and_by_two_clicks() {
    Drawing d;
    d.canvas().use_connect_tool(false);
    QCOMPARE(d.play(R"([{"drag": "A", "to": "B"}, {"expect": {"depth": 2, "edges": 1, "tool": "select"}}])"),
             QString());
    d.canvas().use_connect_tool(false);
    QCOMPARE(d.play(R"([{"click": "B"}, {"click": "A"}, {"expect": {"depth": 3, "edges": 2, "tool": "select"}}])"),
             QString());
  }

  void each_way_of_adding_makes_exactly_one_element_and_starts_naming_it() {
    Drawing d;
    d.canvas().setFocus();
    QCOMPARE(
        d.play(
            R"([{"key": "S"}, {"expect": {"tool": "place.state"}}, {"click": "600,300"}, {"expect": {"depth": 2, "nodes": 4}}])"),
        QString());
    QVERIFY(d.canvas().editing_label());
    auto* field = d.window.findChild<QLineEdit*>("field.canvas.label");
    QTest::keyClick(field, Qt::Key_Escape);
    QMimeData dragged;
    dragged.setData(QLatin1String(kind_mime), "choice");
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(d.canvas().viewport(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(d.canvas().mapFromScene(QPointF(620, 420))), Qt::CopyAction, &dragged, Qt::LeftButton,
                    Qt::NoModifier);
    QCoreApplication::sendEvent(d.canvas().viewport(), &drop);
    QCOMPARE(d.workspace().history().depth(), 3u);
    QCOMPARE(
        d.play(
            R"([{"double_click": "640,200"}, {"set": "field.quick_add", "text": "fin"}, {"expect": {"depth": 4, "nodes": 6}}])"),
        QString());
  }

  void a_name_typed_in_place_is_applied_by_enter_and_given_up_by_escape() {
    Drawing d;
    d.canvas().edit_label(d.a);
    auto* field = d.window.findChild<QLineEdit*>("field.canvas.label");
    field->setText("Standby");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(d.workspace().find(d.a)->name(), std::string("Standby"));
    QCOMPARE(d.workspace().history().depth(), 2u);
    d.canvas().edit_label(d.a);
    field->setText("Nonsense");
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(d.workspace().find(d.a)->name(), std::string("Standby"));
    d.canvas().edit_label(d.a);
    field->setText("not a name");
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(d.canvas().editing_label());
    QCOMPARE(d.workspace().history().depth(), 2u);
  }

  void handles_stay_with_the_diagram_in_which_their_element_is() {
    GuiFixture gui(example("01_edg_common_cause/model.ergode"));
    const ElementId plant = gui.workspace().document().named(Section::diagram, "Plant")->id;
    const ElementId chart = gui.workspace().document().named(Section::diagram, "Generator")->id;
    const auto picture = [&] {
      QApplication::processEvents();
      return gui.canvas().grab().toImage();
    };
    gui.workspace().show_diagram(chart);
    const QImage untouched = picture();
    gui.workspace().show_diagram(plant);
    ElementId group;
    for (const Element* node : gui.workspace().document().nodes(plant))
      if (node->kind == "ccf_group") group = node->id;
    const QPoint at = gui.canvas().mapFromScene(gui.canvas().scene_items().bounds(group).center());
    QTest::mouseMove(gui.canvas().viewport(), at);
    QTest::mouseClick(gui.canvas().viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(gui.workspace().selection(), std::vector{group});
    // By the keyboard: the pointer stays over the canvas and does not move.
    gui.workspace().show_diagram(chart);
    QVERIFY(gui.workspace().selection().empty());
    QCOMPARE(picture(), untouched);
    // Nor is anything pulled from where the handles would have been drawn: the corner of an element that is not there.
    const auto edges = gui.workspace().document().edges(chart).size();
    const QPoint origin = gui.canvas().mapFromScene(QPointF(11 / gui.canvas().zoom(), 0));
    QTest::mousePress(gui.canvas().viewport(), Qt::LeftButton, {}, origin);
    QVERIFY(!gui.workspace().selected(group));
    QTest::mouseRelease(gui.canvas().viewport(), Qt::LeftButton, {}, origin);
    QCOMPARE(gui.workspace().document().edges(chart).size(), edges);
  }

  void the_list_of_elements_to_insert_closes_when_there_is_none() {
    GuiFixture gui(example("01_edg_common_cause/model.ergode"));
    const auto chooser = [&] {
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
      return gui.canvas().findChild<QFrame*>("view.quick_add");
    };
    const auto elements = gui.workspace().document().elements().size();
    gui.canvas().quick_add(QPointF(40, 40));
    QVERIFY(chooser() != nullptr && chooser()->isVisible());
    auto* field = chooser()->findChild<QLineEdit*>("field.quick_add");
    QTest::keyClicks(field, "zzz");
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Up}) QTest::keyClick(field, key);  // nowhere to go
    QVERIFY(chooser()->findChild<QListWidget*>("list.quick_add")->item(0)->text().contains("No element"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(chooser() == nullptr);
    QCOMPARE(gui.workspace().document().elements().size(), elements);
    QVERIFY(gui.window.findChild<QLabel*>("status.hint")->text().contains("no element \"zzz\""));
    // What belongs to a diagram goes with it.
    gui.canvas().quick_add(QPointF(40, 40));
    gui.workspace().show_diagram(gui.workspace().document().named(Section::diagram, "Generator")->id);
    QVERIFY(chooser() == nullptr);
    // And where nothing can be added, nothing opens.
    Edit edit(gui.workspace().document(), "Another notation");
    edit.set(gui.workspace().diagram(), "notation", "hieroglyphs");
    gui.workspace().push(edit.finish());
    gui.canvas().quick_add(QPointF(40, 40));
    QVERIFY(chooser() == nullptr);
  }

  void zooming_keeps_the_point_under_the_pointer_within_a_pixel() {
    Drawing d;
    const QPoint pointer(500, 300);
    for (const double zoom : {1.7, 0.4, 6.0, 1.0}) {
      const QPointF before = d.canvas().mapToScene(pointer);
      d.canvas().set_zoom(zoom, pointer);
      const QPointF moved = d.canvas().mapFromScene(before) - QPointF(pointer);
      QVERIFY2(std::abs(moved.x()) <= 1 && std::abs(moved.y()) <= 1,
               qPrintable(QString("%1 %2").arg(moved.x()).arg(moved.y())));
    }
    d.canvas().set_zoom(100);
    QCOMPARE(d.canvas().zoom(), 8.0);
  }

  void what_is_dragged_far_away_is_reached_by_fit() {
    Drawing d;
    d.workspace().push(move_nodes(d.workspace().document(), {d.a}, -5000, -5000));
    d.canvas().fit();
    const QRectF seen = d.canvas().mapToScene(d.canvas().viewport()->rect()).boundingRect();
    QVERIFY(seen.contains(d.canvas().scene_items().bounds(d.a)));
  }

  void arrows_move_the_selection_by_one_grid_step_and_delete_removes_it() {
    Drawing d;
    d.workspace().select({d.a});
    d.canvas().setFocus();
    QTest::keyClick(&d.canvas(), Qt::Key_Right);
    QCOMPARE(d.workspace().find(d.a)->layout.bounds->x, 110.0);
    d.window.actions_table()["edit.delete"]->trigger();
    QVERIFY(d.workspace().find(d.a) == nullptr);
    QCOMPARE(d.workspace().history().depth(), 3u);
    QVERIFY(!d.window.actions_table()["edit.delete"]->isEnabled());
    QVERIFY(d.window.actions_table()["edit.delete"]->toolTip().contains("Nothing is selected"));
  }

  void switching_the_theme_touches_no_document() {
    Drawing d;
    const auto depth = d.workspace().history().depth();
    d.window.set_theme("dark");
    d.window.set_theme("light");
    QCOMPARE(d.workspace().history().depth(), depth);
  }

  void assistive_programs_find_every_element_by_name() {
    GuiFixture gui(example("03_repairable_component/model.ergode"));
    Workspace& workspace = gui.workspace();
    workspace.show_diagram(workspace.document().named(Section::diagram, "Unit")->id);
    QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&gui.canvas());
    QVERIFY(canvas != nullptr);
    QCOMPARE(canvas->role(), QAccessible::Canvas);
    QCOMPARE(canvas->childCount(), 6);
    QStringList names;
    for (int i = 0; i < canvas->childCount(); ++i) names << canvas->child(i)->text(QAccessible::Name);
    QVERIFY2(names.contains("State Up, 1 outgoing"), qPrintable(names.join('\n')));
    QVERIFY2(names.contains("Transition from Up to Down, rate(lambda)"), qPrintable(names.join('\n')));
    workspace.select({workspace.document().named(Section::node, "Down")->id});
    int selected = 0;
    for (int i = 0; i < canvas->childCount(); ++i) selected += canvas->child(i)->state().selected ? 1 : 0;
    QCOMPARE(selected, 1);
    QAccessibleInterface* gone = canvas->child(2);
    workspace.push(remove_elements(workspace.document(), workspace.selection()));
    QVERIFY(!gone->isValid());
    QVERIFY(canvas->childCount() < 6);
  }

  void the_overview_shows_when_the_diagram_does_not_fit_and_leaves_the_selection_free() {
    GuiFixture gui(example("02_station_blackout/model.ergode"));
    auto* overview = gui.window.findChild<QWidget*>("view.minimap");
    gui.canvas().fit();
    QVERIFY(!overview->isVisible());
    gui.canvas().set_zoom(4);
    QVERIFY(overview->isVisible());
    for (const Element* node : gui.workspace().document().nodes(gui.workspace().diagram())) {
      gui.workspace().select({node->id});
      gui.canvas().set_zoom(1.8);
      const QRect box = gui.canvas().mapFromScene(gui.canvas().scene_items().bounds(node->id)).boundingRect();
      QVERIFY(!overview->isVisible() || !overview->geometry().intersects(box));
    }
  }

  void a_badge_clear_of_the_corner_leaves_the_handle_there() {
    GuiFixture gui(example("01_edg_common_cause/model.ergode"));
    Workspace& workspace = gui.workspace();
    const Element* group = nullptr;
    for (const Element& e : workspace.document().elements())
      if (e.kind == "ccf_group") group = &e;
    QVERIFY(group != nullptr);
    const ElementId id = group->id;
    workspace.show_diagram(group->diagram);
    workspace.set_check([id](const Document&) { return Diagnostics{{Severity::error, "X", id, "", "wrong", "", 0}}; });
    QTRY_VERIFY(workspace.worst_problem(id) != nullptr);
    workspace.select({id});
    // The tip of the hexagon is where the badge stands.
    QCOMPARE(resize_handles(gui.canvas(), id)[1], gui.canvas().scene_items().bounds(id).topRight());
  }

  void the_handle_of_a_corner_with_a_badge_steps_aside_and_still_resizes() {
    GuiFixture gui(example("02_station_blackout/model.ergode"));
    Workspace& workspace = gui.workspace();
    const ElementId id = workspace.document().named(Section::node, "EDG")->id;
    workspace.set_check([id](const Document&) { return Diagnostics{{Severity::error, "X", id, "", "wrong", "", 0}}; });
    QTRY_VERIFY(workspace.worst_problem(id) != nullptr);
    workspace.select({id});
    CanvasView& canvas = gui.canvas();
    const QPointF corner = canvas.scene_items().bounds(id).topRight(), handle = resize_handles(canvas, id)[1];
    constexpr double badge_radius = 8;
    QVERIFY(QLineF(handle, corner).length() > badge_radius);
    const Rect before = *workspace.find(id)->layout.bounds;
    const QPoint from = canvas.mapFromScene(handle), to = canvas.mapFromScene(handle + QPointF(40, -20));
    QTest::mousePress(canvas.viewport(), Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, to, canvas.viewport()->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(canvas.viewport(), &move);
    QTest::mouseRelease(canvas.viewport(), Qt::LeftButton, {}, to);
    const Rect after = *workspace.find(id)->layout.bounds;
    QCOMPARE(after.width - before.width, 40.0);
    QCOMPARE(after.height - before.height, 20.0);
  }
};

ERGODE_GUI_TEST(TestCanvas)
#include "tst_canvas.moc"
