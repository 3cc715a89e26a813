#include <QtTest>
#include <cmath>
#include <fstream>
#include <limits>

#include "core/drawing/plot_picture.h"
#include "core/drawing/result_style.h"
#include "core/drawing/svg.h"

using namespace ergode;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void write_for_the_eye(const char* name, const Picture& picture) {
  const char* folder = std::getenv("ERGODE_PICTURES");
  if (folder != nullptr) std::ofstream(std::string(folder) + "/" + name) << to_svg(picture, Theme::print());
}

PlotSpec convergence() {
  PlotSpec spec{.x_label = "replications", .y_label = "P(all failed at 24 h)"};
  PlotSeries mean{.label = "Monte Carlo"}, exact{.label = "closed form", .dash = Dash::long_dash};
  for (int i = 1; i <= 300; ++i) {
    const double n = 1000.0 * i, half = 0.03 / std::sqrt(n), value = 0.0012 + half * std::sin(i * 0.3) * 0.5;
    mean.x.push_back(n);
    mean.y.push_back(value);
    mean.lower.push_back(value - half);
    mean.upper.push_back(value + half);
  }
  exact.x = {1000, 300000};
  exact.y = {0.0012, 0.0012};
  spec.series = {mean, exact};
  spec.band_label = "95 % interval";
  spec.caption = "n = 300000, seed 7";
  spec.settling = 0.1;
  return spec;
}

/// Every coloured line and area lies within the axes (the longest polyline of role axis).
void check_inside_axes(const Picture& p) {
  Rect frame;
  for (const Primitive& m : p.primitives)
    if (m.stroke == Role::axis && m.points.size() == 3) frame = m.extent();
  QVERIFY(frame.width > 0);
  for (const Primitive& m : p.primitives) {
    const Rect r = m.extent();
    QVERIFY(std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.width) && std::isfinite(r.height));
    QVERIFY2(r.x >= -0.01 && r.y >= -0.01 && r.right() <= p.view.width + 0.01 && r.bottom() <= p.view.height + 0.01,
             m.text.c_str());
    const bool series = m.stroke >= Role::series_0 || (m.fill >= Role::series_0 && m.kind == Primitive::Kind::polygon);
    if (!series || (m.kind == Primitive::Kind::polyline && m.points.size() == 2)) continue;
    QVERIFY(r.x >= frame.x - 1e-6 && r.y >= frame.y - 1e-6 && r.right() <= frame.right() + 1e-6 &&
            r.bottom() <= frame.bottom() + 1e-6);
  }
}

}  // namespace

