#include "solvers/markov/cvode_transient.h"
#include "solvers/markov/long_run.h"
#include "solvers/markov/poisson_weights.h"
#include "solvers/markov/state_reduction.h"
#include "solvers/markov/state_space.h"
#include "solvers/markov/uniformisation.h"
#include "tests/support/model_builder.h"

// After the engine: Qt's keywords are macros.
#include "tests/solvers/markov/chain_check.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr Limits of_a_companion = {.time_s = 3.0, .bytes = 256000000};

/// The complaint of something that costs too much; empty when it did not.
Diagnostic complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const OverBudget& cost) {
    return cost.diagnostic;
  }
  return {};
}

SparseGenerator component(double up, double down) {
  return chain(2, [&](std::uint32_t s) { return std::vector<RateEntry>{{1 - s, s == 0 ? up : down}}; });
}

TransientAnswer answer_at(const SparseGenerator& g, const std::vector<double>& times, const Budget& budget) {
  const std::vector<double> initial = starts_in(g.size());
  std::vector<double> reward(g.size(), 0.0);
  reward.back() = 1.0;
  TransientQuestion q;
  q.initial = initial, q.rewards = {reward}, q.times_s = times, q.budget = budget;
  return solve_transient(g, g.incoming(), q);
}

Budget companion() { return Budget({}, of_a_companion); }

ResultSet answered(const Document& document, const char* solver, const Limits& limits, const std::string& method = {}) {
  RunControl control;
  control.limits = limits;
  return find_solver(solver)->solve(document, {.solver = solver, .options = {{"method", method}}}, control);
}

}  // namespace

