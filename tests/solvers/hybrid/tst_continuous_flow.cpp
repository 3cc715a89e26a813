#include <QtTest>
#include <cmath>
#include <numbers>

#include "core/expression/machine_code.h"
#include "core/results/result_json.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A vessel that cools towards zero with a time constant of 2 h, from 100, and is heated up again to 100 when it falls
/// below `limit`.
struct Cooling {
  ModelBuilder m{"10 h"};
  ChartBuilder c{m, "Vessel"};
  ElementId cool = c.state("Cool"), cold = c.state("Cold");
  explicit Cooling(const std::string& trigger) {
    c.variable("theta", "real", "100");
    m.set(cool, "flow", "theta := -theta / 2 h");
    c.initial(cool);
    c.transition(cool, cold, trigger);
    m.component("vessel", "Vessel");
    m.measure("when_cold", "time_to", "vessel.Cold");
    m.measure("mean", "time_average", "vessel.theta", {{"curve", 20}});
    m.measure("below_60", "time_average", "vessel.theta < 60");
    m.measure("last", "final_value", "vessel.theta");
  }
  ResultSet run(OdeOptions ode = {}) { return solved(m.document(), {.replications = 2, .ode = ode}); }
};

void compare_close(double value, double exact, double tolerance) {
  QVERIFY2(std::abs(value - exact) <= tolerance * std::max(1.0, std::abs(exact)),
           qPrintable(QString("%1 against %2").arg(value, 0, 'g', 15).arg(exact, 0, 'g', 15)));
}

std::string bits(const ResultSet& results) {
  Value json = to_json(results);
  json["run"].erase("made"), json["run"].erase("run_id");
  return json.dump();
}

}  // namespace

/// Oracles are solutions of the equations by hand. Deterministic models are compared to a thousand times the local
/// error that is asked for; random ones with their 99.9 % interval at a fixed seed (one in a thousand misses).
class TestContinuousFlow : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_level_crosses_its_limit_at_the_time_of_the_solution();
  void intervals_claim_no_more_than_integration_does();
  void averages_of_what_flows_are_integrals();
  void strict_and_edge_conditions_are_met();
  void a_transition_resets_a_variable();
  void flows_of_several_states_and_components_add_up();
  void a_rate_that_depends_on_time_gives_a_weibull_law();
  void a_rate_that_depends_on_a_variable_has_the_integrated_hazard();
  void an_event_found_by_a_measure_alone_is_not_missed();
  void a_flow_that_switches_is_followed_over_the_switch();
  void periodic_and_tabulated_flows_have_their_integrals_data();
  void periodic_and_tabulated_flows_have_their_integrals();
  void an_expression_as_deep_as_allowed_flows();
  void a_tabulated_rate_has_the_integrated_hazard();
  void the_same_bits_at_any_number_of_threads();
  void the_same_bits_interpreted_and_as_machine_code();
  void what_cannot_be_integrated_is_said_data();
  void what_cannot_be_integrated_is_said();
  void flows_into_the_wrong_thing_are_refused();
};

void TestContinuousFlow::a_level_crosses_its_limit_at_the_time_of_the_solution() {
  for (const bool stiff : {true, false}) {
    const ResultSet results =
        Cooling("when(theta <= 25)").run({.method = stiff ? OdeMethod::stiff : OdeMethod::nonstiff});
    compare_close(estimate(results, "when_cold"), 2.0 * std::log(4.0), 1e-6);
    compare_close(estimate(results, "last"), 25.0, 1e-6);
  }
}

void TestContinuousFlow::intervals_claim_no_more_than_integration_does() {
  // Another component begins the integration anew at random times, and does nothing else: all that differs from the
  // solution, and from replication to replication, is the error of integration.
  Cooling random("when(theta <= 25)");
  ChartBuilder c(random.m, "Ticker");
  const ElementId tick = c.state("Tick"), tock = c.state("Tock");
  c.initial(tick);
  c.transition(tick, tock, "rate(3 /h)");
  c.transition(tock, tick, "rate(3 /h)");
  random.m.component("ticker", "Ticker");
  const double exact = 2.0 * std::log(4.0);
  for (const OdeMethod method : {OdeMethod::automatic, OdeMethod::stiff, OdeMethod::nonstiff})
    for (const double relative : {1e-6, 1e-8, 1e-10}) {
      const ResultSet results =
          solved(random.m.document(), {.replications = 200, .ode = {.method = method, .relative = relative}});
      const MeasureResult& when = *results.measure("when_cold");
      const auto text = [&] {
        return qPrintable(QString("%1 [%2, %3]")
                              .arg(when.estimate, 0, 'g', 15)
                              .arg(when.lower, 0, 'g', 15)
                              .arg(when.upper, 0, 'g', 15));
      };
      QVERIFY2(when.lower <= exact && exact <= when.upper && when.lower < when.estimate && when.estimate < when.upper,
               text());
      QVERIFY2((when.upper - when.lower) / exact < 1000.0 * relative, text());
      const auto [low, high] = when.quantile_intervals.at(0.5);
      QVERIFY(low <= exact && exact <= high);
      QVERIFY(find_code(results.diagnostics, "RUN036") != nullptr);
    }
}

