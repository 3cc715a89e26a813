// Clusters of GPUs as drawn: what is refused, that a history plays the schedule, and what traces and measured speeds
// say.
#include <QtTest>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "core/des/lowering.h"
#include "plain_gang.h"
#include "solvers/cluster/batch/batch_scheduler.h"
#include "solvers/cluster/budget/speedup_fit.h"
#include "solvers/cluster/gang/gang_simulation.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/traces/gang_trace.h"
#include "solvers/cluster/traces/job_trace.h"
#include "solvers/model/analysis_model.h"
#include "tests/conformance/traces.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string cluster_problem(const Diagnostics& found, const std::string& code) {
  for (const Diagnostic& one : found)
    if (one.code == code) return one.pointer + ": " + one.message;
  return "no " + code;
}

const std::string small_trace =
    "job_id,user,submit_time,num_gpu,duration\n"
    "a,ann,0,2,100\nb,bob,10,4,50\nc,ann,20,1,30\nd,bob,30,2,10\ne,cat,500,8,5\n";

std::vector<std::string> problems_of_table(const std::string& text) {
  auto made = read_gang_trace(text, "t.csv", 10);
  if (const auto* why = std::get_if<std::string>(&made)) return {*why};
  return std::get<GangTrace>(made).problems;
}

}  // namespace

class TestGpuCluster : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(gang_lowering); }
  void a_history_plays_the_schedule_of_its_trace();
  void a_fast_cluster_does_more_in_a_time();
  void drawn_jobs_have_the_closed_form_of_one_server();
  void tables_of_drawn_jobs_are_those_of_the_plain_program();
  void neighbours_are_one_stretch();
  void jobs_of_several_streams_have_names_of_their_own();
  void wrong_values_are_refused();
  void rows_of_tables_are_told();
  void jobs_of_philly_are_read();
  void moments_have_offsets();
  void published_traces_are_read();
  void jobs_of_hosts_are_jobs_of_gpus();
  void a_published_account_of_slurm_is_scheduled();
  void jobs_of_gavel_take_their_steps_over_their_throughput();
  void jobs_without_a_throughput_may_be_left_out();
  void a_fit_finds_the_parameter_that_made_the_speeds();
  void published_run_times_are_sizes();
  void measured_speeds_are_those_of_the_profile();
};

/// Twice the speed and twice the work are the same history; four times the speed of the same jobs is another.
void TestGpuCluster::a_fast_cluster_does_more_in_a_time() {
  const auto mean = [](const char* speed, const char* size, const char* policy) {
    DrawnCluster drawn("100000 s", {{"gpus", "8"}, {"policy", policy}, {"speed", speed}});
    drawn.stream("users", {{"rate", "0.002 /s"}, {"size", size}, {"gpus", "2"}});
    drawn.mean_of("response", "grid.response_time");
    return estimate(drawn.run(2), "response");
  };
  for (const char* policy : {"fifo", "srtf", "equi", "las"}) {
    const double plain = mean("1", "exponential(mean = 1000 s)", policy);
    // Thresholds of las are seconds of GPUs, whatever their speed.
    if (std::string(policy) != "las") QCOMPARE(mean("2", "exponential(mean = 2000 s)", policy), plain);
    QVERIFY(mean("4", "exponential(mean = 1000 s)", policy) < 0.5 * plain);
  }
}

void TestGpuCluster::a_history_plays_the_schedule_of_its_trace() {
  for (const char* policy : {"fifo", "backfill", "sjf", "srtf", "las", "equi", "drf"}) {
    DrawnCluster c("1e6 s", {{"gpus", "4"},
                             {"gpus_per_host", "2"},
                             {"policy", policy},
                             {"restart", "3 s"},
                             {"thresholds", "[40, 100]"},
                             {"price", "3600 USD/h"},
                             {"busy_power", "100 W"}});
    c.file("t.csv", small_trace);
    c.stream("users", {{"trace", "t.csv"}, {"speedup", "power"}, {"exponent", "0.5"}});
    c.mean_of("jct", "grid.response_time"), c.mean_of("wait", "grid.wait"), c.mean_of("cost", "grid.cost", "USD");
    c.mean_of("slowdown", "grid.slowdown", "");
    c.m.measure("done", "final_value", "grid.done"), c.m.measure("rejected", "final_value", "grid.rejected");
    c.m.measure("preemptions", "final_value", "grid.preemptions");
    c.m.measure("makespan", "final_value", "grid.makespan", {{"unit", "s"}});
    c.m.measure("busy", "time_average", "grid.gpus");
    const ResultSet results = c.run(1);
    const auto value = [&](const char* id) { return results.measure(id)->estimate; };
    const ResultTable *schedule = nullptr, *jobs = nullptr;
    for (const ResultTable& table : results.tables) {
      if (table.name == "schedule") schedule = &table;
      if (table.name == "jobs") jobs = &table;
    }
    QVERIFY(schedule != nullptr && jobs != nullptr);
    const auto number = [&](const char* column) {
      for (std::size_t i = 0; i < schedule->columns.size(); ++i)
        if (schedule->columns[i].label == column) return std::get<double>(schedule->rows[0][i]);
      return -1.0;
    };
    const bool all = std::string(policy) == "equi";  // any part of the GPUs is enough
    QCOMPARE(value("done"), all ? 5.0 : 4.0);
    QCOMPARE(value("rejected"), all ? 0.0 : 1.0);
    QVERIFY(std::fabs(value("jct") - number("mean_jct_s")) < 1e-9);
    QVERIFY(std::fabs(value("wait") - number("mean_queueing_s")) < 1e-9);
    QVERIFY(std::fabs(value("slowdown") - number("mean_slowdown")) < 1e-9);
    QCOMPARE(value("preemptions"), number("preemptions"));
    QCOMPARE(value("makespan"), number("makespan_s"));
    QVERIFY(std::fabs(value("cost") * value("done") - number("cost_usd")) < 1e-6);
    for (std::size_t i = 0; i < jobs->columns.size(); ++i)
      if (jobs->columns[i].label == "state")
        QCOMPARE(std::get<std::string>(jobs->rows[4][i]), std::string(all ? "completed" : "rejected"));
    QCOMPARE(jobs->columns.back().label, std::string("rho_contended"));
    if (std::string(policy) == "fifo") {
      // By hand: a 0-100 on 2 of 4; b needs 4 and waits until 100; c and d behind it: 150-180, 150-160.
      QCOMPARE(std::get<double>(jobs->rows[1][5]), 100.0);
      QCOMPARE(std::get<double>(jobs->rows[2][6]), 180.0);
      // rho of b: 150 s for the 50 of its work, with five jobs on four GPUs; who is rejected counts for nobody.
      QCOMPARE(std::get<double>(jobs->rows[1][jobs->columns.size() - 2]),
               (150.0 - std::get<double>(jobs->rows[1][2])) / 50.0);
      QVERIFY(std::fabs(value("busy") * 1e6 - (2 * 100.0 + 4 * 50 + 30 + 2 * 10)) < 1e-6);
    }
    if (std::string(policy) == "backfill") QCOMPARE(std::get<double>(jobs->rows[2][5]), 20.0);
  }
}

