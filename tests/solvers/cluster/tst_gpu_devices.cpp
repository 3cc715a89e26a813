// Devices that should be alike: variation, bins, profiles and the power-cap model. Oracles are written from the
// definitions: sorting, all partitions, all pairs.
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "core/random/normal_quantile.h"
#include "solvers/cluster/devices/device_character.h"
#include "solvers/cluster/devices/device_scores.h"
#include "solvers/cluster/devices/power_cap_devices.h"

using namespace ergode;

namespace {

void device_close(double seen, double wanted, double within, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= within,
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 12).arg(wanted, 0, 'g', 12)));
}

std::vector<double> random_device_times(std::mt19937_64& random, std::size_t n, bool ties) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = 1.0 + 0.05 * std::normal_distribution<double>()(random);
    out.push_back(ties ? std::round(x * 50.0) / 50.0 : x);
  }
  return out;
}

double plain_silhouette(const std::vector<double>& x, const std::vector<std::size_t>& cluster, std::size_t k) {
  double total = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> sum(k, 0.0), count(k, 0.0);
    for (std::size_t j = 0; j < x.size(); ++j)
      if (j != i) sum[cluster[j]] += std::fabs(x[i] - x[j]), count[cluster[j]] += 1.0;
    if (count[cluster[i]] == 0.0) continue;
    const double a = sum[cluster[i]] / count[cluster[i]];
    double b = 1e300;
    for (std::size_t c = 0; c < k; ++c)
      if (c != cluster[i]) b = std::min(b, sum[c] / count[c]);
    total += std::max(a, b) > 0.0 ? (b - a) / std::max(a, b) : 0.0;
  }
  return total / static_cast<double>(x.size());
}

double plain_spread(const std::vector<double>& x, std::size_t from, std::size_t to) {
  double mean = 0.0, out = 0.0;
  for (std::size_t i = from; i < to; ++i) mean += x[i] / static_cast<double>(to - from);
  for (std::size_t i = from; i < to; ++i) out += (x[i] - mean) * (x[i] - mean);
  return out;
}

/// The least sum of squares of k clusters of x[from ...].
double plain_best(const std::vector<double>& x, std::size_t from, std::size_t k) {
  if (k == 1) return plain_spread(x, from, x.size());
  double best = 1e300;
  for (std::size_t to = from + 1; to + k - 1 <= x.size(); ++to)
    best = std::min(best, plain_spread(x, from, to) + plain_best(x, to, k - 1));
  return best;
}

}  // namespace

class TestGpuDevices : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void row_closed_form_whisker_rule();
  void row_closed_form_flops();
  void row_closed_form_normal_maximum();
  void row_maximum_of_k_draws_data();
  void row_maximum_of_k_draws();
  void row_generative_model();
  void boxes_are_those_of_sorted_values();
  void the_slowest_of_some_is_that_of_all_choices();
  void correlations_are_those_of_all_pairs();
  void components_are_those_that_were_drawn();
  void clusters_are_the_best_of_all();
  void silhouettes_are_those_of_all_pairs();
  void bins_hold_who_they_should();
  void profiles_stretch_to_a_variation();
  void profiles_are_laws();
  void classes_hang_together_as_asked();
  void files_are_read_or_told_data();
  void files_are_read_or_told();
};

void TestGpuDevices::row_closed_form_whisker_rule() {
  std::vector<double> values(11);
  std::iota(values.begin(), values.end(), 1.0);
  BoxStatistics box = box_statistics(values);
  device_close(box.variation(), 10.0 / 6.0, 1e-12, "V");
  QVERIFY(box.high.empty() && box.low.empty());
  values[10] = 100.0;
  box = box_statistics(values);
  device_close(box.variation(), 1.5, 1e-12, "V");
  QCOMPARE(box.high, std::vector<std::uint32_t>{10});
  QVERIFY(box.low.empty());
}

void TestGpuDevices::row_closed_form_flops() {
  const double flops = matrix_product_flops(25536, 2.43538), peak = peak_flops(5120, 1365);
  device_close(flops / 1e12, 13.67, 0.005, "TFLOP/s");
  device_close(peak / 1e12, 13.98, 0.005, "peak");
  device_close(flops / peak, 0.978, 0.0005, "share");
}

void TestGpuDevices::row_closed_form_normal_maximum() {
  const double p = std::pow(0.5, 0.25);
  device_close(normal_quantile(p), 0.9981489, 5e-8, "z");
  device_close(1.0 + 0.015 * normal_quantile(p), 1.014972, 5e-7, "median of the maximum");
}

