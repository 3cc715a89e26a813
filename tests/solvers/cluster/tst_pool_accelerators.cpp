// Pools whose accelerators differ, and have a memory: closed forms, tables that say the same, by hand, and what is
// wrong is told. Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/cluster/devices/device_profiles.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {}  // namespace

class TestPoolAccelerators : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
  }

  // A job on h hosts of a accelerators waits for the slowest of h a: the integral of F^-1(u) k u^(k - 1).
  void a_job_waits_for_the_slowest_of_its_accelerators() {
    const SlownessProfile profile = find_device_profile("resnet50_frontera")->profile();
    for (const auto& [hosts, accelerators] : {std::pair(1, 1), {1, 4}, {4, 4}, {3, 0}}) {
      DrawnPool drawn("10 s", {{"hosts", "8"},
                               {"accelerators", std::to_string(accelerators)},
                               {"policy", "fifo"},
                               {"variation", "frontera"}});
      drawn.stream("users", {{"interarrival", "7 s"}, {"size", "1 s"}, {"hosts", std::to_string(hosts)}});
      drawn.mean_of("response", "pool.response_time");
      const int k = hosts * std::max(1, accelerators);
      double wanted = 0;
      constexpr int parts = 200000;
      for (int i = 0; i < parts; ++i) wanted += profile.quantile(std::pow((i + 0.5) / parts, 1.0 / k)) / parts;
      compare_inside(drawn.run(4000), "response", wanted);
    }
  }

  // Twelve jobs on all hosts, and some on few: the table of devices says how slow each is.
  void jobs_run_as_slowly_as_the_table_of_devices_says() {
    for (const char* variation : {"longhorn", "sgemm_longhorn", "frontera_32", "lonestar6", "power_cap"}) {
      DrawnPool drawn("1000 s", {{"hosts", "6"}, {"accelerators", "2"}, {"policy", "fifo"}, {"variation", variation}});
      drawn.stream("users", {{"interarrival", "30 s"}, {"size", "10 s"}, {"hosts", "uniform(low = 0, high = 6)"}});
      drawn.m.measure("busy", "time_average", "pool.busy");
      const ResultSet r = drawn.run(1);
      const auto slow = column_of(table_named(r, "devices"), "slowdown");
      QCOMPARE(slow.size(), std::size_t{12});
      QCOMPARE(column_of(table_named(r, "devices"), "power_w").size(),
               std::size_t{variation[0] == 'p' || variation[0] == 's' ? 12u : 0u});
      const ResultTable& jobs = table_named(r, "jobs");
      const auto hosts = column_of(jobs, "hosts"), start = column_of(jobs, "start_s"),
                 end = column_of(jobs, "completion_s"), told = column_of(jobs, "host_slowdown");
      QVERIFY(end.size() > 30);
      for (std::size_t j = 0; j + 1 < end.size(); ++j) {
        // Nobody else is there: the hosts of the lowest numbers.
        const auto last = slow.begin() + static_cast<std::ptrdiff_t>(2 * hosts[j]);
        const double wanted = *std::max_element(slow.begin(), last);
        QVERIFY(std::fabs(told[j] - wanted) < 1e-12 && std::fabs(end[j] - start[j] - 10 * wanted) < 1e-9);
      }
    }
  }

  // One host that a chart takes away from 50 to 60 s and 110 to 120 s: of 100 s of work, s times slower, 29 s of time
  // are saved each time.
  void work_that_is_saved_is_that_of_slow_hosts() {
    DrawnPool drawn("1000 s", {{"hosts", "1"},
                               {"policy", "fifo"},
                               {"variation", "frontera"},
                               {"up_while", "in(node[host].Up)"},
                               {"checkpoint_period", "29 s"}});
    ChartBuilder chart(drawn.m, "Node");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up), chart.transition(up, down, "after(50 s)"), chart.transition(down, up, "after(10 s)");
    drawn.m.component("node", "Node", "1");
    drawn.file("jobs.swf", "1 0 0 100 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
    drawn.stream("users", {{"trace", "jobs.swf"}});
    drawn.m.measure("lost", "final_value", "pool.lost_work", {{"unit", "s"}});
    const ResultSet r = drawn.run(1);
    const double s = column_of(table_named(r, "devices"), "slowdown")[0];
    double left = 100 * s, at = 0, lost = 0;
    for (; left > 50; at += 60) left -= 29, lost += 21;
    QVERIFY(std::fabs(column_of(table_named(r, "jobs"), "completion_s")[0] - (at + left)) < 1e-9);
    QVERIFY(std::fabs(estimate(r, "lost") - lost / s) < 1e-9);
  }

  void a_saved_moment_keeps_its_hosts() {
    for (const char* policy : {"fifo", "sjf", "easy", "conservative"}) {
      DrawnPool drawn("1000 s", {{"hosts", "5"}, {"policy", policy}, {"variation", "lonestar6"}});
      drawn.stream("users", {{"rate", "1 /s"},
                             {"size", "exponential(mean = 1.5 s)"},
                             {"hosts", "uniform(low = 0, high = 3)"},
                             {"limit", "exponential(mean = 8 s)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("pool");
    QTest::addColumn<QString>("stream");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* pool, const char* stream, const char* codes) {
      QTest::newRow(name) << QString(pool) << QString(stream) << QString(codes);
    };
    add("sound", R"({"memory": "40 GiB", "variation": "longhorn", "scale_to": "0.08"})", R"({"gpu_memory": "40 GiB"})",
        "");
    add("too much", R"({"memory": "40 GiB"})", R"({"gpu_memory": "41 GiB"})", "BAT017");
    add("not asked", "{}", R"({"gpu_memory": "41 GiB"})", "");
    add("below", R"({"memory": "-1 GiB"})", "{}", "BAT002");
    add("job below", "{}", R"({"gpu_memory": "-1 GiB"})", "BAT002");
    add("unit", R"({"memory": "40 s"})", "{}", "EXP004");
    add("word", R"({"variation": "some"})", "{}", "DOC002");
    add("scale", R"({"variation": "longhorn", "scale_to": "2"})", "{}", "BAT002");
    add("many", R"({"variation": "longhorn", "hosts": "5000", "accelerators": "1000"})", "{}", "BAT002");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, pool);
    QFETCH(QString, stream);
    QFETCH(QString, codes);
    Value v = Value::parse(pool.toStdString()), jobs = Value::parse(stream.toStdString());
    v["policy"] = "fifo", jobs["interarrival"] = "100 s", jobs["size"] = "10 s";
    DrawnPool drawn("1000 s", v);
    drawn.stream("users", jobs);
    drawn.m.measure("present", "time_average", "pool.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }

  // A provisioner's jobs have hosts that are alike.
  void a_provisioner_and_differing_hosts_are_refused() {
    DrawnPool drawn("1000 s", {{"policy", "slurm"}, {"variation", "longhorn"}});
    drawn.file("jobs.swf", "1 0 0 60 1 -1 -1 1 60 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
    drawn.stream("users", {{"trace", "jobs.swf"}}), drawn.provisioner({{"policy", "reactive"}});
    drawn.m.measure("present", "time_average", "pool.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(std::any_of(found.begin(), found.end(),
                         [](const auto& one) { return one.code == "BAT012" && one.pointer == "variation"; }),
             listed(found).c_str());
  }
};

QTEST_GUILESS_MAIN(TestPoolAccelerators)
#include "tst_pool_accelerators.moc"