void TestGpuCluster::drawn_jobs_have_the_closed_form_of_one_server() {
  // M/M/1: whoever does not look at sizes has 1 / (mu - lambda).
  for (const char* policy : {"fifo", "las", "equi"}) {
    DrawnCluster c("400000 s", {{"gpus", "1"}, {"gpus_per_host", "1"}, {"policy", policy}, {"thresholds", "[1, 3]"}});
    c.stream("users",
             {{"rate", "0.5 /s"}, {"size", "exponential(mean = 1 s)"}, {"speedup", "power"}, {"exponent", "0"}});
    c.mean_of("jct", "grid.response_time");
    const ResultSet results = c.run(8);
    QVERIFY2(std::fabs(results.measure("jct")->estimate - 2.0) < 0.03, policy);
  }
}

// What the first history tells of its jobs goes into the plain program, and must come out of it; costs and energy are
// those of means over time.
void TestGpuCluster::tables_of_drawn_jobs_are_those_of_the_plain_program() {
  constexpr double horizon = 2000.0;
  for (const char* policy : {"fifo", "backfill", "sjf", "srtf", "las", "equi", "drf"}) {
    const bool even = std::string(policy) == "equi";
    DrawnCluster c("2000 s", {{"gpus", "11"},
                              {"gpus_per_host", "4"},
                              {"policy", policy},
                              {"consolidated", "true"},
                              {"restart", "3 s"},
                              {"thresholds", "[40, 100]"},
                              {"price", "36 USD/h"},
                              {"budget", "72 USD/h"},
                              {"busy_power", "300 W"},
                              {"idle_power", "50 W"}});
    c.stream("short",
             {{"rate", "0.05 /s"}, {"size", "exponential(mean = 60 s)"}, {"gpus", "uniform(low = 0, high = 6)"}});
    c.stream("wide", {{"interarrival", "gamma(shape = 4, scale = 12.5 s)"}, {"size", "200 s"}, {"gpus", "8"}});
    c.m.measure("busy", "time_average", "grid.gpus"),
        c.m.measure("power", "time_average", "grid.power", {{"unit", "W"}});
    const ResultSet results = c.run(1);
    std::map<std::string, const ResultTable*> tables;
    for (const ResultTable& table : results.tables) tables[table.name] = &table;
    QCOMPARE(tables.count("jobs") + tables.count("schedule") + tables.count("spend"), std::size_t{3});
    QCOMPARE(tables.count("gantt"), even ? std::size_t{0} : std::size_t{1});
    const ResultTable& jobs = *tables["jobs"];
    const auto arrival = column_of(jobs, "arrival_s"), gpus = column_of(jobs, "gpus"), work = column_of(jobs, "work_s"),
               start = column_of(jobs, "start_s"), end = column_of(jobs, "completion_s"),
               queueing = column_of(jobs, "queueing_s"), held = column_of(jobs, "gpu_time_s"),
               stops = column_of(jobs, "preemptions");
    QVERIFY(arrival.size() > 100);
    std::size_t done = 0;
    if (!even) {
      std::vector<PlainGang::Job> plain;
      for (std::size_t i = 0; i < arrival.size(); ++i)
        plain.push_back({arrival[i], work[i], static_cast<int>(gpus[i]), 0.0, 0.0,
                         std::get<std::string>(jobs.rows[i][1]) == "short" ? 0 : 1});
      PlainGang::Rules rules;
      const std::vector<std::string> names = {"fifo", "backfill", "sjf", "srtf", "las", "equi", "drf"};
      rules.policy = static_cast<PlainGang::Policy>(std::find(names.begin(), names.end(), policy) - names.begin());
      rules.gpus = 11, rules.per_host = 4, rules.together = true, rules.restart = 3.0, rules.thresholds = {40, 100};
      const auto wanted = PlainGang(plain, rules).run();
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (std::isnan(end[i])) {
          QVERIFY2(wanted[i].end > horizon, policy);
          continue;
        }
        ++done;
        QVERIFY2(std::fabs(end[i] - wanted[i].end) < 1e-6 && std::fabs(start[i] - wanted[i].start) < 1e-6, policy);
        QVERIFY(std::fabs(held[i] - wanted[i].gpu_time) < 1e-6 && stops[i] == wanted[i].stops);
        QVERIFY(std::fabs(queueing[i] - (end[i] - arrival[i] - held[i] / gpus[i])) < 1e-6);
      }
      // All stretches together are all GPU time until the last event.
      const auto from = column_of(*tables["gantt"], "from_s"), to = column_of(*tables["gantt"], "to_s"),
                 on = column_of(*tables["gantt"], "gpus");
      double stretches = 0.0;
      for (std::size_t i = 0; i < from.size(); ++i) stretches += on[i] * (to[i] - from[i]);
      const double last = 3600.0 * column_of(*tables["spend"], "time").back();
      const double after = column_of(*tables["spend"], "busy").back() * (horizon - last);
      QVERIFY(std::fabs(stretches + after - results.measure("busy")->estimate * horizon) < 1e-6);
    } else {
      done = static_cast<std::size_t>(std::count_if(end.begin(), end.end(), [](double e) { return !std::isnan(e); }));
    }
    QCOMPARE(column_of(*tables["schedule"], "jobs")[0], static_cast<double>(done));
    QVERIFY(done > 50);
    const ResultTable& spend = *tables["spend"];
    const auto last_of = [&](const char* label) { return column_of(spend, label).back(); };
    const double rest = horizon - 3600.0 * last_of("time");
    const double joules = 3.6e6 * last_of("energy_so_far") + last_of("power") * rest;
    QVERIFY(std::fabs(joules - results.measure("power")->estimate * horizon) < 1e-6 * joules);
    const double cost = last_of("cost_so_far") + last_of("busy") * rest * 0.01;
    QVERIFY(std::fabs(cost - results.measure("busy")->estimate * horizon * 0.01) < 1e-6 * cost);
    QVERIFY(std::fabs(last_of("budget_so_far") - 72.0 * last_of("time")) < 1e-9);
  }
}

