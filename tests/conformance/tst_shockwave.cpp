// Schedulers of training jobs in rounds: the tables that Shockwave's authors published, and the reference computed from
// its rules.
#include <QtTest>
#include <chrono>
#include <cmath>
#include <map>
#include <tuple>

#include "solvers/cluster/rounds/fairness.h"
#include "solvers/cluster/rounds/shockwave_planner.h"
#include "tests/conformance/training_traces.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct TracedRun {
  std::vector<RoundJob> jobs;
  std::vector<double> exclusive_s;
  RoundRun run;
  Fairness fairness;
};

constexpr const char* jobs_120 = "shockwave_120jobs.trace";

/// Those that the trace was made with: the greater ones have as many steps as a job makes in its listed duration in the
/// other cluster. With the first column they take 1.4 times as long in the median, and those that take more than one
/// and a half times as long are stopped.
Throughputs throughputs_of(const std::string& trace) {
  return v100_throughputs(trace == jobs_120 ? "steps_per_s_tacc" : "steps_per_s_wisr");
}

TracedRun traced(const std::string& trace, int gpus, RoundPolicy policy, bool as_published = true) {
  TracedRun out{training_jobs(trace), {}, {}, {}};
  const Throughputs speeds = throughputs_of(trace);
  RoundOptions options;
  options.gpus = gpus, options.policy = policy, options.as_published = as_published;
  if (const auto problems = problems_of(out.jobs, speeds, options); !problems.empty())
    throw std::runtime_error(problems.front());
  for (const RoundJob& job : out.jobs) out.exclusive_s.push_back(profile_of(job, speeds).exclusive_s);
  out.run = run_rounds(out.jobs, speeds, options);
  out.fairness = fairness_of(out.jobs, out.run, out.exclusive_s, gpus);
  return out;
}

/// Shockwave with its plans by the programme. Nodes end a search that the gap does not, so that a run is the same on
/// every machine.
struct Planned {
  RoundRun run;
  Fairness fairness;
  PlanLog log;
  std::string told() const {
    char out[240];
    std::snprintf(out, sizeof out,
                  "makespan %.1f s, mean JCT %.1f s, worst rho %.3f, unfair %.2f %%, utilisation %.4f, %zu rounds, "
                  "%lld plans, %lld by rules",
                  fairness.makespan_s, fairness.mean_jct_s, fairness.worst_rho, 100 * fairness.unfair_fraction,
                  fairness.utilisation, run.rounds.size(), static_cast<long long>(log.plans),
                  static_cast<long long>(log.heuristic));
    return out;
  }
};

Planned planned(const std::string& trace, PlanOptions planning, bool as_published = true) {
  const auto jobs = training_jobs(trace);
  const Throughputs speeds = throughputs_of(trace);
  std::vector<double> exclusive_s;
  for (const RoundJob& job : jobs) exclusive_s.push_back(profile_of(job, speeds).exclusive_s);
  using Clock = ShockwavePlanner::Clock;
  ShockwavePlanner planner(planning, 8, as_published ? Clock::published : Clock::rounds);
  RoundOptions options;
  options.gpus = planning.gpus, options.policy = RoundPolicy::shockwave, options.as_published = as_published;
  Planned out{run_rounds(jobs, speeds, options, &planner), {}, {}};
  out.fairness = fairness_of(jobs, out.run, exclusive_s, planning.gpus);
  out.log = planner.log();
  return out;
}

void compare_near(double seen, double wanted, double tolerance, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= tolerance,
           qPrintable(QString("%1 is %2, wanted %3 +- %4").arg(what).arg(seen, 0, 'g', 12).arg(wanted).arg(tolerance)));
}

}  // namespace

