#include <QtTest>
#include <cmath>
#include <set>

#include "core/catalogue/measure_kinds.h"
#include "core/catalogue/model_kinds.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A unit that fails at 0.5 /h and is repaired at 2 /h.
struct RepairedUnit {
  ModelBuilder m;
  explicit RepairedUnit(const std::string& horizon) : m(horizon) {
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up);
    c.transition(up, down, "rate(0.5 /h)", "", "record(failure)", {{"role", "failure"}});
    c.transition(down, up, "rate(2 /h)", "", "", {{"role", "repair"}});
    m.component("unit", "Unit");
    m.header("seed", 11);
  }
};

}  // namespace

/// Comparisons with exact values ask for the 99.9 % interval at a fixed seed.
class TestMeasureKinds : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_kind_is_told_in_forms_and_has_words_for_its_axis();
  void a_ratio_of_means_has_fiellers_interval();
  void a_ratio_names_two_measures_above();
  void a_ratio_of_a_measure_with_an_error_says_so();
  void a_family_of_ratios_names_members_of_families();
  void one_long_run_finds_the_availability();
  void many_short_runs_do_not_cut_a_rare_condition_away();
  void a_run_in_which_nothing_changed_says_so();
  void the_limit_solver_answers_the_long_run_and_others_say_why_not();
  void only_models_with_groups_are_split();
  void labels_come_from_the_groups();
  void a_precision_is_a_share();
  void a_distribution_is_kept_where_it_is_asked_for();
};

void TestMeasureKinds::a_distribution_is_kept_where_it_is_asked_for() {
  // A component that fails once: of a mission of 10 h it is up min(X, 10 h) / 10 h, X exponential. Beside it events at
  // 0.5 /h, a Poisson number of mean 5.
  ModelBuilder m("10 h");
  ChartBuilder c(m, "Unit"), t(m, "Clock");
  const ElementId up = c.state("Up"), down = c.state("Down"), on = t.state("On");
  c.initial(up), c.transition(up, down, "rate(0.2 /h)");
  t.initial(on), t.transition(on, on, "rate(0.5 /h)", "", "record(tick)");
  m.component("unit", "Unit"), m.component("clock", "Clock");
  for (const bool kept : {false, true}) {
    const Value asked = kept ? Value{{"distribution", "true"}, {"curve", "0"}} : Value{{"curve", "0"}};
    Value counted = asked;
    counted["event"] = "tick";
    m.measure(kept ? "up_kept" : "up", "time_average", "in(unit.Up)", asked);
    m.measure(kept ? "ticks_kept" : "ticks", "count", "", counted);
  }
  const ResultSet r = solved(m.document(), {.seed = 20261128, .replications = 20000});
  QVERIFY(r.measure("up")->quantiles.empty() && r.measure("ticks")->quantiles.empty());
  QCOMPARE(r.measure("up")->estimate, r.measure("up_kept")->estimate);
  for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95}) {
    const double exact = std::min(1.0, -std::log(1.0 - p) / 0.2 / 10.0);
    const auto [low, high] = r.measure("up_kept")->quantile_intervals.at(p);  // at 95 %, so a little wider
    QVERIFY2(low - 0.01 <= exact && exact <= high + 0.01, qPrintable(QString("%1").arg(p)));
    double below = 0.0, term = std::exp(-5.0), n = 0.0;
    while ((below += term) < p) term *= 5.0 / ++n;
    QCOMPARE(r.measure("ticks_kept")->quantiles.at(p), n);
  }
  QVERIFY(r.measure("up_kept")->quantiles.size() == 5);
}

void TestMeasureKinds::a_precision_is_a_share() {
  const auto found = [](const std::string& precision) {
    RepairedUnit u("100 h");
    u.m.parameter("wanted", "0.02");
    u.m.measure("up", "time_average", "in(unit.Up)", {{"precision", precision}});
    Diagnostics problems;
    const auto model = build_model(u.m.document(), {}, {}, problems);
    return std::pair(codes(problems), model == nullptr ? -1.0 : model->measures.front().spec.precision);
  };
  QCOMPARE(found("").second, 0.0);
  QCOMPARE(found("0.02").second, 0.02);
  QCOMPARE(found("2 %").second, 0.02);
  QCOMPARE(found("wanted / 2").second, 0.01);
  for (const char* wrong : {"0", "1", "-0.1", "100 %", "2"}) QCOMPARE(found(wrong).first, std::string("MEA015"));
  for (const char* none : {"3 h", "much", "in(unit.Up)"}) {
    QVERIFY2(found(none).first.rfind("EXP", 0) == 0 && found(none).first.size() == 6, found(none).first.c_str());
  }
}