void TestContinuousFlow::averages_of_what_flows_are_integrals() {
  const ResultSet results = Cooling("at(20 h)").run();
  compare_close(estimate(results, "mean"), 100.0 * 2.0 / 10.0 * (1.0 - std::exp(-5.0)), 1e-6);
  compare_close(estimate(results, "below_60"), 1.0 - 0.2 * std::log(100.0 / 60.0), 1e-6);
  compare_close(estimate(results, "last"), 100.0 * std::exp(-5.0), 1e-6);
  bool found = false;
  for (const Series& curve : results.series) {
    if (curve.measure != "mean" || curve.kind != "curve") continue;
    found = true;
    QCOMPARE(curve.x.size(), std::size_t{21});
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      compare_close(curve.y[i], 100.0 * std::exp(-curve.x[i] / 2.0), 1e-6);
  }
  QVERIFY(found);
}

void TestContinuousFlow::strict_and_edge_conditions_are_met() {
  for (const char* trigger : {"when(theta < 50)", "becomes(theta < 50)", "becomes(theta <= 50)"})
    compare_close(estimate(Cooling(trigger).run(), "when_cold"), 2.0 * std::log(2.0), 1e-6);
  // Without curvature the zero is often exact: a strict comparison holds just behind it.
  for (const char* trigger : {"when(level > 4)", "when(level >= 4)", "when(level != 1 and level > 4)"}) {
    ModelBuilder m("10 h");
    ChartBuilder c(m, "Tank");
    c.variable("level", "real", "1");
    const ElementId fill = c.state("Fill"), full = c.state("Full");
    m.set(fill, "flow", "level := 1 /h");
    c.initial(fill), c.transition(fill, full, trigger);
    m.component("tank", "Tank");
    m.measure("full", "time_to", "tank.Full");
    compare_close(estimate(solved(m.document(), {.replications = 2}), "full"), 3.0, 1e-9);
  }
}

void TestContinuousFlow::a_transition_resets_a_variable() {
  ModelBuilder m("100 h");
  ChartBuilder c(m, "Tank");
  c.variable("level", "real", "1");
  c.variable("fillings", "integer");
  const ElementId fill = c.state("Fill");
  m.set(fill, "flow", "level := 1 /h");
  c.initial(fill);
  c.transition(fill, fill, "when(level >= 4)", "", "level := 2; fillings := fillings + 1", {{"type", "internal"}});
  m.component("tank", "Tank");
  m.measure("fillings", "final_value", "tank.fillings");
  m.measure("level", "final_value", "tank.level");
  const ResultSet results = solved(m.document(), {.replications = 2});
  // 3 h to the first, then every 2 h.
  QCOMPARE(estimate(results, "fillings"), 49.0);
  compare_close(estimate(results, "level"), 3.0, 1e-9);
}

void TestContinuousFlow::flows_of_several_states_and_components_add_up() {
  ModelBuilder m("10 h");
  ChartBuilder tank(m, "Tank"), pump(m, "Pump");
  tank.variable("level", "real", "5 m", "m");
  const ElementId hold = tank.state("Hold"), on = pump.state("On"), off = pump.state("Off");
  m.set(hold, "flow", "level := -0.5 m/h");
  m.set(on, "flow", "tank.level := 1 m/h * index");
  tank.initial(hold), pump.initial(on);
  pump.transition(on, off, "at(index * 2 h)");
  m.component("tank", "Tank"), m.component("pump", "Pump", "2");
  m.measure("level", "final_value", "tank.level", {{"unit", "m"}});
  // 5 - 0.5 * 10 + 1 * 2 + 2 * 4
  compare_close(estimate(solved(m.document(), {.replications = 2}), "level"), 10.0, 1e-8);
}

