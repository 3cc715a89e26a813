// What is drawn of choices compared with the first one.
#include <QtTest>
#include <cmath>
#include <limits>

#include "core/report/difference_figure.h"

using namespace ergode;

namespace {

ResultTable compared(std::vector<std::vector<ResultTable::Cell>> rows) {
  ResultTable out{.name = "comparison", .title = "Compared with policy = fifo"};
  out.columns = {{"measure"}, {"unit"}, {"policy"}, {"mean"}, {"difference"}, {"lower 95 %"}, {"upper 95 %"}};
  out.rows = std::move(rows);
  return out;
}

std::vector<Primitive> points_of(const Picture& picture) {
  std::vector<Primitive> out;
  for (const Primitive& one : picture.primitives)
    if (one.kind == Primitive::Kind::ellipse) out.push_back(one);
  return out;
}

}  // namespace

class TestDifferenceFigure : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void only_comparisons_with_a_difference_are_drawn() {
    ResultTable other = compared({{"wait", "h", "fifo", 4.0, "", "", ""}});
    QVERIFY(is_comparison(other) && !difference_figure(other));
    other.name = "jobs";
    QVERIFY(!is_comparison(other) && !table_figure(other));
    const double none = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!difference_figure(
        compared({{"wait", "h", "fifo", 4.0, "", "", ""}, {"wait", "h", "srtf", none, none, none, none}})));
  }

  // Places are linear in the differences: 0, -1 and +3 stand in these distances; what has 0 inside is hollow.
  void points_stand_where_the_differences_are() {
    const auto picture = table_figure(compared({{"wait", "h", "fifo", 4.0, "", "", ""},
                                                {"wait", "h", "a", 3.0, -1.0, -1.5, -0.5},
                                                {"wait", "h", "b", 7.0, 3.0, -1.0, 7.0},
                                                {"wait", "h", "c", 4.0, 0.0, 0.0, 0.0}}));
    QVERIFY(picture);
    const auto points = points_of(*picture);
    QCOMPARE(points.size(), std::size_t{3});
    const double a = points[0].box.x, b = points[1].box.x, zero = points[2].box.x;
    QVERIFY(a < zero && std::fabs((b - zero) - 3.0 * (zero - a)) < 1e-9);
    QVERIFY(points[0].fill == Role::series_0 && points[1].fill == Role::canvas && points[2].fill == Role::canvas);
    for (const Primitive& one : picture->primitives) {
      const Rect extent = one.extent();
      QVERIFY(extent.x >= 0.0 && extent.right() <= picture->view.width && extent.bottom() <= picture->view.height);
    }
  }

  void many_measures_are_counted() {
    std::vector<std::vector<ResultTable::Cell>> rows;
    for (int i = 0; i < 30; ++i) {
      rows.push_back({"m" + std::to_string(i), "", "x", 1.0, "", "", ""});
      rows.push_back({"m" + std::to_string(i), "",
                      "a choice with a name that is longer than there is room for it on the page", 2.0, 1.0, 0.5, 1.5});
    }
    const auto picture = difference_figure(compared(std::move(rows)));
    QVERIFY(picture);
    QCOMPARE(points_of(*picture).size(), most_compared_measures);
    QVERIFY(std::any_of(picture->primitives.begin(), picture->primitives.end(),
                        [](const Primitive& one) { return one.text == "The first 12 of 30 measures"; }));
    for (const Primitive& one : picture->primitives) QVERIFY(one.extent().x >= 0.0);
  }
};

QTEST_APPLESS_MAIN(TestDifferenceFigure)
#include "tst_difference_figure.moc"
