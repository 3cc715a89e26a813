// Traces of training jobs and tables of throughputs: what is read, and what is refused with which words.
#include <QtTest>
#include <variant>

#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/shockwave_trace.h"
#include "solvers/cluster/traces/throughput_table.h"

using namespace ergode;

namespace {

const std::string good_row = "LM (batch size 10)\t-\t-\t-\t1\t134583\t2\tgns\t1\t-1\t1418\t55.5\n";

template <typename Value>
QString first_message(const std::variant<Value, Diagnostics>& read, std::size_t* count = nullptr) {
  const auto* found = std::get_if<Diagnostics>(&read);
  if (count != nullptr) *count = found == nullptr ? 0 : found->size();
  if (found == nullptr) return "read";
  for (const Diagnostic& one : *found)
    if (one.code != "RND011" || one.severity != Severity::error) return "another code";
  return QString::fromStdString(found->front().message);
}

std::string with_cell(int number, const std::string& text) {
  QStringList cells = QString::fromStdString(good_row).trimmed().split('\t');
  cells[number] = QString::fromStdString(text);
  return cells.join('\t').toStdString() + "\n";
}

}  // namespace

class TestTrainingTraces : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_row_is_read() {
    const auto read = read_shockwave_trace("\xef\xbb\xbf\r\n" + good_row, "a.trace");
    const RoundJob job = std::get<0>(read).at(0);
    QCOMPARE(job.model, std::string("LM"));
    QCOMPARE(job.batch_size, 10);
    QCOMPARE(job.gpus, 2);
    QCOMPARE(job.mode, BatchMode::gns);
    QCOMPARE(job.total_steps, std::int64_t{134583});
    QCOMPARE(job.arrival_s, 55.5);
    QCOMPARE(job.listed_duration_s, 1418.0);
  }

  void what_is_written_reads_back() {
    std::vector<RoundJob> jobs = std::get<0>(read_shockwave_trace(good_row + with_cell(7, "static"), "a.trace"));
    const auto again = std::get<0>(read_shockwave_trace(write_shockwave_trace(jobs), "b.trace"));
    QCOMPARE(again.size(), jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      QCOMPARE(again[i].model, jobs[i].model);
      QCOMPARE(again[i].mode, jobs[i].mode);
      QCOMPARE(again[i].arrival_s, jobs[i].arrival_s);
      QCOMPARE(again[i].listed_duration_s, jobs[i].listed_duration_s);
    }
  }

  void bad_rows_are_named_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& text, const char* message) {
      QTest::newRow(name) << QString::fromStdString(text) << QString(message);
    };
    row("empty", "\n\n", "t: there are no rows; wanted at least one job.");
    row("cells", good_row + "LM\t1\n", "t, row 2: 2 cells between tabs; wanted 12.");
    row("job", with_cell(0, "LM (batch size x)"),
        "t, row 1: the job is 'LM (batch size x)'; wanted 'Model (batch size b)'.");
    row("batch", with_cell(0, "LM (batch size 0)"),
        "t, row 1: the job is 'LM (batch size 0)'; wanted 'Model (batch size b)'.");
    row("steps", with_cell(5, "-5"),
        "t, row 1: total_steps is '-5'; wanted a whole number from 1 to 1000000000000000.");
    row("part of a step", with_cell(5, "1.5"),
        "t, row 1: total_steps is '1.5'; wanted a whole number from 1 to 1000000000000000.");
    row("gpus", with_cell(6, ""), "t, row 1: num_gpus is ''; wanted a whole number from 1 to 1000000.");
    row("mode", with_cell(7, "GNS"), "t, row 1: mode is 'GNS'; wanted static, accordion or gns.");
    row("duration", with_cell(10, "0"), "t, row 1: duration_s is '0'; wanted more than 0.");
    row("arrival", with_cell(11, "nan"), "t, row 1: arrival_s is 'nan'; wanted a number from 0 on.");
    row("order", good_row + with_cell(11, "55"),
        "t, row 2: arrival_s is 55, before that of the row above; wanted at least 55.5.");
  }
  void bad_rows_are_named() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    QCOMPARE(first_message(read_shockwave_trace(text.toStdString(), "t")), message);
  }

  void all_bad_rows_are_told_up_to_twenty() {
    std::string text;
    for (int i = 0; i < 25; ++i) text += with_cell(7, "x");
    const auto read = read_shockwave_trace(text, "t");
    QCOMPARE(std::get<Diagnostics>(read).size(), std::size_t{20});
    QCOMPARE(std::get<Diagnostics>(read).back().hint, std::string("5 more are not shown."));
  }

  void gavel_rows_stand_in_the_order_of_arrival() {
    const std::string late = "LM (batch size 5)\t-\t-n\t1\t100\t20.0\t1\n";
    const std::string text = "A3C\t-\t-n\t1\t200\t10.0\t4\nLM (batch size 5)\t-\t-n\t1\t300\t10\t2\n" + late;
    QCOMPARE(first_message(read_training_trace(late + text, "t")),
             "t, row 2: arrival_s is 10, before that of the row above; wanted at least 20.");
    const auto jobs = std::get<0>(read_training_trace(text, "t"));
    QCOMPARE(jobs.size(), std::size_t{3});
    QCOMPARE(jobs[0].total_steps, std::int64_t{200});
    QCOMPARE(jobs[0].model, std::string("A3C"));
    QCOMPARE(jobs[0].gpus, 4);
    QCOMPARE(jobs[1].total_steps, std::int64_t{300});
    QVERIFY(std::isinf(jobs[2].listed_duration_s));
    QCOMPARE(first_message(read_training_trace("LM\t-\t-n\t1\tx\t20\t1\n", "t")),
             "t, row 1: total_steps is 'x'; wanted a whole number from 1 to 1000000000000000.");
    // Told by the cells of the first row: this one is no row of Gavel's.
    QCOMPARE(first_message(read_training_trace(good_row + "LM\t-\t-n\t1\t1\t20\t1\n", "t")),
             "t, row 2: 7 cells between tabs; wanted 12.");
  }

  void throughputs_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const QString head = "model,batch_size,num_gpus,steps_per_s_a,steps_per_s_b\n";
    QTest::newRow("good") << head + "LM,5,1,2.5,3\nLM,5,2,0,0\n"
                          << "read";
    QTest::newRow("no rows") << head << "t: there are 1 rows; wanted a head and at least one more.";
    QTest::newRow("column") << "model,batch_size,gpus,steps_per_s\nLM,5,1,2\n"
                            << "t, row 1: there is no column num_gpus; wanted model, batch_size, num_gpus and "
                               "steps_per_s.";
    QTest::newRow("cells") << head + "LM,5,1,2\n"
                           << "t, row 2: 4 cells; wanted 5.";
    QTest::newRow("negative") << head + "LM,5,1,-2,3\n"
                              << "t, row 2: steps_per_s_a is '-2'; wanted a number from 0 on.";
    QTest::newRow("twice") << head + "LM,5,1,2,3\nLM,5,1,2,3\n"
                           << "t, row 3: LM with batch size 5 on 1 GPUs is there twice; wanted once.";
    QTest::newRow("csv") << head + "\"LM,5,1,2,3\n"
                         << "t: line 2: a quoted cell is never closed, wanted a second \".";
  }
  void throughputs() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    QCOMPARE(first_message(read_throughputs(text.toStdString(), "t")), message);
  }

  void the_column_of_throughputs_can_be_named() {
    const std::string text = "model,batch_size,num_gpus,steps_per_s_a,steps_per_s_b\nLM,5,1,2.5,3\nLM,5,2,0,4\n";
    const auto first = std::get<Throughputs>(read_throughputs(text, "t"));
    QCOMPARE(first.of("LM", 5, 1), std::optional(2.5));
    QVERIFY(!first.of("LM", 5, 2));  // 0: not measured
    QCOMPARE(std::get<Throughputs>(read_throughputs(text, "t", "steps_per_s_b")).of("LM", 5, 2), std::optional(4.0));
  }
};

QTEST_APPLESS_MAIN(TestTrainingTraces)
#include "tst_training_traces.moc"
