#include <QtTest>
#include <numeric>

#include "reliability_check.h"
#include "solvers/reliability/ccf_parameters.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const Overrides under_stress = {{"lambda_ind", "0.01 /h"}, {"mu", "0.02 /h"}, {"rho", "0.5"}, {"omega", "0.005 /h"}};
const Overrides with_exponential_delay = {{"delay_law", "exponential"}, {"delay_mean", "2 h"}};

Overrides operator+(Overrides a, const Overrides& b) {
  a.insert(b.begin(), b.end());
  return a;
}

ResultSet closed_form(const Overrides& overrides, const std::string& scenario = "") {
  return solved(example("01_edg_common_cause"),
                {.solver = "ccf-closed-form", .scenario = scenario, .overrides = overrides});
}

Diagnostics reasons(const Document& document, const Overrides& overrides = {}, const std::string& scenario = "") {
  return find_solver("ccf-closed-form")->fits(document, {.scenario = scenario, .overrides = overrides});
}

/// A group of three units whose chart can be spoilt.
struct Group {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId up = c.state("Up"), down = c.state("Down");
  ElementId unit, group;
  void finish(Value properties = {{"mu", "0.02 /h"}, {"rho", "0.5"}, {"omega", "0.005 /h"}}, const char* count = "3") {
    c.initial(up);
    c.transition(up, down, "ccf(run)", "", "", {{"role", "failure"}});
    unit = m.component("unit", "Unit", count);
    group = m.group("G", "run", std::move(properties), {unit});
    m.measure("all_down", "probability_at", "all(unit[*].Down)");
  }
};

}  // namespace

/// The example's model against the values that the specification of the model prints (G_j by void probabilities), and
/// against identities that hold for every parameter.
class TestCcfClosedFormSolver : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void failed_counts_have_the_printed_probabilities_data();
  void failed_counts_have_the_printed_probabilities();
  void scenarios_of_the_example_are_the_printed_rows();
  void the_mean_time_to_all_failed_is_the_printed_one();
  void groups_of_two_to_twelve_are_answered();
  void independent_members_are_binomial();
  void equal_rates_in_other_words_give_the_same_answer();
  void curves_end_at_the_estimate();
  void measures_it_cannot_answer_are_named();
  void repair_is_refused_with_the_transition();
  void what_does_not_fit_is_refused_with_its_element_data();
  void what_does_not_fit_is_refused_with_its_element();
};

void TestCcfClosedFormSolver::failed_counts_have_the_printed_probabilities_data() {
  QTest::addColumn<Overrides>("overrides");
  QTest::addColumn<QStringList>("printed");
  const Overrides in_a_window = {{"delay_law", "uniform"}, {"delay_window", "6 h"}};
  const Overrides truncated = {{"delay_law", "truncated_exponential"}, {"delay_mean", "2 h"}, {"delay_window", "4 h"}};
  const Overrides lethal = {{"lambda_ind", "0 /h"}, {"mu", "0 /h"}, {"omega", "0.005 /h"}};
  const Overrides independent = {{"lambda_ind", "1.15e-3 /h"}, {"mu", "0 /h"}, {"omega", "0 /h"}};
  QTest::newRow("default, at once") << Overrides{}
                                    << QStringList{"8.97691366e-1", "9.68231819e-2", "4.70151378e-3", "4.71561863e-4",
                                                   "3.12376286e-4"};
  QTest::newRow("default, exponential") << with_exponential_delay
                                        << QStringList{"8.97799275e-1", "9.68567027e-2", "4.64665962e-3",
                                                       "4.38201380e-4", "2.59161521e-4"};
  QTest::newRow("default, uniform") << in_a_window
                                    << QStringList{"8.97880720e-1", "9.68468805e-2", "4.60794261e-3", "4.13903244e-4",
                                                   "2.50553634e-4"};
  QTest::newRow("same total, independent")
      << independent
      << QStringList{"8.95475873e-1", "1.00237450e-1", "4.20762862e-3", "7.84986651e-5", "5.49184676e-7"};
  QTest::newRow("stress, at once") << under_stress
                                   << QStringList{".216535667", ".268473437", ".192723002", ".138237561", ".184030333"};
  QTest::newRow("stress, exponential") << under_stress + with_exponential_delay
                                       << QStringList{".221786133", ".279106398", ".199285983", ".139065649",
                                                      ".160755838"};
  QTest::newRow("stress, truncated") << under_stress + truncated
                                     << QStringList{".220483786", ".275914529", ".196847569", ".137583794",
                                                    ".169170322"};
  QTest::newRow("lethal only") << lethal + with_exponential_delay
                               << QStringList{".889140512", ".002965037", ".004458682", ".008961799", ".094473970"};
}

