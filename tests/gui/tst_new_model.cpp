// A model from nothing: what a new one begins with, how its diagrams are taken away, what stands on the screen
// meanwhile.
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeWidget>

#include "app/gui/canvas/minimap.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/choice_box.h"
#include "app/gui/panels/outline_panel.h"
#include "app/gui/plots/short_ticker.h"
#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/new_model.h"
#include "tests/gui/run_test.h"

using namespace ergode;

namespace {

std::size_t diagrams(GuiFixture& gui) { return gui.workspace().document().of(Section::diagram).size(); }

ElementId diagram_called(GuiFixture& gui, const char* name) {
  return gui.workspace().document().named(Section::diagram, name)->id;
}

void add_queue(GuiFixture& gui) { gui.window.actions_table().find(QStringLiteral("diagram.add_queueing"))->trigger(); }

/// The step of the open menu of an element.
QAction* menu_step(GuiFixture& gui, const char* name) {
  auto* menu = gui.window.findChild<QMenu*>("menu.element");
  return menu != nullptr && menu->isVisible()
             ? menu->findChild<QAction*>(QStringLiteral("action.element.") + QLatin1String(name))
             : nullptr;
}

void press_right(QWidget* widget, const QPoint& at) {
  QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
  QApplication::sendEvent(widget, &event);
}

void open_menu_of_tab(GuiFixture& gui, const QString& name) {
  auto* tabs = gui.window.findChild<QTabBar*>("tabs.diagrams");
  for (int tab = 0; tab < tabs->count(); ++tab)
    if (tabs->tabText(tab) == name) Q_EMIT tabs->customContextMenuRequested(tabs->tabRect(tab).center());
}

QTreeWidgetItem* row_called(GuiFixture& gui, const QString& text) {
  auto* outline = gui.window.findChild<QTreeWidget*>("panel.outline");
  const auto found = outline->findItems(text, Qt::MatchExactly | Qt::MatchRecursive);
  return found.isEmpty() ? nullptr : found.front();
}

class Ticks : public ShortTicker {
 public:
  using ShortTicker::getTickStep;
  using ShortTicker::ShortTicker;
};

}  // namespace

