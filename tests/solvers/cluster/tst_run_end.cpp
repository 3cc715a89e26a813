// What tables of jobs and costs mean where a run ends before its jobs: states and costs as of that moment, against a
// plain program written from the definition.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "core/base/text.h"
#include "core/des/lowering.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct CutJob {
  double arrival = 0, run = 1;
  int wide = 1;
  double start = INFINITY, end = INFINITY;
};

/// First come first served, written from the definition: who is in front begins as soon as as many are free as he
/// wants. Who wants more than there is never begins.
void cut_in_order(std::vector<CutJob>& jobs, int all) {
  double before = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CutJob& job = jobs[i];
    if (job.wide > all) continue;
    for (double t = std::max(before, job.arrival);; ++t) {
      int used = 0;
      for (std::size_t j = 0; j < i; ++j) used += jobs[j].start <= t && t < jobs[j].end ? jobs[j].wide : 0;
      if (used + job.wide > all) continue;
      job.start = before = t, job.end = t + job.run;
      break;
    }
  }
}

constexpr const char* cut_kinds[] = {"pool", "pool_history", "cluster", "cluster_history", "fleet"};

/// One element of a kind with the jobs of a trace, whose hosts or GPUs cost 1 USD a second. Of a history nothing is
/// known beforehand, since another stream may bring jobs; it does so after the end of the run.
/// @param most_jobs  of the trace; empty: all
ResultSet cut_run(const std::string& kind, const std::vector<CutJob>& jobs, int all, double horizon,
                  const std::string& most_jobs = "") {
  QTemporaryDir folder;
  ModelBuilder m(number_text(horizon) + " s");
  const ElementId diagram = m.diagram("Cluster", "cluster");
  m.header("time_unit", "s");
  std::ostringstream trace;
  Value properties = {{"name", "place"}, {"price", "3600 USD/h"}};
  std::string element = "host_pool", file = "t.swf", average = "place.spend";
  if (kind.starts_with("pool")) {
    properties["hosts"] = std::to_string(all), properties["policy"] = "fifo";
    for (std::size_t i = 0; i < jobs.size(); ++i)
      trace << i << " " << jobs[i].arrival << " 0 " << jobs[i].run << " -1 -1 -1 " << jobs[i].wide
            << " 100000 -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
  } else if (kind == "fleet") {
    element = "gpu_fleet", file = "t.csv";
    properties["nodes"] = "1", properties["gpus_per_node"] = std::to_string(all);
    properties["variation"] = "none", properties["placement"] = "packed";
    trace << "job,arrival_s,gpus,run_s,class\n";
    for (std::size_t i = 0; i < jobs.size(); ++i)
      trace << i << "," << jobs[i].arrival << "," << jobs[i].wide << "," << jobs[i].run << ",A\n";
  } else {
    element = "gpu_cluster", file = "t.csv", average = "place.gpus";
    properties["gpus"] = properties["gpus_per_host"] = std::to_string(all), properties["policy"] = "fifo";
    trace << "job_id,user,submit_time,num_gpu,duration\n";
    for (std::size_t i = 0; i < jobs.size(); ++i)
      trace << i << ",u," << jobs[i].arrival << "," << jobs[i].wide << "," << jobs[i].run << "\n";
  }
  std::ofstream(folder.path().toStdString() + "/" + file) << trace.str();
  const ElementId place = m.node(diagram, {}, element, std::move(properties));
  Value users = {{"name", "users"}, {"trace", file}};
  if (!most_jobs.empty()) users["most_jobs"] = most_jobs;
  m.edge(diagram, "job_flow", m.node(diagram, {}, "job_stream", std::move(users)), place);
  if (kind.ends_with("history"))
    m.edge(diagram, "job_flow",
           m.node(diagram, {}, "job_stream", {{"name", "late"}, {"interarrival", "1e9 s"}, {"size", "1 s"}}), place);
  if (element == "gpu_cluster") m.measure("spend", "time_average", average);
  else m.measure("spend", "time_average", average, {{"unit", "USD/h"}});
  RunRequest request;
  request.replications = 1, request.seed = 1, request.folder = folder.path().toStdString();
  return solved(m.document(), request);
}

