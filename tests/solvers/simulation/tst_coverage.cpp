// How often intervals hold what they are meant to, from the drawing to the answer.
#include <QtTest>
#include <functional>

#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

/// M/M/1 as it is drawn, simulated and answered at 95 %, at 400 seeds each; the mean number is rho / (1 - rho). From
/// 92 to 98 % of the intervals hold it: 368 to 392. Where 95 % are held in truth so many are by chance outside of that
/// with a probability of 0.4 %, at fresh seeds one of these six rows once in 38 tries; seeds are fixed. Cycles of a
/// queue that is nine tenths full are skewed: it takes some 45,000 of them (of 18,000 362 intervals hold it).
class TestCoverage : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void drawn_queues_are_covered_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("load");
    QTest::addColumn<QString>("mission");
    QTest::newRow("batch means, half") << "batch-means" << 0.5 << "10000 s";
    QTest::newRow("batch means, nine tenths") << "batch-means" << 0.9 << "200000 s";
    QTest::newRow("cycles, half") << "regenerative" << 0.5 << "20000 s";
    QTest::newRow("cycles, nine tenths") << "regenerative" << 0.9 << "500000 s";
    QTest::newRow("replications, half") << "replications" << 0.5 << "1000 s";
    QTest::newRow("replications, nine tenths") << "replications" << 0.9 << "10000 s";
  }
  void drawn_queues_are_covered() {
    QFETCH(QString, method);
    QFETCH(double, load);
    QFETCH(QString, mission);
    ModelBuilder m(mission.toStdString());
    m.header("time_unit", "s");
    const ElementId net = m.diagram("Queue", "queueing");
    const ElementId in = m.node(net, {}, "source", {{"name", "in"}, {"rate", std::to_string(load) + " /s"}}),
                    desk = m.node(net, {}, "station", {{"name", "desk"}, {"service", "exponential(mean = 1 s)"}}),
                    out = m.node(net, {}, "sink", {{"name", "out"}});
    m.edge(net, "flow", in, desk), m.edge(net, "flow", desk, out);
    if (method == "regenerative")
      m.measure("number", "regenerative_mean", "desk.number", {{"renewal", "desk.number == 0"}});
    else m.measure("number", "steady_state_mean", "desk.number");
    int inside = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      RunRequest asked{.seed = seed, .replications = method == "replications" ? 10U : 1U, .confidence = 0.95};
      if (method == "batch-means") asked.replications.reset(), asked.options["output-analysis"] = "batch-means";
      const ResultSet r = solved(m.document(), asked);
      const MeasureResult& found = *r.measure("number");
      inside += found.lower <= load / (1.0 - load) && load / (1.0 - load) <= found.upper ? 1 : 0;
    }
    qInfo("%d of 400", inside);
    QVERIFY2(inside >= 368 && inside <= 392, qPrintable(QString::number(inside)));
  }
};

QTEST_APPLESS_MAIN(TestCoverage)
#include "tst_coverage.moc"
