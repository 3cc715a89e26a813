#include <QtTest>
#include <cmath>

#include "solvers/simulation/rare/failure_biasing.h"
#include "solvers/simulation/rare/weight_warnings.h"
#include "tests/solvers/simulation/rare/rare_models.h"

using namespace ergode;
using namespace ergode::test;

namespace {

RunRequest by(const std::string& method, std::uint64_t replications) {
  RunRequest out;
  out.options["variance-reduction"] = method;
  out.replications = replications;
  out.confidence = 0.999;
  return out;
}

std::string taken(const ResultSet& results) {
  const auto found = results.provenance.options.find("variance_reduction_taken");
  return found == results.provenance.options.end() ? "" : found->second;
}

/// A valve is stuck for an exponential time of mean 1 h, and the level rises by one an hour meanwhile.
Document filling(const std::string& limit) {
  ModelBuilder m("50 h");
  ChartBuilder c(m, "Tank");
  const ElementId stuck = c.state("Stuck"), closed = c.state("Closed");
  c.initial(stuck);
  m.set(stuck, "flow", "level := 1 /h");
  c.transition(stuck, closed, "rate(1 /h)");
  c.variable("level", "real", "0");
  m.component("tank", "Tank");
  m.measure("over", "probability_by", "tank.level >= " + limit, {{"headline", "true"}});
  m.measure("over_at", "probability_at", "tank.level >= " + limit);
  return m.document();
}

/// Two units that are repaired, and a blow, of which nobody has said that it is a failure, that takes both.
Document with_a_blow() {
  ModelBuilder m("100 h");
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up);
  c.transition(up, down, "rate(1e-4 /h)", "", "", {{"role", "failure"}});
  c.transition(down, up, "rate(1 /h)", "", "", {{"role", "repair"}});
  m.component("A", "Unit"), m.component("B", "Unit");
  ChartBuilder sky(m, "Sky");
  const ElementId clear = sky.state("Clear"), struck = sky.state("Struck");
  sky.initial(clear);
  sky.transition(clear, struck, "rate(1e-7 /h)");
  m.component("sky", "Sky");
  m.measure("lost", "probability_by", "(in(A.Down) and in(B.Down)) or in(sky.Struck)", {{"headline", "true"}});
  return m.document();
}

/// Two units that are repaired; one of them down is common, both at a time are not, and are no headline.
Document common_and_rare() {
  ModelBuilder m("100 h");
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up);
  c.transition(up, down, "rate(1e-4 /h)", "", "", {{"role", "failure"}});
  c.transition(down, up, "rate(1 /h)", "", "", {{"role", "repair"}});
  m.component("A", "Unit"), m.component("B", "Unit");
  m.measure("one", "probability_by", "in(A.Down) or in(B.Down)", {{"headline", "true"}});
  m.measure("both", "probability_by", "in(A.Down) and in(B.Down)");
  return m.document();
}

/// Three units are demanded together, fail by a beta group, and while they run shocks strike one or all of them, which
/// fail an hour later on average. The measure: all are down within a day.
Document joint_demand_and_delayed_shocks() {
  ModelBuilder m("24 h");
  ChartBuilder c(m, "Unit");
  const ElementId start = c.choice(), runs = c.state("Runs"), down = c.state("Down");
  c.initial(start);
  c.transition(start, down, "", "ccf(start)", "", {{"role", "failure"}});
  c.transition(start, runs, "", "else");
  c.transition(runs, down, "ccf(run)", "", "", {{"role", "failure"}});
  c.transition(runs, down, "rate(1e-4 /h)", "", "", {{"role", "failure"}});
  c.transition(down, runs, "rate(0.1 /h)", "", "", {{"role", "repair"}});
  const ElementId unit = m.component("unit", "Unit", "3");
  m.group("Start", "start", {{"applies_to", "demand"}, {"model", "beta"}, {"total", "1e-3"}, {"beta", "0.07"}}, {unit});
  m.group("Run", "run",
          {{"model", "bfr"},
           {"mu", "1e-5 /h"},
           {"rho", "0.3"},
           {"omega", "1e-8 /h"},
           {"delay_law", "exponential"},
           {"delay_mean", "1 h"}},
          {unit});
  m.measure("lost", "probability_by", "count(unit[*].Down) == 3", {{"headline", "true"}});
  return m.document();
}

}  // namespace

