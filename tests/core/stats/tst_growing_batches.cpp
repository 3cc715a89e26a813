#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/special_values.h"
#include "core/random/random_stream.h"
#include "core/stats/growing_batches.h"
#include "core/stats/sequential.h"
#include "core/stats/stream_distribution.h"
#include "core/stats/warm_up.h"
#include "tests/core/stats/sampled.h"

using namespace ergode;
using namespace ergode::test;

// Coverage over 400 fixed seeds. A method that covers 95 % has fewer than 92 % or more than 98 % of them with a
// probability of 0.9 % (binomial tails: 0.43 + 0.43).
class TestGrowingBatches : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void mser_is_the_least_standard_error();
  void a_beginning_far_off_is_left_out();
  void what_drifts_all_along_fails();
  void joined_batches_keep_sums();
  void few_batches_apart_are_told();
  void holding_is_an_integral();
  void counting_is_a_rate();
  void ratios_take_batches_of_the_same_times();
  void quantiles_are_those_of_the_sorted_list();
  void a_tail_of_left_over_batches_bounds_nothing();
  void a_quantile_of_one_value_is_that();
  void what_lasts_is_as_if_it_were_seen_so_often();
  void independent_observations_have_the_binomial_interval();
  void queues_are_covered_when_they_stop_by_precision();
  void rare_tails_are_covered();
  void what_was_never_seen_beyond_bounds_nothing();
  void a_control_takes_what_it_explains();
  void a_control_is_of_the_batches_since();
  void a_control_that_is_the_quantity_itself_is_left_alone();
};

namespace {

constexpr WarmUpRule both[] = {WarmUpRule::mser_5, WarmUpRule::heidelberger_welch};

}  // namespace

void TestGrowingBatches::mser_is_the_least_standard_error() {
  // Oracle: the definition, each truncation summed afresh.
  for (int seed = 0; seed < 50; ++seed) {
    RandomStream stream(stream_key(static_cast<std::uint64_t>(seed), "mser"), 0);
    std::vector<double> x;
    for (int i = 0; i < 200; ++i) x.push_back(normal(stream) + 5.0 * std::exp(-i / 10.0));
    double least = INFINITY;
    std::size_t best = 0;
    for (std::size_t d = 0; d + 5 <= x.size(); ++d) {
      double mean = 0.0, squares = 0.0;
      const double n = static_cast<double>(x.size() - d);
      for (std::size_t i = d; i < x.size(); ++i) mean += x[i] / n;
      for (std::size_t i = d; i < x.size(); ++i) squares += (x[i] - mean) * (x[i] - mean);
      if (squares / (n * n) < least) least = squares / (n * n), best = d;
    }
    const WarmUp found = warm_up_by_mser(x);
    QCOMPARE(found.failed, best > 100);
    QCOMPARE(found.batches, best > 100 ? std::size_t{100} : best);
  }
}

void TestGrowingBatches::a_beginning_far_off_is_left_out() {
  RandomStream stream(stream_key(1, "off"), 0);
  GrowingBatches batches(5.0);
  for (int i = 0; i < 100000; ++i) batches.observe(normal(stream) + (i < 12000 ? 10.0 : 0.0));
  for (const WarmUpRule rule : both) {
    const WarmUp found = batches.warm_up(rule);
    const double share = static_cast<double>(found.batches) / static_cast<double>(batches.batches());
    QVERIFY(!found.failed);
    QVERIFY2(share > 0.119 && share <= 0.21, qPrintable(QString::number(share)));
    QVERIFY(std::fabs(batches.mean(found.batches, {}, 0.95).value) < 0.02);
  }
  QCOMPARE(batches.warm_up(WarmUpRule::none).batches, std::size_t{0});
}

