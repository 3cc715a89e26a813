#include "app/session/check.h"
#include "core/document/command.h"
#include "solvers/model/analysis_model.h"
#include "solvers/reliability/ccf_parameters.h"

// After the engine: Qt's keywords are macros.
#include "tests/solvers/reliability/reliability_check.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr int members = 3;

/// Three units that fail by a rate of their own beside a group.
struct Units {
  ModelBuilder m;
  ChartBuilder c{m, "Unit"};
  ElementId up = c.state("Up"), down = c.state("Down"), group, unit;
  Units(Value properties, const std::string& own, const char* role = "failure") {
    m.parameter("lambda", "0.01 /h", {{"unit", "/h"}});
    m.parameter("beta", "0.25"), m.parameter("gamma", "0.4");
    m.parameter("a2", "0.2"), m.parameter("a3", "0.1");
    c.initial(up);
    if (!own.empty()) c.transition(up, down, own, "", "", {{"role", role}});
    c.transition(up, down, "ccf(run)", "", "", {{"role", role}});
    unit = m.component("unit", "Unit", std::to_string(members));
    properties["total"] = "lambda";
    group = m.group("G", "run", std::move(properties), {unit});
    m.measure("none_down", "probability_at", "count(unit[*].Down) == 0");
    m.measure("all_down", "probability_at", "all(unit[*].Down)");
  }
};

Value beta() { return {{"model", "beta"}, {"beta", "beta"}}; }

Document mended(const Document& document, const QuickFix& fix) {
  CommandStack stack(document);
  stack.push(*fix.command);
  return stack.document();
}

/// Probability that nobody has failed: any event of the expanded group would have failed somebody.
double nobody(const OrderRates& rates, double t_s) {
  double sum = 0.0;
  for (int k = 1; k <= rates.n(); ++k) sum += binomial(rates.n(), k) * rates.specific[static_cast<std::size_t>(k - 1)];
  return std::exp(-sum * t_s);
}

double exact(const Document& document, const char* measure) {
  return estimate(solved(document, {.solver = "ccf-closed-form"}), measure);
}

}  // namespace

