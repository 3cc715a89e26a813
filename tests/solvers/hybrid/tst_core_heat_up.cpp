#include <QtTest>
#include <algorithm>
#include <cmath>

#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// All generators fail on their own within a microsecond.
const Overrides blackout = {{"rate_first_hour", "1e12 /h"}, {"alpha2_first_hour", "0"}};

// The blackout of the example without end, by hand, in SI units from the example's README: the integral of the decay
// heat has a closed form, and the temperature is a quadrature over it.
constexpr double power = 3e9, operated = 3e7, evaporation = 1.5e6, capacity = 4e7, water_start = 260000.0,
                 water_at_core = 40000.0, start = 560.0, limit = 1477.0;

double heat(double t) { return 0.0622 * power * (std::pow(t + 10.0, -0.2) - std::pow(t + operated, -0.2)); }
double water(double t) {
  const auto power_of = [](double x) { return std::pow(x, 0.8) / 0.8; };
  const double released =
      0.0622 * power * (power_of(t + 10.0) - power_of(10.0) - power_of(t + operated) + power_of(operated));
  return water_start - released / evaporation;
}
double heating(double t) { return heat(t) / capacity * (1.0 - std::max(water(t), 0.0) / water_at_core); }

double time_of_damage_h() {
  double covered = 0.0, uncovered = 1e6;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (covered + uncovered);
    (water(middle) > water_at_core ? covered : uncovered) = middle;
  }
  // Simpson's rule; the kink where the water is gone costs one step its order, which a step of 0.1 s makes harmless.
  double t = covered, temperature = start;
  for (const double step = 0.1;;) {
    const double rise = step / 6.0 * (heating(t) + 4.0 * heating(t + step / 2.0) + heating(t + step));
    if (temperature + rise >= limit) return (t + step * (limit - temperature) / rise) / 3600.0;
    temperature += rise, t += step;
  }
}

}  // namespace

class TestCoreHeatUp : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_blackout_without_end_damages_the_core_at_the_time_of_the_solution();
  void power_that_comes_back_in_time_saves_the_core();
};

void TestCoreHeatUp::a_blackout_without_end_damages_the_core_at_the_time_of_the_solution() {
  // To a thousand times the local error that is asked for.
  for (const OdeOptions& ode : {OdeOptions{}, OdeOptions{.method = OdeMethod::nonstiff},
                                OdeOptions{.method = OdeMethod::stiff}, OdeOptions{.relative = 1e-11}}) {
    const ResultSet results = solved(example("08_core_heat_up"),
                                     {.scenario = "no_recovery", .overrides = blackout, .replications = 2, .ode = ode});
    QCOMPARE(estimate(results, "core_damage"), 1.0);
    const double value = estimate(results, "damage_after"), exact = time_of_damage_h();
    QVERIFY2(std::abs(value - exact) < 1000.0 * ode.relative * exact,
             qPrintable(QString("%1 h against %2 h").arg(value, 0, 'g', 12).arg(exact, 0, 'g', 12)));
    QVERIFY(std::abs(estimate(results, "peak") - limit) < 1000.0 * ode.relative * limit);
  }
}

void TestCoreHeatUp::power_that_comes_back_in_time_saves_the_core() {
  // The core is damaged after 3.8568 h; power is back for certain just before or just after.
  for (const bool early : {true, false}) {
    Overrides changes = blackout;
    changes["recovery_median"] = early ? "3.84 h" : "3.87 h", changes["recovery_error_factor"] = "1.00001";
    const ResultSet results =
        solved(example("08_core_heat_up"), {.scenario = "no_recovery", .overrides = changes, .replications = 2});
    QCOMPARE(estimate(results, "core_damage"), early ? 0.0 : 1.0);
    QCOMPARE(estimate(results, "core_uncovered"), 1.0);
  }
}

QTEST_APPLESS_MAIN(TestCoreHeatUp)
#include "tst_core_heat_up.moc"
