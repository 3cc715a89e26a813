// Rows of the specification of performance representatives (Jung et al., arXiv 2406.08330), each named: closed forms to
// 1e-9, sweeps of an NPU, points in three dimensions, noise, invariants.
#include <QtTest>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "plugins/performance_representatives/engine/draws.h"
#include "plugins/performance_representatives/engine/estimator.h"
#include "plugins/performance_representatives/engine/steps.h"
#include "plugins/performance_representatives/engine/targets.h"
#include "plugins/support/csv_table.h"

namespace performance_representatives {
namespace {

template <class Time>
SizeSweep sweep_of(std::int64_t last, Time time) {
  SizeSweep out;
  for (std::int64_t c = 1; c <= last; ++c) out.values.push_back(c), out.times.push_back(time(c));
  return out;
}
SizeSweep sweep_of_times(const std::vector<double>& times) {
  return sweep_of(static_cast<std::int64_t>(times.size()),
                  [&times](std::int64_t c) { return times[static_cast<std::size_t>(c - 1)]; });
}
double stairs(std::int64_t c, std::int64_t width) {
  return std::ceil(static_cast<double>(c) / static_cast<double>(width));
}

const std::vector<std::int64_t> four_jumps = {8, 16, 24, 32};
/// The sweeps of the specification: an NPU of 8 x 8, parameters 1 to 33.
SizeSweep npu_rows() {
  std::vector<double> t;
  for (const double start : {97.0, 131.0, 163.0, 195.0}) {
    t.insert(t.end(), 4, start);
    const double ripple = start == 97.0 ? 100.0 : start + 1.0;
    for (int i = 0; i < 4; ++i) t.push_back(ripple + i);
  }
  t.push_back(227);
  return sweep_of_times(t);
}
SizeSweep npu_columns() {
  std::vector<double> t = {99, 99, 101, 101, 101, 101, 103, 103};
  for (const double level : {135.0, 167.0, 199.0}) t.insert(t.end(), 8, level);
  t.push_back(231);
  return sweep_of_times(t);
}
SizeSweep npu_convolution() {
  std::vector<double> t = {1256, 1254, 1254, 1254, 1254, 1256, 1256, 1256, 2407, 2407, 2409, 2409,
                           2407, 2407, 2407, 2409, 3562, 3562, 3562, 3560, 3560, 3560, 3560, 3562};
  t.insert(t.end(), 8, 4716);
  t.push_back(5865);
  return sweep_of_times(t);
}
/// Each time the median of five with lognormal noise.
SizeSweep noisy(const SizeSweep& sweep, double cv, std::uint64_t seed) {
  Draws draw(seed);
  SizeSweep out = sweep;
  for (double& time : out.times) {
    std::vector<double> repeats;
    for (int r = 0; r < 5; ++r) repeats.push_back(time * draw.lognormal(cv));
    std::sort(repeats.begin(), repeats.end());
    time = repeats[2];
  }
  return out;
}

/// A cheap square of a range that is all points from 1 to `last`.
std::vector<Point> square_of(std::int64_t last) {
  std::vector<Point> out;
  for (std::int64_t a = 1; a <= last; ++a)
    for (std::int64_t b = 1; b <= last; ++b) out.push_back({a, b});
  return out;
}

struct NpuPoints {
  std::vector<Timed> representatives, test;
};
/// Empty where the case is not there.
NpuPoints npu_points() {
  const char* given = std::getenv("ERGODE_CASES");
  const std::filesystem::path root =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::path(ERGODE_SOURCE_DIR) / "../shared/cases";
  const std::filesystem::path path = root / "performance_representatives/npu_m8_gemm_points.csv";
  NpuPoints out;
  if (!std::filesystem::exists(path)) return out;
  const plugin_support::CsvTable table(plugin_support::file_content(path.string()),
                                       {{{"set"}, true}, {{"I"}}, {{"K"}}, {{"J"}}, {{"cycles"}}});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Timed one;
    for (std::size_t c = 1; c <= 3; ++c) one.point.push_back(static_cast<std::int64_t>(table.number(row, c)));
    one.time = table.number(row, 4);
    (table.text(row, 0) == "test" ? out.test : out.representatives).push_back(one);
  }
  return out;
}
#define WANT_NPU_POINTS(points)          \
  const NpuPoints points = npu_points(); \
  if (points.test.empty()) QSKIP("no cases folder: ERGODE_CASES names none with performance_representatives")

const Grid& npu_grid() {
  static const Grid grid({{1, 64, 8, 0}, {1, 64, 8, 0}, {1, 64, 8, 0}});
  return grid;
}
EstimatorOptions plain_forest(bool logarithm, std::uint64_t seed = 0) {
  return {.trees = 100, .seed = seed, .logarithm = logarithm, .derived = false, .measured = false};
}
std::vector<Timed> drawn(std::vector<Timed> from, std::size_t count, std::uint64_t seed) {
  Draws draw(seed);
  draw.shuffle(from);
  from.resize(std::min(count, from.size()));
  return from;
}
/// Means over seeds of the error that so many representatives lead to.
double error_of_representatives(const NpuPoints& points, std::size_t count, bool logarithm) {
  std::map<Point, double> times;
  for (const Timed& one : points.representatives) times[one.point] = one.time;
  double out = 0.0;
  constexpr std::uint64_t seeds = 10;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::vector<Timed> training;
    for (const Point& one : npu_grid().sample(count, seed)) training.push_back({one, times.at(one)});
    out += errors_of(Estimator(training, npu_grid(), plain_forest(logarithm, seed)), points.test).mape / seeds;
  }
  return out;
}
/// The same of random points: folds of the test set, so that each is estimated by a forest that has not seen it.
double error_of_random(const NpuPoints& points, std::size_t count, bool logarithm) {
  double sum = 0.0, tested = 0.0;
  constexpr std::uint64_t folds = 20;
  for (std::uint64_t fold = 0; fold < folds; ++fold) {
    const std::vector<Timed> all = drawn(points.test, points.test.size(), fold);
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<Timed> test(middle, all.end());
    const Estimator one({all.begin(), middle}, std::nullopt, plain_forest(logarithm, fold));
    sum += errors_of(one, test).mape * static_cast<double>(test.size()), tested += static_cast<double>(test.size());
  }
  return sum / tested;
}

}  // namespace

