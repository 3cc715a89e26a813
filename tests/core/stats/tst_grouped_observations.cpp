#include <QtTest>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/byte_archive.h"
#include "core/base/special_values.h"
#include "core/random/random_stream.h"
#include "core/stats/grouped_observations.h"
#include "tests/core/stats/sampled.h"

using namespace ergode;
using namespace ergode::test;

// Coverage over 400 fixed seeds: 92 to 98 % where intervals have two ends; a method that covers 95 % is outside of that
// with a probability of 0.4 % (binomial tails).
class TestGroupedObservations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void moments_are_those_of_all();
  void quantiles_count_moments_and_bins();
  void dependent_observations_are_covered_data();
  void dependent_observations_are_covered();
  void values_side_by_side_are_told_apart();
  void an_atom_at_an_end_bounds_what_lies_in_it();
  void squares_of_queues_are_covered();
  void one_group_bounds_nothing();
  void merged_parts_and_archives_say_the_same();
};

namespace {

constexpr int trials = 400;

/// A replication of slow or fast days: of mean 3 with 20 to 39 observations, or of mean 1 with 5 to 14.
std::vector<double> a_day(RandomStream& stream, const std::function<double(double)>& shown) {
  const bool slow = stream.uniform() < 0.5;
  const auto n = static_cast<std::size_t>(slow ? 20.0 + 20.0 * stream.uniform() : 5.0 + 10.0 * stream.uniform());
  std::vector<double> out(n);
  for (double& x : out) x = shown(-(slow ? 3.0 : 1.0) * std::log1p(-stream.uniform()));
  return out;
}
constexpr double weight_slow = 29.5 / 39.0;  // of all observations: means of the numbers above
double share_below(double x) {
  return weight_slow * (1.0 - std::exp(-x / 3.0)) + (1.0 - weight_slow) * (1.0 - std::exp(-x));
}
double value_at(double p) {
  double low = 0.0, high = 100.0;
  for (int i = 0; i < 100; ++i) (share_below(0.5 * (low + high)) < p ? low : high) = 0.5 * (low + high);
  return high;
}
double true_variance() {
  const double mean = weight_slow * 3.0 + (1.0 - weight_slow);
  return weight_slow * 18.0 + (1.0 - weight_slow) * 2.0 - mean * mean;
}

Quantiles observed(const std::vector<double>& all) {
  Quantiles out;
  out.observe(all);
  return out;
}

}  // namespace

void TestGroupedObservations::moments_are_those_of_all() {
  RandomStream stream(1, 0);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::size_t>(1.0 + 3000.0 * stream.uniform());
    // Where squares of values would hide their differences.
    const double centre = round % 2 == 0 ? 0.0 : 1e6;
    std::vector<double> all(n);
    for (double& x : all) x = centre + normal(stream);
    RunningMoments whole, parts;
    whole.observe(all);
    for (std::size_t i = 0; i < n;) {
      const std::size_t some = std::min<std::size_t>(n - i, static_cast<std::size_t>(1.0 + 40.0 * stream.uniform()));
      RunningMoments part;
      part.observe(std::span(all).subspan(i, some));
      parts.merge(part), i += some;
    }
    const long double sum = std::accumulate(all.begin(), all.end(), 0.0L), mean = sum / static_cast<long double>(n);
    long double squares = 0.0L;
    for (const double x : all) squares += (x - mean) * (x - mean);
    const auto variance = static_cast<double>(squares / static_cast<long double>(n));
    for (const RunningMoments& m : {whole, parts}) {
      QCOMPARE(m.n(), std::uint64_t{n});
      QVERIFY(std::abs(m.mean() - static_cast<double>(mean)) <= 1e-12 * (1.0 + std::abs(centre)));
      QVERIFY(std::abs(m.variance() - variance) <= 1e-9 * (variance + 1e-6));
    }
  }
}