// Hosts that are neighbours are one row: by hand, six GPUs on three hosts of two, then one of a host and two of
// another.
void TestGpuCluster::neighbours_are_one_stretch() {
  DrawnCluster c("1e6 s", {{"gpus", "8"}, {"gpus_per_host", "2"}, {"policy", "fifo"}});
  c.file("t.csv", "job_id,user,submit_time,num_gpu,duration\na,u,0,1,100\nb,u,1,6,10\nc,u,2,8,5\n");
  c.stream("users", {{"trace", "t.csv"}});
  const ResultSet results = c.run(1);
  const ResultTable* gantt = nullptr;
  for (const ResultTable& table : results.tables)
    if (table.name == "gantt") gantt = &table;
  QVERIFY(gantt != nullptr);
  const auto host = column_of(*gantt, "host"), last = column_of(*gantt, "last_host"), gpus = column_of(*gantt, "gpus"),
             from = column_of(*gantt, "from_s");
  std::map<std::string, double> held;
  std::map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::string job = std::get<std::string>(gantt->rows[i][1]);
    held[job] += gpus[i], ++rows[job];
    QVERIFY(last[i] >= host[i] && gpus[i] <= 2.0 * (last[i] - host[i] + 1.0));
    if (job == "c") QVERIFY(host[i] == 0.0 && last[i] == 3.0 && gpus[i] == 8.0 && from[i] == 100.0);
  }
  QVERIFY(held["a"] == 1.0 && held["b"] == 6.0 && held["c"] == 8.0);
  QVERIFY(rows["a"] == 1 && rows["b"] <= 2 && rows["c"] == 1);
}

// Two streams count their jobs from 0 each: a stretch says whose it is all the same.
void TestGpuCluster::jobs_of_several_streams_have_names_of_their_own() {
  DrawnCluster c("20000 s", {{"gpus", "16"}, {"gpus_per_host", "4"}, {"policy", "srtf"}});
  for (const char* name : {"day", "night"})
    c.stream(name, {{"rate", "0.004 /s"}, {"size", "exponential(mean = 300 s)"}, {"gpus", "3"}});
  const ResultSet results = c.run(1);
  const ResultTable *gantt = nullptr, *jobs = nullptr;
  for (const ResultTable& table : results.tables) {
    if (table.name == "gantt") gantt = &table;
    if (table.name == "jobs") jobs = &table;
  }
  QVERIFY(gantt != nullptr && jobs != nullptr && jobs->rows.size() > 100);
  std::map<std::string, double> held;
  const auto from = column_of(*gantt, "from_s"), to = column_of(*gantt, "to_s"), gpus = column_of(*gantt, "gpus");
  for (std::size_t i = 0; i < from.size(); ++i)
    held[std::get<std::string>(gantt->rows[i][1])] += gpus[i] * (to[i] - from[i]);
  const auto time = column_of(*jobs, "gpu_time_s");
  std::set<std::string> names, streams;
  const auto of_stream = static_cast<std::size_t>(
      std::find_if(jobs->columns.begin(), jobs->columns.end(), [](const auto& one) { return one.label == "stream"; }) -
      jobs->columns.begin());
  for (std::size_t i = 0; i < time.size(); ++i) {
    const auto& row = jobs->rows[i];
    const std::string name = std::get<std::string>(row.front()), stream = std::get<std::string>(row[of_stream]);
    QVERIFY2(names.insert(name).second && name.starts_with(stream + "/"), name.c_str());
    streams.insert(stream);
    if (std::isfinite(time[i])) QVERIFY(std::fabs(held[name] - time[i]) < 1e-6);
  }
  QCOMPARE(streams.size(), std::size_t{2});
}

