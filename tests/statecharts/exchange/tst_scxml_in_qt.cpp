// Documents about the data of events, and what scxml_writer makes of them, run by an interpreter that is not ours: Qt
// SCXML, where it is installed.
#include <QtTest>

#include "statecharts/exchange/scxml_reader.h"
#include "statecharts/exchange/scxml_writer.h"
#include "tests/statecharts/chart_check.h"
#include "tests/support/model_builder.h"
#include "tests/support/scxml_sentences.h"
#ifdef ERGODE_QT_SCXML
#include <QBuffer>
#include <QScxmlStateMachine>
#endif

using namespace ergode;
using namespace ergode::test;

class ScxmlInQt : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_is_written_of_a_document_ends_where_the_document_does();
};

#ifndef ERGODE_QT_SCXML
void ScxmlInQt::what_is_written_of_a_document_ends_where_the_document_does() { QSKIP("Qt SCXML is not installed"); }
#else

namespace {

void say_nothing(QtMsgType, const QMessageLogContext&, const QString&) {}

/// Whether the document comes to its state `pass`.
bool passes_in_qt(const std::string& text, const std::string& events) {
  QByteArray bytes = QByteArray::fromStdString(text);
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::ReadOnly);
  const std::unique_ptr<QScxmlStateMachine> machine(QScxmlStateMachine::fromData(&buffer));
  if (!machine->parseErrors().isEmpty()) return false;
  bool passed = false;
  machine->connectToState(QStringLiteral("pass"), machine.get(), [&](bool active) { passed = passed || active; });
  machine->start();
  QCoreApplication::processEvents();
  for (const QString& event : QString::fromStdString(events).split(QStringLiteral(", "), Qt::SkipEmptyParts)) {
    machine->submitEvent(event);
    QCoreApplication::processEvents();
  }
  return passed;
}

}  // namespace

// Oracle: Qt on the document itself, where it agrees with the Recommendation. Delays are left out: Qt waits for them.
void ScxmlInQt::what_is_written_of_a_document_ends_where_the_document_does() {
  const QtMessageHandler handler = qInstallMessageHandler(say_nothing);
  int same = 0, with_data = 0;
  std::string at_odds, wrong;
  for (const ScxmlSentence& sentence : scxml_sentences()) {
    const std::string document = sentence.document();
    if (document.find("_event.data") == std::string::npos || document.find("delay") != std::string::npos) continue;
    if (!passes_in_qt(document, sentence.events)) {
      at_odds += "\n  " + sentence.name();
      continue;
    }
    const ScxmlImport import = parse_scxml(document, "chart");
    const ExportedText written = write_scxml(*import.document, chart_of(*import.document));
    if (!written.text) continue;  // an event before the first state is entered
    if (passes_in_qt(*written.text, sentence.events)) ++same;
    else wrong += "\n  " + sentence.name() + "\n" + *written.text;
    with_data += written.text->find("_event.data") != std::string::npos ? 1 : 0;
  }
  qInstallMessageHandler(handler);
  qInfo("%d documents the same, %d of them read data of events; Qt is at odds with:%s", same, with_data,
        at_odds.c_str());
  std::fputs(wrong.c_str(), stderr);
  QVERIFY(wrong.empty());
  QVERIFY(same >= 10 && with_data >= 5);
}
#endif

QTEST_GUILESS_MAIN(ScxmlInQt)
#include "tst_scxml_in_qt.moc"
