// Traces of jobs: what is read, and what is wrong with a row is told with the row, the value seen and the value wanted.
#include <QtTest>

#include "core/base/text.h"
#include "solvers/cluster/traces/job_trace.h"

using namespace ergode;

namespace {

const std::string sacct_header = "JobID,Submit,Start,End,TimelimitRaw,NNodes\n";

JobTrace job_trace(const std::string& text, const std::string& file) {
  auto read = read_job_trace(text, file, 3);
  if (const auto* why = std::get_if<std::string>(&read)) throw std::runtime_error(*why);
  return std::move(std::get<JobTrace>(read));
}
std::string job_trace_fault(const std::string& text, const std::string& file) {
  const auto read = read_job_trace(text, file, 3);
  const auto* why = std::get_if<std::string>(&read);
  return why != nullptr ? *why : "no fault";
}
/// The problems of rows below a good one, one a line.
std::string sacct_problems(const std::string& rows) {
  std::string out;
  const JobTrace read =
      job_trace(sacct_header + "1,2023-02-27T01:00:00,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2\n" + rows, "a.csv");
  for (const std::string& one : read.problems) out += one + "\n";
  if (read.untold > 0) out += "and " + std::to_string(read.untold) + "\n";
  return out;
}
std::string swf_row(std::initializer_list<double> first) {
  std::string out;
  for (const double value : first) out += number_text(value) + " ";
  for (std::size_t i = first.size(); i < 18; ++i) out += "-1 ";
  return out + "\n";
}

}  // namespace

