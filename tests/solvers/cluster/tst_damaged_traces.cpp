// Traces that were damaged on their way: each is read as its format says, or what is wrong is told with the row, the
// value seen and the value wanted, in few words whatever stands there.
#include <QtTest>
#include <functional>

#include "solvers/cluster/traces/fleet_trace.h"
#include "solvers/cluster/traces/gang_trace.h"
#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/iteration_trace.h"
#include "solvers/cluster/traces/job_trace.h"
#include "solvers/cluster/traces/shockwave_trace.h"
#include "solvers/cluster/traces/throughput_table.h"

using namespace ergode;

namespace {

/// How many jobs were read, and what was wrong.
struct TraceRead {
  std::size_t jobs = 0;
  std::vector<std::string> problems;
  std::string all() const {
    std::string out;
    for (const std::string& one : problems) out += one + "\n";
    return out;
  }
};

template <typename Made>
TraceRead read_of(const std::variant<Made, std::string>& made) {
  if (const auto* why = std::get_if<std::string>(&made)) return {0, {*why}};
  return {std::get<Made>(made).jobs.size(), std::get<Made>(made).problems};
}
template <typename Made, typename Count>
TraceRead read_of(const std::variant<Made, Diagnostics>& made, const Count& count) {
  if (const auto* jobs = std::get_if<Made>(&made)) return {count(*jobs), {}};
  TraceRead out;
  for (const Diagnostic& one : std::get<Diagnostics>(made)) out.problems.push_back(one.message);
  return out;
}

/// A format by a sound file with three rows of jobs, and what parts their cells.
struct TraceFormat {
  std::string name, head, rows[3];
  std::function<TraceRead(const std::string&)> read;
  char parts() const {
    return rows[0].find('|') != std::string::npos ? '|' : name == "swf" ? ' ' : head.empty() ? '\t' : ',';
  }
  std::string sound() const { return head + rows[0] + "\n" + rows[1] + "\n" + rows[2] + "\n"; }
};

std::vector<TraceFormat> trace_formats() {
  const auto sacct = [](const std::string& text) { return read_of(read_job_trace(text, "t", 5)); };
  const auto swf = [](const std::string& text) { return read_of(read_job_trace(text, "t.swf", 5)); };
  const auto gang = [](const std::string& text) { return read_of(read_gang_trace(text, "t", 5)); };
  const auto training = [](const std::string& text) {
    return read_of(read_training_trace(text, "t"), [](const auto& jobs) { return jobs.size(); });
  };
  const auto fleet = [](const std::string& text) {
    return read_of(read_fleet_trace(text, "t"), [](const auto& made) { return made.jobs.size(); });
  };
  const auto iterations = [](const std::string& text) {
    return read_of(read_iteration_trace(text, "t", {}), [](const auto& made) { return made.jobs.size(); });
  };
  const auto speeds = [](const std::string& text) {
    return read_of(read_throughputs(text, "t", ""), [](const Throughputs& made) {
      return std::size_t{made.of("LM", 10, 1).has_value()} + made.of("LM", 10, 2).has_value() +
             made.of("LM", 20, 1).has_value();
    });
  };
  const std::string swf_end = " -1 -1 -1 -1 -1 -1 -1 -1 -1";
  return {{"sacct",
           "JobID,Submit,Start,End,TimelimitRaw,NNodes\n",
           {"1,2023-02-27T01:00:00,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2",
            "2,2023-02-27T01:00:01,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2",
            "3,2023-02-27T01:00:02,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2"},
           sacct},
          {"sacct between bars",
           "JobID|Submit|Start|End|TimelimitRaw|NNodes\n",
           {"1|2023-02-27T01:00:00|2023-02-27T01:00:30|2023-02-27T02:00:30|90|2",
            "2|2023-02-27T01:00:01|2023-02-27T01:00:30|2023-02-27T02:00:30|90|2",
            "3|2023-02-27T01:00:02|2023-02-27T01:00:30|2023-02-27T02:00:30|90|2"},
           sacct},
          {"swf",
           "",
           {"1 0 5 60 2 -1 -1 2 90" + swf_end, "2 10 5 60 2 -1 -1 2 90" + swf_end, "3 20 5 60 2 -1 -1 2 90" + swf_end},
           swf},
          {"shockwave",
           "",
           {"LM (batch size 10)\t-\t-\t-\t0\t20\t1\tgns\t1\t-1\t1418\t0",
            "LM (batch size 10)\t-\t-\t-\t0\t20\t1\tgns\t1\t-1\t1418\t10",
            "LM (batch size 10)\t-\t-\t-\t0\t20\t1\tgns\t1\t-1\t1418\t20"},
           training},
          {"gavel",
           "",
           {"LM (batch size 10)\t-\t-n\t1\t20\t0\t1", "LM (batch size 10)\t-\t-n\t1\t20\t10\t1",
            "LM (batch size 10)\t-\t-n\t1\t20\t20\t1"},
           training},
          {"pollux",
           "name,time,application,num_replicas,batch_size\n",
           {"a,0,cifar10,1,128", "b,10,cifar10,1,128", "c,20,cifar10,1,128"},
           gang},
          {"tiresias", "job_id,submit_time,num_gpu,duration\n", {"a,0,1,5", "b,10,1,5", "c,20,1,5"}, gang},
          {"fleet", "job,arrival_s,gpus,run_s\n", {"a,0,1,5", "b,10,1,5", "c,20,1,5"}, fleet},
          {"iterations",
           "job,arrival_s,iterations,workers,duration\n",
           {"a,0,10,1,5", "b,10,10,1,5", "c,20,10,1,5"},
           iterations},
          {"throughputs", "model,batch_size,num_gpus,steps_per_s\n", {"LM,10,1,5", "LM,10,2,9", "LM,20,1,3"}, speeds}};
}

TraceFormat trace_format(const QString& name) {
  for (TraceFormat& one : trace_formats())
    if (one.name == name.toStdString()) return std::move(one);
  throw std::runtime_error("no such format");
}

std::vector<std::string> cells_of(const std::string& row, char parts) {
  std::vector<std::string> out(1);
  for (const char one : row)
    if (one == parts) out.emplace_back();
    else out.back() += one;
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

void compare_sound(const TraceFormat& format, const std::string& text) {
  const TraceRead read = format.read(text);
  QVERIFY2(read.problems.empty() && read.jobs == 3, (format.name + ": " + read.all()).c_str());
}

/// Something is told, at a row where there is one, in few words.
void compare_told(const TraceFormat& format, const std::string& text, const std::string& part) {
  const TraceRead read = format.read(text);
  QVERIFY2(read.all().find(part) != std::string::npos, (format.name + ", wanted " + part + ": " + read.all()).c_str());
  for (const std::string& one : read.problems) QVERIFY2(one.size() < 500, format.name.c_str());
}

}  // namespace

class TestDamagedTraces : public QObject {
  Q_OBJECT
  static void add_formats() {
    QTest::addColumn<QString>("name");
    for (const TraceFormat& one : trace_formats()) QTest::newRow(one.name.c_str()) << QString::fromStdString(one.name);
  }
 private Q_SLOTS:
  void lines_may_end_as_they_do_anywhere_data() { add_formats(); }
  void lines_may_end_as_they_do_anywhere() {
    QFETCH(QString, name);
    const TraceFormat format = trace_format(name);
    const std::string sound = format.sound();
    compare_sound(format, sound);
    compare_sound(format, sound.substr(0, sound.size() - 1));
    compare_sound(format, "\xef\xbb\xbf" + sound);
    for (const char* end : {"\r\n", "\r", "\n\n", "\r\n\r\n"}) compare_sound(format, replaced(sound, "\n", end));
    compare_sound(format, "\r\n\n" + sound);
  }