void TestContinuousFlow::a_rate_that_depends_on_time_gives_a_weibull_law() {
  ModelBuilder m("10 h");
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up), c.transition(up, down, "rate(3 * now * now / (8 h * 8 h * 8 h))");
  m.component("unit", "Unit");
  for (const double t : {2.0, 5.0, 10.0})
    m.measure("down_" + std::to_string(static_cast<int>(t)), "probability_at", "unit.Down",
              {{"at", std::to_string(t) + " h"}, {"curve", 0}});
  const ResultSet results = solved(m.document(), {.replications = 20000, .confidence = 0.999});
  for (const double t : {2.0, 5.0, 10.0})
    compare_inside(results, "down_" + std::to_string(static_cast<int>(t)), 1.0 - std::exp(-std::pow(t / 8.0, 3.0)));
}

void TestContinuousFlow::a_rate_that_depends_on_a_variable_has_the_integrated_hazard() {
  ModelBuilder m("10 h");
  ChartBuilder c(m, "Unit"), v(m, "Vessel");
  v.variable("theta", "real", "4");
  const ElementId cool = v.state("Cool");
  m.set(cool, "flow", "theta := -theta / 2 h");
  v.initial(cool);
  const ElementId up = c.state("Up"), down = c.state("Down"), asleep = c.state("Asleep");
  c.initial(up), c.transition(up, down, "rate(0.1 /h * vessel.theta)");
  // Interrupted for an hour: the clock is drawn anew, which an exponential does not notice.
  c.transition(up, asleep, "at(1 h)"), c.transition(asleep, up, "at(2 h)");
  m.component("unit", "Unit"), m.component("vessel", "Vessel");
  m.measure("down", "probability_at", "unit.Down", {{"curve", 0}});
  const auto hazard = [](double from, double to) { return 0.8 * (std::exp(-from / 2.0) - std::exp(-to / 2.0)); };
  const ResultSet results = solved(m.document(), {.replications = 20000, .confidence = 0.999});
  compare_inside(results, "down", 1.0 - std::exp(-hazard(0, 1) - hazard(2, 10)));
}

void TestContinuousFlow::an_event_found_by_a_measure_alone_is_not_missed() {
  // An oscillation that is above 0.99 for a moment only: x'' = -x with a period of 2 pi h.
  ModelBuilder m("10 h");
  ChartBuilder c(m, "Spring");
  c.variable("x", "real", "0"), c.variable("v", "real", "1");
  const ElementId swing = c.state("Swing");
  m.set(swing, "flow", "x := v * 1 /h; v := -x * 1 /h");
  c.initial(swing);
  m.component("spring", "Spring");
  m.measure("high", "time_to", "spring.x > 0.99");
  m.measure("times", "count", "spring.x > 0.99");
  m.measure("share", "time_average", "spring.x > 0.99");
  const ResultSet results = solved(m.document(), {.replications = 2});
  compare_close(estimate(results, "high"), std::asin(0.99), 1e-6);
  QCOMPARE(estimate(results, "times"), 2.0);
  compare_close(estimate(results, "share"), 2.0 * (std::numbers::pi - 2.0 * std::asin(0.99)) / 10.0, 1e-6);
}

void TestContinuousFlow::a_flow_that_switches_is_followed_over_the_switch() {
  ModelBuilder m("10 h");
  ChartBuilder c(m, "Tank");
  c.variable("level", "real", "0");
  const ElementId fill = c.state("Fill");
  m.set(fill, "flow", "level := level < 3 ? 1 /h : 0.25 /h");
  c.initial(fill);
  m.component("tank", "Tank");
  m.measure("level", "final_value", "tank.level");
  compare_close(estimate(solved(m.document(), {.replications = 2}), "level"), 3.0 + 0.25 * 7.0, 1e-7);
}

