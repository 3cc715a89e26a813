#include <QtTest>
#include <bit>
#include <cmath>
#include <numeric>

#include "reliability_check.h"
#include "solvers/reliability/ccf_conversion.h"

using namespace ergode;

namespace {

using Values = std::vector<double>;

OrderRates orders(const std::string& model, Values values, int n, std::optional<double> total = {}) {
  return std::get<OrderRates>(ccf_orders({model, std::move(values)}, n, total));
}
Values converted(const OrderRates& from, const std::string& model) {
  return std::get<CcfConverted>(ccf_convert(from, model)).set.values;
}
std::string code(const auto& outcome) {
  const auto* problems = std::get_if<Diagnostics>(&outcome);
  return problems == nullptr || problems->empty() ? std::string() : problems->front().code;
}

/// P(exactly the members of the mask have failed) by enumeration of all combinations of independent basic events.
Values failed_sets(const OrderRates& q) {
  const std::size_t sets = std::size_t{1} << static_cast<unsigned>(q.n());
  Values p(sets, 0.0);
  for (std::size_t events = 0; events < (std::size_t{1} << (sets - 1)); ++events) {
    double probability = 1.0;
    std::size_t failed = 0;
    for (std::size_t set = 1; set < sets; ++set) {
      const double one = q.specific[static_cast<std::size_t>(std::popcount(set) - 1)];
      const bool happens = (events >> (set - 1)) & 1U;
      probability *= happens ? one : 1.0 - one;
      if (happens) failed |= set;
    }
    p[failed] += probability;
  }
  return p;
}

}  // namespace

