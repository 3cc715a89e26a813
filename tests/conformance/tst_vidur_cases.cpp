// Profiles of operators that Vidur measured (Agrawal et al., MLSys 2024), read as a user's table: what is left out of
// them is predicted from the rest within 10 % of the median.
#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "plugins/llm_serving/engine/operator_times.h"
#include "plugins/llm_serving/engine/workload.h"
#include "plugins/support/csv_table.h"
#include "tests/conformance/cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Rows of a table by what its key columns say; the lines as they are.
struct VidurRow {
  double size = 0.0, group = 0.0;
  std::string line;
};
struct VidurTable {
  std::string header;
  std::vector<VidurRow> rows;
};

VidurTable vidur_table(const std::string& path, const char* size, const char* group) {
  const std::string text = plugin_support::file_content(path);
  const plugin_support::CsvTable table(text, {{{size}}, {{group}}});
  VidurTable out;
  std::istringstream lines(text);
  std::getline(lines, out.header);
  std::string line;
  for (std::size_t row = 0; std::getline(lines, line) && row < table.rows(); ++row)
    out.rows.push_back({table.number(row, 0), table.number(row, 1), line});
  return out;
}

/// Share of the predictions that are within 10 %.
double vidur_near(const std::vector<double>& sorted) {
  constexpr double tolerance = 0.10;
  return static_cast<double>(std::distance(sorted.begin(), std::upper_bound(sorted.begin(), sorted.end(), tolerance))) /
         static_cast<double>(sorted.size());
}

double vidur_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2.0;
}

}  // namespace

