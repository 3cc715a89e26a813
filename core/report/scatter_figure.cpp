#include "core/report/scatter_figure.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/drawing/plot_picture.h"
#include "core/drawing/text_metrics.h"

namespace ergode {
namespace {

struct ScatterPoint {
  double x = 0.0, y = 0.0;
  bool front = false;
  std::string name;
};

struct ScatterAxis {
  double low = 0.0, high = 1.0;
  bool logarithmic = false;
  double share(double value) const {
    return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
};

std::optional<std::size_t> place_of(const ResultTable& table, const std::string& label) {
  for (std::size_t c = 0; c < table.columns.size() && !label.empty(); ++c)
    if (table.columns[c].label == label) return c;
  return std::nullopt;
}

bool says_yes(const ResultTable::Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return std::isfinite(*number) && *number != 0.0;
  const std::string& word = std::get<std::string>(cell);
  return word == "yes" || word == "true";
}

double number_in(const ResultTable::Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr ? *number : std::nan("");
}

ScatterAxis axis_of(const std::vector<ScatterPoint>& points, double ScatterPoint::*value) {
  ScatterAxis out{points.front().*value, points.front().*value, false};
  for (const ScatterPoint& one : points)
    out.low = std::min(out.low, one.*value), out.high = std::max(out.high, one.*value);
  constexpr double decades = 30.0;
  out.logarithmic = out.low > 0.0 && out.high > decades * out.low;
  if (out.logarithmic) {
    const double margin = std::pow(out.high / out.low, 0.06);
    out.low /= margin, out.high *= margin;
    return out;
  }
  const double span = out.high - out.low, margin = span > 0.0 ? 0.06 * span : std::max(1.0, std::fabs(out.low)) * 0.5;
  // What is never negative does not seem to be.
  out.low = out.low >= 0.0 && out.low < margin ? 0.0 : out.low - margin;
  out.high += margin;
  return out;
}

/// Names beside their points, where they cover neither another name nor a point nor the edge.
class ScatterNames {
 public:
  ScatterNames(const Rect& box, std::vector<Rect> taken) : box_(box), taken_(std::move(taken)) {}
  void put(Picture& out, Point at, const std::string& name) {
    constexpr Font font{10.5};
    constexpr double gap = 7, high = 12;
    const std::string text = elided(name, font, box_.width * 0.4);
    const double wide = text_width(text, font);
    const Rect places[] = {{at.x + gap, at.y - high / 2, wide, high}, {at.x - gap - wide, at.y - high / 2, wide, high},
                           {at.x + 2, at.y - gap - high, wide, high}, {at.x - wide - 2, at.y - gap - high, wide, high},
                           {at.x + 2, at.y + gap, wide, high},        {at.x - wide - 2, at.y + gap, wide, high}};
    for (const Rect& place : places) {
      if (place.x < box_.x || place.right() > box_.right() || place.y < box_.y || place.bottom() > box_.bottom())
        continue;
      if (std::any_of(taken_.begin(), taken_.end(), [&](const Rect& other) { return meet(place, other); })) continue;
      out.words({}, {place.x, place.bottom() - 3}, text, font, Role::text);
      return taken_.push_back(place);
    }
  }