/// One element of a kind with the jobs of a stream, and how many came. The parameter "log" names no file.
ResultSet run_drawn(const std::string& kind, const std::string& horizon, Value users) {
  ModelBuilder m(horizon);
  const ElementId diagram = m.diagram("Cluster", "cluster");
  m.header("time_unit", "s");
  m.parameter("log", "none.csv", {{"type", "file"}});
  Value place = {{"name", "place"}};
  if (kind == "rental") place["policy"] = "one_gpu";
  if (kind == "host_pool") place["policy"] = "fifo";
  users["name"] = "users";
  const ElementId there = m.node(diagram, {}, kind, std::move(place));
  m.edge(diagram, "job_flow", m.node(diagram, {}, "job_stream", std::move(users)), there);
  m.measure("came", "final_value", "users.submitted");
  RunRequest request;
  request.replications = 1, request.seed = 1, request.overrides = {{"log", ""}};
  return solved(m.document(), request);
}

std::vector<std::string> told_with(const ResultSet& results, const std::string& code) {
  std::vector<std::string> out;
  for (const Diagnostic& one : results.diagnostics)
    if (one.code == code) out.push_back(one.message);
  return out;
}

const ResultTable::Cell& cut_cell(const ResultTable& table, std::size_t row, const std::string& column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].label == column) return table.rows.at(row)[c];
  throw std::runtime_error("no column " + column);
}
double cut_number(const ResultTable& table, std::size_t row, const std::string& column) {
  return std::get<double>(cut_cell(table, row, column));
}
std::string cut_word(const ResultTable& table, std::size_t row, const std::string& column) {
  return std::get<std::string>(cut_cell(table, row, column));
}

bool cut_alike(double seen, double wanted) {
  return std::isnan(wanted) ? std::isnan(seen) : std::fabs(seen - wanted) <= 1e-7 * (1 + std::fabs(wanted));
}

/// All that tables say of jobs and money at the end of a run, by the definition.
void compare_cut(const std::string& kind, const std::vector<CutJob>& jobs, int all, double horizon,
                 const std::string& of) {
  const ResultSet results = cut_run(kind, jobs, all, horizon);
  const ResultTable &table = table_named(results, "jobs"), &spend = table_named(results, "spend");
  const auto fits = [&](const char* what, double seen, double wanted) {
    QVERIFY2(cut_alike(seen, wanted), qPrintable(QString("%1 %2, %3: %4, wanted %5")
                                                     .arg(kind.c_str(), of.c_str(), what)
                                                     .arg(seen, 0, 'g', 12)
                                                     .arg(wanted, 0, 'g', 12)));
  };
  std::size_t row = 0;
  double held = 0;
  for (const CutJob& job : jobs) {
    if (job.arrival > horizon) continue;
    QVERIFY(row < table.rows.size());
    const std::string state = job.wide > all         ? "rejected"
                              : job.end <= horizon   ? "completed"
                              : job.start <= horizon ? "running"
                                                     : "waiting";
    QVERIFY2(cut_word(table, row, "state") == state,
             qPrintable(QString("%1 %2, job %3: %4, wanted %5")
                            .arg(kind.c_str(), of.c_str())
                            .arg(row)
                            .arg(cut_word(table, row, "state").c_str(), state.c_str())));
    const double cost = job.start <= horizon ? job.wide * (std::min(job.end, horizon) - job.start) : 0.0;
    fits("start", cut_number(table, row, "start_s"), job.start <= horizon ? job.start : NAN);
    fits("completion", cut_number(table, row, "completion_s"), job.end <= horizon ? job.end : NAN);
    fits("jct", cut_number(table, row, "jct_s"), job.end <= horizon ? job.end - job.arrival : NAN);
    fits("cost", cut_number(table, row, "cost_usd"), cost);
    held += cost, ++row;
  }
  QCOMPARE(table.rows.size(), row);
  // A fleet pays for all its GPUs, the others for those that are in use.
  const double total = kind == "fleet" ? all * horizon : held;
  const std::size_t last = spend.rows.size() - 1;
  fits("end of spend", cut_number(spend, last, "time"), horizon / 3600.0);
  fits("cost so far", cut_number(spend, last, "cost_so_far"), total);
  fits("spend over time", estimate(results, "spend") * horizon / (kind.starts_with("cluster") ? 1.0 : 3600.0), total);
}