class TestVidurCases : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void left_out_token_counts_are_predicted() {
    if (case_folder("vidur_profiles").empty()) QSKIP("no cases folder: ERGODE_CASES names none with vidur_profiles");
    const std::string path = case_folder("vidur_profiles") + "/a100_Llama-2-7b/mlp.csv";
    QElapsedTimer timer;
    timer.start();
    const VidurTable all = vidur_table(path, "num_tokens", "num_tensor_parallel_workers");
    constexpr double layers = 32.0;
    std::vector<double> off;
    for (const double gpus : {1.0, 2.0, 4.0}) {
      const llm_serving::TimeTable whole =
          llm_serving::read_operator_times(plugin_support::file_content(path), layers, gpus);
      std::vector<double> sizes;
      for (const VidurRow& row : all.rows)
        if (row.group == gpus) sizes.push_back(row.size);
      std::sort(sizes.begin(), sizes.end());
      sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
      for (std::size_t third = 0; third < 3; ++third) {
        std::string kept = all.header + "\n";
        for (const VidurRow& row : all.rows) {
          const auto place = static_cast<std::size_t>(
              std::distance(sizes.begin(), std::lower_bound(sizes.begin(), sizes.end(), row.size)));
          if (row.group == gpus && place % 3 != third) kept += row.line + "\n";
        }
        const llm_serving::TimeTable rest = llm_serving::read_operator_times(kept, layers, gpus);
        for (std::size_t i = third; i < sizes.size(); i += 3)
          if (i > 0 && i + 1 < sizes.size()) off.push_back(std::fabs(rest.at(&sizes[i]) / whole.at(&sizes[i]) - 1.0));
      }
    }
    std::sort(off.begin(), off.end());
    qInfo(
        "%zu sizes left out: median %.2f %%, 90th percentile %.2f %%, most %.1f %%, %.2f %% of them within 10 %%; %lld "
        "ms",
        off.size(), 100.0 * vidur_median(off), 100.0 * off[off.size() * 9 / 10], 100.0 * off.back(),
        100.0 * vidur_near(off), static_cast<long long>(timer.elapsed()));
    QVERIFY(off.size() > 100);
    QVERIFY(vidur_median(off) <= 0.10);
    QVERIFY(vidur_near(off) >= 0.92);
  }
  void left_out_sizes_of_collectives_are_predicted_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("column");
    for (const char* name : {"a100_dgx_all_reduce", "a100_dgx_send_recv", "h100_dgx_all_reduce"})
      QTest::newRow(name) << QString("network/%1.csv").arg(name)
                          << QString("time_stats.%1.median").arg(QString(name).section('_', 2));
  }
  void left_out_sizes_of_collectives_are_predicted() {
    if (case_folder("vidur_profiles").empty()) QSKIP("no cases folder: ERGODE_CASES names none with vidur_profiles");
    QFETCH(QString, file);
    QFETCH(QString, column);
    const std::string path = case_folder("vidur_profiles") + "/" + file.toStdString(), header = column.toStdString();
    const plugin_support::CsvTable table(plugin_support::file_content(path),
                                         {{{"size"}}, {{"num_workers"}}, {{"devices_per_node"}}, {{header}}});
    // By how many there are and how many of them in a machine, then by size; all ranks that were measured.
    std::map<std::pair<double, double>, std::map<double, std::vector<double>>> groups;
    for (std::size_t row = 0; row < table.rows(); ++row)
      groups[{table.number(row, 1), table.number(row, 2)}][table.number(row, 0)].push_back(table.number(row, 3));
    std::vector<double> off;
    for (const auto& [group, by_size] : groups) {
      std::vector<double> sizes, ms;
      for (const auto& [size, times] : by_size) sizes.push_back(size), ms.push_back(vidur_median(times));
      for (std::size_t third = 0; third < 3; ++third) {
        std::vector<double> kept_sizes, kept_ms;
        for (std::size_t i = 0; i < sizes.size(); ++i)
          if (i % 3 != third) kept_sizes.push_back(sizes[i]), kept_ms.push_back(ms[i]);
        const llm_serving::TimeTable rest({kept_sizes}, kept_ms);
        for (std::size_t i = third; i < sizes.size(); i += 3)
          if (i > 0 && i + 1 < sizes.size()) off.push_back(std::fabs(rest.at(&sizes[i]) / ms[i] - 1.0));
      }
    }
    std::sort(off.begin(), off.end());
    qInfo("%zu sizes left out: median %.2f %%, 90th percentile %.2f %%, most %.1f %%, %.2f %% of them within 10 %%",
          off.size(), 100.0 * vidur_median(off), 100.0 * off[off.size() * 9 / 10], 100.0 * off.back(),
          100.0 * vidur_near(off));
    QVERIFY(off.size() > 20);
    QVERIFY(vidur_median(off) <= 0.10);
    QVERIFY(vidur_near(off) >= 0.92);
  }

  // Two and four GPUs: what they share gets faster, what they tell each other does not.
  void a_model_on_gpus_that_share_it() {
    if (case_folder("vidur_profiles").empty()) QSKIP("no cases folder: ERGODE_CASES names none with vidur_profiles");
    const std::string folder = case_folder("vidur_profiles");
    constexpr double layers = 32.0, hidden = 4096.0;
    const auto ms = [&folder](double gpus, double tokens, bool tell) {
      llm_serving::OperatorTimes times;
      times.by_tokens.push_back(llm_serving::read_operator_times(
          plugin_support::file_content(folder + "/a100_Llama-2-7b/mlp.csv"), layers, gpus));
      times.reduce = {gpus, tell ? 2.0 * layers : 0.0, 2.0 * hidden};
      if (gpus > 1.0)
        times.reduce_by_bytes.push_back(llm_serving::read_reduce_times(
            plugin_support::file_content(folder + "/network/a100_dgx_all_reduce.csv"), gpus));
      return llm_serving::pass_model(std::move(times))->ms({.tokens = tokens, .requests = 1.0});
    };
    for (const double tokens : {64.0, 512.0, 2048.0}) {
      QVERIFY(ms(2.0, tokens, false) < ms(1.0, tokens, false) && ms(4.0, tokens, false) < ms(2.0, tokens, false));
      // 14 GB of weights in 2 TB/s: 6.6 ms, and 13 GFLOP a token in 312 TFLOP/s.
      QVERIFY(ms(1.0, tokens, false) > std::max(5.5, tokens * 13.0 / 312.0));
      const double told = ms(2.0, tokens, true) - ms(2.0, tokens, false);
      QVERIFY(told > 64.0 * 0.01 && told < ms(2.0, tokens, false));
    }
  }

  void counts_of_traces() {
    if (case_folder("llm_traces").empty()) QSKIP("no cases folder: ERGODE_CASES names none with llm_traces");
    const std::string folder = case_folder("llm_traces");
    const plugin_support::CsvTable expected(plugin_support::file_content(folder + "/expected.csv"),
                                            {{{"file"}, true}, {{"quantity"}, true}, {{"value"}}});
    for (std::size_t row = 0; row < expected.rows(); ++row) {
      const auto read = llm_serving::read_requests(plugin_support::file_content(folder + "/" + expected.text(row, 0)));
      QCOMPARE(static_cast<double>(read.size()), expected.number(row, 2));
    }
    QCOMPARE(expected.rows(), std::size_t{2});
  }
};

QTEST_APPLESS_MAIN(TestVidurCases)
#include "tst_vidur_cases.moc"