void TestGroupedObservations::quantiles_count_moments_and_bins() {
  RandomStream stream(2, 0);
  for (int round = 0; round < 60; ++round) {
    Quantiles q;
    RunningMoments all;
    const int n = round % 3 == 0 ? 100 : 40000;  // the latter are binned
    std::uint64_t negative = 0, zeros = 0, counted = 0;
    for (int i = 0; i < n; ++i) {
      double x = round % 2 == 0 ? std::exp(3.0 * normal(stream)) : normal(stream);
      if (stream.uniform() < 0.1) x = 0.0;
      negative += x < 0.0, zeros += x == 0.0;
      const std::uint64_t times = round % 5 == 4 ? 3 : 1;
      if (times == 1) q.observe(x);
      else q.observe(x, times), negative += 2 * (x < 0.0), zeros += 2 * (x == 0.0);
      all.observe(x, times);
    }
    const std::vector<Quantiles::BinCount> bins = q.bins();
    std::uint64_t below = 0, at = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      QVERIFY(i == 0 || bins[i - 1].bin < bins[i].bin);
      counted += bins[i].count;
      if (bins[i].bin < 0) below += bins[i].count;
      if (bins[i].bin == 0) at += bins[i].count;
    }
    QCOMPARE(counted, q.n());
    QCOMPARE(below, negative);
    QCOMPARE(at, zeros);
    QCOMPARE(q.moments().n(), q.n());
    QVERIFY(std::abs(q.moments().mean() - all.mean()) <= 1e-9 * std::abs(all.mean()) + 1e-12);
    QVERIFY(std::abs(q.moments().variance() - all.variance()) <= 1e-9 * all.variance());
  }
}

void TestGroupedObservations::dependent_observations_are_covered_data() {
  QTest::addColumn<int>("groups");
  QTest::addColumn<int>("growth");
  QTest::newRow("12 replications") << 12 << 0;
  QTest::newRow("40 replications") << 40 << 0;
  QTest::newRow("400 replications, joined") << 400 << 0;
  QTest::newRow("2000 replications in batches that grow") << 2000 << 32;
}

void TestGroupedObservations::dependent_observations_are_covered() {
  QFETCH(const int, groups);
  QFETCH(const int, growth);
  const std::array<double, 6> p = {0.05, 0.25, 0.5, 0.75, 0.9, 0.99};
  std::array<int, 6> held{}, by_order{}, bounded{};
  int held_variance = 0;
  std::array<int, 3> held_share{};
  const std::array<double, 3> at = {0.2, 2.0, 6.0};
  for (int trial = 0; trial < trials; ++trial) {
    RandomStream stream(static_cast<std::uint64_t>(trial), 0);
    GroupedObservations grouped;
    Quantiles all;
    for (int done = 0; done < groups;) {
      Quantiles batch;
      const int some = growth == 0 ? 1 : std::max(1, done / growth);
      for (int i = 0; i < some && done < groups; ++i, ++done) batch.observe(a_day(stream, [](double x) { return x; }));
      grouped.add(batch), all.merge(batch);
    }
    QVERIFY(grouped.groups() <= GroupedObservations::most_groups && grouped.n() == all.n() && grouped.possible());
    const std::vector<Interval> ends = grouped.quantiles(p, all, 0.95), order = all.intervals(p, 0.95);
    for (std::size_t i = 0; i < p.size(); ++i) {
      held[i] += covers(ends[i], value_at(p[i])), by_order[i] += covers(order[i], value_at(p[i]));
      bounded[i] += std::isfinite(ends[i].lower) && std::isfinite(ends[i].upper);
    }
    held_variance += covers(grouped.variance(0.95).ends, true_variance());
    std::vector<std::pair<double, double>> curve;
    const std::vector<std::pair<double, double>> steps = all.distribution(4000);
    for (const double x : at) {
      std::uint64_t below = 0;
      for (const auto& [value, share] : steps)
        if (value <= x) below = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(all.n())));
      curve.emplace_back(x, static_cast<double>(below) / static_cast<double>(all.n()));
    }
    const std::vector<Interval> bands = grouped.shares(curve, 0.95);
    for (std::size_t i = 0; i < at.size(); ++i) held_share[i] += covers(bands[i], share_below(at[i]));
  }
  const auto percent = [](int n) { return 100.0 * n / trials; };
  std::string told;
  for (std::size_t i = 0; i < p.size(); ++i)
    told += std::to_string(percent(held[i])) + " (bounded " + std::to_string(percent(bounded[i])) + "), ";
  qInfo("quantiles %s variance %g, shares %g %g %g", told.c_str(), percent(held_variance), percent(held_share[0]),
        percent(held_share[1]), percent(held_share[2]));
  for (std::size_t i = 0; i < p.size(); ++i) {
    QVERIFY2(percent(held[i]) >= 92.0, told.c_str());
    // Tails of few groups have intervals of gamma laws, which hold more.
    if (groups >= 400 && i < 5) QVERIFY2(percent(held[i]) <= 98.0, told.c_str());
  }
  QVERIFY(percent(bounded[2]) >= (groups < 40 ? 95.0 : 100.0));
  // What the test is for: order statistics take observations of a day for independent ones.
  QVERIFY(percent(by_order[2]) < 85.0);
  for (const int n : held_share) QVERIFY2(percent(n) >= 92.0, std::to_string(percent(n)).c_str());
  QVERIFY2(percent(held_variance) >= 92.0, std::to_string(percent(held_variance)).c_str());
}

