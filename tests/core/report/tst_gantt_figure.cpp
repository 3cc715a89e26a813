// Gantt charts: what is drawn of a table of who was where from when to when.
#include <QtTest>
#include <limits>

#include "core/report/gantt_figure.h"

using namespace ergode;

namespace {

ResultTable stretches_of(std::vector<std::vector<ResultTable::Cell>> rows) {
  ResultTable out{.name = "gantt", .title = "Who ran where"};
  out.columns = {{"host"}, {"job"}, {"from_s"}, {"to_s"}, {"gpus"}};
  out.rows = std::move(rows);
  return out;
}

std::vector<Rect> bars_of(const Picture& picture) {
  std::vector<Rect> out;
  for (const Primitive& one : picture.primitives)
    if (one.kind == Primitive::Kind::rectangle && one.stroke == Role::canvas) out.push_back(one.box);
  return out;
}

}  // namespace

class TestGanttFigure : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void only_tables_of_stretches_are_drawn() {
    ResultTable other{.name = "jobs"};
    other.columns = {{"job"}, {"start_s"}, {"completion_s"}, {"gpus"}};
    other.rows = {{"a", 0.0, 1.0, 1.0}};
    QVERIFY(!is_gantt(other) && !gantt_figure(other));
    QVERIFY(is_gantt(stretches_of({})) && !gantt_figure(stretches_of({})));
    const double none = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!gantt_figure(
        stretches_of({{0.0, "a", none, 5.0, 1.0}, {0.0, "a", 5.0, 4.0, 1.0}, {0.0, "a", "x", 4.0, 1.0}})));
  }

  void times_may_be_microseconds() {
    ResultTable tiles{.name = "tiles"};
    tiles.columns = {{"core"}, {"layer"}, {"from_us"}, {"to_us"}};
    tiles.rows = {{0.0, "a", 0.0, 9000.0}, {1.0, "b", 9000.0, 18000.0}};
    QVERIFY(is_gantt(tiles));
    const auto picture = gantt_figure(tiles);
    QVERIFY(picture);
    // However many they are, they are not told in hours.
    QVERIFY(std::any_of(picture->primitives.begin(), picture->primitives.end(),
                        [](const Primitive& one) { return one.text.rfind("Time [us]", 0) == 0; }));
    tiles.columns[3].label = "to_s";
    QVERIFY(!is_gantt(tiles));
  }

  void bars_are_as_long_as_they_last_and_never_overlap() {
    const auto picture = gantt_figure(stretches_of({{0.0, "a", 0.0, 100.0, 2.0},
                                                    {0.0, "b", 0.0, 50.0, 1.0},
                                                    {0.0, "c", 50.0, 100.0, 1.0},
                                                    {1.0, "d", 25.0, 50.0, 4.0}}));
    QVERIFY(picture);
    const auto bars = bars_of(*picture);
    QCOMPARE(bars.size(), std::size_t{4});
    QVERIFY(std::fabs(bars[1].width * 2.0 - bars[0].width) < 1e-9);
    QVERIFY(std::fabs(bars[3].width * 4.0 - bars[0].width) < 1e-9);
    QVERIFY(std::fabs(bars[1].y - bars[2].y) < 1e-9);  // c takes the row that b leaves
    QVERIFY(bars[0].height > 1.9 * bars[1].height && bars[3].height > 1.9 * bars[0].height);
    for (std::size_t i = 0; i < bars.size(); ++i)
      for (std::size_t k = i + 1; k < bars.size(); ++k)
        QVERIFY(!overlaps(grown(bars[i], -0.01), grown(bars[k], -0.01)));
    for (const Primitive& one : picture->primitives) {
      const Rect extent = one.extent();
      QVERIFY(extent.x >= 0.0 && extent.right() <= picture->view.width && extent.bottom() <= picture->view.height);
    }
  }

  void lanes_that_are_numbers_stand_by_their_value() {
    const auto picture = gantt_figure(stretches_of({{10.0, "a", 0.0, 9.0, 1.0}, {9.0, "b", 0.0, 9.0, 1.0}}));
    QVERIFY(picture);
    double nine = 0.0, ten = 0.0;
    for (const Primitive& one : picture->primitives)
      if (one.kind == Primitive::Kind::text && one.anchor == Anchor::end)
        (one.text == "9" ? nine : ten) = one.points[0].y;
    QVERIFY(nine < ten);
  }

  // Rows over several lanes are drawn as if each lane had a row of its own.
  void rows_over_several_lanes_are_those_of_each() {
    ResultTable merged =
        stretches_of({{3.0, "a", 0.0, 9.0, 8.0}, {0.0, "b", 1.0, 4.0, 2.0}, {60.0, "c", 2.0, 3.0, 1.0}});
    merged.columns.push_back({"last_host"});
    const double last[] = {6.0, 0.0, 60.0};
    for (std::size_t i = 0; i < merged.rows.size(); ++i) merged.rows[i].emplace_back(last[i]);
    ResultTable plain = stretches_of({});
    for (int host = 3; host <= 6; ++host) plain.rows.push_back({1.0 * host, "a", 0.0, 9.0, 2.0});
    plain.rows.push_back({0.0, "b", 1.0, 4.0, 2.0}), plain.rows.push_back({60.0, "c", 2.0, 3.0, 1.0});
    const auto seen = gantt_figure(merged), wanted = gantt_figure(plain);
    QVERIFY(seen && wanted);
    QCOMPARE(bars_of(*seen).size(), bars_of(*wanted).size());
    QVERIFY(bars_of(*seen).size() >= 6);
    for (std::size_t i = 0; i < bars_of(*seen).size(); ++i) {
      const Rect a = bars_of(*seen)[i], b = bars_of(*wanted)[i];
      QVERIFY(a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height);
    }
    // As many lanes as there are in all are counted, without a list of them.
    ResultTable wide = stretches_of({{0.0, "a", 0.0, 9.0, 9.9e8}, {9.8e8, "b", 1.0, 4.0, 2e7}});
    wide.columns.push_back({"last_host"});
    wide.rows[0].emplace_back(9.9e8 - 1.0), wide.rows[1].emplace_back(1e9 - 1.0);
    const auto many = gantt_figure(wide);
    QVERIFY(many && many->primitives.back().text.find("the first 40 of 1000000000") != std::string::npos);
  }

  void what_is_too_much_is_left_out_and_said() {
    std::vector<std::vector<ResultTable::Cell>> rows;
    for (int i = 0; i < 100; ++i)
      for (int k = 0; k < 200; ++k) rows.push_back({1.0 * i, std::to_string(k), 1.0 * k, k + 1.0, 1.0});
    const auto picture = gantt_figure(stretches_of(std::move(rows)));
    QVERIFY(picture);
    QCOMPARE(bars_of(*picture).size(), most_gantt_bars);
    QVERIFY(picture->primitives.back().text.find("the first 40 of 100; the first 3000 bars") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestGanttFigure)
#include "tst_gantt_figure.moc"
