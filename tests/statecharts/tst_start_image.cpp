#include <QtTest>
#include <cstring>

#include "statecharts/execute/start_image.h"
#include "tests/statecharts/chart_check.h"

using namespace ergode;
using namespace ergode::test;

/// A history that begins from the image against one in which every component enters its first states.
class TestStartImage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void histories_from_the_image_are_those_of_entering_data() {
    QTest::addColumn<QString>("count");
    QTest::newRow("few clocks") << "7";
    QTest::newRow("many clocks") << "3001";  // more than three clocks each: over the limit above which they are shared
  }
  void histories_from_the_image_are_those_of_entering();
  void what_differs_between_histories_has_no_image_data();
  void what_differs_between_histories_has_no_image();
};

void TestStartImage::histories_from_the_image_are_those_of_entering() {
  QFETCH(QString, count);
  ModelBuilder m;
  ChartBuilder c(m, "C");
  const ElementId both = c.state("Both"), r = c.region("R", both), s = c.region("S", both);
  const ElementId up = c.state("Up", r), down = c.state("Down", r), x = c.state("X", s), y = c.state("Y", s),
                  z = c.state("Z", s);
  c.initial(both), c.initial(up, r), c.initial(x, s);
  c.transition(up, down, "rate(0.3 /h)"), c.transition(down, up, "rate(2 /h)");
  c.transition(x, y, "after(weibull(shape = 2, scale = 5 h))"), c.transition(y, x, "every(30 min)");
  c.transition(x, z, "when(count(unit[*].Down) >= 3)"), c.transition(z, x, "after(90 min)");
  m.component("unit", "C", count.toStdString());
  ChartBuilder watcher(m, "W");
  const ElementId calm = watcher.state("Calm"), alarm = watcher.state("Alarm");
  watcher.initial(calm);
  watcher.transition(calm, alarm, "when(count(unit[*].Up) < count(unit[*].Down))");
  watcher.transition(alarm, calm, "when(count(unit[*].Down) == 0)"), watcher.transition(calm, alarm, "at(7 h)");
  m.component("watcher", "W");

  const CompiledCheck check(m.document(), {"count(unit[*].Up) > 2", "count(unit[*].Down) > 1"});
  QVERIFY2(check.model, listed(check.problems).c_str());
  QVERIFY(start_image(*check.model));
  ChartHistory image(*check.model, 5), entered(*check.model, 5);
  entered.charts().forget_start();
  const auto same = [&] {
    const World &a = image.world(), &b = entered.world();
    if (a.fingerprint != b.fingerprint || a.events != b.events || a.changed().size() != b.changed().size())
      return false;
    if (image.charts().configuration() != entered.charts().configuration()) return false;
    if (std::memcmp(a.slots(), b.slots(), a.slot_count() * sizeof(double)) != 0) return false;
    for (std::uint32_t t = 0; t < a.timers.timers(); ++t)
      if (a.timers.time_of(t) != b.timers.time_of(t)) return false;
    return true;
  };
  // Forwards, back, and the same again: where a stream stood in another history must not matter.
  for (const std::uint64_t replication : {0U, 1U, 7U, 0U, 7U, 7U}) {
    image.start(replication), entered.start(replication);
    QVERIFY(same());
    const auto steps = [&](int n) {
      for (int k = 0; k < n; ++k) image.step(), entered.step();
    };
    steps(200);
    QVERIFY(same());
    ChartHistory::Saved a, b;
    image.save(a), entered.save(b);
    steps(300);
    QVERIFY(same());
    image.restore(a), entered.restore(b);
    steps(300);
    QVERIFY(same());
  }
}

void TestStartImage::what_differs_between_histories_has_no_image_data() {
  QTest::addColumn<QString>("entry");
  QTest::addColumn<QString>("trigger");
  QTest::addColumn<QString>("initial");
  QTest::addColumn<bool>("image");
  QTest::newRow("nothing") << ""
                           << "rate(1 /h)"
                           << "" << true;
  QTest::newRow("a delay drawn") << ""
                                 << "after(exponential(mean = 1 h))"
                                 << "" << true;
  QTest::newRow("an event") << ""
                            << "e"
                            << "" << true;
  QTest::newRow("an entry action") << "n := n + 1"
                                   << "rate(1 /h)"
                                   << "" << false;
  QTest::newRow("an initial transition that acts") << ""
                                                   << "rate(1 /h)"
                                                   << "n := 2" << false;
  QTest::newRow("a rate that reads") << ""
                                     << "rate(n * 1 /h)"
                                     << "" << false;
  QTest::newRow("a delay that reads") << ""
                                      << "after(n * 1 h)"
                                      << "" << false;
}
void TestStartImage::what_differs_between_histories_has_no_image() {
  QFETCH(QString, entry);
  QFETCH(QString, trigger);
  QFETCH(QString, initial);
  QFETCH(bool, image);
  ModelBuilder m;
  ChartBuilder c(m, "C");
  c.variable("n", "real", "1");
  const ElementId a = c.state("A", {}, entry.toStdString()), b = c.state("B");
  c.initial(a, {}, initial.toStdString());
  c.transition(a, b, trigger.toStdString()), c.transition(b, a, "after(1 h)", "", "n := n + 1");
  m.component("unit", "C");
  const CompiledCheck check(m.document());
  QVERIFY2(check.model, listed(check.problems).c_str());
  QCOMPARE(start_image(*check.model).has_value(), image);
}

QTEST_GUILESS_MAIN(TestStartImage)
#include "tst_start_image.moc"
