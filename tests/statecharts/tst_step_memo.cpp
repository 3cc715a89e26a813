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
};

namespace {

/// Two regions that meet on event c, one of them with states inside, and a way out. With a guard that always holds but
/// is known only while running nothing can be remembered.
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

// Oracle: the general algorithm, on the same chart with guards that have to be looked at.
void TestStepMemo::remembered_steps_are_those_of_the_general_algorithm() {
  const auto plain = model(""), guarded = model("x == 0");
  TraceRun remembered(plain->document()), general(guarded->document());
  remembered.start(), general.start();
  std::mt19937 random(3);
  const std::vector<std::string> events = {"a", "b", "c", "d", "e", "f"};
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 20000; ++i) {
    const std::string& event = events[random() % events.size()];
    const auto number = [&](TraceRun& run) { return static_cast<std::uint32_t>(run.model().event(event)); };
    remembered.charts().give(0, number(remembered));
    general.send(event);
    QCOMPARE(remembered.charts().configuration(), general.charts().configuration());
    QCOMPARE(remembered.world().fingerprint, general.world().fingerprint);
    seen.insert(remembered.charts().configuration().front());
  }
  QVERIFY(seen.size() >= 7);
}

QTEST_GUILESS_MAIN(TestStepMemo)
#include "tst_step_memo.moc"
