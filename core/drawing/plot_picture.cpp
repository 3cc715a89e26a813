#include "core/drawing/plot_picture.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace ergode {
namespace {

constexpr Font tick_font{11};
constexpr Font title_font{12};
constexpr Font caption_font{11};
constexpr Font heading_font{.size = 13, .bold = true};
constexpr double swatch = 28, legend_row = 17;

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  double from = 0, to = 1;  // pixels
  double place(double value) const {
    const double share = logarithmic ? (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low))
                                     : (value - low) / (high - low);
    return from + share * (to - from);
  }
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0.0); }
};

std::string superscript(int exponent) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(exponent))) text += digits[c - '0'];
  return text;
}

std::string fixed(double value, int decimals) {
  char buffer[64];
  const double clean = std::abs(value) < 0.5 * std::pow(10.0, -decimals) ? 0.0 : value;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, clean, std::chars_format::fixed, decimals).ptr;
  return {buffer, end};
}

/// The next round step. Hours go by quarters of a day.
double nice_step(double raw, bool hours) {
  if (hours && raw > 2.0 && raw <= 24.0)
    for (const double step : {3.0, 4.0, 6.0, 12.0, 24.0})
      if (raw <= step) return step;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * 1.0000001) return factor * power;
  return 10 * power;
}

struct AxisSpan {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void take(double value, bool logarithmic) {
    if (!std::isfinite(value) || (logarithmic && value <= 0.0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

/// Widens to a range that can be drawn: never empty, a little air at the ends, from zero when that is near.
void settle(AxisSpan& r, bool logarithmic, bool air) {
  if (r.empty()) r = logarithmic ? AxisSpan{0.1, 1.0} : AxisSpan{0.0, 1.0};
  if (logarithmic) {
    if (r.low == r.high) r.low /= 3, r.high *= 3;
    else if (air) r.low /= 1.15, r.high *= 1.15;
    return;
  }
  if (r.low == r.high) {
    const double half = r.low == 0.0 ? 1.0 : 0.1 * std::abs(r.low);
    r = {r.low - half, r.high + half};
    return;
  }
  if (!air) return;
  const double pad = 0.06 * (r.high - r.low);
  const bool from_zero = r.low >= 0.0 && r.low < 0.4 * r.high;
  r = {from_zero ? 0.0 : r.low - pad, r.high + pad};
}

std::string axis_title(const std::string& label, const std::string& unit, int exponent) {
  std::string scale = exponent != 0 ? "10" + superscript(exponent) : "";
  if (!unit.empty() && unit != "1") scale += (scale.empty() ? "" : " ") + unit;
  return scale.empty() ? label : label + " [" + scale + "]";
}

std::vector<std::size_t> sampled(std::size_t size) {
  const std::size_t stride = size / 1500 + 1;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < size; i += stride) indices.push_back(i);
  if (size > 0 && indices.back() != size - 1) indices.push_back(size - 1);
  return indices;
}

/// The runs of drawable points of a series, in pixels.
std::vector<std::vector<Point>> runs(const PlotSeries& s, const Axis& x, const Axis& y) {
  std::vector<std::vector<Point>> out(1);
  for (const std::size_t i : sampled(std::min(s.x.size(), s.y.size()))) {
    if (!x.shows(s.x[i]) || !y.shows(s.y[i])) {
      if (!out.back().empty()) out.emplace_back();
      continue;
    }
    const Point p{x.place(s.x[i]), y.place(s.y[i])};
    if (s.steps && !out.back().empty()) out.back().push_back({p.x, out.back().back().y});
    out.back().push_back(p);
  }
  return out;
}

/// Cuts a polygon at one side of the box (Sutherland and Hodgman, 1974).
template <typename Inside, typename Cut>
std::vector<Point> cut(const std::vector<Point>& polygon, const Inside& inside, const Cut& cross) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& a = polygon[i];
    const Point& b = polygon[(i + 1) % polygon.size()];
    if (inside(a)) out.push_back(a);
    if (inside(a) != inside(b)) out.push_back(cross(a, b));
  }
  return out;
}

std::vector<Point> clipped_polygon(std::vector<Point> p, const Rect& box) {
  const auto at_x = [](double x) {
    return [x](const Point& a, const Point& b) -> Point { return {x, a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x)}; };
  };
  const auto at_y = [](double y) {
    return [y](const Point& a, const Point& b) -> Point { return {a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y), y}; };
  };
  p = cut(
      p, [&](const Point& q) { return q.x >= box.x; }, at_x(box.x));
  p = cut(
      p, [&](const Point& q) { return q.x <= box.right(); }, at_x(box.right()));
  p = cut(
      p, [&](const Point& q) { return q.y >= box.y; }, at_y(box.y));
  return cut(
      p, [&](const Point& q) { return q.y <= box.bottom(); }, at_y(box.bottom()));
}

