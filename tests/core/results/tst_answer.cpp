#include <QtTest>
#include <limits>
#include <memory>

#include "core/results/answer.h"

using namespace ergode;

class TestAnswer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void an_exact_value_is_held_up_to_roundings();
  void one_long_run_is_compared_with_limits_alone();
};

void TestAnswer::one_long_run_is_compared_with_limits_alone() {
  auto exact = std::make_shared<ResultSet>();
  MeasureResult m;
  m.id = "busy", m.kind = "time_average", m.estimate = 0.371, m.exact = true;
  exact->measures = {m};
  auto limit = std::make_shared<ResultSet>();
  limit->long_run = true;
  m.estimate = 0.646;
  limit->measures = {m};
  ResultSet run;
  run.company = {exact, limit};
  QVERIFY(!is_one_long_run(run));
  QCOMPARE(exact_beside(run, "busy")->estimate, 0.371);
  run.provenance.options["output_analysis"] = "batch-means";
  QVERIFY(is_one_long_run(run));
  QVERIFY(exact_beside(run, "busy") == nullptr);  // of what it does not answer
  MeasureResult estimate = m;
  estimate.exact = false, estimate.estimate = 0.65;
  run.measures = {estimate};
  QCOMPARE(exact_beside(run, "busy")->estimate, 0.646);
  run.company = {exact};
  QVERIFY(exact_beside(run, "busy") == nullptr);
}

void TestAnswer::an_exact_value_is_held_up_to_roundings() {
  MeasureResult m;
  m.lower = 0.25, m.upper = 0.5;
  for (const double held : {0.25, 0.3, 0.5, 0.5 * (1 + 4e-16), 0.25 * (1 - 4e-16)}) QVERIFY(interval_holds(m, held));
  for (const double beyond : {0.5 * (1 + 1e-13), 0.25 * (1 - 1e-13), 0.0, 1.0, -0.25})
    QVERIFY(!interval_holds(m, beyond));
  // A constant that was averaged: no width, and the last digit differs.
  m.lower = m.upper = 1e-11 * (1 + 3e-16);
  QVERIFY(interval_holds(m, 1e-11) && !interval_holds(m, 1.0000001e-11));
  m.lower = m.upper = 0.0;
  QVERIFY(interval_holds(m, 0.0) && !interval_holds(m, 1e-300));
  m.lower = m.upper = std::numeric_limits<double>::quiet_NaN();
  QVERIFY(!interval_holds(m, 0.5) && !has_interval(m));
  m.lower = m.upper = 0.25;
  QVERIFY(has_interval(m));
}

QTEST_APPLESS_MAIN(TestAnswer)
#include "tst_answer.moc"
