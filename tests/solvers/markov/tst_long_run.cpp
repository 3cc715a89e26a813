#include <random>

#include "solvers/markov/long_run.h"
#include "solvers/markov/state_reduction.h"
#include "tests/solvers/markov/chain_check.h"

using namespace ergode;
using namespace ergode::test;

class TestLongRun : public QObject {
  Q_OBJECT

  static LongRun long_run(const SparseGenerator& g, const std::vector<double>& initial, LinearMethod method) {
    auto out = solve_long_run(g, initial, {.method = method});
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<LongRun>(std::move(out));
  }
  static Absorption absorbed(const SparseGenerator& g, const std::vector<double>& initial,
                             const std::vector<StateRole>& roles, LinearMethod method) {
    auto out = solve_absorption(g, initial, roles, {.method = method});
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<Absorption>(std::move(out));
  }
  static constexpr LinearMethod both[] = {LinearMethod::direct, LinearMethod::iterative};

 private Q_SLOTS:
  void a_long_narrow_chain_is_solved_directly_whatever_its_size() {
    // Gauss-Seidel would need about as many sweeps as there are states, squared.
    const std::uint32_t n = 100000;
    const auto g = birth_death(
        n - 1, [](std::uint32_t) { return 1.0; }, [](std::uint32_t) { return 1.0; });
    const LongRun got = long_run(g, starts_in(n), LinearMethod::automatic);
    QVERIFY(got.report.used == LinearMethod::direct);
    for (const std::uint32_t i : {0U, 1U, 777U, n / 2, n - 1}) compare_within(got.distribution[i], 1.0 / n, 1e-9);
    // The same until it is absorbed: the time in state i of a symmetric walk from 0 that ends in n - 1.
    std::vector<StateRole> roles(n, StateRole::ordinary);
    roles[n - 1] = StateRole::target;
    const Absorption end = absorbed(g, starts_in(n), roles, LinearMethod::automatic);
    QVERIFY(end.report.used == LinearMethod::direct && end.certain);
    for (const std::uint32_t i : {0U, 777U, n / 2}) compare_within(end.time_s[i], n - 1.0 - i, 1e-9);
  }
  void a_chain_whose_end_is_next_to_never_reached_is_solved() {
    // 0.9^12000 is no number; whichever state is the last to be eliminated, the others have their shares.
    for (const double load : {0.9, 1.0 / 0.9}) {
      const std::uint32_t k = 12000;
      const auto g = birth_death(
          k, [load](std::uint32_t) { return load; }, [](std::uint32_t) { return 1.0; });
      const LongRun got = long_run(g, starts_in(k + 1), LinearMethod::direct);
      for (const std::uint32_t i : {0U, 5U, 300U, 4000U})
        compare_within(got.distribution[load < 1.0 ? i : k - i], 0.1 * std::pow(0.9, i), 1e-9);
      QVERIFY(got.distribution[load < 1.0 ? k : 0] == 0.0);
    }
  }
  void a_chain_that_fills_in_is_solved_iteratively() {
    const std::uint32_t side = 20, n = side * side * side;
    const auto g = chain(n, [](std::uint32_t s) {
      std::vector<RateEntry> row;
      const std::uint32_t at[3] = {s / (side * side), s / side % side, s % side}, step[3] = {side * side, side, 1};
      for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] > 0) row.push_back({s - step[axis], 1.0});
        if (at[axis] + 1 < side) row.push_back({s + step[axis], 0.5});
      }
      return row;
    });
    const LongRun got = long_run(g, starts_in(n), LinearMethod::automatic);
    QVERIFY(got.report.used == LinearMethod::iterative);
    const double low = (1.0 - 0.5) / (1.0 - std::pow(0.5, side));  // three independent walks
    compare_within(got.distribution[0], low * low * low, 1e-9);
  }
  void queue_with_k_places_has_the_closed_form() {
    const double load = 0.7;
    const std::uint32_t k = 40;
    const auto g = birth_death(
        k, [](std::uint32_t) { return 0.7; }, [](std::uint32_t) { return 1.0; });
    for (const LinearMethod method : both) {
      const LongRun got = long_run(g, starts_in(k + 1), method);
      for (std::uint32_t i = 0; i <= k; ++i)
        compare_within(got.distribution[i], (1 - load) * std::pow(load, i) / (1 - std::pow(load, k + 1.0)), 1e-9);
      QVERIFY(got.report.residual < 1e-12);
      QVERIFY(got.report.used == method);
    }
  }
  void machines_with_one_crew_have_the_closed_form() {
    // n components fail at rate a each, one crew repairs at rate b: pi_i ~ n! / (n - i)! (a / b)^i.
    const std::uint32_t n = 8;
    const double a = 1e-4, b = 0.5;
    const auto g = birth_death(
        n, [&](std::uint32_t i) { return (n - i) * a; }, [&](std::uint32_t) { return b; });
    std::vector<double> wanted(n + 1);
    double sum = 0.0;
    for (std::uint32_t i = 0; i <= n; ++i)
      sum += wanted[i] = std::exp(std::lgamma(n + 1.0) - std::lgamma(n - i + 1.0) + i * std::log(a / b));
    for (const LinearMethod method : both) {
      const LongRun got = long_run(g, starts_in(n + 1), method);
      // Down to 10^-25 with all digits.
      for (std::uint32_t i = 0; i <= n; ++i) compare_within(got.distribution[i], wanted[i] / sum, 1e-9);
    }
  }
  void direct_and_iterative_agree_on_random_chains() {
    std::mt19937 random(7);
    for (const std::size_t n : {5U, 60U, 700U}) {
      const auto g = chain(n, [&](std::uint32_t s) {
        std::vector<RateEntry> row = {{static_cast<std::uint32_t>((s + 1) % n), 1.0}};
        for (int i = 0; i < 4; ++i)
          row.push_back(
              {static_cast<std::uint32_t>(random() % n), std::exp(-0.012 * static_cast<double>(random() % 1000))});
        return row;
      });
      const auto one = long_run(g, starts_in(n), LinearMethod::direct),
                 other = long_run(g, starts_in(n), LinearMethod::iterative);
      for (std::size_t i = 0; i < n; ++i) compare_within(one.distribution[i], other.distribution[i], 1e-9);
      std::vector<StateRole> roles(n, StateRole::ordinary);
      roles[n / 2] = StateRole::target, roles[n - 1] = StateRole::forbidden;
      const auto a = absorbed(g, starts_in(n), roles, LinearMethod::direct),
                 b = absorbed(g, starts_in(n), roles, LinearMethod::iterative);
      compare_within(a.probability, b.probability, 1e-9);
      for (std::size_t i = 0; i < n; ++i) compare_within(a.time_s[i], b.time_s[i], 1e-9);
    }
  }
  void two_bottom_classes_are_weighted_by_the_probability_of_ending_there() {
    // 0 leads to the pair {1, 2} at rate 3 and to 3 at rate 1; the pair is at 2 for two thirds.
    const auto g = chain(4, [](std::uint32_t s) -> std::vector<RateEntry> {
      if (s == 0) return {{1, 3.0}, {3, 1.0}};
      if (s == 1) return {{2, 2.0}};
      if (s == 2) return {{1, 1.0}};
      return {};
    });
    for (const LinearMethod method : both) {
      const LongRun got = long_run(g, starts_in(4), method);
      compare_within(got.distribution[1], 0.75 / 3, 1e-12);
      compare_within(got.distribution[2], 0.75 * 2 / 3, 1e-12);
      compare_within(got.distribution[3], 0.25, 1e-12);
      QCOMPARE(got.distribution[0], 0.0);
      QCOMPARE(got.bottom_classes, std::size_t{2});
      QCOMPARE(got.transient_states, std::size_t{1});
    }
  }
  void mean_time_to_absorption_of_phases_is_the_sum_of_their_means() {
    const auto g = birth_death(
        5, [](std::uint32_t i) { return 1.0 / (i + 1); }, [](std::uint32_t) { return 0.0; });
    for (const LinearMethod method : both) {
      std::vector<StateRole> roles(6, StateRole::ordinary);
      roles[5] = StateRole::target;
      const Absorption got = absorbed(g, starts_in(6), roles, method);
      double mean = 0.0;
      for (const double t : got.time_s) mean += t;
      compare_within(mean, 1 + 2 + 3 + 4 + 5, 1e-12);
      QVERIFY(got.certain);
      QCOMPARE(got.probability, 1.0);
    }
  }
  void mean_time_to_failure_of_two_repairable_components_is_the_textbook_one() {
    // Rausand and Hoyland, System Reliability Theory, 2004: MTTF of a parallel pair = 3 / (2 a) + b / (2 a^2).
    const double a = 1e-4, b = 0.1;
    const auto g = birth_death(
        2, [&](std::uint32_t i) { return (2 - i) * a; }, [&](std::uint32_t i) { return i * b; });
    for (const LinearMethod method : both) {
      const Absorption got =
          absorbed(g, starts_in(3), {StateRole::ordinary, StateRole::ordinary, StateRole::target}, method);
      compare_within(got.time_s[0] + got.time_s[1], 3 / (2 * a) + b / (2 * a * a), 1e-9);
    }
  }
  void a_target_that_may_be_missed_is_not_certain() {
    const auto g = chain(3, [](std::uint32_t s) {
      return s == 0 ? std::vector<RateEntry>{{1, 1.0}, {2, 3.0}} : std::vector<RateEntry>{};
    });
    const Absorption got =
        absorbed(g, starts_in(3), {StateRole::ordinary, StateRole::target, StateRole::ordinary}, LinearMethod::direct);
    QVERIFY(!got.certain);
    compare_within(got.probability, 0.25, 1e-14);
    compare_within(got.entered[2], 0.75, 1e-14);
  }
  void states_that_cannot_be_reached_take_no_part() {
    const auto g = chain(4, [](std::uint32_t s) -> std::vector<RateEntry> {
      if (s < 2) return {{1 - s, 1.0}};
      return {{s == 2 ? 3U : 0U, 1.0}};
    });
    const LongRun got = long_run(g, starts_in(4), LinearMethod::direct);
    compare_within(got.distribution[0], 0.5, 1e-14);
    QCOMPARE(got.bottom_classes, std::size_t{1});
    QCOMPARE(got.transient_states, std::size_t{0});
  }
  void reducible_chains_have_no_stationary_distribution_of_their_own() {
    QVERIFY(!reduce_states(chain(2, [](std::uint32_t s) {
      return s == 0 ? std::vector<RateEntry>{{1, 1.0}} : std::vector<RateEntry>{};
    })));
  }
};

QTEST_APPLESS_MAIN(TestLongRun)
#include "tst_long_run.moc"