void TestGpuCluster::wrong_values_are_refused() {
  const auto cluster = [](Value properties, const std::string& code) {
    DrawnCluster c("1 h", std::move(properties));
    c.stream("users", Value::object());
    return cluster_problem(c.found(), code);
  };
  QCOMPARE(cluster({{"gpus", "0"}}, "GNG002"),
           std::string("gpus: The value is 0; wanted a whole number from 1 to 1000000."));
  QCOMPARE(cluster({{"thresholds", "[5, 4]"}, {"policy", "las"}}, "GNG002"),
           std::string("thresholds: Number 2 is 4; wanted numbers above 0 that rise."));
  QVERIFY(cluster({{"restart", "-1 s"}}, "GNG002").starts_with("restart: The value is -1 s; wanted a number from 0 s"));
  QVERIFY(cluster({{"weights", "[0]"}, {"policy", "drf"}}, "GNG002").starts_with("weights: Number 1 is 0"));
  QVERIFY(cluster({{"busy_power", "-3 W"}}, "GNG002").starts_with("busy_power: The value is -3 W"));
  QVERIFY(cluster({{"idle_power", "-60 W"}}, "GNG002").starts_with("idle_power: The value is -60 W; wanted a number"));
  QVERIFY(
      cluster({{"price", "-2 USD/h"}}, "GNG002").starts_with("price: The value is -2 USD/h; wanted a number from 0"));
  QVERIFY(cluster({{"budget", "-5 USD/h"}}, "GNG002").starts_with("budget: The value is -5 USD/h; wanted a number"));
  QVERIFY(cluster({{"price", "2 W"}}, "EXP004") != "no EXP004");
  QVERIFY(cluster({{"busy_power", "2 USD/h"}}, "EXP004") != "no EXP004");
  QCOMPARE(cluster({{"price", "0 USD/h"}, {"budget", "0 USD/h"}, {"idle_power", "0 W"}}, "GNG002"),
           std::string("no GNG002"));
  QVERIFY(cluster({{"policy", "best"}}, "DOC002") != "no DOC002");
  DrawnCluster named("1 h");
  named.stream("grid", Value::object());
  QVERIFY(cluster_problem(named.found(), "GNG001").starts_with("name: \"grid\" is also the name of a"));
  DrawnCluster twice("1 h");
  const ElementId users = twice.stream("users", Value::object());
  const ElementId other = twice.m.node(twice.diagram, {}, "gpu_cluster", {{"name", "other"}});
  twice.m.edge(twice.diagram, "job_flow", users, other);
  QVERIFY(cluster_problem(twice.found(), "GNG003") != "no GNG003");
  QVERIFY(cluster_problem(twice.found(), "GNG008") != "no GNG008");
  DrawnCluster back("1 h");
  back.stream("users", Value::object());
  back.m.edge(back.diagram, "job_flow", back.hosts, back.hosts);
  QVERIFY(cluster_problem(back.found(), "GNG006") != "no GNG006");
  DrawnCluster traced("1 h", {{"gpus", "4"}});
  traced.file("t.csv", small_trace);
  traced.stream("users", {{"trace", "t.csv"}});
  QVERIFY(cluster_problem(traced.found(), "GNG007").find("1 jobs of \"users\" do not fit") != std::string::npos);
  DrawnCluster lost("1 h");
  lost.stream("users", {{"trace", "none.csv"}});
  QVERIFY(cluster_problem(lost.found(), "GNG004") != "no GNG004");
  DrawnCluster steep("1 h");
  steep.stream("users", {{"speedup", "power"}, {"exponent", "2"}});
  QVERIFY(cluster_problem(steep.found(), "GNG005").find("wanted 0 to 1") != std::string::npos);
}

void TestGpuCluster::rows_of_tables_are_told() {
  const std::string head = "job_id,submit_time,num_gpu,duration\n";
  const auto first = [&](const std::string& rows) {
    const auto all = problems_of_table(head + rows);
    return all.empty() ? std::string() : all[0];
  };
  QCOMPARE(first("a,0,1,5\n"), std::string());
  QCOMPARE(first("a,0,-1,5\n"), std::string("t.csv, row 2: num_gpu is '-1', wanted a whole number from 0 to 1e6"));
  QCOMPARE(first("a,0,1.5,5\n"), std::string("t.csv, row 2: num_gpu is '1.5', wanted a whole number from 0 to 1e6"));
  QCOMPARE(first("a,0,1,-5\n"), std::string("t.csv, row 2: duration is '-5', wanted a number from 0"));
  QCOMPARE(
      first("a,-1,1,5\n"),
      std::string("t.csv, row 2: submit_time is '-1', wanted seconds from 0, or a time as in 2020-04-01 10:00:00"));
  QCOMPARE(first("a,0,1,5\na,1,1,5\n"), std::string("t.csv, row 3: job 'a' is in row 2 too, wanted each job once"));
  QCOMPARE(first("a,9,1,5\nb,8,1,5\n"),
           std::string("t.csv, row 3: job 'b' came at 8, before the one above; wanted arrivals that do not fall"));
  QCOMPARE(first("a,0,1\n"), std::string("t.csv, row 2: 3 cells, wanted 4 as in the header"));
  QCOMPARE(first(",0,1,5\n"), std::string("t.csv, row 2: job_id is '', wanted an identifier"));
  QVERIFY(problems_of_table("job_id,num_gpu,duration\na,1,5\n")[0].starts_with("t.csv has no column 'submit_time'"));
  QCOMPARE(problems_of_table("")[0], std::string("t.csv is empty, wanted a header and rows of jobs"));
  std::string many = head;
  for (int i = 0; i < 30; ++i) many += "j" + std::to_string(i) + ",0,x,1\n";
  const auto made = std::get<GangTrace>(read_gang_trace(many, "t.csv", 10));
  QCOMPARE(made.problems.size(), std::size_t{10});
  QCOMPARE(made.untold, std::size_t{20});
  // As Helios and Acme have them: moments, CPU jobs, durations from start and end.
  const auto helios = std::get<GangTrace>(
      read_gang_trace("job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,queue\n"
                      "1,u1,v,8,64,1,COMPLETED,2020-04-01 00:00:10,2020-04-01 00:00:20,2020-04-01 00:01:20,10\n"
                      "2,u2,v,0,4,1,COMPLETED,2020-04-01 00:00:11,2020-04-01 00:00:20,2020-04-01 00:01:20,9\n"
                      "3,u1,v,2,16,1,FAILED,2020-04-01T00:00:12,2020-04-01T00:00:20,2020-04-01T00:00:50,8\n",
                      "h.csv", 10));
  QVERIFY(helios.problems.empty());
  QCOMPARE(helios.without_gpus, std::size_t{1});
  QCOMPARE(helios.jobs.size(), std::size_t{2});
  QCOMPARE(helios.jobs[1].arrival_s, 2.0);
  QCOMPARE(helios.jobs[0].work_s, 60.0);
  QCOMPARE(helios.jobs[0].cpus, 64.0);
  QCOMPARE(helios.users.size(), std::size_t{1});
}