class TestNewModel : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_queue_in_a_new_model_is_not_run_a_hundred_thousand_times() {
    GuiFixture gui;
    gui.workspace().start_new();
    add_queue(gui);
    const Document& document = gui.workspace().document();
    QCOMPARE(document.model().text("replications"), std::string("100"));
    for (const Diagnostic& d : check_model(document)) QVERIFY2(d.severity != Severity::error, d.message.c_str());
    gui.workspace().undo();  // with the diagram goes what came with it
    QVERIFY(!gui.workspace().document().model().has("replications"));
    QCOMPARE(diagrams(gui), std::size_t{2});
  }

  void what_a_model_says_or_draws_already_is_left_alone() {
    GuiFixture chart(example(repairable));
    const std::string before = chart.workspace().document().model().text("replications");
    add_queue(chart);
    QCOMPARE(chart.workspace().document().model().text("replications"), before);
    Document said = new_model();
    Edit edit(said, "Say");
    edit.set(said.model().id, "replications", Value("7"));
    const auto [notation, kind] = catalogue().diagram_kind("cluster");
    insert_diagram(edit, *notation, *kind, "Cluster");
    QCOMPARE(edit.document().model().text("replications"), std::string("7"));
    QCOMPARE(edit.document().model().text("horizon"), std::string("1000 h"));
  }

  void an_empty_network_or_cluster_is_one_click_away_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("notation");
    QTest::newRow("queueing") << "queueing"
                              << "queueing";
    QTest::newRow("cluster") << "cluster"
                             << "cluster";
  }
  void an_empty_network_or_cluster_is_one_click_away() {
    QFETCH(QString, kind);
    QFETCH(QString, notation);
    GuiFixture gui;
    gui.window.settle(QSize(1280, 720));
    gui.window.show_start_page();
    QApplication::processEvents();
    auto* card = gui.window.findChild<QPushButton*>(QStringLiteral("action.start.empty.") + kind);
    QVERIFY(card != nullptr);
    QTest::mouseClick(card, Qt::LeftButton);
    QVERIFY(gui.canvas().isVisible());
    const auto all = gui.workspace().document().of(Section::diagram);
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(all.front()->text("notation")), notation);
    QVERIFY(!gui.workspace().modified());
    for (const Diagnostic& d : check_model(gui.workspace().document()))
      QVERIFY2(d.severity != Severity::error, d.message.c_str());
  }

  void the_tab_of_a_diagram_renames_and_deletes_it() {
    GuiFixture gui;
    gui.workspace().start_new();
    open_menu_of_tab(gui, "Chart");
    QAction* step = menu_step(gui, "delete");
    QVERIFY(step != nullptr);
    step->trigger();
    QCOMPARE(diagrams(gui), std::size_t{1});
    QVERIFY(gui.workspace().document().named(Section::diagram, "Chart") == nullptr);
    gui.workspace().undo();
    QCOMPARE(diagrams(gui), std::size_t{2});
    gui.window.findChild<QMenu*>("menu.element")->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    open_menu_of_tab(gui, "Chart");
    step = menu_step(gui, "rename");
    QVERIFY(step != nullptr);
    step->trigger();
    QCOMPARE(gui.workspace().selection(), std::vector<ElementId>{diagram_called(gui, "Chart")});
    QVERIFY(gui.window.findChild<QLineEdit*>("field.diagram.name") != nullptr);
  }

  void a_row_of_the_outline_has_the_same_menu_and_its_keys() {
    GuiFixture gui(example(queue));
    auto* outline = gui.window.findChild<QTreeWidget*>("panel.outline");
    QTRY_VERIFY(row_called(gui, "desk") != nullptr);
    press_right(outline->viewport(), outline->visualItemRect(row_called(gui, "desk")).center());
    QAction* step = menu_step(gui, "delete");
    QVERIFY(step != nullptr);
    step->trigger();
    QVERIFY(gui.workspace().document().named(Section::node, "desk") == nullptr);
    gui.workspace().undo();
    QTRY_VERIFY(row_called(gui, "desk") != nullptr);
    gui.window.findChild<QMenu*>("menu.element")->close();
    QTreeWidgetItem* diagram = outline->topLevelItem(0);
    outline->setCurrentItem(diagram);
    const std::size_t before = diagrams(gui);
    QTest::keyClick(outline, Qt::Key_Delete);
    QCOMPARE(diagrams(gui), before - 1);
    gui.workspace().undo();
    QCOMPARE(diagrams(gui), before);
  }

  void what_the_pointer_has_left_has_no_handles() {
    GuiFixture gui(example(queue));
    CanvasView& canvas = gui.canvas();
    const auto picture = [&] {
      QApplication::processEvents();
      return canvas.viewport()->grab().toImage();
    };
    const QImage before = picture();
    const ElementId desk = gui.workspace().document().named(Section::node, "desk")->id;
    const QPoint middle = canvas.mapFromScene(canvas.scene_items().bounds(desk).center());
    QTest::mouseMove(canvas.viewport(), middle + QPoint(3, 3));
    QTest::mouseMove(canvas.viewport(), middle);
    QVERIFY(picture() != before);  // places to pull a flow from
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(canvas.viewport(), &leave);
    QVERIFY(picture() == before);
  }

  void long_names_do_not_widen_the_palette() {
    GuiFixture gui;
    gui.window.settle(QSize(1280, 720));
    gui.window.actions_table().find(QStringLiteral("diagram.add_cluster"))->trigger();
    QTest::qWait(50);
    auto* palette = gui.window.findChild<QListWidget*>("panel.palette");
    QVERIFY2(palette->width() <= 215, qPrintable(QString::number(palette->width())));
    bool cut = false;
    for (int row = 1; row < palette->count(); ++row) {
      const QListWidgetItem* item = palette->item(row);
      QVERIFY2(item->toolTip().startsWith(item->text()), qPrintable(item->toolTip()));
      cut = cut || palette->fontMetrics().horizontalAdvance(item->text()) > palette->visualItemRect(item).width() - 62;
    }
    QVERIFY(cut);  // there are such names
    // Everything that was put into the diagram is in sight.
    const QRectF seen = gui.canvas().mapToScene(gui.canvas().viewport()->rect()).boundingRect();
    QVERIFY(seen.contains(gui.canvas().scene_items().content()));
  }

  void the_overview_stands_beside_the_legend() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    run_to_the_end(gui.window, 2, 1);
    QVERIFY(!gui.canvas().scene_items().numbers().empty());
    CanvasView& canvas = gui.canvas();
    auto* overview = gui.window.findChild<QWidget*>("view.minimap");
    const QRectF legend = canvas.scene_items().bounds({});
    QVERIFY(!legend.isEmpty());
    int shown = 0;
    for (const double zoom : {1.5, 2.0, 2.5, 3.0})
      for (const QPointF at : {legend.topLeft(), legend.center(), legend.bottomRight(), legend.topRight()}) {
        canvas.set_zoom(zoom);
        canvas.centerOn(at);
        if (!overview->isVisible()) continue;
        ++shown;
        const QRect place = canvas.mapFromScene(legend).boundingRect();
        QVERIFY2(!place.intersects(overview->geometry()), qPrintable(QString::number(zoom)));
      }
    QVERIFY(shown > 0);
  }

  void tables_of_several_solvers_say_whose_they_are() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    run_to_the_end(gui.window, 2, 1);
    const auto* pages = gui.window.findChild<QTabWidget*>("pages.results");
    QStringList titles;
    for (int tab = 0; tab < pages->count(); ++tab) titles << pages->tabText(tab);
    QVERIFY2(titles.filter("(mva)").size() > 0, qPrintable(titles.join(", ")));
    QVERIFY2(titles.removeDuplicates() == 0, qPrintable(titles.join(", ")));
  }

  void nothing_stands_between_two_replications() {
    Ticks whole(true, true), parts(true);
    QCOMPARE(whole.getTickStep({1, 2}), 1.0);
    QCOMPARE(whole.getTickStep({0, 13}), 5.0);
    QVERIFY(parts.getTickStep({1, 2}) < 1.0);
    QCOMPARE(whole.getTickStep({0, 4000}), parts.getTickStep({0, 4000}));
  }

  void a_long_choice_ends_in_dots_and_its_list_is_wide_enough() {
    ChoiceBox box;
    box.addItems({"short", "Mean time in the system of customers of the first class who were refused once"});
    box.setFixedWidth(120);
    box.show();
    QCOMPARE(box.shown_text(), QString("short"));
    box.setCurrentIndex(1);
    QVERIFY(box.shown_text().endsWith(QChar(0x2026)));
    box.showPopup();
    QVERIFY(box.view()->width() >= box.view()->sizeHintForColumn(0));
    box.hidePopup();
    box.setEditable(true);
    box.setEditText(box.itemText(0));
    box.setEditText(box.itemText(1));
    QCOMPARE(box.lineEdit()->cursorPosition(), 0);  // it begins where the text begins
  }

  void one_selected_element_is_called_by_its_kind_and_name() {
    Document document = new_model("cluster");
    Edit edit(document, "Draw");
    Element cluster{.kind = "gpu_cluster", .diagram = document.of(Section::diagram).front()->id};
    cluster.properties = {{"name", "cluster"}};
    const ElementId first = edit.insert(cluster);
    cluster.properties = {{"name", "A100"}};
    const ElementId second = edit.insert(cluster);
    QCOMPARE(count_text(edit.document(), {first}), std::string("GPU cluster \"cluster\""));
    QCOMPARE(count_text(edit.document(), {second}), std::string("GPU cluster A100"));
    QCOMPARE(count_text(edit.document(), {document.of(Section::diagram).front()->id}), std::string("diagram Cluster"));
  }
};

ERGODE_GUI_TEST(TestNewModel)
#include "tst_new_model.moc"