void TestContinuousFlow::periodic_and_tabulated_flows_have_their_integrals_data() {
  QTest::addColumn<QString>("flow");
  QTest::addColumn<double>("integral");
  // By hand, over 100 h. Each has kinks or jumps that a step over them would blur.
  QTest::newRow("day and night") << "table(mod(now, 24 h), 6 h: 0 /h, 12 h: 1 /h, 18 h: 0 /h)" << 24.0;
  QTest::newRow("a saw") << "mod(now, 7 h) / 7 h * 1 /h" << 14 * 3.5 + 0.5 * 4.0 / 7.0;
  QTest::newRow("clamped") << "clamp(now / 10 h, 2.5, 6) * 1 /h" << 25 * 2.5 + (36.0 - 6.25) / 2 * 10 + 40 * 6;
  QTest::newRow("steps") << "floor(now / 9 h) * 1 /h" << 9 * 55.0 + 11.0;
  QTest::newRow("a wave") << "sin(now / 1 h) * 1 /h" << 1 - std::cos(100.0);
}

void TestContinuousFlow::periodic_and_tabulated_flows_have_their_integrals() {
  QFETCH(QString, flow);
  QFETCH(double, integral);
  ModelBuilder m("100 h");
  ChartBuilder c(m, "Chart");
  c.variable("x", "real", "0");
  const ElementId a = c.state("A");
  m.set(a, "flow", "x := " + flow.toStdString());
  c.initial(a);
  m.component("C", "Chart");
  m.measure("x", "final_value", "C.x");
  compare_close(estimate(solved(m.document(), {.replications = 2}), "x"), integral, 1e-5);
}

// P(by 24 h) = 1 - exp(-integral of the rate); half of 200,000 replications' 99.9 % width is 0.0037.
void TestContinuousFlow::a_tabulated_rate_has_the_integrated_hazard() {
  ModelBuilder m("24 h");
  ChartBuilder c(m, "Chart");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up);
  c.transition(up, down, "rate(table(mod(now, 8 h), 0 h: 0.1 /h, 2 h: 0.02 /h, 8 h: 0.1 /h))");
  m.component("C", "Chart");
  m.measure("down", "probability_at", "C.Down");
  compare_close(estimate(solved(m.document(), {.replications = 20000}), "down"), 1 - std::exp(-3 * 8 * 0.06), 0.012);
}

// Oracle: mod(63 t, 24) by hand, integrated over whole periods: 12 on average.
void TestContinuousFlow::an_expression_as_deep_as_allowed_flows() {
  std::string sum = "now/1 h";
  for (int i = 1; i < 63; ++i) sum = "now/1 h + (" + sum + ")";
  for (const bool code : {true, false}) {
    use_machine_code(code);
    ModelBuilder m("24 h");
    ChartBuilder c(m, "Ramp");
    c.variable("x", "real", "0");
    const ElementId grow = c.state("Grow");
    m.set(grow, "flow", "x := mod((" + sum + "), 24) * 1 /h");
    c.initial(grow);
    m.component("ramp", "Ramp");
    m.measure("x", "final_value", "ramp.x");
    const ResultSet results = solved(m.document(), {.replications = 1});
    use_machine_code(true);
    compare_close(estimate(results, "x"), 12.0 * 24.0, 1e-6);
  }
}

void TestContinuousFlow::the_same_bits_at_any_number_of_threads() {
  ModelBuilder m("10 h");
  ChartBuilder c(m, "Unit");
  c.variable("theta", "real", "4");
  const ElementId up = c.state("Up"), down = c.state("Down");
  m.set(up, "flow", "theta := -theta / 2 h"), m.set(down, "flow", "theta := (5 - theta) / 1 h");
  c.initial(up), c.transition(up, down, "rate(0.3 /h * theta)"),
      c.transition(down, up, "after(exponential(mean = 1 h))");
  m.component("unit", "Unit", "2");
  m.measure("theta", "time_average", "unit[1].theta + unit[2].theta");
  m.measure("down", "probability_by", "count(unit[*].Down) == 2");
  const std::string one = bits(solved(m.document(), {.replications = 600, .threads = 1}));
  QCOMPARE(bits(solved(m.document(), {.replications = 600, .threads = 2})), one);
  QCOMPARE(bits(solved(m.document(), {.replications = 600, .threads = 3})), one);
}

