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

/// Of a function of the hours, by Simpson's rule, between points at which it may have kinks.
double mean_by_hand(const std::function<double(double)>& f, std::vector<double> kinks = {}) {
  kinks.insert(kinks.begin(), 0.0), kinks.push_back(mission_h);
  constexpr int steps = 200'000;
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < kinks.size(); ++k) {
    const double h = (kinks[k + 1] - kinks[k]) / steps;
    double part = 0.0;
    for (int i = 0; i <= steps; ++i)
      part += (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * f(kinks[k] + i * h);
    sum += part * h / 3.0;
  }
  return sum / mission_h;
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
    QTest::newRow("two kinks") << "abs(v.x - 33.3) + min(v.y, 7)"
                               << (33.3 * 33.3 + 66.7 * 66.7) / 200.0 +
                                      mean_by_hand([](double t) { return std::min(100.0 * std::exp(-t / 20.0), 7.0); },
                                                   {20.0 * std::log(100.0 / 7.0)});
    QTest::newRow("product") << "v.x * v.y" << mean_by_hand([](double t) { return t * 100.0 * std::exp(-t / 20.0); });
    QTest::newRow("root") << "sqrt(v.x)" << 2.0 / 3.0 * 10.0;
    QTest::newRow("peak") << "exp(-((v.x - 61.7) / 0.3) ^ 2)" << 0.3 * std::sqrt(std::numbers::pi) / 100.0;
    QTest::newRow("time besides") << "now / 1 h * exp(-v.x / 5)"
                                  << mean_by_hand([](double t) { return t * std::exp(-t / 5.0); });
    QTest::newRow("jump") << "v.x > 40 ? exp(v.y / 10) : 0"
                          << mean_by_hand([](double t) { return t > 40 ? std::exp(10.0 * std::exp(-t / 20.0)) : 0.0; },
                                          {40.0 * (1.0 + 1e-15)});
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
      c.initial(on), c.transition(on, also, "after(uniform(1 h, 99 h))");
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

  // Where the run is cut into batches or cycles, too: a saw tooth of an hour, exp(-3 x) on average (1 - e^-3) / 3.
  void in_one_long_run_they_are_integrals() {
    ModelBuilder m("2000 h");
    ChartBuilder c(m, "Saw");
    c.variable("x", "real", "0");
    const ElementId rise = c.state("Rise");
    m.set(rise, "flow", "x := 1 /h");
    c.initial(rise), c.transition(rise, rise, "when(x >= 1)", "", "x := 0");
    m.component("v", "Saw");
    m.measure("mean", "time_average", "exp(-3 * v.x)");
    RunRequest request;
    request.options["output-analysis"] = "batch-means";
    const ResultSet results = solved(m.document(), request);
    compare_close(estimate(results, "mean"), (1.0 - std::exp(-3.0)) / 3.0, 1e-6);
  }
};

QTEST_APPLESS_MAIN(TestFlowMeans)
#include "tst_flow_means.moc"
