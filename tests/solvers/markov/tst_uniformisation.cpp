#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/poisson.hpp>

#include "solvers/markov/cvode_transient.h"
#include "solvers/markov/poisson_weights.h"
#include "solvers/markov/uniformisation.h"
#include "tests/solvers/markov/chain_check.h"
#include "tests/support/peak_memory.h"

using namespace ergode;
using namespace ergode::test;

class TestUniformisation : public QObject {
  Q_OBJECT

  /// Fails at rate a, is repaired at rate b.
  const double a = 1e-3, b = 0.2;
  const SparseGenerator component = chain(2, [this](std::uint32_t s) {
    return std::vector<RateEntry>{{1 - s, s == 0 ? a : b}};
  });

  static TransientAnswer ask(const SparseGenerator& g, const std::vector<double>& initial,
                             const std::vector<double>& reward, const std::vector<double>& times,
                             const std::vector<StateRole>& roles = {}, double error = 1e-12) {
    TransientQuestion q;
    q.initial = initial, q.times_s = times, q.roles = roles, q.error = error;
    if (!reward.empty()) q.rewards = {reward};
    return solve_transient(g, g.incoming(), q);
  }
  static TransientAnswer integrate(const SparseGenerator& g, const std::vector<double>& initial,
                                   const std::vector<double>& reward, const std::vector<double>& times,
                                   const std::vector<StateRole>& roles = {}) {
    TransientQuestion q;
    q.initial = initial, q.times_s = times, q.roles = roles;
    q.rewards = {reward};
    auto out = solve_transient_cvode(g, q, {1e-11, 1e-16});
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<TransientAnswer>(out);
  }