/// Which method `auto` takes, what is warned of, and splitting where something flows. Closed forms; 99.9 % intervals.
class TestRareMethods : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void splitting_follows_continuous_variables();
  void ways_that_were_not_seen_are_warned_of();
  void times_in_warnings_have_the_unit_of_the_model();
  void a_precision_waits_for_what_was_not_seen();
  void failures_after_a_random_delay_are_not_overlooked();
  void auto_takes_the_method_that_serves_and_says_why();
  void auto_falls_back_to_plain_simulation();
  void auto_takes_the_same_method_at_any_number_of_threads();
  void what_a_run_waits_for_decides_and_not_the_headline();
};

void TestRareMethods::splitting_follows_continuous_variables() {
  // The level passes 9 when the valve is stuck that long: exp(-9) = 1.2e-4.
  RunRequest request = by("splitting", 100);
  request.options["importance"] = "tank.level", request.options["effort"] = "100";
  const ResultSet results = solved(filling("9"), request);
  compare_inside(results, "over", std::exp(-9.0));
  compare_inside(results, "over_at", std::exp(-9.0));
  const MeasureResult& over = *results.measure("over");
  QVERIFY2(over.standard_error < 0.15 * over.estimate, qPrintable(QString::number(over.standard_error)));
  QVERIFY(find_code(results.diagnostics, "RUN025") == nullptr);
}

void TestRareMethods::ways_that_were_not_seen_are_warned_of() {
  // Both units: about 2e-6 by the mission time. The blow: 1e-5, which 2,000 paths do not meet.
  const ResultSet results = solved(with_a_blow(), by("failure-biasing", 2000));
  QVERIFY(find_code(results.diagnostics, "RUN023") != nullptr);
  QVERIFY2(listed(results.diagnostics).find("of sky from \"Clear\"") != std::string::npos,
           listed(results.diagnostics).c_str());
}

// The mission has 400 h, its decades 40, 4 and 0.4 h: in the unit of the model, as every other time.
void TestRareMethods::times_in_warnings_have_the_unit_of_the_model() {
  ModelBuilder m("400 h");
  ChartBuilder c(m, "Pump");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up);
  c.transition(up, down, "ccf(run)", "", "", {{"role", "failure"}});
  c.transition(down, up, "rate(0.1 /h)", "", "", {{"role", "repair"}});
  const ElementId pumps = m.component("p", "Pump", "3");
  m.group("G", "run", {{"model", "beta"}, {"total", "2e-4 /h"}, {"beta", 0.05}}, {pumps});
  m.measure("lost", "probability_at", "count(p[*].Up) == 0", {{"at", "200 h"}, {"headline", "true"}});
  bool any = false;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunRequest request = by("failure-biasing", 300);
    request.seed = seed;
    const std::string said = listed(solved(m.document(), request).diagnostics);
    QVERIFY2(said.find(" s before ") == std::string::npos && said.find(" s after ") == std::string::npos, said.c_str());
    any = any || said.find("within 4 h ") != std::string::npos || said.find("within 40 h ") != std::string::npos ||
          said.find("within 0.4 h ") != std::string::npos;
  }
  QVERIFY(any);
}

void TestRareMethods::a_precision_waits_for_what_was_not_seen() {
  RunRequest request = by("failure-biasing", 20000);
  request.precision = 0.2;
  const ResultSet results = solved(with_a_blow(), request);
  QCOMPARE(results.stop_reason, std::string("replications"));
}

void TestRareMethods::failures_after_a_random_delay_are_not_overlooked() {
  // Beside the pair, a part that wears out: 1 - exp(-(100/3000)^2) = 1.11e-3 by the mission time. No bias reaches it.
  ModelBuilder m("100 h");
  ChartBuilder c(m, "Unit");
  const ElementId up = c.state("Up"), down = c.state("Down");
  c.initial(up);
  c.transition(up, down, "rate(1e-4 /h)", "", "", {{"role", "failure"}});
  c.transition(down, up, "after(1 h)", "", "", {{"role", "repair"}});
  m.component("A", "Unit"), m.component("B", "Unit");
  ChartBuilder part(m, "Part");
  const ElementId fresh = part.state("Good"), worn = part.state("Worn");
  part.initial(fresh);
  part.transition(fresh, worn, "after(weibull(shape = 2, scale = 3000 h))", "", "", {{"role", "failure"}});
  m.component("X", "Part");
  m.measure("lost", "probability_by", "(in(A.Down) and in(B.Down)) or in(X.Worn)", {{"headline", "true"}});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RunRequest request = by("failure-biasing", 500);
    request.seed = seed;
    const ResultSet results = solved(m.document(), request);
    QVERIFY2(find_code(results.diagnostics, "RUN023") != nullptr, qPrintable(QString::number(seed)));
  }
  RunRequest request = by("failure-biasing", 10000000);
  request.precision = 0.2;
  const double wears = -std::expm1(-std::pow(100.0 / 3000.0, 2));
  // The pair adds about 2e-6, far below the interval's width.
  compare_inside(solved(m.document(), request), "lost", wears + 2e-6);
}

