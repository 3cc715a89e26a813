// Tables as points: what is drawn, and where.
#include <QtTest>
#include <algorithm>
#include <limits>

#include "core/report/difference_figure.h"
#include "core/report/scatter_figure.h"

using namespace ergode;

namespace {

ResultTable scattered_rows(std::vector<std::vector<ResultTable::Cell>> rows) {
  ResultTable out{.name = "plans", .title = "Plans"};
  out.columns = {{"Plan"}, {"Cost", "USD"}, {"Error"}, {"Front"}};
  out.rows = std::move(rows);
  out.scatter = TableScatter{"Cost", "Error", "Front", "Plan"};
  return out;
}

std::vector<const Primitive*> dots_of(const Picture& picture) {
  std::vector<const Primitive*> out;
  for (const Primitive& one : picture.primitives)
    if (one.kind == Primitive::Kind::ellipse) out.push_back(&one);
  return out;
}

bool says(const Picture& picture, const std::string& words) {
  return std::any_of(picture.primitives.begin(), picture.primitives.end(),
                     [&](const Primitive& one) { return one.text.find(words) != std::string::npos; });
}

std::size_t lines_of(const Picture& picture) {
  return static_cast<std::size_t>(std::count_if(
      picture.primitives.begin(), picture.primitives.end(),
      [](const Primitive& one) { return one.kind == Primitive::Kind::polyline && one.stroke == Role::series_0; }));
}

}  // namespace

class TestScatterFigure : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void only_tables_that_say_so_are_drawn() {
    ResultTable plain = scattered_rows({{"a", 1.0, 2.0, "yes"}});
    QVERIFY(scatter_figure(plain) && table_figure(plain));
    plain.scatter->x = "Price";
    QVERIFY(!scatter_figure(plain));
    plain.scatter.reset();
    QVERIFY(!scatter_figure(plain) && !table_figure(plain));
    const double none = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!scatter_figure(scattered_rows({})) && !scatter_figure(scattered_rows({{"a", none, 2.0, "yes"}})));
  }

  void points_lie_in_order_and_the_front_is_filled_and_joined() {
    const auto picture = scatter_figure(
        scattered_rows({{"b", 2.0, 3.0, "yes"}, {"x", 2.5, 6.0, ""}, {"a", 1.0, 5.0, "yes"}, {"c", 4.0, 1.0, 1.0}}));
    QVERIFY(picture);
    const auto dots = dots_of(*picture);
    QCOMPARE(dots.size(), std::size_t{4});
    QVERIFY(dots[0]->fill == Role::canvas);  // the one that is not on it is drawn first
    for (std::size_t i = 1; i < 4; ++i) QVERIFY(dots[i]->fill == Role::series_0);
    QVERIFY(dots[1]->box.x < dots[2]->box.x && dots[2]->box.x < dots[3]->box.x);
    QVERIFY(dots[1]->box.y < dots[2]->box.y && dots[2]->box.y < dots[3]->box.y);  // less error is lower
    QVERIFY(dots[0]->box.y < dots[1]->box.y);
    // Linear: equal differences are equal lengths.
    QVERIFY(std::fabs((dots[3]->box.x - dots[2]->box.x) - 2.0 * (dots[2]->box.x - dots[1]->box.x)) < 1e-6);
    QCOMPARE(lines_of(*picture), std::size_t{1});
    for (const char* name : {"a", "b", "c", "Cost [USD]", "Error", "in steps"}) QVERIFY2(says(*picture, name), name);
    for (const Primitive& one : picture->primitives) {
      const Rect extent = one.extent();
      QVERIFY(extent.x >= 0.0 && extent.y >= 0.0 && extent.right() <= picture->view.width &&
              extent.bottom() <= picture->view.height);
    }
  }

  void a_front_of_three_objectives_is_not_joined() {
    const auto picture =
        scatter_figure(scattered_rows({{"a", 1.0, 5.0, "yes"}, {"b", 2.0, 6.0, "yes"}, {"c", 4.0, 1.0, "yes"}}));
    QCOMPARE(lines_of(*picture), std::size_t{0});
    QVERIFY(says(*picture, "Filled: the front"));
  }

  void wide_ranges_are_logarithmic_and_what_is_no_number_is_counted() {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const auto picture = scatter_figure(scattered_rows(
        {{"a", 1.0, 5.0, "yes"}, {"b", 10.0, 4.0, "yes"}, {"c", 100.0, 3.0, "yes"}, {"d", none, 1.0, ""}}));
    const auto dots = dots_of(*picture);
    QVERIFY(std::fabs((dots[2]->box.x - dots[1]->box.x) - (dots[1]->box.x - dots[0]->box.x)) < 1e-6);
    QVERIFY(says(*picture, "1 of 4 rows"));
  }

  void one_point_and_equal_ones_are_drawn() {
    for (const double at : {0.0, -3.0, 1e-9, 1e12}) {
      const auto picture = scatter_figure(scattered_rows({{"a", at, at, "yes"}, {"b", at, at, ""}}));
      QVERIFY(picture);
      for (const Primitive* one : dots_of(*picture))
        QVERIFY(std::isfinite(one->box.x) && std::isfinite(one->box.y) && one->box.x > 0.0 &&
                one->box.right() < picture->view.width);
    }
  }

  void of_very_many_the_first_are_drawn_with_few_names() {
    std::vector<std::vector<ResultTable::Cell>> rows;
    for (int i = 0; i < 6000; ++i) rows.push_back({"n" + std::to_string(i), 1.0 * i, 6000.0 - i, "yes"});
    const auto picture = scatter_figure(scattered_rows(std::move(rows)));
    QCOMPARE(dots_of(*picture).size(), most_scatter_points);
    QVERIFY(says(*picture, "the first 5000 are drawn"));
    std::size_t names = 0;
    for (const Primitive& one : picture->primitives) names += one.text.starts_with("n") ? 1 : 0;
    QVERIFY(names <= most_scatter_names);
  }
};

QTEST_APPLESS_MAIN(TestScatterFigure)
#include "tst_scatter_figure.moc"
