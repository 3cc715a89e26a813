
#include "solvers/markov/modular_run.h"
#include "solvers/markov/relevance.h"
#include "solvers/reliability/galileo/galileo.h"
#include "tests/support/plain_fault_tree.h"

// After the engine: Qt's keywords are macros.
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

Document imported_modules(const std::string& text) {
  ReadOutcome read = import_galileo(text, "tree");
  if (!read.document) throw std::runtime_error(listed(read.diagnostics));
  return std::move(*read.document);
}

RunRequest by(const char* mission) { return {.solver = "ctmc-transient", .overrides = {{"mission_time", mission}}}; }

/// The answer by modules whatever the size of the whole; nothing when the model is not taken apart.
std::optional<ResultSet> by_modules(const Document& document, const RunRequest& request) {
  RunControl control;
  const Question question = Question::of(document, request);
  ChainRun run(*find_solver("ctmc-transient"), question, control);
  if (run.failed()) throw std::runtime_error("the run failed");
  const auto modules = find_modules(run.model());
  if (!modules) return std::nullopt;
  if (const auto why = solve_modules(run, *modules); !why || !why->empty()) throw std::runtime_error(why.value_or("?"));
  return run.take();
}

void compare(double found, double wanted, const std::string& what) {
  QVERIFY2(
      std::abs(found - wanted) <= 1e-9,
      qPrintable(QString("%1\nfound %2, wanted %3").arg(what.c_str()).arg(found, 0, 'g', 15).arg(wanted, 0, 'g', 15)));
}

}  // namespace