// Bins are as fine as the range of values lets them be: three digits for what lies close together, and whole numbers
// apart.
void TestGroupedObservations::values_side_by_side_are_told_apart() {
  const std::array<double, 2> p = {0.5, 0.9};
  int close = 0, whole = 0;
  for (int trial = 0; trial < trials; ++trial) {
    RandomStream stream(static_cast<std::uint64_t>(trial), 1);
    GroupedObservations near_ten, numbers;
    Quantiles all_near_ten, all_numbers;
    for (int day = 0; day < 60; ++day) {
      const std::vector<double> x = a_day(stream, [](double value) { return value; });
      std::vector<double> shifted = x, floors = x;
      for (double& value : shifted) value = 10.0 + 0.1 * value;
      for (double& value : floors) value = std::floor(value);
      near_ten.add(observed(shifted)), all_near_ten.observe(shifted);
      numbers.add(observed(floors)), all_numbers.observe(floors);
    }
    const Interval ends = near_ten.quantiles(p, all_near_ten, 0.95)[1];
    close += covers(ends, 10.0 + 0.1 * value_at(0.9));
    QVERIFY(ends.upper - ends.lower < 0.5);
    whole += covers(numbers.quantiles(p, all_numbers, 0.95)[0], std::floor(value_at(0.5)));
  }
  QVERIFY2(100 * close >= 92 * trials && 100 * close <= 98 * trials, std::to_string(close).c_str());
  QVERIFY(100 * whole >= 95 * trials);  // an interval of whole numbers holds more
}

// 40 % are 1 and no value is less: of 20 groups none has any, as would be so with 2.5 % of a share of 17 %.
void TestGroupedObservations::an_atom_at_an_end_bounds_what_lies_in_it() {
  RandomStream stream(3, 0);
  GroupedObservations groups;
  Quantiles all;
  for (int g = 0; g < 20; ++g) {
    std::vector<double> group(200);
    for (double& x : group) x = 1.0 + std::max(0.0, stream.exponential() - std::log(1.0 / 0.6));
    const Quantiles one = observed(group);
    groups.add(one), all.merge(one);
  }
  constexpr double levels[] = {0.05, 0.25, 0.9, 0.99};
  const std::vector<Interval> q = groups.quantiles(levels, all, 0.95);
  QVERIFY(q[0].lower == -infinity && q[0].upper == 1.0);
  QVERIFY(q[1].lower == 1.0 && q[1].upper == 1.0);
  QVERIFY(q[2].lower > 1.0 && std::isfinite(q[2].upper));
}