void TestGrowingBatches::what_drifts_all_along_fails() {
  GrowingBatches batches(5.0);
  for (int i = 0; i < 100000; ++i) batches.observe(i);
  for (const WarmUpRule rule : both) QVERIFY(batches.warm_up(rule).failed);
  const BatchMeans mean = batches.mean(0, {}, 0.95);
  QVERIFY(!mean.independent && mean.correlation > 0.8);
}

void TestGrowingBatches::joined_batches_keep_sums() {
  // Whole numbers: sums are exact, so the mean and the variance are those of the list.
  GrowingBatches batches(5.0);
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < 5 * 2048 * 16; ++i) {
    const double x = (i * 7919) % 1000;
    batches.observe(x), sum += x, squares += x * x;
  }
  const double n = 5.0 * 2048 * 16;
  QCOMPARE(batches.weight(), n);
  QVERIFY(batches.batches() >= 1024 && batches.batches() < 2048);
  QVERIFY(std::fabs(batches.mean(0, {}, 0.95).value - sum / n) < 1e-9);
  QVERIFY(std::fabs(batches.variance(0, 0.95).value - (squares / n - sum / n * sum / n)) < 1e-6);
}

// An availability: 1 but for a short time now and then.
void TestGrowingBatches::few_batches_apart_are_told() {
  const auto with_failures = [](int failures) {
    GrowingBatches batches(100.0);
    for (int b = 0; b < 128; ++b) {
      const bool fails = b < 2 * failures && b % 2 == 1;
      batches.hold(1.0, fails ? 90.0 : 100.0);
      if (fails) batches.hold(0.0, 10.0);
    }
    return batches.mean(0, {0.0, 1.0}, 0.95);
  };
  QCOMPARE(with_failures(7).apart, std::uint64_t{7});
  QVERIFY(with_failures(29).too_few_apart() && !with_failures(30).too_few_apart());
  // Where no value prevails there is none to be apart from.
  GrowingBatches all(100.0);
  RandomStream stream(1, 0);
  for (int i = 0; i < 20000; ++i) all.observe(stream.uniform());
  QVERIFY(!all.mean(0, {0.0, 1.0}, 0.95).too_few_apart());
}

void TestGrowingBatches::holding_is_an_integral() {
  GrowingBatches batches(0.01);
  RandomStream stream(stream_key(1, "hold"), 0);
  double area = 0.0, time = 0.0;
  while (time < 1000.0) {
    const double value = std::floor(10.0 * stream.uniform()), duration = stream.exponential();
    batches.hold(value, duration), area += value * duration, time += duration;
  }
  // What is left of the last batch: less than one value of 10.
  QVERIFY(time - batches.weight() < 2.0);
  QVERIFY(std::fabs(batches.mean(0, {}, 0.95).value * batches.weight() - area) < 10.0 * (time - batches.weight()));
}

void TestGrowingBatches::counting_is_a_rate() {
  GrowingBatches batches(1.0);
  for (int i = 0; i < 30000; ++i) batches.hold(0.0, 0.25), batches.add(1.0);
  QVERIFY(std::fabs(batches.mean(0, {}, 0.95).value - 4.0) < 1e-3);
}

// One of them is told of half as long stretches and has closed and joined more batches.
void TestGrowingBatches::ratios_take_batches_of_the_same_times() {
  RandomStream stream(stream_key(1, "ratio"), 0);
  GrowingBatches some(1.0), all(1.0), none(1.0);
  double counted_some = 0.0, counted_all = 0.0;
  for (int i = 0; i < 2048; ++i) {
    const double now = std::floor(4.0 * stream.uniform()), part = std::floor((now + 1.0) * stream.uniform());
    all.add(now), all.hold(0.0, 1.0 - 1e-12), some.add(part), some.hold(0.0, 1.0), none.hold(0.0, 1.0);
    counted_some += part, counted_all += now;
  }
  QVERIFY(some.batches() != all.batches());
  const BatchMeans ratio = GrowingBatches::ratio(some, all, 0.0, 0.95);
  QVERIFY2(std::fabs(ratio.value / (counted_some / counted_all) - 1.0) < 0.01,
           qPrintable(QString::number(ratio.value)));
  QVERIFY(ratio.standard_error > 0.0 && ratio.ends.lower < ratio.value && ratio.value < ratio.ends.upper);
  // What is in step with what it is divided by leaves nothing unsure.
  const BatchMeans one = GrowingBatches::ratio(some, some, 0.25, 0.95);
  QVERIFY(one.value == 1.0 && one.standard_error == 0.0);
  QVERIFY(std::isnan(GrowingBatches::ratio(some, none, 0.0, 0.95).value));
  QCOMPARE(GrowingBatches::ratio(none, some, 0.0, 0.95).value, 0.0);
}

