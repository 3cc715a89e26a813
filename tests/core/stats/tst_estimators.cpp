#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "core/stats/histogram.h"
#include "core/stats/quantiles.h"
#include "core/stats/tally.h"
#include "core/stats/time_weighted.h"

using namespace ergode;

class TestEstimators : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tally_matches_hand_computed_moments();
  void tally_keeps_digits_on_a_large_offset();
  void merged_tallies_agree_with_one_and_repeat_their_bits();
  void time_weighted_average_matches_the_integral();
  void histogram_counts_edges_as_documented();
  void small_quantiles_are_order_statistics();
  void binned_quantiles_keep_their_stated_error();
  void merged_quantiles_equal_one_stream_in_any_order();
  void frequent_values_are_exact();
  void intervals_hold_the_bins_error();
  void distribution_is_a_step_function_up_to_one();
};

void TestEstimators::tally_matches_hand_computed_moments() {
  Tally t;
  QCOMPARE(t.n(), std::uint64_t{0});
  QVERIFY(std::isinf(t.standard_error()));
  for (const double x : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) t.observe(x);
  QCOMPARE(t.mean(), 5.0);
  QVERIFY(std::fabs(t.variance() - 32.0 / 7) < 1e-14);
  QCOMPARE(t.least(), 2.0);
  QCOMPARE(t.greatest(), 9.0);
  QVERIFY(std::fabs(t.sum() - 40) < 1e-13);
}

void TestEstimators::tally_keeps_digits_on_a_large_offset() {
  Tally t;
  for (const double x : {4.0, 7.0, 13.0, 16.0}) t.observe(1e9 + x);
  QVERIFY(std::fabs(t.variance() - 30) < 1e-6);
}

void TestEstimators::merged_tallies_agree_with_one_and_repeat_their_bits() {
  std::mt19937_64 random(1);
  std::vector<double> values(1000);
  for (double& x : values) x = std::exp(static_cast<double>(random() % 1000) / 200);
  Tally one;
  for (const double x : values) one.observe(x);
  const auto merged = [&] {
    Tally all;
    for (std::size_t first = 0; first < values.size(); first += 37) {
      Tally part;
      for (std::size_t i = first; i < std::min(first + 37, values.size()); ++i) part.observe(values[i]);
      all.merge(part);
    }
    all.merge(Tally());
    return all;
  };
  const Tally a = merged(), b = merged();
  QVERIFY(a.mean() == b.mean() && a.variance() == b.variance());
  QCOMPARE(a.n(), one.n());
  QVERIFY(std::fabs(a.mean() / one.mean() - 1) < 1e-13);
  QVERIFY(std::fabs(a.variance() / one.variance() - 1) < 1e-12);
  QVERIFY(a.least() == one.least() && a.greatest() == one.greatest());
}

void TestEstimators::time_weighted_average_matches_the_integral() {
  TimeWeighted w(10.0, 2.0);
  QCOMPARE(w.average(10.0), 2.0);
  w.change(12.0, 5.0);
  w.change(13.0, 0.0);
  QCOMPARE(w.integral(20.0), 9.0);
  QCOMPARE(w.average(20.0), 0.9);
}

void TestEstimators::histogram_counts_edges_as_documented() {
  Histogram h({0, 1, 2});
  for (const double x : {-0.1, 0.0, 0.5, 1.0, 2.0, 2.1, std::nan("")}) h.observe(x);
  QCOMPARE(h.counts(), (std::vector<std::uint64_t>{2, 2}));
  QCOMPARE(h.below(), std::uint64_t{1});
  QCOMPARE(h.above(), std::uint64_t{2});
  Histogram other({0, 1, 2});
  other.observe(0.1);
  QVERIFY(h.merge(other));
  QCOMPARE(h.counts()[0], std::uint64_t{3});
  QVERIFY(!h.merge(Histogram({0, 1, 3})));
}

