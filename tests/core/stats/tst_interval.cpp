#include <QtTest>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "core/stats/interval.h"

using namespace ergode;

namespace {
bool near(double seen, double wanted, double tolerance) { return std::fabs(seen - wanted) <= tolerance; }
}  // namespace

class TestInterval : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void wilson_interval_matches_the_published_numbers();
  void wilson_ends_solve_the_score_equation();
  void clopper_pearson_matches_the_published_numbers();
  void clopper_pearson_ends_have_the_binomial_tails();
  void no_success_no_failure_and_no_trial_are_exact();
  void student_interval_matches_the_published_table();
  void proportion_interval_names_its_method();
  void proportion_interval_covers_at_its_level();
};

// 10 of 100 at 95 %: R 4.3, prop.test(10, 100, correct = FALSE) and binom.test(10, 100).
void TestInterval::wilson_interval_matches_the_published_numbers() {
  const Interval i = wilson(10, 100, 0.95);
  QVERIFY(near(i.lower, 0.05522914, 5e-9));
  QVERIFY(near(i.upper, 0.17436566, 5e-9));
}

void TestInterval::wilson_ends_solve_the_score_equation() {
  for (const double confidence : {0.9, 0.99, 0.999})
    for (const std::uint64_t k : {1U, 17U, 399999U}) {
      const Interval i = wilson(k, 400000, confidence);
      const double seen = static_cast<double>(k) / 400000;
      for (const double end : {i.lower, i.upper})
        QVERIFY(near(std::fabs(seen - end) / std::sqrt(end * (1 - end) / 400000), normal_factor(confidence), 1e-6));
    }
}

void TestInterval::clopper_pearson_matches_the_published_numbers() {
  const Interval i = clopper_pearson(10, 100, 0.95);
  QVERIFY(near(i.lower, 0.04900469, 5e-9));
  QVERIFY(near(i.upper, 0.17622260, 5e-9));
}

void TestInterval::clopper_pearson_ends_have_the_binomial_tails() {
  for (const unsigned k : {1U, 3U, 49U}) {
    const Interval i = clopper_pearson(k, 50, 0.99);
    QVERIFY(near(1 - boost::math::cdf(boost::math::binomial(50, i.lower), k - 1), 0.005, 1e-10));
    QVERIFY(near(boost::math::cdf(boost::math::binomial(50, i.upper), k), 0.005, 1e-10));
  }
}

void TestInterval::no_success_no_failure_and_no_trial_are_exact() {
  for (const auto interval : {&wilson, &clopper_pearson}) {
    QCOMPARE(interval(0, 50, 0.95).lower, 0.0);
    QCOMPARE(interval(50, 50, 0.95).upper, 1.0);
    QCOMPARE(interval(0, 0, 0.95).lower, 0.0);
    QCOMPARE(interval(0, 0, 0.95).upper, 1.0);
    QVERIFY(near(interval(0, 50, 0.95).upper, 1 - interval(50, 50, 0.95).lower, 1e-12));
  }
  QVERIFY(near(clopper_pearson(0, 50, 0.95).upper, 1 - std::pow(0.025, 1.0 / 50), 1e-12));
  QVERIFY(near(wilson(0, 50, 0.95).upper, 3.841458821 / (50 + 3.841458821), 1e-9));
}

// NIST/SEMATECH e-Handbook of Statistical Methods, table of critical values of Student's t.
void TestInterval::student_interval_matches_the_published_table() {
  QVERIFY(near(student_factor(1, 0.95), 12.706, 5e-4));
  QVERIFY(near(student_factor(9, 0.95), 2.262, 5e-4));
  QVERIFY(near(student_factor(30, 0.99), 2.750, 5e-4));
  QVERIFY(near(student_factor(1e9, 0.95), 1.959963985, 1e-8));
  QVERIFY(near(normal_factor(0.999), 3.290526731, 1e-8));
  const Interval i = student_t(5.0, 4.0, 10, 0.95);
  QVERIFY(near(i.upper - 5.0, 2.262157 * 2 / std::sqrt(10.0), 1e-6));
  QVERIFY(near(5.0 - i.lower, i.upper - 5.0, 1e-14));
  QCOMPARE(student_t(5.0, 0.0, 10, 0.95).lower, 5.0);
  QCOMPARE(student_t(5.0, 0.0, 1, 0.95).upper, std::numeric_limits<double>::infinity());
}

void TestInterval::proportion_interval_names_its_method() {
  QCOMPARE(to_text(proportion_method(4, 100)), "clopper-pearson");
  QCOMPARE(to_text(proportion_method(5, 100)), "wilson");
  QCOMPARE(to_text(proportion_method(96, 100)), "clopper-pearson");
  QCOMPARE(proportion_interval(4, 100, 0.95).lower, clopper_pearson(4, 100, 0.95).lower);
  QCOMPARE(proportion_interval(50, 100, 0.95).lower, wilson(50, 100, 0.95).lower);
}

// The probability that the interval holds p, summed over all outcomes: no sampling.
void TestInterval::proportion_interval_covers_at_its_level() {
  for (const double p : {0.002, 0.01, 0.1, 0.5, 0.97}) {
    const boost::math::binomial binomial(500, p);
    double coverage = 0;
    for (unsigned k = 0; k <= 500; ++k) {
      const Interval i = proportion_interval(k, 500, 0.95);
      if (i.lower <= p && p <= i.upper) coverage += boost::math::pdf(binomial, k);
    }
    QVERIFY2(coverage > 0.93 && coverage <= 1.0 + 1e-12, std::to_string(coverage).c_str());
  }
}

QTEST_APPLESS_MAIN(TestInterval)
#include "tst_interval.moc"