 private Q_SLOTS:
  void poisson_weights_are_those_of_boost() {
    for (const double mean : {0.3, 7.0, 1234.5, 4e6}) {
      const PoissonWindow w = poisson_window(mean, 1e-13);
      const boost::math::poisson_distribution<> reference(mean);
      double sum = 0.0;
      for (const double p : w.weights) sum += p;
      compare_within(sum, 1.0, 1e-12);
      QVERIFY(w.outside <= 1e-13);
      for (const std::uint64_t k : {w.left, static_cast<std::uint64_t>(mean), w.right()})
        compare_within(w.weights[k - w.left], boost::math::pdf(reference, static_cast<double>(k)), 1e-8);
    }
    QCOMPARE(poisson_window(0.0, 1e-10).weights.size(), std::size_t{1});
  }
  void two_states_have_the_closed_form_at_all_times_of_one_sweep() {
    const std::vector<double> times = {0.0, 1e-3, 1.0, 10.0, 100.0, 1e4, 1e6};
    const auto got = ask(component, {1, 0}, {0, 1}, times);
    for (std::size_t i = 1; i < times.size(); ++i) {
      const double t = times[i], s = a + b;
      compare_within(got.at[0][i], -a / s * std::expm1(-s * t), 1e-9);
      compare_within(got.integral[0][i], a / s * (t + std::expm1(-s * t) / s), t < 1 ? 1e-6 : 1e-9);
    }
    QCOMPARE(got.at[0][0], 0.0);
    QCOMPARE(got.integral[0][0], 0.0);
    QVERIFY(got.truncation <= 2e-12);
    QVERIFY(got.steady);  // 2e5 events, but nothing moves after some hundreds
  }
  void erlang_phases_are_left_by_the_gamma_distribution() {
    const std::uint32_t k = 7;
    const auto g = birth_death(
        k, [](std::uint32_t) { return 3.0; }, [](std::uint32_t) { return 0.0; });
    std::vector<StateRole> roles(k + 1, StateRole::ordinary);
    roles[k] = StateRole::target;
    const std::vector<double> times = {0.01, 0.5, 2.0, 8.0};
    const auto got = ask(g, starts_in(k + 1), {}, times, roles, 1e-30);
    for (std::size_t i = 0; i < times.size(); ++i)
      compare_within(got.reached[i], boost::math::cdf(boost::math::gamma_distribution<>(k, 1 / 3.0), times[i]), 1e-12);
    // Mean of what is left of t after absorption: t - E[min(t, X)].
    const boost::math::gamma_distribution<> x(k, 1 / 3.0), longer(k + 1.0, 1 / 3.0);
    compare_within(got.reached_integral[3], 8 * cdf(x, 8.0) - k / 3.0 * cdf(longer, 8.0), 1e-12);
  }
  void tiny_probabilities_keep_their_digits() {
    // Six of six fail before a repair could matter: 1 - exp(-x) to the sixth, without repair.
    const auto g = birth_death(
        6, [](std::uint32_t i) { return 1e-6 * (6.0 - i); }, [](std::uint32_t) { return 0.0; });
    const auto got = ask(g, starts_in(7), {0, 0, 0, 0, 0, 0, 1}, {1.0}, {}, 1e-60);
    compare_within(got.at[0][0], std::pow(-std::expm1(-1e-6), 6), 1e-12);
  }
  void targets_and_forbidden_states_hold_what_reaches_them() {
    // From 0 to 1 at rate 2, to 2 at rate 3; 1 and 2 lead back, which must not matter.
    const auto g = chain(3, [](std::uint32_t s) {
      return s == 0 ? std::vector<RateEntry>{{1, 2.0}, {2, 3.0}} : std::vector<RateEntry>{{0, 50.0}};
    });
    const auto got =
        ask(g, starts_in(3), {1, 1, 1}, {0.1, 10.0}, {StateRole::ordinary, StateRole::target, StateRole::forbidden});
    compare_within(got.reached[0], -0.4 * std::expm1(-0.5), 1e-12);
    compare_within(got.reached[1], 0.4, 1e-12);
    compare_within(got.integral[0][1], 0.2, 1e-12);
  }
  void stated_errors_hold_for_coarse_bounds() {
    for (const double error : {1e-3, 1e-6}) {
      const auto got = ask(component, {1, 0}, {0, 1}, {5.0, 50.0}, {}, error);
      for (std::size_t i = 0; i < 2; ++i) {
        const double t = i == 0 ? 5.0 : 50.0;
        QVERIFY(std::fabs(got.at[0][i] + a / (a + b) * std::expm1(-(a + b) * t)) <= got.truncation);
        QVERIFY(got.truncation <= 10 * error);
        const double integral = a / (a + b) * (t + std::expm1(-(a + b) * t) / (a + b));
        QVERIFY(std::fabs(got.integral[0][i] - integral) <= got.lost_integral[i] * t);
        QVERIFY(got.lost_at[i] <= 3 * error && got.lost_integral[i] <= 10 * error);
      }
    }
  }
  void cvode_agrees_with_uniformisation() {
    const std::uint32_t n = 60;
    const auto g = birth_death(
        n, [](std::uint32_t i) { return 3.0 * (60 - i); }, [](std::uint32_t i) { return 2.0 * i; });
    std::vector<double> reward(n + 1);
    for (std::uint32_t i = 0; i <= n; ++i) reward[i] = i;
    const std::vector<double> times = {0.05, 0.3, 1.0, 4.0};
    std::vector<StateRole> roles(n + 1, StateRole::ordinary);
    roles[40] = StateRole::target;
    for (const auto& r : {std::vector<StateRole>{}, roles}) {
      const auto one = ask(g, starts_in(n + 1), reward, times, r),
                 other = integrate(g, starts_in(n + 1), reward, times, r);
      for (std::size_t i = 0; i < times.size(); ++i) {
        QVERIFY(std::fabs(one.at[0][i] - other.at[0][i]) < 60 * 1e-8);
        compare_within(other.integral[0][i], one.integral[0][i], 1e-8);
        QVERIFY(std::fabs(one.reached[i] - other.reached[i]) < 1e-8);
        QVERIFY(std::fabs(one.reached_integral[i] - other.reached_integral[i]) < 1e-8);
      }
    }
  }
  void cvode_solves_a_stiff_chain_that_has_a_closed_form() {
    // Rates nine orders of magnitude apart: 10^11 events of uniformisation in the mission.
    const double up = 1e-5, down = 1e6, t = 1e5;
    const auto g = chain(2, [&](std::uint32_t s) { return std::vector<RateEntry>{{1 - s, s == 0 ? up : down}}; });
    const auto got = integrate(g, {1, 0}, {0, 1}, {t});
    compare_within(got.at[0][0], up / (up + down), 1e-6);
    compare_within(got.integral[0][0], up / (up + down) * (t - 1 / (up + down)), 1e-6);
  }
  // 4 * 10^6 products; a number for each of them and of two series would be 130 MB, what is near to a time 2.
  void a_long_sweep_keeps_what_the_next_time_asks_for() {
    const double up = 1.0, down = 3.0, slow = 1e-6;
    // Two fast states and a third that one of them gets to, hardly ever: nothing is steady before the end.
    const auto g = chain(3, [&](std::uint32_t s) {
      if (s == 0) return std::vector<RateEntry>{{1, up}};
      return s == 1 ? std::vector<RateEntry>{{0, down}, {2, slow}} : std::vector<RateEntry>{};
    });
    const std::vector<double> initial = starts_in(3), stays = {1.0, 1.0, 0.0};
    std::vector<double> times;
    for (int i = 0; i <= 60; ++i) times.push_back(i * i * (1.3e6 / 3600));
    TransientQuestion q;
    q.initial = initial, q.rewards = {stays}, q.times_s = times;
    q.budget = Budget({}, {.bytes = 20000000});
    const long before = peak_kilobytes();
    const TransientAnswer got = solve_transient(g, g.incoming(), q);
    QVERIFY(!got.steady && got.steps > 3900000);
#ifdef __SANITIZE_ADDRESS__
    constexpr long most = 64000;  // what is freed is kept for a while
#else
    constexpr long most = 32000;
#endif
    QVERIFY2(peak_kilobytes() - before < most, qPrintable(QString::number(peak_kilobytes() - before)));
    // Eigenvalues of the two states that are left, by hand.
    const double sum = up + down + slow, root = std::sqrt(sum * sum - 4.0 * up * slow);
    const double fast = -0.5 * (sum + root), lasting = up * slow / fast;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double t = times[i],
                   exact = (fast * std::exp(lasting * t) - lasting * std::exp(fast * t)) / (fast - lasting);
      const double over_time =
          (fast / lasting * std::expm1(lasting * t) - lasting / fast * std::expm1(fast * t)) / (fast - lasting);
      compare_within(got.at[0][i], exact, 1e-9);
      if (t > 0.0) compare_within(got.integral[0][i], over_time, 1e-9);
    }
  }
  void a_stop_ends_the_sweep() {
    std::stop_source stop;
    stop.request_stop();
    TransientQuestion q;
    const std::vector<double> initial = {1, 0}, times = {1e9};
    q.initial = initial, q.times_s = times, q.budget = Budget(stop.get_token());
    QVERIFY(solve_transient(component, component.incoming(), q).stopped);
    QVERIFY(std::get<TransientAnswer>(solve_transient_cvode(component, q)).stopped);
  }
};

QTEST_APPLESS_MAIN(TestUniformisation)
#include "tst_uniformisation.moc"