void TestGpuCluster::jobs_of_philly_are_read() {
  const std::string good =
      R"([{"vc":"v1","jobid":"b","status":"Pass","submitted_time":"2017-10-09 07:01:55","attempts":[
        {"start_time":"2017-10-09 07:02:00","end_time":"2017-10-09 07:03:00","detail":[{"ip":"m1","gpus":["gpu0","gpu1"]},{"ip":"m2","gpus":["gpu0"]}]},
        {"start_time":"2017-10-09 08:00:00","end_time":"2017-10-09 08:00:30","detail":[{"ip":"m1","gpus":["gpu0","gpu1"]}]}]},
       {"vc":"v2","jobid":"a","status":"Killed","submitted_time":"2017-10-09 07:01:45","attempts":[]},
       {"vc":"v2","jobid":"c","status":"Pass","submitted_time":"2017-10-09 07:01:50","attempts":[
        {"start_time":"2017-10-09 07:02:00","end_time":"2017-10-09 07:02:05","detail":[{"ip":"m1","gpus":["gpu0"]}]}]}])";
  const auto made = std::get<GangTrace>(read_gang_trace(good, "cluster_job_log.json", 10));
  QVERIFY(made.problems.empty());
  QCOMPARE(made.jobs.size(), std::size_t{2});
  QCOMPARE(made.not_run, std::size_t{1});
  QCOMPARE(made.names[0], std::string("c"));
  QCOMPARE(made.jobs[1].gpus, 3U);
  QCOMPARE(made.jobs[1].work_s, 90.0);
  QCOMPARE(made.jobs[1].arrival_s, 5.0);
  const auto first = [](const std::string& text) {
    const auto read = read_gang_trace(text, "p.json", 10);
    if (const auto* why = std::get_if<std::string>(&read)) return *why;
    const auto& all = std::get<GangTrace>(read).problems;
    return all.empty() ? std::string() : all[0];
  };
  QVERIFY(first("{}").starts_with("p.json is no list of jobs of Philly"));
  QVERIFY(first("[{\"jobid\":\"a\"").starts_with("p.json: "));
  QVERIFY(first("[{\"jobid\":\"a\"").find("..") == std::string::npos);
  QCOMPARE(first(R"([{"jobid":"a","submitted_time":"soon","attempts":[]}])"),
           std::string("p.json, row 1: submitted_time is '\"soon\"', wanted a time"));
  QCOMPARE(first(R"([{"jobid":"a","submitted_time":5,"attempts":[{"start_time":9,"end_time":8,"detail":[]}]}])"),
           std::string("p.json, row 1: end_time is '8', wanted a time not before the start"));
  QCOMPARE(first(R"([7])"),
           std::string("p.json, row 1: no object, wanted a job with jobid, submitted_time and attempts"));
}

void TestGpuCluster::moments_have_offsets() {
  QCOMPARE(moment_of("1970-01-02 00:00:01"), 86401.0);
  QCOMPARE(moment_of("1970-01-01T08:00:00+08:00"), 0.0);
  QCOMPARE(moment_of("1970-01-01 00:00:00Z"), 0.0);
  for (const char* bad : {"1970-13-01 00:00:00", "1970-01-01 24:00:00", "1970-01-01", "1970-01-01 00:00:00+8", "x"})
    QVERIFY(std::isnan(moment_of(bad)));
}

