#include "core/document/layout_limits.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/base/text.h"

namespace ergode {
namespace {

bool within(double value) { return std::isfinite(value) && std::abs(value) <= layout_limit; }
bool is_size(double value) { return std::isfinite(value) && value > 0.0 && value <= layout_limit; }

std::string listed(std::initializer_list<double> numbers) {
  std::string out;
  for (const double number : numbers) out += (out.empty() ? "[" : ", ") + number_text(number, 6);
  return out + "]";
}

/// What cannot be drawn, as a sentence; empty: everything can.
std::string complaint(const Layout& layout) {
  const std::string limit = number_text(layout_limit, 12);
  if (layout.bounds && !drawable(*layout.bounds)) {
    const Rect& b = *layout.bounds;
    return "The place [x, y, width, height] is " + listed({b.x, b.y, b.width, b.height}) +
           "; wanted coordinates between -" + limit + " and " + limit + " and sizes above 0, at most " + limit + ".";
  }
  for (const Point& p : layout.way_points)
    if (!drawable(p))
      return "A corner of the edge is at " + listed({p.x, p.y}) + "; wanted coordinates between -" + limit + " and " +
             limit + ".";
  if (layout.label_offset && !drawable(*layout.label_offset))
    return "The label is moved by " + listed({layout.label_offset->x, layout.label_offset->y}) +
           "; wanted numbers between -" + limit + " and " + limit + ".";
  return {};
}

}  // namespace

bool drawable(const Point& point) { return within(point.x) && within(point.y); }
bool drawable(const Rect& bounds) {
  return within(bounds.x) && within(bounds.y) && is_size(bounds.width) && is_size(bounds.height);
}

Diagnostics check_layout(const Document& document) {
  constexpr std::size_t most = 20;
  Diagnostics out;
  std::size_t found = 0;
  for (const Element& element : document.elements()) {
    std::string why = complaint(element.layout);
    if (why.empty() || ++found > most) continue;
    out.push_back({.code = "DOC007", .element = element.id, .pointer = "layout", .message = std::move(why)});
  }
  if (found > most) out.back().hint = "So it is with " + std::to_string(found - most) + " more elements.";
  return out;
}

Layout drawable_part(Layout layout) {
  if (layout.bounds && !drawable(*layout.bounds)) layout.bounds.reset();
  if (!std::all_of(layout.way_points.begin(), layout.way_points.end(), [](const Point& p) { return drawable(p); }))
    layout.way_points.clear();
  if (layout.label_offset && !drawable(*layout.label_offset)) layout.label_offset.reset();
  return layout;
}

}  // namespace ergode
