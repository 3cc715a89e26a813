// Sentences of the SCXML Recommendation (W3C, 1 September 2015) as small documents, tests/support/scxml_sentences.h.
#include <QtTest>

#include "app/session/chart_trace.h"
#include "statecharts/exchange/scxml_reader.h"
#include "statecharts/exchange/scxml_writer.h"
#include "tests/support/model_builder.h"
#include "tests/support/scxml_sentences.h"

using namespace ergode;
using namespace ergode::test;

class ScxmlRecommendation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_document_ends_where_the_recommendation_says_data() { sentences(); }
  void a_document_ends_where_the_recommendation_says();
  void so_does_what_is_written_of_it_data() { sentences(); }
  void so_does_what_is_written_of_it();

 private:
  static void sentences() {
    QTest::addColumn<QString>("document");
    QTest::addColumn<QString>("events");
    for (const ScxmlSentence& sentence : scxml_sentences())
      QTest::newRow(sentence.name().c_str())
          << QString::fromStdString(sentence.document()) << QString::fromStdString(sentence.events);
  }
};

namespace {

const Element& chart_of(const Document& document) {
  for (const Element* diagram : document.of(Section::diagram))
    if (diagram->text("notation") == "statechart") return *diagram;
  throw std::logic_error("no chart");
}

std::string end_of(const Document& document, const QString& events) {
  const auto given = std::get<std::vector<TimedEvent>>(parse_timed_events(events.toStdString()));
  const ChartTrace trace = trace_chart(document, given, 10.0);
  return has_errors(trace.diagnostics) ? listed(trace.diagnostics) : trace.final_state;
}

}  // namespace

// Oracle: the sentence, and the configuration worked out from it by hand.
void ScxmlRecommendation::a_document_ends_where_the_recommendation_says() {
  QFETCH(QString, document);
  QFETCH(QString, events);
  const ScxmlImport import = parse_scxml(document.toStdString(), "chart");
  QVERIFY2(import.document && import.complete, listed(import.diagnostics).c_str());
  QCOMPARE(QString::fromStdString(end_of(*import.document, events)), QString("pass"));
}

// Oracle: the same; what is written and read again means the same.
void ScxmlRecommendation::so_does_what_is_written_of_it() {
  QFETCH(QString, document);
  QFETCH(QString, events);
  const ScxmlImport import = parse_scxml(document.toStdString(), "chart");
  const ExportedText written = write_scxml(*import.document, chart_of(*import.document));
  if (!written.text) {
    QVERIFY2(find_code(written.diagnostics, "SCX101") != nullptr, listed(written.diagnostics).c_str());
    return;
  }
  const ScxmlImport again = parse_scxml(*written.text, "chart");
  QVERIFY2(again.document && again.complete, listed(again.diagnostics).c_str());
  QCOMPARE(QString::fromStdString(end_of(*again.document, events)), QString("pass"));
}

QTEST_GUILESS_MAIN(ScxmlRecommendation)
#include "tst_scxml_recommendation.moc"
