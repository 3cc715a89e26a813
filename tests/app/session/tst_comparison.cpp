// Two runs side by side: differences and their intervals.
#include <QtTest>
#include <cmath>

#include "app/session/comparison.h"
#include "tests/support/test_program.h"

using namespace ergode;

namespace {

MeasureResult measure(const char* id, double estimate, double error, const char* unit = "s") {
  MeasureResult out;
  out.id = id, out.unit = unit, out.estimate = estimate, out.standard_error = error;
  out.lower = estimate - 1.959964 * error, out.upper = estimate + 1.959964 * error;
  return out;
}

ResultSet run(std::uint64_t seed, std::vector<MeasureResult> measures) {
  ResultSet out;
  out.provenance.solver = "simulation", out.provenance.seed = seed;
  out.measures = std::move(measures);
  return out;
}

std::string cell(const ResultTable& table, std::size_t row, std::size_t column) {
  return std::get<std::string>(table.rows.at(row).at(column));
}

}  // namespace

class TestComparison : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Oracle: variances of independent estimates add up; 3 and 4 make 5, and 1.96 times 5 is 9.8.
  void the_interval_of_a_difference_is_that_of_independent_runs() {
    const ResultTable table = compare_runs(run(1, {measure("wait", 100, 3)}), run(2, {measure("wait", 120, 4)}));
    QCOMPARE(table.rows.size(), std::size_t{1});
    QCOMPARE(cell(table, 0, 4), std::string("20.0"));
    QCOMPARE(cell(table, 0, 5), std::string("[10.2, 29.8]"));
    QVERIFY(table.note.empty());
  }

  void runs_of_one_seed_are_said_not_to_be_independent() {
    QVERIFY(!compare_runs(run(1, {}), run(1, {})).note.empty());
    // Of two models with one name and one seed the time tells them apart.
    ResultSet before = run(1, {}), after = run(2, {});
    before.provenance.semantic_hash = "a", before.provenance.made.started_utc = "2026-01-31T09:32:10Z";
    after.provenance.semantic_hash = "b", after.provenance.made.started_utc = "2026-01-31T09:32:40Z";
    const ResultTable edited = compare_runs(before, after);
    QVERIFY(edited.columns[2].label.ends_with(", 09:32:10") && edited.columns[3].label.ends_with(", 09:32:40"));
    QVERIFY2(edited.note.find("The model was edited between them.") != std::string::npos, edited.note.c_str());
  }

  void what_one_of_them_does_not_have_is_left_out_or_empty() {
    MeasureResult never = measure("late", NAN, NAN);
    never.not_available = "nothing was observed";
    const ResultTable table =
        compare_runs(run(1, {measure("a", 1, 0.1), measure("b", 1, 0.1), measure("late", 2, 1), measure("c", 1, 0)}),
                     run(2, {measure("b", 1, 0.1, "min"), never, measure("c", 2, 0)}));
    QCOMPARE(table.rows.size(), std::size_t{2});  // a is not there, b has another unit
    QCOMPARE(cell(table, 0, 3), std::string("nothing was observed"));
    QCOMPARE(cell(table, 0, 4), std::string());
    QCOMPARE(cell(table, 1, 4), std::string("1"));
  }
};

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