void TestGrowingBatches::quantiles_are_those_of_the_sorted_list() {
  RandomStream stream(stream_key(2, "sorted"), 0);
  StreamDistribution all;
  std::vector<double> list;
  for (int i = 0; i < 300000; ++i) all.observe(list.emplace_back(stream.exponential() - 1.0));
  std::sort(list.begin(), list.end());
  const Quantiles values = all.distribution(0.0);
  QCOMPARE(values.n(), std::uint64_t{300000});
  for (const double p : {0.1, 0.5, 0.9, 0.99, 0.999}) {
    const BatchMeans q = all.quantile(p, 0.0, values, 0.95);
    const double exact = list[static_cast<std::size_t>(std::ceil(p * 300000.0)) - 1];
    QVERIFY(std::fabs(q.value - exact) <= 2e-3 * std::fabs(exact));
    QVERIFY(q.ends.lower <= q.value && q.value <= q.ends.upper);
  }
  // A warm-up is left out, and not much more than twice of it.
  const std::uint64_t left = all.distribution(0.1).n();
  QVERIFY(left <= 270000 && left >= 240000 - 60000);
}

void TestGrowingBatches::a_quantile_of_one_value_is_that() {
  StreamDistribution all;
  for (int i = 0; i < 100000; ++i) all.observe(3.0);
  const BatchMeans q = all.quantile(0.9, 0.0, all.distribution(0.0), 0.95);
  QCOMPARE(q.value, 3.0);
  QCOMPARE(q.ends.lower, 3.0);
  QCOMPARE(q.ends.upper, 3.0);
}

// What was met in batches only that make no whole group says nothing of how often it comes, and bounds nothing.
void TestGrowingBatches::a_tail_of_left_over_batches_bounds_nothing() {
  RandomStream stream(stream_key(4, "left over"), 0);
  StreamDistribution all;
  constexpr int batch = 64, batches = 55;
  for (int i = 0; i < batch * batches; ++i) all.observe(i < batch ? 100.0 : stream.uniform());
  const Quantiles values = all.distribution(0.0);
  const BatchMeans q = all.quantile(0.99, 0.0, values, 0.95);
  QVERIFY2(q.value > 99.0 && q.ends.upper == infinity && !(q.standard_error < infinity),
           qPrintable(QString("%1 to %2").arg(q.ends.lower).arg(q.ends.upper)));
}

