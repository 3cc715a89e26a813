// Traces and workloads that other projects published, scheduled: the cases of Batsim row by row, and the table of
// Mirage's starts, every number of it.
#include <QtTest>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/des/lowering.h"
#include "solvers/cluster/batch/batch_scheduler.h"
#include "solvers/cluster/batch/job_chain.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/traces/job_trace.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/traces.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string trace_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

JobTrace trace_of_file(const std::string& path) {
  auto read = read_job_trace(trace_text(path), path, 5);
  if (const auto* why = std::get_if<std::string>(&read)) throw std::runtime_error(*why);
  return std::move(std::get<JobTrace>(read));
}

std::vector<std::vector<std::string>> trace_rows(const std::string& path) {
  return std::get<0>(parse_csv(trace_text(path)));
}

/// What the case says of a job, as expected.csv writes it.
struct BatsimCase {
  JobTrace trace;
  BatchSchedule schedule;  ///< first come first served on as many hosts as the file says
  std::size_t place(const std::string& job) const {
    return static_cast<std::size_t>(std::find(trace.names.begin(), trace.names.end(), job) - trace.names.begin());
  }
  std::string start_and_finish(const std::string& job) const {
    const std::size_t at = place(job);
    return at < trace.names.size() ? number_text(schedule.start_s[at]) + ";" + number_text(schedule.end_s[at]) : "none";
  }
  std::string run_and_state(const std::string& job) const {
    const std::size_t at = place(job);
    if (at >= trace.names.size()) return "none";
    return number_text(schedule.end_s[at] - schedule.start_s[at]) + " s, " +
           (killed(trace.jobs[at]) ? "killed" : "completed");
  }
};

BatsimCase batsim_case(const std::string& path) {
  const std::string text = trace_text(path);
  const std::size_t at = text.find("\"nb_res\":");
  const auto hosts = static_cast<std::uint32_t>(at == std::string::npos ? 1 : std::stoul(text.substr(at + 9)));
  BatsimCase out{trace_of_file(path), {}};
  out.schedule = simulate_batch(out.trace.jobs, hosts, BatchPolicy::fifo);
  return out;
}

/// A row of the golden table, as the program makes it.
std::string golden_row(const std::string& sample, std::int64_t begin_s, const ChainRules& rules, const JobTrace& trace,
                       const ChainLink& late, const ChainLink& early) {
  char wait[32];
  std::snprintf(wait, sizeof wait, "%.4f", static_cast<double>(early.predecessor_wait_s) / 3600);
  std::ostringstream out;
  out << sample << ',' << trace.moment_text(static_cast<double>(begin_s)) << ',' << rules.hosts << ','
      << rules.cluster.hosts << ',' << wait << ',' << early.mean_wait_min << ',' << early.queue << ','
      << late.interruption_s() << ',' << early.interruption_s();
  return out.str();
}

std::string with_commas(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) out += (out.empty() ? "" : ",") + cell;
  return out;
}

/// What the specification sums up of the starts of one setting.
struct GoldenSums {
  double wait_h = 0, late_h = 0, most_h = 0, interruption_h = 0, overlap_h = 0;
  int starts = 0, in_time = 0, early_in_time = 0, low = 0, medium = 0, heavy = 0;

  void add(const ChainLink& late, const ChainLink& early) {
    const auto hours = [](std::int64_t seconds) { return static_cast<double>(seconds) / 3600.0; };
    const double late_x = hours(late.interruption_s()), early_x = hours(early.interruption_s());
    QVERIFY(late_x >= 0.0 && early_x >= -48.0);  // V3
    wait_h += hours(early.predecessor_wait_s), late_h += late_x, most_h = std::max(most_h, late_x);
    interruption_h += std::max(0.0, early_x), overlap_h += std::max(0.0, -early_x);
    ++starts, in_time += late_x == 0.0, early_in_time += early_x <= 0.0;
    ++(late_x <= 2.0 ? low : late_x <= 12.0 ? medium : heavy);
  }
  /// As the specification prints it.
  std::string row() const {
    char out[160];
    std::snprintf(out, sizeof out, "%.3f %.4f %.3f %d/%d %.4f %.4f %d %d/%d/%d", wait_h / starts, late_h / starts,
                  most_h, in_time, starts, interruption_h / starts, overlap_h / starts, early_in_time, low, medium,
                  heavy);
    return out;
  }
};

/// Starts every four hours from the second day of the trace on, as the golden table has them.
void compare_golden(const JobTrace& trace) {
  const Background background = Background::of(trace.jobs, trace.names);
  const auto rows = trace_rows(trace_folder() + "/mirage_ls6_golden.csv");
  std::size_t same = 0;
  std::string wrong;
  std::map<std::string, GoldenSums> sums;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    ChainRules rules;
    rules.hosts = static_cast<std::uint32_t>(std::stoul(rows[r][2]));
    rules.cluster.hosts = static_cast<std::uint32_t>(std::stoul(rows[r][3]));
    const std::int64_t begin_s = 2 * 86400 + 4 * 3600 * std::stol(rows[r][0]);
    const ChainLink late = simulate_chain(background, begin_s, rules, {}).front(),
                    early = simulate_chain(background, begin_s, rules, {.kind = Provisioner::Kind::average}).front();
    sums[rows[r][2] + ", " + rows[r][3]].add(late, early);
    const std::string ours = golden_row(rows[r][0], begin_s, rules, trace, late, early), theirs = with_commas(rows[r]);
    if (ours == theirs) ++same;
    else if (wrong.size() < 2000) wrong += "\n ours   " + ours + "\n theirs " + theirs;
  }
  QVERIFY2(wrong.empty(), (std::to_string(same) + " rows are the same" + wrong).c_str());
  QCOMPARE(same, std::size_t{468});
  QCOMPARE(sums["1, 88"].row(), std::string("0.311 0.4548 7.533 127/156 0.3823 0.2645 130 142/14/0"));
  QCOMPARE(sums["1, 76"].row(), std::string("1.473 2.5626 14.583 83/156 2.1590 0.8322 91 98/53/5"));
  QCOMPARE(sums["8, 88"].row(), std::string("0.521 1.0154 9.517 104/156 0.9460 0.1549 108 127/29/0"));
}

}  // namespace

