// Round schedulers to which jobs come by streams: every row beside a plain program from the definition, traces that are
// played, closed forms, and what is wrong is told. Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <sstream>

#include "core/des/lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/cluster/drawn_rounds.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

}  // namespace

class TestRoundStreams : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    for (const auto lowering : {network_lowering, rental_lowering, round_lowering}) register_lowering(lowering);
  }

  void every_row_is_that_of_the_plain_program() {
    std::mt19937 dice(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(dice); };
    double done = 0, preemptions = 0, waited = 0;
    for (int trial = 0; trial < 200; ++trial) {
      PlainDrawnRounds plain;
      PlainDrawnRounds::Rules& rules = plain.rules;
      rules.policy = trial % 2 == 0 ? PlainDrawnRounds::equal_parts : PlainDrawnRounds::shortest_first;
      rules.gpus = 1 + static_cast<int>(uniform(dice) * 9), rules.until = 3000;
      rules.tau = between(6, 30), rules.restore = uniform(dice) < 0.3 ? 0 : between(0, 3);
      rules.reset = uniform(dice) < 0.4 ? 0 : between(0, 120);
      Value v = {{"gpus", std::to_string(rules.gpus)},
                 {"policy", trial % 2 == 0 ? "gandiva_fair" : "allox"},
                 {"round", text_in_seconds(rules.tau)},
                 {"restore", text_in_seconds(rules.restore)},
                 {"reset_interval", text_in_seconds(rules.reset)},
                 {"price", "3600 USD/h"}};
      DrawnRounds drawn(text_in_seconds(rules.until), v);
      const double mean = between(8, 60), load = between(0.4, 1.1);
      const std::string gap = number_text(mean * 3 / load / rules.gpus, 17);
      drawn.stream("even", {{"interarrival", gap + " s"},
                            {"size", "uniform(low = 1 s, high = " + text_in_seconds(2 * mean) + ")"},
                            {"gpus", "uniform(low = 0, high = 3)"},
                            {"speedup", "power"},
                            {"exponent", "0.7"}});
      drawn.stream("odd", {{"rate", "1 /(" + gap + " s)"},
                           {"size", "exponential(mean = " + text_in_seconds(mean) + ")"},
                           {"gpus", "uniform(low = 0, high = 2)"},
                           {"parallel", "0"}});
      drawn.m.measure("jobs", "final_value", "grid.done"), drawn.m.measure("left", "final_value", "grid.jobs");
      drawn.m.measure("mean", "final_value", "grid.mean_response_time", {{"unit", "s"}});
      drawn.m.measure("refused", "final_value", "grid.rejected");
      const ResultSet r = drawn.run(1);
      const ResultTable& jobs = table_named(r, "jobs");
      const auto arrival = column_of(jobs, "arrival_s"), alone = column_of(jobs, "exclusive_runtime_s"),
                 gpus = column_of(jobs, "num_gpus"), start = column_of(jobs, "start_s"),
                 end = column_of(jobs, "completion_s"), rounds = column_of(jobs, "rounds"),
                 stops = column_of(jobs, "preemptions"), held = column_of(jobs, "gpu_time_s");
      const auto model = words_of(jobs, "model"), state = words_of(jobs, "state");
      std::vector<std::size_t> row;
      for (std::size_t i = 0; i < arrival.size(); ++i) {
        QCOMPARE(state[i] == "rejected", gpus[i] > rules.gpus);
        if (gpus[i] > rules.gpus) continue;
        const double speed = 1e6 * (model[i] == "even" ? std::pow(gpus[i], 0.7) : 1.0);
        row.push_back(i);
        plain.jobs.push_back({arrival[i], std::round(alone[i] * speed), speed, static_cast<int>(gpus[i])});
      }
      const auto wanted = plain.run();
      double count = 0, sum = 0;
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const std::size_t i = row[k];
        const auto& one = wanted[k];
        const bool ended = one.end >= 0 && one.end <= rules.until, begun = one.start >= 0 && one.start <= rules.until;
        const std::string where = "trial " + std::to_string(trial) + ", job " + std::to_string(i) + ": " +
                                  number_text(start[i], 12) + " to " + number_text(end[i], 12) + ", wanted " +
                                  number_text(one.start, 12) + " to " + number_text(one.end, 12) + "\n" + v.dump();
        QVERIFY2(std::isnan(start[i]) != begun && std::isnan(end[i]) != ended, where.c_str());
        QVERIFY2(!begun || std::fabs(start[i] - one.start) < 1e-6, where.c_str());
        if (!ended) continue;
        ++count, sum += one.end - arrival[i], preemptions += one.preemptions, waited += one.start - arrival[i];
        QVERIFY2(std::fabs(end[i] - one.end) < 1e-6, where.c_str());
        QVERIFY2(rounds[i] == one.rounds && stops[i] == one.preemptions, where.c_str());
        QVERIFY2(one.end + rules.tau > rules.until || std::fabs(held[i] - one.held) < 1e-6, where.c_str());
      }
      done += count;
      QCOMPARE(estimate(r, "jobs"), count);
      QCOMPARE(estimate(r, "left"), static_cast<double>(wanted.size()) - count);
      QCOMPARE(estimate(r, "refused"), static_cast<double>(arrival.size() - wanted.size()));
      QVERIFY(count == 0 || std::fabs(estimate(r, "mean") - sum / count) < 1e-6);
    }
    QVERIFY2(done > 10000 && preemptions > 2000 && waited > 1e5,
             qPrintable(QString("%1 %2 %3").arg(done).arg(preemptions).arg(waited)));
  }

  void a_trace_beside_a_stream_is_what_it_is_alone_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"max_min", "mst", "gandiva_fair", "allox", "ossp", "themis"})
      QTest::newRow(policy) << policy;
  }
  // The stream's first job comes when all of the trace is done: until then it is the schedule that is played.
  void a_trace_beside_a_stream_is_what_it_is_alone() {
    QFETCH(QString, policy);
    const auto made = [&](bool with_stream) {
      DrawnRounds drawn("1e8 s", {{"trace", "trace.tsv"},
                                  {"throughputs", "throughputs.csv"},
                                  {"gpus", "32"},
                                  {"policy", policy.toStdString()},
                                  {"price", "3 USD/h"}});
      for (const char* name : {"trace.tsv", "throughputs.csv"}) drawn.file(name, text_of_rounds(name));
      if (with_stream)
        drawn.stream("late", {{"interarrival", "5e7 s"},
                              {"training", "ResNet-18"},
                              {"batch_size", "32"},
                              {"epochs", "2"},
                              {"most_jobs", "1"}});
      const Diagnostics found = drawn.found();
      const bool told = std::any_of(found.begin(), found.end(), [](const auto& one) { return one.code == "RND021"; });
      if (told != with_stream) throw std::runtime_error("by what fairness is held: " + listed(found));
      drawn.m.measure("done", "final_value", "grid.done");
      drawn.mean_of("response", "grid.response_time");
      return drawn.run(1);
    };
    const ResultSet both = made(true), alone = made(false);
    QCOMPARE(estimate(both, "done"), estimate(alone, "done") + 1);
    const ResultTable &seen = table_named(both, "jobs"), &wanted = table_named(alone, "jobs");
    QCOMPARE(seen.rows.size(), wanted.rows.size() + 1);
    QCOMPARE(words_of(seen, "job").back(), std::string("late/0"));
    for (const char* column : {"arrival_s", "start_s", "completion_s", "rounds", "preemptions", "exclusive_runtime_s",
                               "gpu_time_s", "cost_usd"}) {
      const auto here = column_of(seen, column), there = column_of(wanted, column);
      for (std::size_t i = 0; i < there.size(); ++i)
        QVERIFY2(std::fabs(here[i] - there[i]) <= 1e-9 * there[i],
                 qPrintable(QString("%1, job %2: %3, wanted %4").arg(column).arg(i).arg(here[i]).arg(there[i])));
    }
    const auto contended = column_of(seen, "rho_contended"), as_alone = column_of(wanted, "rho_contended");
    for (std::size_t i = 0; i < as_alone.size(); ++i)
      QVERIFY(std::fabs(contended[i] - as_alone[i]) < 1e-9 * as_alone[i]);
    const ResultTable &rounds = table_named(both, "rounds"), &gantt = table_named(both, "gantt");
    QCOMPARE(words_of(rounds, "job").size(), std::size_t{0});
    const auto from = column_of(gantt, "from_s"), until = column_of(gantt, "to_s"),
               from_alone = column_of(table_named(alone, "gantt"), "from_s"),
               until_alone = column_of(table_named(alone, "gantt"), "to_s");
    QVERIFY(from.size() == from_alone.size() + 1);
    for (std::size_t i = 0; i < from_alone.size(); ++i) QVERIFY(from[i] == from_alone[i] && until[i] == until_alone[i]);
    QCOMPARE(words_of(rounds, "jobs").size(), words_of(table_named(alone, "rounds"), "jobs").size() + 1);
  }

  // One job from 50 s on whose rounds of 100 s go on when the run ends, at 320 s: by hand.
  void the_last_round_ends_with_the_run() {
    DrawnRounds drawn("320 s", {{"gpus", "1"}, {"round", "100 s"}, {"restore", "0 s"}});
    drawn.stream("users", {{"interarrival", "50 s"}, {"size", "1000 s"}, {"most_jobs", "1"}});
    drawn.m.measure("done", "final_value", "grid.done");
    const ResultSet r = drawn.run(1);
    const auto from = column_of(table_named(r, "rounds"), "start_s"), to = column_of(table_named(r, "rounds"), "end_s");
    const std::vector<double> begins = {50, 150, 250}, ends = {150, 250, 320};
    QVERIFY(from.size() == begins.size());
    for (std::size_t i = 0; i < begins.size(); ++i)
      QVERIFY(std::fabs(from[i] - begins[i]) < 1e-3 && std::fabs(to[i] - ends[i]) < 1e-3);
  }

  // What a stream draws of models that are trained is what a trace says of the same jobs.
  void trained_models_are_those_of_a_trace_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("policy");
    for (const char* mode : {"static", "accordion", "gns"})
      for (const char* policy : {"max_min", "themis", "shockwave"})
        QTest::newRow(qPrintable(QString(mode) + ", " + policy)) << mode << policy;
  }
  void trained_models_are_those_of_a_trace() {
    QFETCH(QString, mode);
    QFETCH(QString, policy);
    const Value where = {
        {"gpus", "2"}, {"policy", policy.toStdString()}, {"throughputs", "throughputs.csv"}, {"planning", "heuristic"}};
    // 40 epochs of 1563 steps, the other by its time on one GPU.
    std::string lines;
    const auto line = [&](const char* batch, const char* steps, int gpus, double at) {
      lines += std::string("ResNet-18 (batch size ") + batch + ")\t-\t-\t1\t" + steps + "\t" + number_text(at, 9) +
               "\t" + std::to_string(gpus) + "\n";
    };
    double per_s = 0;
    std::istringstream table(text_of_rounds("throughputs.csv"));
    for (std::string text; std::getline(table, text);)
      if (text.starts_with("ResNet-18,64,1,")) per_s = std::stod(text.substr(15));
    QVERIFY(per_s > 0);
    for (int i = 1; i <= 6; ++i) {
      line("32", "62520", 2, 3000.0 * i);
      if (i <= 5) line("64", std::to_string(std::llround(3000 * per_s)).c_str(), 1, 3500.0 * i);
    }
    std::vector<std::string> sorted;
    std::istringstream all(lines);
    for (std::string text; std::getline(all, text);) sorted.push_back(text);
    const auto at = [](const std::string& text) {
      return std::stod(text.substr(text.rfind('\t', text.rfind('\t') - 1)));
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return at(a) < at(b); });
    std::string trace;
    for (const std::string& text : sorted) trace += text + "\n";
    Value traced = where;
    DrawnRounds drawn("1e6 s", where);
    drawn.file("throughputs.csv", text_of_rounds("throughputs.csv"));
    drawn.stream("wide", {{"interarrival", "3000 s"},
                          {"most_jobs", "6"},
                          {"training", "ResNet-18"},
                          {"batch_size", "32"},
                          {"gpus", "2"},
                          {"epochs", "40"},
                          {"mode", mode.toStdString()}});
    drawn.stream("small", {{"interarrival", "3500 s"},
                           {"most_jobs", "5"},
                           {"training", "ResNet-18"},
                           {"batch_size", "64"},
                           {"size", "3000 s"},
                           {"mode", mode.toStdString()}});
    const ResultSet r = drawn.run(1);
    const ResultTable& jobs = table_named(r, "jobs");
    QCOMPARE(jobs.rows.size(), std::size_t{11});
    // By a stream with a trace, where batch sizes stay; the modes of the others come by their own profile.
    const auto end = column_of(jobs, "completion_s"), alone = column_of(jobs, "exclusive_runtime_s"),
               steps = column_of(jobs, "total_steps");
    for (std::size_t i = 0; i < end.size(); ++i) QVERIFY(std::isfinite(end[i]) && alone[i] > 0);
    if (mode != "static" || policy == "shockwave") return;
    traced["trace"] = "jobs.trace";
    DrawnRounds played("1e6 s", traced);
    played.file("throughputs.csv", text_of_rounds("throughputs.csv")), played.file("jobs.trace", trace);
    const ResultTable wanted = table_named(played.run(1), "jobs");
    DrawnRounds streamed("1e6 s", where);
    streamed.file("throughputs.csv", text_of_rounds("throughputs.csv")), streamed.file("jobs.trace", trace);
    streamed.stream("traced", {{"trace", "jobs.trace"}});
    const ResultTable by_stream = table_named(streamed.run(1), "jobs");
    for (const char* column : {"arrival_s", "start_s", "completion_s", "rounds", "total_steps", "exclusive_runtime_s"})
      for (std::size_t i = 0; i < end.size(); ++i) {
        QVERIFY2(same(column_of(jobs, column)[i], column_of(wanted, column)[i]), column);
        QVERIFY2(same(column_of(by_stream, column)[i], column_of(wanted, column)[i]), column);
      }
    Q_UNUSED(steps);
  }

  // Processor sharing: rounds of a second beside jobs of ten minutes, for one GPU E[S] / (1 - rho) whatever the law.
  void short_rounds_share_the_processor_data() {
    QTest::addColumn<QString>("law");
    QTest::newRow("exponential") << "exponential(mean = 600 s)";
    QTest::newRow("hyperexponential") << "hyperexponential(mean = 600 s, scv = 4)";
    QTest::newRow("fixed") << "600 s";
  }
  void short_rounds_share_the_processor() {
    QFETCH(QString, law);
    DrawnRounds drawn(
        "400000 s",
        {{"gpus", "1"}, {"policy", "gandiva_fair"}, {"round", "1 s"}, {"restore", "0 s"}, {"reset_interval", "0 s"}});
    drawn.stream("users", {{"rate", "0.001 /s"}, {"size", law.toStdString()}});
    drawn.m.measure("response", "observed_mean", "", {{"of", "grid.response_time"}, {"unit", "s"}});
    drawn.m.measure("present", "time_average", "grid.jobs");
    drawn.m.measure("busy", "time_average", "grid.gpus");
    const ResultSet r = drawn.run(40);
    compare_inside(r, "response", 600 / (1 - 0.6));
    compare_inside(r, "busy", 0.6), compare_inside(r, "present", 0.6 / (1 - 0.6));
  }

  // Who pays for what: the spend of the cluster is what jobs pay, and GPU time is work and restores.
  void jobs_pay_for_what_they_have() {
    DrawnRounds drawn("20000 s", {{"gpus", "6"},
                                  {"policy", "max_min"},
                                  {"round", "60 s"},
                                  {"restore", "5 s"},
                                  {"reset_interval", "0 s"},
                                  {"price", "3600 USD/h"},
                                  {"busy_power", "300 W"},
                                  {"idle_power", "50 W"}});
    drawn.stream("users", {{"rate", "0.02 /s"},
                           {"size", "exponential(mean = 150 s)"},
                           {"gpus", "uniform(low = 0, high = 3)"},
                           {"speedup", "power"},
                           {"exponent", "0.9"}});
    drawn.m.measure("gpus", "time_average", "grid.gpus"), drawn.m.measure("of_users", "time_average", "users.gpus");
    drawn.m.measure("rest", "final_value", "grid.submitted - grid.done - grid.jobs - grid.rejected");
    const ResultSet r = drawn.run(1);
    const ResultTable &jobs = table_named(r, "jobs"), &spend = table_named(r, "spend"),
                      &rounds = table_named(r, "rounds");
    double paid = 0, held = 0;
    for (const double one : column_of(jobs, "cost_usd")) paid += one;
    const auto from = column_of(rounds, "start_s"), to = column_of(rounds, "end_s"), gpus = column_of(rounds, "gpus");
    for (std::size_t i = 0; i < from.size(); ++i)
      held += gpus[i] * (std::min(20000.0, i + 1 < from.size() || to[i] < 20000 ? to[i] : 20000.0) - from[i]);
    QVERIFY(std::fabs(paid / held - 1) < 1e-9);
    QVERIFY(std::fabs(column_of(spend, "cost_so_far").back() / paid - 1) < 1e-9);
    QVERIFY(std::fabs(column_of(spend, "energy_so_far").back() * 3.6e6 / (held * 250 + 6 * 50 * 20000.0) - 1) < 1e-9);
    QVERIFY(std::fabs(estimate(r, "gpus") * 20000 / held - 1) < 1e-9);
    QCOMPARE(estimate(r, "of_users"), estimate(r, "gpus"));
    QCOMPARE(estimate(r, "rest"), 0.0);
    double gantt = 0;
    const ResultTable& who = table_named(r, "gantt");
    const auto begin = column_of(who, "from_s"), end = column_of(who, "to_s"), wide = column_of(who, "gpus");
    for (std::size_t i = 0; i < begin.size(); ++i) gantt += wide[i] * (end[i] - begin[i]);
    double work = 0;
    const auto alone = column_of(jobs, "exclusive_runtime_s"), ended = column_of(jobs, "completion_s"),
               its_gpus = column_of(jobs, "num_gpus");
    for (std::size_t i = 0; i < alone.size(); ++i) work += std::isnan(ended[i]) ? 0 : alone[i] * its_gpus[i];
    QVERIFY2(gantt <= held && gantt > work, qPrintable(QString("%1 %2 %3").arg(gantt).arg(held).arg(work)));
  }

  // What customers bring is what jobs are.
  void customers_become_jobs() {
    DrawnRounds drawn("100000 s", {{"gpus", "2"}, {"round", "30 s"}, {"restore", "0 s"}, {"reset_interval", "0 s"}});
    const ElementId net = drawn.m.diagram("Net", "queueing");
    const ElementId users = drawn.m.node(net, {}, "source",
                                         {{"name", "users"},
                                          {"interarrival", "100 s"},
                                          {"attributes", "work: real s = 40 s, wide: integer = 2"}}),
                    staging = drawn.m.node(net, {}, "station", {{"name", "staging"}, {"service", "3 s"}}),
                    staged = drawn.m.node(net, {}, "sink", {{"name", "staged"}});
    drawn.m.edge(net, "flow", users, staging), drawn.m.edge(net, "flow", staging, staged);
    drawn.stream("jobs", {{"sink", "staged"},
                          {"taken", "size = work, gpus = wide"},
                          {"speedup", "table"},
                          {"table", "[[1, 1], [2, 1.6]]"}});
    drawn.mean_of("response", "grid.response_time"), drawn.mean_of("until_done", "jobs.time_in_system");
    const ResultSet r = drawn.run(1);
    QVERIFY(std::fabs(estimate(r, "response") - 25) < 1e-6);
    QVERIFY(std::fabs(estimate(r, "until_done") - 28) < 1e-6);
  }

  // Of two streams one is named by a source, and the other's go where those of the scheduler go; who is too wide
  // goes a way of his own.
  void jobs_become_customers() {
    DrawnRounds drawn("100000 s", {{"gpus", "4"}, {"round", "30 s"}, {"restore", "0 s"}, {"reset_interval", "0 s"}});
    drawn.stream("jobs", {{"interarrival", "100 s"}, {"size", "30 s"}, {"gpus", "2"}, {"parallel", "0"}});
    drawn.stream("others", {{"interarrival", "1000 s"}, {"size", "20 s"}, {"parallel", "0"}});
    drawn.stream("broad", {{"interarrival", "500 s"}, {"size", "20 s"}, {"gpus", "5"}, {"parallel", "0"}});
    const ElementId net = drawn.m.diagram("Net", "queueing");
    const auto behind = [&](const char* name, const char* jobs, const char* outcome) {
      Value source = {{"name", name},
                      {"jobs", jobs},
                      {"taken", std::string("wide: integer = gpus, took: real s = ") +
                                    (*outcome == '\0' ? "response_time" : "run_time")}};
      if (*outcome != '\0') source["outcome"] = outcome;
      const std::string n = name;
      const ElementId from = drawn.m.node(net, {}, "source", source),
                      review =
                          drawn.m.node(net, {}, "station", {{"name", n + "_review"}, {"service", "wide * 1 s + took"}}),
                      out = drawn.m.node(net, {}, "sink", {{"name", n + "_out"}});
      drawn.m.edge(net, "flow", from, review), drawn.m.edge(net, "flow", review, out);
      drawn.mean_of(n, n + "_out.time_in_system");
      drawn.m.measure(n + "_count", "final_value", n + "_out.arrived");
    };
    behind("ready", "jobs", ""), behind("rest", "grid", ""), behind("refused", "broad", "rejected");
    const ResultSet r = drawn.run(1);
    QCOMPARE(estimate(r, "ready_count"), 999.0);
    QCOMPARE(estimate(r, "rest_count"), 99.0);
    QCOMPARE(estimate(r, "refused_count"), 199.0);
    QVERIFY(std::fabs(estimate(r, "ready") - (30 + 2 + 30)) < 1e-6);
    QVERIFY(std::fabs(estimate(r, "refused") - (5 + 20)) < 1e-6);
    // They come at one moment with one of the others: a round is as long as its longest job.
    QVERIFY(std::fabs(estimate(r, "rest") - (20 + 1 + 20)) < 1e-6);
  }

  // Plans of jobs that nobody knew: everybody is done, and the same at one and at two threads.
  void plans_learn_of_jobs_as_they_come() {
    for (const char* policy : {"shockwave", "themis"}) {
      DrawnRounds drawn("200000 s", {{"gpus", "4"},
                                     {"policy", policy},
                                     {"planning", "heuristic"},
                                     {"throughputs", "throughputs.csv"},
                                     {"restore", "10 s"}});
      drawn.file("throughputs.csv", text_of_rounds("throughputs.csv"));
      drawn.stream("vision", {{"rate", "0.001 /s"},
                              {"most_jobs", "60"},
                              {"training", "ResNet-18"},
                              {"batch_size", "32"},
                              {"mode", "gns"},
                              {"gpus", "2"},
                              {"epochs", "uniform(low = 5, high = 40)"}});
      drawn.stream("plain", {{"rate", "0.001 /s"}, {"most_jobs", "60"}, {"size", "exponential(mean = 1500 s)"}});
      drawn.m.measure("done", "final_value", "grid.done");
      drawn.mean_of("response", "grid.response_time"), drawn.mean_of("fairness", "grid.fairness", "");
      const ResultSet one = drawn.run(6, 1), two = drawn.run(6, 2);
      QCOMPARE(estimate(one, "done"), 120.0);
      for (const char* id : {"done", "response", "fairness"}) {
        QCOMPARE(estimate(one, id), estimate(two, id));
        QCOMPARE(one.measure(id)->lower, two.measure(id)->lower);
      }
      const bool plans = std::any_of(one.tables.begin(), one.tables.end(),
                                     [](const ResultTable& table) { return table.name == "predictions"; });
      QCOMPARE(plans, std::string(policy) == "shockwave");
    }
  }

  // Who trains nothing is known by his work: what is predicted before he runs is it, to about a round.
  void plans_know_what_is_left_of_plain_jobs() {
    DrawnRounds drawn("100000 s", {{"gpus", "3"}, {"policy", "shockwave"}, {"planning", "heuristic"}});
    drawn.stream("plain", {{"rate", "0.0005 /s"}, {"size", "uniform(low = 1000 s, high = 5000 s)"}});
    drawn.m.measure("done", "final_value", "grid.done");
    const ResultSet r = drawn.run(1);
    const auto alone = column_of(table_named(r, "jobs"), "exclusive_runtime_s");
    const ResultTable& predictions = table_named(r, "predictions");
    const auto job = column_of(predictions, "job"), predicted = column_of(predictions, "predicted_s");
    std::set<double> met;
    for (std::size_t i = 0; i < job.size(); ++i)
      if (met.insert(job[i]).second) {
        const double whole = alone[static_cast<std::size_t>(job[i])];
        QVERIFY2(predicted[i] > whole - 250 && predicted[i] < whole + 30,
                 qPrintable(QString("%1 of %2").arg(predicted[i]).arg(whole)));
      }
    QVERIFY(met.size() > 20 && estimate(r, "done") > 20);
  }

  void a_saved_moment_goes_on() {
    for (const char* policy : {"max_min", "mst", "gandiva_fair", "allox", "ossp", "themis", "shockwave"}) {
      DrawnRounds drawn("1000 s", {{"gpus", "5"},
                                   {"policy", policy},
                                   {"planning", "heuristic"},
                                   {"round", "1 s"},
                                   {"restore", "0.1 s"},
                                   {"reset_interval", "2 s"}});
      drawn.stream("users",
                   {{"rate", "0.8 /s"}, {"size", "exponential(mean = 2.5 s)"}, {"gpus", "uniform(low = 0, high = 4)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("stream");
    QTest::addColumn<QString>("scheduler");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* stream, const char* codes, const char* scheduler = "{}") {
      QTest::newRow(name) << QString(stream) << QString(scheduler) << QString(codes);
    };
    const char* const table = R"j({"throughputs": "t.csv"})j";
    add("sound", R"j({"rate": "1 /h"})j", "");
    add("trained", R"j({"training": "LM", "batch_size": "5", "epochs": "3", "gpus": "2"})j", "", table);
    add("rate", R"j({"rate": "-1 /h"})j", "RND002");
    add("gap", R"j({"interarrival": "-1 h"})j", "RND002");
    add("size", R"j({"size": "0 h"})j", "RND002");
    add("speedup", R"j({"speedup": "power", "exponent": "2"})j", "RND005");
    add("table", R"j({"training": "LM"})j", "RND003");
    add("no row", R"j({"training": "LM", "batch_size": "10"})j", "RND007", table);
    add("no row of these GPUs", R"j({"training": "LM", "batch_size": "5", "gpus": "uniform(low = 0, high = 3)"})j",
        "RND007", table);
    add("batch", R"j({"training": "LM", "batch_size": "0"})j", "RND002", table);
    add("mode", R"j({"training": "LM", "mode": "often"})j", "DOC002", table);
    add("epochs of nothing", R"j({"epochs": "3"})j", "RND008");
    add("epochs of another", R"j({"training": "Mine", "epochs": "3"})j", "RND008", table);
    add("slow", R"j({"training": "Slow", "size": "1 h"})j", "RND012", table);
    add("sink", R"j({"sink": "nowhere"})j", "RND010");
    add("taken", R"j({"taken": "size = work"})j", "RND010");
    add("trace", R"j({"trace": "none.trace"})j", "RND003", table);
    add("most", R"j({"most_jobs": "0"})j", "RND002");
    add("flows", R"j({"rate": "1 /h * (1 + now / 100 h)"})j", "RND009");
    add("follows a count", R"j({"rate": "if(grid.jobs > 10, 1 /h, 2 /h)"})j", "");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, stream);
    QFETCH(QString, scheduler);
    QFETCH(QString, codes);
    DrawnRounds drawn("1000 s", Value::parse(scheduler.toStdString()));
    drawn.file("t.csv", "model,batch_size,num_gpus,steps_per_s\nLM,5,1,2\nLM,5,2,3\nMine,1,1,2\nSlow,1,1,0.001\n");
    drawn.stream("users", Value::parse(stream.toStdString()));
    drawn.m.measure("done", "final_value", "grid.done");
    const Diagnostics found = drawn.found();
    QVERIFY2(test::codes(found) == codes.toStdString(), listed(found).c_str());
  }

  void flows_go_to_one_place() {
    DrawnRounds drawn("1000 s");
    const ElementId stream = drawn.stream("users", {{"rate", "1 /h"}}),
                    rental = drawn.m.node(drawn.diagram, {}, "rental", {{"name", "cloud"}}),
                    other = drawn.m.node(drawn.diagram, {}, "round_scheduler", {{"name", "second"}, {"trace", "x"}});
    drawn.m.edge(drawn.diagram, "job_flow", stream, rental), drawn.m.edge(drawn.diagram, "job_flow", stream, other);
    drawn.m.edge(drawn.diagram, "job_flow", rental, other);
    std::vector<std::string> seen;
    for (const Diagnostic& one : drawn.found())
      if (one.severity == Severity::error) seen.push_back(one.code);
    std::sort(seen.begin(), seen.end());
    QVERIFY2(std::count(seen.begin(), seen.end(), "RND004") == 2 && std::count(seen.begin(), seen.end(), "RND006") == 1,
             listed(drawn.found()).c_str());
  }

  void steps_of_several_sorts_are_told_where_they_are_compared() {
    for (const bool trained : {false, true}) {
      DrawnRounds drawn("1000 s", {{"policy", "mst"}, {"throughputs", "t.csv"}});
      drawn.file("t.csv", "model,batch_size,num_gpus,steps_per_s\nLM,5,1,2\n");
      drawn.stream("plain", {{"rate", "1 /h"}});
      drawn.stream("other", trained ? Value{{"rate", "1 /h"}, {"training", "LM"}} : Value{{"rate", "1 /h"}});
      drawn.m.measure("done", "final_value", "grid.done");
      QVERIFY2(test::codes(drawn.found()) == (trained ? "RND018" : ""), listed(drawn.found()).c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestRoundStreams)
#include "tst_round_streams.moc"