void TestGpuDevices::row_maximum_of_k_draws_data() {
  QTest::addColumn<QString>("profile");
  QTest::addColumn<int>("k");
  QTest::addColumn<double>("mean");
  QTest::addColumn<double>("median");
  QTest::newRow("SGEMM Longhorn 4") << "sgemm_longhorn" << 4 << 1.02138 << 1.01690;
  QTest::newRow("SGEMM Longhorn 16") << "sgemm_longhorn" << 16 << 1.04476 << 1.03137;
  QTest::newRow("ResNet-50 Frontera 4") << "resnet50_frontera" << 4 << 1.03062 << 1.01326;
  QTest::newRow("ResNet-50 Frontera 16") << "resnet50_frontera" << 16 << 1.07486 << 1.07471;
  QTest::newRow("BERT Longhorn 8") << "bert_longhorn" << 8 << 1.01329 << 1.00809;
}
void TestGpuDevices::row_maximum_of_k_draws() {
  QFETCH(QString, profile);
  QFETCH(int, k);
  QFETCH(double, mean);
  QFETCH(double, median);
  const SlownessProfile one = find_device_profile(profile.toStdString())->profile();
  device_close(one.mean_of_greatest(k), mean, 1e-4, "mean");
  device_close(one.median_of_greatest(k), median, 1e-4, "median");
  // And by drawing it.
  RandomStream stream(stream_key(1, profile.toStdString()), static_cast<std::uint64_t>(k));
  double sum = 0.0;
  constexpr int draws = 20'000;
  for (int i = 0; i < draws; ++i) {
    double most = 0.0;
    for (int j = 0; j < k; ++j) most = std::max(most, one.quantile(stream.uniform()));
    sum += most / draws;
  }
  device_close(sum, mean, 2e-3, "mean of draws");
}

void TestGpuDevices::row_generative_model() {
  PowerCapModel model;
  model.tail_probability = 0.0;
  constexpr std::size_t draws = 600, gpus = 392;
  double v = 0.0, cv = 0.0, median = 0.0, four = 0.0, many = 0.0;
  std::vector<double> all;
  for (std::size_t r = 0; r < draws; ++r) {
    RandomStream stream(stream_key(1, "devices"), r);
    std::vector<double> times;
    for (const PowerCapDevice& one : draw_power_cap_devices(model, gpus, stream)) times.push_back(one.time_ms);
    const BoxStatistics box = box_statistics(times);
    all.push_back(100.0 * box.variation());
    v += all.back() / draws, cv += 100.0 * box.cv() / draws, median += box.median / draws;
    const auto greatest = [&](std::size_t k) {
      double sum = 0.0;
      const std::size_t groups = gpus / k;
      for (std::size_t g = 0; g < groups; ++g)
        sum += *std::max_element(times.begin() + static_cast<std::ptrdiff_t>(g * k),
                                 times.begin() + static_cast<std::ptrdiff_t>((g + 1) * k)) /
               static_cast<double>(groups);
      return sum / box.median;
    };
    four += greatest(4) / draws, many += greatest(32) / draws;
  }
  QVERIFY2(v >= 7.9 && v <= 8.1, qPrintable(QString::number(v)));
  std::sort(all.begin(), all.end());
  // 95 % of draws.
  device_close(all[draws / 40], 7.10, 0.10, "2.5 %");
  device_close(all[draws - 1 - draws / 40], 8.92, 0.12, "97.5 %");
  const auto inside = std::count_if(all.begin(), all.end(), [](double x) { return x >= 7.0 && x <= 9.0; });
  QVERIFY(inside > 95 * static_cast<std::ptrdiff_t>(draws) / 100);
  device_close(cv, 1.58, 0.01, "CV");
  device_close(median, 2433.3, 0.5, "median");
  device_close(four, 1.0167, 0.0005, "4 GPUs");
  device_close(many, 1.0338, 0.0005, "32 GPUs");
}

void TestGpuDevices::boxes_are_those_of_sorted_values() {
  std::mt19937_64 random(1);
  for (int turn = 0; turn < 500; ++turn) {
    const auto values = random_device_times(random, 1 + random() % 40, turn % 2 == 0);
    const BoxStatistics box = box_statistics(values);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double p) {
      const double place = p * static_cast<double>(sorted.size() - 1);
      const double below = std::floor(place), above = std::ceil(place);
      return sorted[static_cast<std::size_t>(below)] * (1.0 - (place - below)) +
             sorted[static_cast<std::size_t>(above)] * (place - below);
    };
    device_close(box.q1, at(0.25), 1e-12, "q1"), device_close(box.median, at(0.5), 1e-12, "m"),
        device_close(box.q3, at(0.75), 1e-12, "q3");
    std::size_t out = 0;
    double least = 1e300, greatest = -1e300;
    for (const double x : values) {
      if (x < box.q1 - 1.5 * (box.q3 - box.q1) || x > box.q3 + 1.5 * (box.q3 - box.q1)) ++out;
      else least = std::min(least, x), greatest = std::max(greatest, x);
    }
    QCOMPARE(box.high.size() + box.low.size(), out);
    QCOMPARE(box.lower_whisker, least);
    QCOMPARE(box.upper_whisker, greatest);
  }
}

