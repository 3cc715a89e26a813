// Means over time of what expressions make of variables that flow, beside their integrals by hand: an integrator that
// makes one step of a straight line says nothing of the exponential of it.
#include <QtTest>
#include <cmath>
#include <functional>
#include <numbers>

#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double mission_h = 100.0;

/// What a function of the hours adds to the mean between two of them, by Simpson's rule.
double part_by_hand(const std::function<double(double)>& f, double from_h = 0.0, double to_h = mission_h) {
  constexpr int steps = 200'000;
  const double h = (to_h - from_h) / steps;
  double sum = 0.0;
  for (int i = 0; i <= steps; ++i) sum += (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * f(from_h + i * h);
  return sum * h / 3.0 / mission_h;
}

}  // namespace

class TestFlowMeans : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void they_are_integrals_data() {
    QTest::addColumn<QString>("expression");
    QTest::addColumn<double>("mean");
    QTest::newRow("variable") << "v.x" << 50.0;
    QTest::newRow("affine") << "3 * v.x - v.y / 2" << 150.0 - 0.5 * 20.0 * (1.0 - std::exp(-5.0));
    QTest::newRow("power") << "(v.x / 100) ^ 20" << 1.0 / 21.0;
    QTest::newRow("falling") << "exp(-v.x / 2)" << 0.02 * (1.0 - std::exp(-50.0));
    QTest::newRow("waves") << "sin(v.x)" << (1.0 - std::cos(100.0)) / 100.0;
    QTest::newRow("many waves") << "cos(20 * v.x) ^ 2" << 0.5 + std::sin(4000.0) / 80.0 / 100.0;
    QTest::newRow("reciprocal") << "1 / (1 + v.x)" << std::log(101.0) / 100.0;
    QTest::newRow("kink") << "max(0, v.x - 97)" << 0.045;
    const double seven_h = 20.0 * std::log(100.0 / 7.0);
    QTest::newRow("two kinks") << "abs(v.x - 33.3) + min(v.y, 7)"
                               << (33.3 * 33.3 + 66.7 * 66.7) / 200.0 + 7.0 * seven_h / 100.0 +
                                      part_by_hand([](double t) { return 100.0 * std::exp(-t / 20.0); }, seven_h);
    QTest::newRow("product") << "v.x * v.y" << part_by_hand([](double t) { return t * 100.0 * std::exp(-t / 20.0); });
    QTest::newRow("root") << "sqrt(v.x)" << 2.0 / 3.0 * 10.0;
    QTest::newRow("peak") << "exp(-((v.x - 61.7) / 0.3) ^ 2)" << 0.3 * std::sqrt(std::numbers::pi) / 100.0;
    QTest::newRow("jump") << "v.x > 40 ? exp(v.y / 10) : 0"
                          << part_by_hand([](double t) { return std::exp(10.0 * std::exp(-t / 20.0)); }, 40.0);
    QTest::newRow("no end of waves") << "1 + 1e-9 * cos(1e9 * v.x)" << 1.0;
  }
  void they_are_integrals() {
    QFETCH(QString, expression);
    QFETCH(double, mean);
    for (const OdeMethod method : {OdeMethod::automatic, OdeMethod::stiff}) {
      ModelBuilder m("100 h");
      ChartBuilder c(m, "Vessel");
      c.variable("x", "real", "0"), c.variable("y", "real", "100");
      const ElementId on = c.state("On"), also = c.state("Also");
      for (const ElementId& state : {on, also}) m.set(state, "flow", "x := 1 /h; y := -y / 20 h");
      c.initial(on), c.transition(on, also, "after(uniform(low = 1 h, high = 99 h))");
      m.component("v", "Vessel");
      m.measure("mean", "time_average", expression.toStdString());
      m.measure("lasting", "time_distribution", expression.toStdString());
      const ResultSet results = solved(m.document(), {.replications = 3, .ode = {.method = method}});
      // A stiff method's own error is a few of its tolerances, of 1e-8, a step.
      const double allowed = (method == OdeMethod::stiff ? 2e-5 : 1e-7) * std::max(1e-2, std::fabs(mean));
      compare_close(estimate(results, "mean"), mean, allowed);
      compare_close(estimate(results, "lasting"), mean, allowed);
    }
  }

  // Where the run is cut into batches, too: a saw tooth of an hour, exp(-20 x) on average (1 - e^-20) / 20. What is cut
  // off a tooth at the ends of a run of a thousand makes a thousandth of it.
  void in_one_long_run_they_are_integrals() {
    ModelBuilder m("2000 h");
    ChartBuilder c(m, "Saw");
    c.variable("x", "real", "0");
    const ElementId rise = c.state("Rise");
    m.set(rise, "flow", "x := 1 /h");
    c.initial(rise), c.transition(rise, rise, "when(x >= 1)", "", "x := 0");
    m.component("v", "Saw");
    m.measure("mean", "time_average", "exp(-20 * v.x)");
    RunRequest request;
    request.options["output-analysis"] = "batch-means";
    const ResultSet results = solved(m.document(), request);
    compare_close(estimate(results, "mean"), 0.05, 5e-5);
  }
};

QTEST_APPLESS_MAIN(TestFlowMeans)
#include "tst_flow_means.moc"
