// Numbers of a run at the elements of a diagram: what is shown when, what asks for them.
#include <QAbstractItemView>
#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include "app/gui/panels/inspector_panel.h"
#include "app/gui/run_bar.h"
#include "core/document/command.h"
#include "tests/gui/run_test.h"

using namespace ergode;

namespace {

const std::unordered_map<ElementId, NodeNumbers>& numbers(GuiFixture& gui) {
  return gui.canvas().scene_items().numbers();
}

void set(Workspace& workspace, ElementId id, const char* property, const char* text) {
  Edit edit(workspace.document(), "Set");
  edit.set(id, property, Value(text));
  workspace.push(edit.finish());
}

/// A queue that is run and of which nothing is asked that is written at an element.
struct Unasked {
  QTemporaryDir folder;
  GuiFixture gui{example_copy(queue, folder)};
  Unasked() {
    Workspace& workspace = gui.workspace();
    Edit edit(workspace.document(), "Ask less");
    for (const Element* measure : workspace.document().of(Section::measure))
      if (measure->name() != "throughput") edit.remove(measure->id);
    const ElementId kept = workspace.document().named(Section::measure, "throughput")->id;
    edit.set(kept, "type", Value("final_value")), edit.set(kept, "of", Value(""));
    edit.set(kept, "unit", Value("")), edit.set(kept, "expression", Value("departures.arrived"));
    // No exact solver knows such a network and tells the numbers unasked.
    edit.set(workspace.document().named(Section::node, "desk")->id, "patience",
             Value("uniform(low = 1 h, high = 2 h)"));
    edit.set(workspace.document().named(Section::node, "desk")->id, "service",
             Value("uniform(low = 0.1 s, high = 0.2 s)"));
    workspace.push(edit.finish());
    run_to_the_end(gui.window, 2, 1);
  }
};

}  // namespace