void TestGpuDevices::the_slowest_of_some_is_that_of_all_choices() {
  std::mt19937_64 random(9);
  for (int turn = 0; turn < 60; ++turn) {
    const std::size_t n = 1 + random() % 10;
    auto values = random_device_times(random, n, turn % 2 == 0);
    std::sort(values.begin(), values.end());
    for (std::size_t k = 1; k <= n; ++k) {
      double sum = 0.0;
      int choices = 0;
      for (unsigned chosen = 0; chosen < (1U << n); ++chosen) {
        if (static_cast<std::size_t>(std::popcount(chosen)) != k) continue;
        double greatest = 0.0;
        for (std::size_t i = 0; i < n; ++i)
          if ((chosen >> i & 1U) != 0) greatest = std::max(greatest, values[i]);
        sum += greatest, ++choices;
      }
      device_close(mean_greatest_of(values, k), sum / choices, 1e-9, "mean of the greatest");
    }
    QVERIFY(std::isnan(mean_greatest_of(values, n + 1)));
  }
}

void TestGpuDevices::correlations_are_those_of_all_pairs() {
  std::mt19937_64 random(2);
  for (int turn = 0; turn < 200; ++turn) {
    const std::size_t n = 3 + random() % 30;
    const auto x = random_device_times(random, n, turn % 2 == 0), y = random_device_times(random, n, turn % 3 == 0);
    // The rank of a value: those below it, half of those equal to it, and one half.
    const auto rank = [](const std::vector<double>& all, double one) {
      double out = 0.5;
      for (const double other : all) out += other < one ? 1.0 : other == one ? 0.5 : 0.0;
      return out;
    };
    double xy = 0.0, xx = 0.0, yy = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double a = rank(x, x[i]) - rank(x, x[j]), b = rank(y, y[i]) - rank(y, y[j]);
        xy += a * b, xx += a * a, yy += b * b;
      }
    const double seen = spearman_correlation(x, y);
    if (xx == 0.0 || yy == 0.0) QVERIFY(std::isnan(seen));
    else device_close(seen, xy / std::sqrt(xx * yy), 1e-12, "spearman");
  }
  QVERIFY(std::isnan(pearson_correlation(std::vector<double>{1.0, 1.0}, std::vector<double>{1.0, 2.0})));
}

void TestGpuDevices::components_are_those_that_were_drawn() {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  std::vector<std::uint32_t> group;
  constexpr std::uint32_t groups = 4000;
  for (std::uint32_t g = 0; g < groups; ++g) {
    const double own = 10.0 + 0.3 * normal(random);
    for (std::size_t i = 0; i < 1 + g % 7; ++i) values.push_back(own + 0.1 * normal(random)), group.push_back(g);
  }
  const VarianceComponents seen = variance_components(values, group, groups);
  device_close(std::sqrt(seen.between), 0.3, 0.01, "between");
  device_close(std::sqrt(seen.within), 0.1, 0.003, "within");
  device_close(seen.icc(), 0.9, 0.01, "ICC");
  // By hand: {1, 3}, {5}: means 2 and 5, of all 3; MSB = 2 + 4 = 6, MSW = 2, n0 = 3 - 5/3 = 4/3.
  const VarianceComponents hand =
      variance_components(std::vector<double>{1, 3, 5}, std::vector<std::uint32_t>{0, 0, 1}, 2);
  device_close(hand.within, 2.0, 1e-12, "MSW"), device_close(hand.between, 3.0, 1e-12, "between");
  QVERIFY(std::isnan(variance_components(std::vector<double>{1, 2}, std::vector<std::uint32_t>{0, 1}, 2).within));
}