/// The bands of a series as polygons; a lower end that a logarithmic axis cannot show is drawn at its bottom.
std::vector<std::vector<Point>> bands(const PlotSeries& s, const Axis& x, const Axis& y) {
  std::vector<std::vector<Point>> out;
  const std::size_t size = std::min({s.x.size(), s.lower.size(), s.upper.size()});
  if (s.points) return out;  // theirs stand upright
  std::vector<Point> top, bottom;
  const auto finish = [&] {
    if (top.size() > 1) {
      top.insert(top.end(), bottom.rbegin(), bottom.rend());
      out.push_back(top);
    }
    top.clear();
    bottom.clear();
  };
  for (const std::size_t i : sampled(size)) {
    if (!x.shows(s.x[i]) || !y.shows(s.upper[i]) || !std::isfinite(s.lower[i])) {
      finish();
      continue;
    }
    const double px = x.place(s.x[i]), low = y.shows(s.lower[i]) ? y.place(s.lower[i]) : y.from;
    if (s.steps && !top.empty()) {
      top.push_back({px, top.back().y});
      bottom.push_back({px, bottom.back().y});
    }
    top.push_back({px, y.place(s.upper[i])});
    bottom.push_back({px, low});
  }
  finish();
  return out;
}

bool touches(const std::vector<Point>& line, const Rect& box) { return !clipped(line, box).empty(); }

Role role_of(const PlotSpec& spec, std::size_t i) { return spec.series[i].role.value_or(series_role(i)); }
Dash dash_of(const PlotSpec& spec, std::size_t i) { return spec.series[i].dash.value_or(series_dash(i)); }

/// The intervals of points as lines; a lower end that a logarithmic axis cannot show is drawn at its bottom.
std::vector<std::vector<Point>> upright(const PlotSeries& s, const Axis& x, const Axis& y) {
  std::vector<std::vector<Point>> out;
  const std::size_t size = s.points ? std::min({s.x.size(), s.lower.size(), s.upper.size()}) : 0;
  for (std::size_t i = 0; i < size; ++i)
    if (x.shows(s.x[i]) && std::isfinite(s.lower[i]) && y.shows(s.upper[i]))
      out.push_back({{x.place(s.x[i]), y.shows(s.lower[i]) ? y.place(s.lower[i]) : y.from},
                     {x.place(s.x[i]), y.place(s.upper[i])}});
  return out;
}

/// The mark of one value at a place of the picture: a dot, or a ring where it has no interval.
void draw_point(Picture& out, Point at, Role role, bool ring) {
  constexpr double radius = 4;
  const Rect round{at.x - radius, at.y - radius, 2 * radius, 2 * radius};
  if (ring) out.ellipse({}, round, role, Role::none).line_width = 2;
  else out.ellipse({}, round, Role::none, role);
}

/// Each value of the series with its interval, those outside of the axes left out.
void draw_points(Picture& out, const PlotSeries& s, const Axis& x, const Axis& y, const Rect& frame, Role role) {
  constexpr double foot = 4;
  for (const auto& interval : upright(s, x, y)) {
    std::vector<std::vector<Point>> lines = {interval};
    for (const Point& end : interval) lines.push_back({{end.x - foot, end.y}, {end.x + foot, end.y}});
    for (const auto& line : lines)
      for (auto& piece : clipped(line, frame)) out.polyline({}, std::move(piece), role).line_width = 2;
  }
  for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
    if (!x.shows(s.x[i]) || !y.shows(s.y[i])) continue;
    if (const Point at{x.place(s.x[i]), y.place(s.y[i])}; frame.contains(at))
      draw_point(out, at, role, s.lower.empty());
  }
}

