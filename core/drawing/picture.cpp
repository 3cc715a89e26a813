#include "core/drawing/picture.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ergode {
namespace {

constexpr Color rgb(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8), static_cast<std::uint8_t>(hex)};
}

struct RoleColor {
  Role role;
  std::uint32_t light, dark;
};

constexpr RoleColor palette[] = {{Role::none, 0x000000, 0x000000},
                                 {Role::canvas, 0xFFFFFF, 0x1E2329},
                                 {Role::panel, 0xF8F9FA, 0x262C34},
                                 {Role::text, 0x1F2933, 0xE6EDF3},
                                 {Role::muted, 0x52606D, 0xA7B4C2},
                                 {Role::node_border, 0x334E68, 0x8FB3D9},
                                 {Role::node_fill, 0xEEF4FB, 0x2B3440},
                                 {Role::title_fill, 0xF8F9FA, 0x262C34},
                                 {Role::transition, 0x52606D, 0xA7B4C2},
                                 {Role::failure, 0xB3261E, 0xFF8A80},
                                 {Role::active_border, 0x00664B, 0x4FD1A5},
                                 {Role::active_fill, 0xCDE8DE, 0x1F4A3D},
                                 {Role::error, 0xB3261E, 0xFF8A80},
                                 {Role::warning, 0x8A5A00, 0xFFB74D},
                                 {Role::selection, 0x1A73E8, 0x6CB1FF},
                                 {Role::ccf, 0x8A5A00, 0xFFB74D},
                                 {Role::grid, 0xE1E5E9, 0x39414B},
                                 {Role::axis, 0x1F2933, 0xE6EDF3},
                                 {Role::series_0, 0x0072B2, 0x56B4E9},
                                 {Role::series_1, 0xD55E00, 0xE69F00},
                                 {Role::series_2, 0x009E73, 0x2DBE91},
                                 {Role::series_3, 0xCC79A7, 0xCC79A7},
                                 {Role::series_4, 0x000000, 0xF0E442},
                                 {Role::series_5, 0xA05A2C, 0xFFFFFF},
                                 // Viridis, the same on every ground.
                                 {Role::ordered_0, 0x440154, 0x440154},
                                 {Role::ordered_1, 0x472D7B, 0x472D7B},
                                 {Role::ordered_2, 0x3B528B, 0x3B528B},
                                 {Role::ordered_3, 0x2C728E, 0x2C728E},
                                 {Role::ordered_4, 0x21918C, 0x21918C},
                                 {Role::ordered_5, 0x28AE80, 0x28AE80},
                                 {Role::ordered_6, 0x5EC962, 0x5EC962},
                                 {Role::ordered_7, 0xADDC30, 0xADDC30},
                                 {Role::ordered_8, 0xFDE725, 0xFDE725},
                                 {Role::on_dark, 0xFFFFFF, 0xFFFFFF},
                                 {Role::on_light, 0x14181D, 0x14181D}};

Theme make_theme(std::uint32_t RoleColor::*column) {
  Theme theme;
  for (const RoleColor& entry : palette) theme.colors[static_cast<std::size_t>(entry.role)] = rgb(entry.*column);
  return theme;
}

Rect around(const std::vector<Point>& points) {
  if (points.empty()) return {};
  double left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (const Point& p : points) {
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  return {left, top, right - left, bottom - top};
}

}  // namespace

std::string Color::hex() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t part : {red, green, blue}) {
    text += digits[part >> 4];
    text += digits[part & 15];
  }
  return text;
}

const Theme& Theme::light() {
  static const Theme theme = make_theme(&RoleColor::light);
  return theme;
}

const Theme& Theme::dark() {
  static const Theme theme = make_theme(&RoleColor::dark);
  return theme;
}

const Theme& Theme::print() { return light(); }

const std::vector<double>& dash_pattern(Dash dash) {
  static const std::vector<double> patterns[] = {{}, {6, 4}, {1.5, 3}, {8, 3, 1.5, 3}, {12, 4}, {8, 3, 1.5, 3, 1.5, 3}};
  return patterns[static_cast<std::size_t>(dash)];
}