// Few values, and more than are kept one by one.
void TestGrowingBatches::what_lasts_is_as_if_it_were_seen_so_often() {
  for (const bool whole : {true, false}) {
    RandomStream stream(stream_key(3, "lasts"), 0);
    StreamDistribution at_once, one_by_one;
    Quantiles values_at_once, values_one_by_one;
    for (int i = 0; i < 30000; ++i) {
      const double x = whole ? std::floor(3.0 * stream.exponential()) : stream.exponential() - 1.0;
      const auto times = static_cast<std::uint64_t>(10.0 * stream.exponential());
      at_once.observe(x, times), values_at_once.observe(x, times);
      for (std::uint64_t k = 0; k < times; ++k) one_by_one.observe(x), values_one_by_one.observe(x);
    }
    at_once.observe(std::nan(""), 5), at_once.observe(1.0, 0);
    QCOMPARE(at_once.n(), one_by_one.n());
    QCOMPARE(values_at_once.n(), values_one_by_one.n());
    const Quantiles a = at_once.distribution(0.1), b = one_by_one.distribution(0.1);
    for (const double p : {0.05, 0.5, 0.9, 0.999}) {
      const BatchMeans q = at_once.quantile(p, 0.1, a, 0.95), r = one_by_one.quantile(p, 0.1, b, 0.95);
      QVERIFY(std::fabs(q.value - r.value) <= 1e-3 * std::fabs(r.value) && q.standard_error == r.standard_error);
      QVERIFY(std::fabs(values_at_once.quantile(p) - values_one_by_one.quantile(p)) <= 1e-3 * std::fabs(r.value));
      if (whole) QVERIFY(q.value == r.value && q.ends.lower == r.ends.lower && q.ends.upper == r.ends.upper);
    }
  }
}

void TestGrowingBatches::independent_observations_have_the_binomial_interval() {
  // Oracle: for independent uniforms the share below the quantile has the standard error sqrt(p (1 - p) / n), and
  // uniforms have density 1. Mean width over 40 seeds; its noise is about 10 % / sqrt(40).
  for (const double p : {0.5, 0.95}) {
    double width = 0.0;
    for (int seed = 0; seed < 40; ++seed) {
      RandomStream stream(stream_key(static_cast<std::uint64_t>(seed), "binomial"), 0);
      StreamDistribution all;
      for (int i = 0; i < 100000; ++i) all.observe(stream.uniform());
      const BatchMeans q = all.quantile(p, 0.0, all.distribution(0.0), 0.95);
      width += (q.ends.upper - q.ends.lower) / 40.0;
    }
    const double expected = 2.0 * 1.96 * std::sqrt(p * (1.0 - p) / 1e5);
    QVERIFY2(width > 0.95 * expected && width < 1.3 * expected, qPrintable(QString::number(width / expected)));
  }
}

void TestGrowingBatches::queues_are_covered_when_they_stop_by_precision() {
  // Response times of M/M/1 with service rate 1 are exponential with mean 1 / (1 - rho): Lindley's recursion until the
  // ends of the mean's interval are within 5 % of it.
  for (const double rho : {0.5, 0.9}) {
    const double precision = 0.05, exact = 1.0 / (1.0 - rho), exact_p95 = exact * std::log(20.0);
    int mean_inside = 0, quantile_inside = 0;
    for (int seed = 0; seed < 400; ++seed) {
      RandomStream stream(stream_key(static_cast<std::uint64_t>(seed), "stops"), 0);
      GrowingBatches batches(5.0);
      StreamDistribution values;
      SequentialPrecision rule(precision);
      WidthBefore width;
      double wait = 0.0;
      for (double i = 1.0, next = 10000.0;; ++i) {
        const double response = wait + stream.exponential();
        batches.observe(response), values.observe(response);
        wait = std::max(0.0, response - stream.exponential() / rho);
        if (i < next) continue;
        const WarmUp warm_up = batches.warm_up(WarmUpRule::heidelberger_welch);
        const BatchMeans seen = batches.mean(warm_up.batches, {}, 0.95);
        width.look(seen, i);
        const BatchMeans mean = width.widened(seen, i);
        const double reach = relative_reach(mean.value, mean.ends);
        if (const auto growth = rule.look(reach, mean.independent && !warm_up.failed)) {
          next *= *growth;
          continue;
        }
        mean_inside += covers(mean.ends, exact);
        const double share = static_cast<double>(warm_up.batches) / static_cast<double>(batches.batches());
        quantile_inside += covers(values.quantile(0.95, share, values.distribution(share), 0.95).ends, exact_p95);
        break;
      }
    }
    qInfo("load %.1f: mean %d of 400, 95 %% quantile %d of 400", rho, mean_inside, quantile_inside);
    QVERIFY2(mean_inside >= 372 && mean_inside <= 392, qPrintable(QString::number(mean_inside)));
    QVERIFY2(quantile_inside >= 360 && quantile_inside <= 396, qPrintable(QString::number(quantile_inside)));
  }
}