struct LegendEntry {
  std::string label;
  Role role;
  Dash dash;
  bool band;
  enum class Mark { line, dot, ring } mark = Mark::line;
};

void draw_legend(Picture& out, const std::vector<LegendEntry>& entries, Point corner) {
  double y = corner.y + 14;
  for (const LegendEntry& e : entries) {
    if (e.mark != LegendEntry::Mark::line) {
      draw_point(out, {corner.x + swatch / 2, y - 4}, e.role, e.mark == LegendEntry::Mark::ring);
    } else if (e.band) {
      out.rectangle({}, {corner.x, y - 9, swatch, 10}, 0, Role::none, e.role).fill_opacity = 0.2;
    } else {
      Primitive& line = out.polyline({}, {{corner.x, y - 4}, {corner.x + swatch, y - 4}}, e.role);
      line.line_width = 2;
      line.dash = e.dash;
    }
    out.words({}, {corner.x + swatch + 8, y}, e.label, tick_font, Role::text);
    y += legend_row;
  }
}

}  // namespace

std::vector<std::vector<Point>> clipped(const std::vector<Point>& line, const Rect& box) {
  std::vector<std::vector<Point>> out;
  bool open = false;
  for (std::size_t i = 1; i < line.size(); ++i) {
    // Liang and Barsky, 1984: the part of the segment inside, as a range of its parameter.
    const Point a = line[i - 1], b = line[i];
    double from = 0.0, to = 1.0;
    bool visible = true;
    const double p[] = {a.x - b.x, b.x - a.x, a.y - b.y, b.y - a.y};
    const double q[] = {a.x - box.x, box.right() - a.x, a.y - box.y, box.bottom() - a.y};
    for (int k = 0; k < 4 && visible; ++k) {
      if (p[k] == 0.0) visible = q[k] >= 0.0;
      else if (p[k] < 0.0) from = std::max(from, q[k] / p[k]);
      else to = std::min(to, q[k] / p[k]);
    }
    if (!visible || from > to) {
      open = false;
      continue;
    }
    const auto on = [&](double t) -> Point {
      return {std::clamp(a.x + t * (b.x - a.x), box.x, box.right()),
              std::clamp(a.y + t * (b.y - a.y), box.y, box.bottom())};
    };
    if (!open || from > 0.0) out.push_back({on(from)});
    out.back().push_back(on(to));
    open = to == 1.0;
  }
  return out;
}

AxisTicks axis_ticks(double low, double high, int wanted, bool logarithmic, bool hours, bool whole) {
  AxisTicks ticks;
  if (logarithmic) {
    const int first = static_cast<int>(std::floor(std::log10(low))),
              last = static_cast<int>(std::ceil(std::log10(high)));
    const bool fine = last - first <= 3;
    const int stride = std::max(1, (last - first) / std::max(1, wanted));
    for (int e = first; e <= last; ++e)
      for (const int factor : {1, 2, 5}) {
        const double value = factor * std::pow(10.0, e);
        if ((factor != 1 && !fine) || (e - first) % stride != 0 || value < low * (1 - 1e-9) ||
            value > high * (1 + 1e-9))
          continue;
        ticks.at.push_back(value);
        ticks.labels.push_back((factor == 1 ? "10" : std::to_string(factor) + "·10") + superscript(e));
      }
    return ticks;
  }
  const double nice = nice_step((high - low) / wanted, hours), step = whole ? std::max(1.0, nice) : nice;
  const double largest = std::max(std::abs(low), std::abs(high));
  if (largest < 0.01 || largest >= 1e6) ticks.exponent = static_cast<int>(std::floor(std::log10(largest)));
  const double unit = std::pow(10.0, ticks.exponent);
  // As a number first: the step of a range that is none has no place that fits an int.
  const int decimals = static_cast<int>(std::clamp(-std::floor(std::log10(step / unit) + 1e-9), 0.0, 12.0));
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0) {
    ticks.at.push_back(k * step);
    ticks.labels.push_back(fixed(k * step / unit, decimals));
    if (ticks.at.size() > 50) break;
  }
  return ticks;
}

