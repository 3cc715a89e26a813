// A notation that the program has never heard of moves in through public headers: what the hall promises, tried.
#include <QtTest>
#include <cmath>
#include <random>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/publish.h"
#include "app/session/stepper.h"
#include "core/results/result_json.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"
#include "tests/support/token_bucket.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string bits(const ResultSet& results) {
  Value json = to_json(results);
  json["run"].erase("made"), json["run"].erase("run_id");
  return json.dump();
}

/// One source and one bucket.
struct Tank {
  ModelBuilder m{"2 h"};
  ElementId diagram = m.diagram("Tokens", "tokens");
  ElementId source, tank, pipe;
  explicit Tank(const std::string& rate, const std::string& capacity = "5", const std::string& empty_when = "") {
    source = m.node(diagram, {}, "token_source", {{"name", "feed"}, {"rate", rate}});
    tank = m.node(diagram, {}, "token_bucket",
                  {{"name", "tank"}, {"capacity", capacity}, {"overflow_event", "spill"}, {"empty_when", empty_when}});
    pipe = m.edge(diagram, "token_pipe", source, tank);
    m.measure("level", "final_value", "tank.level");
    m.measure("spilt", "final_value", "tank.spilt");
    m.measure("high", "probability_at", "tank.level >= 4", {{"curve", 0}});
    m.measure("was_high", "probability_by", "tank.level >= 4", {{"curve", 0}});
  }
};

/// A pump that feeds the tank, somebody who drains it, and somebody who counts what is spilt.
struct Plant : Tank {
  Plant() : Tank("in(pump.Up) ? 6 /h : 1 /h", "5", "in(guard.Draining)") {
    ChartBuilder pump(m, "Pump");
    const ElementId up = pump.state("Up"), down = pump.state("Down");
    pump.initial(up);
    pump.transition(up, down, "rate(1 /h)", "", "", {{"role", "failure"}}), pump.transition(down, up, "rate(2 /h)");
    ChartBuilder guard(m, "Guard");
    const ElementId idle = guard.state("Idle"), coming = guard.state("Coming"), draining = guard.state("Draining");
    guard.initial(idle);
    guard.transition(idle, coming, "", "tank.level >= 3"), guard.transition(coming, draining, "after(0.5 h)");
    guard.transition(draining, idle, "after(0.1 h)");
    ChartBuilder clerk(m, "Clerk");
    clerk.variable("n", "integer");
    const ElementId counting = clerk.state("Counting");
    clerk.initial(counting), clerk.transition(counting, counting, "spill", "", "n := n + 1");
    m.component("pump", "Pump"), m.component("guard", "Guard"), m.component("clerk", "Clerk");
    m.measure("agree", "probability_at", "clerk.n == tank.spilt", {{"curve", 0}});
    m.measure("spills", "count", "", {{"event", "spill"}});
  }
};

/// The plant, written from its definition.
struct PlainPlant {
  std::mt19937_64 random{20260722};
  double level = 0, spilt = 0;
  bool was_high = false;
  double wait(double rate) { return std::exponential_distribution<double>(rate)(random); }
  void replicate() {
    const double never = 1e9;
    bool up = true;
    level = spilt = 0, was_high = false;
    int guard = 0;
    double guard_at = never, pump_at = wait(1), token_at = wait(6);
    for (;;) {
      const double now = std::min({guard_at, pump_at, token_at});
      if (now > 2.0) return;
      if (now == pump_at) {
        up = !up;
        pump_at = now + wait(up ? 1 : 2);
        token_at = now + wait(up ? 6 : 1);
      } else if (now == token_at) {
        if (level < 5) ++level;
        else ++spilt;
        was_high = was_high || level >= 4;
        token_at = now + wait(up ? 6 : 1);
      } else {
        guard = guard == 1 ? 2 : 0;
        if (guard == 2) level = 0, guard_at = now + 0.1;
        else guard_at = never;
      }
      if (guard == 0 && level >= 3) guard = 1, guard_at = now + 0.5;
    }
  }
};

double poisson(double mean, int k) { return std::exp(-mean + k * std::log(mean) - std::lgamma(k + 1.0)); }

}  // namespace

