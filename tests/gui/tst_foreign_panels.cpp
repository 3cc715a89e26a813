// The desktop shows a notation that it does not know: palette, quick-add, outline, inspector, canvas, new diagram.
#include <QLineEdit>
#include <QListWidget>
#include <QTabBar>
#include <QToolButton>
#include <QTreeWidget>

#include "app/gui/canvas/overlay.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/script/script_player.h"
#include "app/session/catalogue.h"
#include "gui_test.h"
#include "tests/support/token_bucket.h"

using namespace ergode;

namespace {

QStringList rows(const QListWidget* list) {
  QStringList out;
  for (int row = 0; row < list->count(); ++row) out << list->item(row)->text();
  return out;
}

/// A window with a new token diagram: the source that such a diagram begins with, a bucket and a pipe between them.
struct TokenWindow : GuiFixture {
  ElementId source, bucket, pipe;
  TokenWindow() {
    workspace().start_new();
    window.actions_table().find("diagram.add_tokens")->trigger();
    source = workspace().document().nodes(workspace().diagram()).front()->id;
    Edit edit(workspace().document(), "Pipe");
    Element tank{.kind = "token_bucket", .diagram = workspace().diagram()};
    tank.properties = {{"name", "tank"}, {"capacity", "5"}};
    tank.layout.bounds = Rect{300, 80, 110, 70};
    bucket = edit.insert(tank);
    Element line{.section = Section::edge, .kind = "token_pipe", .diagram = workspace().diagram()};
    line.source = source, line.target = bucket;
    pipe = edit.insert(line);
    Element measure{.section = Section::measure, .kind = "measure"};
    measure.properties = {{"name", "mean_level"}, {"type", "time_average"}, {"expression", "tank.level"}};
    edit.insert(measure);
    workspace().push(edit.finish());
  }
  QLineEdit* label() { return window.findChild<QLineEdit*>("field.canvas.label"); }
};

}  // namespace

