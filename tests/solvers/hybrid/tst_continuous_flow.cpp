#include <QtTest>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "core/base/text.h"
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

std::string flow_bits(const ResultSet& results) {
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
  void what_happens_elsewhere_does_not_begin_it_anew();
  void what_jumps_is_followed_beside_what_does_not_matter();
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
  void what_lasts_a_moment_is_not_stepped_over_data();
  void what_lasts_a_moment_is_not_stepped_over();
  void a_condition_that_holds_within_a_straight_line_is_found_data();
  void a_condition_that_holds_within_a_straight_line_is_found();
  void a_variable_that_just_reaches_its_limit_is_found();
  void an_expression_as_deep_as_allowed_flows();
  void a_tabulated_rate_has_the_integrated_hazard();
  void the_same_bits_at_any_number_of_threads();
  void the_same_bits_interpreted_and_as_machine_code();
  void what_cannot_be_integrated_is_said_data();
  void what_cannot_be_integrated_is_said();
  void a_rate_that_falls_to_zero_is_mended_as_the_hint_says();
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
  // Another component begins the integration anew at random times, because it sets what the flow reads, and changes no
  // value: all that differs from the solution, and from replication to replication, is the error of integration.
  Cooling random("when(theta <= 25)");
  ChartBuilder c(random.m, "Ticker");
  const ElementId tick = c.state("Tick"), tock = c.state("Tock");
  c.variable("k", "integer");
  c.initial(tick);
  c.transition(tick, tock, "rate(3 /h)", "", "k := k + 1");
  c.transition(tock, tick, "rate(3 /h)", "", "k := k + 1");
  random.m.component("ticker", "Ticker");
  random.m.set(random.cool, "flow", "theta := -theta / 2 h + 0 /h * ticker.k");
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

void TestContinuousFlow::what_happens_elsewhere_does_not_begin_it_anew() {
  // After the first tick, steps end where they would without any: to the last bit.
  const auto last = [](const std::string& until) {
    Cooling one("when(theta < 0)");
    ChartBuilder c(one.m, "Ticker");
    const ElementId tick = c.state("Tick");
    c.variable("n", "integer");
    c.initial(tick);
    c.transition(tick, tick, "after(0.1 h)", "n < " + until, "n := n + 1");
    one.m.component("ticker", "Ticker");
    one.m.measure("ticks", "final_value", "ticker.n");
    const ResultSet results = one.run({.method = OdeMethod::nonstiff});
    compare_close(estimate(results, "last"), 100.0 * std::exp(-5.0), 1e-6);
    return std::pair(estimate(results, "ticks"), estimate(results, "last"));
  };
  const auto one = last("1"), many = last("90");
  QCOMPARE(one.first, 1.0);
  QCOMPARE(many.first, 90.0);
  QVERIFY(one.second == many.second);
}

void TestContinuousFlow::what_jumps_is_followed_beside_what_does_not_matter() {
  // x' = (u - x) / tau: u jumps at times of one component, x at those of another, and a third one's change nothing.
  // Between jumps the solution is an exponential.
  std::mt19937 random(20261128);
  const auto hours = [&] { return 0.05 + 0.01 * static_cast<double>(random() % 120); };
  for (int model = 0; model < 60; ++model) {
    const double tau = hours(), jumps = hours(), kicks = hours() + 0.003, ticks = 0.1 * hours() + 0.0007;
    ModelBuilder m{"10 h"};
    ChartBuilder v(m, "Vessel"), d(m, "Driver"), t(m, "Ticker");
    const auto every = [](double h) { return "after(" + number_text(h, 17) + " h)"; };
    v.variable("x", "real", "1");
    const ElementId flows = v.state("Flows");
    m.set(flows, "flow", "x := (driver.u - x) / " + number_text(tau, 17) + " h");
    v.initial(flows), v.transition(flows, flows, every(kicks), "", "x := x + 1");
    d.variable("u", "real", "2");
    const ElementId drives = d.state("Drives");
    d.initial(drives), d.transition(drives, drives, every(jumps), "", "u := 3 - 2 * u");
    const ElementId tick = t.state("Tick"), tock = t.state("Tock");
    t.initial(tick), t.transition(tick, tock, every(ticks)), t.transition(tock, tick, every(ticks));
    m.component("driver", "Driver"), m.component("vessel", "Vessel"), m.component("ticker", "Ticker");
    m.measure("last", "final_value", "vessel.x");
    double x = 1.0, u = 2.0, now = 0.0, jump = jumps, kick = kicks;
    while (now < 10.0) {
      const double next = std::min({jump, kick, 10.0});
      x = u + (x - u) * std::exp((now - next) / tau);
      now = next;
      if (next == kick && next < 10.0) x += 1.0, kick += kicks;
      if (next == jump && next < 10.0) u = 3.0 - 2.0 * u, jump += jumps;
    }
    for (const OdeMethod method : {OdeMethod::automatic, OdeMethod::stiff})
      compare_close(estimate(solved(m.document(), {.replications = 1, .ode = {.method = method}}), "last"), x, 1e-5);
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

namespace {

// The midpoint rule with 2,000,000 points; what jumps is wrong by its height times 0.0005 h at most.
double integral_to_1000(const std::function<double(double)>& f) {
  constexpr int points = 2'000'000;
  double sum = 0.0;
  for (int i = 0; i < points; ++i) sum += f((i + 0.5) * 1000.0 / points);
  return sum * 1000.0 / points;
}

struct Moment {
  const char* name;
  const char* rate;  ///< per hour
  std::function<double(double)> at;
};

// Times are in hours.
const std::vector<Moment>& moments() {
  static const std::vector<Moment> all = {
      {"abs", "(abs(now - 500 h) < 50 h ? 0.02 : 0)", [](double t) { return std::abs(t - 500) < 50 ? 0.02 : 0.0; }},
      {"square", "((now - 512.3 h)^2 < (2 h)^2 ? 0.5 : 0)",
       [](double t) { return std::abs(t - 512.3) < 2 ? 0.5 : 0.0; }},
      {"product", "((now - 512.3 h)/1 h * ((now - 516.3 h)/1 h) <= 0 ? 0.5 : 0)",
       [](double t) { return t >= 512.3 && t <= 516.3 ? 0.5 : 0.0; }},
      {"daily", "(sin(2*3.14159265358979*now/24 h) > 0.99 ? 0.03 : 0)",
       [](double t) { return std::sin(2 * std::numbers::pi * t / 24) > 0.99 ? 0.03 : 0.0; }},
      {"bump", "0.02*exp(-((now - 512 h)/50 h)^2)",
       [](double t) { return 0.02 * std::exp(-std::pow((t - 512) / 50, 2.0)); }},
      {"narrow bump", "2*exp(-((now - 512 h)/0.5 h)^2)",
       [](double t) { return 2 * std::exp(-std::pow((t - 512) / 0.5, 2.0)); }},
      {"resonance", "1/(1 + ((now - 300 h)*(now - 300 h))/(1 h*1 h))",
       [](double t) { return 1 / (1 + (t - 300) * (t - 300)); }},
      {"daily bump", "0.1*exp(400*(cos(2*3.14159265358979*(now - 7 h)/24 h) - 1))",
       [](double t) { return 0.1 * std::exp(400 * (std::cos(2 * std::numbers::pi * (t - 7) / 24) - 1)); }},
      {"daily peak", "max(0, sin(2*3.14159265358979*now/24 h) - 0.9)",
       [](double t) { return std::max(0.0, std::sin(2 * std::numbers::pi * t / 24) - 0.9); }},
      {"gamma", "((now/1 h)^6)*exp(-now/1 h)/720", [](double t) { return std::pow(t, 6) * std::exp(-t) / 720; }},
      {"between two steps", "0.5/(1 + exp((400 h - now)/0.2 h)) - 0.5/(1 + exp((402 h - now)/0.2 h))",
       [](double t) { return 0.5 / (1 + std::exp((400 - t) / 0.2)) - 0.5 / (1 + std::exp((402 - t) / 0.2)); }},
      {"bump of a variable", "0.5*exp(-((y - 700)/2)^2)",
       [](double t) { return 0.5 * std::exp(-std::pow((t - 700) / 2, 2.0)); }},
      {"window of a variable", "(abs(y - 700) < 2 ? 0.25 : 0)",
       [](double t) { return std::abs(t - 700) < 2 ? 0.25 : 0.0; }},
  };
  return all;
}

}  // namespace

void TestContinuousFlow::what_lasts_a_moment_is_not_stepped_over_data() {
  QTest::addColumn<int>("number");
  QTest::addColumn<bool>("stiff");
  for (std::size_t i = 0; i < moments().size(); ++i)
    for (const bool stiff : {false, true})
      QTest::addRow("%s%s", moments()[i].name, stiff ? ", stiff" : "") << static_cast<int>(i) << stiff;
}

// Oracle: quadrature. The flow is deterministic; the clock's rate has the same integral as its hazard.
void TestContinuousFlow::what_lasts_a_moment_is_not_stepped_over() {
  QFETCH(int, number);
  QFETCH(bool, stiff);
  const Moment& moment = moments()[static_cast<std::size_t>(number)];
  ModelBuilder m("1000 h");
  ChartBuilder c(m, "Chart");
  c.variable("x", "real", "0"), c.variable("y", "real", "0");
  const ElementId a = c.state("A"), b = c.state("B");
  m.set(a, "flow", "y := 1 /h; x := (" + std::string(moment.rate) + ") * 1 /h");
  m.set(b, "flow", "y := 1 /h; x := (" + std::string(moment.rate) + ") * 1 /h");
  c.initial(a);
  c.transition(a, b, "rate((" + std::string(moment.rate) + ") * 1 /h)");
  m.component("C", "Chart");
  m.measure("x", "final_value", "C.x");
  m.measure("b", "probability_at", "C.B");
  const RunRequest request{.replications = stiff ? 40U : 400U,
                           .confidence = 0.999,
                           .ode = {.method = stiff ? OdeMethod::stiff : OdeMethod::automatic}};
  const ResultSet results = solved(m.document(), request);
  const double hazard = integral_to_1000(moment.at);
  QVERIFY(hazard > 0.1);
  compare_close(estimate(results, "x"), hazard, 1e-3);
  compare_inside(results, "b", 1.0 - std::exp(-hazard));
}

void TestContinuousFlow::a_condition_that_holds_within_a_straight_line_is_found_data() {
  QTest::addColumn<QString>("condition");
  QTest::addColumn<double>("from");
  QTest::addColumn<double>("share");  // of 1000 h
  // Oracle: by hand, where x is the time in hours and y is 1000 less it.
  QTest::newRow("abs") << "abs(x - 500) < 1" << 499.0 << 2e-3;
  QTest::newRow("square") << "(x - 500)^2 <= 0.0001" << 499.99 << 2e-5;
  QTest::newRow("square of a difference") << "(x - y)^2 < 4" << 499.0 << 2e-3;
  QTest::newRow("product") << "x*y > 249999" << 499.0 << 2e-3;
  QTest::newRow("later than another") << "abs(x - 300) < 1 or abs(x - 200) < 1" << 199.0 << 4e-3;
  QTest::newRow("wave") << "cos(x*3.14159265358979/500) < -0.9999" << 500 - std::acos(0.9999) * 500 / std::numbers::pi
                        << std::acos(0.9999) / std::numbers::pi;
}

void TestContinuousFlow::a_condition_that_holds_within_a_straight_line_is_found() {
  QFETCH(QString, condition);
  QFETCH(double, from);
  QFETCH(double, share);
  for (const OdeMethod method : {OdeMethod::automatic, OdeMethod::stiff}) {
    ModelBuilder m("1000 h");
    ChartBuilder c(m, "Chart");
    c.variable("x", "real", "0"), c.variable("y", "real", "1000");
    const ElementId all = c.state("All"), a = c.state("A", all), b = c.state("B", all);
    m.set(all, "flow", "x := 1 /h; y := -1 /h");
    c.initial(all), c.initial(a, all);
    c.transition(a, b, "when(" + condition.toStdString() + ")");
    m.component("C", "Chart");
    m.measure("first", "time_to", "C.B");
    QString of_component = condition;
    of_component.replace("x*", "C.x*").replace("(x", "(C.x").replace("*y", "*C.y").replace("- y", "- C.y");
    if (of_component.startsWith("x")) of_component.prepend("C.");
    m.measure("share", "time_average", of_component.toStdString());
    const ResultSet results = solved(m.document(), {.replications = 1, .ode = {.method = method}});
    compare_close(estimate(results, "first"), from, 1e-6);
    compare_close(estimate(results, "share") / share, 1.0, 1e-4);
  }
}

// x = 5 t - t^2/2 is a parabola, which is integrated in one step; 0.005 below its top it is from 4.9 to 5.1 h. Where y
// falls by 1 in an hour from 10, x - y has its top of 8 at 6 h.
void TestContinuousFlow::a_variable_that_just_reaches_its_limit_is_found() {
  for (const OdeMethod method : {OdeMethod::automatic, OdeMethod::stiff}) {
    ModelBuilder m("10 h");
    ChartBuilder c(m, "Chart");
    c.variable("x", "real", "0"), c.variable("y", "real", "10");
    const ElementId all = c.state("All"), a = c.state("A", all), b = c.state("B", all);
    m.set(all, "flow", "x := (5 h - now)/1 h * 1 /h; y := -1 /h");
    c.initial(all), c.initial(a, all);
    c.transition(a, b, "when(x > 12.495)");
    m.component("C", "Chart");
    m.measure("first", "time_to", "C.B");
    m.measure("share", "time_average", "C.x > 12.495");
    m.measure("never", "probability_by", "C.x > 12.5001");
    m.measure("difference", "time_average", "C.x > C.y + 7.995");
    const ResultSet results = solved(m.document(), {.replications = 1, .ode = {.method = method}});
    compare_close(estimate(results, "first"), 4.9, 1e-5);
    compare_close(estimate(results, "share"), 0.02, 1e-5);
    compare_close(estimate(results, "difference"), 0.02, 1e-5);
    QCOMPARE(estimate(results, "never"), 0.0);
  }
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
  const std::string one = flow_bits(solved(m.document(), {.replications = 600, .threads = 1}));
  QCOMPARE(flow_bits(solved(m.document(), {.replications = 600, .threads = 2})), one);
  QCOMPARE(flow_bits(solved(m.document(), {.replications = 600, .threads = 3})), one);
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
    const std::string interpreted = flow_bits(solved(m.document(), request));
    use_machine_code(true);
    QCOMPARE(flow_bits(solved(m.document(), request)), interpreted);
    // Whichever histories a thread went through before: nothing of one may be left in the next.
    RunRequest again = request;
    again.threads = 1;
    const std::string alone = flow_bits(solved(m.document(), again));
    for (again.threads = 2; again.threads <= 5; ++again.threads)
      QCOMPARE(flow_bits(solved(m.document(), again)), alone);
  }
}

void TestContinuousFlow::what_cannot_be_integrated_is_said_data() {
  QTest::addColumn<QString>("flow");
  QTest::newRow("grows without bound") << "x := x * x * 1 /h";
  QTest::newRow("slides along a limit") << "x := x < 3 ? 1 /h : -1 /h";
  QTest::newRow("is no number") << "x := sqrt(2 - x) * 1 /h";
  QTest::newRow("follows too closely") << "x := -1e30*(x - sin(now/1 h)) * 1 /h";
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
  // Words, not names of a library's constants.
  QVERIFY2(failure->message.find("CV_") == std::string::npos, failure->message.c_str());
}

// Within the tolerance the variable comes to lie on either side of zero.
void TestContinuousFlow::a_rate_that_falls_to_zero_is_mended_as_the_hint_says() {
  for (const bool mended : {false, true}) {
    ModelBuilder m("1000 s");
    ChartBuilder c(m, "Fading");
    c.variable("x", "real", "1");
    const ElementId fades = c.state("Fades"), gone = c.state("Gone");
    m.set(fades, "flow", "x := -1 s^-1 * x");
    c.initial(fades);
    c.transition(fades, gone, mended ? "rate(1 s^-1 * max(0, x))" : "rate(1 s^-1 * x)");
    m.component("it", "Fading");
    m.measure("gone", "probability_by", "it.Gone");
    RunControl control;
    const ResultSet results = find_solver("simulation")->solve(m.document(), {.replications = 2000}, control);
    if (mended) {
      compare_close(estimate(results, "gone"), 1.0 - std::exp(-1.0), 0.05);
      continue;
    }
    const Diagnostic* failure = find_code(results.diagnostics, "RUN030");
    QVERIFY2(failure != nullptr, listed(results.diagnostics).c_str());
    QVERIFY2(failure->hint.find("max(0, x)") != std::string::npos, failure->hint.c_str());
  }
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
