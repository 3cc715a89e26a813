// Fleets whose nodes fail: by hand, closed forms, a plain loop over the same draws, and what is wrong is told.
// Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/des/lowering.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/cluster/plain_pool.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string fleet_seconds(double x) { return number_text(x, 17) + " s"; }

}  // namespace

class TestFleetFailures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
    register_lowering(fleet_lowering);
  }

  // All nodes are down from 50 to 60 s, 110 to 120 s and so on. A job of 100 s on two nodes is 1.16 times slower and
  // saves every 29 s: it works 0-50, 60-110, 120-170 s with 29 s saved and 21 lost each time, and has 29 s left at 180
  // s. A job of one node that comes at 55 s waits behind it on the fourth GPU.
  void charts_stop_jobs_as_by_hand() {
    DrawnFleetModel drawn("1000 s", {{"nodes", "2"},
                                     {"gpus_per_node", "2"},
                                     {"variation", "none"},
                                     {"placement", "packed"},
                                     {"price", "3600 USD/h"},
                                     {"up_while", "in(node[host].Up)"},
                                     {"checkpoint_period", "29 s"}});
    drawn.draw_nodes(2, "after(50 s)", "after(10 s)");
    drawn.file("jobs.csv", "job,arrival_s,gpus,run_s,class\na,0,3,100,A\nb,55,1,20,A\n");
    drawn.stream("users", {{"trace", "jobs.csv"}});
    for (const char* word : {"restarts", "host_failures", "done"})
      drawn.m.measure(word, "final_value", std::string("fleet.") + word);
    drawn.m.measure("lost", "final_value", "fleet.lost_work", {{"unit", "s"}});
    drawn.m.measure("wait", "observed_mean", "", {{"of", "fleet.wait"}, {"unit", "s"}});
    const ResultSet r = drawn.run(1);
    QCOMPARE(estimate(r, "restarts"), 3.0);
    QCOMPARE(estimate(r, "done"), 2.0);
    QCOMPARE(estimate(r, "host_failures"), 2.0 * 16);
    QVERIFY(std::fabs(estimate(r, "lost") - 3 * 3 * 21 / 1.16) < 1e-9);
    QVERIFY(std::fabs(estimate(r, "wait") - 5.0 / 2) < 1e-9);
    const ResultTable &jobs = table_named(r, "jobs"), &gantt = table_named(r, "gantt");
    QVERIFY(std::fabs(column_of(jobs, "completion_s")[0] - 209) < 1e-9);
    QVERIFY(std::fabs(column_of(jobs, "completion_s")[1] - 80) < 1e-9);
    QCOMPARE(column_of(jobs, "restarts")[0], 3.0);
    QVERIFY(std::fabs(column_of(jobs, "lost_work_s")[0] - 3 * 21 / 1.16) < 1e-9);
    QVERIFY(std::fabs(column_of(jobs, "cost_usd")[0] - 3.0 * (50 + 50 + 50 + 29)) < 1e-9);
    // Four stretches on three GPUs, and one on one.
    QCOMPARE(gantt.rows.size(), std::size_t{13});
    double held = 0.0;
    const auto from = column_of(gantt, "from_s"), to = column_of(gantt, "to_s");
    for (std::size_t i = 0; i < from.size(); ++i) held += to[i] - from[i];
    QVERIFY(std::fabs(held - (3 * 179 + 20)) < 1e-9);
  }

  // Nodes of one GPU, alike, packed, first come first served: a pool of as many hosts, which the plain loop runs.
  void nodes_of_one_gpu_are_hosts_of_the_plain_loop() {
    std::mt19937 dice(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(dice); };
    double restarts = 0;
    for (int trial = 0; trial < 60; ++trial) {
      PlainPool plain;
      plain.widths = ".gpus";
      plain.hosts = 1 + static_cast<int>(uniform(dice) * 9), plain.widest = 1 + static_cast<int>(uniform(dice) * 5);
      plain.size = between(0.5, 3);
      plain.rate = between(0.2, 0.9) * plain.hosts / (plain.size * (plain.widest + 1) / 2.0);
      plain.failure = between(5, 60), plain.repair = between(0.2, 6);
      if (uniform(dice) < 0.6) plain.period = between(0.2, 1.5);
      plain.cost = uniform(dice) < 0.5 ? 0 : between(0, 0.1), plain.restart = uniform(dice) < 0.5 ? 0 : between(0, 0.3);
      plain.front = uniform(dice) < 0.5;
      Value v = {{"nodes", std::to_string(plain.hosts)},
                 {"gpus_per_node", "1"},
                 {"variation", "none"},
                 {"placement", "packed"},
                 {"failure", "exponential(mean = " + fleet_seconds(plain.failure) + ")"},
                 {"repair", "exponential(mean = " + fleet_seconds(plain.repair) + ")"},
                 {"checkpoint_cost", fleet_seconds(plain.cost)},
                 {"restart", fleet_seconds(plain.restart)},
                 {"requeue", plain.front ? "front" : "end"}};
      if (std::isfinite(plain.period)) v["checkpoint_period"] = fleet_seconds(plain.period);
      DrawnFleetModel drawn("400 s", v);
      plain.pool = drawn.hosts;
      plain.stream = drawn.stream("users", {{"rate", number_text(plain.rate, 17) + " /s"},
                                            {"size", "exponential(mean = " + fleet_seconds(plain.size) + ")"},
                                            {"gpus", "uniform(low = 0, high = " + std::to_string(plain.widest) + ")"},
                                            {"locality_penalty", "1"}});
      for (const char* word : {"response_time", "wait", "job_lost_work"})
        drawn.m.measure(word, "observed_mean", "", {{"of", std::string("fleet.") + word}, {"unit", "s"}});
      for (const char* word : {"up", "busy"}) drawn.m.measure(word, "time_average", std::string("fleet.") + word);
      for (const char* word : {"restarts", "host_failures", "done"})
        drawn.m.measure(word, "final_value", std::string("fleet.") + word);
      drawn.m.measure("lost", "final_value", "fleet.lost_work", {{"unit", "s"}});
      const ResultSet r = drawn.run(1);
      const PlainPoolMeans wanted = PlainPoolLoop(plain, 1, 400).run();
      if (wanted.left == 0) continue;
      const std::map<std::string, double> all = {{"response_time", wanted.response},
                                                 {"wait", wanted.wait},
                                                 {"job_lost_work", wanted.lost_of_job},
                                                 {"up", wanted.up},
                                                 {"busy", wanted.busy},
                                                 {"restarts", wanted.restarts},
                                                 {"host_failures", wanted.failures},
                                                 {"lost", wanted.lost},
                                                 {"done", wanted.left}};
      for (const auto& [id, value] : all)
        QVERIFY2(std::fabs(estimate(r, id) - value) <= 1e-7 * (1 + std::fabs(value)),
                 qPrintable(QString("trial %1, %2: %3, wanted %4\n%5")
                                .arg(trial)
                                .arg(id.c_str())
                                .arg(estimate(r, id), 0, 'g', 12)
                                .arg(value, 0, 'g', 12)
                                .arg(v.dump().c_str())));
      restarts += wanted.restarts;
    }
    QVERIFY(restarts > 1000);
  }

  // Two nodes of four GPUs each for a job, of many: (e^(2 lambda (c + C)) - 1) (1 / (2 lambda) + again), as Daly
  // (2006).
  void a_job_on_two_nodes_takes_what_the_renewal_formula_says() {
    DrawnFleetModel drawn("2000000 s", {{"nodes", "40"},
                                        {"gpus_per_node", "4"},
                                        {"variation", "none"},
                                        {"placement", "packed"},
                                        {"failure", "exponential(mean = 200 s)"},
                                        {"repair", "exponential(mean = 10 s)"},
                                        {"checkpoint_period", "30 s"},
                                        {"checkpoint_cost", "2 s"},
                                        {"restart", "5 s"}});
    drawn.stream("users", {{"interarrival", "1000 s"}, {"size", "100 s"}, {"gpus", "8"}, {"locality_penalty", "1"}});
    drawn.m.measure("response", "observed_mean", "", {{"of", "fleet.response_time"}, {"unit", "s"}});
    drawn.m.measure("restarts", "observed_mean", "", {{"of", "fleet.job_restarts"}});
    const double rate = 2.0 / 200.0, again = std::expm1(rate * 5) / rate;
    const auto mean = [&](double s) { return std::expm1(rate * s) * (1 / rate + again); };
    const double wanted = 3 * mean(32) + mean(10);
    const ResultSet r = drawn.run(10);
    compare_inside(r, "response", wanted), compare_inside(r, "restarts", rate * wanted);
  }

  void saved_moments_of_failing_nodes_go_on() {
    for (const char* placement : {"packed", "random", "pal"}) {
      DrawnFleetModel drawn("500 s", {{"nodes", "3"},
                                      {"placement", placement},
                                      {"queue", "first_fit"},
                                      {"failure", "exponential(mean = 30 s)"},
                                      {"repair", "exponential(mean = 3 s)"},
                                      {"checkpoint_period", "0.5 s"}});
      drawn.stream("users",
                   {{"rate", "1.5 /s"}, {"size", "exponential(mean = 1.5 s)"}, {"gpus", "uniform(low = 0, high = 6)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_with_failures_is_told_data() {
    QTest::addColumn<QString>("fleet");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* fleet, const char* codes) {
      QTest::newRow(name) << QString(fleet) << QString(codes);
    };
    add("sound", R"j({"failure": "90 h", "up_while": "in(node[host].Up)"})j", "");
    add("law", R"j({"failure": "-1 h"})j", "DEV012");
    add("cost", R"j({"checkpoint_cost": "-1 s"})j", "DEV012");
    add("beyond the array", R"j({"up_while": "in(node[host].Up)", "nodes": "5"})j", "EXP002");
    add("never changes", R"j({"up_while": "host < 3"})j", "DEV023");
    add("compared", R"j({"failure": "90 h", "baseline": "random"})j", "DEV022");
    add("piling up", R"j({"failure": "exponential(mean = 1 s)"})j", "DEV024");
  }
  void what_is_wrong_with_failures_is_told() {
    QFETCH(QString, fleet);
    QFETCH(QString, codes);
    Value v = Value::parse(fleet.toStdString());
    if (!v.contains("nodes")) v["nodes"] = "4";
    DrawnFleetModel drawn("1000 s", v);
    drawn.draw_nodes(4, "after(50 s)", "after(10 s)");
    drawn.stream("users", {{"interarrival", "100 s"}, {"size", "60 s"}, {"most_jobs", "20"}});
    drawn.m.measure("present", "time_average", "fleet.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }
};

QTEST_GUILESS_MAIN(TestFleetFailures)
#include "tst_fleet_failures.moc"