class TestCcfConversion : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_printed_sets_of_four_are_converted_into_each_other() {
    const OrderRates q = orders("bfr", {1.1e-3, 1e-4, 0.4, 1e-5}, 4);
    const Values alpha = converted(q, "alpha_nonstaggered"), mgl = converted(q, "mgl");
    const char* const factors[] = {".986106", ".007685", ".003416", ".002793"};
    for (std::size_t k = 0; k < 4; ++k) compare_printed(alpha[k], factors[k]);
    const char* const letters[] = {".035965", ".582205", ".521595"};
    for (std::size_t k = 0; k < 3; ++k) compare_printed(mgl[k], letters[k]);
    compare_printed(converted(q, "beta")[0], ".035965");
  }

  // As NUREG/CR-5485 writes them for three members: with non-staggered testing
  // alpha_t = alpha_1 + 2 alpha_2 + 3 alpha_3, beta = (2 alpha_2 + 3 alpha_3) / alpha_t,
  // gamma = 3 alpha_3 / (2 alpha_2 + 3 alpha_3); with staggered testing beta = alpha_2 + alpha_3,
  // gamma = alpha_3 / (alpha_2 + alpha_3).
  void greek_letters_of_alpha_factors_follow_the_handbook() {
    const double a1 = 0.95, a2 = 0.04, a3 = 0.01, t = a1 + 2 * a2 + 3 * a3;
    const Values plain = converted(orders("alpha_nonstaggered", {a1, a2, a3}, 3), "mgl");
    compare_relative(plain[0], (2 * a2 + 3 * a3) / t, 1e-14);
    compare_relative(plain[1], 3 * a3 / (2 * a2 + 3 * a3), 1e-14);
    const Values staggered = converted(orders("alpha_staggered", {a1, a2, a3}, 3), "mgl");
    compare_relative(staggered[0], a2 + a3, 1e-14);
    compare_relative(staggered[1], a3 / (a2 + a3), 1e-14);
  }

  void alpha_factors_of_greek_letters_follow_from_the_events_of_each_order() {
    const double b = 0.05, g = 0.4, d = 0.3;
    const OrderRates q = orders("mgl", {b, g, d}, 4, 1e-3);
    compare_relative(q.specific[0], (1 - b) * 1e-3, 1e-14);
    compare_relative(q.specific[1], b * (1 - g) * 1e-3 / 3, 1e-14);
    compare_relative(q.specific[2], b * g * (1 - d) * 1e-3 / 3, 1e-14);
    compare_relative(q.specific[3], b * g * d * 1e-3, 1e-14);
    // Events of k members: C(4, k) Q_k, in units of the total / 2.
    const double events[] = {8 * (1 - b), 4 * b * (1 - g), 8.0 / 3 * b * g * (1 - d), 2 * b * g * d};
    const double all = std::accumulate(std::begin(events), std::end(events), 0.0);
    const Values alpha = converted(q, "alpha_nonstaggered");
    for (std::size_t k = 0; k < 4; ++k) compare_relative(alpha[k], events[k] / all, 1e-13);
    const Values staggered = converted(q, "alpha_staggered");
    const double shares[] = {1 - b, b * (1 - g), b * g * (1 - d), b * g * d};
    for (std::size_t k = 0; k < 4; ++k) compare_relative(staggered[k], shares[k], 1e-13);
  }

  // Three trains of a pump and a valve each, both groups MGL with Q = 0.1, beta = 0.2, gamma = 0.1:
  // scram_openpsa/tests_input/core/mgl_ccf.xml, exact by enumeration of all common-cause events.
  void a_published_system_keeps_its_exact_probability_in_every_model() {
    const OrderRates mgl = orders("mgl", {0.2, 0.1}, 3, 0.1);
    for (const char* model : {"mgl", "alpha_nonstaggered", "alpha_staggered"}) {
      const Values p = failed_sets(orders(model, converted(mgl, model), 3, 0.1));
      double top = 0.0;
      for (std::size_t pumps = 0; pumps < 8; ++pumps)
        for (std::size_t valves = 0; valves < 8; ++valves)
          if ((pumps | valves) == 7) top += p[pumps] * p[valves];
      compare_relative(top, 0.016294770525823205, 1e-12);
    }
  }

  void a_binomial_model_comes_back_from_its_orders() {
    for (const int n : {4, 5, 8}) {
      const Values given = {1.1e-3, 1e-4, 0.4, 1e-5};
      const Values back = converted(orders("bfr", given, n), "bfr");
      for (std::size_t i = 0; i < given.size(); ++i) compare_relative(back[i], given[i], 1e-9);
      const OrderRates q = orders("bfr", given, n);
      const double total = 1.1e-3 + 1e-4 * 0.4 + 1e-5;
      const Values through = converted(orders("mgl", converted(q, "mgl"), n, total), "bfr");
      for (std::size_t i = 0; i < given.size(); ++i) compare_relative(through[i], given[i], 1e-8);
    }
    const Values beta = converted(orders("beta", {0.1}, 4, 1e-3), "bfr");  // no shock spares anybody
    QCOMPARE(beta[1], 0.0);
    compare_relative(beta[0], 9e-4, 1e-12);
    compare_relative(beta[3], 1e-4, 1e-12);
  }

  void what_no_binomial_model_has_is_refused() {
    QCOMPARE(code(ccf_convert(orders("mgl", {0.1, 0.5}, 3), "bfr")), std::string("CCF031"));            // three orders
    QCOMPARE(code(ccf_convert(orders("mgl", {0.1, 0.9, 0.01}, 4), "bfr")), std::string("CCF031"));      // omega < 0
    QCOMPARE(code(ccf_convert(orders("mgl", {0.1, 0.5, 0.5, 0.9}, 5), "bfr")), std::string("CCF031"));  // no series
    QCOMPARE(code(ccf_convert(orders("bfr", {0, 0, 0.5, 0}, 4), "mgl")), std::string("CCF031"));        // no failures
  }

  void a_beta_factor_says_when_it_loses_the_orders_between() {
    QVERIFY(std::get<CcfConverted>(ccf_convert(orders("mgl", {0.1, 0.5}, 3), "beta")).lossy);
    QVERIFY(!std::get<CcfConverted>(ccf_convert(orders("mgl", {0.1, 1.0}, 3), "beta")).lossy);
  }

  void impossible_values_are_refused() {
    const auto refused = [](const char* model, Values values, int n, std::optional<double> total = {}) {
      return code(ccf_orders({model, std::move(values)}, n, total));
    };
    QCOMPARE(refused("mgl", {0.1, 0.4, 1.3}, 4), std::string("CCF003"));
    QCOMPARE(refused("mgl", {0.1}, 4), std::string("CCF004"));
    QCOMPARE(refused("bfr", {1, 1}, 4), std::string("CCF004"));
    QCOMPARE(refused("alpha_staggered", {0.9, 0.2}, 2), std::string("CCF005"));
    QCOMPARE(refused("beta", {0.1}, 1), std::string("CCF001"));
    QCOMPARE(refused("beta", {0.1}, 1000000), std::string("CCF001"));
    QCOMPARE(refused("bfr", {-1, 1e-4, 0.4, 0}, 4), std::string("CCF002"));
    QCOMPARE(refused("bfr", {1, 1e-4, 0.4, 0}, 4, 1e-3), std::string("CCF030"));
    QCOMPARE(refused("beta", {0.1}, 4, 0.0), std::string("CCF030"));
    QCOMPARE(refused("beta", {0.1}, 4, std::nan("")), std::string("CCF030"));
    for (const double total : {1e308, 1e101, 1e-101, 1e-320})
      QCOMPARE(refused("mgl", {0.05, 0.4}, 3, total), std::string("CCF030"));
    for (const std::size_t i : {0U, 1U, 3U}) {
      Values rates = {1e-3, 1e-4, 0.4, 1e-5};
      rates[i] = 1e308;
      QCOMPARE(refused("bfr", rates, 4), std::string("CCF030"));
    }
  }

  // What is accepted is worked out: everything finite, at the ends of what is allowed too.
  void whatever_is_accepted_has_finite_answers() {
    for (const int n : {2, 3, 64})
      for (const double total : {1e-100, 1.0, 1e100}) {
        const Values factors(static_cast<std::size_t>(n - 1), 0.4);
        const OrderRates q = orders("mgl", factors, n, total);
        for (const double one : q.specific) QVERIFY(std::isfinite(one));
        for (const char* model : {"beta", "mgl", "alpha_staggered", "alpha_nonstaggered"})
          for (const double one : converted(q, model)) QVERIFY(std::isfinite(one));
      }
    for (const double events : {0.0, 1.0, 1e9})
      for (const double prior : {1e-3, 0.5, 1e9})
        for (const double confidence : {1e-9, 0.9, 1 - 1e-9}) {
          const auto fitted = fit_alpha({1e9, events, 0.0}, {prior, 1e9, prior}, confidence);
          for (const AlphaEstimate& one : std::get<std::vector<AlphaEstimate>>(fitted))
            QVERIFY(one.lower >= 0.0 && one.lower <= one.upper && one.upper <= 1.0);
        }
  }

  // Parameters of INL/EXT-21-62940, section 2.11.1.1: FR of a group of two, Beta(1.848, 132.5), 1.38e-2 with a band of
  // 5 to 95 % from 2.23e-3 to 3.32e-2.
  void a_published_prior_has_its_published_band() {
    const auto factors = std::get<std::vector<AlphaEstimate>>(fit_alpha({0, 0}, {132.5, 1.848}, 0.9));
    QVERIFY(std::isnan(factors[1].likely));
    QVERIFY(std::abs(factors[1].mean - 1.38e-2) < 5e-5);
    QVERIFY(std::abs(factors[1].lower - 2.23e-3) < 5e-6);
    QVERIFY(std::abs(factors[1].upper - 3.32e-2) < 1e-4);  // the parameters are printed with four digits
  }

  void events_move_the_factors_as_bayes_says() {
    const auto factors = std::get<std::vector<AlphaEstimate>>(fit_alpha({36, 1.2, 0.3, 0}, {}, 0.95));
    compare_relative(factors[0].likely, 36 / 37.5, 1e-14);
    compare_relative(factors[1].mean, 1.7 / 39.5, 1e-14);
    QCOMPARE(factors[3].likely, 0.0);
    QVERIFY(factors[3].lower > 0.0 && factors[3].upper < 0.1);
    // With one event of each kind and a flat prior the first factor of two is Beta(2, 2): F(x) = 3 x^2 - 2 x^3.
    const auto two = std::get<std::vector<AlphaEstimate>>(fit_alpha({1, 1}, {1, 1}, 0.9));
    const double x = two[0].lower;
    compare_relative(3 * x * x - 2 * x * x * x, 0.05, 1e-10);
    compare_relative(two[0].upper, 1 - x, 1e-10);
  }

  void counts_and_priors_that_cannot_be_are_refused() {
    QCOMPARE(code(fit_alpha({3, -1}, {}, 0.9)), std::string("CCF020"));
    QCOMPARE(code(fit_alpha({3}, {}, 0.9)), std::string("CCF001"));
    QCOMPARE(code(fit_alpha({3, 1}, {1, 1, 1}, 0.9)), std::string("CCF032"));
    QCOMPARE(code(fit_alpha({3, 1}, {1, 0}, 0.9)), std::string("CCF032"));
    QCOMPARE(code(fit_alpha({3, 1}, {}, 1.0)), std::string("CCF032"));
    QCOMPARE(code(fit_alpha({3, 1}, {}, 1e-17)), std::string("CCF032"));
    QCOMPARE(code(fit_alpha({1e20, 1e20}, {}, 0.9)), std::string("CCF020"));
    QCOMPARE(code(fit_alpha({1e300, 1}, {}, 0.9)), std::string("CCF020"));
    QCOMPARE(code(fit_alpha({3, 1}, {1, 1e300}, 0.9)), std::string("CCF032"));
  }
};

QTEST_APPLESS_MAIN(TestCcfConversion)
#include "tst_ccf_conversion.moc"