class TestForeignPanels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_notation(test::token_bucket_notation()); }

  void a_new_diagram_of_it_is_offered_beside_the_others() {
    TokenWindow gui;
    const Element* diagram = gui.workspace().find(gui.workspace().diagram());
    QCOMPARE(diagram->name(), std::string("Tokens1"));
    QCOMPARE(diagram->text("notation"), std::string("tokens"));
    QCOMPARE(gui.window.actions_table().find("diagram.add_tokens")->toolTip(),
             QStringLiteral("Add a token diagram to the model"));
    const auto* add = gui.window.findChild<QToolButton*>("action.diagram.add");
    QCOMPARE(add->actions().size(), 6);
    QCOMPARE(add->actions().back()->objectName(), QStringLiteral("action.diagram.add_tokens"));
    // A new model still begins with a chart and a system alone.
    gui.workspace().start_new();
    QCOMPARE(gui.workspace().document().of(Section::diagram).size(), 2u);
  }

  void a_new_diagram_asks_for_its_name_as_part_of_its_making() {
    GuiFixture gui;
    gui.workspace().start_new();
    gui.window.actions_table().find("diagram.add_tokens")->trigger();
    PropertyField* name = gui.window.inspector().field("name");
    QVERIFY(name != nullptr);
    QCOMPARE(name->text(), QStringLiteral("Tokens1"));
    name->set_text("Feeding");
    name->apply();
    QCOMPARE(gui.workspace().find(gui.workspace().diagram())->name(), std::string("Feeding"));
    QCOMPARE(gui.workspace().history().depth(), 1u);
    // Later names are steps of their own, and a double click on the tab asks for one.
    gui.workspace().select({});
    auto* tabs = gui.window.findChild<QTabBar*>("tabs.diagrams");
    const int last = tabs->count() - 1;
    QTest::mouseDClick(tabs, Qt::LeftButton, {}, tabs->tabRect(last).center());
    QCOMPARE(gui.workspace().selection(), std::vector<ElementId>{gui.workspace().diagram()});
    name = gui.window.inspector().field("name");
    name->set_text("Tanks");
    name->apply();
    QCOMPARE(gui.workspace().history().depth(), 2u);
  }

  void palette_and_quick_add_list_its_kinds() {
    TokenWindow gui;
    QCOMPARE(rows(gui.window.findChild<QListWidget*>("panel.palette")),
             (QStringList{"Select", "Token pipe", "Token source", "Token bucket", "Note"}));
    gui.canvas().quick_add(QPointF(100, 300));
    QCOMPARE(rows(gui.window.findChild<QListWidget*>("list.quick_add")),
             (QStringList{"Token source", "Token bucket", "Note"}));
    QTest::keyClicks(gui.window.findChild<QLineEdit*>("field.quick_add"), "buck");
    QTest::keyClick(gui.window.findChild<QLineEdit*>("field.quick_add"), Qt::Key_Return);
    QCOMPARE(gui.workspace().document().nodes(gui.workspace().diagram()).back()->name(), std::string("bucket1"));
    QTRY_VERIFY(gui.canvas().editing_label());
  }

  void the_outline_and_the_inspector_show_its_elements() {
    TokenWindow gui;
    const auto* outline = gui.window.findChild<QTreeWidget*>("panel.outline");
    const auto has = [&](const QString& text) {
      return !outline->findItems(text, Qt::MatchExactly | Qt::MatchRecursive).isEmpty();
    };
    QTRY_VERIFY(has("tank"));
    QVERIFY(has("1 /h") && has(QStringLiteral("source1 → tank")));
    gui.workspace().reveal(gui.bucket);
    QVERIFY(gui.window.inspector().field("capacity") != nullptr);
    QCOMPARE(gui.window.inspector().field("capacity")->text(), QStringLiteral("5"));
    gui.workspace().reveal(gui.pipe);
    QVERIFY(gui.window.inspector().field("capacity") == nullptr);
  }

  void the_label_of_a_source_is_edited_in_place_and_refused_with_its_column() {
    TokenWindow gui;
    gui.canvas().edit_label(gui.source);
    QCOMPARE(gui.label()->text(), QStringLiteral("1 /h"));
    gui.label()->clear();
    QTest::keyClicks(gui.label(), "3 h");
    const auto reasons = gui.canvas().viewport()->findChildren<QLabel*>();
    QVERIFY(std::any_of(reasons.begin(), reasons.end(),
                        [](const QLabel* l) { return l->isVisible() && l->text().contains("Column 3: "); }));
    QTest::keyClick(gui.label(), Qt::Key_Return);
    QVERIFY(gui.canvas().editing_label());
    QTest::keyClick(gui.label(), Qt::Key_Backspace);
    QTest::keyClicks(gui.label(), "/h");
    QTest::keyClick(gui.label(), Qt::Key_Return);
    QVERIFY(!gui.canvas().editing_label());
    QCOMPARE(gui.workspace().find(gui.source)->text("rate"), std::string("3 /h"));
    QCOMPARE(gui.workspace().history().undo_text(), std::string("Edit token source label"));
    // A pipe has no label.
    gui.canvas().edit_label(gui.pipe);
    QVERIFY(!gui.canvas().editing_label());
  }

  void a_bucket_is_renamed_on_the_canvas_with_the_measures_that_read_it() {
    TokenWindow gui;
    gui.canvas().edit_label(gui.bucket);
    gui.label()->setText("basin");
    QTest::keyClick(gui.label(), Qt::Key_Return);
    QCOMPARE(gui.workspace().find(gui.bucket)->name(), std::string("basin"));
    QCOMPARE(gui.workspace().document().of(Section::measure).front()->text("expression"), std::string("basin.level"));
    gui.workspace().undo();
    QCOMPARE(gui.workspace().document().of(Section::measure).front()->text("expression"), std::string("tank.level"));
  }

  void its_problems_are_listed_with_their_place_and_lead_there() {
    TokenWindow gui;
    Edit edit(gui.workspace().document(), "No room");
    edit.set(gui.bucket, "capacity", "0");
    gui.workspace().push(edit.finish());
    gui.workspace().check_now();
    QTRY_VERIFY_WITH_TIMEOUT(gui.workspace().checked(), 20000);
    gui.window.show_dock("problems");
    auto* panel = gui.window.findChild<QTreeWidget*>("panel.problems");
    const auto found = panel->findItems("TOK002", Qt::MatchExactly, 1);
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.front()->text(2), QStringLiteral("The capacity is below 1."));
    QCOMPARE(found.front()->text(3), QStringLiteral("Tokens1 / tank · capacity"));
    QVERIFY(gui.workspace().worst_problem(gui.bucket) != nullptr);
    gui.workspace().select({});
    gui.workspace().show_diagram(gui.workspace().document().of(Section::diagram).front()->id);
    Q_EMIT panel->itemActivated(found.front(), 0);
    QCOMPARE(gui.workspace().selection(), std::vector<ElementId>{gui.bucket});
    QCOMPARE(gui.workspace().find(gui.workspace().diagram())->name(), std::string("Tokens1"));
    // Mended, it is gone.
    gui.workspace().undo();
    gui.workspace().check_now();
    QTRY_VERIFY_WITH_TIMEOUT(gui.workspace().checked(), 20000);
    QVERIFY(panel->findItems("TOK002", Qt::MatchExactly, 1).empty());
  }

  void it_is_connected_by_its_own_rule_and_marked_where_it_is_active() {
    TokenWindow gui;
    const auto edges = [&] { return gui.workspace().document().edges(gui.workspace().diagram()).size(); };
    gui.workspace().select({gui.bucket});
    gui.canvas().connect_with_keys();  // Nothing can be joined to a bucket's way out.
    QTest::keyClick(&gui.canvas(), Qt::Key_Tab);
    QTest::keyClick(&gui.canvas(), Qt::Key_Escape);
    QCOMPARE(edges(), 1u);
    gui.workspace().select({gui.source});
    gui.canvas().connect_with_keys();
    QTest::keyClick(&gui.canvas(), Qt::Key_Return);
    QCOMPARE(edges(), 2u);
    // Stepping marks whatever it is told to be active.
    const QRectF box = gui.canvas().scene_items().bounds(gui.bucket);
    const auto inside = [&] {
      return gui.canvas().viewport()->grab().toImage().pixelColor(
          gui.canvas().mapFromScene(QPointF(box.center().x(), box.bottom() - 8)));
    };
    const QColor quiet = inside();
    gui.canvas().show_history({gui.bucket}, {});
    QVERIFY(inside() != quiet);
  }
};

ERGODE_GUI_TEST(TestForeignPanels)
#include "tst_foreign_panels.moc"