class TestShockwave : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (trace_folder().empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
  }

  /// V1: batch schedules to the letter, runtimes to 5e-4 s; rho of the published completion times.
  void v1_exclusive_runtimes() {
    const auto jobs = training_jobs(jobs_120);
    const Throughputs speeds = v100_throughputs();
    const auto golden = named_rows("shockwave_120jobs_golden.csv");
    QCOMPARE(jobs.size(), golden.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const JobProfile profile = profile_of(jobs[i], speeds);
      QCOMPARE(profile.schedule(), golden[i].at("bs_schedule(bs x epochs)"));
      QCOMPARE(std::to_string(profile.batch.size()), golden[i].at("epochs"));
      compare_near(profile.exclusive_s, std::stod(golden[i].at("exclusive_runtime_s")), 5.01e-4, "exclusive runtime");
      compare_near(jobs[i].arrival_s, std::stod(golden[i].at("arrival_s")), 0.0, "arrival");
    }
    const double first = profile_of(jobs[0], speeds).exclusive_s;
    compare_near(1182.637 / (first * 120.0 / 32.0), 0.25749, 5e-6, "rho of job 0 under Shockwave");
  }

  /// V2: every completion time to 0.01 s.
  void v2_round_simulator() {
    const TracedRun one = traced(jobs_120, 32, RoundPolicy::max_min);
    const auto reference = named_rows("shockwave_120jobs_reference.csv");
    QCOMPARE(one.jobs.size(), reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i)
      compare_near(one.fairness.jct_s[i], std::stod(reference[i].at("jct_s_maxmin_evenfill")), 0.01, "JCT");
    QCOMPARE(one.run.rounds.size(), std::size_t{277});
    compare_near(one.fairness.makespan_s, 33207.639, 5e-4, "makespan");
    compare_near(one.fairness.mean_jct_s, 11273.0917, 5e-5, "mean JCT");
    compare_near(one.fairness.worst_rho, 2.94698, 5e-6, "worst rho");
    compare_near(one.fairness.unfair_fraction, 0.25, 1e-12, "unfair fraction");
  }

  /// V2: 116 of the 120 published completion times agree within 0.1 s; the others, named there, are degenerate.
  void v2_published_max_min() {
    const TracedRun one = traced(jobs_120, 32, RoundPolicy::max_min);
    const auto golden = named_rows("shockwave_120jobs_golden.csv");
    std::vector<std::size_t> apart;
    for (std::size_t i = 0; i < golden.size(); ++i)
      if (std::fabs(one.fairness.jct_s[i] - std::stod(golden[i].at("jct_s_max_min_fairness"))) > 0.1)
        apart.push_back(i);
    QCOMPARE(apart, (std::vector<std::size_t>{11, 22, 31, 103}));
  }

  /// V3: the published completion times give the published table and the ratios of the paper's figure, to their
  /// printed digits; a test of how fairness is counted, and of the runtimes behind it.
  void v3_published_completions() {
    struct Row {
      const char* column;
      double makespan, jct, worst, unfair;
      double to_makespan, to_jct, to_worst, to_unfair;
    };
    const auto jobs = training_jobs(jobs_120);
    const Throughputs speeds = v100_throughputs();
    std::vector<double> exclusive_s;
    for (const RoundJob& job : jobs) exclusive_s.push_back(profile_of(job, speeds).exclusive_s);
    const auto golden = named_rows("shockwave_120jobs_golden.csv");
    Fairness best;
    for (const Row& row : {Row{"shockwave", 24197.4, 9958.5, 1.784, 5.00, 1, 1, 1, 1},
                           Row{"min_total_duration", 24204.8, 19806.7, 7.741, 74.17, 1.0, 1.99, 4.34, 14.83},
                           Row{"finish_time_fairness", 31928.7, 11302.0, 3.438, 22.50, 1.32, 1.13, 1.93, 4.5},
                           Row{"max_min_fairness", 33207.7, 11274.1, 2.947, 25.00, 1.37, 1.13, 1.65, 5.0},
                           Row{"max_sum_throughput_perf", 31909.0, 9654.7, 4.976, 25.00, 1.32, .97, 2.79, 5.0}}) {
      RoundRun run;
      run.jobs.resize(jobs.size());
      for (std::size_t i = 0; i < jobs.size(); ++i)
        run.jobs[i].finish_s = jobs[i].arrival_s + std::stod(golden[i].at(std::string("jct_s_") + row.column));
      run.begin_s = jobs.front().arrival_s;
      for (const RoundJobOutcome& one : run.jobs) run.end_s = std::max(run.end_s, one.finish_s);
      const Fairness seen = fairness_of(jobs, run, exclusive_s, 32);
      if (best.jct_s.empty()) best = seen;
      compare_near(seen.makespan_s, row.makespan, 0.051, row.column);
      compare_near(seen.mean_jct_s, row.jct, 0.051, row.column);
      compare_near(seen.worst_rho, row.worst, 5.1e-4, row.column);
      compare_near(100 * seen.unfair_fraction, row.unfair, 5.1e-3, row.column);
      compare_near(seen.makespan_s / best.makespan_s, row.to_makespan, 5.1e-3, row.column);
      compare_near(seen.mean_jct_s / best.mean_jct_s, row.to_jct, 5.1e-3, row.column);
      compare_near(seen.worst_rho / best.worst_rho, row.to_worst, 5.1e-3, row.column);
      compare_near(seen.unfair_fraction / best.unfair_fraction, row.to_unfair, 5.1e-3, row.column);
    }
  }

  /// V3, but for Shockwave's own row. Rounds are as long as the makespan, and have its tolerance.
  void v3_published_simulation() {
    struct Row {
      const char* name;
      RoundPolicy policy;
      double makespan, jct, worst, unfair, utilisation, rounds;
      double of_makespan, of_jct, of_worst, of_unfair;
    };
    for (const Row& row :
         {Row{"OSSP", RoundPolicy::ossp, 24204.8, 19806.7, 7.741, 74.17, .8161, 204, .015, .05, .15, 5},
          Row{"Themis", RoundPolicy::themis, 31928.7, 11302.0, 3.438, 22.50, .6187, 267, .015, .05, .15, 5},
          Row{"max-min", RoundPolicy::max_min, 33207.7, 11274.1, 2.947, 25.00, .5949, 277, .005, .01, .03, 1.7},
          Row{"MST", RoundPolicy::max_sum, 31909.0, 9654.7, 4.976, 25.00, .6191, 266, .005, .01, .03, 1.7}}) {
      const TracedRun one = traced(jobs_120, 32, row.policy);
      const Fairness& seen = one.fairness;
      const std::string name = row.name;
      compare_near(seen.makespan_s, row.makespan, row.of_makespan * row.makespan, (name + " makespan").c_str());
      compare_near(seen.mean_jct_s, row.jct, row.of_jct * row.jct, (name + " mean JCT").c_str());
      compare_near(seen.worst_rho, row.worst, row.of_worst * row.worst, (name + " worst rho").c_str());
      compare_near(100 * seen.unfair_fraction, row.unfair, row.of_unfair, (name + " unfair").c_str());
      compare_near(seen.utilisation, row.utilisation, row.of_makespan, (name + " utilisation").c_str());
      compare_near(static_cast<double>(one.run.rounds.size()), row.rounds, row.of_makespan * row.rounds,
                   (name + " rounds").c_str());
    }
  }

  /// V3: what the closed forms of Themis and OSSP give, to all digits that are told.
  void v3_closed_forms() {
    const Fairness themis = traced(jobs_120, 32, RoundPolicy::themis).fairness;
    compare_near(themis.makespan_s, 31968.6, 0.051, "makespan"), compare_near(themis.mean_jct_s, 11410.9, 0.051, "JCT");
    compare_near(themis.worst_rho, 3.045, 5.1e-4, "rho");
    compare_near(100 * themis.unfair_fraction, 21.7, 0.051, "unfair");
    const Fairness ossp = traced(jobs_120, 32, RoundPolicy::ossp).fairness;
    compare_near(ossp.makespan_s, 24194.2, 0.051, "makespan"), compare_near(ossp.mean_jct_s, 20489.1, 0.051, "JCT");
    compare_near(ossp.worst_rho, 8.493, 5.1e-4, "rho"), compare_near(100 * ossp.unfair_fraction, 76.7, 0.051, "unfair");
  }

  /// V3: Shockwave's own row, with its plans by the programme.
  void v3_shockwave() {
    const Planned one = planned(jobs_120, {.gpus = 32});
    const Fairness& seen = one.fairness;
    qInfo("%s", one.told().c_str());
    compare_near(seen.makespan_s, 24197.4, 0.03 * 24197.4, "makespan");
    compare_near(seen.mean_jct_s, 9958.5, 0.02 * 9958.5, "mean JCT");
    QVERIFY2(seen.worst_rho >= 1.6 && seen.worst_rho <= 2.1, qPrintable(QString("worst rho %1").arg(seen.worst_rho)));
    compare_near(100 * seen.unfair_fraction, 5.0, 1.7, "unfair");
    compare_near(seen.utilisation, .8171, 0.03, "utilisation");
    compare_near(static_cast<double>(one.run.rounds.size()), 202, 0.03 * 202, "rounds");
    QVERIFY(one.log.heuristic * 4 < one.log.plans);
  }

  /// V5: 1.3 times sooner than fair shares, in the published simulation's setting.
  void v5_sooner_than_fair_shares() {
    const double ours = planned(jobs_120, {.gpus = 32}).fairness.makespan_s;
    for (const RoundPolicy fair : {RoundPolicy::max_min, RoundPolicy::themis})
      QVERIFY(traced(jobs_120, 32, fair).fairness.makespan_s >= 1.3 * ours);
  }

  /// V5: the greater traces, with the published weights. Plans by rules are sooner in all three; those by the programme
  /// too, of which the first is tried here, for time. What a job takes where nobody else is there bounds what is
  /// possible, as this simulator has it; its time by profile does not: many change their batch size sooner than their
  /// profile has it, which keeps the first three tenths of the epochs small.
  void v5_greater_traces_data() {
    QTest::addColumn<QString>("trace");
    QTest::addColumn<int>("gpus");
    QTest::addColumn<double>("makespan_weight");
    QTest::addColumn<double>("priority_power");
    for (const auto& [jobs, gpus, k, lambda] :
         {std::tuple(220, 64, 10.0, 5.0), {460, 128, 1e-3, 15.0}, {900, 256, 1e5, 5.0}})
      QTest::addRow("%d jobs", jobs) << QString("shockwave_%1jobs.trace").arg(jobs) << gpus << k << lambda;
  }
  void v5_greater_traces() {
    QFETCH(QString, trace);
    QFETCH(int, gpus);
    QFETCH(double, makespan_weight);
    QFETCH(double, priority_power);
    PlanOptions plans{.gpus = gpus, .makespan_weight = makespan_weight, .priority_power = priority_power};
    plans.heuristic = true;
    const Planned by_rules = planned(trace.toStdString(), plans);
    qInfo("by rules: %s", by_rules.told().c_str());
    const TracedRun fair = traced(trace.toStdString(), gpus, RoundPolicy::max_min),
                    themis = traced(trace.toStdString(), gpus, RoundPolicy::themis),
                    sooner = traced(trace.toStdString(), gpus, RoundPolicy::ossp);
    const Throughputs speeds = throughputs_of(trace.toStdString());
    compare_near(ratio_to_listed(fair.jobs, speeds).value(), 1.0, 1e-4, "runtimes over listed durations");
    QVERIFY(std::fabs(ratio_to_listed(fair.jobs, v100_throughputs()).value() - 1.0) > 0.3);
    double bound_s = 0.0;
    std::size_t below_profile = 0;
    for (std::size_t i = 0; i < fair.jobs.size(); ++i) {
      RoundJob job = fair.jobs[i];
      job.arrival_s = 0.0;
      RoundOptions options;
      options.gpus = job.gpus;
      const double alone_s = run_rounds({job}, speeds, options).jobs[0].finish_s;
      below_profile += alone_s < fair.exclusive_s[i] - 1.0 ? 1 : 0;
      bound_s = std::max(bound_s, fair.jobs[i].arrival_s - fair.jobs[0].arrival_s + alone_s);
    }
    qInfo("max-min %.1f s, OSSP %.1f s (%.3f times sooner), at least %.1f s; %zu jobs are sooner done than by profile",
          fair.fairness.makespan_s, sooner.fairness.makespan_s, fair.fairness.makespan_s / sooner.fairness.makespan_s,
          bound_s, below_profile);
    QVERIFY(3 * below_profile > fair.jobs.size());
    for (const double makespan_s : {sooner.fairness.makespan_s, by_rules.fairness.makespan_s})
      QVERIFY(makespan_s >= bound_s);
    for (const TracedRun* other : {&fair, &themis})
      QVERIFY(other->fairness.makespan_s >= 1.3 * by_rules.fairness.makespan_s);
    if (gpus != 64) return;
    plans.heuristic = false;
    const Planned by_programme = planned(trace.toStdString(), plans);
    qInfo("by the programme: %s", by_programme.told().c_str());
    for (const TracedRun* other : {&fair, &themis})
      QVERIFY(other->fairness.makespan_s >= 1.3 * by_programme.fairness.makespan_s);
  }

  /// V5: twice as fair, on the greater traces where jobs are measured since they began; as published 1.34, 0.62
  /// and 1.18 times, because a job whose profile becomes faster is taken for slow the more the later it comes. Worst
  /// fairness of equal shares over Shockwave's; that of 900 jobs (2.41) takes a minute and is not run here.
  void v5_fairer_than_equal_shares_data() {
    QTest::addColumn<int>("jobs");
    QTest::addColumn<int>("gpus");
    QTest::addColumn<double>("makespan_weight");
    QTest::addColumn<double>("priority_power");
    QTest::addColumn<double>("times");
    QTest::addRow("220 jobs") << 220 << 64 << 10.0 << 5.0 << 2.25;
    QTest::addRow("460 jobs") << 460 << 128 << 1e-3 << 15.0 << 1.95;
  }
  void v5_fairer_than_equal_shares() {
    QFETCH(int, jobs);
    QFETCH(int, gpus);
    QFETCH(double, makespan_weight);
    QFETCH(double, priority_power);
    QFETCH(double, times);
    const std::string trace = "shockwave_" + std::to_string(jobs) + "jobs.trace";
    const Planned one =
        planned(trace, {.gpus = gpus, .makespan_weight = makespan_weight, .priority_power = priority_power}, false);
    const Fairness equal = traced(trace, gpus, RoundPolicy::max_min, false).fairness;
    qInfo("%s; max-min: makespan %.1f s, worst rho %.3f, unfair %.2f %%", one.told().c_str(), equal.makespan_s,
          equal.worst_rho, 100 * equal.unfair_fraction);
    QVERIFY(equal.worst_rho >= times * one.fairness.worst_rho);
    QVERIFY(equal.unfair_fraction >= 4.0 * one.fairness.unfair_fraction);
    QVERIFY(equal.makespan_s >= 1.25 * one.fairness.makespan_s);
  }

  /// V6: what the trace comes to.
  void v6_trace() {
    const auto jobs = training_jobs(jobs_120);
    const Throughputs speeds = v100_throughputs();
    std::map<int, int> widths;
    std::map<BatchMode, int> modes;
    double work = 0, longest = 0;
    for (const RoundJob& job : jobs) {
      const double alone = profile_of(job, speeds).exclusive_s;
      ++widths[job.gpus], ++modes[job.mode];
      work += alone * job.gpus, longest = std::max(longest, alone);
    }
    QCOMPARE(widths, (std::map<int, int>{{1, 92}, {2, 20}, {4, 8}}));
    QCOMPARE(modes,
             (std::map<BatchMode, int>{{BatchMode::accordion, 59}, {BatchMode::gns, 57}, {BatchMode::fixed, 4}}));
    compare_near(work, 635794.76, 0.0051, "work");
    compare_near(work / 32, 19868.6, 0.051, "bound of the makespan");
    compare_near(longest, 17235.4, 0.051, "longest job");
    compare_near(jobs.back().arrival_s, 5011, 0.0, "last arrival");
  }

  /// The published simulator removes one job only after five rounds without a step; told to be clean it ends at once.
  void job_35_holds_its_gpus() {
    const TracedRun published = traced(jobs_120, 32, RoundPolicy::max_min);
    const TracedRun clean = traced(jobs_120, 32, RoundPolicy::max_min, false);
    for (std::size_t i = 0; i < published.jobs.size(); ++i) {
      QCOMPARE(published.run.jobs[i].removed, i == 35);
      QVERIFY(!clean.run.jobs[i].removed);
    }
    QVERIFY(clean.fairness.jct_s[35] < published.fairness.jct_s[35]);
  }

  /// Bounds that any schedule has, and accounts that must be the same from both sides, over all traces and policies.
  void schedules_are_possible_data() {
    QTest::addColumn<QString>("trace");
    QTest::addColumn<int>("gpus");
    for (const auto& [jobs, gpus] : {std::pair(120, 32), std::pair(220, 64), std::pair(460, 128), std::pair(900, 256)})
      QTest::addRow("%d jobs", jobs) << QString("shockwave_%1jobs.trace").arg(jobs) << gpus;
  }
  void schedules_are_possible() {
    QFETCH(QString, trace);
    QFETCH(int, gpus);
    for (const RoundPolicy policy : {RoundPolicy::max_min, RoundPolicy::max_sum, RoundPolicy::gandiva_fair,
                                     RoundPolicy::allox, RoundPolicy::ossp, RoundPolicy::themis}) {
      const TracedRun one = traced(trace.toStdString(), gpus, policy);
      double busy = 0;
      std::vector<std::int64_t> rounds(one.jobs.size());
      for (const Round& round : one.run.rounds) {
        int used = 0;
        for (const std::uint32_t job : round.jobs) {
          used += one.jobs[job].gpus, ++rounds[job];
          QVERIFY(one.jobs[job].arrival_s <= round.start_s && round.start_s <= one.run.jobs[job].finish_s);
        }
        QCOMPARE(used, round.gpus);
        QVERIFY(used <= gpus);
        QVERIFY(round.end_s <= round.start_s + 120.0 + 1e-9);
      }
      for (std::size_t i = 0; i < one.jobs.size(); ++i) {
        QCOMPARE(rounds[i], one.run.jobs[i].rounds);
        busy += one.run.jobs[i].busy_s * one.jobs[i].gpus;
        QVERIFY(one.run.jobs[i].finish_s > one.jobs[i].arrival_s);
      }
      compare_near(busy, one.run.busy_gpu_s, 1e-6 * busy, "GPU time");
    }
  }

  /// 900 jobs on 256 GPUs, without a planning programme: every job ends; the time taken is printed, not judged here.
  void time_of_900_jobs() {
    const auto begin = std::chrono::steady_clock::now();
    const TracedRun one = traced("shockwave_900jobs.trace", 256, RoundPolicy::max_min);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    qInfo("900 jobs, 256 GPUs, %zu rounds, with reading: %.3f s", one.run.rounds.size(), took);
    QCOMPARE(one.run.jobs.size(), std::size_t{900});
    for (const auto& job : one.run.jobs) QVERIFY(job.finish_s > 0);
  }

  /// Gavel's own trace: models without a throughput are told, each job by its number, and the others run.
  void gavel_trace() {
    auto jobs = training_jobs("gavel_msr_seed0_e13805.trace");
    QCOMPARE(jobs.size(), std::size_t{607});
    const Throughputs speeds = v100_throughputs();
    RoundOptions options;
    options.gpus = 64;
    const auto problems = problems_of(jobs, speeds, options);
    std::size_t without = 0;
    std::erase_if(jobs, [&](const RoundJob& job) {
      const bool none = !speeds.of(job.model, job.batch_size, job.gpus);
      without += none ? 1 : 0;
      return none;
    });
    QVERIFY(without >= 66);  // A3C, CycleGAN, and Transformer with batch size 256
    QCOMPARE(problems.size(), without);
    QVERIFY(problems_of(jobs, speeds, options).empty());
    for (std::size_t i = 1; i < jobs.size(); ++i) QVERIFY(jobs[i - 1].arrival_s <= jobs[i].arrival_s);
    const RoundRun run = run_rounds(jobs, speeds, options);
    for (std::size_t i = 0; i < jobs.size(); ++i) QVERIFY(run.jobs[i].finish_s > jobs[i].arrival_s);
  }
};

QTEST_APPLESS_MAIN(TestShockwave)
#include "tst_shockwave.moc"