class TestBatchTraces : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void batsim_rows_are_met() {
    if (case_folder("batsim").empty()) QSKIP("no cases folder: ERGODE_CASES names none with batsim");
    std::map<std::string, BatsimCase> known;
    std::size_t met = 0;
    std::string wrong;
    const auto rows = trace_rows(case_folder("batsim") + "/expected.csv");
    for (std::size_t r = 1; r < rows.size(); ++r) {
      const std::string &file = rows[r][1], &what = rows[r][2], &wanted = rows[r][3];
      if (!known.contains(file)) known.emplace(file, batsim_case(case_folder("batsim") + "/" + file));
      const BatsimCase& one = known.at(file);
      std::string seen;
      const auto job_after = [&](const std::string& words) {
        return what.substr(words.size(), what.find(',', words.size()) - words.size());
      };
      if (what == "jobs") seen = std::to_string(one.trace.seen);
      else if (what.starts_with("start;finish of job ")) seen = one.start_and_finish(job_after("start;finish of job "));
      else if (what.starts_with("run time and end state of job "))
        seen = one.run_and_state(job_after("run time and end state of job "));
      const bool either = wanted == "10 s, completed or killed (both end at the same instant)";
      if (seen == wanted || (either && seen == "10 s, completed")) ++met;
      else wrong += "\n" + file + ", " + what + ": " + seen + ", wanted " + wanted;
    }
    qInfo("%zu rows are met", met);
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(met >= 64);
  }

  void v2_the_trace_has_the_facts_of_the_specification() {
    if (trace_folder().empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
    const JobTrace trace = trace_of_file(trace_folder() + "/tacc_ls6_a100_2023-02-27_2023-03-31.csv");
    QCOMPARE(trace.problems.size(), std::size_t{0});
    QCOMPARE(trace.jobs.size(), std::size_t{7476});
    std::size_t march = 0, waits_s = 0;
    for (std::size_t i = 0; i < trace.jobs.size(); ++i)
      if (trace.moment_text(trace.jobs[i].submit_s).starts_with("2023-03-"))
        ++march, waits_s += static_cast<std::size_t>(trace.recorded_wait_s[i]);
    QCOMPARE(march, std::size_t{6801});
    QCOMPARE(std::lround(static_cast<double>(waits_s) / 36.0 / static_cast<double>(march)), 284L);
  }

  void v1_every_number_of_the_golden_table_is_met() {
    if (trace_folder().empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
    compare_golden(trace_of_file(trace_folder() + "/tacc_ls6_a100_2023-02-27_2023-03-31.csv"));
  }

  // The model of the example, its parameters set, as anybody would run it: the same columns.
  void the_example_makes_the_golden_table() {
    if (trace_folder().empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
    register_lowering(batch_lowering);
    const auto golden = trace_rows(trace_folder() + "/mirage_ls6_golden.csv");
    std::size_t same = 0;
    for (const auto& [nodes, cluster] : {std::pair("1", "88"), {"1", "76"}, {"8", "88"}}) {
      RunRequest request;
      request.replications = 1, request.allowed_folders = {trace_folder()};
      request.overrides = {{"trace", trace_folder() + "/tacc_ls6_a100_2023-02-27_2023-03-31.csv"},
                           {"nodes", nodes},
                           {"cluster_nodes", cluster},
                           {"provisioner", "average"}};
      request.folder = ERGODE_SOURCE_DIR "/examples/24_a100_month";
      const ResultSet out = solved(example("24_a100_month"), request);
      const auto table = std::find_if(out.tables.begin(), out.tables.end(),
                                      [](const ResultTable& one) { return one.name == "decisions"; });
      QVERIFY(table != out.tables.end());
      for (std::size_t r = 1; r < golden.size(); ++r) {
        if (golden[r][2] != nodes || golden[r][3] != cluster) continue;
        const auto& row = table->rows.at(static_cast<std::size_t>(std::stoul(golden[r][0])));
        for (std::size_t c = 0; c < golden[r].size(); ++c) {
          QCOMPARE(table->columns[c].label, golden[0][c]);
          if (c == 1) QCOMPARE(std::get<std::string>(row[c]), golden[r][c]);
          else QCOMPARE(std::get<double>(row[c]), std::stod(golden[r][c]));
        }
        ++same;
      }
    }
    QCOMPARE(same, std::size_t{468});
  }

  void both_formats_of_the_trace_are_one() {
    if (trace_folder().empty()) QSKIP("no cases folder: ERGODE_TRACES names no folder of traces");
    const std::string name = trace_folder() + "/tacc_ls6_a100_2023-02-27_2023-03-31";
    const JobTrace csv = trace_of_file(name + ".csv"), swf = trace_of_file(name + ".swf");
    QCOMPARE(swf.zero_s, csv.zero_s);
    QVERIFY(swf.names == csv.names);
    for (std::size_t i = 0; i < csv.jobs.size(); ++i) {
      const BatchJob &a = csv.jobs[i], &b = swf.jobs[i];
      QVERIFY2(a.submit_s == b.submit_s && a.run_s == b.run_s && a.limit_s == b.limit_s && a.hosts == b.hosts,
               csv.names[i].c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestBatchTraces)
#include "tst_batch_traces.moc"