void TestGpuDevices::clusters_are_the_best_of_all() {
  std::mt19937_64 random(4);
  for (int turn = 0; turn < 300; ++turn) {
    auto values = random_device_times(random, 4 + random() % 9, turn % 3 == 0);
    std::sort(values.begin(), values.end());
    const auto different = static_cast<std::size_t>(std::set<double>(values.begin(), values.end()).size());
    for (std::size_t k = 2; k <= std::min<std::size_t>(5, different); ++k) {
      const auto begins = best_clusters(values, k);
      QCOMPARE(begins.size(), k);
      double cost = 0.0;
      for (std::size_t c = 0; c < k; ++c) {
        const std::size_t to = c + 1 < k ? begins[c + 1] : values.size();
        QVERIFY(to > begins[c]);
        cost += plain_spread(values, begins[c], to);
      }
      device_close(cost, plain_best(values, 0, k), 1e-12, "sum of squares");
    }
  }
}

void TestGpuDevices::silhouettes_are_those_of_all_pairs() {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 200; ++turn) {
    auto values = random_device_times(random, 6 + random() % 30, turn % 2 == 0);
    std::sort(values.begin(), values.end());
    const auto different = static_cast<std::size_t>(std::set<double>(values.begin(), values.end()).size());
    for (std::size_t k = 2; k <= std::min<std::size_t>(6, different); ++k) {
      const auto begins = best_clusters(values, k);
      std::vector<std::size_t> cluster(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        cluster[i] = static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), i) - begins.begin()) - 1;
      device_close(mean_silhouette(values, begins), plain_silhouette(values, cluster, k), 1e-9, "silhouette");
    }
  }
}

void TestGpuDevices::bins_hold_who_they_should() {
  // Three groups, and one far out: a bin of its own.
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(1.00 + 1e-4 * (i % 7));
  for (int i = 0; i < 10; ++i) values.push_back(1.05 + 1e-4 * (i % 3));
  for (int i = 0; i < 8; ++i) values.push_back(0.95 + 1e-4 * (i % 3));
  values.push_back(2.0);
  const DeviceBins bins = bin_devices(values);
  QCOMPARE(bins.score.size(), std::size_t{4});
  QCOMPARE(bins.bin_of.back(), 3U);
  QVERIFY(bins.bin_of[0] == 1 && bins.bin_of[40] == 2 && bins.bin_of[50] == 0);
  device_close(bins.score[1], 1.0, 1e-12, "that of the median");
  device_close(bins.score[3], 2.0 / (1.0 + 1e-4 * (5 * 21 + 0 + 1 + 2 + 3 + 4) / 40.0), 1e-9, "far out");
  // All alike: one bin; two values: two.
  QCOMPARE(bin_devices(std::vector<double>(5, 3.0)).score, std::vector<double>{1.0});
  QCOMPARE(bin_devices(std::vector<double>{1.0, 1.0, 2.0}).bin_of, (std::vector<std::uint32_t>{0, 0, 1}));
  std::mt19937_64 random(6);
  for (int turn = 0; turn < 100; ++turn) {
    const auto any = random_device_times(random, 1 + random() % 80, turn % 2 == 0);
    const DeviceBins made = bin_devices(any);
    QVERIFY(std::is_sorted(made.score.begin(), made.score.end()));
    for (std::size_t i = 0; i < any.size(); ++i)
      for (std::size_t j = 0; j < any.size(); ++j)
        if (any[i] <= any[j]) QVERIFY(made.bin_of[i] <= made.bin_of[j]);
  }
}

void TestGpuDevices::profiles_stretch_to_a_variation() {
  for (const DeviceProfile& one : device_profiles()) {
    const SlownessProfile profile = one.profile();
    QCOMPARE(profile.quantile(0.5), 1.0);
    device_close(profile.scaled_to(0.08).variation(), 0.08, 1e-9, one.name);
    device_close(profile.scaled_to(profile.variation()).mean(), profile.mean(), 1e-12, one.name);
    QVERIFY(find_device_profile(one.name) == &one);
  }
  QVERIFY(find_device_profile("none") == nullptr);
  const SlownessProfile own = profile_of_devices(std::vector<double>{1, 2, 3, 4, 5});
  QVERIFY(own.values.front() == 1.0 / 3.0 && own.values.back() == 5.0 / 3.0 && own.quantile(0.75) == 4.0 / 3.0);
}

void TestGpuDevices::profiles_are_laws() {
  const SlownessProfile profile = find_device_profile("sgemm_longhorn")->profile();
  const Distribution law = profile.law();
  device_close(law.mean(), profile.mean(), 1e-12, "mean");
  for (const double p : {0.0, 0.003, 0.2, 0.5, 0.97, 1.0})
    device_close(law.quantile(p), profile.quantile(p), 1e-15, "quantile");
  QVERIFY(profile.law_text().starts_with("quantile_table(p = [0, 0.01, 0.05, "));
}

