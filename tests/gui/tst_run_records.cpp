#include <QJsonDocument>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableWidget>

#include <algorithm>
#include <set>

#include "app/gui/plots/live_plot.h"
#include "app/gui/recovery.h"
#include "app/gui/run_bar.h"
#include "app/session/run.h"
#include "app/session/store_path.h"
#include "core/format/hash.h"
#include "core/results/result_store.h"
#include "solvers/registry.h"
#include "tests/gui/run_test.h"

using namespace ergode;

namespace {

std::size_t runs_in(const QString& store) {
  const auto opened = ResultStore::open(store.toStdString(), ResultStore::Access::existing);
  if (!std::holds_alternative<ResultStore>(opened)) return 0;
  const auto listed = std::get<ResultStore>(opened).list();
  return std::get<std::vector<RunRecord>>(listed).size();
}

/// Presses a button of the next question as soon as it is there, and remembers what was asked.
void answer(const QString& button, QString* asked = nullptr) {
  QTimer::singleShot(50, qApp, [button, asked] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    if (box == nullptr) return answer(button, asked);
    if (asked != nullptr) *asked = box->text();
    for (QAbstractButton* one : box->buttons())
      if (one->text().remove(QLatin1Char('&')) == button) return one->click();
    qFatal("There is no button %s in: %s", qPrintable(button), qPrintable(box->text()));
  });
}

/// The texts of a table, row by row.
QStringList cells(const QTableWidget& table) {
  QStringList out;
  for (int row = 0; row < table.rowCount(); ++row)
    for (int column = 0; column < table.columnCount(); ++column) {
      const QTableWidgetItem* cell = table.item(row, column);
      out << (cell == nullptr ? QString() : cell->text() + QLatin1Char('|') + cell->toolTip());
    }
  return out;
}

}  // namespace