  void what_is_cut_off_is_told_data() { add_formats(); }
  void what_is_cut_off_is_told() {
    QFETCH(QString, name);
    const TraceFormat format = trace_format(name);
    compare_told(format, "", "t");
    compare_told(format, "\n \n", "t");
    const std::string sound = format.sound();
    // Somewhere before the last cell; within it nobody can see it, and without any letter the row was never there.
    const std::size_t begin = sound.size() - format.rows[2].size() - 1, end = sound.rfind(format.parts());
    for (std::size_t at = begin + 1; at <= end; ++at)
      compare_told(format, sound.substr(0, at), format.head.empty() ? ", row 3: " : ", row 4: ");
    if (!format.head.empty()) compare_told(format, sound.substr(format.head.size()), "t");  // its columns
  }

  void a_byte_of_zeros_is_told_by_its_line_data() { add_formats(); }
  void a_byte_of_zeros_is_told_by_its_line() {
    QFETCH(QString, name);
    const TraceFormat format = trace_format(name);
    std::string text = format.sound();
    const std::size_t at = text.find(format.rows[1]);
    for (std::size_t i = 0; i < format.rows[1].size(); ++i) {
      std::string damaged = text;
      damaged[at + i] = '\0';
      compare_told(format, damaged, (format.head.empty() ? "line 2" : "line 3") + std::string(" holds a NUL byte"));
    }
  }