/// Without budgets most of these would take hours or all memory: that they end is what they show.
class TestBudgets : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void poisson_weights_of_enormous_means_are_refused() {
    for (const double mean : {2e10, 1e17, 1e300, std::numeric_limits<double>::infinity()})
      QVERIFY_THROWS_EXCEPTION(std::domain_error, poisson_window(mean, 1e-12));
    QVERIFY(poisson_window(most_poisson_mean, 1e-12).weights.size() < 2000000);
  }
  void work_is_counted_by_all_copies_and_not_timed() {
    const Budget budget({}, {.operations = 1000.0});
    const Budget copy = budget;
    budget.spend(600.0);
    QCOMPARE(copy.operations(), 400.0);
    copy.spend(400.0);
    const Diagnostic d = complaint([&] { budget.spend(1.0); });
    QCOMPARE(d.code, std::string("RUN003"));
    QVERIFY2(d.message.find("1e+03 operations") != std::string::npos ||
                 d.message.find("1000 operations") != std::string::npos,
             d.message.c_str());
    Budget().spend(1e300);  // nobody counts
  }
  void bounds_of_a_poisson_variable_hold_its_window() {
    for (const double mean : {0.0, 0.3, 7.0, 1e3, 1e6, 1e9}) {
      const PoissonWindow w = poisson_window(mean, 1e-12);
      // The window is cut by the weight at its mode, which is about one over the square root of the mean.
      const double beyond = 1e-13 / std::sqrt(6.3 * (mean + 1.0));
      QVERIFY(static_cast<double>(w.right()) <= poisson_end(mean, beyond) + 5.0);
      QVERIFY(static_cast<double>(w.left) >= poisson_begin(mean, beyond) - 5.0);
    }
    QVERIFY(std::isinf(poisson_end(std::numeric_limits<double>::infinity(), 1e-12)));
  }
  void a_stiff_chain_is_refused_with_its_estimate() {
    // In balance after a second, looked at for a million; its two states are left nine orders of magnitude apart.
    for (const auto& budget : {companion(), Budget()}) {
      const Diagnostic d = complaint([&] { answer_at(component(1e-5, 1e6), {1e10}, budget); });
      if (!d.code.empty()) QCOMPARE(d.code, std::string("MKV022"));
    }
    // Never in balance while anybody looks: a slow chain beside a fast one.
    const auto slow = chain(3, [](std::uint32_t s) {
      if (s == 0) return std::vector<RateEntry>{{1, 1e9}, {2, 1e-9}};
      return s == 1 ? std::vector<RateEntry>{{0, 2e9}} : std::vector<RateEntry>{};
    });
    for (const auto& budget : {companion(), Budget()}) {
      const Diagnostic d = complaint([&] { answer_at(slow, {1e8}, budget); });
      QCOMPARE(d.code, std::string("MKV022"));
      QVERIFY2(d.message.find("1e+17") != std::string::npos || d.message.find("2e+17") != std::string::npos,
               d.message.c_str());
      QVERIFY2(d.message.find("allowed") != std::string::npos, d.message.c_str());
    }
  }
  // By hand: a thousand million products are fewer than any chain may have, and more than a million operations or two
  // megabytes are enough for.
  void only_limits_that_are_exceeded_are_named() {
    const auto slow = chain(3, [](std::uint32_t s) {
      if (s == 0) return std::vector<RateEntry>{{1, 1e3}, {2, 1e-9}};
      return s == 1 ? std::vector<RateEntry>{{0, 2e3}} : std::vector<RateEntry>{};
    });
    const auto message = [&](double t, const Limits& limits) {
      return complaint([&] { answer_at(slow, {t}, Budget({}, limits)); }).message;
    };
    const auto names = [](const std::string& text) {
      std::string out;
      for (const char* what : {"products; allowed", "operations; allowed", "of memory; allowed"})
        if (text.find(what) != std::string::npos) out += std::string(what).substr(0, 2);
      return out;
    };
    QCOMPARE(names(message(5e5, {.operations = 1e6})), std::string("op"));
    QCOMPARE(names(message(5e5, {.bytes = 2000000})), std::string("of"));
    QCOMPARE(names(message(5e5, {.bytes = 2000000, .operations = 1e6})), std::string("opof"));
    QCOMPARE(names(message(1e9, {.bytes = 1000000000000})), std::string("pr"));
  }
  void a_chain_that_comes_to_rest_at_once_is_answered_whatever_the_time() {
    const double up = 1e15, down = 1e12;
    for (const double t : {1e-3, 1.0, 1e9}) {
      const auto got = answer_at(component(up, down), {t / 2, t}, companion());
      compare_within(got.at[0][1], up / (up + down), 1e-12);
      compare_within(got.integral[0][1], up / (up + down) * t, 1e-9);
      QVERIFY(got.steady);
    }
  }
  void rates_whose_sum_is_infinite_are_refused() {
    const auto g = chain(3, [](std::uint32_t s) {
      return s == 0 ? std::vector<RateEntry>{{1, 1.5e308}, {2, 1.5e308}} : std::vector<RateEntry>{{0, 1.0}};
    });
    QCOMPARE(complaint([&] { answer_at(g, {1.0}, Budget()); }).code, std::string("MKV022"));
  }
  void elimination_keeps_its_memory() {
    // A random sparse graph fills almost completely.
    std::mt19937 random(7);
    const std::uint32_t n = 6000;
    const auto g = chain(n, [&](std::uint32_t s) {
      std::vector<RateEntry> row = {{(s + 1) % n, 1.0}};
      for (int k = 0; k < 4; ++k) row.push_back({static_cast<std::uint32_t>(random() % n), 1.0});
      return row;
    });
    const Diagnostic d = complaint([&] { reduce_states(g, Budget({}, {.bytes = 20000000})); });
    QCOMPARE(d.code, std::string("MKV022"));
    QVERIFY2(d.message.find("allowed: 20 MB") != std::string::npos, d.message.c_str());
    QCOMPARE(complaint([&] { reduce_states(g, Budget({}, {.time_s = 0.2})); }).code, std::string("RUN003"));
    const std::vector<double> initial = starts_in(n);
    QCOMPARE(complaint([&] {
               solve_long_run(
                   g, initial,
                   {.method = LinearMethod::iterative, .error = 1e-300, .budget = Budget({}, {.time_s = 0.2})});
             }).code,
             std::string("RUN003"));
  }
  void factors_are_weighed_before_they_are_made() {
    std::mt19937 random(7);
    const std::uint32_t n = 6000;
    const auto g = chain(n, [&](std::uint32_t s) {
      std::vector<RateEntry> row = {{(s + 1) % n, 1.0}};
      for (int k = 0; k < 4; ++k) row.push_back({static_cast<std::uint32_t>(random() % n), 1.0});
      return row;
    });
    const std::vector<double> initial = starts_in(n), times = {1.0};
    TransientQuestion q;
    q.initial = initial, q.times_s = times, q.budget = companion();
    const Diagnostic d = complaint([&] { solve_transient_cvode(g, q); });
    QCOMPARE(d.code, std::string("MKV022"));
  }
  void generation_ends_with_memory_or_time() {
    ModelBuilder m("1000 h");
    ChartBuilder c(m, "Queue");
    c.variable("n", "integer", "0");
    const ElementId s = c.state("S");
    c.initial(s);
    c.transition(s, s, "rate(1 /h)", "", "n := n + 1");
    m.component("Q", "Queue");
    m.measure("many", "probability_at", "Q.n > 5");
    const ResultSet memory = answered(m.document(), "ctmc-transient", {.bytes = 1000000});
    QVERIFY(memory.status == RunStatus::failed);
    QCOMPARE(codes(memory.diagnostics), std::string("MKV010"));
    QVERIFY2(memory.stop_reason.find("allowed: 1 MB") != std::string::npos, memory.stop_reason.c_str());
    const ResultSet time = answered(m.document(), "ctmc-steady-state", {.time_s = 0.02});
    QVERIFY(time.status == RunStatus::failed);
    QCOMPARE(codes(time.diagnostics), std::string("RUN003"));
  }
  void outcomes_of_one_moment_are_polled() {
    // Forty coins at the beginning: 2^40 outcomes before the first state is known.
    ModelBuilder m("1000 h");
    ChartBuilder c(m, "Coin");
    const ElementId head = c.state("Head"), tail = c.state("Tail");
    const ElementId choice = c.choice();
    c.initial(choice);
    c.transition(choice, head, "p(0.5)");
    c.transition(choice, tail, "p(0.5)");
    c.transition(head, tail, "rate(1 /h)");
    for (int i = 0; i < 40; ++i) m.component("c" + std::to_string(i), "Coin");
    m.measure("tails", "probability_at", "c0.Tail");
    const ResultSet out = answered(m.document(), "ctmc-steady-state", {.time_s = 0.3});
    QVERIFY(out.status == RunStatus::failed);
    QVERIFY2(codes(out.diagnostics) == "RUN003", listed(out.diagnostics).c_str());
  }
};

QTEST_APPLESS_MAIN(TestBudgets)
#include "tst_budgets.moc"