void TestEstimators::small_quantiles_are_order_statistics() {
  Quantiles q;
  QVERIFY(std::isnan(q.quantile(0.5)));
  for (const double x : {5.0, 1.0, 3.0, 2.0, 4.0}) q.observe(x);
  q.observe(std::nan(""));
  QVERIFY(q.exact());
  QCOMPARE(q.n(), std::uint64_t{5});
  const std::vector<double> p{1.0, 0.2, 0.21, 0.5, 0.0};
  QCOMPARE(q.quantiles(p), (std::vector<double>{5, 1, 2, 3, 1}));
}

void TestEstimators::binned_quantiles_keep_their_stated_error() {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> values(200000);
  Quantiles q;
  for (double& x : values) {
    x = normal(random) < -1 ? -std::exp(3 * normal(random)) : std::exp(3 * normal(random));
    if (random() % 100 == 0) x = 0;
    q.observe(x);
  }
  QVERIFY(!q.exact());
  std::sort(values.begin(), values.end());
  for (const double p : {1e-5, 0.001, 0.1, 0.165, 0.3, 0.5, 0.9, 0.99, 1.0}) {
    const double wanted = values[static_cast<std::size_t>(std::ceil(p * 200000)) - 1];
    QVERIFY2(std::fabs(q.quantile(p) - wanted) <= 1.0001e-3 * std::fabs(wanted), std::to_string(p).c_str());
  }
}

void TestEstimators::merged_quantiles_equal_one_stream_in_any_order() {
  std::mt19937_64 random(3);
  for (const std::size_t n : {1000U, 16384U, 16385U, 150000U}) {
    std::vector<double> values(n);
    for (double& x : values) x = static_cast<double>(random() % 100000) - 1000;
    Quantiles one, forward, again, backward;
    std::vector<Quantiles> parts((n + 8191) / 8192);
    for (std::size_t i = 0; i < n; ++i) {
      one.observe(values[i]);
      parts[i / 8192].observe(values[i]);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      forward.merge(parts[i]), again.merge(parts[i]);
      backward.merge(parts[parts.size() - 1 - i]);
    }
    QCOMPARE(one.exact(), std::set<double>(values.begin(), values.end()).size() <= Quantiles::exact_limit);
    QCOMPARE(forward.exact(), one.exact());
    QCOMPARE(backward.exact(), one.exact());
    QCOMPARE(forward.n(), one.n());
    QVERIFY(forward.distribution(100000) == again.distribution(100000));
    if (one.exact()) {
      QVERIFY(one.distribution(100000) == forward.distribution(100000));
      QVERIFY(one.distribution(100000) == backward.distribution(100000));
      continue;
    }
    // Whoever won a close vote: what is answered is next to the truth, and between ends that hold it.
    std::sort(values.begin(), values.end());
    for (const Quantiles& q : {one, forward, backward}) {
      for (const auto& [x, share] : q.distribution(100000)) {
        const auto up_to = std::upper_bound(values.begin(), values.end(), x) - values.begin();
        QVERIFY(std::fabs(share - static_cast<double>(up_to) / static_cast<double>(n)) < 1e-4);
      }
      for (double p = 0.001; p < 1.0; p += 0.001) {
        const double wanted = values[static_cast<std::size_t>(std::ceil(p * static_cast<double>(n))) - 1];
        QVERIFY(std::fabs(q.quantile(p) - wanted) <= 1.0001e-3 * std::fabs(wanted));
        const Interval ends = q.intervals(std::span(&p, 1), 0.5).front();
        const Ranks ranks = quantile_ranks(n, p, 0.5);
        QVERIFY(ends.lower <= values[ranks.lower - 1] && values[ranks.upper - 1] <= ends.upper);
        QVERIFY(ends.lower <= q.quantile(p) && q.quantile(p) <= ends.upper);
      }
    }
  }
}

