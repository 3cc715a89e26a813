#include <QtTest>
#include <filesystem>
#include <fstream>

#include "app/session/import.h"
#include "core/base/csv.h"
#include "core/base/text.h"
#include "solvers/registry.h"
#include "tests/conformance/cases.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string tree_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

/// Published fault trees of twenty and more basic events with values that Storm's own tool worked out, exactly or
/// between proven bounds (Quantitative Verification Benchmark Set). Driven by expected.csv: every row of a .dft file.
class TestLargeTrees : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void published_trees_are_solved_in_seconds_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("quantity");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("slack");
    const std::string table = case_folder("qcomp_ctmc_ma") + "/expected.csv";
    if (!std::filesystem::exists(table)) QSKIP("no cases folder");
    const auto rows = parse_csv(tree_text(table));
    for (const auto& row : std::get<0>(rows)) {
      if (row.size() < 5 || !row[1].ends_with(".dft")) continue;
      const double value = std::stod(row[3]);
      double slack = -1;
      if (row[4].starts_with("rel:")) slack = std::stod(row[4].substr(4)) * value;
      if (const auto dots = row[4].find(".."); row[4].starts_with("interval:") && dots != std::string::npos)
        slack = (std::stod(row[4].substr(dots + 2)) - std::stod(row[4].substr(9, dots - 9))) / 2;
      QTest::newRow((row[1] + ": " + row[2]).c_str()) << row[1].c_str() << row[2].c_str() << value << slack;
    }
  }
  void published_trees_are_solved_in_seconds() {
    QFETCH(QString, file);
    QFETCH(QString, quantity);
    QFETCH(double, value);
    QFETCH(double, slack);
    QVERIFY2(slack >= 0, "tolerance not understood");
    const ImportedModel read = import_model(case_folder("qcomp_ctmc_ma") + "/" + file.toStdString());
    QVERIFY2(read.document.has_value(), listed(read.diagnostics).c_str());
    const bool by = quantity.startsWith("P(fail<=");
    RunRequest request;
    request.overrides["mission_time"] = by ? quantity.mid(8).chopped(1).toStdString() + " h" : "1 h";
    RunControl control;
    const ResultSet results =
        find_solver(by ? "ctmc-transient" : "ctmc-steady-state")->solve(*read.document, request, control);
    const MeasureResult* m = results.measure(by ? "failed_by_end" : "time_to_failure");
    QVERIFY2(m != nullptr, listed(results.diagnostics).c_str());
    QVERIFY2(std::abs(m->estimate - value) <= slack,
             qPrintable(QString("found %1, published %2").arg(m->estimate, 0, 'g', 16).arg(value, 0, 'g', 16)));
  }
};

QTEST_APPLESS_MAIN(TestLargeTrees)
#include "tst_large_trees.moc"
