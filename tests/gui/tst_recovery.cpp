#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>

#include "app/gui/recovery.h"
#include "app/gui/run_bar.h"
#include "core/format/hash.h"
#include "core/format/model_file.h"
#include "tests/gui/gui_test.h"

using namespace ergode;

namespace {

/// The number of a process that has ended: a child that was waited for.
qint64 dead_process() {
  QProcess child;
  child.start(QStringLiteral("true"), QStringList());
  child.waitForStarted();
  const qint64 number = child.processId();
  child.waitForFinished();
  return number;
}

void rename_model(Workspace& workspace, const char* name) {
  Edit edit(workspace.document(), "Rename");
  edit.set(workspace.document().model().id, "name", name);
  workspace.push(edit.finish());
}

/// What a window leaves when it dies with unsaved work; @returns the hash of that work.
std::string crash(const QString& state, qint64 process) {
  MainWindow window(state);
  window.open(example(repairable));
  rename_model(window.workspace(), "Lost work");
  window.recovery().write_now();
  const QString left = QDir(window.recovery().folder()).filePath(QStringLiteral("%1-1.json").arg(process));
  QFile::copy(window.recovery().own_file(), left);
  return file_hash(window.workspace().document());
}

}  // namespace

class TestRecovery : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_a_dead_process_left_is_offered_and_restored_unchanged() {
    QTemporaryDir state;
    const std::string hash = crash(state.path(), dead_process());
    MainWindow window(state.path());
    window.settle(QSize(1280, 720));
    window.offer_lost_models();
    auto* bar = window.findChild<QWidget*>("view.recovery");
    QVERIFY(bar->isVisible());
    QVERIFY(window.findChild<QLabel*>("label.recovery")->text().contains("Lost work"));
    QTest::mouseClick(window.findChild<QPushButton*>("action.recovery.restore"), Qt::LeftButton);
    QVERIFY(!bar->isVisible());
    QCOMPARE(file_hash(window.workspace().document()), hash);
    QVERIFY(window.workspace().modified());
    QCOMPARE(window.workspace().path(), QFileInfo(example(repairable)).absoluteFilePath());
    // A second crash now would still find the work: the copy has passed to this process.
    QVERIFY(window.recovery().lost().empty());
    QVERIFY(QFile::exists(window.recovery().own_file()));
  }

  void what_was_typed_for_the_next_run_is_restored_with_the_model() {
    QTemporaryDir state;
    {
      MainWindow window(state.path());
      window.open(example("02_station_blackout/model.ergode"));
      rename_model(window.workspace(), "Lost work");
      window.recovery().write_now();
      const QString own = window.recovery().own_file();
      QVERIFY(QFile::remove(own));
      // Typing alone is work too: the copy is made anew.
      QTest::keyClicks(window.findChild<QLineEdit*>("field.run.replications"), "7e6");
      QTest::keyClicks(window.findChild<QLineEdit*>("field.run.seed"), "4711");
      window.run_bar().set_options({{"confidence", "0.99"}});
      QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(own), RecoveryJournal::latest_ms + 1500);
      QFile::copy(own, QDir(window.recovery().folder()).filePath(QStringLiteral("%1-1.json").arg(dead_process())));
    }
    MainWindow window(state.path());
    window.settle(QSize(1280, 720));
    window.offer_lost_models();
    QTest::mouseClick(window.findChild<QPushButton*>("action.recovery.restore"), Qt::LeftButton);
    QCOMPARE(window.findChild<QLineEdit*>("field.run.replications")->text(), QString("7e6"));
    QCOMPARE(window.findChild<QLineEdit*>("field.run.seed")->text(), QString("4711"));
    const RunRequest request = window.run_bar().request();
    QCOMPARE(request.replications.value_or(0), 7000000u);
    QCOMPARE(request.confidence, 0.99);
  }

  void what_a_copy_says_of_the_next_run_is_checked() {
    QTemporaryDir state;
    MainWindow window(state.path());
    window.open(example(repairable));
    window.run_bar().set_typed({{"replications", "many"},
                                {"seed", "-3"},
                                {"solver", "oracle"},
                                {"scenario", "none"},
                                {"options", QJsonObject{{"confidence", "95"}, {"luck", "1"}, {"lumping", "off"}}}});
    QVERIFY(window.findChild<QLineEdit*>("field.run.replications")->text().isEmpty());
    QVERIFY(window.findChild<QLineEdit*>("field.run.seed")->text().isEmpty());
    QCOMPARE(window.run_bar().request().solver, std::string("simulation"));
    QCOMPARE(window.run_bar().options().size(), std::size_t{1});
  }

  void discarding_removes_the_file_and_asks_no_more() {
    QTemporaryDir state;
    crash(state.path(), dead_process());
    MainWindow window(state.path());
    window.settle(QSize(1280, 720));
    window.offer_lost_models();
    QTest::mouseClick(window.findChild<QPushButton*>("action.recovery.discard"), Qt::LeftButton);
    QVERIFY(window.recovery().lost().empty());
    QVERIFY(!window.findChild<QWidget*>("view.recovery")->isVisible());
    QVERIFY(!window.workspace().modified());
  }

  void the_copies_of_running_processes_are_not_offered() {
    QTemporaryDir state;
    QProcess other;
    other.start(QStringLiteral("sleep"), {QStringLiteral("30")});
    QVERIFY(other.waitForStarted());
    crash(state.path(), other.processId());
    MainWindow window(state.path());
    QVERIFY(window.recovery().lost().empty());
    other.kill();
    other.waitForFinished();
    QCOMPARE(window.recovery().lost().size(), std::size_t(1));
  }

  void saving_and_a_clean_end_leave_nothing() {
    QTemporaryDir state, folder;
    QString own;
    {
      MainWindow window(state.path());
      QVERIFY(window.open(example_copy(repairable, folder)));
      rename_model(window.workspace(), "Changed");
      window.recovery().write_now();
      own = window.recovery().own_file();
      QVERIFY(QFile::exists(own));
      QVERIFY(window.save());
      QVERIFY(!QFile::exists(own));
      rename_model(window.workspace(), "Changed again");
      window.recovery().write_now();
      QVERIFY(QFile::exists(own));
    }
    QVERIFY(!QFile::exists(own));
  }

  void a_damaged_copy_is_passed_over() {
    QTemporaryDir state;
    QDir(state.path()).mkpath("recovery");
    QFile file(state.filePath(QStringLiteral("recovery/%1-1.json").arg(dead_process())));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"title\": \"half");
    file.close();
    MainWindow window(state.path());
    QVERIFY(window.recovery().lost().empty());
  }
};

ERGODE_GUI_TEST(TestRecovery)
#include "tst_recovery.moc"