class TestJobTraces : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void accounts_are_read_whatever_parts_their_cells() {
    const std::string cells = "7_1,x y,2023-03-01T00:00:10,2023-03-01T00:01:10,2023-03-01T01:01:10,1-00:30:00,4";
    const std::string names = "JobID,JobName,Submit,Start,End,Timelimit,NNodes";
    std::string bars = names + "\n" + cells, blanks = bars;
    std::replace(bars.begin(), bars.end(), ',', '|');
    blanks.replace(blanks.find("x y"), 3, "xy");
    std::replace(blanks.begin(), blanks.end(), ',', ' ');
    blanks.insert(blanks.find('\n') + 1, "----- ------- --- --- --- --- ---\n");
    for (const std::string& text : {names + "\r\n" + cells + "\r\n", bars, blanks}) {
      const JobTrace read = job_trace(text, "a.log");
      QVERIFY2(read.problems.empty() && read.jobs.size() == 1, text.c_str());
      QCOMPARE(read.names[0], std::string("7_1"));
      QCOMPARE(read.jobs[0].submit_s, 10.0);
      QCOMPARE(read.jobs[0].run_s, 3600.0);
      QCOMPARE(read.jobs[0].limit_s, 88200.0);
      QCOMPARE(read.jobs[0].hosts, 4U);
      QCOMPARE(read.recorded_wait_s[0], 60.0);
      QCOMPARE(read.moment_text(3661.0), std::string("2023-03-01T01:01:01"));
    }
  }

  void rows_that_are_wrong_are_told_data() {
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("problem");
    const auto add = [](const char* name, const char* row, const char* problem) {
      QTest::newRow(name) << QString(row) << QString(problem) + "\n";
    };
    add("cells", "2,2023-02-27T01:00:00,2023-02-27", "a.csv, row 3: 3 cells, wanted 6 as in the header");
    add("no time", "2,2023-02-27T01:00:00,soon,later,9,1",
        "a.csv, row 3: Start is 'soon', wanted a time, as in 2023-02-27T01:16:44\na.csv, row 3: End is 'later', "
        "wanted a time, as in 2023-02-27T01:16:44");
    add("no such day", "2,2023-02-30T01:00:00,2023-03-01T00:00:00,2023-03-01T00:00:00,9,1",
        "a.csv, row 3: Submit is '2023-02-30T0...', wanted a time, as in 2023-02-27T01:16:44");
    add("negative wait", "2,2023-02-27T01:00:00,2023-02-27T00:59:59,2023-02-27T02:00:00,9,1",
        "a.csv, row 3: Start is '2023-02-27T0...', wanted a time not before Submit");
    add("negative run", "2,2023-02-27T01:00:00,2023-02-27T03:00:00,2023-02-27T02:00:00,9,1",
        "a.csv, row 3: End is '2023-02-27T0...', wanted a time not before Start");
    add("limit", "2,2023-02-27T01:00:00,2023-02-27T01:00:00,2023-02-27T02:00:00,-5,1",
        "a.csv, row 3: TimelimitRaw is '-5', wanted minutes above 0 or UNLIMITED");
    add("hosts", "2,2023-02-27T01:00:00,2023-02-27T01:00:00,2023-02-27T02:00:00,9,0",
        "a.csv, row 3: NNodes is '0', wanted a whole number from 1");
    add("half a host", "2,2023-02-27T01:00:00,2023-02-27T01:00:00,2023-02-27T02:00:00,9,1.5",
        "a.csv, row 3: NNodes is '1.5', wanted a whole number from 1");
    add("twice", "1,2023-02-27T01:00:00,2023-02-27T01:00:00,2023-02-27T02:00:00,9,1",
        "a.csv, row 3: job '1' is in row 2 too, wanted each job once");
    add("unsorted", "2,2023-02-27T00:59:00,2023-02-27T01:00:00,2023-02-27T02:00:00,9,1",
        "a.csv, row 3: job '2' was submitted at 2023-02-27T00:59:00, and the one above at 2023-02-27T01:00:00; wanted "
        "submissions that do not fall");
    add("four", "a\nb\nc\nd",
        "a.csv, row 3: 1 cells, wanted 6 as in the header\na.csv, row 4: 1 cells, wanted 6 as in "
        "the header\na.csv, row 5: 1 cells, wanted 6 as in the header\nand 1");
  }
  void rows_that_are_wrong_are_told() {
    QFETCH(QString, row);
    QFETCH(QString, problem);
    QCOMPARE(QString::fromStdString(sacct_problems(row.toStdString() + "\n")), problem);
  }

  void files_without_what_is_needed_are_refused() {
    QCOMPARE(job_trace_fault("", "a.csv"), std::string("a.csv is empty, wanted a header and rows of jobs"));
    QCOMPARE(
        job_trace_fault("JobID,Submit,Start,End,NNodes\n", "a.csv"),
        std::string("a.csv has no column 'TimelimitRaw'; wanted JobID, Submit, Start, End, TimelimitRaw and NNodes, "
                    "there are JobID, Submit, Start, End, NNodes"));
    QCOMPARE(job_trace_fault("; nothing\n", "a.swf"),
             std::string("a.swf has no rows of jobs, wanted 18 numbers for each"));
    QVERIFY(job_trace_fault("{\"jobs\": [1,", "a.json").starts_with("a.json: "));
    QVERIFY(job_trace_fault("[]", "a.json").starts_with("a.json is no workload of Batsim"));
    QCOMPARE(job_trace(sacct_header, "a.csv").jobs.size(), std::size_t{0});
  }

  void the_standard_workload_format_is_read() {
    const JobTrace read = job_trace("; UnixStartTime: 86400\n" + swf_row({1, 5, 3, 10, 4, -1, -1, 8, 60}) +
                                        swf_row({2, 6, -1, 10, 4, -1, -1, -1, -1}),
                                    "a.swf");
    QVERIFY(read.problems.empty());
    QCOMPARE(read.jobs[0].hosts, 8U);
    QCOMPARE(read.jobs[1].hosts, 4U);
    QVERIFY(std::isinf(read.jobs[1].limit_s) && std::isnan(read.recorded_wait_s[1]));
    QCOMPARE(read.moment_text(5.0), std::string("1970-01-02T00:00:05"));
    const JobTrace wrong =
        job_trace(swf_row({1, 5, 3, -2, 4, -1, -1, 8, 60}) + "2 x\n" + swf_row({3, -4, 0, 1, 1}), "a.swf");
    QCOMPARE(wrong.problems[0], std::string("a.swf, row 1: the run time (column 4) is -2, wanted 0 s or more"));
    QCOMPARE(wrong.problems[1], std::string("a.swf, row 2: column 2 is 'x', wanted a finite number"));
    QCOMPARE(wrong.problems[2], std::string("a.swf, row 3: the submission (column 2) is -4, wanted 0 s or more"));
  }

  // As archives hold them: they are no jobs that ran, and none of them is a fault of the file.
  void who_never_ran_is_left_out_and_counted() {
    const auto swf = [](double run_s, double allocated, double wanted, double status) {
      return "7 5 3 " + number_text(run_s) + " " + number_text(allocated) + " -1 -1 " + number_text(wanted) +
             " 60 -1 " + number_text(status) + " -1 -1 -1 -1 -1 -1 -1\n";
    };
    const JobTrace read = job_trace(
        swf_row({1, 5, 3, 10, 4, -1, -1, 8, 60}) + swf(-1, 4, 8, 5) + swf(10, -1, -1, 1) + swf(0, 0, -1, 5), "a.swf");
    QVERIFY(read.problems.empty());
    QCOMPARE(read.jobs.size(), std::size_t{1});
    QCOMPARE(read.not_run, std::size_t{3});
    const JobTrace nobody = job_trace(swf(0, 0, -1, 1), "a.swf");
    QCOMPARE(
        nobody.problems[0],
        std::string("a.swf, row 1: the number of processors (columns 8 and 5) is 0, wanted a whole number from 1"));
    const std::string row = ",2023-02-27T01:00:00,2023-02-27T01:00:00,2023-02-27T02:00:00,";
    const JobTrace slurm = job_trace(sacct_header + "1" + row + "UNLIMITED,2\n1.batch" + row + "90,2\n1.extern" + row +
                                         "90,2\n2,2023-02-27T01:00:00,Unknown,Unknown,90,1\n"
                                         "3,2023-02-27T01:00:00,2023-02-27T01:00:00,Unknown,90,1\n",
                                     "a.csv");
    QVERIFY(slurm.problems.empty());
    QCOMPARE(slurm.jobs.size(), std::size_t{1});
    QVERIFY(std::isinf(slurm.jobs[0].limit_s));
    QCOMPARE(
        left_out_text("a.csv", slurm.not_run, slurm.steps),
        std::string("a.csv: 2 jobs never ran, or it does not say how long; 2 rows are steps of jobs; they are left "
                    "out."));
    QCOMPARE(left_out_text("a.csv", 0, 1), std::string("a.csv: 1 row is a step of a job; it is left out."));
  }

  void workloads_of_batsim_are_read() {
    const std::string profiles =
        R"("profiles": {"d": {"type": "delay", "delay": 2}, "s": {"type": "composed", "repeat": 3, "seq": ["d", "d"]},
      "p": {"type": "ptask", "cpu": 1}, "o": {"type": "composed", "seq": ["o"]}})";
    const JobTrace read = job_trace(R"({"jobs": [{"id": "b", "subtime": 1, "res": 2, "profile": "s", "walltime": -1},
      {"id": 3, "subtime": 1, "res": 1, "profile": "d", "walltime": 5}], )" +
                                        profiles + "}",
                                    "a.json");
    QVERIFY(read.problems.empty());
    QVERIFY(read.names == (std::vector<std::string>{"3", "b"}));
    QCOMPARE(read.jobs[1].run_s, 12.0);
    const JobTrace wrong = job_trace(R"({"jobs": [{"id": 1, "subtime": 1, "res": 1, "profile": "p"},
      {"id": 2, "subtime": 1, "res": 1, "profile": "o"}, {"id": 3, "subtime": 1, "res": 0, "profile": "d"}, 7], )" +
                                         profiles + "}",
                                     "a.json");
    QCOMPARE(wrong.seen, std::size_t{4});
    QCOMPARE(wrong.problems[0], std::string("a.json, row 1: profile 'p' is of type 'ptask', whose time depends on a "
                                            "platform; wanted a delay or a sequence of delays"));
    QCOMPARE(wrong.problems[1], std::string("a.json, row 2: profile 'o' holds itself or more than 100 levels"));
    QCOMPARE(wrong.problems[2], std::string("a.json, row 3: res is 0, wanted a whole number from 1"));
    QCOMPARE(wrong.untold, std::size_t{1});
  }

  // Cut anywhere, or with a byte exchanged: told or read, never more jobs than rows.
  void damaged_files_do_no_harm() {
    const std::string csv = sacct_header +
                            "1,2023-02-27T01:00:00,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2\n"
                            "2,2023-02-27T01:00:00,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2\n";
    const std::string swf = swf_row({1, 5, 3, 10, 4, -1, -1, 8, 60}) + swf_row({2, 6, 3, 10, 4, -1, -1, 8, 60});
    const std::string json = R"({"jobs": [{"id": 3, "subtime": 1, "res": 1, "profile": "d", "walltime": 5}],
      "profiles": {"d": {"type": "delay", "delay": 2}}})";
    for (const auto& [text, file] : {std::pair(csv, "a.csv"), std::pair(swf, "a.swf"), std::pair(json, "a.json")})
      for (std::size_t at = 0; at < text.size(); ++at)
        for (const char with : {'\0', '9', '"', ',', '-', ' ', '\xff', '{'}) {
          std::string damaged = with == '\0' ? text.substr(0, at) : text;
          if (with != '\0') damaged[at] = with;
          const auto read = read_job_trace(damaged, file, 3);
          if (const auto* trace = std::get_if<JobTrace>(&read)) QVERIFY(trace->jobs.size() <= 2);
        }
  }
};

QTEST_APPLESS_MAIN(TestJobTraces)
#include "tst_job_traces.moc"
