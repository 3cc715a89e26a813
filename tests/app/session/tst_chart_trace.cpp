#include <QtTest>

#include "app/session/chart_trace.h"
#include "statecharts/exchange/scxml_reader.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

class ChartTraceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void times_of_events_are_read();
  void events_come_at_their_times_and_waiting_costs_none();
  void what_cannot_be_given_or_goes_on_for_ever_is_said();
};

namespace {

// Off for 10 s after each press; three presses within reach of the end.
constexpr const char* lamp =
    "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'><state id='on'><transition event='press' "
    "target='off'/></state><state id='off'><onentry><send event='again' delay='10s'/></onentry><transition "
    "event='again' target='on'/><transition event='end' target='over'/></state><final id='over'/></scxml>";

}  // namespace

void ChartTraceTest::times_of_events_are_read() {
  const auto read = parse_timed_events(" a , b.c@2s,d@+100ms, e@1e-3 h");
  const auto* events = std::get_if<std::vector<TimedEvent>>(&read);
  QVERIFY(events != nullptr);
  QCOMPARE(events->size(), 4U);
  QCOMPARE(events->at(0).name, std::string("a"));
  QVERIFY(events->at(0).relative && events->at(0).time_s == 0.0);
  QVERIFY(!events->at(1).relative && events->at(1).time_s == 2.0);
  QVERIFY(events->at(2).relative && events->at(2).time_s == 0.1);
  QVERIFY(!events->at(3).relative && qFuzzyCompare(events->at(3).time_s, 3.6));
  for (const char* wrong : {"a@", "a@soon", "a@5", "a@-1s", "a@2 m", ",a", "a@1e999s", "@1s"})
    QVERIFY2(std::holds_alternative<std::string>(parse_timed_events(wrong)), wrong);
  QVERIFY(std::get<std::vector<TimedEvent>>(parse_timed_events("")).empty());
}

void ChartTraceTest::events_come_at_their_times_and_waiting_costs_none() {
  const ScxmlImport import = parse_scxml(lamp, "lamp");
  const ChartTrace trace =
      trace_chart(*import.document, {{"press"}, {"press", 9.0}, {"press", 3.0}, {"end", 1e6, false}, {"press"}}, 2e6);
  QVERIFY2(!has_errors(trace.diagnostics), listed(trace.diagnostics).c_str());
  const std::vector<std::pair<double, std::string>> wanted = {{0, "on"},   {0, "off"},  {9, "off"},
                                                              {12, "off"}, {1e6, "on"}, {1e6, "off"}};
  QCOMPARE(trace.points.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    QCOMPARE(trace.points[i].time_s, wanted[i].first);
    QCOMPARE(trace.points[i].states, std::vector<std::string>{wanted[i].second});
  }
  const ChartTrace ended = trace_chart(*import.document, {{"press"}, {"end", 4.0}, {"press"}}, 100.0);
  QCOMPARE(ended.final_state, std::string("over"));
  QCOMPARE(ended.end_s, 4.0);
  QCOMPARE(ended.points.back().states, std::vector<std::string>{"over"});
}

void ChartTraceTest::what_cannot_be_given_or_goes_on_for_ever_is_said() {
  const ScxmlImport import = parse_scxml(lamp, "lamp");
  QVERIFY(find_code(trace_chart(*import.document, {{"press", 11.0, false}}, 10.0).diagnostics, "RUN011") != nullptr);
  QVERIFY(find_code(trace_chart(*import.document, {{"press", 5.0, false}, {"press", 4.0, false}}, 10.0).diagnostics,
                    "RUN011") != nullptr);
  const ScxmlImport circle = parse_scxml(
      "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'><state id='a'><onentry><send event='e' "
      "delay='1ms'/></onentry><transition event='e' target='a'/></state></scxml>",
      "circle");
  QVERIFY(find_code(trace_chart(*circle.document, {}, 10.0, 1, 5000).diagnostics, "RUN012") != nullptr);
  QVERIFY(!has_errors(trace_chart(*circle.document, {}, 10.0, 1, 20000).diagnostics));
  const ScxmlImport stuck = parse_scxml(
      "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'><state id='a'><transition "
      "target='a'/></state></scxml>",
      "stuck");
  QVERIFY(find_code(trace_chart(*stuck.document, {}, 10.0).diagnostics, "RUN002") != nullptr);
}

QTEST_GUILESS_MAIN(ChartTraceTest)
#include "tst_chart_trace.moc"
