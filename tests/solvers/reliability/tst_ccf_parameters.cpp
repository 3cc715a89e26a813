#include "reliability_check.h"
#include "solvers/reliability/ccf_expansion.h"
#include "solvers/reliability/ccf_parameters.h"

using namespace ergode;

namespace {
const BfrRates published_hourly{1.1e-3, 1e-4, 0.4, 1e-5};
const BfrRates stress_hourly{0.01, 0.02, 0.5, 0.005};
}  // namespace

class TestCcfParameters : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void specific_rates_match_the_printed_row() {
    const OrderRates r = order_rates(published_hourly, 4);
    compare_printed(r.specific[0], "1.10864e-3");
    compare_printed(r.specific[1], "5.76e-6");
    compare_printed(r.specific[2], "3.84e-6");
    compare_printed(r.specific[3], "1.256e-5");
  }
  void specific_probabilities_of_three_match_the_published_expansion() {
    const OrderRates r = order_rates({1e-3, 2e-4, 0.3, 1e-6}, 3);
    compare_printed(r.specific[0], "1.0294e-3");
    compare_printed(r.specific[1], "1.26e-5");
    compare_printed(r.specific[2], "6.4e-6");
  }
  void component_rate_is_lambda_plus_mu_rho_plus_omega() {
    for (int n = 1; n <= ccf_group_limit; ++n)
      for (const BfrRates& r : {published_hourly, stress_hourly})
        compare_relative(total_component_rate(order_rates(r, n)), r.lambda_ind + r.mu * r.rho + r.omega, 1e-12);
  }
  void alpha_and_mgl_match_the_printed_rows() {
    const auto alpha = alpha_factors(order_rates(published_hourly, 4));
    const char* const wanted[] = {".986106", ".007685", ".003416", ".002793"};
    for (std::size_t k = 0; k < 4; ++k) compare_printed(alpha[k], wanted[k]);
    const auto mgl = mgl_factors(order_rates(published_hourly, 4));
    const char* const letters[] = {".035965", ".582205", ".521595"};
    for (std::size_t k = 0; k < 3; ++k) compare_printed(mgl[k], letters[k]);
    compare_printed(beta_factor(order_rates(published_hourly, 4)), ".035965");
    const auto stress_alpha = alpha_factors(order_rates(stress_hourly, 4));
    const char* const stress_wanted[] = {".705882", ".117647", ".078431", ".098039"};
    for (std::size_t k = 0; k < 4; ++k) compare_printed(stress_alpha[k], stress_wanted[k]);
    const auto stress_mgl = mgl_factors(order_rates(stress_hourly, 4));
    const char* const stress_letters[] = {".55", ".727273", ".625"};
    for (std::size_t k = 0; k < 3; ++k) compare_printed(stress_mgl[k], stress_letters[k]);
  }
  void calibrated_preset_has_the_published_alpha_2() {
    const BfrRates inl{1.1182e-3, 1.236e-4, 0.4, 1.236e-5};
    QVERIFY(std::abs(alpha_factors(order_rates(inl, 2))[1] - 0.0138) < 5e-6);
    compare_relative(total_component_rate(order_rates(inl, 2)), 1.18e-3, 1e-9);
  }
  void mgl_of_four_follows_the_textbook_formulas() {
    const double q = 2e-3, b = 0.1, g = 0.4, d = 0.7;
    const OrderRates r = from_mgl({b, g, d}, q);
    compare_relative(r.specific[0], (1 - b) * q, 1e-14);
    compare_relative(r.specific[1], b * (1 - g) * q / 3, 1e-14);
    compare_relative(r.specific[2], b * g * (1 - d) * q / 3, 1e-14);
    compare_relative(r.specific[3], b * g * d * q, 1e-14);
  }
  void alpha_of_two_gives_the_published_probabilities() {
    const OrderRates plain = from_alpha({.8, .2}, .3, Testing::non_staggered);
    compare_relative(plain.specific[0], .2, 1e-14);
    compare_relative(plain.specific[1], .1, 1e-14);
    const OrderRates staggered = from_alpha({.8, .2}, .3, Testing::staggered);
    compare_relative(staggered.specific[0], .24, 1e-14);
    compare_relative(staggered.specific[1], .06, 1e-14);
  }
  void every_conversion_returns_to_where_it_began() {
    for (int n = 2; n <= ccf_group_limit; ++n) {
      const OrderRates r = order_rates(stress_hourly, n);
      const double total = total_component_rate(r);
      for (const Testing t : {Testing::non_staggered, Testing::staggered}) {
        const OrderRates back = from_alpha(alpha_factors(r, t), total, t);
        for (std::size_t k = 0; k < r.specific.size(); ++k) compare_relative(back.specific[k], r.specific[k], 1e-12);
        const auto alpha = alpha_factors(from_mgl(mgl_factors(from_alpha(alpha_factors(r, t), 1.0, t)), 1.0), t);
        for (std::size_t k = 0; k < alpha.size(); ++k) QVERIFY(std::abs(alpha[k] - alpha_factors(r, t)[k]) < 1e-12);
      }
      const OrderRates back = from_mgl(mgl_factors(r), total);
      compare_relative(total_component_rate(back), total, 1e-12);
    }
  }
  void beta_factor_is_the_limit_of_certain_shocks() {
    const OrderRates bfr = order_rates({9e-4, 1e-4, 1.0, 0.0}, 4);
    const OrderRates beta = from_beta(0.1, 1e-3, 4);
    for (std::size_t k = 0; k < 4; ++k) compare_relative(bfr.specific[k], beta.specific[k], 1e-12);
  }
  void group_without_failures_has_zero_factors() {
    const OrderRates none = order_rates({}, 3);
    for (const double a : alpha_factors(none)) QCOMPARE(a, 0.0);
    for (const double m : mgl_factors(none)) QCOMPARE(m, 0.0);
  }
  void validation_names_the_value_seen_and_wanted() {
    const Diagnostics sum = validate_alpha({.8, .3}, 2);
    QCOMPARE(sum.size(), std::size_t{1});
    QCOMPARE(sum[0].code, std::string("CCF005"));
    QVERIFY(sum[0].message.find("1.1") != std::string::npos);
    QVERIFY(validate_alpha({.8, .2}, 2).empty());
    QVERIFY(!validate_alpha({.8, .2}, 3).empty());
    QVERIFY(!validate_alpha({1.2, -.2}, 2).empty());
    QVERIFY(!validate_alpha({std::nan(""), .2}, 2).empty());
    QVERIFY(!validate_mgl({.1, 1.5}, 3).empty());
    QVERIFY(!validate_mgl({.1}, 3).empty());
    QCOMPARE(validate({-1.0, 1.0, 2.0, std::nan("")}, 1).size(), std::size_t{4});
    QVERIFY(validate(published_hourly, 4).empty());
    QVERIFY(!validate_group_size(65).empty());
    QVERIFY(!validate_beta(-.1).empty());
    QVERIFY(!validate_total_probability(1.5).empty());
    QVERIFY(!validate_total_rate(-1).empty());
  }
  void group_of_four_lists_eleven_multiple_failures() {
    const CcfExpansion e = expand(order_rates(published_hourly, 4), {"EDG[1]", "EDG[2]", "EDG[3]", "EDG[4]"});
    QCOMPARE(e.sets.size(), std::size_t{15});
    QCOMPARE(std::count_if(e.sets.begin(), e.sets.end(), [](const ExpandedSet& s) { return s.k > 1; }), 11);
    QCOMPARE(e.sets[5].members, std::string("EDG[1], EDG[3]"));
    QCOMPARE(e.sets.back().members, std::string("EDG[1], EDG[2], EDG[3], EDG[4]"));
    const auto alpha = alpha_factors(order_rates(published_hourly, 4));
    for (std::size_t k = 0; k < 4; ++k) compare_relative(e.orders[k].share, alpha[k], 1e-14);
    QCOMPARE(expand(order_rates(published_hourly, 20), std::vector<std::string>(20, "P"), 100).sets.size(),
             std::size_t{100});
  }
};

QTEST_APPLESS_MAIN(TestCcfParameters)
#include "tst_ccf_parameters.moc"