/// Comparisons with exact values ask for 99.9 % intervals at fixed seeds: 14 of them, a fresh seed fails once in 70.
class TestForeignNotation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_notation(token_bucket_notation()); }

  void a_model_without_any_chart_runs() {
    const Tank tank("3 /h");
    const ResultSet results = solved(tank.m.document(), {.replications = 40000, .confidence = 0.999});
    double level = 5, spilt = 0, high = 1;
    for (int k = 0; k < 60; ++k) {
      const double p = poisson(6.0, k);
      if (k < 5) level -= (5 - k) * p;
      else spilt += (k - 5) * p;
      if (k < 4) high -= p;
    }
    compare_inside(results, "level", level);
    compare_inside(results, "spilt", spilt);
    compare_inside(results, "high", high);
    compare_inside(results, "was_high", high);
  }

  void what_tokens_find_is_measured() {
    Tank tank("3 /h");
    const auto ask = [&](const char* name, const char* type, Value more = Value::object()) {
      more["of"] = "tank.found";
      tank.m.measure(name, type, "", std::move(more));
    };
    ask("found", "observed_mean"), ask("highest", "observed_maximum"), ask("tokens", "observed_count");
    ask("lost", "observed_count", {{"class", "spilt"}});
    tank.m.measure("share_lost", "ratio", "", {{"of", "lost"}, {"per", "tokens"}});
    const ResultSet results = solved(tank.m.document(), {.replications = 40000, .confidence = 0.999});
    // The k-th token finds k tokens before it, or a full bucket.
    double sum = 0, lost = 0, highest = 0;
    for (int n = 0; n < 60; ++n) {
      const double p = poisson(6.0, n);
      for (int k = 0; k < n; ++k) sum += p * std::min(k, 5), lost += k < 5 ? 0 : p;
      highest += p * std::clamp(n - 1, 0, 5) / (1.0 - std::exp(-6.0));
    }
    compare_inside(results, "tokens", 6.0);
    compare_inside(results, "found", sum / 6.0);
    compare_inside(results, "highest", highest);
    compare_inside(results, "lost", lost);
    compare_inside(results, "share_lost", lost / 6.0);
    QCOMPARE(estimate(results, "lost"), estimate(results, "spilt"));
  }

  void charts_and_buckets_read_wake_and_tell_each_other_under_one_clock() {
    const Plant plant;
    const std::uint64_t n = 100000;
    const ResultSet results = solved(plant.m.document(), {.seed = 7, .replications = n});
    QCOMPARE(estimate(results, "agree"), 1.0);
    QCOMPARE(estimate(results, "spills"), estimate(results, "spilt"));
    PlainPlant plain;
    std::array<double, 4> sum{}, squares{};
    for (std::uint64_t i = 0; i < n; ++i) {
      plain.replicate();
      const std::array<double, 4> seen = {plain.level, plain.spilt, plain.level >= 4 ? 1.0 : 0.0,
                                          plain.was_high ? 1.0 : 0.0};
      for (std::size_t k = 0; k < 4; ++k) sum[k] += seen[k], squares[k] += seen[k] * seen[k];
    }
    std::size_t k = 0;
    for (const char* id : {"level", "spilt", "high", "was_high"}) {
      const double count = static_cast<double>(n), mean = sum[k] / count;
      const double error = std::sqrt(2.0 * (squares[k] / count - mean * mean) / count);
      QVERIFY2(std::abs(estimate(results, id) - mean) < 4.0 * error,
               qPrintable(QString("%1: %2, plain %3 +- %4").arg(id).arg(estimate(results, id)).arg(mean).arg(error)));
      ++k;
    }
  }

  void the_same_bits_at_any_number_of_threads() {
    const Plant plant;
    const std::string one = bits(solved(plant.m.document(), {.replications = 5000, .threads = 1}));
    QCOMPARE(bits(solved(plant.m.document(), {.replications = 5000, .threads = 3})), one);
    const Tank tank("3 /h");
    // What happens in the bucket alone is part of the fingerprint.
    const std::string first = solved(tank.m.document(), {.seed = 1, .replications = 10}).fingerprint;
    QVERIFY(solved(tank.m.document(), {.seed = 2, .replications = 10}).fingerprint != first);
  }

  void methods_for_rare_events_carry_it_along() {
    const Plant plant;
    const double wanted = estimate(solved(plant.m.document(), {.seed = 3, .replications = 200000}), "high");
    const ResultSet split = solved(plant.m.document(), {.seed = 4,
                                                        .replications = 200,
                                                        .confidence = 0.999,
                                                        .options = {{"variance-reduction", "splitting"},
                                                                    {"importance", "tank.level"},
                                                                    {"levels", "2, 4"},
                                                                    {"effort", "200"}}});
    compare_inside(split, "high", wanted);
    const ResultSet biased = solved(plant.m.document(), {.seed = 5,
                                                         .replications = 100000,
                                                         .confidence = 0.999,
                                                         .options = {{"variance-reduction", "failure-biasing"}}});
    compare_inside(biased, "high", wanted);
  }

  void exact_solvers_say_which_thing_prevents_them() {
    const Plant plant;
    for (const char* name : {"ctmc-transient", "ctmc-steady-state", "ccf-closed-form"}) {
      const Diagnostics reasons = find_solver(name)->fits(plant.m.document(), {.solver = name});
      const Diagnostic* found = find_code(reasons, "SOL004");
      QVERIFY2(found != nullptr, name);
      QCOMPARE(found->element, plant.tank);
    }
  }

  void its_own_defects_have_codes_and_places() {
    const auto first = [](const Document& document) {
      Diagnostics problems;
      build_model(document, {}, "", problems);
      return problems.empty() ? std::string() : problems.front().code + " " + problems.front().pointer;
    };
    QCOMPARE(first(Tank("3 /h", "0").m.document()), std::string("TOK002 capacity"));
    QCOMPARE(first(Tank("3 h").m.document()), std::string("EXP004 rate"));
    QCOMPARE(first(Tank("tank.lvl * 1 /h").m.document()), std::string("EXP002 rate"));
    Tank lost("3 /h");
    lost.m.add({.id = {},
                .section = Section::node,
                .kind = "token_source",
                .diagram = lost.diagram,
                .properties = {{"name", "loose"}, {"rate", "1 /h"}}});
    QCOMPARE(first(lost.m.document()), std::string("TOK003 "));
    // One name for a component and a bucket.
    Tank twice("3 /h");
    ChartBuilder chart(twice.m, "Unit");
    chart.initial(chart.state("Up"));
    twice.m.component("tank", "Unit");
    QCOMPARE(first(twice.m.document()), std::string("SYS001 name"));
  }

  void its_problems_are_found_by_the_check_with_their_path() {
    const Tank tank("3 /h", "0");
    const Diagnostics problems = check_model(tank.m.document(), {});
    const Diagnostic* own = find_code(problems, "TOK002");
    QVERIFY2(own != nullptr && own->severity == Severity::error, listed(problems).c_str());
    QCOMPARE(own->pointer, std::string("capacity"));
    QCOMPARE(tank.m.document().path(own->element), std::string("Tokens / tank"));
    // With a value by a parameter, in the scenario in which it is wrong.
    Tank by_scenario("3 /h", "room");
    by_scenario.m.parameter("room", "5", {{"type", "integer"}});
    by_scenario.m.scenario("cramped", "room = 0");
    const Diagnostics of_scenario = check_model(by_scenario.m.document(), {});
    own = find_code(of_scenario, "TOK002");
    QVERIFY2(own != nullptr && own->element == by_scenario.tank, listed(of_scenario).c_str());
    QVERIFY(own->message.starts_with("In scenario cramped: "));
  }

  void it_is_stepped_forwards_and_back() {
    const Plant plant;
    Diagnostics problems;
    const auto run = Stepper::begin(plant.m.document(), {.seed = 11}, problems);
    QVERIFY2(run != nullptr, listed(problems).c_str());
    const auto waiting = run->scheduled();
    QVERIFY(std::any_of(waiting.begin(), waiting.end(), [](const Waiting& w) { return w.who == "feed"; }));
    const auto level = [&] {
      for (const Stepper::Watched& one : run->variables())
        if (one.name == "tank.level") return one.value;
      return std::string("none");
    };
    QCOMPARE(level(), std::string("0"));
    QVERIFY(!run->active().contains(plant.tank));
    while (level() == "0" && !run->ended()) run->step();
    QCOMPARE(level(), std::string("1"));
    QCOMPARE(run->trace().back().who, std::string("tank"));
    QVERIFY(run->active().contains(plant.tank));
    run->step_back();
    QCOMPARE(level(), std::string("0"));
    for (int i = 0; i < 30; ++i) run->step();
    QVERIFY(run->replay(run->trace_json()).empty());
  }

  void it_is_reported_with_its_diagram_and_its_measures() {
    const Plant plant;
    const Question question(plant.m.document(), {.replications = 200});
    RunControl control;
    const ResultSet results = find_solver("simulation")->solve(question, control);
    const std::string report = make_report(question, results);
    for (const char* wanted : {"up to 5", "spilt", "was_high"})
      QVERIFY2(report.find(wanted) != std::string::npos, wanted);
    QVERIFY(!has_errors(check_model(question)));
  }

  void rates_that_are_none_and_circles_without_end_stop_the_run() {
    Tank bad("(1.5 - tank.level) * 1 /h");
    RunControl control;
    const ResultSet failed = find_solver("simulation")->solve(bad.m.document(), {.replications = 10}, control);
    QVERIFY(failed.status == RunStatus::failed);
    QVERIFY(find_code(failed.diagnostics, "RUN002") != nullptr);
  }
};

QTEST_GUILESS_MAIN(TestForeignNotation)
#include "tst_foreign_notation.moc"
