// Names that the check of layers looks for are those that are registered.
#include <QProcess>
#include <QtTest>
#include <set>

#include "app/session/catalogue.h"
#include "core/drawing/node_pen.h"

using namespace ergode;

class TestCatalogue : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // It reads them in the sources; here is who runs.
  void the_check_of_layers_knows_every_notation_and_kind() {
    QProcess check;
    check.start(QStringLiteral(ERGODE_SOURCE_DIR "/tests/layering/check_layers.sh"), {ERGODE_SOURCE_DIR, "words"});
    QVERIFY(check.waitForFinished(60000));
    std::set<std::string> found, registered;
    for (const QByteArray& word : check.readAllStandardOutput().split('\n'))
      if (!word.isEmpty()) found.insert(word.toStdString());
    for (const NotationSpec& notation : catalogue().notations()) {
      registered.insert(notation.name);
      for (const KindSpec& kind : notation.kinds)
        if (kind.kind != note_kind().kind) registered.insert(kind.kind);
    }
    for (const std::string& word : registered) QVERIFY2(found.contains(word), word.c_str());
    // Beside these only names of kinds of diagrams.
    for (const NotationSpec& notation : catalogue().notations())
      for (const DiagramKind& diagram : notation.diagrams) registered.insert(diagram.name);
    for (const std::string& word : found) QVERIFY2(registered.contains(word), word.c_str());
  }
};

QTEST_GUILESS_MAIN(TestCatalogue)
#include "tst_catalogue.moc"
