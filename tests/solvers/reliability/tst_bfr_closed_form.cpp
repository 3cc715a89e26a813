#include <boost/multiprecision/cpp_bin_float.hpp>
#include <numeric>

#include "reliability_check.h"
#include "solvers/reliability/atwood_fit.h"
#include "solvers/reliability/bfr_closed_form.h"
#include "tests/support/bfr_chain.h"

using namespace ergode;
using namespace ergode::test;
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<120>>;

namespace {

const BfrRates published = per_hour(1.1e-3, 1e-4, 0.4, 1e-5);
const DelayLaw truncated{DelayLaw::Kind::truncated_exponential, 2 * hour, 4 * hour};

Wide choose(int n, int k) {
  Wide c = 1;
  for (int i = 1; i <= k; ++i) c = c * (n - k + i) / i;
  return c;
}

/// The published closed form of I_j, term by term, in 120 digits; the truncated law by the substitution
/// F = c (1 - e^{-theta u}) with c = 1 / (1 - e^{-theta W}), which makes 1 - rF a two-term sum again.
Wide integral(const DelayLaw& law, int j, const Wide& r, const Wide& t) {
  if (law.kind == DelayLaw::Kind::none) return t * (1 - pow(1 - r, j));
  if (law.kind == DelayLaw::Kind::uniform) {
    if (r == 0) return 0;
    const Wide window = law.window_s, m = t < window ? t : window;
    const Wide after = t > window ? t - window : Wide(0);
    return t - window / (r * (j + 1)) * (1 - pow(1 - r * m / window, j + 1)) - after * pow(1 - r, j);
  }
  const Wide theta = 1 / Wide(law.mean_s);
  const bool cut = law.kind == DelayLaw::Kind::truncated_exponential;
  const Wide window = law.window_s, end = cut && t > window ? window : t;
  const Wide scale = cut ? r / (1 - exp(-theta * window)) : r;
  Wide sum = 0;
  for (int l = 0; l <= j; ++l) {
    const Wide e = l == 0 ? end : (1 - exp(-l * theta * end)) / (l * theta);
    sum += choose(j, l) * pow(1 - scale, j - l) * pow(scale, l) * e;
  }
  return end - sum + (t - end) * (1 - pow(1 - r, j));
}

Wide alive(const BfrRates& rates, const DelayLaw& law, int j, double t) {
  if (j == 0) return 1;
  return exp(-j * Wide(rates.lambda_ind) * t - rates.mu * integral(law, j, rates.rho, t) -
             rates.omega * integral(law, j, 1, t));
}

/// P(exactly m of n failed), m = 0 .. n, by inclusion and exclusion over the sets completely alive.
std::vector<double> by_alternating_sum(const BfrRates& rates, const DelayLaw& law, int n, double t) {
  std::vector<Wide> g;
  for (int j = 0; j <= n; ++j) g.push_back(alive(rates, law, j, t));
  std::vector<double> result;
  for (int m = 0; m <= n; ++m) {
    Wide sum = 0;
    for (int i = 0; i <= m; ++i) sum += (i % 2 == 0 ? 1 : -1) * choose(m, i) * g[static_cast<std::size_t>(n - m + i)];
    result.push_back(static_cast<double>(Wide(choose(n, m) * sum)));
  }
  return result;
}

void compare_row(const BfrRates& rates, const DelayLaw& law, const std::vector<const char*>& printed) {
  const auto p = failed_count_distribution(rates, law, 4, 24 * hour);
  for (std::size_t m = 0; m < printed.size(); ++m) compare_printed(p[m], printed[m]);
  QVERIFY(std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1.0) < 1e-12);
}

}  // namespace

