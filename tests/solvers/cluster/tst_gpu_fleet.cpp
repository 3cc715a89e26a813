// Drawn fleets of GPUs: what runs in a model is what its definition says, by hand, by closed forms and history by
// history; what is wrong is told.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/des/lowering.h"
#include "solvers/cluster/devices/device_profiles.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/queueing/saved_moment.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

double fleet_number(const ResultTable& table, std::size_t row, const std::string& column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].label == column) return std::get<double>(table.rows.at(row)[c]);
  throw std::runtime_error("no column " + column);
}

void fleet_close(double seen, double wanted, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= 1e-9 * std::max(1.0, std::fabs(wanted)),
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 14).arg(wanted, 0, 'g', 14)));
}

}  // namespace

class TestGpuFleet : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
    register_lowering(fleet_lowering);
  }

  // Two nodes of two alike GPUs, packed. By hand: a (3 GPUs, class A) 0-116 on two nodes, b (2) waits until 116, c (1)
  // behind it; b 116-126, c 116-121.
  void a_trace_runs_as_by_hand() {
    DrawnFleetModel drawn("1000 s", {{"nodes", "2"},
                                     {"gpus_per_node", "2"},
                                     {"variation", "none"},
                                     {"placement", "packed"},
                                     {"price", "3600 USD/h"},
                                     {"power", "100 W"}});
    drawn.file("jobs.csv", "job,arrival_s,gpus,run_s,class\na,0,3,100,A\nb,1,2,10,B\nc,2,1,5,D\n");
    drawn.stream("users", {{"trace", "jobs.csv"}});
    for (const char* word : {"makespan", "mean_response_time", "mean_slowdown", "utilisation", "done"})
      drawn.m.measure(word, "final_value", std::string("fleet.") + word);
    drawn.m.measure("wait", "observed_mean", "", {{"of", "fleet.wait"}, {"unit", "s"}});
    drawn.m.measure("power", "time_average", "fleet.power", {{"unit", "W"}});
    drawn.m.measure("spend", "time_average", "fleet.spend", {{"unit", "USD/h"}});
    const ResultSet out = drawn.run(1);
    fleet_close(estimate(out, "makespan"), 126.0, "makespan");
    fleet_close(estimate(out, "mean_response_time"), (116.0 + 125.0 + 119.0) / 3.0, "response");
    fleet_close(estimate(out, "mean_slowdown"), (1.16 + 1.0 + 1.0) / 3.0, "slowdown");
    fleet_close(estimate(out, "utilisation"), (3 * 116.0 + 2 * 10.0 + 5.0) / (4 * 126.0), "utilisation");
    fleet_close(estimate(out, "wait"), (0.0 + 115.0 + 114.0) / 3.0, "wait");
    fleet_close(estimate(out, "power"), 100.0 * 373.0 / 1000.0, "power");
    fleet_close(estimate(out, "spend"), 14400.0, "spend");
    QCOMPARE(estimate(out, "done"), 3.0);
    // Busy for 373 GPU seconds, until 126 s; all four are paid until the run ends.
    const ResultTable& spend = table_named(out, "spend");
    const std::size_t end = spend.rows.size() - 1;
    fleet_close(fleet_number(spend, end, "time"), 1000.0 / 3600.0, "end of the table");
    fleet_close(fleet_number(spend, end, "energy_so_far"), 100.0 * 373.0 / 3.6e6, "energy");
    fleet_close(fleet_number(spend, end, "cost_so_far"), 14400.0 * 1000.0 / 3600.0, "cost");
    QCOMPARE(fleet_number(spend, end, "busy"), 0.0);
    const ResultTable& jobs = table_named(out, "jobs");
    QCOMPARE(std::get<std::string>(jobs.rows[0][0]), std::string("a"));
    QCOMPARE(fleet_number(jobs, 1, "start_s"), 116.0);
    QCOMPARE(fleet_number(jobs, 0, "nodes"), 2.0);
    // A GPU costs 1 USD a second; who holds three of them for 116 s pays for that.
    fleet_close(fleet_number(jobs, 0, "cost_usd"), 348.0, "cost of a");
    fleet_close(fleet_number(jobs, 1, "cost_usd"), 20.0, "cost of b");
    fleet_close(fleet_number(jobs, 2, "jct_s"), 119.0, "completion time of c");
    QCOMPARE(table_named(out, "devices").rows.size(), std::size_t{4});
  }

  // Who wants more than there is has a row of his own, where he came.
  void rejected_jobs_have_rows() {
    DrawnFleetModel drawn("1000 s", {{"nodes", "1"}, {"gpus_per_node", "2"}, {"variation", "none"}});
    drawn.file("jobs.csv", "job,arrival_s,gpus,run_s,class\na,0,1,10,A\nwide,3,3,10,A\nb,5,2,10,A\n");
    drawn.stream("users", {{"trace", "jobs.csv"}});
    drawn.m.measure("rejected", "final_value", "fleet.rejected");
    const ResultSet out = drawn.run(1);
    const ResultTable& jobs = table_named(out, "jobs");
    QCOMPARE(jobs.rows.size(), std::size_t{3});
    std::size_t state = 0;
    while (jobs.columns[state].label != "state") ++state;
    const char* const names[] = {"a", "wide", "b"};
    const char* const states[] = {"completed", "rejected", "completed"};
    for (std::size_t i = 0; i < 3; ++i) {
      QCOMPARE(std::get<std::string>(jobs.rows[i][0]), std::string(names[i]));
      QCOMPARE(std::get<std::string>(jobs.rows[i][state]), std::string(states[i]));
    }
    QVERIFY(std::isnan(fleet_number(jobs, 1, "start_s")) && std::isnan(fleet_number(jobs, 1, "jct_s")));
    QCOMPARE(fleet_number(jobs, 1, "cost_usd"), 0.0);
    QCOMPARE(estimate(out, "rejected"), 1.0);
  }

  // Jobs of one GPU on four that are alike: a queue of four servers (Erlang 1917).
  void jobs_of_one_gpu_wait_as_erlang_says() {
    DrawnFleetModel drawn("20000 s", {{"nodes", "2"}, {"gpus_per_node", "2"}, {"variation", "none"}});
    drawn.stream("users", {{"rate", "3 /s"}, {"size", "exponential(mean = 1 s)"}});
    drawn.m.measure("wait", "steady_state_mean", "", {{"of", "fleet.wait"}, {"unit", "s"}});
    drawn.m.measure("busy", "steady_state_mean", "fleet.busy");
    const double a = 3, c = 4, last = a * a * a * a / 24 * c / (c - a),
                 p = last / (1 + a + a * a / 2 + a * a * a / 6 + last);
    const ResultSet out = drawn.run(20);
    compare_inside(out, "wait", p / (c - a));
    compare_inside(out, "busy", a);
  }

  // One job at a time on all GPUs: its slowdown is the greatest of k draws, times the penalty.
  void slowdown_is_the_greatest_of_its_gpus() {
    for (const auto& [nodes, gpus, penalty] : {std::tuple("1", 4.0, 1.0), {"4", 16.0, 1.16}}) {
      DrawnFleetModel drawn("10 s", {{"nodes", nodes}, {"variation", "sgemm_longhorn"}, {"placement", "pal"}});
      drawn.file("jobs.csv", "arrival_s,gpus,run_s\n0," + std::to_string(static_cast<int>(gpus)) + ",1\n");
      drawn.stream("users", {{"trace", "jobs.csv"}});
      drawn.m.measure("slowdown", "observed_mean", "", {{"of", "fleet.slowdown"}});
      const SlownessProfile profile = find_device_profile("sgemm_longhorn")->profile();
      compare_inside(drawn.run(4000), "slowdown", penalty * profile.mean_of_greatest(gpus));
    }
  }

  // What the loop makes of the first history is what its table says, worked out apart from it; so of every placement.
  void the_first_history_is_that_of_its_tables() {
    for (const char* placement : {"pal", "pm_first", "packed", "random"})
      for (const char* queue : {"fifo", "first_fit"}) {
        DrawnFleetModel drawn("1000000 s", {{"nodes", "4"}, {"placement", placement}, {"queue", queue}});
        drawn.stream("a", {{"interarrival", "exponential(mean = 10 s)"},
                           {"size", "exponential(mean = 30 s)"},
                           {"gpus", "empirical(values = [1, 2, 4, 8])"},
                           {"most_jobs", "80"}});
        drawn.stream("d", {{"interarrival", "exponential(mean = 12 s)"},
                           {"size", "20 s"},
                           {"gpus", "3"},
                           {"application", "D"},
                           {"most_jobs", "70"}});
        drawn.m.measure("response", "final_value", "fleet.mean_response_time");
        drawn.m.measure("slowdown", "final_value", "fleet.mean_slowdown");
        drawn.m.measure("makespan", "final_value", "fleet.makespan");
        const ResultSet out = drawn.run(1);
        const ResultTable& jobs = table_named(out, "jobs");
        QCOMPARE(jobs.rows.size(), std::size_t{150});
        double response = 0.0, slowdown = 0.0, last = 0.0;
        for (std::size_t i = 0; i < jobs.rows.size(); ++i) {
          response += fleet_number(jobs, i, "jct_s") / 150.0;
          slowdown += fleet_number(jobs, i, "slowdown") / 150.0;
          last = std::max(last, fleet_number(jobs, i, "completion_s"));
        }
        fleet_close(estimate(out, "response"), response, "response");
        fleet_close(estimate(out, "slowdown"), slowdown, "slowdown");
        fleet_close(estimate(out, "makespan"), last - fleet_number(jobs, 0, "arrival_s"), "makespan");
        // A GPU has one job at a time, and each the job for as long as it ran.
        const ResultTable& gantt = table_named(out, "gantt");
        std::map<double, std::vector<std::pair<double, double>>> had;
        double held = 0.0, wanted = 0.0;
        for (std::size_t i = 0; i < gantt.rows.size(); ++i) {
          had[fleet_number(gantt, i, "gpu")].emplace_back(fleet_number(gantt, i, "from_s"),
                                                          fleet_number(gantt, i, "to_s"));
          held += fleet_number(gantt, i, "to_s") - fleet_number(gantt, i, "from_s");
        }
        for (auto& [gpu, stretches] : had) {
          std::sort(stretches.begin(), stretches.end());
          for (std::size_t i = 1; i < stretches.size(); ++i) QVERIFY(stretches[i - 1].second <= stretches[i].first);
        }
        for (std::size_t i = 0; i < jobs.rows.size(); ++i)
          wanted += fleet_number(jobs, i, "gpus") *
                    (fleet_number(jobs, i, "completion_s") - fleet_number(jobs, i, "start_s"));
        fleet_close(held, wanted, "GPU time");
        // The devices are those that the jobs met.
        const ResultTable& devices = table_named(out, "devices");
        const auto placed_on = static_cast<std::size_t>(
            std::find_if(jobs.columns.begin(), jobs.columns.end(),
                         [](const ResultTable::Column& column) { return column.label == "placed_on"; }) -
            jobs.columns.begin());
        for (std::size_t i = 0; i < jobs.rows.size(); ++i) {
          double most = 0.0;
          const bool of_d = std::get<std::string>(jobs.rows[i][1]) == "d";
          for (const std::string& gpu : split(std::get<std::string>(jobs.rows[i][placed_on]), ' '))
            most = std::max(most, fleet_number(devices, static_cast<std::size_t>(std::stoi(gpu)),
                                               of_d ? "slowdown_D" : "slowdown_A"));
          const double penalty = fleet_number(jobs, i, "nodes") > 1.0 ? (of_d ? 1.10 : 1.16) : 1.0;
          fleet_close(fleet_number(jobs, i, "slowdown"), most * penalty, "slowdown of a job");
        }
      }
  }

  // A baseline of the same placement is the same history, and threads change nothing.
  void baselines_are_histories_of_the_same_jobs() {
    const auto made = [](const char* placement, const char* baseline, unsigned threads) {
      DrawnFleetModel drawn(
          "1000000 s", {{"nodes", "4"}, {"placement", placement}, {"baseline", baseline}, {"variation", "lonestar6"}});
      drawn.stream("a", {{"interarrival", "exponential(mean = 10 s)"},
                         {"size", "exponential(mean = 25 s)"},
                         {"gpus", "empirical(values = [1, 2, 4, 8])"},
                         {"most_jobs", "60"}});
      for (const char* word : {"mean_response_time", "baseline_response_time", "makespan", "baseline_makespan",
                               "utilisation", "baseline_utilisation", "mean_slowdown", "baseline_slowdown"})
        drawn.m.measure(word, "final_value", std::string("fleet.") + word);
      return drawn.run(20, threads);
    };
    const ResultSet same = made("pal", "pal", 1), other = made("packed", "pal", 2), again = made("packed", "pal", 1);
    fleet_close(estimate(same, "baseline_response_time"), estimate(same, "mean_response_time"), "response");
    fleet_close(estimate(same, "baseline_makespan"), estimate(same, "makespan"), "makespan");
    fleet_close(estimate(same, "baseline_utilisation"), estimate(same, "utilisation"), "utilisation");
    fleet_close(estimate(same, "baseline_slowdown"), estimate(same, "mean_slowdown"), "slowdown");
    QCOMPARE(estimate(other, "baseline_response_time"), estimate(same, "baseline_response_time"));
    QCOMPARE(estimate(other, "mean_response_time"), estimate(again, "mean_response_time"));
    QVERIFY(estimate(other, "mean_response_time") > estimate(other, "baseline_response_time"));
  }

  void saved_moments_go_on_as_they_would_have() {
    for (const char* placement : {"pal", "random"}) {
      DrawnFleetModel drawn("1000 s", {{"nodes", "2"}, {"placement", placement}});
      drawn.stream("users",
                   {{"rate", "1.2 /s"}, {"size", "exponential(mean = 1.5 s)"}, {"gpus", "uniform(low = 0, high = 5)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  void measured_gpus_are_drawn_from_their_file() {
    DrawnFleetModel drawn("10 s", {{"nodes", "250"}, {"variation", "measured"}, {"measurements", "gpus.csv"}});
    std::string text = "gpu,perf_ms\n";
    for (int i = 0; i <= 100; ++i) text += std::to_string(i) + "," + std::to_string(900 + 2 * i) + "\n";
    drawn.file("gpus.csv", text);
    drawn.stream("users", {{"rate", "1 /s"}, {"size", "1 s"}});
    drawn.m.measure("busy", "time_average", "fleet.busy");
    const ResultTable devices = table_named(drawn.run(1), "devices");
    double least = 2.0, most = 0.0;
    for (std::size_t i = 0; i < devices.rows.size(); ++i) {
      least = std::min(least, fleet_number(devices, i, "slowdown_A"));
      most = std::max(most, fleet_number(devices, i, "slowdown_A"));
      QCOMPARE(fleet_number(devices, i, "slowdown_B"), 1.0);
    }
    QVERIFY(least >= 0.9 && least < 0.902 && most <= 1.1 && most > 1.098);
  }

  // The order of placements in the example's README, history by history.
  void the_example_ranks_its_placements() {
    const auto sooner = [](const char* placement) {
      RunRequest request;
      request.overrides = {{"placement", placement}, {"variation", "lonestar6"}}, request.replications = 40;
      return estimate(solved(example("28_uneven_gpus"), request), "sooner");
    };
    const double pal = sooner("pal"), fastest = sooner("pm_first"), packed = sooner("packed"),
                 random = sooner("random");
    QVERIFY2(pal > fastest && fastest > packed && packed > random,
             qPrintable(QString("%1 %2 %3 %4").arg(pal).arg(fastest).arg(packed).arg(random)));
    QVERIFY(pal > 0.1 && std::fabs(random) < 0.06);
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("fleet");
    QTest::addColumn<QString>("stream");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* fleet, const char* stream, const char* codes) {
      QTest::newRow(name) << QString(fleet) << QString(stream) << QString(codes);
    };
    const char* const jobs = R"({"trace": "jobs.csv"})";
    add("sound", "{}", jobs, "");
    add("drawn", "{}", "{}", "");
    add("nodes", R"({"nodes": "0"})", jobs, "DEV012");
    add("many", R"({"nodes": "100001", "gpus_per_node": "1"})", jobs, "DEV012");
    add("half", R"({"gpus_per_node": "2.5"})", jobs, "DEV012");
    add("speed", R"({"speed": "0"})", jobs, "DEV012");
    add("price", R"({"price": "-1 USD/h"})", jobs, "DEV012");
    add("unit of a price", R"({"price": "1 W"})", jobs, "EXP004");
    add("power", R"({"power": "-250 W"})", jobs, "DEV012");
    add("unit of power", R"({"power": "250 h"})", jobs, "EXP004");
    add("free and cold", R"({"price": "0 USD/h", "power": "0 W"})", jobs, "");
    add("placement", R"({"placement": "lottery"})", jobs, "DOC002");
    add("scale", R"({"scale_to": "2"})", jobs, "DEV012");
    add("tail", R"({"variation": "power_cap", "tail_probability": "1.5"})", jobs, "DEV012");
    add("no measurements", R"({"variation": "measured"})", jobs, "DEV014");
    add("measurements", R"({"variation": "measured", "measurements": "none.csv"})", jobs, "DEV014");
    add("bad measurements", R"({"variation": "measured", "measurements": "bad_gpus.csv"})", jobs, "DEV002");
    add("applications", R"({"variation": "measured", "measurements": "apps.csv"})", jobs, "DEV014");
    add("no trace", "{}", R"({"trace": "none.csv"})", "DEV014");
    add("bad rows", "{}", R"({"trace": "bad.csv"})", "DEV014 DEV014 DEV014");
    add("elsewhere", "{}", R"({"trace": "/etc/passwd"})", "DEV014");
    add("memory", R"({"memory": "16 GiB"})", R"({"gpu_memory": "32 GiB"})", "DEV015");
    add("wide", R"({"nodes": "1"})", jobs, "DEV016");
    add("wide drawn", R"({"nodes": "1"})", R"({"gpus": "5"})", "DEV016");
    add("penalty", "{}", R"({"locality_penalty": "0.9"})", "DEV012");
    add("class", "{}", R"({"application": "E"})", "DOC002");
    add("count", "{}", R"({"most_jobs": "0.5"})", "DEV012");
    add("gpus", "{}", R"({"gpus": "-1"})", "DEV012");
    add("rate", "{}", R"({"rate": "0 /s"})", "DEV012");
    add("baseline", R"({"baseline": "random"})", "{}", "DEV019");
    add("baseline of a trace", R"({"baseline": "random"})", jobs, "");
    add("name", "{}", R"({"name": "two words"})", "DEV011");
    add("nobody", "{}", "", "DEV017");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, fleet);
    QFETCH(QString, stream);
    QFETCH(QString, codes);
    DrawnFleetModel drawn("1000 s", Value::parse(fleet.toStdString()));
    drawn.file("jobs.csv", "arrival_s,gpus,run_s\n0,8,10\n1,2,3\n");
    drawn.file("bad.csv", "arrival_s,gpus,run_s,class\n-1,1,1,A\n0,1.5,1,B\n0,1,1,E\n");
    drawn.file("bad_gpus.csv", "gpu,perf_ms\n0,x\n");
    drawn.file("apps.csv", "app,gpu,perf_ms\nbert,0,1\nlammps,0,1\n");
    if (!stream.isEmpty()) {
      Value given = Value::parse(stream.toStdString());
      const std::string name = given.value("name", "users");
      drawn.stream(name, given);
    }
    drawn.m.measure("present", "time_average", "fleet.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }

  void jobs_that_go_to_several_places_are_refused() {
    DrawnFleetModel drawn("1000 s");
    const ElementId users = drawn.stream("users", Value::object());
    const ElementId cloud = drawn.m.node(drawn.diagram, {}, "rental", {{"name", "cloud"}});
    const ElementId others = drawn.m.node(drawn.diagram, {}, "job_stream", {{"name", "others"}});
    drawn.m.edge(drawn.diagram, "job_flow", others, cloud);
    drawn.m.measure("present", "time_average", "fleet.jobs + others.gpus");
    QVERIFY2(drawn.found().empty(), listed(drawn.found()).c_str());
    drawn.m.edge(drawn.diagram, "job_flow", users, cloud);
    QCOMPARE(codes(drawn.found()), std::string("DEV013"));
    const ElementId pool = drawn.m.node(drawn.diagram, {}, "host_pool", {{"name", "pool"}, {"policy", "fifo"}});
    drawn.m.edge(drawn.diagram, "job_flow", users, pool);
    QVERIFY2(codes(drawn.found()).find("BAT003") != std::string::npos, listed(drawn.found()).c_str());
  }
};

QTEST_GUILESS_MAIN(TestGpuFleet)
#include "tst_gpu_fleet.moc"