void TestEstimators::frequent_values_are_exact() {
  // Few different values: the counts of all are kept, however many observations there are.
  Quantiles few, merged, part;
  for (int i = 0; i < 100000; ++i) {
    const double x = i % 2 == 0 ? 30.1 : 40.3;
    few.observe(x), part.observe(x);
    if (i % 7001 == 0) merged.merge(part), part = {};
  }
  merged.merge(part);
  const std::vector<double> p{0.05, 0.5, 0.95}, wanted{30.1, 30.1, 40.3};
  for (const Quantiles& q : {few, merged}) {
    QVERIFY(q.exact());
    QCOMPARE(q.quantiles(p), wanted);
    QVERIFY(q.intervals(p, 0.95)[0].lower == 30.1 && q.intervals(p, 0.95)[0].upper == 30.1);
    QCOMPARE(q.distribution(400), (std::vector<std::pair<double, double>>{{30.1, 0.5}, {40.3, 1.0}}));
  }
  // Half of the observations are one value, the others are spread around it and binned.
  std::mt19937_64 random(4);
  std::vector<double> values;
  Quantiles mixed;
  for (int i = 0; i < 200000; ++i) {
    values.push_back(random() % 2 == 0 ? 30.1 : 20.0 + 20.0 * std::uniform_real_distribution<>()(random));
    mixed.observe(values.back());
  }
  QVERIFY(!mixed.exact());
  std::sort(values.begin(), values.end());
  for (const double at : {0.3, 0.4, 0.5, 0.6, 0.7}) {
    QCOMPARE(values[static_cast<std::size_t>(at * 200000) - 1], 30.1);
    QCOMPARE(mixed.quantile(at), 30.1);
    const Interval i = mixed.intervals(std::span(&at, 1), 0.95).front();
    QVERIFY(i.lower == 30.1 && i.upper == 30.1);
  }
  for (const auto& [x, share] : mixed.distribution(400)) {
    const auto below = std::upper_bound(values.begin(), values.end(), x) - values.begin();
    QVERIFY2(std::fabs(share - static_cast<double>(below) / 200000) < 1e-3, qPrintable(QString::number(x)));
  }
}

void TestEstimators::intervals_hold_the_bins_error() {
  // Of an exponential time. Five quantiles of a set go together, about as three independent ones: with 100 sets fewer
  // than 90 % are seen at 95 % once in 10^4 seeds, with 15 sets fewer than 85 % once in 10^3.
  std::mt19937_64 random(5);
  const std::vector<double> p{0.05, 0.25, 0.5, 0.75, 0.95};
  for (const auto& [n, sets, least] : {std::tuple{20000, 100, 0.9}, {1000000, 15, 0.85}}) {
    int held = 0;
    for (int set = 0; set < sets; ++set) {
      Quantiles q;
      for (int i = 0; i < n; ++i) q.observe(-std::log1p(-std::uniform_real_distribution<>()(random)));
      const std::vector<double> x = q.quantiles(p);
      const std::vector<Interval> ends = q.intervals(p, 0.95);
      for (std::size_t i = 0; i < p.size(); ++i) {
        const double exact = -std::log1p(-p[i]);
        held += ends[i].lower <= exact && exact <= ends[i].upper;
        QVERIFY(ends[i].lower <= x[i] && x[i] <= ends[i].upper && ends[i].lower < ends[i].upper);
      }
    }
    QVERIFY2(held >= least * 5 * sets, qPrintable(QString("%1: %2").arg(n).arg(held)));
  }
}

void TestEstimators::distribution_is_a_step_function_up_to_one() {
  Quantiles q;
  for (int i = 1; i <= 1000; ++i) q.observe(i);
  const auto steps = q.distribution(10);
  QCOMPARE(steps.size(), std::size_t{10});
  for (std::size_t i = 0; i < 10; ++i) {
    QCOMPARE(steps[i].first, 100.0 * static_cast<double>(i + 1));
    QVERIFY(std::fabs(steps[i].second - 0.1 * static_cast<double>(i + 1)) < 1e-15);
  }
  QVERIFY(Quantiles().distribution(10).empty());
}

QTEST_APPLESS_MAIN(TestEstimators)
#include "tst_estimators.moc"