void TestGpuCluster::published_traces_are_read() {
  const std::string folder = trace_folder();
  if (folder.empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
  const auto text = [&](const std::string& name) {
    std::ifstream in(folder + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const auto tiresias = std::get<GangTrace>(read_gang_trace(text("tiresias_60_job.csv"), "tiresias_60_job.csv", 10));
  QVERIFY(tiresias.problems.empty() && tiresias.lengths);
  QCOMPARE(tiresias.jobs.size(), std::size_t{60});
  QCOMPARE(tiresias.jobs[1].gpus, 8U);
  QCOMPARE(tiresias.jobs[1].work_s, 147.0);
  // Gavel's: with the throughputs of Shockwave's repository, which lack some of its jobs, it is refused with what is
  // missing.
  DrawnCluster gavel("1 h", {{"gpus", "64"}});
  gavel.file("g.trace", text("gavel_msr_seed0_e13805.trace"));
  gavel.file("t.csv", text("shockwave_v100_throughputs.csv"));
  gavel.stream("users", {{"trace", "g.trace"}, {"throughputs", "t.csv"}});
  const std::string told = cluster_problem(gavel.found(), "GNG004");
  QVERIFY2(told == "no GNG004" || told.find("has no row for") != std::string::npos, told.c_str());
  for (int i = 1; i <= 8; ++i) {
    const std::string name = "pollux_workload-" + std::to_string(i) + ".csv";
    const auto pollux = std::get<GangTrace>(read_gang_trace(text(name), name, 10));
    QVERIFY(pollux.problems.empty() && !pollux.lengths);
    QCOMPARE(pollux.jobs.size(), std::size_t{160});
  }
  const std::string realistic = "pollux_workload-realistic-1.csv";
  const auto users = std::get<GangTrace>(read_gang_trace(text(realistic), realistic, 10));
  QVERIFY(users.problems.empty() && !users.lengths);
  QCOMPARE(users.jobs.size(), std::size_t{160});
  for (const char* model : {"bert", "cifar10", "imagenet"}) {
    // Times of six GPUs and more: there is no speed of one to compare them with, which is told.
    const std::string wide = std::string("pollux_") + model + "_scalability.csv";
    QCOMPARE(std::get<1>(read_speeds(text(wide), wide)),
             wide + " has no row of one GPU; wanted one, because speed is told in that of one GPU.");
    const std::string name = std::string("pollux_") + model + "_placements.csv";
    const auto read = read_speeds(text(name), name);
    QVERIFY2(read.index() == 0, read.index() == 1 ? std::get<1>(read).c_str() : "");
    const auto& points = std::get<0>(read);
    QCOMPARE(points.front().speed, 1.0);
    for (const auto family : {Speedup::Family::amdahl, Speedup::Family::power, Speedup::Family::logarithmic}) {
      const SpeedupFit fit = fit_speedup(family, points);
      QVERIFY(fit.parameter >= 0.0 && fit.parameter <= 1.0 && std::isfinite(fit.rms));
    }
  }
}

void TestGpuCluster::jobs_of_gavel_take_their_steps_over_their_throughput() {
  DrawnCluster c("1e5 s", {{"gpus", "4"}});
  c.file("g.trace", "LM (batch size 5)\t-\t-\t1\t100\t7\t1\nLM (batch size 5)\t-\t-\t1\t300\t9\t2\n");
  c.file("t.csv", "model,batch_size,num_gpus,steps_per_s\nLM,5,1,2\nLM,5,2,3\n");
  c.stream("users", {{"trace", "g.trace"}, {"throughputs", "t.csv"}});
  c.mean_of("jct", "grid.response_time");
  QVERIFY(std::fabs(c.run(1).measure("jct")->estimate - (100.0 / 2.0 + 300.0 / 3.0) / 2.0) < 1e-9);
  DrawnCluster without("1 h");
  without.file("g.trace", "LM (batch size 5)\t-\t-\t1\t100\t7\t1\n");
  without.stream("users", {{"trace", "g.trace"}});
  const std::string told = cluster_problem(without.found(), "GNG004");
  QVERIFY2(told.find("says in steps how long its jobs run; wanted a table of throughputs") != std::string::npos,
           told.c_str());
  DrawnCluster lacks("1 h");
  lacks.file("g.trace", "LM (batch size 5)\t-\t-\t1\t100\t7\t1\n");
  lacks.file("t.csv", "model,batch_size,num_gpus,steps_per_s\nLM,10,1,2\n");
  lacks.stream("users", {{"trace", "g.trace"}, {"throughputs", "t.csv"}});
  const std::string row = cluster_problem(lacks.found(), "GNG004");
  QVERIFY2(row.find("t.csv has no row for LM with batch size 5 on 1 GPUs, which 1 jobs") != std::string::npos,
           row.c_str());
}

/// The same jobs by accounts of Slurm, in the standard workload format and as a table of GPUs: one schedule. Two hosts
/// of four GPUs; c ran 60 s beyond its limit of 2 min; users are told apart by drf, and d's (carl) goes before b's
/// second.
void TestGpuCluster::jobs_of_hosts_are_jobs_of_gpus() {
  const std::string sacct =
      "JobID|User|Submit|Start|End|TimelimitRaw|NNodes\n"
      "a|ann|2023-03-01T10:00:00|2023-03-01T10:00:00|2023-03-01T10:01:40|5|2\n"
      "b|ann|2023-03-01T10:00:10|2023-03-01T10:00:10|2023-03-01T10:01:00|5|1\n"
      "c|ann|2023-03-01T10:00:20|2023-03-01T10:00:20|2023-03-01T10:03:20|2|2\n"
      "d|carl|2023-03-01T10:00:30|2023-03-01T10:00:30|2023-03-01T10:01:00|5|1\n";
  const std::string swf =
      "; UnixStartTime: 0\n1 5 0 100 2 -1 -1 2 300 -1 1 7 -1 -1 -1 -1 -1 -1\n"
      "2 15 0 50 1 -1 -1 1 300 -1 1 7 -1 -1 -1 -1 -1 -1\n3 25 0 180 2 -1 -1 2 120 -1 1 7 -1 -1 -1 -1 -1 -1\n"
      "4 35 0 30 1 -1 -1 1 300 -1 1 9 -1 -1 -1 -1 -1 -1\n";
  const std::string table =
      "job_id,user,submit_time,num_gpu,duration\na,ann,0,8,100\nb,ann,10,4,50\nc,ann,20,8,120\nd,carl,30,4,30\n";
  for (const char* policy : {"fifo", "backfill", "srtf", "drf"}) {
    const auto schedule = [&](const char* file, const std::string& text, const char* each) {
      DrawnCluster c("1000 s", {{"gpus", "8"}, {"gpus_per_host", "4"}, {"policy", policy}});
      c.file(file, text);
      c.stream("users", {{"trace", file}, {"trace_gpus", each}});
      c.m.measure("done", "final_value", "grid.done");
      const ResultSet r = c.run(1);
      std::vector<double> out;
      for (const ResultTable& one : r.tables)
        if (one.name == "jobs")
          for (const char* column : {"arrival_s", "gpus", "work_s", "start_s", "completion_s"})
            for (const double value : column_of(one, column)) out.push_back(value);
      return out;
    };
    const auto wanted = schedule("t.csv", table, "");
    QCOMPARE(wanted.size(), std::size_t{20});
    QVERIFY(schedule("t.slurm", sacct, "") == wanted);
    QVERIFY(schedule("t.swf", swf, "4") == wanted);
    // Processors are GPUs where nothing else is said; a number of one's own counts for hosts, too.
    QVERIFY(schedule("t.swf", swf, "") == schedule("t.slurm", sacct, "1"));
    // carl's first comes before ann's second: only drf knows it.
    const bool apart = wanted[16 + 3] < wanted[16 + 2];
    QVERIFY(apart || std::string(policy) == "fifo");
  }
  DrawnCluster c("1000 s", {{"gpus", "8"}, {"gpus_per_host", "4"}});
  c.file("t.slurm", sacct), c.file("t.csv", table);
  c.stream("users", {{"trace", "t.slurm"}});
  c.m.measure("done", "final_value", "grid.done");
  QVERIFY(cluster_problem(c.found(), "GNG015").find("1 jobs ran beyond their time limit") != std::string::npos);
  DrawnCluster gpus("1000 s");
  gpus.file("t.csv", table);
  gpus.stream("users", {{"trace", "t.csv"}, {"trace_gpus", "8"}});
  QVERIFY(cluster_problem(gpus.found(), "GNG017").find("trace that counts GPUs") != std::string::npos);
  DrawnCluster part("1000 s");
  part.file("t.slurm", sacct);
  part.stream("users", {{"trace", "t.slurm"}, {"trace_gpus", "0.5"}});
  QVERIFY(cluster_problem(part.found(), "GNG002").find("The value is 0.5; wanted a whole number from 1") !=
          std::string::npos);
  DrawnCluster bad("1000 s");
  bad.file("t.swf", "1 5 0 -100 2 -1 -1 2 300 -1 1 7 -1 -1 -1 -1 -1 -1\n");
  bad.stream("users", {{"trace", "t.swf"}});
  QVERIFY(cluster_problem(bad.found(), "GNG004").find("row 1: the run time (column 4) is -100") != std::string::npos);
}

/// A month of an A100 cluster, by accounts and in the standard workload format: first come first served, as a pool of
/// hosts schedules it.
void TestGpuCluster::a_published_account_of_slurm_is_scheduled() {
  const std::string folder = trace_folder();
  if (folder.empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
  for (const auto& [ending, gpus] : {std::pair("csv", "704"), {"swf", "88"}}) {
    const std::string file = std::string("tacc_ls6_a100_2023-02-27_2023-03-31.") + ending;
    std::ifstream in(folder + "/" + file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const JobTrace trace = std::get<JobTrace>(read_job_trace(text, file, 5));
    const BatchSchedule wanted = simulate_batch(trace.jobs, 88, BatchPolicy::fifo);
    DrawnCluster c("1e9 s", {{"gpus", gpus}, {"gpus_per_host", "8"}});
    c.file(file, text);
    c.stream("users", {{"trace", file}});
    c.m.measure("done", "final_value", "grid.done");
    const ResultSet r = c.run(1);
    const auto jobs =
        std::find_if(r.tables.begin(), r.tables.end(), [](const auto& one) { return one.name == "jobs"; });
    const auto start = column_of(*jobs, "start_s"), end = column_of(*jobs, "completion_s");
    QCOMPARE(start.size(), trace.jobs.size());
    QVERIFY(start.size() > 4000);
    const double zero = trace.jobs.front().submit_s;
    for (std::size_t i = 0; i < start.size(); ++i)
      QVERIFY(std::fabs(start[i] - (wanted.start_s[i] - zero)) < 1e-6 &&
              std::fabs(end[i] - (wanted.end_s[i] - zero)) < 1e-6);
  }
}

void TestGpuCluster::jobs_without_a_throughput_may_be_left_out() {
  DrawnCluster c("1e5 s", {{"gpus", "4"}});
  c.file("g.trace",
         "LM (batch size 5)\t-\t-\t1\t100\t7\t1\nLM (batch size 10)\t-\t-\t1\t100\t8\t1\n"
         "LM (batch size 5)\t-\t-\t1\t300\t9\t2\nLM (batch size 10)\t-\t-\t1\t100\t9\t1\n");
  c.file("t.csv", "model,batch_size,num_gpus,steps_per_s\nLM,5,1,2\nLM,5,2,3\n");
  c.stream("users", {{"trace", "g.trace"}, {"throughputs", "t.csv"}, {"missing_throughputs", "leave_out"}});
  c.mean_of("jct", "grid.response_time");
  const std::string told = cluster_problem(c.found(), "GNG016");
  QVERIFY2(told.find("no throughput for LM with batch size 10 on 1 GPUs: jobs 1, 3.") != std::string::npos,
           told.c_str());
  const ResultSet r = c.run(1);
  QVERIFY(std::fabs(estimate(r, "jct") - (100.0 / 2.0 + 300.0 / 3.0) / 2.0) < 1e-9);
  const auto jobs = std::find_if(r.tables.begin(), r.tables.end(), [](const auto& one) { return one.name == "jobs"; });
  QVERIFY(jobs->note.find("2 jobs of the trace are left out") != std::string::npos);
  QVERIFY(std::get<std::string>(jobs->rows.at(1)[0]) == "2");
  DrawnCluster none("1e5 s", {{"gpus", "4"}});
  none.file("g.trace", "LM (batch size 10)\t-\t-\t1\t100\t7\t1\n");
  none.file("t.csv", "model,batch_size,num_gpus,steps_per_s\nLM,5,1,2\n");
  none.stream("users", {{"trace", "g.trace"}, {"throughputs", "t.csv"}, {"missing_throughputs", "leave_out"}});
  QVERIFY(cluster_problem(none.found(), "GNG004").find("has no row for LM") != std::string::npos);
}

void TestGpuCluster::a_fit_finds_the_parameter_that_made_the_speeds() {
  for (const auto family : {Speedup::Family::amdahl, Speedup::Family::power, Speedup::Family::logarithmic})
    for (double parameter = 0.0; parameter <= 1.0; parameter += 0.05) {
      std::vector<SpeedupPoint> points;
      const Speedup made = std::get<Speedup>(Speedup::of(family, std::min(parameter, 0.9999), 64.0));
      for (const double gpus : {1.0, 2.0, 4.0, 8.0, 16.0, 64.0})
        points.push_back({gpus, parameter == 0.0 ? 1.0 : made.speed(gpus)});
      const SpeedupFit fit = fit_speedup(family, points);
      QVERIFY2(std::fabs(fit.parameter - std::min(parameter, 0.9999)) < 1e-4, std::to_string(parameter).c_str());
      QVERIFY(fit.rms < 1e-3);
    }
  // Of one parameter's logarithm least squares have a closed form: sum (s - 1) ln k / sum ln^2 k.
  const std::vector<SpeedupPoint> points = {{1, 1}, {2, 1.5}, {4, 1.9}, {8, 2.1}};
  double over = 0.0, under = 0.0;
  for (const SpeedupPoint& one : points)
    over += (one.speed - 1.0) * std::log(one.gpus), under += std::log(one.gpus) * std::log(one.gpus);
  QVERIFY(std::fabs(fit_speedup(Speedup::Family::logarithmic, points).parameter - over / under) < 1e-8);
}

void TestGpuCluster::measured_speeds_are_those_of_the_profile() {
  const auto read =
      read_speeds("placement,local_bsz,step_time,sync_time\n1,4,0.5,0\n1,8,0.8,0\n2,8,1.0,0\n11,8,2.0,0\n", "p.csv");
  const auto& points = std::get<0>(read);
  QCOMPARE(points.size(), std::size_t{2});
  QCOMPARE(points[1].gpus, 2.0);
  QCOMPARE(points[1].speed, 1.6);
  const auto why = [](const std::string& text) { return std::get<std::string>(read_speeds(text, "s.csv")); };
  QCOMPARE(why("gpus,speed\n1,1\n1,2\n"), std::string("s.csv, row 3: 1 GPUs stand above too; wanted each once."));
  QCOMPARE(why("gpus,speed\n1,x\n"), std::string("s.csv, row 2: speed is 'x'; wanted a number above 0."));
  QCOMPARE(why("gpus,speed\n0.5,1\n"), std::string("s.csv, row 2: gpus is '0.5'; wanted a number from 1 on."));
  QVERIFY(why("gpus,speed\n2,1.5\n").starts_with("s.csv has no row of one GPU"));
  QVERIFY(why("a,b\n1,2\n").starts_with("s.csv has no columns gpus and speed"));
  QCOMPARE(why("gpus,speed,speed\n1,1,1\n"),
           std::string("s.csv: column 'speed' is there twice, as columns 2 and 3; wanted one."));
  QVERIFY(read_speeds("gpus,speed,note,note\n1,1,a,b\n", "s.csv").index() == 0);  // nobody reads these
  DrawnCluster c("1 h");
  c.file("s.csv", "gpus,speed\n1,1\n2,1.9\n4,3.4\n");
  c.stream("users", {{"speedup", "amdahl"}, {"measurements", "s.csv"}});
  QVERIFY(cluster_problem(c.found(), "RNT020").find("Fitted to 3 speeds: parameter 0.94") != std::string::npos);
}

// Philly's, one after the other on GPUs enough for all: the mean is that of the file.
void TestGpuCluster::published_run_times_are_sizes() {
  const std::string folder = trace_folder();
  if (folder.empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
  std::ifstream from(folder + "/philly_runtime_from_alibaba2020.csv");
  const std::string text(std::istreambuf_iterator<char>(from), {});
  std::istringstream lines(text.substr(text.find('\n')));
  double value = 0.0, sum = 0.0, count = 0.0;
  while (lines >> value) sum += value, ++count;
  DrawnCluster c("20000000 s", {{"gpus", "1000000"}});
  c.file("philly.csv", text);
  c.stream("users",
           {{"interarrival", "50 s"}, {"size", "empirical(\"philly.csv\", column = \"runtime\", unit = \"s\")"}});
  c.mean_of("work", "grid.response_time");
  const ResultSet out = c.run(4);
  QVERIFY(count > 80000 && std::fabs(estimate(out, "work") / (sum / count) - 1.0) < 0.05);
}

QTEST_GUILESS_MAIN(TestGpuCluster)
#include "tst_gpu_cluster.moc"
