// Customers of a queueing network who become jobs of a cluster: closed forms by Burke's theorem, plain loops over the
// same draws, and what is wrong is told. Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/des/lowering.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/saved_moment.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A source, a station and a sink "staged"; a stream "jobs" of what comes there; a pool or a GPU cluster "where".
struct StagedJobs {
  ModelBuilder m;
  ElementId net, diagram, source, station, sink, stream, where;
  StagedJobs(const std::string& horizon, Value source_of, Value station_of, Value stream_of, const char* kind,
             Value where_of)
      : m(horizon), net(m.diagram("Staging", "queueing")), diagram(m.diagram("Cluster", "cluster")) {
    m.header("time_unit", "s");
    source_of["name"] = "users", station_of["name"] = "staging", where_of["name"] = "where";
    stream_of["name"] = "jobs", stream_of["sink"] = stream_of.value("sink", "staged");
    source = m.node(net, {}, "source", std::move(source_of));
    station = m.node(net, {}, "station", std::move(station_of));
    sink = m.node(net, {}, "sink", {{"name", "staged"}});
    m.edge(net, "flow", source, station), m.edge(net, "flow", station, sink);
    stream = m.node(diagram, {}, "job_stream", std::move(stream_of));
    where = m.node(diagram, {}, kind, std::move(where_of));
    m.edge(diagram, "job_flow", stream, where);
  }
  void mean_of(const std::string& name, const std::string& of) {
    m.measure(name, "observed_mean", "", {{"of", of}, {"unit", "s"}});
  }
  ResultSet run(std::uint64_t replications) const {
    RunRequest request;
    request.replications = replications, request.seed = 1, request.confidence = 0.999;
    return solved(m.document(), request);
  }
  Diagnostics found() const {
    Diagnostics out;
    build_model(m.document(), {}, "", out);
    return out;
  }
};

/// So many alike hosts or GPUs, first come first served.
Value alike(const std::string& kind, int count) {
  const std::string room = std::to_string(count);
  if (kind == "host_pool") return {{"hosts", room}, {"policy", "fifo"}};
  if (kind == "gpu_cluster") return {{"gpus", room}, {"policy", "fifo"}};
  return {{"nodes", "1"}, {"gpus_per_node", room}, {"variation", "none"}, {"placement", "packed"}};
}

/// Mean time in M/M/c: Erlang's C.
double mean_time_of_servers(double rate, double mean_s, int servers) {
  const double a = rate * mean_s;
  double term = 1.0, sum = 0.0;
  for (int k = 0; k < servers; ++k) sum += term, term *= a / (k + 1);
  const double last = term / (1.0 - a / servers), wait = last / (sum + last);
  return mean_s + wait * mean_s / (servers - a);
}

/// Numbers of a customer by the streams that its attributes are drawn from.
struct PlainCustomer {
  double came = 0, staging = 0, work = 0;
  int width = 1;
};

/// First come first served at both: one staging server, then `room` hosts or GPUs of which a job wants several.
struct PlainStaged {
  double in_system = 0, staged = 0, waited = 0;
  int done = 0;
  PlainStaged(const std::vector<PlainCustomer>& all, int room, double end) {
    std::vector<double> free(static_cast<std::size_t>(room), 0.0);
    double server = 0, before = 0;
    for (const PlainCustomer& one : all) {
      server = std::max(server, one.came) + one.staging;
      if (server > end) break;
      // The earliest at which so many are free, and nobody behind starts earlier.
      std::sort(free.begin(), free.end());
      const auto wide = static_cast<std::size_t>(one.width);
      const double start = std::max({server, before, free[wide - 1]});
      before = start;
      for (std::size_t i = 0; i < wide; ++i) free[i] = start + one.work;
      if (start + one.work > end) continue;
      ++done, in_system += start + one.work - one.came, waited += start - server;
    }
    in_system /= done, waited /= done;
  }
};

}  // namespace