/// Oracle: a plain interpreter of dynamic fault trees (tests/support/plain_fault_tree.h), closed forms, and the whole
/// chain with nothing lumped or left out.
class TestModules : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rare_products_of_modules_have_narrow_intervals() {
    const Document tree = imported_modules(R"(toplevel "top";
"top" and "a" "b" "c" "d" "e";
"a" lambda=0.001;
"b" lambda=0.002;
"c" lambda=0.003;
"d" lambda=0.004;
"e" lambda=0.005;
)");
    const auto apart = by_modules(tree, by("0.01 h"));
    QVERIFY(apart);
    double exact = 1.0;
    for (const double rate : {1e-5, 2e-5, 3e-5, 4e-5, 5e-5}) exact *= -std::expm1(-rate);  // 1.2e-23
    compare_inside(*apart, "failed_by_end", exact);
    const MeasureResult& m = *apart->measure("failed_by_end");
    QVERIFY(m.upper - m.lower < 1e-9 * exact);
    // All fail within the time, the last one on average after 5/6 of it.
    const MeasureResult& time = *apart->measure("time_to_failure");
    QVERIFY(std::abs(time.estimate / (0.01 * 5 / 6) - 1) < 1e-4);
    QVERIFY(time.lower >= 0.0 && time.upper <= 0.01 && time.upper - time.lower < 1e-6 * time.estimate);
  }
  void random_trees_pruned_lumped_and_taken_apart_have_the_plain_probability() {
    std::mt19937 random(20240608);
    int modular = 0, pruned = 0, lumped = 0, trees = 0;
    for (int k = 0; k < 2000; ++k) {
      const PlainTree tree = random_tree(random, 3 + k % 6, 1 + k % 5);
      const std::string text = tree.text();
      const double wanted = tree.probability_by(0.7);
      const Document document = imported_modules(text);
      RunRequest request = by("0.7 h");
      const ResultSet short_way = solved(document, request);
      compare(estimate(short_way, "failed_by_end"), wanted, text);
      if (const auto apart = by_modules(document, request)) {
        compare(estimate(*apart, "failed_by_end"), wanted, text);
        if (wanted > 1e-6)
          QVERIFY2(std::abs(estimate(*apart, "time_to_failure") - estimate(short_way, "time_to_failure")) < 1e-8,
                   text.c_str());
        ++modular;
      }
      if (k % 10 == 0) {
        request.options["lumping"] = "off";
        const ResultSet whole = solved(document, request);
        compare(estimate(whole, "failed_by_end"), wanted, text);
        pruned +=
            std::stol(whole.provenance.options.at("states")) > std::stol(short_way.provenance.options.at("states"));
      }
      lumped += short_way.provenance.options.at("lumping") != "nothing to lump";
      ++trees;
      if (QTest::currentTestFailed()) return;
    }
    QCOMPARE(trees, 2000);
    QVERIFY2(modular > 200 && pruned > 50 && lumped > 100,
             qPrintable(QString("%1 modular, %2 pruned, %3 lumped").arg(modular).arg(pruned).arg(lumped)));
  }
  void a_static_tree_of_sixty_events_has_its_closed_form() {
    // 20 independent triples, two of three each; the top fails when 5 of the 20 have. Rates differ by triple.
    std::string text = "toplevel T; T 5of20";
    for (int g = 0; g < 20; ++g) text += " G" + std::to_string(g);
    text += ";";
    std::vector<double> fails = {1.0};  // by number of triples failed
    for (int g = 0; g < 20; ++g) {
      const std::string n = std::to_string(g);
      text += " G" + n + " 2of3 A" + n + " B" + n + " C" + n + ";";
      const double rate = 0.02 * (g + 1), p = -std::expm1(-rate * 0.7), q = 3 * p * p - 2 * p * p * p;
      for (const char* e : {"A", "B", "C"}) text += std::string(e) + n + " lambda=" + std::to_string(rate) + ";";
      fails.push_back(0.0);
      for (std::size_t k = fails.size() - 1; k > 0; --k) fails[k] = fails[k] * (1 - q) + fails[k - 1] * q;
      fails[0] *= 1 - q;
    }
    double wanted = 0.0;
    for (std::size_t k = 5; k < fails.size(); ++k) wanted += fails[k];
    const Document document = imported_modules(text);
    const ResultSet results = solved(document, by("0.7 h"));
    const double found = estimate(results, "failed_by_end");
    QVERIFY2(std::abs(found - wanted) < 1e-9 * wanted, qPrintable(QString("%1 %2").arg(found).arg(wanted)));
    QCOMPARE(results.provenance.options.at("modules"), std::string("60"));
    const MeasureResult& answer = *results.measure("failed_by_end");
    QVERIFY(answer.upper - answer.lower < 1e-9 * wanted && answer.lower <= wanted && wanted <= answer.upper);
  }
  void dynamic_modules_under_a_static_top_are_solved_apart() {
    // Seven cold standby pairs, all different: each fails by t with 1 - exp(-a t) - a (exp(-a t) - exp(-b t)) / (b -
    // a).
    std::string text = "toplevel T; T and";
    for (int g = 0; g < 7; ++g) text += " S" + std::to_string(g);
    text += ";";
    double wanted = 1.0;
    const double t = 2.0;
    for (int g = 0; g < 7; ++g) {
      const std::string n = std::to_string(g);
      const double a = 0.5 + 0.1 * g, b = 2.0 + 0.1 * g;
      text += " S" + n + " csp P" + n + " C" + n + "; P" + n + " lambda=" + std::to_string(a) + "; C" + n +
              " lambda=" + std::to_string(b) + " dorm=0;";
      wanted *= 1 - std::exp(-a * t) - a * (std::exp(-a * t) - std::exp(-b * t)) / (b - a);
    }
    const Document document = imported_modules(text);
    const auto apart = by_modules(document, by("2 h"));
    QVERIFY(apart.has_value());
    QCOMPARE(apart->provenance.options.at("modules"), std::string("7"));
    QVERIFY(std::abs(estimate(*apart, "failed_by_end") - wanted) < 1e-10 * wanted + 1e-13);
  }
  void alike_inputs_of_a_gate_are_counted() {
    // Fails when 7 of 14 units have failed before X does: integral over the time of X, by Simpson's rule.
    std::string text = "toplevel T; T pand G X; X lambda=0.8; G 7of14", events;
    for (int e = 0; e < 14; ++e) text += " A" + std::to_string(e), events += "A" + std::to_string(e) + " lambda=1.1;";
    const auto seven_by = [](double t) {
      const double p = -std::expm1(-1.1 * t);
      double sum = 0.0;
      for (int k = 7; k <= 14; ++k)
        sum += std::tgamma(15) / std::tgamma(k + 1) / std::tgamma(15 - k) * std::pow(p, k) * std::pow(1 - p, 14 - k);
      return sum;
    };
    double wanted = 0.0;
    const int steps = 2000;
    for (int i = 0; i <= steps; ++i) {
      const double t = 1.5 * i / steps, weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
      wanted += weight * 1.5 / steps / 3 * 0.8 * std::exp(-0.8 * t) * seven_by(t);
    }
    const ResultSet results = solved(imported_modules(text + ";" + events), by("1.5 h"));
    compare(estimate(results, "failed_by_end"), wanted, text);
    QVERIFY2(std::stol(results.provenance.options.at("states")) < 40, results.provenance.options.at("states").c_str());
  }
  void a_long_chain_of_gates_comes_apart_without_deep_calls_and_in_proportion() {
    constexpr int gates = 20000;
    std::string text = "toplevel G0;";
    for (int i = 0; i < gates; ++i) {
      const std::string n = std::to_string(i);
      text +=
          "G" + n + " or E" + n + (i + 1 < gates ? " G" + std::to_string(i + 1) : " L") + "; E" + n + " lambda=1e-6;";
    }
    const Document document = imported_modules(text + "L lambda=1e-6;");
    Diagnostics problems;
    const auto model = build_model(document, by("1 h"), "", problems);
    QVERIFY(model != nullptr);
    const auto modules = find_modules(*model);
    const Relevance relevance(*model, {});
    QVERIFY(modules.has_value());
    QCOMPARE(modules->modules.size(), std::size_t{gates + 1});
    // One node for each event: the first of the chain is asked first.
    QCOMPARE(modules->diagram.first_variable(modules->functions[0]), 0U);
  }

  void as_many_modules_as_gates_are_put_together_without_deep_calls() {
    // Pairs, so that no module is a single event of the next.
    std::string text = "toplevel G0;";
    constexpr int gates = 150;
    for (int i = 0; i < gates; ++i) {
      const std::string n = std::to_string(i);
      text += "G" + n + " or P" + n + (i + 1 < gates ? " G" + std::to_string(i + 1) : " L") + "; P" + n + " and A" + n +
              " B" + n + "; A" + n + " lambda=0.01; B" + n + " lambda=0.02;";
    }
    const auto apart = by_modules(imported_modules(text + "L lambda=0.001;"), by("1 h"));
    QVERIFY(apart.has_value());
    const double pair = std::expm1(-0.01) * std::expm1(-0.02);
    compare(estimate(*apart, "failed_by_end"), 1.0 - std::pow(1.0 - pair, gates) * std::exp(-0.001), "chain of pairs");
  }

  void gates_in_a_circle_are_solved_whole() {
    Document document = imported_modules(
        "toplevel T; T and G H; G or A B; H or C D; A lambda=0.1; B lambda=0.2; C lambda=0.3; "
        "D lambda=0.4;");
    for (std::size_t i = 0; i < document.elements().size(); ++i) {
      Element edge = document.elements()[i];
      const std::string trigger = edge.text("trigger");
      if (trigger == "when(A.Failed or B.Failed)")
        edge.properties["trigger"] = "when(A.Failed or B.Failed or H.Failed)";
      else if (trigger == "when(C.Failed or D.Failed)")
        edge.properties["trigger"] = "when(C.Failed or D.Failed or G.Failed)";
      else continue;
      document.replace(i, edge);
    }
    QVERIFY(!by_modules(document, by("1 h")));
    compare(estimate(solved(document, by("1 h")), "failed_by_end"), -std::expm1(-1.0), "circle");
  }

  void a_companion_estimates_what_its_modules_cost() {
    std::string text = "toplevel T; T or";
    for (int i = 0; i < 400; ++i) text += " G" + std::to_string(i);
    text += ";";
    for (int i = 0; i < 400; ++i) {
      const std::string n = std::to_string(i);
      text += "G" + n + " and A" + n + " B" + n + "; A" + n + " lambda=0.01; B" + n + " lambda=0.02;";
    }
    RunControl control;
    control.limits.time_s = 3.0;
    const ResultSet refused = find_solver("ctmc-transient")->solve(imported_modules(text), by("1 h"), control);
    QCOMPARE(refused.status, RunStatus::failed);
    const Diagnostic& why = refused.diagnostics.back();
    QCOMPARE(why.code, std::string("MKV022"));
    QVERIFY2(why.message.find("modules") != std::string::npos, why.message.c_str());
  }

  void what_does_not_come_apart_is_left_whole() {
    QVERIFY(!by_modules(imported_modules("toplevel T; T pand A B; A lambda=1; B lambda=2;"), by("1 h")).has_value());
    QVERIFY(!by_modules(imported_modules("toplevel T; T and A B; F fdep A B; A lambda=1; B lambda=2;"), by("1 h"))
                 .has_value());
    // An answer that asks how often, or of a state that is left again.
    QVERIFY(!by_modules(example("04_repairable_system"), {.solver = "ctmc-transient"}).has_value());
  }
};

QTEST_GUILESS_MAIN(TestModules)
#include "tst_modules.moc"
