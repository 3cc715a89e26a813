#include <QtTest>
#include <limits>

#include "core/results/answer.h"

using namespace ergode;

class TestAnswer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void an_exact_value_is_held_up_to_roundings();
};

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