void TestMeasureKinds::every_kind_is_told_in_forms_and_has_words_for_its_axis() {
  std::set<std::string_view> words;
  for (const MeasureKind& kind : measure_kinds()) {
    QVERIFY2(words.insert(kind.word).second, std::string(kind.word).c_str());
    QVERIFY(!kind.label.empty() && !kind.help.empty() && !kind.axis.empty() && !kind.unseen.empty());
    QCOMPARE(choice_label(measure_types(), kind.word), std::string(kind.label));
    // What a property is for in the table is what the form shows.
    for (const KindSpec& spec : model_kinds()) {
      if (spec.kind != "measure") continue;
      for (const PropertySpec& p : spec.properties) {
        const bool shown = std::find(p.when_values.begin(), p.when_values.end(), kind.word) != p.when_values.end();
        if (p.name == "at") QCOMPARE(shown, kind.at);
        if (p.name == "expression") QCOMPARE(shown, kind.takes_expression());
        if (p.name == "class") QCOMPARE(shown, kind.takes_stream());
      }
    }
  }
  QVERIFY(find_measure_kind("no such kind") == nullptr);
}

void TestMeasureKinds::a_ratio_of_means_has_fiellers_interval() {
  RepairedUnit u("10 h");
  u.m.measure("down", "time_average", "in(unit.Down)", {{"curve", 0}, {"scale", "10 h"}, {"unit", "h"}});
  u.m.measure("failures", "count", "in(unit.Down)");
  u.m.measure("each", "ratio", "", {{"of", "down"}, {"per", "failures"}, {"unit", "min"}});
  const ResultSet r = solved(u.m.document(), {.replications = 20000, .confidence = 0.999});
  const MeasureResult& each = *r.measure("each");
  QCOMPARE(each.method, std::string("fieller"));
  QVERIFY(std::fabs(each.estimate / (60.0 * r.measure("down")->estimate / r.measure("failures")->estimate) - 1.0) <
          1e-12);
  // Hours down over failures, both of a mission from up: closed forms of the two-state chain.
  const double s = 2.5, t = 10.0, up = 0.8 * t + 0.2 * (1.0 - std::exp(-s * t)) / s;
  const double exact = 60.0 * (t - up) / (0.5 * up);
  QVERIFY2(each.lower < exact && exact < each.upper, qPrintable(QString::number(exact)));
  QVERIFY(!each.shares);
}

void TestMeasureKinds::a_ratio_of_a_measure_with_an_error_says_so() {
  RepairedUnit u("10 h");
  u.m.measure("failures", "count", "");
  u.m.measure("down", "time_average", "in(unit.Down)");
  u.m.measure("each", "ratio", "", {{"of", "down"}, {"per", "failures"}});
  Diagnostics problems;
  build_model(u.m.document(), {}, "", problems);
  QCOMPARE(codes(problems), std::string("MEA002 MEA010"));
  // What is missing is an event or a condition, and either will do.
  QCOMPARE(problems[0].pointer, std::string("event"));
  QVERIFY2(problems[0].hint.find("expression") != std::string::npos, problems[0].hint.c_str());
  QVERIFY2(problems[1].message.find("\"failures\" has an error") != std::string::npos, problems[1].message.c_str());
}

void TestMeasureKinds::a_ratio_names_two_measures_above() {
  const auto problem = [](Value more) {
    RepairedUnit u("10 h");
    u.m.measure("first", "time_to", "in(unit.Down)");
    u.m.measure("failures", "count", "in(unit.Down)");
    u.m.measure("x", "ratio", "", std::move(more));
    u.m.measure("later", "count", "in(unit.Up)");
    Diagnostics problems;
    build_model(u.m.document(), {}, "", problems);
    return codes(problems);
  };
  QCOMPARE(problem({{"of", "failures"}, {"per", "failures"}}), std::string());
  QCOMPARE(problem({{"of", "failures"}, {"per", "later"}}), std::string("MEA010"));
  QCOMPARE(problem({{"of", "failures"}}), std::string("MEA010"));
  QCOMPARE(problem({{"of", "x"}, {"per", "failures"}}), std::string("MEA010"));
  // Not in every mission does it fail, so there is nothing to divide in some.
  QCOMPARE(problem({{"of", "failures"}, {"per", "first"}}), std::string("MEA010"));
}

void TestMeasureKinds::a_family_of_ratios_names_members_of_families() {
  RepairedUnit u("10 h");
  const Value two = {{"index", "m"}, {"from", 0}, {"to", 1}, {"curve", 0}};
  u.m.measure("p_{m}", "probability_at", "count(unit.Down) == m", two);
  Value ratio = two;
  ratio["of"] = "p_{m}", ratio["per"] = "p_0";
  u.m.measure("r_{m}", "ratio", "", ratio);
  const ResultSet r = solved(u.m.document(), {.replications = 2000});
  QCOMPARE(estimate(r, "r_0"), 1.0);
  QCOMPARE(estimate(r, "r_1"), estimate(r, "p_1") / estimate(r, "p_0"));
}

void TestMeasureKinds::many_short_runs_do_not_cut_a_rare_condition_away() {
  // Each down for a fifth of the time, and all three for 0.8 % of it.
  RepairedUnit u("100 h");
  for (const char* name : {"second", "third"}) u.m.component(name, "Unit");
  u.m.measure("all", "steady_state_mean", "in(unit.Down) and in(second.Down) and in(third.Down)");
  const ResultSet r = solved(u.m.document(), {.replications = 4000, .confidence = 0.999});
  compare_inside(r, "all", 0.008);
  const MeasureResult& all = *r.measure("all");
  QCOMPARE(all.method, std::string("replication-deletion"));
  QVERIFY((all.upper - all.lower) / 2.0 < 0.1 * 0.008);
  QVERIFY(find_code(r.diagnostics, "RUN033") == nullptr);
}

