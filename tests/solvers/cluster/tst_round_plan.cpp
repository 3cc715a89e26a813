// Shockwave's predictor and plans: the closed forms of the specification, and plans against all that there are.
#include <QtTest>
#include <cmath>
#include <functional>
#include <random>

#include "solvers/cluster/rounds/round_plan.h"
#include "solvers/cluster/rounds/runtime_predictor.h"

using namespace ergode;

namespace {

double real_between(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

std::vector<PlannedJob> random_planned(std::mt19937& random, std::size_t count) {
  std::vector<PlannedJob> out(count);
  for (PlannedJob& job : out) {
    job.gpus = 1 << (random() % 2);
    job.epochs = std::floor(real_between(random, 2.0, 40.0));
    job.progress = std::floor(real_between(random, 0.0, job.epochs));
    job.epoch_s = real_between(random, 20.0, 400.0);
    job.remaining_s = (job.epochs - job.progress) * job.epoch_s * real_between(random, 0.7, 1.4);
    job.finish_by_s = real_between(random, 500.0, 20000.0);
  }
  return out;
}

/// All ways to give jobs rounds, round by round.
double best_of_all(const std::vector<PlannedJob>& jobs, const std::vector<double>& priorities,
                   const PlanOptions& options, const std::vector<int>& least) {
  double best = -INFINITY;
  std::vector<int> counts(jobs.size(), 0);
  const std::function<void(int)> round = [&](int r) {
    if (r == options.rounds) {
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (counts[i] < least[i]) return;
      best = std::max(best, plan_welfare(jobs, priorities, options, counts));
      return;
    }
    for (std::size_t set = 0; set < (std::size_t{1} << jobs.size()); ++set) {
      int gpus = 0;
      for (std::size_t i = 0; i < jobs.size(); ++i) gpus += set >> i & 1U ? jobs[i].gpus : 0;
      if (gpus > options.gpus) continue;
      for (std::size_t i = 0; i < jobs.size(); ++i) counts[i] += static_cast<int>(set >> i & 1U);
      round(r + 1);
      for (std::size_t i = 0; i < jobs.size(); ++i) counts[i] -= static_cast<int>(set >> i & 1U);
    }
  };
  round(0);
  return best;
}

PlanOptions small_window(std::mt19937& random) {
  PlanOptions out;
  out.gpus = 2 + static_cast<int>(random() % 2);
  out.rounds = 3;
  const double weights[] = {0.0, 1e-3, 10.0};
  out.makespan_weight = weights[random() % 3];
  out.gap = 1e-9, out.most_nodes = 10000;
  return out;
}

}  // namespace

class TestRoundPlan : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// V6.
  void predictor() {
    const std::vector<int> first = {32, 32, 32, 64, 64, 64, 64, 64, 64, 64};
    std::vector<double> time;
    for (const int b : first) time.push_back(b == 32 ? 100.0 : 60.0);
    QVERIFY(std::fabs(remaining_runtime(first, time, 3) - 468.571) < 5.1e-4);
    const std::vector<int> second = {16, 16, 256, 256, 256, 256, 256, 256};
    time.clear();
    for (const int b : second) time.push_back(b == 16 ? 200.0 : 45.0);
    QVERIFY(std::fabs(remaining_runtime(second, time, 1) - 704.0) < 1e-9);
    QCOMPARE(remaining_runtime(second, time, 8), 1.0);
    // One batch size: nothing is uncertain but for the epoch that counts as seen.
    const std::vector<int> one(10, 64);
    const std::vector<double> even(10, 30.0);
    for (int p = 0; p < 10; ++p) {
      const double left = remaining_runtime(one, even, p);
      QVERIFY(left >= 0.0 && left <= 30.0 * (10 - p) + 1e-9);
    }
  }

  void logarithm_by_pieces() {
    QVERIFY(std::fabs(piecewise_log(0.1) - -7.712474) < 5.1e-7);
    QVERIFY(std::fabs(piecewise_log(0.5) - -0.713558) < 5.1e-7);
    for (const double knot : {0.2, 0.4, 0.6, 0.8, 1.0})
      QVERIFY(std::fabs(piecewise_log(knot) - std::log(knot)) < 1e-12);
    QCOMPARE(piecewise_log(0.0), std::log(1e-6));
    QCOMPARE(piecewise_log(1.5), 0.0);
  }

