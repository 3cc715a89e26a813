// Speedup functions: values and slopes by their formulas, hulls of tables, what is refused, shares of a cluster.
#include <QtTest>
#include <cmath>
#include <random>

#include "solvers/cluster/budget/cluster_shares.h"

using namespace ergode;

namespace {

Speedup made(std::variant<Speedup, std::string> from) {
  if (auto* why = std::get_if<std::string>(&from)) throw std::runtime_error(*why);
  return std::get<Speedup>(std::move(from));
}
std::string refused(const std::variant<Speedup, std::string>& from) {
  const auto* why = std::get_if<std::string>(&from);
  return why != nullptr ? *why : "";
}

using Family = Speedup::Family;

/// One of each kind, at random.
Speedup any_speedup(std::mt19937& random) {
  std::uniform_real_distribution<double> part(0.05, 0.95);
  switch (random() % 4) {
    case 0:
      return made(Speedup::of(Family::amdahl, part(random)));
    case 1:
      return made(Speedup::of(Family::power, part(random)));
    case 2:
      return made(Speedup::of(Family::logarithmic, part(random)));
    default:
      break;
  }
  std::vector<SpeedupPoint> points = {{1, 1}};
  for (int i = 0; i < 6; ++i) {
    const double k = points.back().gpus + 1 + static_cast<double>(random() % 3);
    points.push_back({k, std::min(k, points.back().speed + part(random))});
  }
  return made(Speedup::of_table(points));
}

}  // namespace

