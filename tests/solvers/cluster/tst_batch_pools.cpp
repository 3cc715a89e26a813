// Drawn pools of hosts: what runs in a model is what the algorithms say, and what closed forms say; what is wrong is
// told.
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/des/lowering.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/batch/batch_scheduler.h"
#include "solvers/cluster/batch/job_chain.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/traces/job_trace.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr const char* policies[] = {"fifo", "sjf", "easy", "conservative"};

/// A workload in the standard format, at a load of about 0.9 on 20 hosts.
std::string pool_workload(std::size_t jobs) {
  RandomStream draw(stream_key(3, "pool"), 0);
  std::string out;
  double at_s = 0.0;
  for (std::size_t i = 1; i <= jobs; ++i) {
    at_s += std::floor(draw.exponential() * 120.0);
    const double run_s = std::floor(draw.exponential() * 600.0), hosts = 1.0 + std::floor(draw.uniform() * 6.0);
    const double limit_s = std::floor(60.0 + run_s * (0.9 + draw.uniform()));
    out += std::to_string(i) + " " + number_text(at_s) + " 0 " + number_text(run_s) + " -1 -1 -1 " +
           number_text(hosts) + " " + number_text(limit_s) + " -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
  }
  return out;
}

JobTrace read_pool_workload(std::size_t jobs) {
  return std::get<JobTrace>(read_swf(pool_workload(jobs), "jobs.swf", 1));
}

double column_mean(const ResultSet& results, const std::string& table, const std::string& column) {
  for (const ResultTable& one : results.tables) {
    if (one.name != table) continue;
    for (std::size_t c = 0; c < one.columns.size(); ++c) {
      if (one.columns[c].label != column) continue;
      double sum = 0.0;
      for (const auto& row : one.rows) sum += std::get<double>(row[c]);
      return sum / static_cast<double>(one.rows.size());
    }
  }
  throw std::runtime_error("no column " + column);
}

void compare_close(double seen, double wanted, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= 1e-9 * std::fabs(wanted),
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 14).arg(wanted, 0, 'g', 14)));
}

Value traced_by(const std::string& file) { return {{"trace", file}}; }

/// A provisioner of 12 starts, three jobs of four hosts each.
Value short_service(const char* policy) {
  return {{"policy", policy},  {"level", "0.9"},           {"hosts", "4"},
          {"chain_jobs", "3"}, {"limit", "300 min"},       {"warm_up", "100 min"},
          {"window", "20 h"},  {"start_period", "90 min"}, {"starts", "12"}};
}

}  // namespace