void TestRareMethods::auto_takes_the_method_that_serves_and_says_why() {
  RunRequest request = by("auto", 20000);
  const ResultSet results = solved(example("06_rare_event"), request);
  QCOMPARE(taken(results), std::string("failure-biasing"));
  compare_inside(results, "all_down", four_pumps(true));
  const Diagnostic* said = find_code(results.diagnostics, "RUN027");
  QVERIFY(said != nullptr && said->severity == Severity::info);
  QVERIFY2(said->message.find("all_down") != std::string::npos, said->message.c_str());
  // Where something flows only splitting fits.
  request = by("auto", 50);
  request.options["importance"] = "tank.level";
  const ResultSet flows = solved(filling("9"), request);
  QCOMPARE(taken(flows), std::string("splitting"));
  compare_inside(flows, "over", std::exp(-9.0));
}

void TestRareMethods::auto_falls_back_to_plain_simulation() {
  const ResultSet often = solved(filling("1"), by("auto", 2000));
  QCOMPARE(taken(often), std::string("none"));
  compare_inside(often, "over", std::exp(-1.0));
  // Nothing is given up because one method sees less than the other in a short pilot run.
  const ResultSet joint = solved(joint_demand_and_delayed_shocks(), by("auto", 20000));
  QVERIFY2(taken(joint) != "none", listed(joint.diagnostics).c_str());
  // What is met by no bias is left to plain simulation, with the reason.
  const ResultSet blow = solved(with_a_blow(), by("auto", 2000));
  QCOMPARE(taken(blow), std::string("none"));
  QVERIFY2(find_code(blow.diagnostics, "RUN027")->message.find("trusted") != std::string::npos,
           listed(blow.diagnostics).c_str());
}

void TestRareMethods::what_a_run_waits_for_decides_and_not_the_headline() {
  RunRequest request = by("auto", 20000);
  QCOMPARE(taken(solved(common_and_rare(), request)), std::string("none"));
  request.replications.reset();
  request.precision_of["both"] = 0.2;
  const ResultSet rare = solved(common_and_rare(), request);
  QVERIFY2(taken(rare) != "none", listed(rare.diagnostics).c_str());
  QCOMPARE(rare.stop_reason, std::string("precision"));
  // One of two fails, and the other before it is repaired, in 100 h less the hour that the second failure takes.
  compare_inside(rare, "both", 2e-4 * 1e-4 / (1 + 3e-4) * 99);
  QVERIFY2(find_code(rare.diagnostics, "RUN027")->message.find("\"both\"") != std::string::npos,
           listed(rare.diagnostics).c_str());

  // A place that was never taken may hold half of "both", and next to nothing of "one".
  Diagnostics problems;
  const auto model = build_model(common_and_rare(), request, "", problems);
  const FailureBiasingSource source(model, 1, 0.5);
  const auto specs = source.measures().first(2);
  Tallies tallies(source.measures(), source.sums());
  tallies.replications = 1000;
  for (int i = 0; i < 1000; ++i) tallies.measures[0].observe(0.02), tallies.measures[1].observe(2e-6);
  tallies.sums[0] = 1e-6 * 1000;
  const auto sound = [&](std::vector<double> goals) {
    return nothing_unseen(*model, tallies, specs, {.relative = std::move(goals)});
  };
  QVERIFY(sound({}) && sound({0.1, 0.0}));
  QVERIFY(!sound({0.0, 0.1}) && !sound({0.1, 0.1}));
  const FailureBiasingSource waits(model, 1, 0.5, {.relative = {0.0, 0.1}});
  QVERIFY(source.trusted(tallies) && !waits.trusted(tallies));
}

void TestRareMethods::auto_takes_the_same_method_at_any_number_of_threads() {
  const auto said = [](unsigned threads) {
    RunRequest request = by("auto", 2000);
    request.threads = threads;
    return find_code(solved(example("06_rare_event"), request).diagnostics, "RUN027")->message;
  };
  QCOMPARE(said(1), said(3));
}

QTEST_APPLESS_MAIN(TestRareMethods)
#include "tst_rare_methods.moc"
