// Sentences of the SCXML Recommendation (W3C, 1 September 2015) as small documents, each with the state it ends in.
#include <QtTest>

#include "app/session/chart_trace.h"
#include "statecharts/exchange/scxml_reader.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

class ScxmlRecommendation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_document_ends_where_the_recommendation_says_data();
  void a_document_ends_where_the_recommendation_says();
};

// Each document leads to `pass`; `fail` is where a misreading leads.
void ScxmlRecommendation::a_document_ends_where_the_recommendation_says_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("events");
  const auto row = [](const char* sentence, const char* body, const char* events = "") {
    QTest::newRow(sentence) << body << events;
  };
  row("3.12.1 a descriptor matches whole tokens",
      R"x(<state id="s"><transition event="foo" target="fail"/><transition event="fool" target="pass"/></state>)x",
      "fool");
  row("3.12.1 a trailing dot or star changes nothing",
      R"x(<state id="s"><transition event="a." target="t"/></state><state id="t"><transition event="b.*" target="pass"/></state>)x",
      "a.x, b");
  row("3.13 a transition without target leaves nothing",
      R"x(<state id="s"><onexit><assign location="x" expr="1"/></onexit><transition event="a"/><transition event="b" cond="x === 0" target="pass"/></state>)x",
      "a, b");
  row("3.13 eventless transitions come before internal events",
      R"x(<state id="s"><onentry><raise event="e"/></onentry><transition event="e" target="fail"/><transition target="t"/></state><state id="t"><transition event="e" target="pass"/></state>)x");
  row("3.7 the done event comes after what the final state raised",
      R"x(<state id="s"><transition event="done.state.s" cond="x === 1" target="pass"/><transition event="e"><assign location="x" expr="x + 1"/></transition><final id="f"><onentry><raise event="e"/></onentry></final></state>)x");
  row("3.11 done of a parallel state comes when its last region is done",
      R"x(<parallel id="p"><transition event="done.state.p" cond="In('f2') &amp;&amp; x === 1" target="pass"/><transition event="done.state.r1"><assign location="x" expr="1"/></transition><state id="r1"><final id="f1"/></state><state id="r2"><state id="w"><transition event="done.state.r1" target="f2"/></state><final id="f2"/></state></parallel>)x");
  row("4.2 internal events come before external ones",
      R"x(<state id="s"><onentry><send event="out"/><raise event="in"/></onentry><transition event="out" target="fail"/><transition event="in" target="pass"/></state>)x");
  row("4.3 at most one branch is taken",
      R"x(<state id="s"><onentry><if cond="x === 0"><assign location="x" expr="1"/><elseif cond="x === 1"/><assign location="x" expr="2"/></if></onentry><transition cond="x === 1" target="pass"/></state>)x");
  row("4.6 the item keeps its last value and the index counts from zero",
      R"x(<state id="s"><onentry><foreach array="[4, 9]" item="x" index="y"/></onentry><transition cond="x === 9 &amp;&amp; y === 1" target="pass"/></state>)x");
  row("4.6 an error inside ends the loop and the block",
      R"x(<state id="s"><onentry><foreach array="[1, 2]" item="y"><assign location="x" expr="y"/><assign location="nowhere" expr="1"/></foreach><assign location="x" expr="7"/></onentry><transition event="error.execution" cond="x === 1" target="pass"/></state>)x");
  row("4.10 an error ends its block and no other one",
      R"x(<state id="s"><onentry><assign location="nowhere" expr="1"/><raise event="lost"/></onentry><onentry><raise event="kept"/></onentry><transition event="lost" target="fail"/><transition event="kept" target="pass"/></state>)x");
  row("5.4 an error in an expression leaves the location as it was",
      R"x(<state id="s"><onentry><assign location="x" expr="nobody + 1"/></onentry><transition event="error.execution" cond="x === 0" target="pass"/></state>)x");
  row("5.9.1 a condition that is no expression is false and an error",
      R"x(<state id="s"><transition event="a" cond="return" target="fail"/><transition event="error.execution" target="pass"/></state>)x",
      "a");
  row("5.9.1 the transitions after it are asked all the same",
      R"x(<state id="s"><transition event="a" cond="return" target="fail"/><transition event="a" target="t"/></state><state id="t"><transition event="error.execution" target="pass"/></state>)x",
      "a");
  row("5.9.1 no error where it was not asked",
      R"x(<state id="s"><transition event="a"/><transition event="a" cond="return" target="fail"/><transition event="error" target="fail"/><transition event="b" target="pass"/></state>)x",
      "a, b");
  row("5.9.1 a condition of a branch too, and the block goes on",
      R"x(<state id="s"><onentry><if cond="return"><raise event="wrong"/><else/><raise event="else"/></if><raise event="on"/></onentry><transition event="error.execution" target="t"/><transition event="*" target="fail"/></state><state id="t"><transition event="else" target="u"/><transition event="*" target="fail"/></state><state id="u"><transition event="on" target="pass"/></state>)x");
  row("5.9.1 an eventless condition too",
      R"x(<state id="s"><transition cond="nobody" target="fail"/><transition event="error.execution" target="pass"/></state>)x");
  row("5.10.1 before the first event _event is not bound",
      R"x(<state id="s"><transition cond="typeof _event === 'undefined'" target="pass"/><transition target="fail"/></state>)x");
  row("5.10.1 reading its name then is an error",
      R"x(<state id="s"><onentry><assign location="x" expr="_event.name === 'a' ? 1 : 2"/></onentry><transition event="error.execution" cond="x === 0" target="pass"/></state>)x");
  row("5.10.1 as a condition it is false and an error",
      R"x(<state id="s"><transition cond="!(_event.name === 'a')" target="t"/></state><state id="t"><transition cond="_event.name === 'error.execution'" target="pass"/></state>)x");
  row("5.10.1 its fields too",
      R"x(<state id="s"><onentry><if cond="_event.type === 'external'"><raise event="wrong"/></if></onentry><transition event="error.execution" target="pass"/><transition event="wrong" target="fail"/></state>)x");
  row("5.10.1 it stays bound until the next event",
      R"x(<state id="s"><transition event="a" target="t"/></state><state id="t"><onentry><if cond="_event.name === 'a'"><raise event="in"/></if></onentry><transition event="in" cond="_event.name === 'in'" target="pass"/></state>)x",
      "a");
  row("5.10.1 an event is bound though nobody reacts to it",
      R"x(<state id="s"><transition event="a" target="t"/></state><state id="t"><transition cond="_event.name !== 'a'" target="pass"/></state>)x",
      "a, unheard");
  row("5.10.1 the name is the whole name",
      R"x(<state id="s"><transition event="a" cond="_event.name === 'a'" target="fail"/><transition event="a" target="pass"/></state>)x",
      "a.x");
  row("5.10.1 an error carries the id of the send that failed",
      R"x(<state id="s"><onentry><send event="e" id="mine" target="!illegal"/></onentry><transition event="error.execution" cond="_event.sendid === 'mine'" target="pass"/><transition event="*" target="fail"/></state>)x");
  row("5.10.1 also of one that was made up",
      R"x(<state id="s"><onentry><send event="e" idlocation="x" target="!illegal"/></onentry><transition event="error.execution" cond="_event.sendid === x" target="pass"/><transition event="*" target="fail"/></state>)x");
  row("5.10.1 also where the event processor is unknown",
      R"x(<state id="s"><onentry><send event="e" id="mine" type="carrier-pigeon"/></onentry><transition event="error.execution" cond="_event.sendid === 'mine'" target="pass"/><transition event="*" target="fail"/></state>)x");
  row("5.10.1 also where the session is unknown",
      R"x(<state id="s"><onentry><send event="e" id="mine" target="#_scxml_nobody"/></onentry><transition event="error.communication" cond="_event.sendid === 'mine'" target="pass"/><transition event="*" target="fail"/></state>)x");
  row("5.10.1 an error of something else carries none",
      R"x(<state id="s"><onentry><assign location="nowhere" expr="1"/></onentry><transition event="error.execution" cond="!_event.sendid" target="pass"/><transition event="*" target="fail"/></state>)x");
  row("5.10.1 errors are of type platform, raised events internal",
      R"x(<state id="s"><onentry><assign location="nowhere" expr="1"/></onentry><transition event="error" cond="_event.type === 'platform'" target="t"/></state><state id="t"><onentry><raise event="e"/></onentry><transition event="e" cond="_event.type === 'internal'" target="pass"/><transition event="*" target="fail"/></state>)x");
  row("6.2 what a send carries is read when it is sent",
      R"x(<state id="s"><onentry><assign location="x" expr="1"/><send event="e" delay="1s"><param name="p" expr="x"/></send><assign location="x" expr="2"/></onentry><transition event="e" cond="_event.data.p === 1" target="pass"/><transition event="e" target="fail"/></state>)x");
  row("6.3 a cancelled event does not come",
      R"x(<state id="s"><onentry><send event="e" id="i" delay="1s"/><send event="f" delay="2s"/><cancel sendid="i"/></onentry><transition event="e" target="fail"/><transition event="f" target="pass"/></state>)x");
}

// Oracle: the sentence, and the configuration worked out from it by hand.
void ScxmlRecommendation::a_document_ends_where_the_recommendation_says() {
  QFETCH(QString, body);
  QFETCH(QString, events);
  const std::string text = R"(<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">)"
                           R"(<datamodel><data id="x" expr="0"/><data id="y" expr="0"/></datamodel>)" +
                           body.toStdString() + R"(<final id="pass"/><final id="fail"/></scxml>)";
  const ScxmlImport import = parse_scxml(text, "chart");
  QVERIFY2(import.document && import.complete, listed(import.diagnostics).c_str());
  auto given = std::get<std::vector<TimedEvent>>(parse_timed_events(events.toStdString()));
  const ChartTrace trace = trace_chart(*import.document, given, 10.0);
  QVERIFY2(!has_errors(trace.diagnostics), listed(trace.diagnostics).c_str());
  QCOMPARE(QString::fromStdString(trace.final_state), QString("pass"));
}

QTEST_GUILESS_MAIN(ScxmlRecommendation)
#include "tst_scxml_recommendation.moc"