Dash series_dash(std::size_t index) {
  constexpr Dash dashes[] = {Dash::solid,     Dash::dash_dot,     Dash::dotted,
                             Dash::long_dash, Dash::dash_dot_dot, Dash::dashed};
  return dashes[index % std::size(dashes)];
}

Rect Primitive::extent() const {
  switch (kind) {
    case Kind::rectangle:
    case Kind::ellipse:
      return box;
    case Kind::polyline:
    case Kind::polygon:
      return around(points);
    case Kind::text:
      break;
  }
  // A quarter of the size below the baseline holds the tails of g and y.
  const double width = text_width(text, font), up = font.ascent(), down = 0.25 * font.size;
  const Point p = points.empty() ? Point{} : points[0];
  const double back = anchor == Anchor::start ? 0.0 : anchor == Anchor::middle ? width / 2 : width;
  if (upwards) return {p.x - up, p.y - (width - back), up + down, width};
  return {p.x - back, p.y - up, width, up + down};
}

Rect united(const Rect& a, const Rect& b) {
  const double left = std::min(a.x, b.x), top = std::min(a.y, b.y);
  return {left, top, std::max(a.right(), b.right()) - left, std::max(a.bottom(), b.bottom()) - top};
}

Rect grown(const Rect& r, double margin) {
  return {r.x - margin, r.y - margin, r.width + 2 * margin, r.height + 2 * margin};
}

bool overlaps(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

Primitive& Picture::rectangle(ElementId element, const Rect& box, double radius, Role stroke, Role fill) {
  Primitive& s = primitives.emplace_back();
  s.kind = Primitive::Kind::rectangle;
  s.element = element;
  s.box = box;
  s.radius = radius;
  s.stroke = stroke;
  s.fill = fill;
  return s;
}

Primitive& Picture::ellipse(ElementId element, const Rect& box, Role stroke, Role fill) {
  Primitive& s = rectangle(element, box, 0.0, stroke, fill);
  s.kind = Primitive::Kind::ellipse;
  return s;
}

Primitive& Picture::polyline(ElementId element, std::vector<Point> points, Role stroke) {
  Primitive& s = primitives.emplace_back();
  s.kind = Primitive::Kind::polyline;
  s.element = element;
  s.points = std::move(points);
  s.stroke = stroke;
  return s;
}

Primitive& Picture::polygon(ElementId element, std::vector<Point> points, Role stroke, Role fill) {
  Primitive& s = polyline(element, std::move(points), stroke);
  s.kind = Primitive::Kind::polygon;
  s.fill = fill;
  return s;
}

Primitive& Picture::words(ElementId element, Point baseline, std::string text, const Font& font, Role role,
                          Anchor anchor) {
  Primitive& s = primitives.emplace_back();
  s.kind = Primitive::Kind::text;
  s.element = element;
  s.points = {baseline};
  s.text = std::move(text);
  s.font = font;
  s.fill = role;
  s.anchor = anchor;
  return s;
}

void Picture::append(Picture other) {
  primitives.insert(primitives.end(), std::make_move_iterator(other.primitives.begin()),
                    std::make_move_iterator(other.primitives.end()));
}

void Picture::fit(double margin) {
  if (primitives.empty()) {
    view = {0, 0, 2 * margin, 2 * margin};
    return;
  }
  Rect all = primitives.front().extent();
  for (const Primitive& s : primitives) all = united(all, s.extent());
  all = grown(all, margin);
  const double left = std::floor(all.x), top = std::floor(all.y);
  view = {left, top, std::ceil(all.right()) - left, std::ceil(all.bottom()) - top};
}

void Picture::shift(double dx, double dy) {
  for (Primitive& s : primitives) {
    s.box.x += dx;
    s.box.y += dy;
    for (Point& p : s.points) p = {p.x + dx, p.y + dy};
  }
}

}  // namespace ergode
