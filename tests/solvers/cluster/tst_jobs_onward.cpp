// Jobs of a cluster that become customers of a queueing network: closed forms, Lindley's recursion over the tables of
// schedules, and what is wrong is told. Intervals are at 99.9 %.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "core/base/read_file.h"
#include "core/des/lowering.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/saved_moment.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A cluster diagram, and a network "evaluation" of a source "results", a station "review" and a sink "done". Times are
/// in seconds.
struct OnwardJobs {
  QTemporaryDir folder;
  ModelBuilder m;
  ElementId cluster, net, source, station, sink;
  OnwardJobs(const std::string& horizon, Value source_of, Value station_of)
      : m(horizon), cluster(m.diagram("Cluster", "cluster")), net(m.diagram("Evaluation", "queueing")) {
    m.header("time_unit", "s");
    source_of["name"] = "results", source_of["jobs"] = source_of.value("jobs", "jobs"), station_of["name"] = "review";
    source = m.node(net, {}, "source", std::move(source_of));
    station = m.node(net, {}, "station", std::move(station_of));
    sink = m.node(net, {}, "sink", {{"name", "done"}});
    m.edge(net, "flow", source, station), m.edge(net, "flow", station, sink);
  }
  /// A stream "jobs", and where it flows, "where"; no kind: nowhere.
  void stream(Value stream_of, const std::string& kind, Value where_of = Value::object()) {
    stream_of["name"] = "jobs", where_of["name"] = "where";
    const ElementId jobs = m.node(cluster, {}, "job_stream", std::move(stream_of));
    if (!kind.empty()) m.edge(cluster, "job_flow", jobs, m.node(cluster, {}, kind, std::move(where_of)));
  }
  void file(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path().toStdString() + "/" + name) << text;
  }
  void mean_of(const std::string& name, const std::string& of) {
    m.measure(name, "observed_mean", "", {{"of", of}, {"unit", "s"}});
  }
  void long_mean_of(const std::string& name, const std::string& of) {
    m.measure(name, "steady_state_mean", "", {{"of", of}, {"unit", "s"}});
  }
  ResultSet run(std::uint64_t replications) const {
    RunRequest request;
    request.replications = replications, request.seed = 1, request.confidence = 0.999;
    request.folder = folder.path().toStdString();
    return solved(m.document(), request);
  }
  Diagnostics found() const {
    Diagnostics out;
    build_model(m.document(), {}, folder.path().toStdString(), out);
    return out;
  }
};

Value servers(const std::string& kind, int count) {
  const std::string room = std::to_string(count);
  if (kind == "host_pool") return {{"hosts", room}, {"policy", "fifo"}};
  if (kind == "gpu_cluster") return {{"gpus", room}, {"policy", "fifo"}};
  return {{"nodes", "1"}, {"gpus_per_node", room}, {"variation", "none"}, {"placement", "packed"}};
}

double mean_time_of_many(double rate, double mean_s, int servers) {
  const double a = rate * mean_s;
  double term = 1.0, sum = 0.0;
  for (int k = 0; k < servers; ++k) sum += term, term *= a / (k + 1);
  const double last = term / (1.0 - a / servers), wait = last / (sum + last);
  return mean_s + wait * mean_s / (servers - a);
}

std::vector<double> numbers_of(const ResultSet& results, const std::string& name, const std::string& label) {
  std::vector<double> out;
  for (const ResultTable& table : results.tables)
    for (std::size_t i = 0; table.name == name && i < table.columns.size(); ++i)
      if (table.columns[i].label == label)
        for (const auto& row : table.rows) out.push_back(std::get<double>(row[i]));
  return out;
}

/// A job of a schedule: when it comes and ends, and how long it is looked at afterwards.
struct ScheduledJob {
  double came = 0, end = 0, review = 0;
};
/// Mean times of one server behind a schedule, first come first served, of those who are through by `horizon`.
struct BehindSchedule {
  double response = 0, in_system = 0, count = 0;
  BehindSchedule(std::vector<ScheduledJob> jobs, double horizon) {
    std::stable_sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
    double free = 0;
    for (const ScheduledJob& one : jobs) {
      free = std::max(free, one.end) + one.review;
      if (free > horizon) break;
      response += free - one.end, in_system += free - one.came, ++count;
    }
    response /= count, in_system /= count;
  }
};