// Response times of M/M/1 at 0.6, from its law on (variance 6.25), in 20 replications: their squares are skewed and
// depend on each other.
void TestGroupedObservations::squares_of_queues_are_covered() {
  constexpr double load = 0.6;
  int held = 0;
  for (int seed = 0; seed < trials; ++seed) {
    RandomStream stream(stream_key(static_cast<std::uint64_t>(seed), "squares"), 0);
    GroupedObservations groups;
    for (int g = 0; g < 20; ++g) {
      double wait = stream.uniform() < load ? stream.exponential() / (1.0 - load) : 0.0;
      std::vector<double> group(600);
      for (double& x : group) x = wait + stream.exponential(), wait = std::max(0.0, x - stream.exponential() / load);
      groups.add(observed(group));
    }
    const auto variance = groups.variance(0.95);
    held += variance.ends.lower <= 6.25 && 6.25 <= variance.ends.upper ? 1 : 0;
  }
  QVERIFY2(held >= 0.92 * trials, qPrintable(QString::number(held)));
}

void TestGroupedObservations::one_group_bounds_nothing() {
  GroupedObservations grouped;
  const std::array<double, 1> p = {0.5};
  const Quantiles all = observed({1.0, 2.0, 3.0});
  QVERIFY(std::isinf(grouped.quantiles(p, Quantiles(), 0.95)[0].upper));
  grouped.add(all), grouped.add(Quantiles());
  QCOMPARE(grouped.groups(), std::size_t{1});
  QVERIFY(std::isinf(grouped.quantiles(p, all, 0.95)[0].upper) && std::isnan(grouped.variance(0.95).ends.upper));
  QCOMPARE(grouped.variance(0.95).value, 2.0 / 3.0);
  const std::vector<std::pair<double, double>> curve = {{2.0, 2.0 / 3.0}};
  QVERIFY(grouped.shares(curve, 0.95)[0].lower == 0.0 && grouped.shares(curve, 0.95)[0].upper == 1.0);
  // The same value always, in two groups: that value.
  GroupedObservations same;
  same.add(observed({4.0, 4.0})), same.add(observed({4.0}));
  const Interval ends = same.quantiles(p, observed({4.0, 4.0, 4.0}), 0.95)[0];
  QVERIFY(ends.lower == 4.0 && ends.upper == 4.0);
}

void TestGroupedObservations::merged_parts_and_archives_say_the_same() {
  RandomStream stream(5, 0);
  const std::array<double, 3> p = {0.05, 0.5, 0.95};
  for (int round = 0; round < 40; ++round) {
    // Values of many octaves, negative ones too, so that bins are made coarser on the way.
    const double spread = round % 4 == 0 ? 8.0 : 1.0;
    GroupedObservations one, parts, part;
    Quantiles all;
    for (int group = 0; group < 100; ++group) {
      std::vector<double> values(60);
      for (double& x : values) x = (round % 3 == 0 ? normal(stream) : 1.0) * std::exp(spread * normal(stream));
      one.add(observed(values)), part.add(observed(values)), all.observe(values);
      if (group % 7 == 6) parts.merge(part), part = {};
    }
    parts.merge(part);
    QCOMPARE(parts.n(), one.n());
    QCOMPARE(parts.groups(), one.groups());
    QVERIFY(one.possible() && parts.possible());
    ByteWriter writer;
    writer(one);
    const std::string bytes = writer.take();
    ByteReader reader(bytes);
    GroupedObservations back;
    reader(back);
    QVERIFY(reader.complete() && back.possible());
    const auto a = one.quantiles(p, all, 0.95), b = parts.quantiles(p, all, 0.95), c = back.quantiles(p, all, 0.95);
    for (std::size_t i = 0; i < p.size(); ++i) {
      QVERIFY(a[i].lower == b[i].lower && a[i].upper == b[i].upper);
      QVERIFY(a[i].lower == c[i].lower && a[i].upper == c[i].upper);
    }
    const Interval whole = one.variance(0.95).ends, joined = parts.variance(0.95).ends;
    QVERIFY(whole.upper == joined.upper || std::abs(whole.upper / joined.upper - 1.0) < 1e-9);
  }
}

QTEST_APPLESS_MAIN(TestGroupedObservations)
#include "tst_grouped_observations.moc"