void TestGrowingBatches::rare_tails_are_covered() {
  // The number in an M/M/1 queue at load 0.7, which is at most k for the share 1 - 0.7^(k + 1) of the time. A run meets
  // 15 some twenty times and 20 about three times, for stretches of very different length. Each point of the curve of
  // the distribution is to be held as if it stood alone; beyond the greatest number seen there is none.
  constexpr double rho = 0.7, length_s = 20000.0, unit_s = 0.05;
  constexpr int seeds = 400;
  std::map<int, int> seen, inside;
  for (int seed = 0; seed < seeds; ++seed) {
    RandomStream stream(stream_key(static_cast<std::uint64_t>(seed), "rare tails"), 0);
    StreamDistribution all;
    int number = 0;
    double left = 0.0;
    for (double now = 0.0; now < length_s;) {
      const double rate = number > 0 ? rho + 1.0 : rho, stay = stream.exponential() / rate;
      now += stay, left += stay / unit_s;
      const auto whole = static_cast<std::uint64_t>(left);
      all.observe(number, whole), left -= static_cast<double>(whole);
      number += stream.uniform() * rate < rho ? 1 : -1;
    }
    const auto curve = all.distribution(0.05).distribution(200);
    const std::vector<Interval> ends = all.shares(curve, 0.05, 0.95);
    for (std::size_t i = 0; i < curve.size(); ++i)
      for (const int k : {0, 3, 10, 15, 20})
        if (curve[i].first == k) ++seen[k], inside[k] += covers(ends[i], 1.0 - std::pow(rho, k + 1));
  }
  QVERIFY(seen[20] > seeds / 2 && seen[20] < seeds);
  for (const auto& [k, times] : seen) {
    qInfo("at most %d: %d of %d", k, inside[k], times);
    QVERIFY2(inside[k] >= 0.92 * times, qPrintable(QString("%1: %2 of %3").arg(k).arg(inside[k]).arg(times)));
  }
}

void TestGrowingBatches::what_was_never_seen_beyond_bounds_nothing() {
  // 0 all along, 1 in every third batch or so, 2 once: what is said of P(X <= 1) is what is said of P(X <= 0).
  StreamDistribution all;
  RandomStream stream(stream_key(1, "beyond"), 0);
  for (int i = 0; i < 100000; ++i) all.observe(i == 60000 ? 2.0 : stream.uniform() < 0.003 ? 1.0 : 0.0);
  const auto curve = all.distribution(0.0).distribution(200);
  const std::vector<Interval> ends = all.shares(curve, 0.0, 0.95);
  QCOMPARE(curve.size(), std::size_t{3});
  QVERIFY(ends[0].lower > 0.996 && ends[0].lower < 0.997 && ends[0].upper > 0.997 && ends[0].upper < 0.998);
  QCOMPARE(ends[1].lower, ends[0].lower);
  QCOMPARE(ends[2].lower, ends[0].lower);
  QCOMPARE(ends[2].upper, 1.0);
}