  void ten_megabytes_without_a_line_end_are_told_in_few_words_data() { add_formats(); }
  void ten_megabytes_without_a_line_end_are_told_in_few_words() {
    QFETCH(QString, name);
    const TraceFormat format = trace_format(name);
    const auto filled = [](const std::string& part) {
      std::string out;
      constexpr std::size_t size = 10'000'000;
      while (out.size() < size) out += part;
      return out;
    };
    const std::string letters = filled("x");
    compare_told(format, format.head + letters, "t");
    compare_told(format, format.head + filled(std::string("1") + format.parts()), "t");
    // One cell of a row that is sound otherwise: the last one that is read.
    std::string row = format.rows[0];
    const std::size_t last = name == "pollux" ? row.find("1,128") : row.find_last_of(format.parts()) + 1;
    compare_told(format, format.head + row.replace(last, 1, letters), "x");
  }

  void what_no_row_may_hold_is_told_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("problem");
    const auto add = [](const char* what, const char* name, const char* row, const char* problem) {
      QTest::newRow((std::string(name) + ": " + what).c_str()) << QString(name) << QString(row) << QString(problem);
    };
    add("negative", "sacct", "4,2023-02-27T01:00:05,2023-02-27T01:00:30,2023-02-27T02:00:30,-90,2",
        "t, row 5: TimelimitRaw is '-90', wanted minutes above 0");
    add("unsorted", "sacct", "4,2023-02-27T01:00:00,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2",
        "t, row 5: job '4' was submitted at 2023-02-27T01:00:00, and the one above at 2023-02-27T01:00:02");
    add("twice", "sacct", "1,2023-02-27T01:00:05,2023-02-27T01:00:30,2023-02-27T02:00:30,90,2",
        "t, row 5: job '1' is in row 2 too, wanted each job once");
    add("negative", "swf", "4 -20 5 60 2 -1 -1 2 90 -1 -1 -1 -1 -1 -1 -1 -1 -1",
        "t.swf, row 4: the submission (column 2) is -20, wanted 0 s or more");
    add("unsorted", "swf", "4 19 5 60 2 -1 -1 2 90 -1 -1 -1 -1 -1 -1 -1 -1 -1",
        "t.swf, row 4: job '4' was submitted at 19, and the one above at 20; wanted submissions that do not fall");
    add("twice", "swf", "1 20 5 60 2 -1 -1 2 90 -1 -1 -1 -1 -1 -1 -1 -1 -1",
        "t.swf, row 4: job '1' is in row 1 too, wanted each job once");
    add("negative", "shockwave", "LM (batch size 10)\t-\t-\t-\t0\t20\t1\tgns\t1\t-1\t1418\t-1",
        "t, row 4: arrival_s is '-1'; wanted a number from 0 on.");
    add("unsorted", "shockwave", "LM (batch size 10)\t-\t-\t-\t0\t20\t1\tgns\t1\t-1\t1418\t19",
        "t, row 4: arrival_s is 19, before that of the row above; wanted at least 20.");
    add("negative", "gavel", "LM (batch size 10)\t-\t-n\t1\t20\t-1\t1",
        "t, row 4: arrival_s is '-1'; wanted a number from 0 on.");
    add("unsorted", "gavel", "LM (batch size 10)\t-\t-n\t1\t20\t19\t1",
        "t, row 4: arrival_s is 19, before that of the row above; wanted at least 20.");
    add("unsorted", "fleet", "d,19,1,5",
        "t, row 5: arrival_s is 19, before that of the row above; wanted at least 20.");
    add("unsorted", "iterations", "d,19,10,1,5",
        "t, row 5: arrival_s is 19, before that of the row above; wanted at least 20.");
    add("negative", "pollux", "d,-1,cifar10,1,128", "t, row 5: time is '-1', wanted seconds from 0");
    add("unsorted", "pollux", "d,19,cifar10,1,128", "t, row 5: job 'd' came at 19, before the one above");
    add("twice", "pollux", "a,20,cifar10,1,128", "t, row 5: job 'a' is in row 2 too, wanted each job once");
    add("negative", "fleet", "d,-1,1,5", "t, row 5: arrival_s is '-1'; wanted a number from 0 on.");
    add("twice", "fleet", "a,20,1,5", "t, row 5: job 'a' is in row 2 too; wanted each job once.");
    add("negative", "iterations", "d,-1,10,1,5", "t, row 5: arrival_s is '-1'; wanted a number from 0 on");
    add("twice", "iterations", "a,20,10,1,5", "t, row 5: job 'a' is in row 2 too; wanted each job once.");
    add("twice", "throughputs", "LM,10,1,5", "t, row 5: LM with batch size 10 on 1 GPUs is there twice; wanted once.");
  }
  void what_no_row_may_hold_is_told() {
    QFETCH(QString, name);
    QFETCH(QString, row);
    QFETCH(QString, problem);
    const TraceFormat format = trace_format(name);
    compare_told(format, format.sound() + row.toStdString() + "\n", problem.toStdString());
  }

