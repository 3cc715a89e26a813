#include <QtTest>
#include <algorithm>
#include <cmath>

#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

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
  for (const bool stiff : {true, false}) {
    // All generators fail within a fraction of a microsecond.
    const ResultSet results = solved(example("08_core_heat_up"), {.scenario = "no_recovery",
                                                                  .overrides = {{"rate_first_hour", "1e12 /h"}},
                                                                  .replications = 2,
                                                                  .ode = {.stiff = stiff}});
    QCOMPARE(estimate(results, "core_damage"), 1.0);
    const double value = estimate(results, "damage_after"), exact = time_of_damage_h();
    QVERIFY2(std::abs(value - exact) < 1e-7 * exact,
             qPrintable(QString("%1 h against %2 h").arg(value, 0, 'g', 12).arg(exact, 0, 'g', 12)));
    QVERIFY(std::abs(estimate(results, "peak") - limit) < 1e-4);
  }
}

void TestCoreHeatUp::power_that_comes_back_in_time_saves_the_core() {
  // Power is back for certain after 3.84 h and, in the other case, 3.87 h: just before and after 3.8568 h.
  for (const bool early : {true, false}) {
    const ResultSet results =
        solved(example("08_core_heat_up"), {.scenario = "no_recovery",
                                            .overrides = {{"rate_first_hour", "1e12 /h"},
                                                          {"recovery_median", early ? "3.84 h" : "3.87 h"},
                                                          {"recovery_error_factor", "1"}},
                                            .replications = 2});
    QCOMPARE(estimate(results, "core_damage"), early ? 0.0 : 1.0);
    QCOMPARE(estimate(results, "core_uncovered"), 1.0);
  }
}

QTEST_APPLESS_MAIN(TestCoreHeatUp)
#include "tst_core_heat_up.moc"
