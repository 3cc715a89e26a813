#include <QtTest>
#include <cmath>

#include "solvers/model/analysis_model.h"
#include "solvers/simulation/model_history.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A chain of births and deaths drawn as a chart: n is 0 ... 10, births at 0.6 /h, deaths at 1 /h.
struct BirthsAndDeaths {
  static constexpr double birth = 0.6, death = 1.0;
  static constexpr int most = 10;
  ModelBuilder m;
  BirthsAndDeaths(const std::string& horizon, const std::string& renewal) : m(horizon) {
    ChartBuilder c(m, "Chain");
    c.variable("n", "integer", "0");
    const ElementId on = c.state("On");
    c.initial(on);
    const Value internal = {{"type", "internal"}};
    c.transition(on, on, "rate(0.6 /h)", "n < 10", "n := n + 1", internal);
    c.transition(on, on, "rate(1 /h)", "n > 0", "n := n - 1", internal);
    m.component("chain", "Chain");
    m.measure("mean", "regenerative_mean", "chain.n", {{"renewal", renewal}});
  }
  /// The mean of its stationary distribution, which is geometric and cut off.
  static double exact() {
    double sum = 0.0, weighted = 0.0, p = 1.0;
    for (int n = 0; n <= most; ++n, p *= birth / death) sum += p, weighted += n * p;
    return weighted / sum;
  }
};

/// Writes down when n took which value.
struct Path {
  std::vector<double> times, values;
  const ModelHistory& history;
  std::uint32_t slot;
  explicit Path(const ModelHistory& h, std::uint32_t s) : history(h), slot(s) {}
  void until(double) { note(); }
  template <class Flow>
  void follow(double, double, Flow&&) {}
  void note() {
    const double now = history.world().now(), n = history.world().slots()[slot];
    if (!values.empty() && values.back() == n) return;
    times.push_back(now), values.push_back(n);
  }
};

}  // namespace

class TestRegenerative : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cycles_by_hand_are_those_of_the_run();
  void cycles_of_a_plain_program_give_the_same_estimate();
  void ninety_five_of_a_hundred_intervals_hold_the_mean();
  void the_limit_solver_answers_it();
  void few_cycles_are_said();
  void a_condition_that_cannot_become_true_is_refused();
};

void TestRegenerative::cycles_by_hand_are_those_of_the_run() {
  // Up for 2 h, in which the level rises from 0 by 1 /h, and down for 1 h; up begins again at 3, 6, ..., 30 h.
  ModelBuilder m("30.5 h");
  ChartBuilder c(m, "Unit");
  c.variable("level", "real", "0");
  const ElementId up = c.state("Up"), down = c.state("Down");
  m.set(up, "flow", "level := 1 /h");
  c.initial(up);
  c.transition(up, down, "after(2 h)"), c.transition(down, up, "after(1 h)", "", "level := 0");
  m.component("unit", "Unit");
  m.measure("up", "regenerative_mean", "in(unit.Up)", {{"renewal", "in(unit.Up)"}});
  m.measure("level", "regenerative_mean", "unit.level", {{"renewal", "in(unit.Up)"}});
  m.measure("late", "regenerative_mean", "in(unit.Up)", {{"renewal", "unit.level >= 1"}});
  const ResultSet r = solved(m.document(), {.replications = 2});
  for (const auto& [name, exact, cycles] :
       {std::tuple{"up", 2.0 / 3.0, 18U}, std::tuple{"level", 4.0 / 3.0, 18U}, std::tuple{"late", 2.0 / 3.0, 18U}}) {
    const MeasureResult& found = *r.measure(name);
    QCOMPARE(found.replications, std::uint64_t{cycles});
    QVERIFY2(std::fabs(found.estimate - exact) < 1e-7, qPrintable(QString::number(found.estimate, 'g', 15)));
    // Cycles are alike: the ends are as far as integration may be off.
    QVERIFY(std::fabs(found.lower - exact) < 3e-6 && std::fabs(found.upper - exact) < 3e-6);
    QCOMPARE(found.method, std::string("regenerative"));
  }
}

