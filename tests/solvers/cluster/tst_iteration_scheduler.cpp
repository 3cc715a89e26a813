// Drawn schedulers of iterations: what a history plays and what its tables hold is what the schedule says; what is
// wrong is told.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <map>

#include "core/base/read_file.h"
#include "core/des/lowering.h"
#include "core/report/gantt_figure.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/cluster/traces/iteration_trace.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const std::string iterations_folder = std::string(ERGODE_SOURCE_DIR) + "/examples/29_partial_backpropagation";

ResultSet run_iteration_example(Overrides overrides) {
  RunRequest request;
  request.folder = iterations_folder, request.overrides = std::move(overrides), request.replications = 1;
  return solved(example("29_partial_backpropagation"), request);
}

void same_figure(double seen, double wanted, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= 1e-9 * std::fabs(wanted),
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 14).arg(wanted, 0, 'g', 14)));
}

}  // namespace

class TestIterationScheduler : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(iteration_lowering); }

  void a_history_plays_the_schedule_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<int>("policy");
    const char* words[] = {"jigsaw", "time_slicing", "fifo_gang", "srtf_gang"};
    for (int i = 0; i < 4; ++i) QTest::newRow(words[i]) << words[i] << i;
  }
  void a_history_plays_the_schedule() {
    QFETCH(QString, word);
    QFETCH(int, policy);
    const auto text = read_text(iterations_folder + "/jobs.csv");
    const auto trace = std::get<0>(read_iteration_trace(std::get<std::string>(text), "jobs.csv", {}));
    QCOMPARE(trace.jobs.size(), std::size_t{24});
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    const IterationOptions options{.policy = static_cast<IterationPolicy>(policy),
                                   .gpus = 16,
                                   .memory_bytes = 16 * gib,
                                   .bytes_per_s = 12.5e9,
                                   .most_spans = 2000};
    const IterationRun wanted = run_iterations(trace.jobs, options);
    const ResultSet out = run_iteration_example({{"policy", word.toStdString()}, {"baseline", "fifo_gang"}});
    same_figure(estimate(out, "makespan"), wanted.makespan_s, "makespan");
    same_figure(estimate(out, "mean_response_time"), wanted.mean_jct_s, "mean JCT");
    same_figure(estimate(out, "busy"), wanted.busy, "busy");
    same_figure(estimate(out, "network"), wanted.bytes / 1e9, "network");
    same_figure(estimate(out, "memory"), wanted.peak_memory_bytes / gib, "memory");
    if (word == "fifo_gang") {
      QCOMPARE(estimate(out, "speedup"), 1.0);
      QCOMPARE(estimate(out, "sooner"), 0.0);
    }
    const ResultTable& jobs = table_named(out, "jobs");
    for (std::size_t j = 0; j < jobs.rows.size(); ++j)
      QCOMPARE(std::get<double>(jobs.rows[j][8]), wanted.jobs[j].end_s);
    // Forward, backward and idle of a GPU follow each other without a gap.
    const ResultTable& pieces = table_named(out, "iterations");
    double computed = 0.0;
    for (std::size_t i = 0; i < pieces.rows.size(); ++i) {
      const auto at = [&](std::size_t row, std::size_t column) { return std::get<double>(pieces.rows[row][column]); };
      if (std::get<std::string>(pieces.rows[i][1]) != "idle") computed += at(i, 7) - at(i, 6);
      if (i > 0 && at(i, 0) == at(i - 1, 0)) same_figure(at(i, 6), at(i - 1, 7), "begin");
    }
    double kept = 0.0;
    for (const IterationSpan& one : wanted.spans) kept += one.end_s - one.start_s;
    same_figure(computed, kept, "computed");
    const ResultTable& gantt = table_named(out, "gantt");
    double drawn = 0.0;
    for (const auto& row : gantt.rows) drawn += std::get<double>(row[3]) - std::get<double>(row[2]);
    same_figure(drawn, kept, "drawn");
    QVERIFY(is_gantt(gantt));
  }

  // All pieces are shown, and a second of a GPU costs one USD.
  void jobs_pay_for_the_time_that_gpus_compute_for_them() {
    const ResultSet out = run_iteration_example({{"cluster.price", "3600 USD/h"}, {"cluster.shown_pieces", "1000000"}});
    const ResultTable &jobs = table_named(out, "jobs"), &pieces = table_named(out, "iterations");
    std::map<std::string, double> computed;
    for (const auto& row : pieces.rows)
      if (std::get<std::string>(row[1]) != "idle")
        computed[std::get<std::string>(row[2])] += std::get<double>(row[7]) - std::get<double>(row[6]);
    const std::size_t cost = jobs.columns.size() - 2;
    QCOMPARE(jobs.columns[cost].label, std::string("cost_usd"));
    QCOMPARE(jobs.columns[cost + 1].label, std::string("state"));
    QVERIFY(!jobs.rows.empty());
    for (const auto& row : jobs.rows)
      same_figure(std::get<double>(row[cost]), computed[std::get<std::string>(row[0])], "cost of a job");
  }

  void layers_and_shares_are_told() {
    const ResultTable layers = table_named(run_iteration_example({}), "layers");
    QCOMPARE(layers.rows.size(), std::size_t{4});
    for (std::size_t g = 0; g < 4; ++g) QCOMPARE(std::get<double>(layers.rows[g][5]), 4.0 - static_cast<double>(g));
    const ResultTable full = table_named(run_iteration_example({{"backpropagation", "full"}}), "layers");
    QCOMPARE(full.rows.size(), std::size_t{1});
    const ResultTable two = table_named(run_iteration_example({{"cluster.phi", "[0.5, 0.5, 1, 1]"}}), "layers");
    QVERIFY(two.rows.size() == 2 && std::get<double>(two.rows[1][5]) == 2.0);
  }

  void lists_of_tiresias_are_read() {
    const auto read = read_iteration_trace(
        "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n7,2,30,100,vgg11,300,20\r\n", "t.csv",
        {});
    const IterationTrace& trace = std::get<0>(read);
    QCOMPARE(trace.names[0], std::string("7"));
    const IterationJob& job = trace.jobs[0];
    QVERIFY(job.workers == 2 && job.iterations == 100 && job.arrival_s == 30.0);
    same_figure(job.costs.forward_s, 1.0, "forward");
    same_figure(job.costs.backward_s, 2.0, "backward");
    same_figure(job.costs.parameter_bytes, 1.4e9, "parameters");
    QVERIFY(parse_shares("[0.25, 1]") == std::vector<double>({0.25, 1.0}) && !parse_shares("[2]") && !parse_shares(""));
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("parameter");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* parameter, const char* value, const char* code,
                        const char* words) { QTest::newRow(name) << parameter << value << code << words; };
    row("no file", "trace", "none.csv", "ITR003", "none.csv");
    row("rows", "trace", "bad.csv", "ITR011", "bad.csv, row 2: iterations is '0'; wanted a whole number from 1 on");
    row("columns", "trace", "other.csv", "ITR011", "other.csv, row 1: there is no column arrival_s");
    row("shares of a row", "trace", "shares.csv", "ITR011", "phi is '0.5 2'; wanted shares from 0 to 1.");
    row("wide", "gpus", "3", "ITR012", "has 4 workers; wanted at most the 3 GPUs that there are.");
    row("memory", "cluster.memory", "4 GiB", "ITR012", "GiB of a GPU; wanted at most the 4 GiB that it has.");
    row("shares", "cluster.phi", "[0.5, 1]", "ITR012", "has 4 workers and 2 shares; wanted as many.");
    row("no shares", "cluster.phi", "half", "ITR002", "The shares are \"half\"; wanted numbers from 0 to 1");
    row("bandwidth", "bandwidth", "0 Gbit/s", "ITR002", "The value is 0 Gbit/s; wanted a number from 8e-09 Gbit/s");
    row("ratio", "cluster.backward_per_forward", "-1", "ITR002", "The value is -1; wanted a number from 0 to 1000.");
    row("policy", "cluster.policy", "lottery", "DOC002", "lottery");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, parameter);
    QFETCH(QString, value);
    QFETCH(QString, code);
    QFETCH(QString, words);
    const QTemporaryDir folder;
    const std::string at = folder.path().toStdString() + "/";
    std::ofstream(at + "jobs.csv") << std::get<std::string>(read_text(iterations_folder + "/jobs.csv"));
    const std::string head = "arrival_s,iterations,workers,forward_s,backward_s,phi\n";
    std::ofstream(at + "bad.csv") << head << "0,0,1,1,2,\n";
    std::ofstream(at + "shares.csv") << head << "0,1,2,1,2,0.5 2\n";
    std::ofstream(at + "other.csv") << "a,b\n1,2\n";
    Diagnostics found;
    RunRequest request;
    request.overrides = {{parameter.toStdString(), value.toStdString()}};
    const auto model = build_model(example("29_partial_backpropagation"), request, folder.path().toStdString(), found);
    QVERIFY2(model == nullptr, "it was taken");
    bool told = false;
    for (const Diagnostic& one : found)
      told = told || (one.code == code.toStdString() && one.message.find(words.toStdString()) != std::string::npos);
    QVERIFY2(told, listed(found).c_str());
  }
};

QTEST_GUILESS_MAIN(TestIterationScheduler)
#include "tst_iteration_scheduler.moc"
