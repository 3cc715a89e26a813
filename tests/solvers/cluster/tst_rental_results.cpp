// Slowdown, power and Gantt charts of rentals, and Gantt charts of pools: closed forms, and what several tables say of
// the same. Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/des/lowering.h"
#include "core/report/gantt_figure.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/cluster/drawn_rental.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// GPUs or hosts times the time of all bars.
double area_of(const ResultTable& gantt, const char* wide) {
  const auto from = column_of(gantt, "from_s"), to = column_of(gantt, "to_s"), on = column_of(gantt, wide);
  double out = 0;
  for (std::size_t i = 0; i < from.size(); ++i) out += on[i] * (to[i] - from[i]);
  return out;
}

double sum_of(const std::vector<double>& x) {
  double out = 0;
  for (const double one : x) out += one;
  return out;
}

}  // namespace

class TestRentalResults : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
  }

  // Processor sharing of one GPU: of any law of sizes E[slowdown] = 1 / (1 - rho), and it is busy for rho of the time.
  void one_shared_gpu_slows_jobs_down_as_processor_sharing_does() {
    for (const char* size : {"exponential(mean = 1 h)", "uniform(low = 0.5 h, high = 1.5 h)"}) {
      DrawnRental drawn("20000 h",
                        {{"budget", "1"}, {"policy", "equi"}, {"busy_power", "300 W"}, {"idle_power", "50 W"}});
      drawn.stream("users", "0.6 /h", size, {});
      drawn.m.measure("slowdown", "steady_state_mean", "", {{"of", "cloud.slowdown"}});
      drawn.m.measure("power", "steady_state_mean", "cloud.power", {{"unit", "W"}});
      const ResultSet r = drawn.run(10);
      compare_inside(r, "slowdown", 1 / (1 - 0.6)), compare_inside(r, "power", 0.6 * 300 + 0.4 * 50);
    }
  }

  // GPUs of a job's own: nothing is in its way but the start-up of half an hour; M/G/inf.
  void own_gpus_slow_down_by_their_start_up_alone() {
    DrawnRental drawn(
        "4000 h",
        {{"budget", "8"}, {"policy", "one_gpu"}, {"price", "2 USD/h"}, {"start_up", "0.5 h"}, {"busy_power", "400 W"}});
    drawn.stream("users", "3 /h", "2 h", {});
    drawn.m.measure("slowdown", "observed_mean", "", {{"of", "cloud.slowdown"}});
    drawn.m.measure("power", "steady_state_mean", "cloud.power", {{"unit", "W"}});
    drawn.m.measure("seen", "time_average", "cloud.power", {{"unit", "W"}});
    drawn.m.measure("gpus", "time_average", "cloud.gpus");
    const ResultSet r = drawn.run(10), one = drawn.run(1);
    compare_near(r, "slowdown", 1.25, 1e-9), compare_inside(r, "power", 400 * 3 * 2.5);
    const ResultTable &jobs = table_named(one, "jobs"), &gantt = table_named(one, "gantt"),
                      &spend = table_named(one, "spend");
    QVERIFY(is_gantt(gantt));
    QCOMPARE(gantt.rows.size(), jobs.rows.size());
    QVERIFY(std::fabs(area_of(gantt, "gpus") - estimate(one, "gpus") * 4000 * 3600) < 1);
    QVERIFY(std::fabs(column_of(spend, "energy_so_far").back() - estimate(one, "seen") * 4000 / 1000) < 1e-6);
    for (const double slowdown : column_of(jobs, "slowdown"))
      QVERIFY(std::isnan(slowdown) || std::fabs(slowdown - 1.25) < 1e-9);
  }

  // A job whose spot GPUs are called back has a bar for each time that it had some; in all they are its GPU time.
  void stretches_are_the_gpu_time_of_jobs() {
    DrawnRental drawn("500 h", {{"budget", "12"},
                                {"contract", "reserved_spot"},
                                {"reserved", "3"},
                                {"reserved_price", "1 USD/h"},
                                {"spot_price", "1 USD/h"},
                                {"interruption_rate", "0.2 /h"},
                                {"spot_wait", "0.5 h"},
                                {"busy_power", "300 W"},
                                {"idle_power", "60 W"},
                                {"checkpoint_period", "0.5 h"}});
    drawn.stream("users", "2 /h", "exponential(mean = 3 h)", {});
    drawn.m.measure("power", "time_average", "cloud.power", {{"unit", "W"}});
    const ResultSet r = drawn.run(1);
    const ResultTable &jobs = table_named(r, "jobs"), &gantt = table_named(r, "gantt"), &bill = table_named(r, "bill");
    const auto interruptions = column_of(jobs, "interruptions");
    QVERIFY(sum_of(interruptions) > 200);
    QVERIFY(gantt.rows.size() > jobs.rows.size() + 100);
    QVERIFY(std::fabs(area_of(gantt, "gpus") / sum_of(column_of(jobs, "gpu_time_s")) - 1) < 1e-9);
    // Each has as many bars as it was interrupted, and one more if it has GPUs or is done.
    for (std::size_t j = 0; j < jobs.rows.size(); ++j) {
      const std::string name = cell_text(jobs.rows[j][0]);
      const auto bars = std::count_if(gantt.rows.begin(), gantt.rows.end(),
                                      [&](const auto& row) { return cell_text(row[1]) == name; });
      const bool waits = cell_text(jobs.rows[j][9]) == "waiting";
      QCOMPARE(static_cast<double>(bars), interruptions[j] + (waits ? 0 : 1));
    }
    // GPU hours in use and not, as they are billed.
    const auto hours = column_of(bill, "gpu_time");
    QVERIFY(std::fabs(estimate(r, "power") * 500 / ((hours[0] + hours[2]) * 300 + hours[1] * 60) - 1) < 1e-9);
  }

  void parts_of_a_shared_cluster_are_means() {
    DrawnRental drawn("300 h", {{"budget", "4"}, {"policy", "greedy"}});
    drawn.stream("users", "0.8 /h", "exponential(mean = 2 h)", {});
    drawn.m.measure("jobs", "time_average", "cloud.jobs");
    const ResultSet r = drawn.run(1);
    const ResultTable &jobs = table_named(r, "jobs"), &gantt = table_named(r, "gantt");
    QVERIFY(std::fabs(area_of(gantt, "gpus") / sum_of(column_of(jobs, "gpu_time_s")) - 1) < 1e-9);
    for (const double slowdown : column_of(jobs, "slowdown")) QVERIFY(std::isnan(slowdown) || slowdown > 1 - 1e-9);
    QVERIFY(gantt.note.find("the mean of its parts") != std::string::npos);
    QCOMPARE(std::count_if(r.tables.begin(), r.tables.end(), [](const auto& t) { return t.name == "spend"; }), 0);
  }

  void a_saved_moment_keeps_what_a_job_takes_alone() {
    for (const char* policy : {"optimal", "equi"}) {
      DrawnRental drawn("1 h", {{"budget", "6"}, {"policy", policy}, {"busy_power", "1 W"}});
      drawn.stream("users", "1 /s", "exponential(mean = 3 s)", {});
      compare_saved_moment(drawn.m.document());
    }
  }

  void powers_below_zero_are_refused() {
    for (const char* property : {"busy_power", "idle_power"}) {
      DrawnRental drawn("10 h", {{property, "-1 W"}});
      drawn.stream("users", "1 /h", "1 h", {});
      QCOMPARE(drawn.problems(), std::string("RNT002"));
    }
  }

  // Bars of a pool of which some jobs are drawn: all hosts' time, until the run ends; one for each attempt.
  void bars_of_a_pool_are_the_time_of_its_hosts() {
    for (const char* failure : {"", "exponential(mean = 60 s)"}) {
      DrawnPool drawn("2000 s", {{"hosts", "6"}, {"policy", "fifo"}, {"failure", failure}, {"repair", "5 s"}});
      drawn.stream("users",
                   {{"rate", "0.5 /s"}, {"size", "exponential(mean = 3 s)"}, {"hosts", "uniform(low = 0, high = 4)"}});
      drawn.m.measure("busy", "time_average", "pool.busy"), drawn.m.measure("restarts", "final_value", "pool.restarts");
      const ResultSet r = drawn.run(1);
      const ResultTable &jobs = table_named(r, "jobs"), &gantt = table_named(r, "gantt");
      QVERIFY(is_gantt(gantt));
      QVERIFY(std::fabs(area_of(gantt, "hosts") / (estimate(r, "busy") * 2000) - 1) < 1e-9);
      const auto start = column_of(jobs, "start_s"), end = column_of(jobs, "completion_s");
      double bars = estimate(r, "restarts");
      for (std::size_t j = 0; j < start.size(); ++j) {
        const bool waits = std::isnan(end[j]) && cell_text(jobs.rows[j][12]) == "waiting";
        bars += std::isnan(start[j]) || waits ? 0 : 1;
      }
      QCOMPARE(static_cast<double>(gantt.rows.size()), bars);
    }
  }
};

QTEST_GUILESS_MAIN(TestRentalResults)
#include "tst_rental_results.moc"