void TestRegenerative::cycles_of_a_plain_program_give_the_same_estimate() {
  constexpr double horizon = 3000.0 * hour;
  constexpr std::uint64_t replications = 3, seed = 77;
  const BirthsAndDeaths chain("3000 h", "chain.n == 0");
  const ResultSet r = solved(chain.m.document(), {.seed = seed, .replications = replications});
  Diagnostics problems;
  const auto model = build_model(chain.m.document(), {}, "", problems);
  QVERIFY2(model != nullptr, listed(problems).c_str());
  const CcfProgram groups(*model);
  ModelHistory history(*model, groups, seed);
  std::vector<std::pair<double, double>> cycles;  // earned, length
  for (std::uint64_t replication = 0; replication < replications; ++replication) {
    Path path(history, model->measures[0].program.slots().front());
    history.start(replication);
    while (history.step(horizon, path)) {
    }
    path.note();
    double begun = -1.0, area = 0.0;
    for (std::size_t i = 1; i < path.times.size(); ++i) {
      area += path.values[i - 1] * (path.times[i] - path.times[i - 1]);
      if (path.values[i] != 0.0) continue;
      if (begun >= 0.0) cycles.emplace_back(area, path.times[i] - begun);
      begun = path.times[i], area = 0.0;
    }
  }
  double earned = 0.0, length = 0.0, squares = 0.0;
  for (const auto& [x, y] : cycles) earned += x, length += y;
  const double mean = earned / length, n = static_cast<double>(cycles.size());
  for (const auto& [x, y] : cycles) squares += (x - mean * y) * (x - mean * y);
  const MeasureResult& found = *r.measure("mean");
  QVERIFY(cycles.size() > 1000);
  QCOMPARE(found.replications, std::uint64_t{cycles.size()});
  QVERIFY(std::fabs(found.estimate / mean - 1.0) < 1e-12);
  QVERIFY(std::fabs(found.standard_error / (std::sqrt(squares / (n - 1.0) / n) / (length / n)) - 1.0) < 1e-9);
}

// Of 400 intervals at 95 % 368 to 392 hold what they are meant to: 92 to 98 %.
void TestRegenerative::ninety_five_of_a_hundred_intervals_hold_the_mean() {
  const BirthsAndDeaths chain("10000 h", "chain.n == 0");
  const double exact = BirthsAndDeaths::exact();
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const ResultSet r = solved(chain.m.document(), {.seed = seed, .replications = 1});
    const MeasureResult& found = *r.measure("mean");
    inside += found.lower <= exact && exact <= found.upper ? 1 : 0;
    QVERIFY(find_code(r.diagnostics, "RUN034") == nullptr);
  }
  QVERIFY2(inside >= 368 && inside <= 392, qPrintable(QString::number(inside)));
}

void TestRegenerative::the_limit_solver_answers_it() {
  const BirthsAndDeaths chain("100 h", "chain.n == 0");
  const ResultSet limit = solved(chain.m.document(), {.solver = "ctmc-steady-state"});
  QVERIFY(std::fabs(estimate(limit, "mean") / BirthsAndDeaths::exact() - 1.0) < 1e-9);
  const ResultSet mission = solved(chain.m.document(), {.solver = "ctmc-transient"});
  const Diagnostic* why = find_code(mission.diagnostics, "SOL002");
  QVERIFY(why != nullptr && why->message.find("it asks for the long run") != std::string::npos);
  QVERIFY(mission.measure("mean") == nullptr);
}

void TestRegenerative::few_cycles_are_said() {
  const BirthsAndDeaths rare("300 h", "chain.n == 0"), never("1e-4 h", "chain.n == 9");
  const ResultSet few = solved(rare.m.document(), {.replications = 2}),
                  none = solved(never.m.document(), {.replications = 2});
  QVERIFY(find_code(few.diagnostics, "RUN034") != nullptr);
  QVERIFY(find_code(none.diagnostics, "RUN034") != nullptr);
  QCOMPARE(none.measure("mean")->not_available, std::string("no cycle was completed"));
}

void TestRegenerative::a_condition_that_cannot_become_true_is_refused() {
  const auto problem = [](const std::string& renewal) {
    Diagnostics problems;
    build_model(BirthsAndDeaths("10 h", renewal).m.document(), {}, "", problems);
    return codes(problems);
  };
  QCOMPARE(problem("chain.n == 0"), std::string());
  QCOMPARE(problem("count(chain.On) == 2"), std::string("MEA012"));
  QCOMPARE(problem("count(chain.On) >= 0"), std::string("MEA012"));
  QCOMPARE(problem(""), std::string("MEA012"));
  QCOMPARE(problem("chain.n"), std::string("MEA012"));
}

QTEST_APPLESS_MAIN(TestRegenerative)
#include "tst_regenerative.moc"