  // Which of two columns is meant nobody knows; of those that nobody reads it does not matter.
  void a_column_that_is_there_twice_is_told() {
    std::size_t seen = 0;
    for (const TraceFormat& format : trace_formats()) {
      if (format.head.empty()) continue;
      const std::string head = format.head.substr(0, format.head.size() - 1);
      const std::vector<std::string> names = cells_of(head, format.parts());
      for (std::size_t c = 0; c < names.size(); ++c) {
        std::string text = head + format.parts() + names[c] + "\n";
        for (const std::string& row : format.rows)
          text += row + format.parts() + cells_of(row, format.parts())[c] + "\n";
        const TraceRead read = format.read(text);
        const std::string wanted = "t, row 1: column '" + names[c] + "' is there twice, as columns " +
                                   std::to_string(c + 1) + " and " + std::to_string(names.size() + 1) + "; wanted one";
        if (names[c] == "batch_size" && format.name == "pollux") QVERIFY(read.jobs == 3 && read.problems.empty());
        else
          QVERIFY2(read.problems.size() == 1 && read.problems[0].starts_with(wanted),
                   (format.name + ": " + read.all()).c_str());
        ++seen;
      }
    }
    QVERIFY(seen > 25);
  }

  // Below a row of dashes, too, rows are numbered as an editor numbers lines.
  void rows_below_a_rule_keep_their_number() {
    const std::string text =
        "JobID Submit Start End TimelimitRaw NNodes\n----- ------ ----- --- ------------ ------\n"
        "1 2023-02-27T01:00:00 2023-02-27T01:00:30 2023-02-27T02:00:30 90 x\n";
    const auto read = std::get<JobTrace>(read_sacct(text, "t", 5));
    QCOMPARE(read.problems[0], std::string("t, row 3: NNodes is 'x', wanted a whole number from 1"));
  }

  // No calendar reaches there.
  void moments_beyond_all_calendars_are_told_in_seconds() {
    for (const char* zero : {"0", "1e300", "-1e300"}) {
      std::string text = std::string("; UnixStartTime: ") + zero + "\n";
      for (const char* row : {"1 1e300", "2 1e200"})
        text += std::string(row) + " 5 60 2 -1 -1 2 90 -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
      const auto read = std::get<JobTrace>(read_swf(text, "t", 5));
      QCOMPARE(read.problems.size(), std::size_t{1});
      QVERIFY2(read.problems[0].find("submitted at 1e+200, and the one above at 1e+300") != std::string::npos,
               read.problems[0].c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestDamagedTraces)
#include "tst_damaged_traces.moc"