class TestHandedJobs : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(network_lowering);
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
    register_lowering(gang_lowering);
    register_lowering(fleet_lowering);
  }

  // Departures of M/M/1 are Poisson (Burke, 1956): jobs of one host or GPU make M/M/c of what comes behind it, and the
  // two times are independent.
  void staging_and_a_cluster_are_servers_in_tandem() {
    for (const char* kind : {"host_pool", "gpu_cluster", "gpu_fleet"}) {
      StagedJobs drawn("200000 s", {{"rate", "0.5 /s"}}, {{"service", "exponential(mean = 1.4 s)"}},
                       {{"size", "exponential(mean = 6 s)"}}, kind, alike(kind, 4));
      drawn.m.measure("in_system", "steady_state_mean", "", {{"of", "jobs.time_in_system"}, {"unit", "s"}});
      drawn.m.measure("staging", "steady_state_mean", "", {{"of", "staged.time_in_system"}, {"unit", "s"}});
      drawn.m.measure("cluster", "steady_state_mean", "", {{"of", "where.response_time"}, {"unit", "s"}});
      drawn.m.measure("present", "steady_state_mean", "where.jobs");
      const ResultSet out = drawn.run(10);
      const double staging = 1.0 / (1.0 / 1.4 - 0.5), cluster = mean_time_of_servers(0.5, 6.0, 4);
      compare_inside(out, "staging", staging);
      compare_inside(out, "cluster", cluster);
      compare_inside(out, "in_system", staging + cluster);
      compare_inside(out, "present", 0.5 * cluster);
    }
  }

  // What customers bring by name is what their jobs have, and the rest is drawn by the stream itself.
  void jobs_have_what_their_customers_bring() {
    std::mt19937 dice(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int trial = 0; trial < 200; ++trial) {
      const char* const kind = trial % 3 == 0 ? "host_pool" : trial % 3 == 1 ? "gpu_cluster" : "gpu_fleet";
      const bool pool = trial % 3 == 0, brings_work = uniform(dice) < 0.7, brings_width = uniform(dice) < 0.7;
      const int room = 1 + static_cast<int>(uniform(dice) * 6);
      const int widest = 1 + static_cast<int>(uniform(dice) * room);
      const double gap = 2.0, work = gap * room / (widest + 1.0) * (0.5 + uniform(dice)), end = 2000.0;
      const std::string taken = std::string(brings_work ? "size = work" : "") +
                                (brings_work && brings_width ? ", " : "") +
                                (brings_width ? pool ? "hosts = wide" : "gpus = wide" : "");
      const std::string law_of_work = "exponential(mean = " + number_text(work, 17) + " s)",
                        law_of_width = "uniform(low = 0, high = " + std::to_string(widest) + ")";
      Value jobs = {{"taken", taken}};
      if (!brings_work) jobs["size"] = law_of_work;
      if (!brings_width) jobs[pool ? "hosts" : "gpus"] = law_of_width;
      // One GPU makes one second of a second of work, however many there are: speeds of gangs are another test's.
      if (!pool) jobs["speedup"] = "amdahl", jobs["parallel"] = "0";
      StagedJobs drawn(number_text(end) + " s",
                       {{"interarrival", "2 s"},
                        {"attributes", "data: real s = exponential(mean = 1 s), work: real s = " + law_of_work +
                                           ", wide = " + law_of_width}},
                       {{"service", "data"}}, jobs, kind, alike(kind, room));
      drawn.mean_of("in_system", "jobs.time_in_system"), drawn.mean_of("response", "where.response_time");
      drawn.m.measure("come", "final_value", "jobs.submitted"), drawn.m.measure("left", "final_value", "jobs.jobs");
      const ResultSet out = drawn.run(1);
      const auto of = [&](ElementId element, const std::string& what) {
        return RandomStream(stream_key(1, element.text() + what), 0);
      };
      RandomStream data = of(drawn.source, ".attributes.data"),
                   works = brings_work ? of(drawn.source, ".attributes.work") : of(drawn.stream, ".sizes"),
                   widths = brings_width ? of(drawn.source, ".attributes.wide")
                                         : of(drawn.stream, pool ? ".hosts" : ".gpus");
      std::vector<PlainCustomer> all;
      for (double came = gap; came <= end; came += gap) {
        const double staging = data.exponential(), size = work * works.exponential(),
                     wide = std::max(1.0, std::ceil(widest * widths.uniform()));
        all.push_back({came, staging, size, static_cast<int>(wide)});
      }
      const PlainStaged wanted(all, room, end);
      const auto near = [&](const char* id, double value) {
        QVERIFY2(std::fabs(estimate(out, id) - value) <= 1e-7 * (1.0 + std::fabs(value)),
                 qPrintable(QString("trial %1, %2: %3, wanted %4")
                                .arg(trial)
                                .arg(id)
                                .arg(estimate(out, id), 0, 'g', 12)
                                .arg(value, 0, 'g', 12)));
      };
      near("in_system", wanted.in_system);
      QCOMPARE(estimate(out, "come") - estimate(out, "left"), static_cast<double>(wanted.done));
    }
  }

  // Jobs that come at any second start at whole minutes.
  void jobs_by_minutes_may_be_customers_before() {
    StagedJobs drawn("100000 s", {{"interarrival", "137 s"}}, {{"service", "11 s"}},
                     {{"size", "90 s"}, {"limit", "10 min"}}, "host_pool", {{"hosts", "3"}, {"policy", "slurm"}});
    drawn.mean_of("in_system", "jobs.time_in_system"), drawn.mean_of("wait", "where.wait");
    const ResultSet out = drawn.run(1);
    double waited = 0, started = 0, stayed = 0, done = 0;
    for (double came = 137; came + 11 <= 100000; came += 137) {
      const double start = 60 * std::ceil((came + 11) / 60);
      if (start <= 100000) waited += start - came - 11, ++started;
      if (start + 120 <= 100000) stayed += start + 120 - came, ++done;
    }
    QVERIFY(std::fabs(estimate(out, "wait") - waited / started) < 1e-9);
    QVERIFY(std::fabs(estimate(out, "in_system") - stayed / done) < 1e-9);
  }

  void a_saved_moment_goes_on_as_it_would_have() {
    for (const char* kind : {"host_pool", "gpu_cluster", "gpu_fleet"}) {
      StagedJobs drawn("1000 s", {{"rate", "2 /s"}, {"attributes", "work: real s = exponential(mean = 3 s)"}},
                       {{"service", "exponential(mean = 0.4 s)"}}, {{"taken", "size = work"}}, kind, alike(kind, 8));
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_customers_bring_is_checked() {
    StagedJobs drawn("1000 s", {{"rate", "1 /s"}, {"attributes", "work: real s = uniform(low = -1 s, high = 1 s)"}},
                     {{"service", "0.1 s"}}, {{"taken", "size = work"}}, "gpu_cluster", {{"policy", "fifo"}});
    drawn.mean_of("in_system", "jobs.time_in_system");
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, drawn.run(1));
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("jobs");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* jobs, const char* kind, const char* codes) {
      QTest::newRow(name) << QString(jobs) << QString(kind) << QString(codes);
    };
    add("sound", R"({"taken": "size = work, gpus = wide"})", "gpu_cluster", "");
    add("sound at a pool", R"({"taken": "size = work, hosts = wide, limit = work"})", "host_pool", "");
    add("no such sink", R"({"sink": "elsewhere"})", "gpu_cluster", "GNG010");
    add("a station", R"({"sink": "staging"})", "host_pool", "BAT015");
    add("a rate too", R"({"rate": "1 /h"})", "gpu_cluster", "GNG010");
    add("a gap too", R"({"interarrival": "1 h"})", "host_pool", "BAT015");
    add("hosts of a cluster", R"({"taken": "hosts = wide"})", "gpu_cluster", "GNG010");
    add("GPUs of a pool", R"({"taken": "gpus = wide"})", "host_pool", "BAT015");
    add("twice", R"({"taken": "size = work, size = work"})", "gpu_cluster", "GNG010");
    add("an expression", R"({"taken": "size = 2 * work"})", "gpu_cluster", "GNG010");
    add("no list", R"({"taken": "work"})", "gpu_cluster", "EXP001");
    add("no such attribute", R"({"taken": "size = length"})", "gpu_cluster", "QN017");
    add("not a time", R"({"taken": "size = wide"})", "gpu_cluster", "QN017");
    add("not a number", R"({"taken": "gpus = work"})", "gpu_cluster", "QN017");
    add("nothing named", R"({"sink": "", "taken": "size = work"})", "gpu_cluster", "GNG010");
    add("sound at a fleet", R"({"taken": "size = work, gpus = wide"})", "gpu_fleet", "");
    add("hosts of a fleet", R"({"taken": "hosts = wide"})", "gpu_fleet", "DEV020");
    add("a number of jobs", R"({"most_jobs": "10"})", "gpu_fleet", "DEV020");
    add("a number of jobs at a pool", R"({"most_jobs": "10"})", "host_pool", "BAT015");
    add("a rental", "{}", "rental", "RNT003");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, jobs);
    QFETCH(QString, kind);
    QFETCH(QString, codes);
    const Value where = kind == "rental" ? Value::object() : alike(kind.toStdString(), 4);
    StagedJobs drawn("1000 s", {{"rate", "1 /s"}, {"attributes", "work: real s = 1 s, wide = 1"}},
                     {{"service", "0.1 s"}}, Value::parse(jobs.toStdString()), qPrintable(kind), where);
    drawn.m.measure("present", "time_average", "jobs.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }

  void not_all_customers_bring_it() {
    StagedJobs drawn("1000 s", {{"rate", "1 /s"}, {"attributes", "work: real s = 1 s"}}, {{"service", "0.1 s"}},
                     {{"taken", "size = work"}}, "gpu_cluster", {{"policy", "fifo"}});
    const ElementId other = drawn.m.node(drawn.net, {}, "source", {{"name", "others"}, {"rate", "1 /s"}});
    drawn.m.edge(drawn.net, "flow", other, drawn.station);
    drawn.m.measure("present", "time_average", "jobs.jobs");
    QCOMPARE(codes(drawn.found()), std::string("QN018"));
  }

  void customers_become_jobs_once() {
    StagedJobs drawn("1000 s", {{"rate", "1 /s"}}, {{"service", "0.1 s"}}, Value::object(), "gpu_cluster",
                     {{"policy", "fifo"}});
    const ElementId again = drawn.m.node(drawn.diagram, {}, "job_stream", {{"name", "again"}, {"sink", "staged"}});
    drawn.m.edge(drawn.diagram, "job_flow", again, drawn.where);
    drawn.m.measure("present", "time_average", "jobs.jobs");
    QCOMPARE(codes(drawn.found()), std::string("GNG010"));
  }
};

QTEST_GUILESS_MAIN(TestHandedJobs)
#include "tst_handed_jobs.moc"