class TestPerformanceRepresentatives : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void closed_form_linear_estimate() {
    std::vector<double> estimates, truths, both, both_truths;
    for (std::int64_t c = 1; c <= 64; ++c)
      estimates.push_back(static_cast<double>(c) / 8.0), truths.push_back(stairs(c, 8));
    double harmonic = 0.0;
    for (int i = 1; i <= 8; ++i) harmonic += 1.0 / i;
    const double wanted = 100.0 * 7.0 / 16.0 * harmonic / 8.0;
    QVERIFY(std::fabs(errors_of(estimates, truths).mape / wanted - 1.0) < 1e-9);
    QVERIFY(std::fabs(wanted - 14.86328) < 5e-6);
    for (std::size_t a = 0; a < 64; ++a)
      for (std::size_t b = 0; b < 64; ++b)
        both.push_back(estimates[a] * estimates[b]), both_truths.push_back(truths[a] * truths[b]);
    const double product = 100.0 - (100.0 - wanted) * (100.0 - wanted) / 100.0;
    QVERIFY(std::fabs(errors_of(both, both_truths).mape / product - 1.0) < 1e-9);
    QVERIFY(std::fabs(product - 27.51739) < 5e-6);
  }

  void closed_form_stairs_and_lookup() {
    const Steps found = find_steps({sweep_of(64, [](std::int64_t c) { return stairs(c, 8); })});
    QCOMPARE(found.width, 8);
    QCOMPARE(found.offset, 0);
    QCOMPARE(found.sweeps[0].jumps, (std::vector<std::int64_t>{8, 16, 24, 32, 40, 48, 56}));
    QCOMPARE(found.most_frequent_gap, 8);
    QCOMPARE(found.common_divisor, 8);
    const auto lookup_error = [](const Grid& grid, const std::vector<Point>& all) {
      const auto time = [](const Point& at) {
        double out = 1.0;
        for (const std::int64_t c : at) out *= stairs(c, 8);
        return out;
      };
      std::vector<Timed> training, test;
      for (const Point& one : grid.sample(static_cast<std::size_t>(grid.size()), 0))
        training.push_back({one, time(one)});
      for (const Point& one : all) test.push_back({one, time(one)});
      const Errors errors = errors_of(Estimator(training, grid, {}), test);
      return std::make_pair(training.size(), errors.greatest);
    };
    std::vector<Point> line;
    for (std::int64_t c = 1; c <= 64; ++c) line.push_back({c});
    QCOMPARE(lookup_error(Grid({{1, 64, 8, 0}}), line), std::make_pair(std::size_t{8}, 0.0));
    QCOMPARE(lookup_error(Grid({{1, 64, 8, 0}, {1, 64, 8, 0}}), square_of(64)), std::make_pair(std::size_t{64}, 0.0));
  }

  void npu_sweeps() {
    const Steps rows = find_steps({npu_rows()}), columns = find_steps({npu_columns()});
    const Steps convolution = find_steps({npu_convolution()});
    for (const Steps* one : {&rows, &columns, &convolution}) {
      QCOMPARE(one->width, 8);
      QCOMPARE(one->offset, 0);
      QCOMPARE(one->sweeps[0].jumps, four_jumps);
    }
    QCOMPARE(npu_rows().times[8] - npu_rows().times[7], 28.0);
    // One width for all sweeps of a parameter, those without jumps among them.
    QCOMPARE(find_steps({npu_rows(), npu_columns(), sweep_of(33, [](std::int64_t) { return 7.0; })}).width, 8);
  }

  void noise_of_1_percent() {
    int right = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      bool all = true;
      for (const SizeSweep& sweep : {npu_rows(), npu_columns(), npu_convolution()}) {
        const Steps found = find_steps({noisy(sweep, 0.01, seed)});
        all = all && found.width == 8 && found.offset == 0;
      }
      right += all ? 1 : 0;
    }
    QCOMPARE(right, 20);
  }

  void no_stairs() {
    QCOMPARE(find_steps({sweep_of(64, [](std::int64_t c) { return static_cast<double>(c); })}).width, 1);
    QCOMPARE(find_steps({sweep_of(64, [](std::int64_t c) { return 1000.0 + 1e-3 * static_cast<double>(c); })}).width,
             1);
    QCOMPARE(find_steps({sweep_of(64, [](std::int64_t) { return 5.0; })}).width, 1);
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Draws draw(seed);
      QCOMPARE(find_steps({sweep_of(128, [&draw](std::int64_t) { return 100.0 + draw.normal(); })}).width, 1);
      // Noise with a heavy tail, whose single late times are no stairs.
      QCOMPARE(find_steps({sweep_of(128, [&draw](std::int64_t) { return 100.0 * draw.lognormal(1.5); })}).width, 1);
    }
  }

  void two_widths_and_scale() {
    const auto time = [](std::int64_t c) { return stairs(c, 8) + stairs(c, 12); };
    for (const std::int64_t last : {33, 64, 96, 200}) {
      const Steps found = find_steps({sweep_of(last, time)});
      QCOMPARE(found.width, 4);
      QCOMPARE(found.offset, 0);
      QCOMPARE(find_steps({sweep_of(last, [&time](std::int64_t c) { return 2.0 * time(c); })}).width, 4);
    }
    // Twice the time: the same width, the same errors.
    std::vector<Timed> once, twice, test, test_twice;
    const GemmArray target;
    const Grid grid({{1, 64, 8, 0}, {1, 64, 8, 0}, {1, 64, 8, 0}});
    for (const Point& one : grid.sample(64, 1))
      once.push_back({one, target.cycles(one)}), twice.push_back({one, 2.0 * target.cycles(one)});
    for (const Point& one : grid.sample_range(400, 2))
      test.push_back({one, target.cycles(one)}), test_twice.push_back({one, 2.0 * target.cycles(one)});
    for (const bool logarithm : {false, true}) {
      const EstimatorOptions options{.logarithm = logarithm};
      const double first = errors_of(Estimator(once, grid, options), test).mape;
      QVERIFY(first > 0.0);
      QVERIFY(std::fabs(errors_of(Estimator(twice, grid, options), test_twice).mape - first) < 1e-9 * first);
    }
  }

  void offsets_several_sweeps_hints() {
    for (std::int64_t width = 3; width <= 40; ++width)
      for (std::int64_t offset = 0; offset < width; ++offset) {
        const auto time = [&](std::int64_t c) { return 50.0 + 7.0 * stairs(c - offset, width); };
        const Steps found = find_steps({sweep_of(4 * width, time)});
        QCOMPARE(found.width, width);
        QCOMPARE(found.offset, offset);
      }
    const SizeSweep by_8 = sweep_of(64, [](std::int64_t c) { return 10.0 + stairs(c, 8); });
    const SizeSweep by_12 = sweep_of(64, [](std::int64_t c) { return 10.0 + stairs(c, 12); });
    QCOMPARE(find_steps({by_8, by_12}).width, 4);
    // Stairs that one measurement has moved by one: the known width is preferred.
    const auto moved = [](std::int64_t c) { return 10.0 + stairs(c == 25 ? 24 : c, 8); };
    QCOMPARE(find_steps({sweep_of(80, moved)}).width, 1);
    StepRules known;
    known.hints = {16};
    QCOMPARE(find_steps({sweep_of(80, moved)}, known).width, 8);
    const SizeSweep one_jump = sweep_of(12, [](std::int64_t c) { return stairs(c, 8); });
    QCOMPARE(find_steps({one_jump}).width, 1);
    QCOMPARE(find_steps({one_jump}, known).width, 8);
    // Sweeps by steps of a hint.
    SizeSweep coarse;
    for (std::int64_t c = 16; c <= 512; c += 16) coarse.values.push_back(c), coarse.times.push_back(stairs(c, 64));
    QCOMPARE(find_steps({coarse}).width, 64);
    SizeSweep uneven = coarse;
    uneven.values[3] += 1;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, find_steps({uneven}));
    coarse.times[0] = 0.0;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, find_steps({coarse}));
  }

  void representatives_are_ends_of_stairs() {
    // Against the definition: the least c' >= c that ends a stair, or the greatest value of the range.
    for (std::int64_t low = 1; low <= 12; ++low)
      for (std::int64_t high = low; high <= 30; ++high)
        for (std::int64_t width = 1; width <= 9; ++width)
          for (std::int64_t offset = 0; offset < width; ++offset) {
            const Axis axis{low, high, width, offset};
            std::set<std::int64_t> all;
            for (std::int64_t c = low; c <= high; ++c) {
              std::int64_t end = c;
              while (end < high && end % width != offset) ++end;
              QCOMPARE(axis.representative(c), end);
              all.insert(end);
            }
            QCOMPARE(axis.representatives(), static_cast<std::int64_t>(all.size()));
            std::int64_t index = 0;
            for (const std::int64_t one : all) QCOMPARE(axis.representative_at(index++), one);
          }
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Grid({{5, 4, 1, 0}}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Grid({{1, 4, 0, 0}}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Grid({{1, 4, 2, 2}}));
  }

  void samples_are_representatives_with_corners() {
    const Grid grid({{1, 60, 8, 0}, {1, 64, 8, 3}, {5, 5, 1, 0}});
    QCOMPARE(grid.size(), 8.0 * 9.0);
    QCOMPARE(grid.range_size(), 60.0 * 64.0);
    for (const std::size_t count : {1U, 4U, 20U, 50U, 72U, 100U}) {
      const std::vector<Point> sample = grid.sample(count, 7);
      QCOMPARE(sample.size(), std::clamp<std::size_t>(count, 4, 72));
      const std::set<Point> all(sample.begin(), sample.end());
      QCOMPARE(all.size(), sample.size());
      for (const Point& one : sample) QCOMPARE(grid.representative(one), one);
      for (const Point& corner : {Point{8, 3, 5}, Point{60, 3, 5}, Point{8, 64, 5}, Point{60, 64, 5}})
        QVERIFY(all.count(corner) == 1);
      QCOMPARE(grid.sample(count, 7), sample);
    }
    QVERIFY(grid.sample(20, 7) != grid.sample(20, 8));
    // Uniform: of 68 that are no corners, 16 a time.
    std::map<Point, int> counts;
    for (std::uint64_t seed = 0; seed < 2000; ++seed)
      for (const Point& one : grid.sample(20, seed)) ++counts[one];
    for (const auto& [point, count] : counts) QVERIFY(count == 2000 || std::abs(count - 470) < 6 * 22);
    QCOMPARE(counts.size(), std::size_t{72});
  }

  void three_dimensional_lookup() {
    WANT_NPU_POINTS(points);
    QCOMPARE(points.representatives.size(), std::size_t{512});
    QCOMPARE(points.test.size(), std::size_t{270});
    const Errors errors = errors_of(Estimator(points.representatives, npu_grid(), {}), points.test);
    QVERIFY2(std::fabs(errors.mape - 1.98558) < 5e-6, qPrintable(QString::number(errors.mape, 'g', 10)));
    QVERIFY2(std::fabs(errors.rmspe - 3.78968) < 5e-6, qPrintable(QString::number(errors.rmspe, 'g', 10)));
    QVERIFY2(std::fabs(errors.greatest - 25.0) < 1e-9, qPrintable(QString::number(errors.greatest, 'g', 10)));
  }

  void three_dimensional_forest() {
    WANT_NPU_POINTS(points);
    struct Row {
      bool logarithm;
      std::size_t count;
      double representatives, random;
    };
    for (const Row& row : {Row{false, 64, 27.19, 46.78}, Row{false, 256, 7.88, 16.09}, Row{true, 64, 17.98, 25.02},
                           Row{true, 256, 6.63, 14.74}}) {
      const double chosen = error_of_representatives(points, row.count, row.logarithm);
      const double random = error_of_random(points, row.count, row.logarithm);
      const QString seen =
          QString("%1 %2: %3 / %4").arg(row.logarithm ? "ln T" : "T").arg(row.count).arg(chosen).arg(random);
      qInfo("%s", qPrintable(seen));
      QVERIFY2(std::fabs(chosen / row.representatives - 1.0) < 0.25, qPrintable(seen));
      QVERIFY2(std::fabs(random / row.random - 1.0) < 0.25, qPrintable(seen));
      QVERIFY2(chosen < random, qPrintable(seen));
    }
    for (const bool logarithm : {false, true})
      for (const std::size_t count : {96U, 128U, 192U})
        QVERIFY(error_of_representatives(points, count, logarithm) < error_of_random(points, count, logarithm));
  }

  void representatives_beat_random_points_of_an_array() {
    const GemmArray target{8, 16, 4};
    const Grid grid({{1, 128, 4, 0}, {1, 128, 8, 0}, {1, 128, 16, 0}});
    std::vector<Timed> test;
    for (const Point& one : grid.sample_range(400, 99)) test.push_back({one, target.cycles(one)});
    const auto timed = [&target](const std::vector<Point>& points) {
      std::vector<Timed> out;
      for (const Point& one : points) out.push_back({one, target.cycles(one)});
      return out;
    };
    for (const std::size_t count : {64U, 128U, 256U, 512U}) {
      const Estimator chosen(timed(grid.sample(count, 1)), grid, {}),
          random(timed(grid.sample_range(count, 2)), std::nullopt, {});
      QVERIFY(errors_of(chosen, test).mape < errors_of(random, test).mape);
    }
    QCOMPARE(errors_of(Estimator(timed(grid.sample(4096, 1)), grid, {}), test).greatest, 0.0);
  }

  void forest_keeps_what_it_is_told() {
    // One tree of all rows is the data itself; a forest stays within them; the same seed gives the same bits.
    Draws draw(3);
    Samples samples{2, {}, {}};
    for (int i = 0; i < 300; ++i) {
      const double a = std::floor(20.0 * draw.uniform()), b = std::floor(20.0 * draw.uniform());
      samples.features.insert(samples.features.end(), {a, b});
      samples.targets.push_back(1e6 + a * a - 3.0 * b);
    }
    const Forest forest(samples, 100, 5), again(samples, 100, 5), other(samples, 100, 6);
    double distance = 0.0, spread = 0.0;
    bool different = false;
    for (std::size_t i = 0; i < samples.rows(); ++i) {
      const double* row = samples.features.data() + 2 * i;
      QCOMPARE(forest(row), again(row));
      different = different || forest(row) != other(row);
      distance += std::fabs(forest(row) - samples.targets[i]), spread += std::fabs(samples.targets[i] - 1e6 - 100.0);
    }
    QVERIFY(different);
    QVERIFY2(distance < 0.05 * spread, qPrintable(QString("%1 of %2").arg(distance).arg(spread)));
    const double far[] = {1e9, -1e9};
    QVERIFY(forest(far) <= *std::max_element(samples.targets.begin(), samples.targets.end()));
    const Samples none{1, {}, {}};
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Forest(none, 1, 0));
    const Samples constant{1, {1, 2, 3}, {7, 7, 7}};
    QCOMPARE(Forest(constant, 10, 0)(far), 7.0);
  }

  void network_counts_dominant_layers() {
    const NetworkEstimate sum =
        network_time({{"conv1", "a", 10}, {"bn1", "a", 2}, {"relu1", "a", 1}, {"fc", "", 5}}, 3.0);
    QCOMPARE(sum.time, 18.0);
    QCOMPARE(sum.counted, (std::vector<double>{10, 0, 0, 5}));
    QCOMPARE(network_time({{"bn", "a", 2}, {"conv", "a", 10}, {"other", "b", 4}}).counted,
             (std::vector<double>{0, 10, 4}));
    QCOMPARE(sample_counts(200), (std::vector<std::size_t>{64, 128, 200}));
    QCOMPARE(sample_counts(64), (std::vector<std::size_t>{64}));
    QCOMPARE(sample_counts(10), (std::vector<std::size_t>{10}));
  }
};

}  // namespace performance_representatives

using performance_representatives::TestPerformanceRepresentatives;
QTEST_APPLESS_MAIN(TestPerformanceRepresentatives)
#include "tst_performance_representatives.moc"