class TestBatchPools : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
  }

  void a_trace_runs_in_a_model_as_its_schedule_says() {
    const JobTrace trace = read_pool_workload(500);
    for (int policy = 0; policy < 4; ++policy) {
      DrawnPool drawn("1000000 s", {{"hosts", "20"},
                                    {"policy", policies[policy]},
                                    {"price", "3 USD/h"},
                                    {"busy_power", "700 W"},
                                    {"idle_power", "90 W"}});
      drawn.m.measure("power", "time_average", "pool.power", {{"unit", "W"}});
      drawn.m.measure("spend", "time_average", "pool.spend", {{"unit", "USD/h"}});
      drawn.m.measure("slowdown", "observed_mean", "", {{"of", "pool.slowdown"}});
      drawn.stream("users", traced_by("jobs.swf"));
      drawn.file("jobs.swf", pool_workload(500));
      drawn.mean_of("wait", "pool.wait"), drawn.mean_of("response", "pool.response_time");
      drawn.m.measure("killed", "final_value", "pool.killed");
      drawn.m.measure("busy", "time_average", "pool.busy");
      const BatchSchedule plain = simulate_batch(trace.jobs, 20, static_cast<BatchPolicy>(policy));
      double wait_s = 0.0, response_s = 0.0, ended = 0.0, host_s = 0.0, slowdown = 0.0, with_work = 0.0;
      for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
        wait_s += plain.start_s[i] - trace.jobs[i].submit_s, response_s += plain.end_s[i] - trace.jobs[i].submit_s;
        ended += killed(trace.jobs[i]) ? 1.0 : 0.0, host_s += trace.jobs[i].hosts * time_on_hosts(trace.jobs[i]);
        const double alone_s = std::min(trace.jobs[i].run_s, trace.jobs[i].limit_s);
        if (alone_s > 0.0) slowdown += (plain.end_s[i] - trace.jobs[i].submit_s) / alone_s, ++with_work;
      }
      const ResultSet out = drawn.run(1);
      compare_close(estimate(out, "wait"), wait_s / 500, policies[policy]);
      compare_close(estimate(out, "response"), response_s / 500, policies[policy]);
      compare_close(estimate(out, "busy"), host_s / 1e6, policies[policy]);
      compare_close(estimate(out, "power"), 90 * 20 + 610 * host_s / 1e6, policies[policy]);
      compare_close(estimate(out, "spend"), 3 * host_s / 1e6, policies[policy]);
      compare_close(estimate(out, "slowdown"), slowdown / with_work, policies[policy]);
      QCOMPARE(estimate(out, "killed"), ended);
      QVERIFY(ended > 0);
      compare_close(column_mean(out, "jobs", "wait_s"), wait_s / 500, "table");
    }
  }

  // Erlang, 1917: M/M/c, c = 3 hosts at a load of 0.8.
  void random_jobs_of_one_host_wait_as_erlang_says() {
    DrawnPool drawn("20000 s", {{"hosts", "3"}, {"policy", "fifo"}});
    drawn.stream("users", {{"rate", "2.4 /s"}, {"size", "exponential(mean = 1 s)"}});
    drawn.m.measure("wait", "steady_state_mean", "", {{"of", "pool.wait"}, {"unit", "s"}});
    drawn.m.measure("busy", "steady_state_mean", "pool.busy");
    const double a = 2.4, c = 3, last = a * a * a / 6 * c / (c - a), p = last / (1 + a + a * a / 2 + last);
    const ResultSet out = drawn.run(20);
    compare_inside(out, "wait", p / (c - a));
    compare_inside(out, "busy", a);
  }

  // Jobs of two hosts on a pool of two are a single server: M/D/1 (Pollaczek, 1930); wide ones are rejected.
  void wide_jobs_are_one_after_the_other() {
    DrawnPool drawn("50000 s", {{"hosts", "2"}, {"accelerators", "4"}, {"policy", "easy"}});
    drawn.stream("users", {{"rate", "0.5 /s"}, {"size", "1 s"}, {"hosts", "1.2"}, {"limit", "1 s"}});
    drawn.m.measure("wait", "steady_state_mean", "", {{"of", "pool.wait"}, {"unit", "s"}});
    drawn.m.measure("gpus", "steady_state_mean", "users.gpus");
    const ResultSet out = drawn.run(10);
    compare_inside(out, "wait", 0.5);
    compare_inside(out, "gpus", 0.5 * 8);
  }

  void a_pool_on_a_clock_of_minutes_runs_as_its_table_says() {
    DrawnPool drawn("1000000 s", {{"hosts", "20"}, {"policy", "slurm"}, {"price", "3.6 USD/h"}});
    drawn.stream("users", traced_by("jobs.swf"));
    drawn.file("jobs.swf", pool_workload(500));
    drawn.mean_of("wait", "pool.wait"), drawn.mean_of("response", "pool.response_time");
    drawn.m.measure("busy", "time_average", "pool.busy");
    drawn.m.measure("submitted", "final_value", "users.submitted");
    const ResultSet out = drawn.run(1);
    compare_close(estimate(out, "wait"), column_mean(out, "jobs", "wait_s"), "wait");
    compare_close(estimate(out, "response"), column_mean(out, "jobs", "jct_s"), "response");
    QCOMPARE(estimate(out, "submitted"), 500.0);
    double host_s = 0.0;
    for (const BatchJob& job : read_pool_workload(500).jobs)
      host_s += job.hosts * std::max(60.0, 60.0 * std::ceil(time_on_hosts(job) / 60.0));
    compare_close(estimate(out, "busy"), host_s / 1e6, "busy");
    compare_close(500.0 * column_mean(out, "jobs", "cost_usd"), 0.001 * host_s, "what jobs pay for hosts");
  }

  // Whatever asks for hosts in which order, also where the clock of minutes knows only who can ever begin.
  void jobs_of_a_trace_that_are_too_wide_are_counted() {
    double wide = 0.0;
    for (const BatchJob& job : read_pool_workload(200).jobs) wide += job.hosts > 4;
    QVERIFY(wide > 20);
    for (const char* policy : {"fifo", "easy", "slurm"}) {
      DrawnPool drawn("10000000 s", {{"hosts", "4"}, {"policy", policy}});
      drawn.stream("users", traced_by("jobs.swf"));
      // Somebody who fits comes last: what comes after all has left is seen by nobody.
      drawn.file("jobs.swf", pool_workload(200) + "201 900000 0 60 -1 -1 -1 1 60 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
      drawn.m.measure("rejected", "final_value", "pool.rejected");
      drawn.m.measure("submitted", "final_value", "pool.submitted");
      const ResultSet out = drawn.run(1);
      QCOMPARE(estimate(out, "rejected"), wide);
      QCOMPARE(estimate(out, "submitted"), 201.0);
    }
  }

  // What the table has: response over the time on hosts that was asked for, hosts held for whole minutes.
  void slowdown_power_and_work_by_minutes_are_those_of_the_table() {
    DrawnPool drawn(
        "1000000 s",
        {{"hosts", "20"}, {"policy", "slurm"}, {"price", "3 USD/h"}, {"busy_power", "700 W"}, {"idle_power", "90 W"}});
    drawn.stream("users", traced_by("jobs.swf"));
    drawn.file("jobs.swf", pool_workload(500));
    drawn.m.measure("slowdown", "observed_mean", "", {{"of", "pool.slowdown"}});
    drawn.m.measure("power", "time_average", "pool.power", {{"unit", "W"}});
    drawn.m.measure("spend", "time_average", "pool.spend", {{"unit", "USD/h"}});
    drawn.m.measure("used", "final_value", "pool.used_time", {{"unit", "s"}});
    drawn.m.measure("useful", "final_value", "pool.useful_work", {{"unit", "s"}});
    drawn.m.measure("killed", "final_value", "pool.killed");
    const ResultSet out = drawn.run(1);
    double slowdown = 0.0, seen = 0.0, used = 0.0, useful = 0.0, killed_jobs = 0.0;
    const auto jobs = std::find_if(out.tables.begin(), out.tables.end(),
                                   [](const ResultTable& table) { return table.name == "jobs"; });
    for (const auto& row : jobs->rows) {
      const double hosts = std::get<double>(row[2]), run_s = std::get<double>(row[3]);
      const double limit_s = std::get<double>(row[4]), stays_s = std::min(run_s, limit_s);
      if (stays_s > 0.0) slowdown += std::get<double>(row[8]) / stays_s, ++seen;
      used += hosts * std::max(60.0, 60.0 * std::ceil(stays_s / 60.0));
      if (run_s > limit_s) ++killed_jobs;
      else useful += hosts * run_s;
    }
    const double busy = used / 1e6;
    compare_close(estimate(out, "slowdown"), slowdown / seen, "slowdown");
    compare_close(estimate(out, "power"), busy * 700.0 + (20.0 - busy) * 90.0, "power");
    compare_close(estimate(out, "spend"), busy * 3.0, "spend");
    compare_close(estimate(out, "used"), used, "used");
    compare_close(estimate(out, "useful"), useful, "useful");
    QCOMPARE(estimate(out, "killed"), killed_jobs);
    QVERIFY(killed_jobs > 0.0 && useful > 0.0);
    const auto spend = std::find_if(out.tables.begin(), out.tables.end(),
                                    [](const ResultTable& table) { return table.name == "spend"; });
    QVERIFY(spend != out.tables.end() && spend->rows.size() > 100 && spend->rows.size() <= 501);
    const auto& last = spend->rows.back();
    const double until_s = std::get<double>(last[0]) * 3600.0;
    QCOMPARE(std::get<double>(last[1]), 0.0);
    compare_close(std::get<double>(last[3]), used * 3.0 / 3600.0, "cost");
    compare_close(std::get<double>(last[5]), (used * 700.0 + (20.0 * until_s - used) * 90.0) / 3.6e6, "energy");
  }

  void a_replication_is_a_start_of_the_service() {
    for (const char* policy : {"reactive", "average", "quantile"}) {
      DrawnPool drawn("300000 s", {{"hosts", "20"}, {"policy", "slurm"}});
      drawn.stream("users", traced_by("jobs.swf"));
      drawn.file("jobs.swf", pool_workload(1500));
      drawn.provisioner(short_service(policy));
      drawn.mean_of("interruption", "service.interruption"), drawn.mean_of("overlap", "service.overlap");
      const ResultSet out = drawn.run(12);
      QCOMPARE(estimate(out, "interruption"), column_mean(out, "decisions", "interruption_s"));
      QCOMPARE(estimate(out, "overlap"), column_mean(out, "decisions", "overlap_s"));
      QVERIFY(estimate(out, "interruption") + estimate(out, "overlap") > 0.0);
      if (std::string(policy) == "reactive") QCOMPARE(estimate(out, "overlap"), 0.0);
    }
  }

  /// Twice the speed and twice the work are the same history; four times the speed of the same jobs is another.
  void a_fast_pool_does_more_in_a_time() {
    const auto mean = [](const char* speed, const char* size, bool traced) {
      DrawnPool drawn("200000 s", {{"hosts", "8"}, {"policy", "fifo"}, {"speed", speed}});
      if (traced) {
        drawn.stream("users", traced_by("jobs.swf"));
        std::string rows;
        for (int i = 1; i <= 400; ++i)
          rows += std::to_string(i) + " " + std::to_string(i * 100) + " 0 " +
                  std::to_string((i * 37 % 19 + 1) * (std::string(size) == "twice" ? 240 : 120)) + " -1 -1 -1 " +
                  std::to_string(i % 5 + 1) + " -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
        drawn.file("jobs.swf", rows);
      } else {
        drawn.stream("users", {{"rate", "0.002 /s"},
                               {"size", std::string(size) == "twice" ? "exponential(mean = 2000 s)"
                                                                     : "exponential(mean = 1000 s)"},
                               {"hosts", "2"}});
      }
      drawn.mean_of("response", "pool.response_time"), drawn.mean_of("wait", "pool.wait");
      const ResultSet out = drawn.run(2);
      return std::pair(estimate(out, "response"), estimate(out, "wait"));
    };
    for (const bool traced : {false, true}) {
      const auto plain = mean("1", "once", traced);
      QVERIFY(plain.second > 0.0);
      QVERIFY(mean("2", "twice", traced) == plain);
      QVERIFY(mean("4", "once", traced).first < 0.5 * plain.first);
    }
    DrawnPool wrong("1 h", {{"speed", "0"}});
    wrong.stream("users", {{"rate", "1 /h"}});
    const Diagnostics told = wrong.found();
    QVERIFY(std::any_of(told.begin(), told.end(), [](const Diagnostic& one) { return one.pointer == "speed"; }));
  }

  /// Finish-time fairness of a table of jobs, from its own times: who was there is counted for each pair of jobs.
  void jobs_tell_their_fairness() {
    DrawnPool drawn("30 h", {{"hosts", "8"}, {"policy", "easy"}});
    drawn.stream("users", traced_by("jobs.swf"));
    drawn.file("jobs.swf", pool_workload(300));
    drawn.mean_of("wait", "pool.wait");
    const ResultSet out = drawn.run(1);
    const auto jobs =
        std::find_if(out.tables.begin(), out.tables.end(), [](const auto& table) { return table.name == "jobs"; });
    QVERIFY(jobs != out.tables.end());
    struct Job {
      double came, done, exclusive, rho, contended;
    };
    std::vector<Job> all;
    const auto column = [&](const ResultTable& table, const std::vector<ResultTable::Cell>& row, const char* name) {
      std::size_t at = 0;
      while (table.columns[at].label != name) ++at;
      return std::get<double>(row[at]);
    };
    for (const auto& row : jobs->rows) {
      const double hosts = column(*jobs, row, "hosts"), limit = column(*jobs, row, "limit_s");
      if (hosts > 8.0) {
        QVERIFY(std::isnan(column(*jobs, row, "rho")));
        continue;
      }
      const double run = column(*jobs, row, "run_s");
      all.push_back({column(*jobs, row, "arrival_s"), column(*jobs, row, "completion_s"),
                     std::isnan(limit) ? run : std::min(run, limit), column(*jobs, row, "rho"),
                     column(*jobs, row, "rho_contended")});
    }
    std::size_t crowded = 0, unknown = 0;
    for (const Job& one : all) {
      if (std::isnan(one.done) || !(one.exclusive > 0.0)) {
        QVERIFY(std::isnan(one.rho) && std::isnan(one.contended));
        ++unknown;
        continue;
      }
      const double jct = one.done - one.came;
      double there = 0.0;
      for (const Job& other : all) {
        const double until = std::isnan(other.done) ? one.done : std::min(one.done, other.done);
        there += std::max(0.0, until - std::max(one.came, other.came)) / jct;
      }
      crowded += there > 8.0 ? 1 : 0;
      compare_close(one.rho, jct / (one.exclusive * std::max(1.0, static_cast<double>(all.size()) / 8.0)), "rho");
      QVERIFY(std::fabs(one.contended / (jct / (one.exclusive * std::max(1.0, there / 8.0))) - 1.0) < 1e-9);
    }
    QVERIFY(crowded > 10 && unknown > 0 && unknown < all.size() / 2);
  }

  /// Tables of a provisioner against its decisions, summed here.
  void a_provisioner_tells_what_it_was_asked_and_what_it_cost() {
    DrawnPool drawn("300000 s", {{"hosts", "20"}, {"policy", "slurm"}});
    drawn.stream("users", traced_by("jobs.swf"));
    drawn.file("jobs.swf", pool_workload(1500));
    Value service = short_service("quantile");
    service["decide_every"] = "7 min", service["interruption_weight"] = "3", service["overlap_weight"] = "0.25";
    drawn.provisioner(service);
    drawn.mean_of("interruption", "service.interruption");
    const ResultSet out = drawn.run(12);
    const auto repeats = [](const ResultSet& of) {
      return std::any_of(of.diagnostics.begin(), of.diagnostics.end(),
                         [](const Diagnostic& one) { return one.code == "RUN049"; });
    };
    QVERIFY(!repeats(out) && repeats(drawn.run(13)));
    const auto table = [&](const std::string& name) -> const ResultTable& {
      const auto at = std::find_if(out.tables.begin(), out.tables.end(), [&](const auto& t) { return t.name == name; });
      if (at == out.tables.end()) throw std::runtime_error("no table " + name);
      return *at;
    };
    const auto number = [](const ResultTable::Cell& cell) { return std::get<double>(cell); };
    // sample, link -> the time before the end at which it was submitted, of the decisions.
    std::map<std::pair<double, double>, double> submitted_h;
    double cost_h = 0.0, reactive_h = 0.0, jobs = 0.0;
    std::array<double, 3> of_class{};
    for (const auto& row : table("decisions").rows) {
      submitted_h[{number(row[0]), number(row[9])}] = number(row[10]) / 3600.0;
      cost_h += (3.0 * number(row[12]) + 0.25 * number(row[13])) / 3600.0, ++jobs;
      reactive_h += number(row[7]) / 3600.0;
      ++of_class[number(row[7]) <= 7200.0 ? 0 : number(row[7]) <= 43200.0 ? 1 : 2];
    }
    QCOMPARE(jobs, 24.0);
    const auto& sums = table("provisioning").rows.at(0);
    compare_close(number(sums[9]), cost_h / jobs, "weighed");
    compare_close(number(sums[10]), 3.0 * reactive_h / jobs, "weighed when reactive");
    for (std::size_t load = 0; load < 3; ++load)
      QCOMPARE(number(table("load_classes").rows.at(load)[2]), of_class[load]);
    QVERIFY(of_class[0] > 0.0);

    std::map<std::pair<double, double>, double> before_h;
    std::size_t yes = 0, no = 0;
    for (const auto& row : table("questions").rows) {
      const std::pair link(number(row[0]), number(row[1]));
      const double left_h = number(row[3]), quantile_h = number(row[7]);
      QVERIFY(number(row[6]) <= 20.0 && number(row[5]) >= number(row[4]));
      // Every seven minutes from the start on, until it is submitted.
      const double last_h = before_h.contains(link) ? before_h[link] : 5.0;
      QVERIFY2(std::fabs(last_h - left_h - 7.0 / 60.0) < 1e-9, number_text(left_h).c_str());
      before_h[link] = left_h;
      const bool submit = std::get<std::string>(row[8]) == "yes";
      QCOMPARE(submit, left_h <= quantile_h);
      (submit ? yes : no)++;
      if (submit) QVERIFY(std::fabs(submitted_h.at(link) - left_h) < 1e-9);
      else QVERIFY(submitted_h.at(link) < left_h);
    }
    QVERIFY(yes > 5 && no > 100);
    QCOMPARE(before_h.size(), submitted_h.size());
  }

  // Nobody else: the successor starts when it is submitted, and the mean wait is nought.
  void an_empty_trace_interrupts_nothing() {
    const Background nobody;
    ChainRules rules;
    for (const auto kind : {Provisioner::Kind::reactive, Provisioner::Kind::average}) {
      const ChainLink link = simulate_chain(nobody, 0, rules, {.kind = kind}).front();
      QCOMPARE(link.interruption_s(), -60 * link.mean_wait_min);
      QCOMPARE(link.interruption_s(), std::int64_t{0});
    }
    rules.jobs = 5;
    QCOMPARE(simulate_chain(nobody, 600, rules, Provisioner::quantile(0.99)).size(), std::size_t{4});
  }

  // A week of waiting is worth the weight of the age: the old job of one host passes the new one of all.
  void priorities_grow_with_age_as_stated() {
    MinuteRules rules;
    rules.hosts = 10;
    MinuteCluster cluster(rules, 0);
    cluster.submit(0, {.submit_s = 0, .run_s = 8 * 86400.0, .limit_s = 8 * 86400.0, .hosts = 10});
    cluster.minute();
    cluster.submit(1, {.submit_s = 60, .run_s = 60, .limit_s = 60, .hosts = 1});
    for (int i = 0; i < 7 * 1440; ++i) cluster.minute();
    QCOMPARE(cluster.queue().size(), std::size_t{1});
    const double seen = cluster.queue()[0].priority;
    QVERIFY2(std::fabs(seen - (100.0 / 10 + 7000.0)) < 1e-6, number_text(seen).c_str());
  }

  void saved_moments_go_on_as_they_would_have() {
    for (const char* policy : policies) {
      DrawnPool drawn("1000 s", {{"hosts", "4"}, {"policy", policy}});
      drawn.stream("users", {{"rate", "1.2 /s"},
                             {"size", "exponential(mean = 1.5 s)"},
                             {"hosts", "uniform(low = 0, high = 3)"},
                             {"limit", "exponential(mean = 4 s)"}});
      compare_saved_moment(drawn.m.document());
    }
    DrawnPool drawn("1000 s", {{"hosts", "300"},
                               {"policy", "slurm"},
                               {"failure", "exponential(mean = 20000 s)"},
                               {"repair", "exponential(mean = 90 s)"}});
    drawn.stream("users", {{"rate", "3 /s"},
                           {"size", "exponential(mean = 40 s)"},
                           {"hosts", "uniform(low = 0, high = 3)"},
                           {"limit", "exponential(mean = 200 s)"}});
    compare_saved_moment(drawn.m.document());
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("pool");
    QTest::addColumn<QString>("stream");
    QTest::addColumn<QString>("service");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* pool, const char* stream, const char* service,
                        const char* codes) {
      QTest::newRow(name) << QString(pool) << QString(stream) << QString(service) << QString(codes);
    };
    const char* const jobs = R"({"trace": "jobs.swf"})";
    add("sound", R"({"policy": "slurm"})", jobs, R"({"limit": "60 min"})", "");
    add("hosts", R"({"hosts": "2.5"})", jobs, "", "BAT002");
    add("no hosts", R"({"hosts": "0"})", jobs, "", "BAT002");
    add("policy", R"({"policy": "lottery"})", jobs, "", "DOC002");
    add("no trace", "{}", R"({"trace": "none.swf"})", "", "BAT004");
    add("elsewhere", "{}", R"({"trace": "/etc/passwd"})", "", "BAT004");
    add("bad rows", "{}", R"({"trace": "bad.swf"})", "", "BAT004 BAT004");
    add("no limit", R"({"policy": "easy"})", R"({"size": "1 s"})", "", "BAT005");
    add("no limit needed", R"({"policy": "fifo"})", R"({"size": "1 s"})", "", "");
    add("no limit for an unknown policy", R"({"policy": "eazy"})", R"({"size": "1 s"})", "", "DOC002");
    add("no limit in a row", R"({"policy": "conservative"})", R"({"trace": "nolimit.swf"})", "", "BAT005");
    add("drawn by minutes", R"({"policy": "slurm"})", R"({"limit": "1 s"})", "", "");
    add("no limit by minutes", R"({"policy": "slurm"})", R"({"size": "1 s"})", "", "BAT005");
    add("drawn for a service", R"({"policy": "slurm"})", R"({"limit": "1 s"})", "{}", "BAT007");
    add("service on hosts that fail", R"j({"policy": "slurm", "failure": "90 h"})j", jobs, "{}", "BAT012");
    add("price", R"({"policy": "fifo", "price": "-1 USD/h"})", jobs, "", "BAT002");
    add("endless price", R"({"policy": "fifo", "price": "1e13 USD/h"})", jobs, "", "BAT002");
    add("unit of a price", R"({"policy": "fifo", "price": "1 W"})", jobs, "", "EXP004");
    add("busy power", R"({"policy": "fifo", "busy_power": "-400 W"})", jobs, "", "BAT002");
    add("idle power", R"({"policy": "fifo", "idle_power": "-50 W"})", jobs, "", "BAT002");
    add("unit of power", R"({"policy": "fifo", "idle_power": "50 h"})", jobs, "", "EXP004");
    add("two powers", R"({"policy": "fifo", "busy_power": "-1 W", "idle_power": "-1 W"})", jobs, "", "BAT002 BAT002");
    add("free and cold", R"({"policy": "fifo", "price": "0 USD/h", "busy_power": "0 W"})", jobs, "", "");
    add("service elsewhere", R"({"policy": "easy"})", jobs, "{}", "BAT007");
    add("wide", R"({"hosts": "1"})", jobs, "", "BAT008");
    add("wide service", R"({"policy": "slurm"})", jobs, R"({"hosts": "89"})", "BAT002");
    add("seconds", R"({"policy": "slurm"})", jobs, R"({"limit": "90 s"})", "BAT002");
    add("rate", R"({"policy": "fifo"})", R"({"rate": "0 /s"})", "", "BAT002");
    add("size", R"({"policy": "fifo"})", R"({"size": "-1 s"})", "", "BAT002");
    add("chain", R"({"policy": "slurm"})", jobs, R"({"chain_jobs": "1"})", "BAT002");
    add("level", R"({"policy": "slurm"})", jobs, R"({"policy": "quantile", "level": "1.5"})", "BAT002");
    add("weight", R"({"policy": "slurm", "age_weight": "-1"})", jobs, "", "BAT002");
    add("name", R"({"policy": "fifo"})", R"({"name": "two words"})", "", "BAT001");
    add("nobody", R"({"policy": "fifo"})", "", "", "BAT009");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, pool);
    QFETCH(QString, stream);
    QFETCH(QString, service);
    QFETCH(QString, codes);
    DrawnPool drawn("1000 s", Value::parse(pool.toStdString()));
    drawn.file("jobs.swf", pool_workload(20));
    drawn.file("bad.swf", pool_workload(2) + "3 1 2\n4 -1 0 1 1 -1 -1 1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
    drawn.file("nolimit.swf", "1 0 0 5 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
    if (!stream.isEmpty()) {
      Value given = Value::parse(stream.toStdString());
      const std::string name = given.value("name", "users");
      drawn.stream(name, given);
    }
    if (!service.isEmpty()) drawn.provisioner(Value::parse(service.toStdString()));
    drawn.m.measure("present", "time_average", "pool.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }

  void jobs_that_go_to_several_places_are_refused() {
    DrawnPool drawn("1000 s", {{"policy", "fifo"}});
    const ElementId users = drawn.stream("users", Value::object());
    const ElementId cloud = drawn.m.node(drawn.diagram, {}, "rental", {{"name", "cloud"}});
    const ElementId others = drawn.m.node(drawn.diagram, {}, "job_stream", {{"name", "others"}});
    drawn.m.edge(drawn.diagram, "job_flow", others, cloud);
    drawn.m.measure("present", "time_average", "pool.jobs + others.gpus");
    QVERIFY2(drawn.found().empty(), listed(drawn.found()).c_str());
    drawn.m.edge(drawn.diagram, "job_flow", users, cloud);
    QCOMPARE(codes(drawn.found()), std::string("BAT003"));
  }

  // Of jobs of one to eight hosts each, by whole numbers, half fit on four. Oracle: what was counted.
  void jobs_that_want_more_hosts_than_there_are_are_told() {
    DrawnPool drawn("20000 s", {{"hosts", "4"}, {"policy", "fifo"}});
    drawn.stream("users", {{"rate", "0.01 /s"}, {"size", "10 s"}, {"hosts", "uniform(low = 0, high = 8)"}});
    drawn.mean_of("wait", "pool.wait");
    drawn.m.measure("come", "final_value", "pool.submitted"),
        drawn.m.measure("refused", "final_value", "pool.rejected");
    const ResultSet r = drawn.run(10);
    const Diagnostic* told = find_code(r.diagnostics, "RUN044");
    QVERIFY(told != nullptr);
    const double come = estimate(r, "come"), refused = estimate(r, "refused");
    QVERIFY(std::fabs(refused / come - 0.5) < 4.0 * std::sqrt(0.25 / (10.0 * come)));
    const std::string words = "Of " + number_text(come, 3) + " jobs at \"pool\" that come in a mission " +
                              number_text(refused, 3) + " want more hosts";
    QVERIFY2(told->message.find(words) != std::string::npos, told->message.c_str());
    QVERIFY(find_code(r.diagnostics, "RUN043") == nullptr);
  }

  // Twice what four hosts can do: half of the jobs wait at the end, whatever the mission. Half of it: nobody is told.
  void jobs_that_pile_up_are_told() {
    for (const bool too_small : {false, true}) {
      DrawnPool drawn("100000 s", {{"hosts", "4"}, {"policy", "fifo"}});
      drawn.stream("users", {{"rate", too_small ? "0.8 /s" : "0.2 /s"}, {"size", "10 s"}});
      drawn.mean_of("wait", "pool.wait");
      drawn.m.measure("left", "final_value", "pool.waiting / pool.submitted");
      const ResultSet r = drawn.run(2);
      QCOMPARE(find_code(r.diagnostics, "RUN043") != nullptr, too_small);
      QVERIFY(std::fabs(estimate(r, "left") - (too_small ? 0.5 : 0.0)) < 0.01);
      QVERIFY(find_code(r.diagnostics, "RUN044") == nullptr);
    }
  }
};

QTEST_GUILESS_MAIN(TestBatchPools)
#include "tst_batch_pools.moc"
