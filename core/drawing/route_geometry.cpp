#include "core/drawing/route_geometry.h"

#include <algorithm>
#include <cmath>

namespace ergode::routing {

Rect segment_box(const Point& a, const Point& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
}

bool crosses(const Point& a, const Point& b, const Rect& box) {
  const Rect s = segment_box(a, b);
  return s.x < box.right() && s.right() > box.x && s.y < box.bottom() && s.bottom() > box.y;
}

Rect path_box(const std::vector<Point>& path) {
  Rect all{path[0].x, path[0].y, 0, 0};
  for (const Point& p : path) all = united(all, {p.x, p.y, 0, 0});
  return all;
}

std::vector<Point> simplified(const std::vector<Point>& path) {
  std::vector<Point> out;
  for (const Point& p : path) {
    if (!out.empty() && std::abs(out.back().x - p.x) < 1e-6 && std::abs(out.back().y - p.y) < 1e-6) continue;
    if (out.size() >= 2) {
      const Point& a = out[out.size() - 2];
      const Point& b = out.back();
      const bool along_x = std::abs(a.y - b.y) < 1e-6 && std::abs(b.y - p.y) < 1e-6 && (b.x - a.x) * (p.x - b.x) >= 0;
      const bool along_y = std::abs(a.x - b.x) < 1e-6 && std::abs(b.x - p.x) < 1e-6 && (b.y - a.y) * (p.y - b.y) >= 0;
      if (along_x || along_y) out.pop_back();
    }
    out.push_back(p);
  }
  return out;
}

double length(const std::vector<Point>& path) {
  double sum = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i)
    sum += std::abs(path[i].x - path[i - 1].x) + std::abs(path[i].y - path[i - 1].y);
  return sum;
}

double shared_length(const Point& a, const Point& b, const Point& c, const Point& d, double gap, bool& crossing) {
  const bool first_across = std::abs(a.y - b.y) < 1e-6, second_across = std::abs(c.y - d.y) < 1e-6;
  const Rect r = segment_box(a, b), s = segment_box(c, d);
  if (first_across != second_across) {
    crossing = r.x < s.right() && s.x < r.right() && r.y < s.bottom() && s.y < r.bottom();
    if (!crossing)
      crossing = first_across ? (s.x > r.x && s.x < r.right() && r.y > s.y && r.y < s.bottom())
                              : (r.x > s.x && r.x < s.right() && s.y > r.y && s.y < r.bottom());
    return 0.0;
  }
  const double apart = first_across ? std::abs(a.y - c.y) : std::abs(a.x - c.x);
  if (apart >= gap) return 0.0;
  return std::max(0.0, first_across ? std::min(r.right(), s.right()) - std::max(r.x, s.x)
                                    : std::min(r.bottom(), s.bottom()) - std::max(r.y, s.y));
}

}  // namespace ergode::routing
