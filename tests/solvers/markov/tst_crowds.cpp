#include <QtTest>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double lambda = 0.01, mu = 0.5, mission = 24.0;  // /h, h

/// An array of repairable units that know nothing of each other, and a bystander.
struct CrowdUnits {
  ModelBuilder m{"24 h"};
  explicit CrowdUnits(int count, const std::string& repair = "rate(0.5 /h)", const std::string& guard = "") {
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up);
    c.transition(up, down, "rate(0.01 /h)", guard, "record(failed)");
    if (!repair.empty()) c.transition(down, up, repair);
    m.component("unit", "Unit", std::to_string(count));
    m.component("bystander", "Unit", "2");
  }
  void measure(const std::string& name, const std::string& type, const std::string& expression, int curve = 0) {
    m.measure(name, type, expression, {{"curve", curve}});
  }
  ResultSet solve() const { return solved(m.document(), {.solver = "ctmc-transient"}); }
};

double down_at(double t) { return lambda / (lambda + mu) * -std::expm1(-(lambda + mu) * t); }

void compare_nearly(double value, double exact, double tolerance) {
  QVERIFY2(std::fabs(value - exact) <= tolerance * std::fabs(exact),
           qPrintable(QString("%1, exact %2").arg(value, 0, 'g', 15).arg(exact, 0, 'g', 15)));
}

std::string option(const ResultSet& results, const std::string& name) {
  const auto found = results.provenance.options.find(name);
  return found == results.provenance.options.end() ? std::string() : found->second;
}

}  // namespace

/// Oracle: the two-state component in closed form and the binomial law of Boost; simulation at its 99.9 % interval.
class TestCrowds : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ten_thousand_repairable_units_have_binomial_counts();
  void what_is_never_left_has_times_and_probabilities_by();
  void simulation_agrees();
  void small_arrays_agree_with_the_whole_chain();
  void what_is_no_crowd_is_solved_whole();
  void each_measure_is_answered_by_its_own_way();
  void too_many_ways_of_sharing_out_members_are_counted_and_refused();
};

void TestCrowds::ten_thousand_repairable_units_have_binomial_counts() {
  constexpr int n = 10000;
  CrowdUnits u(n);
  u.measure("many", "probability_at", "count(unit[*].Down) >= 220", 4);
  u.measure("none", "probability_at", "count(unit[*].Down) == 0");
  u.measure("down", "time_average", "count(unit[*].Down)");
  const ResultSet r = u.solve();
  QCOMPARE(option(r, "modules"), std::string("10000"));
  const boost::math::binomial law(n, down_at(mission));
  compare_nearly(estimate(r, "many"), boost::math::cdf(boost::math::complement(law, 219.0)), 1e-8);
  compare_nearly(estimate(r, "none"), std::exp(n * std::log1p(-down_at(mission))), 1e-8);
  const double s = lambda + mu, integral = lambda / s * (mission + std::expm1(-s * mission) / s);
  compare_nearly(estimate(r, "down"), n * integral / mission, 1e-10);
  bool found = false;
  for (const Series& curve : r.series) {
    if (curve.measure != "many" || curve.kind != "curve") continue;
    found = true;
    for (std::size_t i = 1; i < curve.x.size(); ++i)
      compare_nearly(curve.y[i],
                     boost::math::cdf(boost::math::complement(boost::math::binomial(n, down_at(curve.x[i])), 219.0)),
                     1e-8);
  }
  QVERIFY(found);
  const MeasureResult& m = *r.measure("many");
  QVERIFY(m.exact && m.lower <= m.estimate && m.estimate <= m.upper && m.upper - m.lower <= 1e-6 * m.estimate);
}

void TestCrowds::what_is_never_left_has_times_and_probabilities_by() {
  constexpr int n = 5000;
  CrowdUnits u(n, "");
  u.measure("by", "probability_by", "count(unit[*].Down) >= 1100");
  u.m.measure("first", "time_to", "count(unit[*].Down) >= 1");
  const ResultSet r = u.solve();
  const double p = -std::expm1(-lambda * mission);
  compare_nearly(estimate(r, "by"), boost::math::cdf(boost::math::complement(boost::math::binomial(n, p), 1099.0)),
                 1e-8);
  // The least of n exponentials, given that it comes within the mission, which is sure: 1/(n lambda).
  compare_nearly(estimate(r, "first"), 1.0 / (n * lambda), 1e-6);
}

void TestCrowds::simulation_agrees() {
  constexpr int n = 3000;
  CrowdUnits u(n);
  u.measure("many", "probability_at", "count(unit[*].Down) >= 60");
  u.measure("down", "time_average", "count(unit[*].Down)");
  const ResultSet exact = u.solve();
  const ResultSet simulated = solved(u.m.document(), {.seed = 5, .replications = 400, .confidence = 0.999});
  QCOMPARE(option(exact, "modules"), std::string("3000"));
  for (const char* name : {"many", "down"}) compare_inside(simulated, name, estimate(exact, name));
}

