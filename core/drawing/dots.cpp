#include "core/drawing/dots.h"

#include <cmath>
#include <numbers>

namespace ergode {
namespace {

/// Corners of a regular polygon about as large as the circle, the first one at an angle [half turns, from the right,
/// downwards].
std::vector<Point> corners(Point centre, double radius, int count, double first) {
  std::vector<Point> out;
  for (int i = 0; i < count; ++i) {
    const double angle = (first + 2.0 * i / count) * std::numbers::pi;
    out.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return out;
}

}  // namespace

void draw_dot(Picture& out, ElementId element, Point centre, double radius, int series, DotStyle style) {
  const Role own = series < 0 ? Role::text : series_role(static_cast<std::size_t>(series));
  const Role fill = style == DotStyle::hollow ? Role::canvas : own;
  const Role stroke = style == DotStyle::hollow ? own : style == DotStyle::held ? Role::failure : Role::canvas;
  const auto shape = [&]() -> Primitive& {
    // The larger the fewer corners: areas are about equal.
    switch (series < 0 ? 0 : series % series_count) {
      case 1: {
        const double half = 0.88 * radius;
        return out.rectangle(element, {centre.x - half, centre.y - half, 2 * half, 2 * half}, 0, stroke, fill);
      }
      case 2:
        return out.polygon(element, corners({centre.x, centre.y + 0.15 * radius}, 1.3 * radius, 3, -0.5), stroke, fill);
      case 3:
        return out.polygon(element, corners(centre, 1.25 * radius, 4, -0.5), stroke, fill);
      case 4:
        return out.polygon(element, corners({centre.x, centre.y - 0.15 * radius}, 1.3 * radius, 3, 0.5), stroke, fill);
      case 5:
        return out.polygon(element, corners(centre, 1.15 * radius, 5, -0.5), stroke, fill);
      default:
        return out.ellipse(element, {centre.x - radius, centre.y - radius, 2 * radius, 2 * radius}, stroke, fill);
    }
  };
  shape().line_width = style == DotStyle::plain ? 0.8 : 1.6;
}

std::uint64_t number_there(const std::vector<Present>& present) {
  std::uint64_t sum = 0;
  for (const Present& one : present)
    if (one.somebody() && one.standing != Standing::outside) sum += one.count;
  return sum;
}

}  // namespace ergode