 private:
  static bool meet(const Rect& a, const Rect& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
  }
  Rect box_;
  std::vector<Rect> taken_;
};

}  // namespace

std::optional<Picture> scatter_figure(const ResultTable& table) {
  if (!table.scatter) return std::nullopt;
  const auto x = place_of(table, table.scatter->x), y = place_of(table, table.scatter->y),
             front = place_of(table, table.scatter->front), name = place_of(table, table.scatter->label);
  if (!x || !y) return std::nullopt;
  std::vector<ScatterPoint> points;
  std::size_t without = 0, beyond = 0;
  for (const auto& row : table.rows) {
    ScatterPoint one{number_in(row[*x]), number_in(row[*y]), front && says_yes(row[*front]),
                     name ? cell_text(row[*name]) : std::string()};
    if (!std::isfinite(one.x) || !std::isfinite(one.y)) ++without;
    else if (points.size() == most_scatter_points) ++beyond;
    else points.push_back(std::move(one));
  }
  if (points.empty()) return std::nullopt;
  // Those on the front come last, so that nothing covers them.
  std::stable_sort(points.begin(), points.end(), [](const ScatterPoint& a, const ScatterPoint& b) {
    return a.front != b.front ? b.front : a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  const ScatterAxis across = axis_of(points, &ScatterPoint::x), up = axis_of(points, &ScatterPoint::y);
  constexpr double width = 660, height = 360, top = 26, right = 18, dot = 3.6;
  constexpr Font font{10.5}, title{11.5};
  constexpr int wanted = 6;
  const AxisTicks ticks_y = axis_ticks(up.low, up.high, wanted, up.logarithmic);
  double left = 40;
  for (const std::string& label : ticks_y.labels) left = std::max(left, text_width(label, font) + 16);
  const Rect box{left, top, width - left - right, height - top - 46};
  const auto x_of = [&](double value) { return box.x + across.share(value) * box.width; };
  const auto y_of = [&](double value) { return box.bottom() - up.share(value) * box.height; };
  const auto powered = [](std::string text, const AxisTicks& ticks) {
    return ticks.exponent == 0 ? text : text + ", x 10^" + std::to_string(ticks.exponent);
  };
  Picture out;
  const AxisTicks ticks_x = axis_ticks(across.low, across.high, wanted, across.logarithmic);
  for (std::size_t i = 0; i < ticks_x.at.size(); ++i) {
    const double at = x_of(ticks_x.at[i]);
    out.polyline({}, {{at, box.y}, {at, box.bottom()}}, Role::grid).line_width = 1.0;
    out.words({}, {at, box.bottom() + 14}, ticks_x.labels[i], font, Role::muted, Anchor::middle);
  }
  for (std::size_t i = 0; i < ticks_y.at.size(); ++i) {
    const double at = y_of(ticks_y.at[i]);
    out.polyline({}, {{box.x, at}, {box.right(), at}}, Role::grid).line_width = 1.0;
    out.words({}, {box.x - 6, at + 3.5}, ticks_y.labels[i], font, Role::muted, Anchor::end);
  }
  out.polyline({}, {{box.x, box.y}, {box.x, box.bottom()}, {box.right(), box.bottom()}}, Role::text).line_width = 1.2;
  out.words({}, {6, 14}, powered(column_text(table.columns[*y]), ticks_y), title, Role::text);
  out.words({}, {box.right(), box.bottom() + 32}, powered(column_text(table.columns[*x]), ticks_x), title, Role::text,
            Anchor::end);
  std::vector<Point> line;
  std::vector<Rect> covered;
  for (const ScatterPoint& one : points) {
    const Point at{x_of(one.x), y_of(one.y)};
    covered.push_back({at.x - dot, at.y - dot, 2 * dot, 2 * dot});
    if (one.front) line.push_back(at);
  }
  // A front of more than two objectives need not be a line in two of them.
  const auto rises = [](const Point& a, const Point& b) { return b.y < a.y; };
  const auto falls = [](const Point& a, const Point& b) { return b.y > a.y; };
  const bool joined = line.size() > 1 && (std::adjacent_find(line.begin(), line.end(), rises) == line.end() ||
                                          std::adjacent_find(line.begin(), line.end(), falls) == line.end());
  if (joined) out.polyline({}, line, Role::series_0).line_width = 1.6;
  for (std::size_t i = 0; i < points.size(); ++i)
    out.ellipse({}, covered[i], points[i].front || !front ? Role::series_0 : Role::muted,
                points[i].front || !front ? Role::series_0 : Role::canvas);
  std::size_t names = 0;
  ScatterNames beside(box, std::move(covered));
  for (const ScatterPoint& one : points)
    if ((one.front || !front) && !one.name.empty() && names++ < most_scatter_names)
      beside.put(out, {x_of(one.x), y_of(one.y)}, one.name);
  std::string below = front ? joined ? "Filled, joined: the front" : "Filled: the front" : "";
  const auto add = [&](const std::string& text) { below += (below.empty() ? "" : "; ") + text; };
  if (without > 0)
    add(std::to_string(without) + " of " + std::to_string(table.rows.size()) + " rows have no such numbers");
  if (beyond > 0) add("the first " + std::to_string(most_scatter_points) + " are drawn");
  if (!below.empty()) out.words({}, {box.x, box.bottom() + 32}, below, font, Role::muted);
  out.view = {0, 0, width, height};
  return out;
}

}  // namespace ergode