// Three flows add up in one variable, one of which stays; rates have a function in common.
void TestContinuousFlow::the_same_bits_interpreted_and_as_machine_code() {
  ModelBuilder m("20 h");
  ChartBuilder c(m, "Unit");
  c.variable("theta", "real", "4"), c.variable("k", "real", "0.25 /h", "/h");
  const ElementId up = c.state("Up"), down = c.state("Down");
  m.set(up, "flow", "theta := -theta * k"), m.set(down, "flow", "theta := (5 - theta) * 2 * k");
  c.initial(up), c.transition(up, down, "rate(0.3 /h * exp(-theta / 7) * (1 + theta))"),
      c.transition(down, up, "when(theta >= 4.5)");
  m.component("unit", "Unit", "3");
  ChartBuilder s(m, "Source");
  const ElementId on = s.state("On"), off = s.state("Off");
  m.set(on, "flow", "unit[1].theta := 0.3 /h");
  m.set(off, "flow", "unit[1].theta := 0.1 /h * sin(unit[2].theta)");
  s.initial(on), s.transition(on, off, "after(5 h)"), s.transition(off, on, "rate(0.2 /h * exp(-unit[1].theta / 7))");
  m.component("source", "Source");
  m.measure("theta", "time_average", "unit[1].theta");
  m.measure("both", "time_average", "unit[1].theta * unit[2].theta");
  m.measure("down", "probability_by", "count(unit[*].Down) == 3");
  for (const OdeMethod method : {OdeMethod::nonstiff, OdeMethod::stiff}) {
    const RunRequest request{.replications = 200, .ode = {.method = method}};
    use_machine_code(false);
    const std::string interpreted = bits(solved(m.document(), request));
    use_machine_code(true);
    QCOMPARE(bits(solved(m.document(), request)), interpreted);
    // Whichever histories a thread went through before: nothing of one may be left in the next.
    RunRequest again = request;
    again.threads = 1;
    const std::string alone = bits(solved(m.document(), again));
    for (again.threads = 2; again.threads <= 5; ++again.threads) QCOMPARE(bits(solved(m.document(), again)), alone);
  }
}

void TestContinuousFlow::what_cannot_be_integrated_is_said_data() {
  QTest::addColumn<QString>("flow");
  QTest::newRow("grows without bound") << "x := x * x * 1 /h";
  QTest::newRow("slides along a limit") << "x := x < 3 ? 1 /h : -1 /h";
  QTest::newRow("is no number") << "x := sqrt(2 - x) * 1 /h";
}

void TestContinuousFlow::what_cannot_be_integrated_is_said() {
  QFETCH(const QString, flow);
  ModelBuilder m("10 h");
  ChartBuilder c(m, "Blast");
  c.variable("x", "real", "1");
  const ElementId grow = c.state("Grow");
  m.set(grow, "flow", flow.toStdString());
  c.initial(grow);
  m.component("blast", "Blast");
  m.measure("x", "final_value", "blast.x");
  RunControl control;
  const ResultSet results = find_solver("simulation")->solve(m.document(), {.replications = 2}, control);
  QCOMPARE(results.status, RunStatus::failed);
  const Diagnostic* failure = find_code(results.diagnostics, "RUN030");
  QVERIFY2(failure != nullptr, listed(results.diagnostics).c_str());
  QCOMPARE(failure->element, grow);
}

void TestContinuousFlow::flows_into_the_wrong_thing_are_refused() {
  const auto problem = [](const std::string& flow) {
    ModelBuilder m("10 h");
    ChartBuilder c(m, "Tank");
    c.variable("level", "real", "1 m", "m"), c.variable("n", "integer"), c.variable("p", "real", "1 m", "m", true);
    const ElementId fill = c.state("Fill");
    m.set(fill, "flow", flow);
    c.initial(fill);
    m.component("tank", "Tank");
    Diagnostics problems = find_solver("simulation")->fits(m.document(), {});
    std::erase_if(problems, [](const Diagnostic& d) { return d.severity != Severity::error; });
    return codes(problems);
  };
  QCOMPARE(problem("level := 1 m/h"), std::string());
  QCOMPARE(problem("level := 1 m"), std::string("EXP004"));
  QCOMPARE(problem("n := 1 /h"), std::string("SCH017"));
  QCOMPARE(problem("p := 1 m/h"), std::string("SCH017"));
  QCOMPARE(problem("now := 1"), std::string("SCH017"));
  QCOMPARE(problem("Fill := 1 /h"), std::string("SCH017"));
  QCOMPARE(problem("nothing := 1 /h"), std::string("EXP002"));
  QCOMPARE(problem("raise(e)"), std::string("SCH017"));
}

QTEST_APPLESS_MAIN(TestContinuousFlow)
#include "tst_continuous_flow.moc"