void TestMeasureKinds::a_run_in_which_nothing_changed_says_so() {
  RepairedUnit u("1e-6 h");
  u.m.measure("up", "steady_state_mean", "in(unit.Up)");
  const ResultSet r = solved(u.m.document(), {.replications = 5});
  QVERIFY(find_code(r.diagnostics, "RUN033") != nullptr);
  // Once, of all that it is to be said of.
  u.m.measure("down", "steady_state_mean", "in(unit.Down)");
  const ResultSet both = solved(u.m.document(), {.replications = 5});
  QCOMPARE(std::count_if(both.diagnostics.begin(), both.diagnostics.end(),
                         [](const Diagnostic& d) { return d.code == "RUN033"; }),
           1);
  const std::string said = find_code(both.diagnostics, "RUN033")->message;
  QVERIFY2(said.find("\"up\", \"down\" each stayed the same") == 0, said.c_str());
  RepairedUnit certain("100 h");
  certain.m.measure("three", "steady_state_mean", "3");
  QVERIFY(find_code(solved(certain.m.document(), {.replications = 5}).diagnostics, "RUN033") == nullptr);
}

void TestMeasureKinds::one_long_run_finds_the_availability() {
  RepairedUnit u("20000 h");
  u.m.measure("up", "steady_state_mean", "in(unit.Up)");
  const ResultSet r = solved(u.m.document(), {.replications = 1, .confidence = 0.999});
  compare_inside(r, "up", 0.8);
  const MeasureResult& up = *r.measure("up");
  // The variance of the average of a two-state chain over t is 2 p q / (s t) for long t.
  const double error = std::sqrt(2.0 * 0.8 * 0.2 / (2.5 * 20000.0));
  QVERIFY2(up.standard_error > 0.6 * error && up.standard_error < 1.7 * error,
           qPrintable(QString::number(up.standard_error / error)));
}

void TestMeasureKinds::the_limit_solver_answers_the_long_run_and_others_say_why_not() {
  RepairedUnit u("10 h");
  u.m.measure("up", "steady_state_mean", "in(unit.Up)");
  u.m.measure("failures", "count", "in(unit.Down)");
  u.m.measure("x", "ratio", "", {{"of", "failures"}, {"per", "failures"}});
  const auto ask = [&](const char* solver) {
    RunRequest request;
    request.solver = solver;
    return solved(u.m.document(), request);
  };
  const ResultSet limit = ask("ctmc-steady-state"), mission = ask("ctmc-transient");
  QVERIFY(limit.measure("up") != nullptr && std::fabs(limit.measure("up")->estimate - 0.8) < 1e-9);
  QVERIFY(mission.measure("up") == nullptr && mission.measure("failures") != nullptr);
  QVERIFY(limit.measure("x") == nullptr && mission.measure("x") == nullptr);
  QVERIFY(find_code(mission.diagnostics, "SOL002") != nullptr);
}

void TestMeasureKinds::only_models_with_groups_are_split() {
  RepairedUnit u("10 h");
  u.m.measure("down", "probability_at", "in(unit.Down)");
  const ResultSet r = solved(u.m.document(), {.replications = 100});
  QVERIFY(r.split.empty() && !r.measure("down")->shares);
}

void TestMeasureKinds::labels_come_from_the_groups() {
  const auto shown = [](Value group) {
    ModelBuilder m;
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up);
    c.transition(up, down, "ccf(x)", "", "", {{"role", "failure"}});
    const ElementId unit = m.component("unit", "Unit", "3");
    m.group("G", "x", std::move(group), {unit});
    m.measure("down", "probability_at", "count(unit[*].Down) >= 2");
    const ResultSet r = solved(m.document(), {.replications = 100});
    std::string out;
    for (const SplitPart part : r.split.shown()) out += r.split.parts[part].label + ";";
    // Shares keep their names whatever their labels are.
    return r.measure("down")->shares->contains("non_lethal") ? out : std::string("no share");
  };
  QCOMPARE(shown({{"model", "bfr"}, {"mu", "1e-3 /h"}, {"rho", "0.5"}, {"omega", "1e-4 /h"}}),
           std::string("independent;non-lethal;lethal;"));
  QCOMPARE(shown({{"model", "bfr"}, {"mu", "1e-3 /h"}, {"rho", "0.5"}, {"omega", "0 /h"}}),
           std::string("independent;non-lethal;"));
  // A beta group has no failures of two of three.
  QCOMPARE(shown({{"model", "beta"}, {"total", "1e-2 /h"}, {"beta", "0.1"}}),
           std::string("independent;shared by all;"));
  QCOMPARE(shown({{"model", "mgl"}, {"total", "1e-2 /h"}, {"mgl", "[0.1, 0.5]"}}),
           std::string("independent;shared by some;shared by all;"));
}

QTEST_APPLESS_MAIN(TestMeasureKinds)
#include "tst_measure_kinds.moc"