Picture draw_plot(const PlotSpec& spec) {
  AxisSpan xs, ys;
  for (const PlotSeries& s : spec.series) {
    const std::size_t size = std::min(s.x.size(), s.y.size());
    double last = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size; ++i)
      if (std::isfinite(s.x[i])) last = std::max(last, s.x[i]);
    for (std::size_t i = 0; i < size; ++i) {
      xs.take(s.x[i], spec.log_x);
      if (!s.sets_range || (spec.settling > 0 && s.x[i] < spec.settling * last)) continue;
      ys.take(s.y[i], spec.log_y);
      if (i < s.upper.size()) ys.take(s.upper[i], spec.log_y);
      if (i < s.lower.size()) ys.take(s.lower[i], spec.log_y);
    }
  }
  const bool nothing = xs.empty() || ys.empty();
  if (spec.x_words.empty()) settle(xs, spec.log_x, false);
  else xs = {-0.5, static_cast<double>(spec.x_words.size()) - 0.5};
  settle(ys, spec.log_y, true);
  // Six decades say more than a tail towards zero that would flatten everything else.
  if (spec.log_y) ys.low = std::max(ys.low, ys.high * 1e-8);

  std::vector<LegendEntry> legend;
  bool banded = false;
  for (std::size_t i = 0; i < spec.series.size(); ++i) {
    const PlotSeries& s = spec.series[i];
    using Mark = LegendEntry::Mark;
    const Mark mark = !s.points ? Mark::line : s.lower.empty() ? Mark::ring : Mark::dot;
    if (!s.label.empty()) legend.push_back({s.label, role_of(spec, i), dash_of(spec, i), false, mark});
    if (!banded && !s.points && !s.upper.empty() && !spec.band_label.empty()) {
      legend.push_back({spec.band_label, role_of(spec, i), Dash::solid, true});
      banded = true;
    }
  }
  double legend_width = 0;
  for (LegendEntry& e : legend) {
    e.label = elided(e.label, tick_font, spec.width * 0.5);
    legend_width = std::max(legend_width, swatch + 8 + text_width(e.label, tick_font));
  }
  const double legend_height = legend_row * static_cast<double>(legend.size()) + 4;

  const AxisTicks y_ticks = axis_ticks(ys.low, ys.high, 6, spec.log_y);
  double label_width = 0;
  for (const std::string& label : y_ticks.labels) label_width = std::max(label_width, text_width(label, tick_font));
  const double left = 12 + title_font.line_height() + label_width + 10, top = spec.title.empty() ? 14 : 36, right = 22;
  const double caption_height = spec.caption.empty() ? 0 : 20;
  double bottom = 44 + caption_height;

  Axis x{xs.low, xs.high, spec.log_x, left, spec.width - right};
  Axis y{ys.low, ys.high, spec.log_y, spec.height - bottom, top};
  Rect frame;
  Point corner;
  // First try: legend inside. If every corner hides data, it goes below and the plot gets shorter.
  for (const bool inside : {true, false}) {
    if (!inside) bottom += legend_height;
    y.from = spec.height - bottom;
    frame = {left, top, spec.width - right - left, spec.height - bottom - top};
    if (!inside) {
      corner = {left, spec.height - legend_height - caption_height - 2};
      break;
    }
    bool placed = legend.empty();
    const double w = legend_width + 16, h = legend_height + 8;
    for (const Point& try_at :
         {Point{frame.right() - w - 6, frame.y + 6}, Point{frame.x + 8, frame.y + 6},
          Point{frame.right() - w - 6, frame.bottom() - h - 6}, Point{frame.x + 8, frame.bottom() - h - 6},
          Point{frame.centre().x - w / 2, frame.y + 6}}) {
      if (placed) break;
      const Rect box{try_at.x, try_at.y, w, h};
      bool covers = w > frame.width * 0.7 || h > frame.height * 0.6;
      for (const PlotSeries& s : spec.series) {
        for (const auto& run : runs(s, x, y))
          covers = covers || touches(run, grown(box, 4)) || (run.size() == 1 && box.contains(run[0]));
        for (const auto& interval : upright(s, x, y)) covers = covers || touches(interval, grown(box, 8));
        for (const auto& band : bands(s, x, y)) covers = covers || !clipped_polygon(band, grown(box, 2)).empty();
      }
      if (covers) continue;
      corner = {box.x + 8, box.y + 2};
      placed = true;
    }
    if (placed) break;
  }

  Picture out;
  AxisTicks x_ticks;
  const double each_word = frame.width / std::max(1.0, static_cast<double>(spec.x_words.size()));
  for (std::size_t i = 0; i < spec.x_words.size(); ++i) {
    x_ticks.at.push_back(static_cast<double>(i));
    x_ticks.labels.push_back(elided(spec.x_words[i], tick_font, each_word - 6));
  }
  if (spec.x_words.empty())
    x_ticks = axis_ticks(xs.low, xs.high, std::max(3, static_cast<int>(frame.width / 90)), spec.log_x,
                         spec.x_unit == "h", spec.whole_x);
  for (const double v : x_ticks.at)
    out.polyline({}, {{x.place(v), frame.y}, {x.place(v), frame.bottom()}}, Role::grid).line_width = 1;
  for (const double v : y_ticks.at)
    out.polyline({}, {{frame.x, y.place(v)}, {frame.right(), y.place(v)}}, Role::grid).line_width = 1;
  for (std::size_t i = 0; i < spec.series.size(); ++i)
    for (const auto& band : bands(spec.series[i], x, y)) {
      std::vector<Point> visible = clipped_polygon(band, frame);
      if (visible.size() > 2) out.polygon({}, std::move(visible), Role::none, role_of(spec, i)).fill_opacity = 0.2;
    }
  for (std::size_t i = 0; i < spec.series.size(); ++i) {
    const PlotSeries& s = spec.series[i];
    if (s.points) {
      draw_points(out, s, x, y, frame, role_of(spec, i));
      continue;
    }
    for (const auto& run : runs(s, x, y)) {
      if (run.size() == 1 && frame.contains(run[0]))
        out.ellipse({}, {run[0].x - 3, run[0].y - 3, 6, 6}, Role::none, role_of(spec, i));
      for (auto& piece : clipped(run, frame)) {
        Primitive& line = out.polyline({}, std::move(piece), role_of(spec, i));
        line.line_width = 2;
        line.dash = dash_of(spec, i);
      }
    }
  }
  out.polyline({}, {{frame.x, frame.y}, {frame.x, frame.bottom()}, {frame.right(), frame.bottom()}}, Role::axis)
      .line_width = 1;
  for (std::size_t i = 0; i < x_ticks.at.size(); ++i) {
    const double px = x.place(x_ticks.at[i]);
    out.polyline({}, {{px, frame.bottom()}, {px, frame.bottom() + 4}}, Role::axis).line_width = 1;
    out.words({}, {px, frame.bottom() + 16}, x_ticks.labels[i], tick_font, Role::text, Anchor::middle);
  }
  for (std::size_t i = 0; i < y_ticks.at.size(); ++i) {
    const double py = y.place(y_ticks.at[i]);
    out.polyline({}, {{frame.x - 4, py}, {frame.x, py}}, Role::axis).line_width = 1;
    out.words({}, {frame.x - 7, py + 4}, y_ticks.labels[i], tick_font, Role::text, Anchor::end);
  }
  out.words({}, {frame.centre().x, frame.bottom() + 34},
            elided(axis_title(spec.x_label, spec.x_unit, x_ticks.exponent), title_font, frame.width), title_font,
            Role::text, Anchor::middle);
  Primitive& title =
      out.words({}, {18, frame.centre().y},
                elided(axis_title(spec.y_label, spec.y_unit, y_ticks.exponent), title_font, frame.height), title_font,
                Role::text, Anchor::middle);
  title.upwards = true;
  if (!spec.title.empty())
    out.words({}, {frame.centre().x, 22}, elided(spec.title, heading_font, spec.width - 24), heading_font, Role::text,
              Anchor::middle);
  if (nothing) out.words({}, frame.centre(), "no data", title_font, Role::muted, Anchor::middle);
  draw_legend(out, legend, corner);
  if (!spec.caption.empty())
    out.words({}, {frame.x, spec.height - 6}, elided(spec.caption, caption_font, spec.width - frame.x - 6),
              caption_font, Role::muted);
  out.view = {0, 0, spec.width, spec.height};
  return out;
}

}  // namespace ergode
