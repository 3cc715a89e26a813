#include <QFrame>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>

#include "core/base/process.h"
#include "core/document/command.h"
#include "core/results/result_store.h"
#include "tests/gui/run_test.h"

using namespace ergode;

class TestRunResume : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_stopped_run_is_resumed_and_ends_as_one_that_was_not() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable_system, folder));
    auto* resume = gui.window.findChild<QAction*>("action.run.resume");
    QVERIFY(!resume->isEnabled() && resume->toolTip().contains("Select a run"));
    run_to_the_end(gui.window, 400000, 5);
    const std::string whole = gui.window.desk().shown()->fingerprint;
    QVERIFY(!resume->isEnabled());  // it has ended
    run(gui.window, 400000, 5);
    QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().snapshot() != nullptr && gui.window.desk().snapshot()->done > 0, 30000);
    gui.window.desk().stop_and_keep();
    const auto& rows = gui.window.desk().records().rows();
    QCOMPARE(rows.size(), 2u);
    QCOMPARE(rows[0].status, QString("partial"));
    QVERIFY(rows[0].resumable && !rows[0].interrupted && rows[0].replications < 400000);
    auto* button = gui.window.findChild<QToolButton*>("button.results.resume");
    QVERIFY(resume->isEnabled() && button->isVisibleTo(&gui.window));
    const QString part = rows[0].id;
    button->click();
    QVERIFY(gui.window.desk().run().active() && !resume->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!gui.window.desk().run().active(), 120000);
    gui.window.desk().poll();
    QCOMPARE(rows.size(), 3u);
    QCOMPARE(gui.window.desk().shown()->fingerprint, whole);
    QCOMPARE(gui.window.desk().shown()->replications, 400000u);
    QVERIFY(QString::fromStdString(gui.window.desk().shown()->provenance.made.resumed).startsWith(part));
    // What it went on with has a continuation now, and is not offered again.
    for (const ListedRun& row : rows) QVERIFY(!row.resumable);
  }

  void a_run_that_cannot_be_resumed_says_why() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(repairable_system, folder));
    run(gui.window, 500000000, 5);
    QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().snapshot() != nullptr && gui.window.desk().snapshot()->done > 0, 30000);
    gui.window.desk().stop_and_keep();
    auto* banner = gui.window.findChild<QLabel*>("label.banner");
    auto* resume = gui.window.findChild<QAction*>("action.run.resume");
    Edit edit(gui.workspace().document(), "Mission");
    const Element& model = gui.workspace().document().model();
    edit.set(model.id, "mission_time", "17 h");
    gui.workspace().push(edit.finish());
    QTRY_VERIFY(!resume->isEnabled());
    QVERIFY2(resume->toolTip().contains("The model has changed since"), qPrintable(resume->toolTip()));
    QVERIFY(!gui.window.desk().resume(0));
    QVERIFY2(banner->text().contains("RES014") && banner->text().contains("changed since"), qPrintable(banner->text()));
    gui.workspace().undo();
    QTRY_VERIFY(resume->isEnabled());
    // Another desktop has taken it up meanwhile: this process stands for it.
    const std::string file = folder.filePath("model.results.sqlite").toStdString();
    auto store = std::get<ResultStore>(ResultStore::open(file));
    auto journal = std::get<RunJournal>(store.journal("latest"));
    journal.owner = this_process();
    QVERIFY(!store.write_journal(journal));
    resume->trigger();
    QVERIFY(!gui.window.desk().run().active());
    QVERIFY2(banner->text().contains("RES014") && banner->text().contains("still goes on in process"),
             qPrintable(banner->text()));
  }

  void an_interrupted_run_is_said_until_it_is_dismissed() {
    QTemporaryDir folder;
    const QString model = example_copy(repairable_system, folder);
    GuiFixture gui(model);
    run(gui.window, 500000000, 5);
    QTRY_VERIFY_WITH_TIMEOUT(gui.window.desk().snapshot() != nullptr && gui.window.desk().snapshot()->done > 0, 30000);
    gui.window.desk().stop_and_keep();
    const auto& rows = gui.window.desk().records().rows();
    const std::string file = folder.filePath("model.results.sqlite").toStdString();
    auto store = std::get<ResultStore>(ResultStore::open(file));
    auto journal = std::get<RunJournal>(store.journal("latest"));
    journal.run_id = ElementId::make().text(), journal.so_far.provenance.run_id = journal.run_id;
    journal.owner.clear();
    QVERIFY(!store.write_journal(journal));  // as a kill leaves it
    auto* bar = gui.window.findChild<QFrame*>("view.interrupted");
    QVERIFY(!bar->isVisible());
    QVERIFY(gui.window.open(model));
    QVERIFY(bar->isVisible());
    QCOMPARE(rows.size(), 2u);
    gui.workspace().start_new();
    QVERIFY(!bar->isVisible());
    QVERIFY(gui.window.open(model));
    QVERIFY(bar->isVisible());
    gui.window.findChild<QPushButton*>("action.interrupted.close")->click();
    QVERIFY(!bar->isVisible());
    QVERIFY(gui.window.open(model));
    QVERIFY(!bar->isVisible());
    QCOMPARE(rows.size(), 2u);
    QVERIFY((rows[0].interrupted || rows[1].interrupted) && rows[0].resumable && rows[1].resumable);
  }

  void the_journal_of_a_run_follows_its_model() {
    QTemporaryDir folder;
    GuiFixture gui;
    gui.workspace().adopt_unsaved(example_document(repairable_system), {});
    run(gui.window, 500000000, 5);
    QTRY_VERIFY_WITH_TIMEOUT(unsaved_stores(gui.state.path()).size() == 1, 60000);
    QVERIFY(!gui.workspace().save(folder.filePath("plant.ergode")));
    QVERIFY(unsaved_stores(gui.state.path()).isEmpty());
    const auto journals = [&](const char* name) {
      const auto store =
          ResultStore::open(folder.filePath(QLatin1String(name)).toStdString(), ResultStore::Access::existing);
      const auto* opened = std::get_if<ResultStore>(&store);
      return opened != nullptr && std::holds_alternative<RunJournal>(opened->journal("latest"));
    };
    QVERIFY(journals("plant.results.sqlite"));
    QVERIFY(!gui.workspace().save(folder.filePath("other.ergode")));
    QVERIFY(journals("other.results.sqlite"));
    QVERIFY(!journals("plant.results.sqlite"));
    // An unsaved model that is given up takes its store along, and the run that goes on makes no other.
    gui.window.desk().stop_and_keep();
    gui.workspace().adopt_unsaved(example_document(repairable_system), {});
    run(gui.window, 500000000, 6);
    QTRY_VERIFY_WITH_TIMEOUT(unsaved_stores(gui.state.path()).size() == 1, 60000);
    gui.workspace().start_new();
    QVERIFY(unsaved_stores(gui.state.path()).isEmpty());
    QTest::qWait(6000);
    QVERIFY(unsaved_stores(gui.state.path()).isEmpty());
    gui.window.desk().stop_and_keep();
    QVERIFY(unsaved_stores(gui.state.path()).isEmpty());
  }

  void a_killed_run_is_offered_and_resumed_data() {
    QTest::addColumn<bool>("saved");
    QTest::newRow("saved model") << true;
    QTest::newRow("unsaved model") << false;
  }

  // The oracles: the operating system for the kill, and a run that was never interrupted for the numbers.
  void a_killed_run_is_offered_and_resumed() {
    QFETCH(bool, saved);
    QTemporaryDir state, folder;
    QString model = example_copy(repairable_system, folder), store = folder.filePath("model.results.sqlite");
    if (!saved) {
      model = folder.filePath("pump.dft");
      QFile file(model);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("toplevel \"top\";\n\"top\" and \"a\" \"b\";\n\"a\" lambda=0.01;\n\"b\" lambda=0.02;\n");
    }
    const QString script = folder.filePath("script.json");
    QFile steps(script);
    QVERIFY(steps.open(QIODevice::WriteOnly));
    steps.write(R"([{"wait_idle": 20000}, {"set": "field.run.replications", "text": "1e9"},
                    {"set": "field.run.seed", "text": "11"}, {"trigger": "run.start"}, {"wait_ms": 120000}])");
    steps.close();
    QProcess workbench;
    workbench.start(QStringLiteral(ERGODE_BIN_DIR "/ergode-workbench"),
                    {"--state-dir", state.path(), "--ui-script", script, model});
    QVERIFY(workbench.waitForStarted());
    const auto journal = [&] { return saved ? QFile::exists(store) : !unsaved_stores(state.path()).isEmpty(); };
    QTRY_VERIFY_WITH_TIMEOUT(journal(), 90000);
    QTest::qWait(4000);  // it is being written, as fast as others let it
    workbench.kill();
    QVERIFY(workbench.waitForFinished());
    QCOMPARE(workbench.exitStatus(), QProcess::CrashExit);

    MainWindow window(state.path());
    window.settle(QSize(1280, 720));
    auto* bar = window.findChild<QFrame*>("view.interrupted");
    QVERIFY(!bar->isVisible());
    if (saved) QVERIFY(window.open(model));
    else {
      window.offer_lost_models();
      QTest::mouseClick(window.findChild<QPushButton*>("action.recovery.restore"), Qt::LeftButton);
    }
    QVERIFY(bar->isVisible());
    const auto& rows = window.desk().records().rows();
    QCOMPARE(rows.size(), 1u);
    QVERIFY(rows[0].interrupted && rows[0].resumable);
    QCOMPARE(rows[0].status, QString("interrupted"));
    QVERIFY(window.findChild<QTableWidget*>("table.runs")->item(0, 0)->toolTip().contains("interrupted"));
    QVERIFY(window.desk().shown() != nullptr && !window.desk().shown()->measures.empty());
    const QString id = rows[0].id;
    const quint64 kept = rows[0].replications;
    QVERIFY(kept > 0);
    if (const QString picture = qEnvironmentVariable("ERGODE_PICTURE"); !picture.isEmpty() && saved) {
      window.show_dock("results");
      QTest::qWait(300);
      window.grab().save(picture);
    }
    QTest::mouseClick(window.findChild<QPushButton*>("action.interrupted.resume"), Qt::LeftButton);
    QVERIFY(window.desk().run().active() && !bar->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(window.desk().snapshot() != nullptr && window.desk().snapshot()->done > kept, 60000);
    window.desk().stop_and_keep();
    QCOMPARE(rows.size(), 1u);
    QCOMPARE(rows[0].id, id);
    QCOMPARE(rows[0].status, QString("partial"));
    const auto resumed = window.desk().shown();
    QCOMPARE(resumed->provenance.seed, 11u);
    QVERIFY(QString::fromStdString(resumed->provenance.made.resumed).startsWith(id));
    run_to_the_end(window, resumed->replications, 11);
    QCOMPARE(window.desk().shown()->fingerprint, resumed->fingerprint);
    QCOMPARE(window.desk().shown()->replications, resumed->replications);
  }
};

ERGODE_GUI_TEST(TestRunResume)
#include "tst_run_resume.moc"