class TestPlotPicture : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void all_parts_that_a_split_may_have_look_different() {
    for (const Theme& theme : {Theme::print(), Theme::dark()})
      for (SplitPart a = 0; a < most_split_parts; ++a)
        for (SplitPart b = 0; b < a; ++b)
          QVERIFY(!(theme.colors[static_cast<std::size_t>(part_role(a))] ==
                    theme.colors[static_cast<std::size_t>(part_role(b))]));
  }

  void ticks_are_round_and_inside() {
    const AxisTicks t = axis_ticks(0, 24, 6, false);
    QCOMPARE(t.labels, (std::vector<std::string>{"0", "5", "10", "15", "20"}));
    const AxisTicks small = axis_ticks(0.0009, 0.0016, 7, false);
    QCOMPARE(small.exponent, -3);
    QCOMPARE(small.labels.front(), std::string("0.9"));
    const AxisTicks decades = axis_ticks(1e-9, 1, 9, true);
    QCOMPARE(decades.labels.front(), std::string("10⁻⁹"));
    QCOMPARE(decades.at.size(), std::size_t{10});
    // Two replications have nothing between them.
    QCOMPARE(axis_ticks(1, 2, 6, false, false, true).labels, (std::vector<std::string>{"1", "2"}));
    QCOMPARE(axis_ticks(0, 400, 4, false, false, true).labels, axis_ticks(0, 400, 4, false).labels);
    for (const double low : {-1e9, -3.3, 0.0, 1e-12, 0.999})
      for (const double span : {1e-9, 0.01, 1.0, 7e7}) {
        const AxisTicks any = axis_ticks(low, low + span, 6, false);
        QVERIFY(any.at.size() <= 51);
        for (const double v : any.at) QVERIFY(v >= low - 1e-6 * span && v <= low + span * (1 + 1e-6));
      }
  }
  void a_line_is_cut_at_the_box() {
    const Rect box{0, 0, 10, 10};
    const auto pieces = clipped({{-5, 5}, {5, 5}, {5, 25}, {8, 25}, {8, 5}}, box);
    QCOMPARE(pieces.size(), std::size_t{2});
    QCOMPARE(pieces[0], (std::vector<Point>{{0, 5}, {5, 5}, {5, 10}}));
    QCOMPARE(pieces[1], (std::vector<Point>{{8, 10}, {8, 5}}));
    QVERIFY(clipped({{20, 20}, {30, 20}}, box).empty());
  }
  void convergence_stays_inside_its_axes() {
    const Picture p = draw_plot(convergence());
    check_inside_axes(p);
    write_for_the_eye("convergence.svg", p);
  }
  void survival_on_a_logarithmic_axis_stays_inside() {
    PlotSpec spec{.x_label = "time", .x_unit = "h", .y_label = "probability", .log_y = true};
    const char* const names[] = {"at least 1 failed", "at least 2", "at least 3", "all 4"};
    for (int k = 0; k < 4; ++k) {
      PlotSeries s{.label = names[k]};
      for (int i = 0; i <= 48; ++i) {
        s.x.push_back(i * 0.5);
        s.y.push_back(std::pow(1 - std::exp(-i * 0.002), k + 1));
      }
      spec.series.push_back(s);
    }
    const Picture p = draw_plot(spec);
    check_inside_axes(p);
    write_for_the_eye("survival.svg", p);
  }
  void distribution_steps_with_its_exact_curve() {
    PlotSpec spec{.x_label = "time to failure", .x_unit = "h", .y_label = "distribution"};
    PlotSeries s{.label = "Monte Carlo", .steps = true}, r{.label = "closed form", .dash = Dash::long_dash};
    for (int i = 0; i < 20; ++i) {
      s.x.push_back(i);
      s.y.push_back(1 - std::exp(-i / 6.0));
      s.lower.push_back(s.y.back() - 0.03);
      s.upper.push_back(s.y.back() + 0.03);
      r.x.push_back(i);
      r.y.push_back(s.y.back());
    }
    spec.series = {s, r};
    const Picture p = draw_plot(spec);
    check_inside_axes(p);
    write_for_the_eye("distribution.svg", p);
  }
  void points_stand_at_their_words_with_upright_intervals() {
    PlotSpec spec{.y_label = "Mean",
                  .x_words = {"fifo", "srtf", "a word that is much longer than the room of a column"}};
    spec.series = {{.label = "estimate", .x = {0, 1, 2}, .y = {1, 2, 3}, .lower = {0.5, 1, 2}, .upper = {1.5, 3, 4}},
                   {.label = "exact", .x = {0, 1, 2}, .y = {1.1, 2.1, not_a_number}, .lower = {}, .upper = {}}};
    for (PlotSeries& s : spec.series) s.points = true;
    const Picture p = draw_plot(spec);
    check_inside_axes(p);
    write_for_the_eye("words.svg", p);
    int dots = 0, rings = 0, upright = 0, words = 0;
    for (const Primitive& m : p.primitives) {
      if (m.kind == Primitive::Kind::ellipse) (m.fill == Role::none ? rings : dots) += 1;
      upright += m.kind == Primitive::Kind::polyline && m.stroke == Role::series_0 && m.points.size() == 2 &&
                 m.points[0].x == m.points[1].x;
      words += m.text == "fifo" || m.text == "srtf" || (m.text.starts_with("a word") && m.text.size() < 50);
    }
    QCOMPARE(dots, 3 + 1);  // with the legend's
    QCOMPARE(rings, 2 + 1);
    QCOMPARE(upright, 3);
    QCOMPARE(words, 3);
  }
  void odd_input_is_drawn_and_said() {
    std::vector<PlotSpec> odd(1);
    odd[0].series = {};
    using Numbers = std::vector<double>;
    const std::vector<std::pair<Numbers, Numbers>> curves{
        {Numbers{}, Numbers{}},
        {Numbers{1}, Numbers{2}},
        {Numbers{1, 2}, Numbers{0, 0}},
        {Numbers{3, 3}, Numbers{1, 2}},
        {Numbers{1, 2, 3}, Numbers{not_a_number, infinity, -infinity}},
        {Numbers{1, 2, 3, 4}, Numbers{1, not_a_number, 2, 3}},
        {Numbers{0, 1}, Numbers{1e300, -1e300}},
        {Numbers{1, 2, 3}, Numbers{5}},
        {Numbers{1, 2}, Numbers{1e-320, 2e-320}}};
    for (const auto& [x, y] : curves) {
      PlotSpec spec;
      spec.series = {{.label = "odd", .x = x, .y = y, .lower = y, .upper = y}};
      odd.push_back(spec);
      spec.log_y = spec.log_x = true;
      odd.push_back(spec);
    }
    for (const PlotSpec& spec : odd) {
      const Picture p = draw_plot(spec);
      check_inside_axes(p);
      QVERIFY(to_svg(p, Theme::print()).find("nan") == std::string::npos);
    }
    const Picture empty = draw_plot({});
    QVERIFY(std::any_of(empty.primitives.begin(), empty.primitives.end(),
                        [](const Primitive& m) { return m.text == "no data"; }));
  }
  void numbers_in_files_have_two_decimals_and_no_minus_zero() {
    QCOMPARE(svg_number(-0.001), std::string("0"));
    QCOMPARE(svg_number(12.5), std::string("12.5"));
    QCOMPARE(svg_number(1.0 / 3), std::string("0.33"));
    QCOMPARE(svg_number(1e20), std::string("100000000000000000000"));
    QCOMPARE(svg_number(not_a_number), std::string("0"));
  }
};

QTEST_APPLESS_MAIN(TestPlotPicture)
#include "tst_plot_picture.moc"
