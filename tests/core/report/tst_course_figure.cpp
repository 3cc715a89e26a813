// Amounts over time, as a table of a run tells them: drawn as lines.
#include <QtTest>
#include <cmath>

#include "core/drawing/svg.h"
#include "core/report/course_figure.h"
#include "core/report/difference_figure.h"

using namespace ergode;

class TestCourseFigure : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void amounts_of_one_unit_are_lines_over_time() {
    ResultTable table{.name = "spend",
                      .title = "What it spends",
                      .columns = {{"time", "h"},
                                  {"spend", "USD/h"},
                                  {"cost_so_far", "USD"},
                                  {"energy_so_far", "kWh"},
                                  {"budget_so_far", "USD"}}};
    QVERIFY(is_course(table) && !course_figure(table));
    for (int i = 0; i < 4; ++i) table.rows.push_back({1.0 * i, 2.0, 2.0 * i, 7.0 * i, i == 2 ? NAN : 3.0 * i});
    const auto drawn = table_figure(table);
    QVERIFY(drawn.has_value());
    const std::string svg = to_svg(*drawn, Theme::print());
    for (const char* word : {">cost<", ">budget<", "time [h]", "so far [USD]"})
      QVERIFY2(svg.find(word) != std::string::npos, word);
    QVERIFY(svg.find("energy") == std::string::npos);
  }

  void other_tables_are_none() {
    QVERIFY(!is_course({.name = "t", .columns = {{"time", "h"}, {"spend", "USD/h"}}}));
    QVERIFY(!is_course({.name = "t", .columns = {{"job"}, {"cost_so_far", "USD"}}}));
    QVERIFY(!is_course({.name = "t"}));
  }
};

QTEST_APPLESS_MAIN(TestCourseFigure)
#include "tst_course_figure.moc"