std::string cut_mission(double horizon) { return number_text(horizon, 12) + " s"; }

}  // namespace

class TestRunEnd : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering), register_lowering(batch_lowering), register_lowering(fleet_lowering);
    register_lowering(gang_lowering), register_lowering(round_lowering), register_lowering(iteration_lowering);
  }

  void jobs_cut_by_the_end_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : cut_kinds) QTest::newRow(kind) << kind;
  }
  // By hand, four of them: a has two for 100 s; b wants four and has them from 100 s on, for 20 of its 50 s; c waits
  // behind it, d wants five and is rejected, e comes after the end at 120 s.
  void jobs_cut_by_the_end() {
    QFETCH(QString, kind);
    const std::vector<CutJob> jobs = {{.arrival = 0, .run = 100, .wide = 2, .start = 0, .end = 100},
                                      {.arrival = 10, .run = 50, .wide = 4, .start = 100, .end = 150},
                                      {.arrival = 20, .run = 5, .wide = 1, .start = 150, .end = 155},
                                      {.arrival = 30, .run = 5, .wide = 5},
                                      {.arrival = 130, .run = 5, .wide = 1, .start = 155, .end = 160}};
    compare_cut(kind.toStdString(), jobs, 4, 120, "by hand");
  }

  void random_workloads_data() { jobs_cut_by_the_end_data(); }
  void random_workloads() {
    QFETCH(QString, kind);
    for (std::uint64_t trial = 0; trial < 60; ++trial) {
      RandomStream draw(stream_key(11, "run end"), trial);
      const auto upto = [&](int least, int most) {
        return least + static_cast<int>(draw.uniform() * (most - least + 1));
      };
      const int all = upto(1, 6);
      std::vector<CutJob> jobs(static_cast<std::size_t>(upto(1, 12)));
      double at = 0;
      for (CutJob& job : jobs) job.arrival = at, job.run = upto(1, 60), job.wide = upto(1, all), at += upto(1, 30);
      for (std::size_t i = 1; i < jobs.size(); ++i)
        if (upto(1, 10) == 1) jobs[i].wide = all + upto(1, 3);
      cut_in_order(jobs, all);
      double last = 1;
      for (const CutJob& job : jobs)
        if (std::isfinite(job.end)) last = std::max(last, job.end);
      compare_cut(kind.toStdString(), jobs, all, upto(1, static_cast<int>(1.2 * last) + 1),
                  "trial " + std::to_string(trial));
    }
  }

  // The schedule itself is whole, whatever the mission: what a job had of it by the end is cut out of the rounds.
  void rounds_are_cut_by_the_end() {
    const std::string folder = std::string(ERGODE_SOURCE_DIR) + "/examples/25_fair_rounds";
    Document document = example("25_fair_rounds");
    for (const Element& element : document.elements())
      if (element.kind == "round_scheduler") {
        Element priced = element;
        priced.properties["price"] = "3600 USD/h";
        document.replace(document.index_of(priced.id), priced);
        break;
      }
    const auto run = [&](const std::string& until) {
      RunRequest request;
      request.folder = folder, request.replications = 1;
      request.overrides = {{"policy", "themis"}, {"mission_time", until}};
      return solved(document, request);
    };
    const ResultSet whole = run("1000 d");
    const ResultTable &all = table_named(whole, "jobs"), &rounds = table_named(whole, "rounds");
    RandomStream draw(stream_key(11, "rounds"), 0);
    std::map<std::string, int> seen;
    const double last = cut_number(rounds, rounds.rows.size() - 1, "end_s");
    for (int trial = 0; trial < 6; ++trial) {
      const double horizon = std::round(last * (0.1 + 0.15 * trial + 0.05 * draw.uniform()));
      std::vector<double> held(all.rows.size()), begun(all.rows.size());
      std::vector<bool> runs(all.rows.size());
      for (std::size_t r = 0; r < rounds.rows.size(); ++r) {
        const double from = cut_number(rounds, r, "start_s"), to = cut_number(rounds, r, "end_s");
        std::istringstream who(cut_word(rounds, r, "jobs"));
        for (std::size_t job = 0; who >> job;) {
          if (from > horizon) continue;
          held[job] += cut_number(all, job, "num_gpus") * (std::min(to, horizon) - from), ++begun[job];
          runs[job] = to > horizon;
        }
      }
      const ResultSet results = run(cut_mission(horizon));
      const ResultTable &jobs = table_named(results, "jobs"), &spend = table_named(results, "spend");
      std::size_t row = 0;
      double cost = 0;
      for (std::size_t i = 0; i < all.rows.size(); ++i) {
        if (cut_number(all, i, "arrival_s") > horizon) continue;
        const double end = cut_number(all, i, "completion_s");
        const std::string state = end <= horizon ? "completed" : runs[i] ? "running" : "waiting";
        QCOMPARE(cut_number(jobs, row, "job"), static_cast<double>(i));
        QCOMPARE(cut_word(jobs, row, "state"), state);
        for (const char* column : {"completion_s", "jct_s", "rho"})
          QVERIFY(cut_alike(cut_number(jobs, row, column), end <= horizon ? cut_number(all, i, column) : NAN));
        QVERIFY(cut_alike(cut_number(jobs, row, "cost_usd"), held[i]));
        QCOMPARE(cut_number(jobs, row, "rounds"), begun[i]);
        cost += held[i], ++row, ++seen[state];
      }
      QCOMPARE(jobs.rows.size(), row);
      QVERIFY(cut_alike(cut_number(spend, spend.rows.size() - 1, "time"), horizon / 3600.0));
      QVERIFY(cut_alike(cut_number(spend, spend.rows.size() - 1, "cost_so_far"), cost));
    }
    QVERIFY(seen["completed"] > 0 && seen["running"] > 0 && seen["waiting"] > 0);
  }

  // Measures and tables say the same where the end cuts jobs that were stopped before.
  void stops_and_makespan_are_those_of_the_schedule() {
    const Document document = example("30_cluster_policies");
    for (const char* policy : {"srtf", "las"}) {
      RunRequest request;
      request.folder = std::string(ERGODE_SOURCE_DIR) + "/examples/30_cluster_policies", request.replications = 1;
      request.overrides = {{"policy", policy}, {"mission_time", "40 h"}};
      const ResultSet results = solved(document, request);
      const ResultTable& schedule = table_named(results, "schedule");
      QVERIFY(estimate(results, "preemptions") > 50.0 && estimate(results, "jobs_done") < 600.0);
      QCOMPARE(cut_number(schedule, 0, "jobs"), estimate(results, "jobs_done"));
      QCOMPARE(cut_number(schedule, 0, "preemptions"), estimate(results, "preemptions"));
      QVERIFY(cut_alike(cut_number(schedule, 0, "makespan_s") / hour, estimate(results, "makespan")));
    }
  }

  // Whoever runs them, and however they come: so many jobs, and then no more.
  void no_more_jobs_come_than_may_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("when");
    for (const char* kind : {"rental", "host_pool", "gpu_cluster", "gpu_fleet"})
      for (const char* when : {"rate", "interarrival"})
        QTest::addRow("%s by its %s", kind, when) << QString(kind) << QString(when);
  }
  void no_more_jobs_come_than_may() {
    QFETCH(QString, kind);
    QFETCH(QString, when);
    const auto run = [&](const char* most_jobs) {
      Value users = {{"size", "1 s"}, {"most_jobs", most_jobs}};
      users[when.toStdString()] = when == "rate" ? "0.1 /s" : "10 s";
      return run_drawn(kind.toStdString(), "1000 s", users);
    };
    const ResultSet some = run("7"), all = run("1e6");
    QCOMPARE(estimate(some, "came"), 7.0);
    QVERIFY(estimate(all, "came") > 50.0);
    const ResultTable &first = table_named(some, "jobs"), &more = table_named(all, "jobs");
    QCOMPARE(first.rows.size(), std::size_t{7});
    for (std::size_t i = 0; i < first.rows.size(); ++i)
      QCOMPARE(cut_number(first, i, "arrival_s"), cut_number(more, i, "arrival_s"));
  }
  // The first 100,000 have a row, and of those behind it is told how many they are.
  void who_has_no_row_is_counted_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"rental", "host_pool", "gpu_cluster", "gpu_fleet"}) QTest::newRow(kind) << QString(kind);
  }
  void who_has_no_row_is_counted() {
    QFETCH(QString, kind);
    for (const int behind : {0, 3}) {
      const ResultSet results =
          run_drawn(kind.toStdString(), "2e5 s",
                    {{"interarrival", "1 s"}, {"size", "0.1 s"}, {"most_jobs", std::to_string(100'000 + behind)}});
      QCOMPARE(estimate(results, "came"), 100'000.0 + behind);
      QCOMPARE(table_named(results, "jobs").rows.size(), std::size_t{100'000});
      const std::vector<std::string> told = told_with(results, "RUN046");
      QCOMPARE(told.size(), std::size_t{behind > 0});
      for (const std::string& one : told)
        QVERIFY2(one.find("; 3 further ones are left out") != std::string::npos, one.c_str());
    }
  }

  void a_parameter_that_names_no_file_is_told() {
    for (const auto& [kind, property, code] : {std::tuple("host_pool", "trace", "BAT016"),
                                               {"gpu_cluster", "trace", "GNG011"},
                                               {"gpu_fleet", "trace", "DEV021"},
                                               {"gpu_cluster", "measurements", "RNT021"},
                                               {"rental", "measurements", "RNT021"}}) {
      const ResultSet results = run_drawn(kind, "100 s", {{property, "log"}, {"interarrival", "10 s"}});
      const std::vector<std::string> told = told_with(results, code);
      QVERIFY2(told.size() == 1 && told[0].find("Here is \"log\", which names no file") == 0, kind);
      QVERIFY(told_with(run_drawn(kind, "100 s", {{"interarrival", "10 s"}}), code).empty());
    }
  }

  // One of 2.5 GPUs has 3: told where it is written, once, and not of whole numbers.
  void parts_of_gpus_are_told() {
    for (const auto& [kind, property] :
         {std::pair("host_pool", "hosts"), {"gpu_cluster", "gpus"}, {"gpu_fleet", "gpus"}})
      for (const auto& [value, message] : {std::pair("2.5", "wants 2.5 %1 and takes 3; wanted a whole number."),
                                           {"0.25", "wants 0.25 %1 and takes 1; wanted a whole number."},
                                           {"2", ""},
                                           {"empirical(values = [1, 2])", ""}}) {
        const ResultSet results = run_drawn(kind, "100 s", {{property, value}, {"interarrival", "10 s"}});
        const std::vector<std::string> told = told_with(results, "RNT024");
        QCOMPARE(told.size(), std::size_t{*message != '\0'});
        for (const std::string& one : told)
          QCOMPARE(QString(one.c_str()), "Each job " + QString(message).arg(property));
      }
  }

  // Of two streams at one place both have a first job.
  void jobs_of_several_streams_are_told_apart() {
    for (const char* kind : {"rental", "host_pool", "gpu_fleet", "gpu_cluster"}) {
      ModelBuilder m("100 s");
      const ElementId diagram = m.diagram("Cluster", "cluster");
      Value place = {{"name", "place"}};
      if (std::string_view(kind) == "rental") place["policy"] = "one_gpu";
      if (std::string_view(kind) == "host_pool") place["policy"] = "fifo";
      const ElementId there = m.node(diagram, {}, kind, std::move(place));
      for (const char* name : {"users", "robots"})
        m.edge(diagram, "job_flow",
               m.node(diagram, {}, "job_stream", {{"name", name}, {"interarrival", "10 s"}, {"size", "1 s"}}), there);
      m.measure("came", "final_value", "users.submitted");
      RunRequest request;
      request.replications = 1, request.seed = 1;
      const ResultSet results = solved(m.document(), request);
      const ResultTable& table = table_named(results, "jobs");
      std::map<std::string, int> seen;
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const std::string name = cut_word(table, i, "job");
        QVERIFY2(++seen[name] == 1 && name.starts_with(cut_word(table, i, "stream") + "/"), name.c_str());
      }
      QVERIFY(seen.contains("users/0") && seen.contains("robots/0"));
    }
  }

  // Who asks for the long run of a stream that ends gets an empty system.
  void a_stream_that_ends_has_no_long_run() {
    const auto told = [](const char* type, const char* expression, const char* of, const char* most_jobs) {
      ModelBuilder m("100 s");
      const ElementId diagram = m.diagram("Cluster", "cluster");
      Value users = {{"name", "users"}, {"interarrival", "10 s"}, {"size", "1 s"}};
      if (*most_jobs != '\0') users["most_jobs"] = most_jobs;
      m.edge(diagram, "job_flow", m.node(diagram, {}, "job_stream", std::move(users)),
             m.node(diagram, {}, "gpu_cluster", {{"name", "place"}}));
      if (*of != '\0') m.measure("asked", type, "", {{"of", of}, {"unit", "h"}});
      else m.measure("asked", type, expression);
      Diagnostics found;
      build_model(m.document(), {}, "", found);
      std::string out;
      for (const Diagnostic& one : found)
        if (one.code == "RNT022") out += one.message;
      return out;
    };
    const std::string wanted =
        "After 5 jobs no more come, and \"asked\" asks for the long run, in which nobody is there any more; wanted "
        "jobs "
        "that go on coming.";
    QCOMPARE(told("steady_state_mean", "place.jobs + 1", "", "5"), wanted);
    QCOMPARE(told("steady_state_mean", "users.jobs", "", "5"), wanted);
    QCOMPARE(told("steady_state_mean", "", "place.response_time", "5"), wanted);
    QCOMPARE(told("steady_state_mean", "place.jobs", "", ""), std::string());
    QCOMPARE(told("time_average", "place.jobs", "", "5"), std::string());
    QCOMPARE(told("steady_state_mean", "1", "", "5"), std::string());
  }

  void a_contract_that_reserves_nothing_is_told() {
    for (const auto& [contract, reserved, count] :
         {std::tuple("reserved", "", 1), {"reserved", "0", 1}, {"reserved", "2", 0}, {"on_demand", "", 0}}) {
      ModelBuilder m("100 s");
      const ElementId diagram = m.diagram("Cluster", "cluster");
      Value place = {{"name", "place"}, {"policy", "one_gpu"}, {"contract", contract}};
      if (*reserved != '\0') place["reserved"] = reserved;
      m.edge(diagram, "job_flow",
             m.node(diagram, {}, "job_stream", {{"name", "users"}, {"interarrival", "10 s"}, {"size", "1 s"}}),
             m.node(diagram, {}, "rental", std::move(place)));
      Diagnostics found;
      build_model(m.document(), {}, "", found);
      const auto told = std::count_if(found.begin(), found.end(), [](const Diagnostic& one) {
        return one.code == "RNT023" && one.pointer == "reserved" && one.severity == Severity::warning;
      });
      QCOMPARE(told, count);
    }
  }

  void of_a_trace_the_first_jobs_come() {
    const std::vector<CutJob> jobs = {{0, 5}, {1, 5}, {2, 5}, {3, 5}};
    for (const char* kind : cut_kinds) {
      const ResultSet results = cut_run(kind, jobs, 1, 100, "3");
      const ResultTable& table = table_named(results, "jobs");
      QCOMPARE(table.rows.size(), std::size_t{3});
      QCOMPARE(cut_number(table, 2, "completion_s"), 15.0);
    }
  }

  void iterations_are_cut_by_the_end_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"jigsaw", "time_slicing", "fifo_gang", "srtf_gang"}) QTest::newRow(policy) << policy;
  }
  // GPU time is that of the pieces that a job computed by then.
  void iterations_are_cut_by_the_end() {
    QFETCH(QString, policy);
    const std::string folder = std::string(ERGODE_SOURCE_DIR) + "/examples/29_partial_backpropagation";
    Document document = example("29_partial_backpropagation");
    for (const Element& element : document.elements())
      if (element.kind == "iteration_scheduler") {
        Element priced = element;
        priced.properties["price"] = "3600 USD/h", priced.properties["shown_pieces"] = "1000000";
        document.replace(document.index_of(priced.id), priced);
        break;
      }
    const auto run = [&](const std::string& until) {
      RunRequest request;
      request.folder = folder, request.replications = 1;
      request.overrides = {{"policy", policy.toStdString()}, {"mission_time", until}};
      return solved(document, request);
    };
    const ResultSet whole = run("1e6 s");
    const ResultTable &all = table_named(whole, "jobs"), &pieces = table_named(whole, "iterations");
    std::map<std::string, std::vector<std::pair<double, double>>> computed;
    for (const auto& row : pieces.rows)
      if (std::get<std::string>(row[1]) != "idle")
        computed[std::get<std::string>(row[2])].emplace_back(std::get<double>(row[6]), std::get<double>(row[7]));
    const double last = cut_number(table_named(whole, "schedule"), 0, "makespan_s");
    std::map<std::string, int> seen;
    for (const double part : {0.15, 0.5, 0.8}) {
      const double horizon = part * last;
      const ResultSet results = run(cut_mission(horizon));
      const ResultTable& jobs = table_named(results, "jobs");
      std::size_t row = 0;
      for (std::size_t i = 0; i < all.rows.size(); ++i) {
        if (cut_number(all, i, "arrival_s") > horizon) continue;
        const double start = cut_number(all, i, "start_s"), end = cut_number(all, i, "completion_s");
        double gpu_s = 0;
        for (const auto& [from, to] : computed[cut_word(all, i, "job")])
          gpu_s += std::clamp(horizon - from, 0.0, to - from);
        const std::string state = cut_word(jobs, row, "state");
        QCOMPARE(state == "completed", end <= horizon);
        QVERIFY(state != "waiting" || start > horizon || policy == "srtf_gang");
        QVERIFY(state != "running" || start <= horizon);
        QVERIFY(cut_alike(cut_number(jobs, row, "start_s"), start <= horizon ? start : NAN));
        for (const char* column : {"completion_s", "jct_s"})
          QVERIFY(cut_alike(cut_number(jobs, row, column), end <= horizon ? cut_number(all, i, column) : NAN));
        QVERIFY2(cut_alike(cut_number(jobs, row, "cost_usd"), gpu_s),
                 qPrintable(QString("job %1: %2, wanted %3").arg(i).arg(cut_number(jobs, row, "cost_usd")).arg(gpu_s)));
        ++row, ++seen[state];
      }
      QCOMPARE(jobs.rows.size(), row);
    }
    QVERIFY(seen["completed"] > 0 && seen["running"] > 0);
  }
};

QTEST_APPLESS_MAIN(TestRunEnd)
#include "tst_run_end.moc"