class TestRunRecords : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void runs_of_a_new_model_move_along_with_its_first_save() {
    QTemporaryDir folder;
    GuiFixture gui;
    gui.workspace().adopt_unsaved(example_document(repairable_system), {});
    run_to_the_end(gui.window, 1000, 1);
    run_to_the_end(gui.window, 2000, 2);
    QCOMPARE(unsaved_stores(gui.state.path()).size(), 1);
    const QString path = folder.filePath("plant.ergode");
    QVERIFY(!gui.workspace().save(path));
    const auto& rows = gui.window.desk().records().rows();
    QCOMPARE(rows.size(), 2u);
    QCOMPARE(rows[0].seed, 2u);
    QCOMPARE(rows[1].replications, 1000u);
    QVERIFY(gui.window.desk().records().results(1) != nullptr);
    QCOMPARE(runs_in(folder.filePath("plant.results.sqlite")), 2u);
    QVERIFY(unsaved_stores(gui.state.path()).isEmpty());
    // What runs next lands beside the model as well.
    run_to_the_end(gui.window, 1500, 3);
    QCOMPARE(runs_in(folder.filePath("plant.results.sqlite")), 3u);
  }

  void save_as_takes_copies_along_and_leaves_the_old_model_its_own() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable_system, folder));
    run_to_the_end(gui.window, 1000, 1);
    QVERIFY(!gui.workspace().save(folder.filePath("variant.ergode")));
    QCOMPARE(gui.window.desk().records().rows().size(), 1u);
    run_to_the_end(gui.window, 1000, 2);
    QCOMPARE(runs_in(folder.filePath("model.results.sqlite")), 1u);
    QCOMPARE(runs_in(folder.filePath("variant.results.sqlite")), 2u);
  }

  void a_store_that_cannot_be_made_leaves_the_runs_where_they_were_until_the_next_save() {
    QTemporaryDir folder;
    GuiFixture gui;
    gui.workspace().adopt_unsaved(example_document(repairable_system), {});
    run_to_the_end(gui.window);
    QVERIFY(QDir(folder.path()).mkdir("plant.results.sqlite"));  // in the way
    QVERIFY(!gui.workspace().save(folder.filePath("plant.ergode")));
    QVERIFY(gui.window.findChild<QLabel*>("label.banner")->text().contains("RES003"));
    QCOMPARE(gui.window.desk().records().rows().size(), 1u);
    QVERIFY(QFile::exists(gui.window.recovery().own_file()));  // a crash would find them
    QVERIFY(QDir(folder.path()).rmdir("plant.results.sqlite"));
    QVERIFY(!gui.workspace().save(folder.filePath("plant.ergode")));
    QCOMPARE(runs_in(folder.filePath("plant.results.sqlite")), 1u);
    QVERIFY(!QFile::exists(gui.window.recovery().own_file()));
  }

  void a_run_whose_store_cannot_be_written_is_kept_where_the_command_line_keeps_it() {
    QTemporaryDir folder, state;
    qputenv("XDG_STATE_HOME", state.path().toUtf8());
    const QString model = example_copy(repairable_system, folder);
    QVERIFY(QDir(folder.path()).mkdir("model.results.sqlite"));  // in the way
    GuiFixture gui(model);
    run_to_the_end(gui.window);
    qunsetenv("XDG_STATE_HOME");
    // The place is the one that `ergode run` names.
    QProcess command;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_STATE_HOME", state.path());
    command.setProcessEnvironment(environment);
    command.start(QStringLiteral(ERGODE_BIN_DIR "/ergode"), {"run", model, "--replications", "100"});
    QVERIFY(command.waitForFinished(60000));
    const auto place = QRegularExpression("The run is kept in (.+) instead").match(command.readAllStandardError());
    QVERIFY(place.hasMatch());
    const QString elsewhere = place.captured(1);
    QVERIFY(elsewhere.startsWith(state.path()));
    QCOMPARE(runs_in(elsewhere), 2u);
    auto* banner = gui.window.findChild<QLabel*>("label.banner");
    QVERIFY(banner->isVisible());
    QVERIFY2(banner->text().contains(elsewhere) && banner->text().contains("RES013"), qPrintable(banner->text()));
    QCOMPARE(gui.window.desk().records().rows().size(), 1u);  // and it is on show
  }

  void a_run_says_in_its_journal_who_stands_beside_it() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable_system, folder));
    run_to_the_end(gui.window, 2000, 5);
    const CompanyResults whole = gui.window.desk().shown()->company;
    QVERIFY(std::any_of(whole.begin(), whole.end(), [](const auto& one) { return is_long_run(*one); }));
    run(gui.window, 500000000, 5);
    QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().snapshot() != nullptr && gui.window.desk().snapshot()->done > 0, 30000);
    gui.window.desk().stop_and_keep();
    const auto store = std::get<ResultStore>(
        ResultStore::open(folder.filePath("model.results.sqlite").toStdString(), ResultStore::Access::existing));
    const auto found = find_resumable(store, "latest", gui.workspace().document(), gui.workspace().files());
    QVERIFY(std::holds_alternative<Resumable>(found));
    // What goes on with it asks the same solvers, in whichever of the two programs.
    Run::Order order{.solver = find_solver("simulation"), .company = {}};
    order.ask_beside(std::get<Resumable>(found).beside, gui.window.desk().solvers());
    std::set<std::string> asked, answered;
    for (const Solver* solver : order.company) asked.insert(solver->spec().name);
    for (const auto& one : whole) answered.insert(one->provenance.solver);
    QVERIFY(std::includes(asked.begin(), asked.end(), answered.begin(), answered.end()));
  }

  void a_run_that_goes_on_while_another_model_is_opened_lands_in_its_own_store() {
    QTemporaryDir first, second;
    GuiFixture gui(example_copy(repairable_system, first));
    const QString other = example_copy("03_repairable_component/model.ergode", second);
    run(gui.window, 400000, 5);
    QString asked;
    answer("Let it go on", &asked);
    auto* recent = gui.window.findChild<QAction*>("action.file.new");
    recent->trigger();
    QVERIFY(asked.contains("A run of"));
    QVERIFY(gui.window.open(other));
    QVERIFY(gui.window.desk().foreign());
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 120000);
    gui.window.desk().poll();
    QCOMPARE(runs_in(first.filePath("model.results.sqlite")), 1u);
    QVERIFY(!QFile::exists(second.filePath("model.results.sqlite")));
    QVERIFY(gui.window.desk().records().rows().empty());
    QVERIFY(gui.window.desk().shown() == nullptr);
    QCOMPARE(gui.window.plot().plot().graphCount(), 0);
  }

  void a_model_is_run_as_it_was_run_last_when_it_is_opened_again() {
    QTemporaryDir first, second;
    const QString path = example_copy(repairable_system, first);
    GuiFixture gui(path);
    const auto field = [&] { return gui.window.findChild<QLineEdit*>("field.run.replications"); };
    gui.window.run_bar().set_options({{"confidence", "0.99"}});
    gui.window.run_bar().set_replications(50);
    run(gui.window, 50, 5);
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 30000);
    gui.window.desk().poll();
    QVERIFY(gui.window.open(example_copy("03_repairable_component/model.ergode", second)));
    QVERIFY(field()->text().isEmpty() && gui.window.run_bar().options().empty());
    QVERIFY(gui.window.open(path));
    QCOMPARE(field()->text(), QStringLiteral("50"));
    QCOMPARE(gui.window.run_bar().options().at("confidence"), std::string("0.99"));
  }

  void a_run_of_an_unsaved_model_that_is_saved_meanwhile_lands_beside_it() {
    QTemporaryDir folder;
    GuiFixture gui;
    gui.workspace().adopt_unsaved(example_document(repairable_system), {});
    run(gui.window, 400000, 5);
    QVERIFY(!gui.workspace().save(folder.filePath("plant.ergode")));
    gui.workspace().start_new();
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 120000);
    gui.window.desk().poll();
    QCOMPARE(runs_in(folder.filePath("plant.results.sqlite")), 1u);
  }

  void quitting_during_a_run_asks_and_keeps_what_it_has() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable_system, folder));
    run(gui.window, 500000000, 5);
    QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().results() != nullptr, 30000);
    answer("Cancel");
    QVERIFY(!gui.window.close());
    QVERIFY(gui.window.desk().run().active());
    answer("Stop it, keep what it has");
    QVERIFY(gui.window.close());
    QCOMPARE(runs_in(folder.filePath("model.results.sqlite")), 1u);
    QCOMPARE(gui.window.desk().results()->status, RunStatus::partial);
  }

  void quitting_when_the_run_has_ended_waits_for_its_record() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable_system, folder));
    run(gui.window, 300000, 5);
    answer("Quit when it has ended");
    QVERIFY(!gui.window.close());
    QVERIFY(gui.window.isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.isVisible(), 120000);
    QCOMPARE(runs_in(folder.filePath("model.results.sqlite")), 1u);
  }

  void giving_up_a_new_model_says_that_its_runs_are_lost() {
    GuiFixture gui;
    gui.workspace().adopt_unsaved(example_document(repairable_system), {});
    run_to_the_end(gui.window);
    QString asked;
    answer("Cancel", &asked);
    gui.window.findChild<QAction*>("action.file.new")->trigger();
    QVERIFY2(asked.contains("its run is lost"), qPrintable(asked));
    QCOMPARE(gui.window.desk().records().rows().size(), 1u);
    answer("Discard");
    gui.window.findChild<QAction*>("action.file.new")->trigger();
    QVERIFY(gui.window.desk().records().rows().empty());
    QVERIFY(unsaved_stores(gui.state.path()).isEmpty());
  }

  void a_reopened_run_shows_what_was_shown_at_its_end() {
    QTemporaryDir folder;
    const QString path = example_copy(repairable_system, folder);
    QStringList table, caption;
    int graphs = 0;
    const auto look_at = [&](GuiFixture& gui, QStringList& texts, QStringList& words, int& lines) {
      texts = cells(*gui.window.findChild<QTableWidget*>("table.measures"));
      auto* label = gui.window.findChild<QLabel*>("label.results.caption");
      words = {label->text(), label->toolTip(), gui.window.findChild<QLabel*>("label.plot.caption")->text()};
      lines = gui.window.plot().plot().graphCount();
    };
    {
      GuiFixture gui(path);
      gui.window.show_dock("plot");
      run_to_the_end(gui.window, 3000, 7);
      look_at(gui, table, caption, graphs);
    }
    QVERIFY(table.join(' ').contains("ctmc-transient"));
    QVERIFY(caption[1].contains("ccf-closed-form: SOL001"));
    QVERIFY(graphs > 1);  // the exact line among them
    GuiFixture again(path);
    QStringList table_then, caption_then;
    int graphs_then = 0;
    look_at(again, table_then, caption_then, graphs_then);
    QCOMPARE(table_then, table);
    QCOMPARE(caption_then, caption);
    QCOMPARE(graphs_then, graphs);
  }

  void an_earlier_run_is_plotted_when_its_row_is_chosen() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable_system, folder));
    run_to_the_end(gui.window, 1000, 1);
    run_to_the_end(gui.window, 2000, 2);
    auto* runs = gui.window.findChild<QTableWidget*>("table.runs");
    runs->setCurrentCell(1, 0);
    QCOMPARE(gui.window.desk().shown()->replications, 1000u);
    QVERIFY(gui.window.findChild<QLabel*>("label.plot.caption")->text().contains("n = 1000, seed 1"));
    QCOMPARE(gui.window.plot().plot().xAxis->range().upper, 1000.0);
  }

  // The oracle is the operating system: SIGKILL leaves a program no chance to tidy up.
  void runs_of_an_unsaved_model_survive_a_kill_of_the_workbench() {
    QTemporaryDir state, folder;
    const QString tree = folder.filePath("pump.dft");
    QFile file(tree);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("toplevel \"top\";\n\"top\" and \"a\" \"b\";\n\"a\" lambda=0.01;\n\"b\" lambda=0.02;\n");
    file.close();
    const QString script = folder.filePath("script.json");
    QFile steps(script);
    QVERIFY(steps.open(QIODevice::WriteOnly));
    steps.write(R"([{"wait_idle": 20000}, {"set": "field.run.replications", "text": "2000"},
                    {"trigger": "run.start"}, {"wait_run": 60000}, {"wait_ms": 120000}])");
    steps.close();
    QProcess workbench;
    workbench.start(QStringLiteral(ERGODE_BIN_DIR "/ergode-workbench"),
                    {"--state-dir", state.path(), "--ui-script", script, tree});
    QVERIFY(workbench.waitForStarted());
    const auto left = [&] {
      return QDir(state.filePath("recovery")).entryList({QStringLiteral("*.json")}, QDir::Files).size() == 1 &&
             unsaved_stores(state.path()).size() == 1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(left(), 90000);
    QTest::qWait(300);
    workbench.kill();
    QVERIFY(workbench.waitForFinished());
    QCOMPARE(workbench.exitStatus(), QProcess::CrashExit);

    MainWindow window(state.path());
    window.settle(QSize(1280, 720));
    window.offer_lost_models();
    QTest::mouseClick(window.findChild<QPushButton*>("action.recovery.restore"), Qt::LeftButton);
    QCOMPARE(window.desk().records().rows().size(), 1u);
    const auto results = window.desk().shown();
    QVERIFY(results != nullptr);
    QCOMPARE(results->replications, 2000u);
    QVERIFY(!results->measures.empty());
    QVERIFY(!window.workspace().save(folder.filePath("pump.ergode")));
    QCOMPARE(runs_in(folder.filePath("pump.results.sqlite")), 1u);
    QVERIFY(unsaved_stores(state.path()).isEmpty());
    QVERIFY(window.recovery().lost().empty());
  }
};

ERGODE_GUI_TEST(TestRunRecords)
#include "tst_run_records.moc"