// Below 2,000 states the whole chain is generated; the state limit of this request leaves the members only.
void TestCrowds::small_arrays_agree_with_the_whole_chain() {
  CrowdUnits u(30);
  u.measure("odd", "probability_at", "mod(count(unit[*].Down), 2) == 1", 6);
  u.measure("square", "time_average", "count(unit[*].Down) * count(unit[*].Down)");
  const ResultSet whole = u.solve();
  const ResultSet apart = solved(u.m.document(), {.solver = "ctmc-transient", .options = {{"state-limit", "10"}}});
  QCOMPARE(option(whole, "modules"), std::string());
  QCOMPARE(option(apart, "modules"), std::string("30"));
  for (const char* name : {"odd", "square"}) compare_nearly(estimate(apart, name), estimate(whole, name), 1e-9);
}

void TestCrowds::what_is_no_crowd_is_solved_whole() {
  const auto modules = [](CrowdUnits u) {
    u.measure("x", "probability_at", "count(unit[*].Down) >= 2");
    const ResultSet r = u.solve();
    return option(r, "modules");
  };
  QCOMPARE(modules(CrowdUnits(2500)), std::string("2500"));
  // Members that read each other; here so few that the whole is small.
  CrowdUnits reading(60, "rate(0.5 /h)", "count(unit[*].Down) < 50");
  QCOMPARE(modules(reading), std::string());
  // A probability by a time of a state that is left again is that of a path, not of a number.
  CrowdUnits left(60);
  left.measure("by", "probability_by", "count(unit[*].Down) >= 2");
  QCOMPARE(option(left.solve(), "modules"), std::string());
}

// Oracle: the two-state component in closed form; a count is a sum, whoever depends on whom.
void TestCrowds::each_measure_is_answered_by_its_own_way() {
  constexpr int n = 10000;
  CrowdUnits u(n);
  u.measure("many", "probability_at", "count(unit[*].Down) >= 220");
  u.m.measure("failures", "count", "", {{"event", "failed"}});
  u.measure("square", "final_value", "count(unit[*].Down)*count(unit[*].Down)");
  u.measure("bystanders", "final_value", "count(bystander[*].Down)");
  u.measure("one", "probability_at", "in(unit[3].Down)");
  u.measure("crossings", "count", "count(unit[*].Down) >= 220");
  const ResultSet r = solved(u.m.document(), {.solver = "ctmc-transient", .options = {{"state-limit", "5000"}}});
  const double p = down_at(mission), s = lambda + mu;
  const boost::math::binomial law(n, p);
  compare_nearly(estimate(r, "many"), boost::math::cdf(boost::math::complement(law, 219.0)), 1e-8);
  const double down = lambda / s * (mission + std::expm1(-s * mission) / s);           // integral of the probability
  compare_nearly(estimate(r, "failures"), (n + 2) * lambda * (mission - down), 1e-9);  // the bystanders' too
  compare_nearly(estimate(r, "square"), n * p * (1.0 - p) + n * n * p * p, 1e-9);
  compare_nearly(estimate(r, "bystanders"), 2.0 * p, 1e-9);
  compare_nearly(estimate(r, "one"), p, 1e-9);
  // It is no function of the number at one time, and the chain of all numbers is refused.
  QVERIFY(r.measure("crossings") == nullptr);
  const Diagnostic* why = find_code(r.diagnostics, "SOL005");
  QVERIFY(why != nullptr && why->message.find("crossings: MKV010") != std::string::npos);
}

// Oracle: C(3000 + 2, 2) ways of putting 3,000 into three states. Nothing is generated: there is no limit of time.
void TestCrowds::too_many_ways_of_sharing_out_members_are_counted_and_refused() {
  ModelBuilder m("200 h");
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), slow = c.state("Slow"), fast = c.state("Fast"), which = c.choice();
  c.initial(up);
  c.transition(up, which, "rate(0.002 /h)", "", "record(failed)");
  c.transition(which, slow, "p(0.3)"), c.transition(which, fast, "", "else");
  c.transition(slow, up, "rate(0.015 /h)"), c.transition(fast, up, "rate(0.03 /h)");
  m.component("unit", "Unit", "3000");
  m.measure("both", "final_value", "count(unit[*].Slow)*count(unit[*].Fast)");
  RunControl control;
  const ResultSet r = find_solver("ctmc-transient")->solve(m.document(), {.solver = "ctmc-transient"}, control);
  QCOMPARE(r.status, RunStatus::failed);
  const Diagnostic* why = find_code(r.diagnostics, "MKV010");
  QVERIFY(why != nullptr && why->message.find("at least 4.5e+06 states") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestCrowds)
#include "tst_crowds.moc"
