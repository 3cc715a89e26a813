// Scheduling training jobs in rounds: the closed forms of the specification, the simulator against one written from the
// definition, and shares against linear programmes.
#include <QtTest>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include "solvers/cluster/rounds/adapting_job.h"
#include "solvers/cluster/rounds/fairness.h"
#include "solvers/cluster/rounds/integer_programme.h"
#include "solvers/cluster/rounds/round_policies.h"
#include "tests/solvers/cluster/plain_rounds.h"

using namespace ergode;
using namespace ergode::test;

namespace {

double within_of(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Throughputs random_speeds(std::mt19937& random) {
  Throughputs out;
  for (const char* name : {"ResNet-18", "ResNet-50", "Transformer", "LM", "Recommendation"}) {
    const TrainingModel& model = training_model(name);
    for (int batch = model.least_batch; batch <= model.most_batch; batch *= 2)
      for (const int gpus : {1, 2, 4}) {
        // Some are not measured, so that a job may not change to them.
        if (batch != model.least_batch && random() % 8 == 0) continue;
        out.set(name, batch, gpus, within_of(random, 0.5, 2.0) * 40.0 * gpus * model.least_batch / batch);
      }
  }
  return out;
}

std::vector<RoundJob> random_jobs(std::mt19937& random, const Throughputs& speeds) {
  std::vector<RoundJob> out;
  double now = random() % 2 == 0 ? 0.0 : within_of(random, 1.0, 500.0);
  const std::size_t count = 3 + random() % 22;
  const double gap = random() % 4 == 0 ? 3000.0 : 100.0;
  while (out.size() < count) {
    const char* names[] = {"ResNet-18", "ResNet-50", "Transformer", "LM", "Recommendation"};
    RoundJob job{
        .model = names[random() % 5], .gpus = 1 << (random() % 3), .mode = static_cast<BatchMode>(random() % 3)};
    const TrainingModel& model = training_model(job.model);
    job.batch_size = model.least_batch << (random() % 4);
    const auto speed = speeds.of(job.model, job.batch_size, job.gpus);
    if (!speed) continue;
    job.total_steps = 1 + static_cast<std::int64_t>(*speed * within_of(random, 20.0, 6000.0));
    job.arrival_s = now;
    if (random() % 3 != 0) job.listed_duration_s = static_cast<double>(job.total_steps) / *speed;
    out.push_back(job);
    if (random() % 3 != 0) now += std::floor(within_of(random, 0.0, gap));
  }
  return out;
}

std::vector<SharedJob> random_shared(std::mt19937& random) {
  std::vector<SharedJob> out(1 + random() % 30);
  for (SharedJob& job : out) {
    job.gpus = 1 << (random() % 4);
    job.steps_per_s = within_of(random, 0.5, 100.0);
    job.steps_left = job.steps_per_s * within_of(random, 10.0, 20000.0);
    job.elapsed_s = within_of(random, 0.0, 10000.0);
    job.isolated_s = within_of(random, 0.0, 5000.0);
  }
  return out;
}

double used(const std::vector<SharedJob>& jobs, const std::vector<double>& shares) {
  double out = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) out += jobs[i].gpus * shares[i];
  return out;
}

/// The greatest value of a linear programme over shares: rows low <= factor_i x_i - by t, cost of t and of each x.
struct ShareProgramme {
  IntegerProgramme programme;
  std::vector<int> x;
  ShareProgramme(const std::vector<SharedJob>& jobs, int gpus, const std::vector<double>& cost) {
    std::vector<IntegerProgramme::Term> terms;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      x.push_back(programme.variable(0.0, 1.0, cost[i], false));
      terms.push_back({x.back(), static_cast<double>(jobs[i].gpus)});
    }
    programme.row(-IntegerProgramme::infinite, gpus, terms);
  }
  std::optional<double> value() const {
    const auto found = programme.maximise({1e-9, 10, 10.0});
    return found ? std::optional(found->value) : std::nullopt;
  }
};

/// Whether x_i >= least_i is possible within the GPUs.
bool possible(const std::vector<SharedJob>& jobs, int gpus, const std::vector<double>& least) {
  ShareProgramme one(jobs, gpus, std::vector<double>(jobs.size(), 0.0));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const IntegerProgramme::Term term{one.x[i], 1.0};
    one.programme.row(least[i], IntegerProgramme::infinite, {&term, 1});
  }
  return one.value().has_value();
}

}  // namespace