class TestNumbers : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_writes_its_numbers_at_the_station_and_an_edit_makes_them_stale() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    QVERIFY(numbers(gui).empty());
    run_to_the_end(gui.window, 2, 1);
    Workspace& workspace = gui.workspace();
    const ElementId desk = workspace.document().named(Section::node, "desk")->id;
    QCOMPARE(numbers(gui).size(), std::size_t{2});  // the desk and the sink
    const MeasureResult* busy = gui.window.desk().shown()->measure("utilisation");
    QVERIFY(busy != nullptr);
    QCOMPARE(numbers(gui).at(desk).share, busy->estimate);
    QVERIFY(!numbers(gui).at(desk).stale);
    set(workspace, desk, "servers", "2");
    QTRY_VERIFY(numbers(gui).at(desk).stale);
    workspace.undo();
    QTRY_VERIFY(!numbers(gui).at(desk).stale);
  }

  void its_key_takes_them_away_and_brings_them_back_and_exports_show_what_is_seen() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    run_to_the_end(gui.window, 2, 1);
    const auto exported = [&] {
      const QString path = folder.filePath(QStringLiteral("diagram.svg"));
      if (!gui.window.export_diagram(path).isEmpty()) return QByteArray("not written");
      QFile file(path);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QVERIFY(exported().contains("Run of simulation"));
    QTest::keyClick(&gui.canvas(), Qt::Key_F4);
    QVERIFY(numbers(gui).empty());
    QVERIFY(!exported().contains("Run of simulation"));
    QTest::keyClick(&gui.canvas(), Qt::Key_F4);
    QCOMPARE(numbers(gui).size(), std::size_t{2});  // the desk and the sink
  }

  void what_an_exact_solver_tells_beside_the_run_is_shown_too() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    Workspace& workspace = gui.workspace();
    Edit edit(workspace.document(), "Ask less");
    for (const Element* measure : workspace.document().of(Section::measure))
      if (measure->name() != "throughput") edit.remove(measure->id);
    workspace.push(edit.finish());
    run_to_the_end(gui.window, 2, 1);
    const ElementId desk = workspace.document().named(Section::node, "desk")->id;
    QTRY_VERIFY(numbers(gui).contains(desk));
    QVERIFY(std::abs(numbers(gui).at(desk).share - 0.9) < 1e-12);  // lambda / mu
  }

  void who_asks_for_numbers_that_the_model_does_not_ask_is_offered_the_measures() {
    Unasked model;
    GuiFixture& gui = model.gui;
    auto* bar = gui.window.findChild<QFrame*>("view.numbers");
    QVERIFY(bar != nullptr && bar->isHidden());  // nobody has asked
    QVERIFY(numbers(gui).empty());
    QTest::keyClick(&gui.canvas(), Qt::Key_F4);
    QVERIFY(bar->isHidden());
    QTest::keyClick(&gui.canvas(), Qt::Key_F4);
    QVERIFY(!bar->isHidden());
    auto* ask = bar->findChild<QPushButton*>("action.numbers.measure");
    QCOMPARE(ask->text(), QStringLiteral("Measure every station"));
    Workspace& workspace = gui.workspace();
    const std::size_t before = workspace.document().of(Section::measure).size();
    const std::size_t depth = workspace.history().depth();
    ask->click();
    QVERIFY(bar->isHidden());
    QCOMPARE(workspace.document().of(Section::measure).size(), before + 6);
    QCOMPARE(workspace.history().depth(), depth + 1);
    run_to_the_end(gui.window, 2, 1);
    const ElementId desk = workspace.document().named(Section::node, "desk")->id;
    QCOMPARE(numbers(gui).at(desk).texts.size(), std::size_t{2});
  }

  void the_command_is_offered_where_there_is_something_to_measure() {
    Unasked model;
    QAction* command = model.gui.window.actions_table()["model.measure_everything"];
    QVERIFY(command->isEnabled());
    QCOMPARE(command->text(), QStringLiteral("Measure every station"));
    command->trigger();
    QVERIFY(!command->isEnabled());
    GuiFixture chart(example("04_repairable_system/model.ergode"));
    QVERIFY(!chart.window.actions_table()["model.measure_everything"]->isEnabled());
  }

  void a_measure_and_a_parameter_are_added_from_the_menu() {
    Unasked model;
    const Workspace& workspace = model.gui.workspace();
    for (const auto& [name, section] :
         {std::pair{"model.add_measure", Section::measure}, std::pair{"model.add_parameter", Section::parameter}}) {
      const std::size_t before = workspace.document().of(section).size();
      model.gui.window.actions_table()[name]->trigger();
      QCOMPARE(workspace.document().of(section).size(), before + 1);
    }
  }

  void the_list_of_solvers_says_which_answer_the_model_and_why_others_do_not() {
    GuiFixture gui(example("19_call_centre/model.ergode"));
    auto* solvers = gui.window.findChild<QComboBox*>("field.run.solver");
    solvers->showPopup();
    const auto muted = [&](const char* name) {
      const int row = solvers->findData(QString::fromLatin1(name));
      return row >= 0 && solvers->itemData(row, Qt::ForegroundRole).isValid();
    };
    const auto tip = [&](const char* name) {
      return solvers->itemData(solvers->findData(QString::fromLatin1(name)), Qt::ToolTipRole).toString();
    };
    QVERIFY(!muted("simulation") && !muted("queueing-closed-form"));
    QVERIFY(muted("mva") && tip("mva").contains("give up at \"desk\""));
    solvers->hidePopup();
    // As the model is now, not as it was.
    Edit edit(gui.workspace().document(), "Endless patience");
    edit.set(gui.workspace().document().named(Section::node, "desk")->id, "patience", Value(""));
    edit.set(gui.workspace().document().named(Section::node, "desk")->id, "servers", Value("40"));
    gui.workspace().push(edit.finish());
    solvers->showPopup();
    QVERIFY(!muted("mva") && !tip("mva").contains("desk"));
    solvers->hidePopup();
  }

  // What was chosen for one model is not asked of the next.
  void another_model_begins_with_its_own_solver_and_options() {
    GuiFixture gui(example(queue));
    auto* solvers = gui.window.findChild<QComboBox*>("field.run.solver");
    auto* bar = gui.window.findChild<RunBar*>();
    QVERIFY(bar != nullptr);
    solvers->setCurrentIndex(solvers->findData("mva"));
    bar->set_options({{"confidence", "0.9"}});
    QCOMPARE(bar->request().solver, std::string("mva"));
    QVERIFY(gui.window.open(example(repairable)));
    QCOMPARE(bar->request().solver, RunRequest().solver);
    QVERIFY(bar->options().empty());
    QVERIFY(gui.window.actions_table()["run.options"]->text().indexOf('(') < 0);
  }

  // Also when it is the chosen one, and under the pointer.
  void a_solver_that_does_not_answer_the_model_looks_so() {
    GuiFixture gui(example("19_call_centre/model.ergode"));
    auto* solvers = gui.window.findChild<QComboBox*>("field.run.solver");
    QTRY_VERIFY(gui.workspace().checked());
    const QImage before = solvers->grab().toImage();
    const int mva = solvers->findData("mva");
    solvers->setCurrentIndex(mva);
    const QImage plain = solvers->grab().toImage();
    Q_EMIT solvers->activated(mva);
    QVERIFY(solvers->itemData(mva, Qt::FontRole).value<QFont>().italic());
    QVERIFY2(solvers->toolTip().contains("give up at \"desk\""), qPrintable(solvers->toolTip()));
    QVERIFY(solvers->grab().toImage() != plain);
    // What is drawn in the list when the row is chosen there has the same ink.
    QImage row(200, 24, QImage::Format_RGB32);
    const auto inks = [&](const QModelIndex& index) {
      row.fill(Qt::white);
      QPainter painter(&row);
      QStyleOptionViewItem option;
      option.initFrom(solvers->view()->viewport());
      option.widget = solvers->view();
      option.rect = row.rect();
      option.state |= QStyle::State_Selected | QStyle::State_Enabled | QStyle::State_HasFocus;
      solvers->itemDelegate()->paint(&painter, option, index);
      int darkest = 255;
      for (int x = 0; x < row.width(); ++x)
        for (int y = 0; y < row.height(); ++y) darkest = std::min(darkest, qGray(row.pixel(x, y)));
      return darkest;
    };
    const int fits = inks(solvers->model()->index(solvers->findData("simulation"), 0));
    const int not_fit = inks(solvers->model()->index(mva, 0));
    QVERIFY2(not_fit > fits + 20, qPrintable(QString("%1 %2").arg(fits).arg(not_fit)));
    // An edit that makes it fit takes the mark away.
    Edit edit(gui.workspace().document(), "Endless patience");
    edit.set(gui.workspace().document().named(Section::node, "desk")->id, "patience", Value(""));
    edit.set(gui.workspace().document().named(Section::node, "desk")->id, "servers", Value("40"));
    gui.workspace().push(edit.finish());
    QTRY_VERIFY(!solvers->itemData(mva, Qt::ForegroundRole).isValid());
  }

  void the_inspector_of_a_node_offers_to_normalise_its_ways() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    Workspace& workspace = gui.workspace();
    const Element* flow = workspace.document().edges(workspace.diagram()).front();
    const ElementId edge = flow->id, source = flow->source;
    set(workspace, edge, "probability", "0.5");
    workspace.select({source});
    auto* problems = gui.window.inspector().findChild<QLabel*>("label.inspector.problems");
    QTRY_VERIFY(problems->text().contains("Normalise"));
    QVERIFY(problems->text().contains("QN003"));
    const std::size_t depth = workspace.history().depth();
    Q_EMIT problems->linkActivated(QStringLiteral("0"));
    QCOMPARE(workspace.find(edge)->text("probability"), std::string("1"));
    QCOMPARE(workspace.history().depth(), depth + 1);
    QTRY_VERIFY(problems->isHidden());
  }

  void a_run_is_exported_from_the_menu_as_csv_and_json() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(queue, folder));
    QVERIFY(!gui.window.export_run(folder.filePath("none.csv")).isEmpty());  // there is no run
    run_to_the_end(gui.window, 2, 1);
    const QString csv = folder.filePath("run.csv"), json = folder.filePath("run.json");
    QCOMPARE(gui.window.export_run(csv), QString());
    QCOMPARE(gui.window.export_run(json), QString());
    QFile table(csv), document(json);
    QVERIFY(table.open(QIODevice::ReadOnly) && document.open(QIODevice::ReadOnly));
    QVERIFY(table.readAll().contains("response_time"));
    const QJsonObject read = QJsonDocument::fromJson(document.readAll()).object();
    QCOMPARE(read["format"].toString(), QStringLiteral("ergode-results"));
    QCOMPARE(read["measures"].toArray().size(), 6);
    QVERIFY(gui.window.export_run(folder.filePath("run.txt")).contains(".csv"));
  }
};

ERGODE_GUI_TEST(TestNumbers)
#include "tst_numbers.moc"