void compare_behind(const ResultSet& out, const BehindSchedule& wanted, double jobs) {
  const auto near = [&](const char* id, double value) {
    QVERIFY2(
        std::fabs(estimate(out, id) - value) <= 1e-9 * (1.0 + value),
        qPrintable(QString("%1: %2, wanted %3").arg(id).arg(estimate(out, id), 0, 'g', 12).arg(value, 0, 'g', 12)));
  };
  near("review", wanted.response), near("in_system", wanted.in_system);
  QCOMPARE(estimate(out, "through"), wanted.count);
  QCOMPARE(wanted.count, jobs);
}

}  // namespace

class TestJobsOnward : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    for (const auto lowering : {network_lowering, rental_lowering, batch_lowering, gang_lowering, fleet_lowering,
                                round_lowering, iteration_lowering})
      register_lowering(lowering);
  }

  // Without a cluster between, jobs queue as they come.
  void a_stream_that_flows_nowhere_queues_before_a_station() {
    OnwardJobs drawn("200000 s", {{"taken", "work: real s = run_time"}}, {{"service", "work"}});
    drawn.stream({{"rate", "0.5 /s"}, {"size", "exponential(mean = 1.4 s)"}}, "");
    drawn.long_mean_of("review", "review.response_time"), drawn.long_mean_of("in_system", "done.time_in_system");
    drawn.m.measure("present", "steady_state_mean", "review.number");
    const ResultSet out = drawn.run(10);
    const double mean = 1.0 / (1.0 / 1.4 - 0.5);
    compare_inside(out, "review", mean), compare_inside(out, "in_system", mean);
    compare_inside(out, "present", 0.5 * mean);
    drawn.m.measure("come", "final_value", "jobs.submitted - results.emitted");
    QCOMPARE(estimate(drawn.run(1), "come"), 0.0);
  }

  void a_trace_of_any_kind_queues_before_a_station_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("Tiresias") << "t.csv"
                              << QByteArray("job_id,submit_time,num_gpu,duration\na,5,2,30\nb,15,1,7\nc,100,3,9\n");
    const QByteArray end = " -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
    QTest::newRow("SWF") << "t.swf"
                         << "1 5 -1 30 2 -1 -1 2 90" + end + "2 15 -1 80 1 -1 -1 1 7" + end +
                                "3 100 -1 9 3 -1 -1 3 -1" + end;
    QTest::newRow("Slurm") << "t.csv"
                           << QByteArray(
                                  "JobID,Submit,Start,End,TimelimitRaw,NNodes\n"
                                  "1,2023-02-27T01:00:05,2023-02-27T01:00:30,2023-02-27T01:01:00,90,2\n"
                                  "2,2023-02-27T01:00:15,2023-02-27T01:00:30,2023-02-27T01:00:37,90,1\n"
                                  "3,2023-02-27T01:01:40,2023-02-27T01:02:00,2023-02-27T01:02:09,90,3\n");
    QTest::newRow("Batsim") << "t.json" << QByteArray(R"({"jobs": [{"id": 1, "subtime": 5, "res": 2, "profile": "a"},
                                 {"id": 2, "subtime": 15, "res": 1, "profile": "b"},
                                 {"id": 3, "subtime": 100, "res": 3, "profile": "c"}],
                                 "profiles": {"a": {"type": "delay", "delay": 30}, "b": {"type": "delay", "delay": 7},
                                              "c": {"type": "delay", "delay": 9}}})");
  }
  void a_trace_of_any_kind_queues_before_a_station() {
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    OnwardJobs drawn("1e5 s", {{"taken", "wide: integer = gpus, work: real s = run_time"}},
                     {{"service", "work + wide * 1 s"}});
    drawn.file(name.toStdString(), text.toStdString());
    drawn.stream({{"trace", name.toStdString()}}, "");
    drawn.mean_of("review", "review.response_time"), drawn.mean_of("in_system", "done.time_in_system");
    drawn.m.measure("through", "final_value", "done.arrived");
    // Since the first of them.
    compare_behind(drawn.run(1), BehindSchedule({{0, 0, 32}, {10, 10, 8}, {95, 95, 12}}, 1e5), 3.0);
  }

  // Departures of M/M/c are Poisson (Burke, 1956), and the times at both are independent.
  void a_cluster_and_a_station_are_servers_in_tandem() {
    for (const char* kind : {"host_pool", "gpu_cluster", "gpu_fleet"}) {
      OnwardJobs drawn("200000 s", Value::object(), {{"service", "exponential(mean = 1.4 s)"}});
      drawn.stream({{"rate", "0.5 /s"}, {"size", "exponential(mean = 6 s)"}}, kind, servers(kind, 4));
      drawn.long_mean_of("cluster", "where.response_time"), drawn.long_mean_of("review", "review.response_time");
      drawn.long_mean_of("in_system", "done.time_in_system");
      const ResultSet out = drawn.run(10);
      const double cluster = mean_time_of_many(0.5, 6.0, 4), review = 1.0 / (1.0 / 1.4 - 0.5);
      compare_inside(out, "cluster", cluster), compare_inside(out, "review", review);
      compare_inside(out, "in_system", cluster + review);
    }
  }

  // One GPU for each job, nobody waits: M/M/inf, whose departures are Poisson.
  void rented_jobs_go_on() {
    OnwardJobs drawn("200000 s", {{"taken", "used: real s = gpu_time"}}, {{"service", "exponential(mean = 1.4 s)"}});
    drawn.stream({{"rate", "0.5 /s"}, {"size", "exponential(mean = 6 s)"}}, "rental",
                 {{"budget", "20"}, {"policy", "one_gpu"}});
    drawn.long_mean_of("review", "review.response_time"), drawn.long_mean_of("in_system", "done.time_in_system");
    const ResultSet out = drawn.run(10);
    const double review = 1.0 / (1.0 / 1.4 - 0.5);
    compare_inside(out, "review", review), compare_inside(out, "in_system", 6.0 + review);
  }

  // Schedules are known beforehand; each job goes on at its own time all the same.
  void jobs_of_a_schedule_go_on_at_their_own_times_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"fifo", "backfill", "sjf", "srtf", "las", "drf"}) QTest::newRow(policy) << policy;
  }
  void jobs_of_a_schedule_go_on_at_their_own_times() {
    QFETCH(QString, policy);
    OnwardJobs drawn("1e6 s", {{"taken", "wide: integer = gpus, work: real s = run_time, waited: real s = wait"}},
                     {{"service", "0.3 * work + wide * 1 s + 0.01 * waited"}});
    drawn.file("t.csv",
               "job_id,submit_time,num_gpu,duration\n"
               "a,0,2,100\nb,10,4,50\nc,20,1,30\nd,30,2,10\ne,300,3,5\nf,300,3,5\ng,301,1,40\n");
    drawn.stream({{"trace", "t.csv"}}, "gpu_cluster", {{"gpus", "4"}, {"policy", policy.toStdString()}});
    drawn.mean_of("review", "review.response_time"), drawn.mean_of("in_system", "done.time_in_system");
    drawn.m.measure("through", "final_value", "done.arrived");
    const ResultSet out = drawn.run(1);
    const auto came = numbers_of(out, "jobs", "arrival_s"), jct = numbers_of(out, "jobs", "jct_s"),
               wide = numbers_of(out, "jobs", "gpus"), wait = numbers_of(out, "jobs", "queueing_s"),
               work = numbers_of(out, "jobs", "work_s");
    QCOMPARE(jct.size(), std::size_t{7});
    std::vector<ScheduledJob> jobs;
    for (std::size_t i = 0; i < jct.size(); ++i)
      jobs.push_back({came[i], came[i] + jct[i], 0.3 * work[i] + wide[i] + 0.01 * wait[i]});
    compare_behind(out, BehindSchedule(jobs, 1e6), 7.0);
  }

  // A clock of minutes that knows all its jobs takes them as of the begin of their minute, and tells of their ends when
  // a minute is over.
  void jobs_on_the_clock_of_their_trace_go_on_at_their_minutes() {
    OnwardJobs drawn("1e5 s", {{"taken", "wide = hosts"}}, {{"service", "wide * 70 s"}});
    drawn.file("jobs.swf",
               "1 0 -1 600 2 -1 -1 2 900 -1 1 1 1 1 1 1 -1 -1\n2 30 -1 100 2 -1 -1 2 900 -1 1 1 1 1 1 1 -1 -1\n"
               "3 70 -1 100 1 -1 -1 1 900 -1 1 1 1 1 1 1 -1 -1\n4 900 -1 30 3 -1 -1 3 900 -1 1 1 1 1 1 1 -1 -1\n");
    drawn.stream({{"trace", "jobs.swf"}}, "host_pool", {{"hosts", "3"}, {"policy", "slurm"}});
    drawn.mean_of("review", "review.response_time"), drawn.mean_of("in_system", "done.time_in_system");
    drawn.mean_of("pool", "where.response_time");
    drawn.m.measure("through", "final_value", "done.arrived");
    const ResultSet out = drawn.run(1);
    const auto came = numbers_of(out, "jobs", "arrival_s"), end = numbers_of(out, "jobs", "completion_s"),
               wide = numbers_of(out, "jobs", "hosts");
    QCOMPARE(end.size(), std::size_t{4});
    std::vector<ScheduledJob> jobs;
    for (std::size_t i = 0; i < end.size(); ++i)
      jobs.push_back({60.0 * std::floor(came[i] / 60.0), end[i], 70.0 * wide[i]});
    compare_behind(out, BehindSchedule(jobs, 1e5), 4.0);
  }

  void trained_jobs_go_on_at_their_own_times() {
    OnwardJobs drawn("1e8 s", {{"taken", "wide = gpus"}}, {{"service", "wide * 200 s"}});
    for (const char* name : {"trace.tsv", "throughputs.csv"})
      drawn.file(name,
                 std::get<std::string>(read_text(std::string(ERGODE_SOURCE_DIR) + "/examples/25_fair_rounds/" + name)));
    drawn.m.node(drawn.cluster, {}, "round_scheduler",
                 {{"name", "jobs"}, {"trace", "trace.tsv"}, {"throughputs", "throughputs.csv"}, {"gpus", "32"}});
    drawn.mean_of("review", "review.response_time"), drawn.mean_of("in_system", "done.time_in_system");
    drawn.m.measure("through", "final_value", "done.arrived");
    const ResultSet out = drawn.run(1);
    const auto came = numbers_of(out, "jobs", "arrival_s"), end = numbers_of(out, "jobs", "completion_s"),
               wide = numbers_of(out, "jobs", "num_gpus");
    QCOMPARE(end.size(), std::size_t{120});
    std::vector<ScheduledJob> jobs;
    for (std::size_t i = 0; i < end.size(); ++i) jobs.push_back({came[i], end[i], 200.0 * wide[i]});
    compare_behind(out, BehindSchedule(jobs, 1e8), 120.0);
  }

  void jobs_of_iterations_go_on_at_their_own_times() {
    OnwardJobs drawn("1e6 s", {{"taken", "wide = gpus"}}, {{"service", "wide * 20 s"}});
    drawn.file("jobs.csv",
               "arrival_s,iterations,workers,forward_s,backward_s\n0,10,2,1,2\n5,20,1,1,2\n7,5,2,0.5,1\n400,1,1,1,1\n");
    drawn.m.node(drawn.cluster, {}, "iteration_scheduler",
                 {{"name", "jobs"}, {"trace", "jobs.csv"}, {"gpus", "2"}, {"policy", "fifo_gang"}});
    drawn.mean_of("review", "review.response_time"), drawn.mean_of("in_system", "done.time_in_system");
    drawn.m.measure("through", "final_value", "done.arrived");
    const ResultSet out = drawn.run(1);
    const auto came = numbers_of(out, "jobs", "arrival_s"), end = numbers_of(out, "jobs", "completion_s"),
               wide = numbers_of(out, "jobs", "workers");
    QCOMPARE(end.size(), std::size_t{4});
    std::vector<ScheduledJob> jobs;
    for (std::size_t i = 0; i < end.size(); ++i) jobs.push_back({came[i], end[i], 20.0 * wide[i]});
    compare_behind(out, BehindSchedule(jobs, 1e6), 4.0);
  }

  // From a network to a cluster and on to another: time counts from the first birth.
  void customers_may_be_jobs_in_between() {
    OnwardJobs drawn("100000 s", Value::object(), {{"service", "2 s"}});
    const ElementId users = drawn.m.node(drawn.net, {}, "source", {{"name", "users"}, {"interarrival", "10 s"}}),
                    staging = drawn.m.node(drawn.net, {}, "station", {{"name", "staging"}, {"service", "3 s"}}),
                    staged = drawn.m.node(drawn.net, {}, "sink", {{"name", "staged"}});
    drawn.m.edge(drawn.net, "flow", users, staging), drawn.m.edge(drawn.net, "flow", staging, staged);
    drawn.stream({{"sink", "staged"}, {"size", "4 s"}}, "gpu_cluster", {{"gpus", "1"}, {"policy", "fifo"}});
    drawn.mean_of("in_system", "done.time_in_system");
    QVERIFY(std::fabs(estimate(drawn.run(1), "in_system") - 9.0) < 1e-9);
  }

  // Those of two GPUs find one alone: a Poisson stream split by chance, and what is rejected is a stream of its own.
  void rejected_jobs_go_elsewhere() {
    for (const char* kind : {"host_pool", "gpu_cluster", "gpu_fleet"}) {
      const bool hosts = kind == std::string("host_pool");
      const std::string word = hosts ? "hosts" : "gpus";
      OnwardJobs drawn("200000 s",
                       {{"outcome", "rejected"}, {"taken", "work: real s = run_time, wide: integer = " + word}},
                       {{"service", "0.1 * work * wide"}});
      Value stream = {
          {"rate", "0.5 /s"}, {"size", "exponential(mean = 1 s)"}, {word, "empirical(values = [1, 1, 1, 2, 2])"}};
      if (kind == std::string("gpu_cluster")) stream["speedup"] = "power", stream["exponent"] = "0.5";
      drawn.stream(stream, kind, servers(kind, 1));
      drawn.m.measure("none_lost", "final_value", "where.rejected - results.emitted");
      drawn.long_mean_of("in_system", "done.time_in_system"), drawn.long_mean_of("pool", "where.response_time");
      const ResultSet out = drawn.run(10);
      QCOMPARE(estimate(out, "none_lost"), 0.0);
      // Work of a second on two hosts, or on two GPUs of a cluster at the speed of their square root.
      const double mean = 0.2 / (kind == std::string("gpu_cluster") ? std::sqrt(2.0) : 1.0);
      compare_inside(out, "in_system", 1.0 / (1.0 / mean - 0.2));
      compare_inside(out, "pool", 1.0 / (1.0 - 0.3));
    }
  }

  // By a source and a sink to another pool, which is wide enough.
  void rejected_jobs_may_run_on_another_pool() {
    OnwardJobs drawn("1e5 s", {{"outcome", "rejected"}, {"taken", "work: real s = run_time, wide: real = hosts"}},
                     {{"service", "0 s"}});
    drawn.file("jobs.swf",
               "1 0 -1 600 2 -1 -1 2 900 -1 1 1 1 1 1 1 -1 -1\n2 30 -1 100 5 -1 -1 5 900 -1 1 1 1 1 1 1 -1 -1\n"
               "3 70 -1 50 1 -1 -1 1 900 -1 1 1 1 1 1 1 -1 -1\n4 90 -1 30 6 -1 -1 6 900 -1 1 1 1 1 1 1 -1 -1\n");
    drawn.stream({{"trace", "jobs.swf"}}, "host_pool", {{"hosts", "3"}, {"policy", "fifo"}});
    const ElementId wide = drawn.m.node(drawn.cluster, {}, "job_stream",
                                        {{"name", "moved"}, {"sink", "done"}, {"taken", "size = work, hosts = wide"}}),
                    large = drawn.m.node(drawn.cluster, {}, "host_pool",
                                         {{"name", "large"}, {"hosts", "8"}, {"policy", "fifo"}});
    drawn.m.edge(drawn.cluster, "job_flow", wide, large);
    drawn.mean_of("small", "where.response_time"), drawn.mean_of("large", "large.response_time");
    drawn.m.measure("turned_away", "final_value", "where.rejected");
    drawn.m.measure("used", "final_value", "large.used_time");
    const ResultSet out = drawn.run(1);
    QCOMPARE(estimate(out, "small"), (600.0 + 50.0) / 2.0);
    // At 30 s 5 hosts for 100 s; at 90 s 6 of them, which wait until 130 s.
    QCOMPARE(estimate(out, "large"), (100.0 + 70.0) / 2.0);
    QCOMPARE(estimate(out, "turned_away"), 2.0);
    QCOMPARE(estimate(out, "used"), 5 * 100.0 + 6 * 30.0);
  }

  // On the clock of a trace they come at the begin of their minute, also behind its last job.
  void rejected_jobs_on_the_clock_of_their_trace_go_on_at_their_minutes() {
    OnwardJobs drawn("1e5 s", {{"outcome", "rejected"}, {"taken", "wide: real = hosts"}}, {{"service", "wide * 70 s"}});
    drawn.file("jobs.swf",
               "1 0 -1 600 2 -1 -1 2 900 -1 1 1 1 1 1 1 -1 -1\n2 70 -1 100 4 -1 -1 4 900 -1 1 1 1 1 1 1 -1 -1\n"
               "3 130 -1 100 5 -1 -1 5 900 -1 1 1 1 1 1 1 -1 -1\n4 9000 -1 30 6 -1 -1 6 900 -1 1 1 1 1 1 1 -1 -1\n");
    drawn.stream({{"trace", "jobs.swf"}}, "host_pool", {{"hosts", "3"}, {"policy", "slurm"}});
    drawn.mean_of("review", "review.response_time"), drawn.mean_of("in_system", "done.time_in_system");
    drawn.m.measure("through", "final_value", "done.arrived");
    drawn.m.measure("turned_away", "final_value", "where.rejected");
    const ResultSet out = drawn.run(1);
    compare_behind(out, BehindSchedule({{60, 60, 280}, {120, 120, 350}, {9000, 9000, 420}}, 1e5), 3.0);
    QCOMPARE(estimate(out, "turned_away"), 3.0);
  }

  // Both may be led on, each by a source of its own.
  void done_and_rejected_jobs_go_apart() {
    OnwardJobs drawn("1000 s", Value::object(), {{"service", "0.1 s"}});
    drawn.stream({{"rate", "0.5 /s"}, {"size", "1 s"}, {"gpus", "empirical(values = [1, 1, 1, 2, 2])"}}, "gpu_cluster",
                 servers("gpu_cluster", 1));
    const ElementId away =
        drawn.m.node(drawn.net, {}, "source", {{"name", "away"}, {"jobs", "jobs"}, {"outcome", "rejected"}});
    drawn.m.edge(drawn.net, "flow", away, drawn.sink);
    drawn.m.measure("done", "final_value", "results.emitted - (where.submitted - where.jobs - where.rejected)");
    drawn.m.measure("away", "final_value", "away.emitted - where.rejected");
    drawn.m.measure("some", "final_value", "where.rejected");
    const ResultSet out = drawn.run(3);
    QCOMPARE(estimate(out, "done"), 0.0);
    QCOMPARE(estimate(out, "away"), 0.0);
    QVERIFY(estimate(out, "some") > 100.0);
  }

  void a_saved_moment_goes_on_as_it_would_have() {
    for (const char* kind : {"host_pool", "gpu_cluster", "gpu_fleet", ""}) {
      OnwardJobs drawn("1000 s", {{"taken", "work: real s = run_time"}}, {{"service", "0.1 * work"}});
      drawn.stream({{"rate", "2 /s"}, {"size", "exponential(mean = 3 s)"}}, kind,
                   *kind == '\0' ? Value::object() : servers(kind, 8));
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* source, const char* kind, const char* codes) {
      QTest::newRow(name) << QString(source) << QString(kind) << QString(codes);
    };
    add("sound", R"({"taken": "a: real s = wait, b: real s = response_time, c: real s = run_time, d: real = gpus"})",
        "gpu_cluster", "");
    add("sound of a pool", R"({"taken": "d: integer = hosts"})", "host_pool", "");
    add("sound of no cluster", R"({"taken": "a: real s = run_time"})", "", "");
    add("no such stream", R"({"jobs": "elsewhere"})", "gpu_cluster", "QN021");
    add("a cluster", R"({"jobs": "where"})", "gpu_cluster", "QN021");
    add("a rate too", R"({"rate": "1 /h"})", "gpu_cluster", "QN021");
    add("a gap too", R"({"interarrival": "1 h"})", "gpu_cluster", "QN021");
    add("several at once", R"({"batch": "2"})", "gpu_cluster", "QN021");
    add("GPUs of a pool", R"({"taken": "d: real = gpus"})", "host_pool", "QN021");
    add("wait of a rental", R"({"taken": "d: real s = wait"})", "rental", "QN021");
    add("twice", R"({"taken": "a: real s = wait, b: real s = wait"})", "gpu_cluster", "QN021");
    add("the same name twice", R"({"taken": "a: real s = wait, a: real s = run_time"})", "gpu_cluster", "QN017");
    add("declared, too", R"({"taken": "a: real s = wait", "attributes": "a: real s = 1 s"})", "gpu_cluster", "QN017");
    add("not a number", R"({"taken": "a: real = wait"})", "gpu_cluster", "QN021");
    add("not a time", R"({"taken": "a: real s = gpus"})", "gpu_cluster", "QN021");
    add("a boolean", R"({"taken": "a: boolean = gpus"})", "gpu_cluster", "QN021");
    add("an expression", R"({"taken": "a: real s = 2 * wait"})", "gpu_cluster", "QN021");
    add("no list", R"({"taken": "wait"})", "gpu_cluster", "EXP001");
    add("rejected", R"({"outcome": "rejected", "taken": "a: real s = run_time, b: real = gpus"})", "gpu_cluster", "");
    add("rejected by nobody", R"({"outcome": "rejected"})", "", "QN021");
    add("rejected by a rental", R"({"outcome": "rejected"})", "rental", "QN021");
    add("wait of rejected ones", R"({"outcome": "rejected", "taken": "a: real s = wait"})", "gpu_cluster", "QN021");
    add("no outcome", R"({"outcome": "lost"})", "gpu_cluster", "QN021");
    add("outcome of nothing", R"({"jobs": "", "outcome": "rejected", "rate": "1 /s"})", "gpu_cluster", "QN021");
    add("nothing named", R"({"jobs": "", "taken": "a: real s = wait", "rate": "1 /s"})", "gpu_cluster", "QN021");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, source);
    QFETCH(QString, kind);
    QFETCH(QString, codes);
    OnwardJobs drawn("1000 s", Value::parse(source.toStdString()), {{"service", "0.1 s"}});
    const std::string word = kind.toStdString();
    drawn.stream({{"rate", "0.5 /s"}, {"size", "1 s"}}, word,
                 word.empty() || word == "rental" ? Value::object() : servers(word, 4));
    drawn.m.measure("present", "time_average", "review.number");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }

  // Customers at the sink are jobs, and these are customers again: without end where neither takes time.
  void a_circle_through_jobs_that_take_no_time_is_told() {
    for (const char* kind : {"gpu_cluster", ""})
      for (const char* work : {"0 s", "30 s"}) {
        const std::string attributes = "w: real s = " + std::string(work);
        OnwardJobs drawn("99 s", {{"attributes", attributes}}, {{"service", "0 s"}});
        drawn.stream({{"sink", "done"}, {"taken", "size = w"}}, kind,
                     *kind == '\0' ? Value::object() : servers(kind, 400));
        const ElementId outer = drawn.m.node(drawn.net, {}, "source",
                                             {{"name", "outer"}, {"interarrival", "10 s"}, {"attributes", attributes}});
        drawn.m.edge(drawn.net, "flow", outer, drawn.sink);
        drawn.m.measure("came", "final_value", "done.arrived");
        const bool lasts = *kind != '\0' && *work != '0';
        try {
          const ResultSet out = drawn.run(1);
          QVERIFY2(lasts, kind);
          // By 99 s who came at 10, 20 or 30 s has been there three times, at 40, 50 or 60 s twice, later once.
          QCOMPARE(estimate(out, "came"), 18.0);
        } catch (const std::runtime_error& error) {
          const std::string said = error.what();
          QVERIFY2(!lasts && said.find("RUN002") != std::string::npos &&
                       said.find("round without end and without time passing: \"") != std::string::npos &&
                       said.find("\"results\"") != std::string::npos,
                   said.c_str());
        }
      }
  }

  void jobs_become_customers_once() {
    OnwardJobs drawn("1000 s", Value::object(), {{"service", "0.1 s"}});
    drawn.stream({{"rate", "0.5 /s"}, {"size", "1 s"}}, "gpu_cluster", servers("gpu_cluster", 4));
    const ElementId again = drawn.m.node(drawn.net, {}, "source", {{"name", "again"}, {"jobs", "jobs"}});
    drawn.m.edge(drawn.net, "flow", again, drawn.station);
    drawn.m.measure("present", "time_average", "review.number");
    QCOMPARE(codes(drawn.found()), std::string("QN021"));
  }
};

QTEST_GUILESS_MAIN(TestJobsOnward)
#include "tst_jobs_onward.moc"