/// Oracle: the closed form of the expanded group by hand; a failure counted once is the group alone.
class TestDoubleCounting : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void both_fixes_give_the_group_alone_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("trigger");
    QTest::newRow("beta") << "beta"
                          << "rate((1 - beta)*lambda)";
    QTest::newRow("mgl") << "mgl"
                         << "rate((1 - beta)*lambda)";
    QTest::newRow("alpha, staggered") << "alpha_staggered"
                                      << "rate((1 - a2 - a3)*lambda)";
    QTest::newRow("alpha, non-staggered") << "alpha_nonstaggered"
                                          << "rate((1 - a2 - a3)/((1 - a2 - a3) + 2*a2 + 3*a3)*lambda)";
  }
  void both_fixes_give_the_group_alone() {
    QFETCH(QString, model);
    QFETCH(QString, trigger);
    const double total = 0.01 / hour, t = 24 * hour;
    const std::vector<double> alphas = {0.7, 0.2, 0.1};
    const OrderRates rates = model == "beta"              ? from_beta(0.25, total, members)
                             : model == "mgl"             ? from_mgl({0.25, 0.4}, total)
                             : model == "alpha_staggered" ? from_alpha(alphas, total, Testing::staggered)
                                                          : from_alpha(alphas, total, Testing::non_staggered);
    const Units twice({{"model", model.toStdString()},
                       {"beta", "beta"},
                       {"mgl", "[beta, gamma]"},
                       {"alphas", "[1 - a2 - a3, a2, a3]"}},
                      "rate(lambda)");
    const Diagnostics found = check_model(twice.m.document());
    const Diagnostic* d = find_code(found, "CCF026");
    QVERIFY2(d != nullptr, listed(found).c_str());
    QCOMPARE(d->severity, Severity::warning);
    QVERIFY2(d->message.find("0.01 /h of their own") != std::string::npos &&
                 d->message.find("total of 0.01 /h") != std::string::npos &&
                 d->message.find("together 0.02 /h") != std::string::npos,
             d->message.c_str());
    // As drawn, each unit fails by its own rate too.
    compare_relative(exact(twice.m.document(), "none_down"), nobody(rates, t) * std::exp(-members * total * t), 1e-12);
    QCOMPARE(d->fixes.size(), std::size_t{2});
    for (const QuickFix& fix : d->fixes) {
      const Document after = mended(twice.m.document(), fix);
      const Diagnostics left = check_model(after);
      QVERIFY2(find_code(left, "CCF026") == nullptr && find_code(left, "CCF027") == nullptr, listed(left).c_str());
      compare_relative(exact(after, "none_down"), nobody(rates, t), 1e-12);
    }
    QVERIFY2(d->fixes[1].label.find(trigger.toStdString()) != std::string::npos, d->fixes[1].label.c_str());
    const double carried = exact(mended(twice.m.document(), d->fixes[0]), "all_down"),
                 parted = exact(mended(twice.m.document(), d->fixes[1]), "all_down");
    compare_relative(carried, parted, 1e-12);
  }
  void the_independent_part_drawn_beside_a_group_that_drives_it_is_counted_twice_too() {
    const Units units(beta(), "rate(lambda*(1 - beta))");
    const Diagnostics found = check_model(units.m.document());
    const Diagnostic* d = find_code(found, "CCF026");
    QVERIFY2(d != nullptr && d->severity == Severity::warning, listed(found).c_str());
    QCOMPARE(d->fixes.size(), std::size_t{2});
    for (const QuickFix& fix : d->fixes)
      compare_relative(exact(mended(units.m.document(), fix), "none_down"),
                       nobody(from_beta(0.25, 0.01 / hour, members), 24 * hour), 1e-12);
  }
  void another_failure_beside_the_group_is_a_remark() {
    const Units units(beta(), "rate(0.003 /h)");
    const Diagnostic* d = nullptr;
    const Diagnostics found = check_model(units.m.document());
    d = find_code(found, "CCF026");
    QVERIFY2(d != nullptr, listed(found).c_str());
    QVERIFY(d->severity == Severity::info && d->fixes.empty());
  }
  void groups_alone_and_binomial_groups_are_no_double_counting() {
    QCOMPARE(codes(check_model(Units(beta(), "").m.document())), std::string());
    const Units binomial({{"mu", "1e-3 /h"}, {"rho", "0.4"}}, "rate(lambda)");
    QCOMPARE(codes(check_model(binomial.m.document())), std::string());
  }
  void failures_without_role_are_said_and_counted() {
    const Units units(beta(), "rate(lambda)", "none");
    const Diagnostics found = check_model(units.m.document());
    QCOMPARE(codes(found), std::string("CCF026 CCF028 CCF028"));
    Document document = units.m.document();
    for (int edge = 0; edge < 2; ++edge) {
      const Diagnostics left = check_model(document);
      const Diagnostic* d = find_code(left, "CCF028");
      QVERIFY(d != nullptr && d->severity == Severity::warning && d->fixes.size() == 1);
      document = mended(document, d->fixes.front());
    }
    QCOMPARE(codes(check_model(document)), std::string("CCF026"));
    // Repairs and what leads elsewhere are none.
    Units repaired(beta(), "", "failure");
    repaired.c.transition(repaired.down, repaired.up, "rate(1 /h)", "", "", {{"role", "repair"}});
    repaired.c.transition(repaired.up, repaired.c.state("Maintained"), "every(100 h)");
    QVERIFY(find_code(check_model(repaired.m.document()), "CCF028") == nullptr);
  }
  // By way of a workshop and back by a choice; what leads into the workshop, or from sound states, is no repair.
  void a_chart_of_failures_without_repair_is_asked_which_it_is() {
    Units units(beta(), "", "failure");
    const ElementId shop = units.c.state("Shop"), choice = units.c.choice(), tested = units.c.state("Tested");
    units.c.transition(units.down, shop, "rate(1 /h)");
    units.c.transition(units.up, tested, "every(100 h)"), units.c.transition(tested, units.up, "after(1 h)");
    units.c.transition(shop, choice, "after(8 h)");
    const ElementId sound = units.c.transition(choice, units.up, "p(0.9)");
    units.c.transition(choice, units.down, "", "else");
    const Diagnostics found = check_model(units.m.document());
    QCOMPARE(codes(found), std::string("CCF028"));
    const Diagnostic* d = find_code(found, "CCF028");
    QVERIFY(d->element == sound && d->message.find("wanted repair") != std::string::npos && d->fixes.size() == 1);
    QCOMPARE(codes(check_model(mended(units.m.document(), d->fixes.front()))), std::string());
  }
  void a_group_that_never_fails_anybody_is_said() {
    const Units units({{"mu", "0 /h"}, {"rho", "0.4"}, {"omega", "0 /h"}}, "rate(lambda)");
    const Diagnostics found = check_model(units.m.document());
    const Diagnostic* d = find_code(found, "CCF029");
    QVERIFY2(d != nullptr && d->severity == Severity::warning, listed(found).c_str());
    // In the words of the form: the model may call something else mu.
    for (const char* shown : {"Non-lethal shocks", "Affected by a shock", "Lethal shocks"})
      QVERIFY2(d->message.find(shown) != std::string::npos, d->message.c_str());
    QVERIFY2(d->message.find("mu") == std::string::npos, d->message.c_str());
    // A scenario may switch a group off.
    Units off({{"mu", "gamma * 1 /h"}, {"rho", "0.4"}, {"omega", "0 /h"}}, "rate(lambda)");
    off.m.scenario("off", "gamma = 0");
    QVERIFY2(find_code(check_model(off.m.document()), "CCF029") == nullptr,
             listed(check_model(off.m.document())).c_str());
  }
  void a_chart_that_serves_others_keeps_its_failure() {
    Units units(beta(), "rate(lambda)");
    units.m.component("spare", "Unit");
    const Diagnostics found = check_model(units.m.document());
    const Diagnostic* d = find_code(found, "CCF026");
    QVERIFY2(d != nullptr, listed(found).c_str());
    for (const QuickFix& fix : d->fixes) QVERIFY2(fix.label.find("remove") == std::string::npos, fix.label.c_str());
  }
  void a_name_that_means_something_else_in_the_chart_is_not_put_there() {
    Units units(beta(), "rate(lambda)");
    units.c.variable("beta", "real", "0.5", "", true);
    const Diagnostics found = check_model(units.m.document());
    const Diagnostic* d = find_code(found, "CCF026");
    QVERIFY2(d != nullptr, listed(found).c_str());
    QCOMPARE(d->fixes.size(), std::size_t{1});
  }
  void a_chart_that_does_not_draw_the_independent_part_is_said() {
    Value properties = beta();
    properties["independent"] = "chart";
    const Units none(properties, "");
    QVERIFY(find_code(check_model(none.m.document()), "CCF027") != nullptr);
    const Units whole(properties, "rate(lambda)");
    const Diagnostics found = check_model(whole.m.document());
    const Diagnostic* d = find_code(found, "CCF027");
    QVERIFY2(d != nullptr && d->fixes.size() == 1, listed(found).c_str());
    compare_relative(exact(mended(whole.m.document(), d->fixes[0]), "none_down"),
                     nobody(from_beta(0.25, 0.01 / hour, members), 24 * hour), 1e-12);
  }
  void shared_failures_alone_are_delayed_unless_all_are_drawn_so_data() {
    QTest::addColumn<QString>("acts_on");
    QTest::newRow("not said: shared") << "";
    QTest::newRow("shared") << "shared";
    QTest::newRow("all") << "all";
  }
  void shared_failures_alone_are_delayed_unless_all_are_drawn_so() {
    // Two members, beta model, exponential delay of mean d. By hand: an event of rate q that strikes j given members
    // has failed none of them by t with probability exp(-q * integral of 1 - exp(-j u / d)).
    QFETCH(QString, acts_on);
    const double d = 6.0, t = 24.0, lambda = 0.05, b = 0.25;
    Value properties{
        {"model", "beta"}, {"beta", "0.25"}, {"total", "0.05 /h"}, {"delay_law", "exponential"}, {"delay_mean", "6 h"}};
    if (!acts_on.isEmpty()) properties["delay_acts_on"] = acts_on.toStdString();
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "ccf(run)", "", "", {{"role", "failure"}});
    m.group("G", "run", properties, {m.component("unit", "Unit", "2")});
    m.measure("none_down", "probability_at", "count(unit[*].Down) == 0");
    m.measure("all_down", "probability_at", "all(unit[*].Down)");
    const auto exposed = [&](int j) { return t - d / j * -std::expm1(-j * t / d); };  // of failing some of j members
    const double single = (1 - b) * lambda, pair = b * lambda;
    const double each_alone = acts_on == "all" ? exposed(1) : t;
    const double none = std::exp(-2 * single * each_alone - pair * exposed(2));
    const double given_one_alive = std::exp(-single * each_alone - pair * exposed(1));
    const double all = 1 - 2 * given_one_alive + none;
    compare_relative(exact(m.document(), "none_down"), none, 1e-12);
    compare_relative(exact(m.document(), "all_down"), all, 1e-11);
    const ResultSet run = solved(m.document(), {.replications = 200000, .confidence = 0.999});
    compare_inside(run, "none_down", none);
    compare_inside(run, "all_down", all);
    // Markov chains cannot hold a delay after a shock, whatever it acts on, and say so.
    const Diagnostics no_chain = find_solver("ctmc-transient")->fits(m.document(), {});
    QVERIFY2(has_errors(no_chain) && no_chain.front().message.find("delay") != std::string::npos,
             listed(no_chain).c_str());
  }
  void a_delay_that_acts_at_once_makes_no_difference_to_any_solver() {
    for (const char* acts_on : {"shared", "all"}) {
      Value properties = beta();
      properties["delay_acts_on"] = acts_on;
      const Units units(properties, "");
      const double none = nobody(from_beta(0.25, 0.01 / hour, members), 24 * hour);
      compare_relative(exact(units.m.document(), "none_down"), none, 1e-12);
      compare_relative(estimate(solved(units.m.document(), {.solver = "ctmc-transient"}), "none_down"), none, 1e-8);
    }
  }
};

QTEST_GUILESS_MAIN(TestDoubleCounting)
#include "tst_double_counting.moc"
