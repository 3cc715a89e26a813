// Measured GPUs of Longhorn and Frontera: what characterise() finds is what was derived of the same files. Numbers to
// their last printed digit.
#include <QtTest>
#include <cmath>

#include "core/base/read_file.h"
#include "solvers/cluster/devices/device_character.h"
#include "tests/conformance/cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::optional<DeviceCharacter> measured_gpus(const char* name) {
  const std::string folder = case_folder("gpu_variability");
  if (folder.empty()) return std::nullopt;
  const auto text = read_text(folder + "/" + name);
  const auto read = read_device_measurements(std::get<std::string>(text), name);
  return characterise(std::get<0>(read).at(0));
}

/// Half of the last digit printed, and what rounding a printed number twice may add.
void to_last_digit(double seen, double wanted, double digit, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= 0.5001 * digit,
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 12).arg(wanted, 0, 'g', 12)));
}

}  // namespace

class TestGpuVariability : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void row_longhorn_sgemm_runs() {
    const auto made = measured_gpus("sgemm_longhorn_runs.csv");
    if (!made) QSKIP("no cases folder");
    const BoxStatistics& box = made->of_runs;
    QCOMPARE(box.count, std::size_t{11087});
    to_last_digit(box.median, 2439.556, 1e-3, "median");
    to_last_digit(box.lower_whisker, 2331.443, 1e-3, "lower"),
        to_last_digit(box.upper_whisker, 2544.567, 1e-3, "upper");
    to_last_digit(100 * box.variation(), 8.7362, 1e-4, "V");
    QCOMPARE(box.high.size(), std::size_t{89});
    QCOMPARE(box.low.size(), std::size_t{45});
  }

  void row_longhorn_sgemm_gpus() {
    const auto made = measured_gpus("sgemm_longhorn_runs.csv");
    if (!made) QSKIP("no cases folder");
    const BoxStatistics& box = made->of_gpus;
    QCOMPARE(box.count, std::size_t{392});
    to_last_digit(box.median, 2435.380, 1e-3, "median"), to_last_digit(box.mean, 2436.342, 1e-3, "mean");
    to_last_digit(box.sd, 48.513, 1e-3, "sd"), to_last_digit(100 * box.cv(), 1.991, 1e-3, "CV");
    // They are 2406.3865 and 2462.7155: a half is printed either way.
    to_last_digit(box.q1, 2406.386, 1e-3, "q1"), to_last_digit(box.q3, 2462.716, 1e-3, "q3");
    to_last_digit(box.lower_whisker, 2324.581, 1e-3, "lower"),
        to_last_digit(box.upper_whisker, 2541.153, 1e-3, "upper");
    to_last_digit(100 * box.variation(), 8.8927, 1e-4, "V");
    to_last_digit(box.greatest, 2929.149, 1e-3, "greatest"),
        to_last_digit(box.greatest / box.median, 1.2027, 1e-4, "times");
    QCOMPARE(box.high.size(), std::size_t{5});
    QCOMPARE(box.low.size(), std::size_t{1});
    to_last_digit(made->medians[0][box.low[0]], 2319.506, 1e-3, "fast one");
  }

  void row_longhorn_sgemm_slow_outliers() {
    const auto made = measured_gpus("sgemm_longhorn_runs.csv");
    if (!made) QSKIP("no cases folder");
    std::vector<std::uint32_t> slow = made->of_gpus.high;
    std::sort(slow.begin(), slow.end(), [&](auto a, auto b) { return made->medians[0][a] < made->medians[0][b]; });
    const double wanted[5][4] = {{2556, 1365, 80, 284.6},
                                 {2567, 1290, 82, 263.5},
                                 {2587, 1312, 81, 295.0},
                                 {2621, 1350, 74, 281.4},
                                 {2929, 1312, 81, 250.4}};
    for (std::size_t i = 0; i < 5; ++i) {
      const auto value = [&](DeviceQuantity q) { return made->medians[static_cast<std::size_t>(q)][slow[i]]; };
      to_last_digit(value(DeviceQuantity::time), wanted[i][0], 1, "ms");
      to_last_digit(value(DeviceQuantity::frequency), wanted[i][1], 1, "MHz");
      to_last_digit(value(DeviceQuantity::temperature), wanted[i][2], 1, "C");
      to_last_digit(value(DeviceQuantity::power), wanted[i][3], 0.1, "W");
    }
  }

  void row_longhorn_sgemm_correlations() {
    const auto made = measured_gpus("sgemm_longhorn_runs.csv");
    if (!made) QSKIP("no cases folder");
    // Time, frequency, temperature, power.
    QCOMPARE(made->quantities.size(), std::size_t{4});
    to_last_digit(made->spearman[0][1], -0.9807, 1e-4, "time-frequency");
    to_last_digit(made->spearman[0][2], 0.4343, 1e-4, "time-temperature");
    to_last_digit(made->pearson[0][1], -0.9350, 1e-4, "time-frequency");
    to_last_digit(made->pearson[0][2], 0.4578, 1e-4, "time-temperature");
    const auto rows = table(case_folder("gpu_variability") + "/sgemm_longhorn_runs.csv");
    double capped = 0.0;
    for (const auto& row : rows) capped += row.at("power_w") >= 295.0 ? 1.0 : 0.0;
    to_last_digit(100 * capped / static_cast<double>(rows.size()), 99.15, 0.01, "at the cap");
  }

  void row_longhorn_sgemm_components() {
    const auto made = measured_gpus("sgemm_longhorn_runs.csv");
    if (!made) QSKIP("no cases folder");
    to_last_digit(100 * made->components.between_cv(), 1.7228, 1e-4, "between");
    to_last_digit(100 * made->components.within_cv(), 0.3041, 1e-4, "within");
    QCOMPARE(made->without_outliers.groups, std::size_t{386});
    to_last_digit(100 * made->without_outliers.between_cv(), 1.5388, 1e-4, "between");
    to_last_digit(100 * made->without_outliers.within_cv(), 0.1741, 1e-4, "within");
  }

  void row_other_data_sets_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("gpus");
    QTest::addColumn<double>("v");
    QTest::addColumn<int>("high");
    QTest::addColumn<int>("low");
    QTest::addColumn<double>("most");
    QTest::newRow("BERT Longhorn") << "bert_longhorn" << 136 << 2.6048 << 4 << 1 << 1.0391;
    QTest::newRow("PageRank Longhorn") << "pagerank_longhorn" << 172 << 0.3714 << 3 << 28 << 1.0036;
    QTest::newRow("ResNet-50 Frontera") << "resnet50_frontera" << 296 << 2.8547 << 34 << 1 << 1.1449;
    QTest::newRow("PageRank Frontera") << "pagerank_frontera" << 248 << 0.2090 << 0 << 0 << 1.0009;
  }
  void row_other_data_sets() {
    QFETCH(QString, file);
    QFETCH(int, gpus);
    QFETCH(double, v);
    QFETCH(int, high);
    QFETCH(int, low);
    QFETCH(double, most);
    const auto made = measured_gpus((file + "_gpu_medians.csv").toUtf8().constData());
    if (!made) QSKIP("no cases folder");
    const BoxStatistics& box = made->of_gpus;
    QCOMPARE(box.count, static_cast<std::size_t>(gpus));
    to_last_digit(100 * box.variation(), v, 1e-4, "V");
    QCOMPARE(box.high.size(), static_cast<std::size_t>(high));
    QCOMPARE(box.low.size(), static_cast<std::size_t>(low));
    to_last_digit(box.greatest / box.median, most, 1e-4, "most");
    // The built-in profile is that of these devices.
    const DeviceProfile* known = find_device_profile(file.toStdString());
    for (std::size_t i = 0; i < known->values.size(); ++i)
      to_last_digit(made->profile.values[i], known->values[i], 1e-4, qPrintable(file + QString::number(i)));
  }

  void row_a_fast_cluster_of_pagerank() {
    const auto made = measured_gpus("pagerank_longhorn_gpu_medians.csv");
    if (!made) QSKIP("no cases folder");
    // Bins find the cluster of 16 % at 0.971.
    const auto fast = std::count(made->bins.bin_of.begin(), made->bins.bin_of.end(), 0U);
    to_last_digit(made->bins.score[0], 0.971, 1e-3, "score");
    to_last_digit(static_cast<double>(fast) / 172.0, 0.16, 0.01, "share");
  }
};

QTEST_APPLESS_MAIN(TestGpuVariability)
#include "tst_gpu_variability.moc"