class TestRounds : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Oracle: hundreds of random workloads, every round and every completion time.
  void simulator_agrees_with_its_definition() {
    std::mt19937 random(7);
    std::size_t rounds = 0, idle = 0, removed = 0;
    for (int trial = 0; trial < 400; ++trial) {
      const Throughputs speeds = random_speeds(random);
      const auto jobs = random_jobs(random, speeds);
      RoundOptions options;
      options.gpus = 4 + static_cast<int>(random() % 12);
      options.round_s = random() % 2 == 0 ? 120.0 : 300.0;
      options.reset_interval_s = random() % 2 == 0 ? 1000.0 : 200.0;
      if (!problems_of(jobs, speeds, options).empty()) continue;
      PlainRounds plain{jobs, speeds, options};
      plain.run();
      const RoundRun run = run_rounds(jobs, speeds, options);
      QCOMPARE(run.rounds.size(), plain.schedule.size());
      for (std::size_t r = 0; r < run.rounds.size(); ++r)
        QCOMPARE(std::vector<std::size_t>(run.rounds[r].jobs.begin(), run.rounds[r].jobs.end()), plain.schedule[r]);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const double jct = run.jobs[i].finish_s - jobs[i].arrival_s;
        QVERIFY2(
            std::fabs(jct - plain.state[i].jct) <= 1e-9 * plain.state[i].jct,
            qPrintable(
                QString("trial %1 job %2: %3, by definition %4").arg(trial).arg(i).arg(jct).arg(plain.state[i].jct)));
        removed += run.jobs[i].removed ? 1 : 0;
      }
      rounds += run.rounds.size();
      for (std::size_t r = 1; r < run.rounds.size(); ++r)
        idle += run.rounds[r].start_s > run.rounds[r - 1].end_s ? 1 : 0;
    }
    QVERIFY(rounds > 5000);
    QVERIFY(idle > 50);     // clusters that ran dry
    QVERIFY(removed > 10);  // jobs whose steps were counted too many
  }

  void max_min_shares_are_optimal() {
    std::mt19937 random(11);
    for (int trial = 0; trial < 100; ++trial) {
      const auto jobs = random_shared(random);
      const int gpus = 8 + static_cast<int>(random() % 40);
      const auto shares = max_min_shares(jobs, gpus);
      double least = INFINITY, width = 0;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        least = std::min(least, jobs[i].gpus * shares[i]), width += jobs[i].gpus;
      ShareProgramme best(jobs, gpus, std::vector<double>(jobs.size(), 0.0));
      const int t = best.programme.variable(0.0, IntegerProgramme::infinite, 1.0, false);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const IntegerProgramme::Term terms[] = {{best.x[i], static_cast<double>(jobs[i].gpus)}, {t, -1.0}};
        best.programme.row(0.0, IntegerProgramme::infinite, terms);
      }
      QVERIFY(least >= best.value().value() - 1e-9);
      // Nothing is left over that somebody could use.
      QVERIFY(std::fabs(used(jobs, shares) - std::min<double>(gpus, width)) < 1e-9);
    }
  }

  void max_sum_shares_are_optimal() {
    std::mt19937 random(12);
    for (int trial = 0; trial < 100; ++trial) {
      const auto jobs = random_shared(random);
      const int gpus = 8 + static_cast<int>(random() % 40);
      const auto shares = max_sum_shares(jobs, gpus);
      std::vector<double> rates;
      double sum = 0.0;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        rates.push_back(jobs[i].steps_per_s), sum += jobs[i].steps_per_s * shares[i];
      const double best = ShareProgramme(jobs, gpus, rates).value().value();
      QVERIFY2(std::fabs(sum - best) < 1e-3, qPrintable(QString("%1, best %2").arg(sum).arg(best)));
    }
  }

  /// All end by the same time, five per cent later than is possible at the most.
  void total_time_is_as_small_as_told() {
    std::mt19937 random(13);
    for (int trial = 0; trial < 100; ++trial) {
      const auto jobs = random_shared(random);
      const int gpus = 8 + static_cast<int>(random() % 40);
      const auto shares = min_total_shares(jobs, gpus);
      QVERIFY(used(jobs, shares) <= gpus * (1 + 1e-9));
      double total = 0.0;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        total = std::max(total, jobs[i].steps_left / (jobs[i].steps_per_s * shares[i]));
      std::vector<double> least;
      const double sooner = std::max(total, 105.0) / 1.0501;
      for (const SharedJob& job : jobs) least.push_back(job.steps_left / (job.steps_per_s * sooner));
      const bool any = std::all_of(least.begin(), least.end(), [](double x) { return x <= 1.0; });
      // Where sharing what was left has brought the end forward the bisection's end is later still.
      if (any && total > 105.0) QVERIFY(!possible(jobs, gpus, least) || used(jobs, shares) < gpus * (1 - 1e-9));
    }
  }

  void finish_time_ratio_is_least() {
    std::mt19937 random(14);
    for (int trial = 0; trial < 100; ++trial) {
      const auto jobs = random_shared(random);
      const int gpus = 8 + static_cast<int>(random() % 40);
      const auto shares = finish_time_shares(jobs, gpus);
      QVERIFY(used(jobs, shares) <= gpus * (1 + 1e-9));
      const auto isolated = [&](const SharedJob& job) {
        return job.isolated_s +
               job.steps_left / (job.steps_per_s * std::min(1.0, gpus / (static_cast<double>(jobs.size()) * job.gpus)));
      };
      double ratio = 0.0;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        ratio = std::max(
            ratio, (jobs[i].elapsed_s + jobs[i].steps_left / (jobs[i].steps_per_s * shares[i])) / isolated(jobs[i]));
      std::vector<double> least;
      bool any = true;
      for (const SharedJob& job : jobs) {
        const double time = 0.999 * ratio * isolated(job) - job.elapsed_s;
        least.push_back(job.steps_left / job.steps_per_s / time);
        any = any && time > 0.0 && least.back() <= 1.0;
      }
      if (any) QVERIFY(!possible(jobs, gpus, least));
    }
  }

  /// Oracle of AlloX: of all orders on all GPUs the least sum of completion times; who is first there has a share.
  void allox_places_the_shortest_first() {
    std::mt19937 random(15);
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<SharedJob> jobs(2 + random() % 5);
      for (SharedJob& job : jobs) job.steps_left = within_of(random, 1.0, 100.0);
      const int gpus = 1 + static_cast<int>(random() % 3);
      const auto shares = allox_shares(jobs, gpus, 1.0);
      std::vector<std::size_t> order(jobs.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      double least = INFINITY, with_ours = INFINITY;
      do {  // list schedules of all orders hold all best ones
        std::vector<double> end(static_cast<std::size_t>(gpus), 0.0), begun(jobs.size(), 0.0);
        double sum = 0.0;
        for (const std::size_t i : order) {
          const auto gpu = std::min_element(end.begin(), end.end());
          if (*gpu == 0.0) begun[i] = 1.0;
          *gpu += jobs[i].steps_left, sum += *gpu;
        }
        least = std::min(least, sum);
        if (begun == shares) with_ours = std::min(with_ours, sum);
      } while (std::next_permutation(order.begin(), order.end()));
      QVERIFY2(with_ours <= least * (1 + 1e-12), qPrintable(QString("%1, least %2").arg(with_ours).arg(least)));
    }
  }

  void allox_keeps_who_is_placed_and_looks_at_the_first_alone() {
    std::vector<SharedJob> jobs(10);
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].steps_left = 100.0 - static_cast<double>(i);
    jobs[3].share_before = 1.0;
    // Of nine that wait the first int(0.2 * 9) = 1 is looked at, or as many as GPUs are free: 2.
    const auto shares = allox_shares(jobs, 3);
    for (std::size_t i = 0; i < jobs.size(); ++i) QCOMPARE(shares[i], i == 0 || i == 1 || i == 3 ? 1.0 : 0.0);
    jobs[0].gpus = 4;
    QCOMPARE(allox_shares(jobs, 3)[0], 0.25);
  }

  void a_batch_size_changes_and_epochs_stay() {
    Throughputs speeds;
    speeds.set("LM", 10, 1, 100.0), speeds.set("LM", 80, 1, 20.0);
    const RoundJob job{.model = "LM", .batch_size = 10, .mode = BatchMode::accordion, .total_steps = 5968 * 20};
    AdaptingJob one(job, speeds);
    one.run(5968 * 9);
    one.look(), one.adapt();
    QCOMPARE(one.batch_size(), 10);  // epochs below 10 are critical
    one.run(5968);
    one.look();
    QCOMPARE(one.batch_size(), 10);  // it changes when it has run again
    one.run(1);
    one.adapt();
    QCOMPARE(one.batch_size(), 80);
    QCOMPARE(one.steps_per_s(), 20.0);
    QCOMPARE(one.epochs_done(), std::int64_t{11});  // the one that had begun counts
    QCOMPARE(one.left(), std::int64_t{746 * 9});    // ceil(59675 / 80) = 746
  }

  /// By hand: a step takes a second, rounds 100 s, and two GPUs are enough for all. Who comes in the first round begins
  /// in the second and restores there; who is done more than 5 s before its end does not, nor does anybody in the
  /// first.
  void who_begins_restores_too() {
    Throughputs speeds;
    speeds.set("A", 1, 1, 1.0);
    RoundOptions options;
    options.gpus = 2, options.round_s = 100.0, options.restore_s = 20.0, options.reset_interval_s = 1.0;
    for (const auto& [steps, finish_s, busy_s] :
         {std::tuple{120.0, 240.0, 120.0}, {96.0, 220.0, 96.0}, {94.0, 194.0, 94.0}}) {
      const auto many = static_cast<std::int64_t>(steps);
      const std::vector<RoundJob> jobs = {{.model = "A", .total_steps = 400},
                                          {.model = "A", .total_steps = many, .arrival_s = 50.0}};
      const RoundRun run = run_rounds(jobs, speeds, options);
      QCOMPARE(run.jobs[0].busy_s, 400.0);
      QCOMPARE(run.jobs[1].start_s, 100.0);
      QVERIFY2(std::fabs(run.jobs[1].finish_s - finish_s) < 1e-9 && std::fabs(run.jobs[1].busy_s - busy_s) < 1e-9,
               qPrintable(QString("%1: %2, %3").arg(many).arg(run.jobs[1].finish_s).arg(run.jobs[1].busy_s)));
    }
  }

  void problems_are_told() {
    Throughputs speeds;
    speeds.set("LM", 10, 1, 100.0), speeds.set("A", 1, 1, 0.001);
    RoundOptions options;
    options.gpus = 4;
    const auto of = [&](RoundJob job) {
      const auto found = problems_of({job}, speeds, options);
      return found.empty() ? std::string("none") : found.front();
    };
    QCOMPARE(of({.model = "LM", .batch_size = 10}), std::string("none"));
    QCOMPARE(of({.model = "LM", .batch_size = 10, .gpus = 8}),
             std::string("Job 0 needs 8 GPUs; wanted at most the 4 that there are."));
    QCOMPARE(of({.model = "LM", .batch_size = 20}),
             std::string("Job 0 is LM with batch size 20 on 1 GPUs, which has no throughput; wanted a row of the table "
                         "for it."));
    QCOMPARE(of({.model = "A"}),
             std::string("Job 0 runs at 0.001 steps/s, no step in a round of 120 s of which a restore "
                         "takes 20 s; wanted at least one."));
    QVERIFY(of({.model = "LM", .batch_size = 10, .total_steps = 1'000'000'000'000'000}).find("million epochs") !=
            std::string::npos);
  }

  /// Two jobs on one GPU, by hand: rho against all jobs and against those that were there.
  void fairness_by_hand() {
    const std::vector<RoundJob> jobs = {{.arrival_s = 0}, {.arrival_s = 100}};
    RoundRun run;
    run.jobs = {{.finish_s = 300}, {.finish_s = 400}};
    run.end_s = 400, run.busy_gpu_s = 300;
    const Fairness seen = fairness_of(jobs, run, {200, 100}, 1);
    QCOMPARE(seen.rho, (std::vector<double>{0.75, 1.5}));
    const double mean_a = (100 + 2 * 200) / 300.0, mean_b = (2 * 200 + 100) / 300.0;
    QVERIFY(std::fabs(seen.rho_contended[0] - 300 / (200 * mean_a)) < 1e-12);
    QVERIFY(std::fabs(seen.rho_contended[1] - 300 / (100 * mean_b)) < 1e-12);
    QCOMPARE(seen.worst_rho, 1.5);
    QCOMPARE(seen.unfair_fraction, 0.5);
    QCOMPARE(seen.makespan_s, 400.0);
    QCOMPARE(seen.utilisation, 0.75);
    QVERIFY(std::fabs(seen.geometric_mean_jct_s - 300) < 1e-9);
  }
};

QTEST_APPLESS_MAIN(TestRounds)
#include "tst_rounds.moc"