void TestCcfClosedFormSolver::failed_counts_have_the_printed_probabilities() {
  QFETCH(Overrides, overrides);
  QFETCH(QStringList, printed);
  const ResultSet results = closed_form(overrides);
  double sum = 0;
  for (int m = 0; m <= 4; ++m) {
    const double p = estimate(results, "failed_" + std::to_string(m));
    compare_printed(p, qPrintable(printed[m]));
    sum += p;
  }
  QVERIFY2(std::abs(sum - 1) < 1e-12, qPrintable(QString::number(sum, 'g', 17)));
  for (const MeasureResult& m : results.measures)
    QVERIFY(m.exact && m.lower == m.estimate && m.upper == m.estimate && m.solver == "ccf-closed-form");
}

void TestCcfClosedFormSolver::scenarios_of_the_example_are_the_printed_rows() {
  compare_printed(estimate(closed_form({}, "staggered_exponential"), "failed_4"), "2.59161521e-4");
  compare_printed(estimate(closed_form({}, "staggered_uniform"), "failed_4"), "2.50553634e-4");
  compare_printed(estimate(closed_form({}, "stress"), "failed_4"), ".184030333");
  compare_printed(estimate(closed_form({}, "lethal_only"), "failed_4"), ".094473970");
}

void TestCcfClosedFormSolver::the_mean_time_to_all_failed_is_the_printed_one() {
  // The measure is the mean given that it happens within the mission: with a mission of 60,000 h it always does.
  const Overrides long_mission = {{"mission_time", "60000 h"}};
  const double all = estimate(closed_form(long_mission), "time_to_all_failed");
  QVERIFY2(std::abs(all - 1797.8681) < 5.1e-5, qPrintable(QString::number(all, 'g', 12)));
  for (const char* mission : {"1e6 h", "1e8 h"}) {  // however long the mission, the same
    const ResultSet longer = closed_form({{"mission_time", mission}});
    compare_relative(estimate(longer, "time_to_all_failed"), all, 1e-6);
  }
  const Overrides independent = {{"lambda_ind", "1.15e-3 /h"}, {"mu", "0 /h"}, {"omega", "0 /h"}};
  const double alone = estimate(closed_form(independent + long_mission), "time_to_all_failed");
  compare_relative(alone, (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 1.15e-3, 1e-8);
}

void TestCcfClosedFormSolver::groups_of_two_to_twelve_are_answered() {
  for (int n = 2; n <= 12; ++n)
    for (const Overrides& law : {Overrides{}, with_exponential_delay}) {
      const ResultSet results = closed_form(under_stress + law + Overrides{{"n", std::to_string(n)}});
      double sum = 0, mean = 0;
      for (int m = 0; m <= n; ++m) {
        const double p = estimate(results, "failed_" + std::to_string(m));
        QVERIFY(p > 0 && p < 1);
        sum += p, mean += m * p;
      }
      QVERIFY(std::abs(sum - 1) < 1e-12);
      // One component alone: E failed = n (1 - exp(-(lambda + mu rho + omega) T)) when shocks act at once.
      if (law.empty()) compare_relative(mean, n * (1 - std::exp(-24 * (0.01 + 0.02 * 0.5 + 0.005))), 1e-11);
    }
}

void TestCcfClosedFormSolver::independent_members_are_binomial() {
  const ResultSet results = closed_form({{"n", "5"}, {"lambda_ind", "0.02 /h"}, {"mu", "0 /h"}, {"omega", "0 /h"}});
  const double q = 1 - std::exp(-24 * 0.02);
  for (int m = 0; m <= 5; ++m)
    compare_relative(estimate(results, "failed_" + std::to_string(m)),
                     binomial(5, m) * std::pow(q, m) * std::pow(1 - q, 5 - m), 1e-11);
  // Without repair, "by the end" is "at the end".
  compare_relative(estimate(results, "all_failed_by_end"), std::pow(q, 5), 1e-11);
  // Time average of the number failed: n (1 - (1 - exp(-l T)) / (l T)).
  compare_relative(estimate(results, "mean_failed"), 5 * (1 - q / (24 * 0.02)), 1e-10);
}

void TestCcfClosedFormSolver::equal_rates_in_other_words_give_the_same_answer() {
  // rho = 1 makes every shock lethal; the two rates may then be shared out as one likes.
  const double a = estimate(closed_form({{"mu", "3e-4 /h"}, {"rho", "1"}, {"omega", "1e-4 /h"}}), "failed_4");
  const double b = estimate(closed_form({{"mu", "0 /h"}, {"omega", "4e-4 /h"}}), "failed_4");
  const double c = estimate(closed_form({{"mu", "1 /h"}, {"rho", "0"}, {"omega", "4e-4 /h"}}), "failed_4");
  compare_relative(a, b, 1e-12), compare_relative(c, b, 1e-12);
  // A delay tends to no delay, and can only put failures off.
  const double at_once = estimate(closed_form({}), "failed_4");
  compare_relative(estimate(closed_form({{"delay_law", "exponential"}, {"delay_mean", "1e-6 h"}}), "failed_4"), at_once,
                   1e-6);
  QVERIFY(estimate(closed_form(with_exponential_delay), "failed_4") < at_once);
}

void TestCcfClosedFormSolver::curves_end_at_the_estimate() {
  const ResultSet results = closed_form(under_stress + with_exponential_delay);
  int curves = 0;
  for (const Series& s : results.series) {
    if (s.kind != "curve") continue;
    ++curves;
    QVERIFY(s.exact && s.lower.empty());
    QCOMPARE(s.x.front(), 0.0);
    QCOMPARE(s.x.back(), 24.0);
    if (s.measure.rfind("failed_", 0) == 0) {
      compare_relative(s.y.back(), estimate(results, s.measure), 1e-12);
      QCOMPARE(s.y.front(), s.measure == "failed_0" ? 1.0 : 0.0);
    }
  }
  QVERIFY(curves >= 5);
}

void TestCcfClosedFormSolver::measures_it_cannot_answer_are_named() {
  Group g;
  g.finish();
  g.m.component("other", "Unit");
  const ElementId foreign = g.m.measure("foreign", "probability_at", "in(other.Down)");
  const ElementId exactly_one = g.m.measure("one_by", "probability_by", "count(unit[*].Down) == 1");
  g.m.set(g.group, "cause", "run");
  const ResultSet results = solved(g.m.document(), {.solver = "ccf-closed-form"});
  QVERIFY(results.measure("all_down") != nullptr);
  QCOMPARE(results.measures.size(), std::size_t{1});
  QCOMPARE(results.diagnostics.size(), std::size_t{2});
  for (const Diagnostic& d : results.diagnostics)
    QVERIFY(d.code == "SOL002" && d.severity == Severity::warning &&
            (d.element == foreign || d.element == exactly_one));
}

void TestCcfClosedFormSolver::repair_is_refused_with_the_transition() {
  const Document document = example("01_edg_common_cause");
  QVERIFY(!has_errors(reasons(document)));
  const Diagnostics found = reasons(document, {}, "repair");
  QCOMPARE(codes(found), std::string("SOL001"));
  const Element* transition = document.find(found[0].element);
  QVERIFY(transition != nullptr && transition->is_edge());
  QVERIFY(transition->text("trigger").find("repair_crews") != std::string::npos);
  RunControl control;
  const ResultSet results = find_solver("ccf-closed-form")->solve(document, {.scenario = "repair"}, control);
  QVERIFY(results.status == RunStatus::failed && results.measures.empty());
  QVERIFY2(results.stop_reason.find("repair") != std::string::npos, results.stop_reason.c_str());
}

void TestCcfClosedFormSolver::what_does_not_fit_is_refused_with_its_element_data() {
  QTest::addColumn<QString>("row");
  for (const char* row : {"weibull", "guard", "demand group", "no group", "two groups", "exposed", "two failed states",
                          "different rates"})
    QTest::newRow(row) << row;
}

void TestCcfClosedFormSolver::what_does_not_fit_is_refused_with_its_element() {
  QFETCH(QString, row);
  Group g;
  ElementId where;
  if (row == "weibull") where = g.c.transition(g.up, g.down, "after(weibull(shape = 2, scale = 9 h))");
  if (row == "guard") where = g.c.transition(g.up, g.down, "rate(1 /h)", "count(unit[*].Down) < 2");
  if (row == "different rates") {
    g.c.variable("lambda", "real", "0 /h", "/h", true);
    g.c.transition(g.up, g.down, "rate(lambda)");
  }
  g.finish();
  if (row == "two failed states") where = g.c.transition(g.up, g.c.state("Broken"), "rate(1 /h)");
  if (row == "different rates") g.m.set(g.unit, "arguments", "lambda = index * 1e-3 /h"), where = g.group;
  if (row == "demand group") {
    where = g.group;
    g.m.set(g.group, "applies_to", "demand"), g.m.set(g.group, "mu", "0.1"), g.m.set(g.group, "omega", "0.1");
  }
  if (row == "exposed") g.m.set(g.group, "exposed", "now > 3 h"), where = g.group;
  if (row == "two groups") where = g.m.group("H", "run", {{"mu", "1 /h"}, {"rho", "0.1"}, {"omega", "0 /h"}}, {g.unit});
  if (row == "no group") {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    c.initial(c.state("Up")), m.component("unit", "Unit"), m.measure("up", "probability_at", "in(unit.Up)");
    QCOMPARE(codes(reasons(m.document())), std::string("SOL001"));
    return;
  }
  const Diagnostics found = reasons(g.m.document());
  QVERIFY2(has_errors(found) && find_code(found, "SOL001") != nullptr, listed(found).c_str());
  bool named = false;
  for (const Diagnostic& d : found) named = named || d.element == where;
  QVERIFY2(named, listed(found).c_str());
}

QTEST_APPLESS_MAIN(TestCcfClosedFormSolver)
#include "tst_ccf_closed_form_solver.moc"
