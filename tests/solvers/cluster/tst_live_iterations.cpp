// Schedulers of iterations to which drawn jobs come, and whose hosts fail: beside the schedule of a trace, closed
// forms, and row by row a plain program.
#include <QtTest>
#include <cmath>
#include <map>
#include <random>

#include "core/base/read_file.h"
#include "core/des/lowering.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/cluster/plain_iterations.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// One scheduler of iterations "training".
struct DrawnTraining : DrawnHosts {
  explicit DrawnTraining(const std::string& horizon, Value properties = Value::object())
      : DrawnHosts("iteration_scheduler", "training", horizon, std::move(properties)) {}
};

const char* const iteration_policies[] = {"jigsaw", "time_slicing", "fifo_gang", "srtf_gang"};

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 16 of them.
class TestLiveIterations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(iteration_lowering), register_lowering(network_lowering); }

  // A host that fails after the run: jobs of the trace have what the schedule says that is worked out before.
  void nothing_fails_is_the_schedule() {
    const std::string jobs = std::get<std::string>(
        read_text(std::string(ERGODE_SOURCE_DIR) + "/examples/29_partial_backpropagation/jobs.csv"));
    for (const char* policy : iteration_policies) {
      const auto of = [&](const char* failure) {
        DrawnTraining drawn("900000 s",
                            {{"gpus", "16"}, {"policy", policy}, {"trace", "jobs.csv"}, {"price", "3 USD/h"}});
        if (*failure != '\0') drawn.m.set(drawn.hosts, "failure", failure);
        drawn.file("jobs.csv", jobs);
        for (const char* word : {"makespan", "mean_response_time", "baseline_makespan", "baseline_response_time"})
          drawn.m.measure(word, "final_value", std::string("training.") + word, {{"unit", "s"}});
        for (const char* word : {"busy", "baseline_busy", "done", "submitted"})
          drawn.m.measure(word, "final_value", std::string("training.") + word);
        drawn.mean_of("response", "training.response_time"), drawn.mean_of("baseline", "training.baseline_times");
        drawn.m.measure("cost", "observed_mean", "", {{"of", "training.cost"}, {"unit", "USD"}});
        return drawn.run(1);
      };
      const ResultSet played = of(""), live = of("1e9 s");
      for (const MeasureResult& one : played.measures) {
        const double seen = estimate(live, one.id.c_str());
        QVERIFY2(std::fabs(seen - one.estimate) <= 1e-9 * std::fabs(one.estimate), one.id.c_str());
      }
      for (const char* column : {"arrival_s", "start_s", "completion_s", "baseline_jct_s", "gpu_s", "cost_usd"}) {
        const auto wanted = column_of(table_named(played, "jobs"), column),
                   seen = column_of(table_named(live, "jobs"), column);
        QCOMPARE(seen.size(), wanted.size());
        for (std::size_t i = 0; i < seen.size(); ++i)
          QVERIFY2(std::fabs(seen[i] - wanted[i]) <= 1e-9 * std::fabs(wanted[i]), column);
      }
      QCOMPARE(table_named(live, "iterations").rows.size(), table_named(played, "iterations").rows.size());
      QVERIFY(!table_named(live, "jobs").exact && table_named(played, "jobs").exact);
    }
  }

  // One worker a job and one iteration are servers in line: M/M/c (Erlang). Of many iterations those go first that have
  // had least, which knows nothing of exponential sizes, so that the mean stays that of M/M/1.
  void jobs_at_random_are_queues_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("iterations");
    QTest::addColumn<int>("gpus");
    QTest::newRow("M/M/1") << "fifo_gang"
                           << "1" << 1;
    QTest::newRow("M/M/3") << "fifo_gang"
                           << "1" << 3;
    QTest::newRow("M/M/1 shared") << "time_slicing"
                                  << "100" << 1;
    QTest::newRow("M/M/1 packed") << "jigsaw"
                                  << "100" << 1;
    QTest::newRow("M/M/1 one after the other") << "fifo_gang"
                                               << "7" << 1;
  }
  void jobs_at_random_are_queues() {
    QFETCH(QString, policy);
    QFETCH(QString, iterations);
    QFETCH(int, gpus);
    const double mean_s = 4.0, rate = 0.7 * gpus / mean_s;
    DrawnTraining drawn("8000 s", {{"gpus", std::to_string(gpus)},
                                   {"policy", policy.toStdString()},
                                   {"baseline", "fifo_gang"},
                                   {"price", "3600 USD/h"}});
    drawn.stream("users", {{"rate", std::to_string(rate) + " /s"},
                           {"size", "exponential(mean = 4 s)"},
                           {"iterations", iterations.toStdString()}});
    drawn.mean_of("response", "training.response_time"), drawn.mean_of("baseline", "training.baseline_times");
    drawn.m.measure("cost", "observed_mean", "", {{"of", "training.cost"}, {"unit", "USD"}});
    drawn.m.measure("number", "steady_state_mean", "training.jobs + users.jobs");
    QVERIFY2(drawn.found().empty(), listed(drawn.found()).c_str());
    const ResultSet r = drawn.run(40, 1), two = drawn.run(40, 2);
    double term = 1.0, sum = 0.0;
    for (int k = 0; k < gpus; ++k) sum += term, term *= 0.7 * gpus / (k + 1);
    const double last = term / 0.3, time_s = mean_s + last / (sum + last) * mean_s / (gpus * 0.3);
    compare_inside(r, "response", time_s), compare_inside(r, "baseline", time_s), compare_inside(r, "cost", mean_s);
    compare_inside(r, "number", 2 * rate * time_s);
    for (const MeasureResult& one : r.measures) QCOMPARE(estimate(two, one.id.c_str()), one.estimate);
  }

  // Two streams at fixed gaps and hosts of two GPUs that charts take down at fixed times: the table of jobs, row by
  // row.
  void every_job_is_as_in_the_plain_program() {
    std::mt19937_64 random(3);
    const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<std::uint64_t>(below)); };
    constexpr int most = 400;
    int rows = 0, restarts = 0;
    for (int c = 0; c < 120; ++c) {
      const char* const policy = iteration_policies[c % 4];
      PlainIterationRules rules{.who = static_cast<PlainIterationRules::Who>(c % 4), .gpus = 2 + 2 * pick(3)};
      rules.before_all = pick(2) == 0, rules.period = pick(3) == 0 ? 0 : 1 + pick(20);
      rules.cost = pick(3), rules.restart = pick(3);
      const int up = 20 + pick(60), down = 1 + pick(20);
      Value of = {{"gpus", std::to_string(rules.gpus)},
                  {"gpus_per_host", "2"},
                  {"policy", policy},
                  {"parameters", "0 GB"},
                  {"up_while", "host > 1 or in(node[1].Up)"},
                  {"requeue", rules.before_all ? "front" : "end"},
                  {"checkpoint_cost", std::to_string(rules.cost) + " s"},
                  {"restart", std::to_string(rules.restart) + " s"}};
      if (rules.period > 0) of["checkpoint_period"] = std::to_string(rules.period) + " s";
      DrawnTraining drawn(std::to_string(most) + " s", std::move(of));
      drawn.draw_nodes(1, "after(" + std::to_string(up) + " s)", "after(" + std::to_string(down) + " s)");
      std::vector<PlainGpuChange> changes;
      for (int at = up; at <= most; at += up + down)
        changes.push_back({at, 0, true, 2}), changes.push_back({at + down, 0, false, 2});
      std::vector<std::pair<int, PlainIterationJob>> jobs;
      for (int s = 0; s < 2; ++s) {
        PlainIterationJob job{.iterations = 1 + pick(6), .workers = 1 + pick(rules.gpus)};
        job.forward = 1 + pick(3), job.backward = 2 * job.forward;
        // T_b is twice T_f, and a share j / k of it is whole.
        job.forward *= job.workers, job.backward *= job.workers;
        for (int w = 1; w <= job.workers; ++w) job.shares.push_back(static_cast<double>(w) / job.workers);
        const int gap = 15 + pick(60), size = job.iterations * (job.forward + job.backward);
        drawn.stream(s == 0 ? "a" : "b", {{"interarrival", std::to_string(gap) + " s"},
                                          {"size", std::to_string(size) + " s"},
                                          {"gpus", std::to_string(job.workers)},
                                          {"iterations", std::to_string(job.iterations)},
                                          {"speedup", "table"},
                                          {"table", "[[1, 1]]"}});
        for (int at = gap; at <= most; at += gap) job.comes = at, jobs.emplace_back(s, job);
      }
      std::stable_sort(jobs.begin(), jobs.end(), [](auto& x, auto& y) {
        return std::pair(x.second.comes, x.first) < std::pair(y.second.comes, y.first);
      });
      std::vector<PlainIterationJob> plain;
      for (const auto& one : jobs) plain.push_back(one.second);
      const auto wanted = plain_iterations(plain, changes, rules, most);
      QVERIFY2(!has_errors(drawn.found()), listed(drawn.found()).c_str());
      const ResultSet r = drawn.run(1);
      const ResultTable& table = table_named(r, "jobs");
      QCOMPARE(table.rows.size(), plain.size());
      std::map<std::string, std::vector<double>> seen;
      for (const char* column : {"start_s", "completion_s", "gpu_s", "lost_work_s", "restarts"})
        seen[column] = column_of(table, column);
      for (std::size_t j = 0; j < plain.size(); ++j) {
        const auto same = [&](const char* column, double value) {
          const double is = seen[column][j];
          const bool fine = value < 0.0 ? std::isnan(is) : std::fabs(is - value) <= 1e-6 * (1.0 + value);
          QVERIFY2(fine, qPrintable(QString("case %1, %2, job %3, %4: %5; wanted %6")
                                        .arg(c)
                                        .arg(policy)
                                        .arg(j)
                                        .arg(column)
                                        .arg(is)
                                        .arg(value)));
        };
        same("start_s", wanted[j].start), same("completion_s", wanted[j].end), same("gpu_s", wanted[j].gpu_s);
        same("lost_work_s", wanted[j].lost), same("restarts", wanted[j].losses);
        restarts += wanted[j].losses;
      }
      rows += static_cast<int>(plain.size());
    }
    QVERIFY(rows > 1500 && restarts > 300);
  }

  // Customers of a network become jobs, jobs that are done customers of another.
  void customers_become_jobs_and_jobs_customers() {
    DrawnTraining drawn("200 s", {{"gpus", "2"}, {"policy", "fifo_gang"}});
    const ElementId net = drawn.m.diagram("Staging", "queueing");
    for (const char* one : {"fresh", "trained"}) drawn.m.node(net, {}, "job_class", {{"name", one}});
    const ElementId source = drawn.m.node(net, {}, "source",
                                          {{"name", "users"},
                                           {"class", "fresh"},
                                           {"interarrival", "50 s"},
                                           {"attributes", "work: real s = 30 s, steps = 3"}}),
                    staged = drawn.m.node(net, {}, "sink", {{"name", "staged"}}),
                    again =
                        drawn.m.node(net, {}, "source", {{"name", "again"}, {"jobs", "jobs"}, {"class", "trained"}}),
                    out = drawn.m.node(net, {}, "sink", {{"name", "out"}});
    drawn.m.edge(net, "flow", source, staged), drawn.m.edge(net, "flow", again, out);
    drawn.stream("jobs", {{"sink", "staged"}, {"taken", "size = work, iterations = steps"}});
    drawn.mean_of("through", "out.time_in_system"), drawn.mean_of("response", "training.response_time");
    QVERIFY2(drawn.found().empty(), listed(drawn.found()).c_str());
    const ResultSet r = drawn.run(1);
    QVERIFY(std::fabs(estimate(r, "through") - 30.0) < 1e-9 && std::fabs(estimate(r, "response") - 30.0) < 1e-9);
    for (const double iterations : column_of(table_named(r, "jobs"), "iterations")) QCOMPARE(iterations, 3.0);
  }

  void who_wants_too_much_is_rejected() {
    DrawnTraining drawn("1000 s", {{"gpus", "2"}});
    drawn.stream("wide", {{"interarrival", "10 s"}, {"size", "1 s"}, {"gpus", "uniform(low = 0, high = 4)"}});
    drawn.m.measure("rejected", "final_value", "training.rejected");
    drawn.m.measure("done", "final_value", "training.done");
    const ResultSet r = drawn.run(1);
    double rejected = 0, wide = 0;
    const ResultTable& jobs = table_named(r, "jobs");
    for (const auto& row : jobs.rows) {
      rejected += std::get<std::string>(row.back()) == "rejected" ? 1 : 0;
      wide += std::get<double>(row[3]) > 2 ? 1 : 0;
    }
    QVERIFY(rejected > 20 && rejected == wide && estimate(r, "rejected") == rejected);
    QVERIFY(estimate(r, "done") > 20);
  }

  // One job of 60 s on one GPU from 50 s on, in iterations of 20 s, and a run of 100 s: by hand.
  void pieces_end_with_the_run() {
    DrawnTraining drawn("100 s", {{"gpus", "1"}, {"policy", "fifo_gang"}});
    drawn.stream("users", {{"interarrival", "50 s"}, {"size", "60 s"}, {"iterations", "3"}, {"most_jobs", "1"}});
    drawn.m.measure("done", "final_value", "training.done");
    const ResultSet r = drawn.run(1);
    const std::vector<double> begins = {50.0, 70.0, 90.0}, ends = {70.0, 90.0, 100.0};
    for (const char* name : {"iterations", "gantt"}) {
      const ResultTable& table = table_named(r, name);
      const bool gantt = std::string(name) == "gantt";
      const auto from = column_of(table, gantt ? "from_s" : "start_s"), to = column_of(table, gantt ? "to_s" : "end_s"),
                 number = column_of(table, "iteration");
      std::map<double, std::pair<double, double>> of;
      for (std::size_t i = 0; i < from.size(); ++i) {
        const auto [at, fresh] = of.try_emplace(number[i], from[i], to[i]);
        if (!fresh) at->second.second = to[i];
      }
      QCOMPARE(of.size(), begins.size());
      std::size_t i = 0;
      for (const auto& [iteration, when] : of) {
        QVERIFY(std::fabs(when.first - begins[i]) < 1e-9 && std::fabs(when.second - ends[i]) < 1e-9);
        ++i;
      }
    }
    QCOMPARE(column_of(table_named(r, "jobs"), "gpu_s").at(0), 50.0);
    QCOMPARE(std::get<std::string>(table_named(r, "jobs").rows[0][0]), std::string("0"));
  }

  // Jobs of 100 s come every 200 s when a host comes back that fails every 100 s: each is done just when it goes, in
  // however many iterations its time is summed.
  void jobs_that_end_when_a_host_goes_are_done() {
    for (int iterations = 1; iterations <= 60; ++iterations) {
      DrawnTraining drawn("2150 s", {{"gpus", "2"},
                                     {"gpus_per_host", "2"},
                                     {"policy", "fifo_gang"},
                                     {"parameters", "0 GB"},
                                     {"failure", "100 s"},
                                     {"repair", "100 s"}});
      drawn.stream("users", {{"interarrival", "200 s"},
                             {"size", "100 s"},
                             {"gpus", "1"},
                             {"most_jobs", "10"},
                             {"iterations", std::to_string(iterations)}});
      drawn.m.measure("restarts", "final_value", "training.restarts");
      const ResultSet r = drawn.run(1);
      const auto came = column_of(table_named(r, "jobs"), "arrival_s"),
                 done = column_of(table_named(r, "jobs"), "completion_s");
      QCOMPARE(came.size(), std::size_t{10});
      for (std::size_t i = 0; i < came.size(); ++i) {
        const double wanted_s = 200.0 * static_cast<double>(i + 1) + 100.0;
        QVERIFY2(std::fabs(done[i] - wanted_s) < 1e-6,
                 qPrintable(QString("%1 iterations, job %2: %3").arg(iterations).arg(i).arg(done[i])));
      }
      QCOMPARE(estimate(r, "restarts"), 0.0);
    }
  }

  void a_saved_moment_goes_on() {
    for (const char* policy : iteration_policies) {
      DrawnTraining drawn("1000 s", {{"gpus", "4"},
                                     {"gpus_per_host", "2"},
                                     {"policy", policy},
                                     {"failure", "exponential(mean = 40 s)"},
                                     {"repair", "exponential(mean = 3 s)"},
                                     {"checkpoint_period", "0.5 s"},
                                     {"checkpoint_cost", "0.05 s"},
                                     {"restart", "0.1 s"}});
      drawn.stream("users", {{"rate", "0.8 /s"},
                             {"size", "exponential(mean = 2 s)"},
                             {"iterations", "uniform(low = 0, high = 9)"},
                             {"gpus", "uniform(low = 0, high = 4)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("training");
    QTest::addColumn<QString>("stream");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* training, const char* stream, const char* codes) {
      QTest::newRow(name) << QString(training) << QString(stream) << QString(codes);
    };
    add("sound", R"j({"failure": "90 h", "up_while": "in(node[host].Up)"})j", "{}", "");
    add("no jobs", "{}", "", "ITR003");
    add("iterations", "{}", R"j({"iterations": "-3"})j", "ITR002");
    add("a rate", "{}", R"j({"rate": "0 /h"})j", "ITR002");
    add("a trace", "{}", R"j({"trace": "none.csv"})j", "ITR003");
    add("shares of others", R"j({"phi": "[0.5, 1]"})j", "{}", "ITR012");
    add("shares", R"j({"phi": "[0.5, 1]"})j", R"j({"gpus": "2"})j", "");
    add("too wide", "{}", R"j({"gpus": "5"})j", "ITR012");
    add("memory", R"j({"memory": "1 GiB"})j", "{}", "ITR012");
    add("law of hosts", R"j({"failure": "-1 h"})j", "{}", "ITR002");
    add("hosts that never change", R"j({"up_while": "host < 3"})j", "{}", "ITR010");
    add("piling up", R"j({"failure": "exponential(mean = 1 s)"})j", "{}", "ITR013");
    add("workers of a file", R"j({"workers": "2"})j", "{}", "ITR014");
    add("no time", "{}", R"j({"size": "1e-9 s", "iterations": "2"})j", "ITR012");
    add("little time", "{}", R"j({"size": "2e-9 s", "iterations": "2"})j", "");
    add("taken of nobody", "{}", R"j({"taken": "size = work"})j", "ITR008");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, training);
    QFETCH(QString, stream);
    QFETCH(QString, codes);
    Value of = Value::parse(training.toStdString());
    of["gpus"] = "4";
    DrawnTraining drawn("1000 s", std::move(of));
    drawn.draw_nodes(4, "after(50 s)", "after(10 s)");
    drawn.m.measure("jobs", "time_average", "training.jobs");
    if (!stream.isEmpty()) drawn.stream("users", Value::parse(stream.toStdString()));
    QString told;
    for (const Diagnostic& one : drawn.found()) told += (told.isEmpty() ? "" : " ") + QString::fromStdString(one.code);
    QVERIFY2(told == codes, listed(drawn.found()).c_str());
  }

  void jobs_go_to_one_place() {
    DrawnTraining drawn("1000 s");
    const ElementId users = drawn.stream("users", {}),
                    other = drawn.m.node(drawn.diagram, {}, "iteration_scheduler", {{"name", "other"}});
    drawn.m.edge(drawn.diagram, "job_flow", users, other);
    QVERIFY(!drawn.found().empty() && drawn.found().front().code == "ITR004");
  }
};

QTEST_GUILESS_MAIN(TestLiveIterations)
#include "tst_live_iterations.moc"