class TestSpeedup : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void families_have_their_formulas() {
    const Speedup amdahl = made(Speedup::of(Family::amdahl, 0.8)), power = made(Speedup::of(Family::power, 0.5)),
                  log = made(Speedup::of(Family::logarithmic, 0.5));
    for (const double k : {1.0, 1.5, 2.0, 7.25, 100.0}) {
      QCOMPARE(amdahl.speed(k), 1 / (0.2 + 0.8 / k));
      QCOMPARE(power.speed(k), std::sqrt(k));
      QCOMPARE(log.speed(k), 1 + 0.5 * std::log(k));
    }
    // Below one GPU a share of one is a share of its speed.
    for (const Speedup* one : {&amdahl, &power, &log}) QCOMPARE(one->speed(0.25), 0.25);
    // The most that a job can use.
    QCOMPARE(made(Speedup::of(Family::power, 0.5, 9)).speed(100), 3.0);
  }

  void each_is_concave_does_not_fall_and_never_beats_single_gpus() {
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
      const Speedup s = any_speedup(random);
      double before = s.speed(1.0), gain_before = 1.0, share_before = 1.0;
      QCOMPARE(before, 1.0);
      for (double k = 1.25; k < 30; k += 0.25) {
        const double here = s.speed(k), gain = (here - before) / 0.25;
        QVERIFY(gain >= -1e-12 && gain <= gain_before + 1e-9 && here / k <= share_before + 1e-12);
        // The slope is a difference of values, on either side of a corner.
        QVERIFY(s.slope(k - 0.25) >= gain - 1e-9 && s.slope(k) <= gain + 1e-9);
        before = here, gain_before = gain, share_before = here / k;
      }
    }
  }

  void gpus_of_a_slope_invert_it() {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> log_slope(-5, 0);
    for (int i = 0; i < 2000; ++i) {
      const Speedup s = any_speedup(random);
      const double slope = std::exp(log_slope(random)), k = s.gpus_of_slope(slope), step = 1e-6 * k;
      if (k > 1.0) QVERIFY((s.speed(k) - s.speed(k - step)) / step >= slope * (1 - 1e-4));
      if (k < s.most()) QVERIFY((s.speed(k + step) - s.speed(k)) / step <= slope * (1 + 1e-4));
    }
  }

  void points_below_the_hull_of_a_table_do_not_count() {
    // The table of the two-table demo: three GPUs at 2.2 lie below the line from two to four.
    const Speedup a = made(Speedup::of_table({{1, 1}, {2, 1.8}, {3, 2.2}, {4, 3.1}, {8, 4.6}}));
    std::vector<double> corners;
    for (const SpeedupPoint& p : a.corners()) corners.push_back(p.gpus);
    QCOMPARE(corners, (std::vector<double>{1, 2, 4, 8}));
    QCOMPARE(a.speed(3), (1.8 + 3.1) / 2);
    QCOMPARE(a.most(), 8.0);
    // Lower hull of (k/s, 1/s), by its definition: a mix of two others takes as long and costs less.
    double least = INFINITY;
    for (const auto& [slow, fast] : {std::pair{SpeedupPoint{2, 1.8}, SpeedupPoint{4, 3.1}}, {{2, 1.8}, {8, 4.6}}}) {
      const double share = (1 / slow.speed - 1 / 2.2) / (1 / slow.speed - 1 / fast.speed);
      least = std::min(least, (1 - share) * slow.gpus / slow.speed + share * fast.gpus / fast.speed);
    }
    QVERIFY(least < 3 / 2.2);
    // s(k)/k falls, and yet it is not concave: what counts is true concavity.
    const Speedup bent = made(Speedup::of_table({{1, 1}, {2, 1.1}, {3, 1.6}}));
    QCOMPARE(bent.corners().size(), 2U);
    // Without fractions of GPUs, points that these hid count.
    const Speedup half = made(Speedup::of_table({{1, 1}, {2, 1.5}, {2.5, 2.4}, {4, 3}}));
    QCOMPARE(half.corners().size(), 3U);
    QCOMPARE(half.whole().speed(2), 1 + 2.0 / 3);  // between one and four GPUs
    QCOMPARE(made(Speedup::of_table({{1, 1}, {2, 1.9}, {2.5, 2.4}, {4, 3}})).whole().speed(2), 1.9);
  }

  void what_is_no_speedup_is_refused_with_what_was_seen() {
    for (const auto& [family, value] : {std::pair{Family::amdahl, 1.1}, std::pair{Family::power, -0.1},
                                        std::pair{Family::logarithmic, 1.5}, std::pair{Family::power, std::nan("")}})
      QVERIFY(refused(Speedup::of(family, value)).find("wanted 0 to 1") != std::string::npos);
    QVERIFY(!refused(Speedup::of(Family::amdahl, 1.0)).empty());
    QVERIFY(refused(Speedup::of(Family::amdahl, 1.0, 16)).empty());
    QVERIFY(!refused(Speedup::of(Family::power, 0.5, 0.5)).empty());
    QVERIFY(!refused(Speedup::of_table({})).empty());
    QVERIFY(refused(Speedup::of_table({{2, 1}})).find("[2, 1]") != std::string::npos);
    QVERIFY(refused(Speedup::of_table({{1, 1}, {2, 0.9}})).find("[2, 0.9]") != std::string::npos);
    QVERIFY(refused(Speedup::of_table({{1, 1}, {2, 2.5}})).find("[2, 2.5]") != std::string::npos);
    QVERIFY(!refused(Speedup::of_table({{1, 1}, {4, 2}, {3, 2}})).empty());
    QVERIFY(!refused(Speedup::of_table({{1, 1}, {2, NAN}})).empty());
  }

  void v8_shares_of_hesrpt() {
    std::vector<double> shares(3);
    hesrpt_shares(0.5, shares);
    QCOMPARE(shares[0], 1.0 / 9);
    QCOMPARE(shares[1], 3.0 / 9);
    QCOMPARE(shares[2], 5.0 / 9);
    hesrpt_shares(0.0, shares);  // nothing is gained by more GPUs: all alike
    for (const double share : shares) QVERIFY(std::fabs(share - 1.0 / 3) < 1e-15);
    QCOMPARE(equal_share(16, 5), 3.2);
  }

  // Brute force: GPUs in small pieces, each where it gains most at that moment.
  void greedy_shares_do_the_most_work_at_once() {
    std::mt19937 random(3);
    for (int i = 0; i < 400; ++i) {
      const std::vector<Speedup> of = {any_speedup(random), any_speedup(random), any_speedup(random)};
      std::vector<AlikeJobs> types;
      std::size_t jobs = 0;
      for (const Speedup& one : of) types.push_back({&one, random() % 4}), jobs += types.back().jobs;
      if (jobs == 0) continue;
      const double gpus = 1 + static_cast<double>(random() % 40);
      greedy_shares(gpus, types);
      double used = 0, work = 0;
      for (const AlikeJobs& one : types) {
        used += static_cast<double>(one.jobs) * one.gpus;
        work += static_cast<double>(one.jobs) * one.speedup->speed(one.gpus);
      }
      QVERIFY2(used <= gpus * (1 + 1e-9), qPrintable(QString("%1: %2 of %3").arg(i).arg(used, 0, 'g', 15).arg(gpus)));
      std::vector<std::pair<const Speedup*, double>> each;
      for (const AlikeJobs& one : types)
        for (std::size_t j = 0; j < one.jobs; ++j) each.emplace_back(one.speedup, 0.0);
      constexpr double piece = 1.0 / 64;
      for (int p = 0; p < static_cast<int>(gpus / piece); ++p) {
        std::size_t best = 0;
        double gain = -1;
        for (std::size_t j = 0; j < each.size(); ++j) {
          const double more = each[j].first->speed(each[j].second + piece) - each[j].first->speed(each[j].second);
          if (more > gain + 1e-12) gain = more, best = j;
        }
        each[best].second += piece;
      }
      double plain = 0;
      for (const auto& [speedup, own] : each) plain += speedup->speed(own);
      QVERIFY2(std::fabs(work - plain) < 1e-3 * plain + 1e-9 && work >= plain * (1 - 1e-9),
               qPrintable(QString("%1: %2, by pieces %3").arg(i).arg(work, 0, 'g', 10).arg(plain, 0, 'g', 10)));
    }
  }
};

QTEST_GUILESS_MAIN(TestSpeedup)
#include "tst_speedup.moc"