void TestGrowingBatches::a_control_takes_what_it_explains() {
  // x = z + s c with independent z and c of mean 0 and variance 1: c explains s^2 / (1 + s^2) of the variance. Told of
  // c after each 256 observations only, as recorders that take observations in blocks are, or after each batch.
  for (const bool blocks : {false, true})
    for (const double s : {0.0, 1.0, 3.0}) {
      int inside = 0;
      double with = 0.0, without = 0.0, squares = 0.0;
      for (int seed = 0; seed < 200; ++seed) {
        RandomStream stream(stream_key(static_cast<std::uint64_t>(seed), "control"), 0);
        GrowingBatches controlled(5.0), plain(5.0);
        double total = 0.0;
        std::vector<double> block;
        for (int i = 0; i < 200 * 256; ++i) {
          const double c = normal(stream), x = 7.0 + normal(stream) + s * c;
          plain.observe(x), total += c;
          if (!blocks) {
            controlled.observe(x);
            if (controlled.awaits_control()) controlled.control(total);
            continue;
          }
          block.push_back(x);
          if (block.size() < 256) continue;
          controlled.observe(block, total);
          block.clear();
        }
        const BatchMeans a = controlled.mean(0, {}, 0.95), b = plain.mean(0, {}, 0.95);
        QVERIFY(a.controlled && !b.controlled);
        inside += covers(a.ends, 7.0);
        squares += (a.value - 7.0) * (a.value - 7.0) / 200.0;
        with += a.standard_error * a.standard_error, without += b.standard_error * b.standard_error;
      }
      // Within a block the control is taken for even: at the two ends of a group of 800 that leaves the variance of a
      // Brownian bridge over 256, 256 / 6 on average. The mean square of 200 normal values is off by more than 28 % in
      // one of 200 cases.
      const double uneven = blocks ? 1.0 + s * s * 2.0 * 256.0 / 6.0 / 800.0 : 1.0;
      const std::string seen = std::to_string(inside) + ", " + std::to_string(with / without * (1.0 + s * s)) + ", " +
                               std::to_string(squares * 200.0 * 256.0);
      QVERIFY2(inside >= 180 && (blocks || inside <= 198), seen.c_str());
      QVERIFY2(std::fabs(with / without * (1.0 + s * s) / uneven - 1.0) < (blocks ? 0.2 : 0.05), seen.c_str());
      if (!blocks) QVERIFY2(std::fabs(squares * 200.0 * 256.0 - 1.0) < 0.28, seen.c_str());
    }
}

void TestGrowingBatches::a_control_is_of_the_batches_since() {
  // However batches are joined between: told after every one or after each seventh observation, which is within a batch
  // of 16 in the end, the mean is nearly the same.
  RandomStream stream(stream_key(1, "since"), 0);
  GrowingBatches each(1.0), seventh(1.0);
  double total = 0.0;
  for (int i = 1; i <= 20000; ++i) {
    const double c = normal(stream), x = 3.0 + c + normal(stream);
    each.observe(x), seventh.observe(x), total += c;
    each.control(total);
    if (i % 7 == 0) seventh.control(total);
  }
  const BatchMeans a = each.mean(0, {}, 0.95), b = seventh.mean(0, {}, 0.95);
  QVERIFY(a.controlled && b.controlled);
  QVERIFY2(std::fabs(a.value - b.value) < 0.2 * a.standard_error &&
               std::fabs(b.standard_error / a.standard_error - 1.0) < 0.1,
           (std::to_string(a.value) + " " + std::to_string(b.value)).c_str());
}

void TestGrowingBatches::a_control_that_is_the_quantity_itself_is_left_alone() {
  RandomStream stream(stream_key(1, "itself"), 0);
  GrowingBatches batches(5.0), plain(5.0);
  double total = 0.0;
  for (int i = 0; i < 10000; ++i) {
    const double x = stream.uniform();
    batches.observe(x), plain.observe(x), total += x - 0.5;
    if (batches.awaits_control()) batches.control(total);
  }
  QVERIFY(!batches.awaits_control());
  const BatchMeans a = batches.mean(0, {}, 0.95), b = plain.mean(0, {}, 0.95);
  QVERIFY(!a.controlled);
  QCOMPARE(a.value, b.value);
  QCOMPARE(a.standard_error, b.standard_error);
}

QTEST_APPLESS_MAIN(TestGrowingBatches)
#include "tst_growing_batches.moc"