class TestBfrClosedForm : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void default_rows_match_the_printed_digits() {
    compare_row(published, no_delay,
                {"8.97691366e-1", "9.68231819e-2", "4.70151378e-3", "4.71561863e-4", "3.12376286e-4"});
    compare_row(published, exponential_delay,
                {"8.97799275e-1", "9.68567027e-2", "4.64665962e-3", "4.38201380e-4", "2.59161521e-4"});
    compare_row(published, uniform,
                {"8.97880720e-1", "9.68468805e-2", "4.60794261e-3", "4.13903244e-4", "2.50553634e-4"});
    compare_row(per_hour(1.15e-3, 0, 0, 0), no_delay,
                {"8.95475873e-1", "1.00237450e-1", "4.20762862e-3", "7.84986651e-5", "5.49184676e-7"});
  }
  void stress_rows_match_the_printed_digits() {
    compare_row(stress, no_delay, {".216535667", ".268473437", ".192723002", ".138237561", ".184030333"});
    compare_row(stress, exponential_delay, {".221786133", ".279106398", ".199285983", ".139065649", ".160755838"});
    compare_row(stress, truncated, {".220483786", ".275914529", ".196847569", ".137583794", ".169170322"});
    compare_row(per_hour(0, 0, 0, .005), exponential_delay,
                {".889140512", ".002965037", ".004458682", ".008961799", ".094473970"});
  }
  void decay_rates_of_the_stress_set_match_the_printed_ones() {
    const char* const wanted[] = {".025", ".04", ".0525", ".06375"};
    for (int j = 1; j <= 4; ++j)
      compare_printed(-std::log(failed_count_distribution(stress, no_delay, j, hour)[0]), wanted[j - 1]);
  }
  void every_entry_agrees_with_the_alternating_sum_in_120_digits_data() {
    QTest::addColumn<int>("n");
    for (int n = 1; n <= 12; ++n) QTest::newRow(std::to_string(n).c_str()) << n;
  }
  void every_entry_agrees_with_the_alternating_sum_in_120_digits() {
    QFETCH(int, n);
    for (const BfrRates& rates :
         {published, stress, per_hour(1e-3, 0, 0, 0), per_hour(1e-5, 1e-3, 0.9, 0), per_hour(0, 0.3, 0.01, 1e-7)})
      for (const DelayLaw& law : {no_delay, exponential_delay, uniform, truncated})
        for (const double t : {1e-3 * hour, 3 * hour, 24 * hour, 2000 * hour}) {
          const auto p = failed_count_distribution(rates, law, n, t);
          const auto wanted = by_alternating_sum(rates, law, n, t);
          for (std::size_t m = 0; m < p.size(); ++m)
            if (wanted[m] > 1e-80) compare_relative(p[m], wanted[m], 1e-11);
          QVERIFY(std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1.0) < 1e-12);
        }
  }
  void nobody_has_failed_with_the_probability_of_the_published_integrals() {
    for (const DelayLaw& law : {no_delay, exponential_delay, uniform, truncated})
      for (int j = 1; j <= 12; ++j)
        for (const double t : {0.5 * hour, 5 * hour, 24 * hour, 500 * hour})
          compare_relative(failed_count_distribution(stress, law, j, t)[0],
                           static_cast<double>(alive(stress, law, j, t)), 1e-11);
  }
  void without_shock_probability_mu_is_irrelevant() {
    const auto a = failed_count_distribution(per_hour(1e-3, 0.5, 0, 1e-5), exponential_delay, 4, 24 * hour);
    const auto b = failed_count_distribution(per_hour(1e-3, 0, 0, 1e-5), exponential_delay, 4, 24 * hour);
    for (std::size_t m = 0; m < a.size(); ++m) compare_relative(a[m], b[m], 1e-13);
  }
  void short_delays_approach_the_instant_row_from_below() {
    const auto instant = failed_count_distribution(published, no_delay, 4, 24 * hour);
    for (const DelayLaw& law : {exponential_delay, uniform, truncated}) {
      QVERIFY(failed_count_distribution(published, law, 4, 24 * hour)[4] <= instant[4]);
      DelayLaw brief = law;
      brief.mean_s *= 1e-9;
      brief.window_s *= 1e-9;
      const auto p = failed_count_distribution(published, brief, 4, 24 * hour);
      for (std::size_t m = 0; m < p.size(); ++m) compare_relative(p[m], instant[m], 1e-7);
    }
  }
  void order_rates_of_instant_shocks_give_the_same_distribution() {
    const auto a = failed_count_distribution(stress, no_delay, 6, 24 * hour);
    const auto b = failed_count_distribution(order_rates(stress, 6), no_delay, 24 * hour);
    for (std::size_t m = 0; m < a.size(); ++m) compare_relative(b[m], a[m], 1e-12);
    const BfrRates lethal = per_hour(0.01, 0, 0, 0.005);
    const auto c = failed_count_distribution(lethal, uniform, 6, 24 * hour);
    const auto d = failed_count_distribution(order_rates(lethal, 6), uniform, 24 * hour);
    for (std::size_t m = 0; m < c.size(); ++m) compare_relative(d[m], c[m], 1e-12);
  }
  void group_of_two_after_one_failure_is_a_single_component() {
    const auto p = failed_count_distribution(stress, exponential_delay, 2, 24 * hour, std::vector<double>{0, 1, 0});
    const auto single = failed_count_distribution(stress, exponential_delay, 1, 24 * hour);
    QCOMPARE(p[0], 0.0);
    compare_relative(p[1], single[0], 1e-13);
    compare_relative(p[2], single[1], 1e-13);
  }
  void mean_time_to_all_failed_matches_the_printed_hours() {
    compare_printed(*mean_time_to_all_failed(published, no_delay, 4) / hour, "1797.8681");
    compare_printed(*mean_time_to_all_failed(per_hour(1.15e-3, 0, 0, 0), no_delay, 4) / hour, "1811.594203");
    QVERIFY(!mean_time_to_all_failed(per_hour(0, 1, 0, 0), no_delay, 4));
  }
  void mean_time_of_a_delayed_lethal_shock_is_its_wait_plus_the_longest_delay() {
    const auto mean = mean_time_to_all_failed(per_hour(0, 0, 0, 1e-9), exponential_delay, 4);
    compare_relative(*mean / hour, 1e9 + 2 * 25.0 / 12.0, 1e-9);
  }
  void time_average_of_one_component_is_elementary() {
    const BfrRates one = per_hour(0.1, 0, 0, 0);
    const double end = 24 * hour, x = 2.4;
    const double average = time_average(failed_count_curve(one, no_delay, 1), std::vector<double>{0, 1}, no_delay, end);
    compare_relative(average, 1 - (1 - std::exp(-x)) / x, 1e-11);
  }
  void shock_statistics_match_the_printed_ones() {
    compare_printed(mean_visible(0.4, 4), "1.838235");
    compare_printed(rho_from_mean_visible(2.0, 4), ".456310988");
  }
  void fit_returns_the_rates_that_made_the_expected_counts() {
    const double years = 1e9;
    ShockCounts c{
        4, years, 4 * published.lambda_ind * years, published.mu * 0.8704 * years, 0, published.omega * years};
    c.shock_failures = c.visible_shocks * mean_visible(0.4, 4);
    const BfrRates fitted = std::get<BfrRates>(fit_bfr(c));
    compare_relative(fitted.lambda_ind, published.lambda_ind, 1e-12);
    compare_relative(fitted.mu, published.mu, 1e-12);
    compare_relative(fitted.rho, published.rho, 1e-12);
    compare_relative(fitted.omega, published.omega, 1e-12);
    c.shock_failures = 5 * c.visible_shocks;
    QCOMPARE(std::get<Diagnostics>(fit_bfr(c)).front().code, std::string("CCF020"));
  }
  void repair_rows_match_the_printed_digits() {
    BfrChain chain{published, 4, 1, 1 / (8 * hour)};
    const std::vector<double> start{1, 0, 0, 0, 0};
    const auto p = transient(generator(chain), start, 24 * hour);
    const char* const wanted[] = {".965746951", ".0327918702", ".00114767841", "2.15559471e-4", "9.79412709e-5"};
    for (std::size_t m = 0; m < 5; ++m) compare_printed(p[m], wanted[m]);
    const auto steady = steady_state(generator(chain));
    const char* const limits[] = {".963555898", ".0346651953", ".00142130016", "2.53611073e-4", "1.03995023e-4"};
    for (std::size_t m = 0; m < 5; ++m) compare_printed(steady[m], limits[m]);
    const auto late = transient(generator(chain), start, 1e5 * hour);
    for (std::size_t m = 0; m < 5; ++m) compare_relative(late[m], steady[m], 1e-10);
    chain.absorb_all_failed = true;
    compare_printed(transient(generator(chain), start, 24 * hour)[4], "3.06264325e-4");
  }
  void chain_without_repair_equals_the_closed_form() {
    for (int n = 1; n <= 12; ++n) {
      std::vector<double> start(static_cast<std::size_t>(n + 1), 0.0);
      start[0] = 1.0;
      const auto p = transient(generator({stress, n}), start, 24 * hour);
      const auto wanted = failed_count_distribution(stress, no_delay, n, 24 * hour);
      for (std::size_t m = 0; m < p.size(); ++m) compare_relative(p[m], wanted[m], 1e-10);
    }
    QVERIFY(steady_state(generator({stress, 4})).empty());
  }
  void delay_laws_refuse_times_that_are_no_times() {
    QVERIFY(no_delay.validate().empty());
    QVERIFY(exponential_delay.validate().empty());
    QCOMPARE((DelayLaw{DelayLaw::Kind::truncated_exponential, 0.0, -1.0}.validate().size()), std::size_t{2});
    QCOMPARE((DelayLaw{DelayLaw::Kind::uniform, 0.0, std::nan("")}.validate().size()), std::size_t{1});
    for (const DelayLaw& law : {exponential_delay, uniform, truncated})
      for (const double p : {1e-12, 0.1, 0.5, 0.999}) {
        compare_relative(law.cdf(law.quantile(p)), p, 1e-13);
        compare_relative(law.survival(law.quantile(p)), 1 - p, 1e-12);
      }
    for (const DelayLaw& law : {no_delay, exponential_delay, uniform, truncated})
      QCOMPARE(parse_delay_kind(to_text(law.kind)), law.kind);
  }
};

QTEST_APPLESS_MAIN(TestBfrClosedForm)
#include "tst_bfr_closed_form.moc"
