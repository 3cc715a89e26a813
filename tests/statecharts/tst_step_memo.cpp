#include <QtTest>
#include <random>
#include <set>

#include "tests/statecharts/chart_check.h"

using namespace ergode;
using namespace ergode::test;

class TestStepMemo : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void remembered_steps_are_those_of_the_general_algorithm();
  void a_guard_that_raises_its_own_event_is_a_circle();
};

namespace {

/// Two regions that meet on event c, one of them with states inside, and a way out. All transitions have the guard.
std::unique_ptr<ModelBuilder> model(const std::string& guard) {
  auto out = std::make_unique<ModelBuilder>();
  ChartBuilder chart(*out, "C");
  chart.variable("x");
  const ElementId outside = chart.state("Outside"), p = chart.state("P");
  const ElementId r = chart.region("R", p), s = chart.region("S", p);
  const ElementId r1 = chart.state("R1", r), r2 = chart.state("R2", r), s1 = chart.state("S1", s),
                  s2 = chart.state("S2", s);
  const ElementId s21 = chart.state("S21", s2), s22 = chart.state("S22", s2);
  chart.initial(outside), chart.initial(r1, r), chart.initial(s1, s), chart.initial(s21, s2);
  chart.transition(outside, p, "a", guard), chart.transition(outside, s22, "b", guard);
  chart.transition(r1, r2, "a", guard), chart.transition(r2, r1, "c", guard), chart.transition(r2, outside, "d", guard);
  chart.transition(s1, s2, "b", guard), chart.transition(s21, s22, "c", guard), chart.transition(s2, s1, "c", guard);
  chart.transition(s22, s2, "d", guard), chart.transition(p, p, "e", guard), chart.transition(s22, outside, "a", guard);
  chart.transition(s1, s1, "f", guard, "", {{"type", "internal"}});
  out->component("unit", "C");
  return out;
}

}  // namespace

// Oracle: the general algorithm. Without guards, with one that is known only while running, and with one that turns.
void TestStepMemo::remembered_steps_are_those_of_the_general_algorithm() {
  for (const char* guard : {"", "x == 0", "x < 2 or x > 3", "1 <= x"}) {
    const auto drawn = model(guard);
    TraceRun remembered(drawn->document()), general(drawn->document());
    general.charts().forget_steps();
    remembered.start(), general.start();
    const std::uint32_t x = remembered.model().table->named().front().slot;
    std::mt19937 random(3);
    const std::vector<std::string> events = {"a", "b", "c", "d", "e", "f"};
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 20000; ++i) {
      const std::string& event = events[random() % events.size()];
      const double value = static_cast<double>(random() % 5);
      for (TraceRun* run : {&remembered, &general}) {
        if (i % 7 == 0) run->charts().set_variable(x, value);
        run->charts().give(0, static_cast<std::uint32_t>(run->model().event(event)));
      }
      QCOMPARE(remembered.charts().configuration(), general.charts().configuration());
      QCOMPARE(remembered.world().fingerprint, general.world().fingerprint);
      seen.insert(remembered.charts().configuration().front());
    }
    QVERIFY(seen.size() >= 7 || std::string_view(guard) == "x == 0");
  }
}

// Oracle: SCXML asks again after each internal event, so this is a circle without end; it must be said, not gone
// through for ever.
void TestStepMemo::a_guard_that_raises_its_own_event_is_a_circle() {
  ModelBuilder out;
  ChartBuilder chart(out, "C");
  const ElementId a = chart.state("A"), b = chart.state("B");
  chart.initial(a);
  chart.transition(a, b, "e", "raise(e)");
  out.component("unit", "C");
  TraceRun run(out.document());
  run.start();
  try {
    run.send("e");
    QFAIL("it came to rest");
  } catch (const ModelFailure& failure) {
    QCOMPARE(QString::fromStdString(failure.diagnostic.code), QString("RUN002"));
  }
}

QTEST_GUILESS_MAIN(TestStepMemo)
#include "tst_step_memo.moc"