  /// Oracle: every plan of a small window, by the programme to its gap, and placed.
  void programme_finds_the_best() {
    std::mt19937 random(3);
    int placed_whole = 0;
    for (int trial = 0; trial < 150; ++trial) {
      const PlanOptions options = small_window(random);
      const auto jobs = random_planned(random, 2 + random() % 3);
      std::vector<double> priorities;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        priorities.push_back(random() % 2 == 0 ? 1.0 : real_between(random, 1.0, 50.0));
      const std::vector<int> least(jobs.size(), 0);
      const double best = best_of_all(jobs, priorities, options, least);
      const RoundCounts found = planned_counts(jobs, priorities, options, least);
      QCOMPARE(found.method, PlanMethod::programme);
      // It is a relaxation: never worse, and the same where its counts find their places.
      QVERIFY2(found.welfare >= best - 1e-7 * std::fabs(best),
               qPrintable(QString("%1, best %2").arg(found.welfare).arg(best)));
      const PlacedRounds placed = place_rounds(jobs, priorities, options, found.rounds);
      if (!placed.whole) continue;
      ++placed_whole;
      QVERIFY(found.welfare <= best + 1e-7 * std::fabs(best));
      std::vector<int> seen(jobs.size(), 0);
      for (const auto& round : placed.jobs) {
        int gpus = 0;
        for (const std::uint32_t job : round) ++seen[job], gpus += jobs[job].gpus;
        QVERIFY(gpus <= options.gpus);
      }
      QCOMPARE(seen, found.rounds);
    }
    QVERIFY2(placed_whole > 40, qPrintable(QString::number(placed_whole)));
  }

  void marginal_gains_are_near_the_programme() {
    std::mt19937 random(4);
    double worst = 0.0;
    for (int trial = 0; trial < 60; ++trial) {
      PlanOptions options;
      options.gpus = 8, options.makespan_weight = trial % 2 == 0 ? 1e-3 : 1e-5;
      const auto jobs = random_planned(random, 20);
      const std::vector<double> priorities(jobs.size(), 1.0);
      const std::vector<int> least(jobs.size(), 0);
      const double best = planned_counts(jobs, priorities, options, least).welfare;
      options.heuristic = true;
      const RoundCounts gains = planned_counts(jobs, priorities, options, least);
      QCOMPARE(gains.method, PlanMethod::heuristic);
      QVERIFY(gains.welfare <= best + 1e-9);
      worst = std::max(worst, (best - gains.welfare) / std::fabs(best));
    }
    QVERIFY2(worst < 0.02, qPrintable(QString("%1").arg(worst)));
  }

  void fairness_is_a_least_number_of_rounds() {
    PlanOptions options;
    options.gpus = 1, options.rounds = 4;
    // One of two jobs has half a GPU: the window ends at 480 s, so it may have (1000 - 480) / 2 = 260 s left of 500 s.
    const PlannedJob job{.epochs = 10, .progress = 0, .epoch_s = 50, .remaining_s = 500, .finish_by_s = 1000};
    PlannedJob other = job;
    other.finish_by_s = 1e6;
    QCOMPARE(fair_rounds(std::vector<PlannedJob>{job, other}, options, 0), std::optional(std::vector<int>{2, 0}));
    QVERIFY(!fair_rounds(std::vector<PlannedJob>{job, other}, options, 5));  // the window ends after it should have
    QVERIFY(!fair_rounds(std::vector<PlannedJob>{job, job, job}, options, 0));
    // Late ones: (600 + 500 * 2) / 1000 to the power of 12; the other is in time.
    const auto priorities = late_priorities(std::vector<PlannedJob>{job, other}, options, 5);
    QVERIFY(std::fabs(priorities[0] - std::pow(1.6, 12)) < 1e-9);
    QCOMPARE(priorities[1], 1.0);
    PlannedJob short_one = job;
    short_one.remaining_s = 100;
    short_one.finish_by_s = 700;
    QVERIFY(std::fabs(late_priorities(std::vector<PlannedJob>{short_one, other}, options, 5)[0] -
                      std::min(1e9, std::pow(800.0 / 700.0, 100))) < 1.0);
  }

  /// The urgent come first.
  void placing_follows_priorities() {
    PlanOptions options;
    options.gpus = 1, options.rounds = 4;
    const std::vector<PlannedJob> jobs(2);
    for (const bool heuristic : {false, true}) {
      options.heuristic = heuristic;
      const auto placed = place_rounds(jobs, std::vector<double>{1.0, 5.0}, options, std::vector<int>{2, 2});
      QCOMPARE(placed.jobs, (std::vector<std::vector<std::uint32_t>>{{1}, {1}, {0}, {0}}));
      QVERIFY(placed.whole);
    }
  }

  /// More than fits is placed in part, and said.
  void what_does_not_fit_is_told() {
    PlanOptions options;
    options.gpus = 2, options.rounds = 2;
    const std::vector<PlannedJob> jobs = {{.gpus = 2}, {.gpus = 1}};
    const auto placed = place_rounds(jobs, std::vector<double>{1.0, 1.0}, options, std::vector<int>{1, 2});
    QVERIFY(!placed.whole);
    QCOMPARE(placed.method, PlanMethod::heuristic);
  }
};

QTEST_APPLESS_MAIN(TestRoundPlan)
#include "tst_round_plan.moc"