void TestGpuDevices::classes_hang_together_as_asked() {
  const ScoreLaw law({find_device_profile("resnet50_longhorn")->profile(),
                      find_device_profile("bert_longhorn")->profile(), find_device_profile("bert_longhorn")->profile(),
                      find_device_profile("pagerank_longhorn")->profile()});
  RandomStream stream(stream_key(7, "devices"), 0);
  ByClass<std::vector<double>> drawn;
  for (int i = 0; i < 20'000; ++i) {
    const ByClass<double> one = law.draw(stream);
    for (std::size_t c = 0; c < application_classes; ++c) drawn[c].push_back(one[c]);
  }
  device_close(spearman_correlation(drawn[0], drawn[1]), 0.7, 0.012, "A-B");
  device_close(spearman_correlation(drawn[0], drawn[2]), 0.7, 0.012, "A-C");
  device_close(spearman_correlation(drawn[0], drawn[3]), 0.0, 0.025, "A-D");
  for (std::size_t c = 0; c < application_classes; ++c) {
    std::sort(drawn[c].begin(), drawn[c].end());
    for (const double p : {0.1, 0.25, 0.5, 0.9})
      device_close(quantile_between(drawn[c], p), law.profiles()[c].quantile(p), 1.5e-3, "quantile");
  }
}

void TestGpuDevices::files_are_read_or_told_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("told");
  QTest::newRow("good") << "app,gpu,node,cabinet,run,perf_ms\nA,g0,n0,c0,1,5\nA,g1,n0,c0,1,6\nB,g0,n0,c0,1,7\n"
                        << "";
  QTest::newRow("medians") << "gpu,runs,perf_median,temp_c_median\n0,6,1,40\n"
                           << "";
  QTest::newRow("empty") << ""
                         << "DEV001 m.csv: 0 rows; wanted a head and at least one more.";
  QTest::newRow("no gpu") << "device,perf_ms\n1,2\n"
                          << "DEV001 m.csv, row 1: there is no column gpu among";
  QTest::newRow("no time") << "gpu,time\n1,2\n"
                           << "DEV001 m.csv, row 1: there is no column perf_ms among";
  QTest::newRow("two times") << "gpu,perf_ms,perf_ms\n1,2,3\n"
                             << "DEV001 m.csv, row 1: column 'perf_ms' is there twice, as columns 2 and 3; wanted one.";
  QTest::newRow("two of the same part") << "gpu,perf_ms,temp_c_median,temp_c_median\n1,2,3,3\n"
                                        << "DEV001 m.csv, row 1: column 'temp_c_median' is there twice";
  QTest::newRow("zero") << "gpu,perf_ms\n1,0\n"
                        << "DEV002 m.csv, row 2: perf_ms is '0'; wanted a number above 0.";
  QTest::newRow("infinite") << "gpu,perf_ms\n1,inf\n"
                            << "DEV002 m.csv, row 2: perf_ms is 'inf'; wanted a number above 0.";
  QTest::newRow("word") << "gpu,perf_ms,temp_c\n1,2,hot\n"
                        << "DEV002 m.csv, row 2: temp_c is 'hot'; wanted a number.";
  QTest::newRow("cells") << "gpu,perf_ms\n1\n"
                         << "DEV002 m.csv, row 2: 1 cells; wanted 2 as in the head.";
  QTest::newRow("moved") << "gpu,node,perf_ms\n1,a,2\n1,b,2\n"
                         << "DEV002 m.csv, row 3: node is 'b'; wanted 'a', as in a row before of this GPU.";
  QTest::newRow("twice") << "gpu,run,perf_ms\n1,1,2\n1,1,2\n"
                         << "DEV002 m.csv, row 3: run '1' of GPU '1' is there twice; wanted once.";
  QTest::newRow("nameless") << "gpu,perf_ms\n,2\n"
                            << "DEV002 m.csv, row 2: gpu is ''; wanted a name or a number.";
}
void TestGpuDevices::files_are_read_or_told() {
  QFETCH(QString, text);
  QFETCH(QString, told);
  const auto read = read_device_measurements(text.toStdString(), "m.csv");
  if (told.isEmpty()) {
    QVERIFY(read.index() == 0);
    for (const DeviceMeasurements& one : std::get<0>(read)) {
      const DeviceCharacter made = characterise(one);
      QCOMPARE(made.of_gpus.count, one.gpus.size());
    }
    return;
  }
  QVERIFY(read.index() == 1);
  const Diagnostic& first = std::get<1>(read).front();
  QVERIFY2((first.code + " " + first.message).starts_with(told.toStdString()), first.message.c_str());
}

QTEST_APPLESS_MAIN(TestGpuDevices)
#include "tst_gpu_devices.moc"
