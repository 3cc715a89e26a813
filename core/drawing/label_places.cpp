// Labels of edges.
#include "core/drawing/orthogonal_router.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/drawing/route_geometry.h"

namespace ergode {

using namespace routing;

double OrthogonalRouter::label_cost(int edge, const std::vector<Point>& line, const Rect& box) const {
  const RoutedEdge& e = edges_[at(edge)];
  const Rect area = grown(box, 4);
  std::vector<int> near;
  double sum = 0.0;
  boxes_.near(area, near);
  for (const int n : near) {
    const RoutedNode& node = nodes_[at(n)];
    const bool around = n != e.source && n != e.target && (inside(e.source, n) || inside(e.target, n));
    const Rect title{node.box.x, node.box.y, node.box.width, node.title_height};
    if (!node.container || !around) {
      // Inside a container that is itself an end, only its title counts.
      const bool own_inside = node.container && (inside(e.source, n) || inside(e.target, n));
      if (overlaps(grown(box, 2), own_inside ? title : node.box)) sum += 3000;
      continue;
    }
    if (overlaps(box, title)) sum += 2500;
    const Rect b = node.box;  // across the border of a container around it
    if (overlaps(box, b) && !(box.x > b.x && box.right() < b.right() && box.y > b.y && box.bottom() < b.bottom()))
      sum += 500;
  }
  labels_.near(area, near);
  for (const int other : near)
    if (other != edge && overlaps(grown(box, 3), *routes_[at(other)].label)) sum += 2500;
  lines_.near(area, near);
  const auto meets = [&](const std::vector<Point>& points, const Rect& kept) {
    double times = 0.0;
    for (std::size_t i = 1; i < points.size(); ++i) times += crosses(points[i - 1], points[i], kept);
    return times;
  };
  for (const int other : near)
    if (other != edge) sum += 320 * meets(routes_[at(other)].points, grown(box, 2));
  return sum + 12 * meets(line, grown(box, -2));
}

void OrthogonalRouter::place_label(int edge) {
  const RoutedEdge& e = edges_[at(edge)];
  EdgeRoute& route = routes_[at(edge)];
  if (e.label_width <= 0.0 || route.points.size() < 2) return;
  const double w = e.label_width, h = e.label_height;
  double best = std::numeric_limits<double>::infinity();
  Rect chosen;
  const double whole = length(route.points);
  // The places differ in what lies near them; without looking, the middle of the first piece is as good as any.
  const bool look = !exhausted();
  double before = 0.0;
  for (std::size_t i = 1; i < route.points.size(); ++i) {
    const Point a = route.points[i - 1], b = route.points[i];
    const double run = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    const bool across = std::abs(a.x - b.x) > std::abs(a.y - b.y);
    for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7, 0.18, 0.82}) {
      const Point m{a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
      const double off_middle = std::abs((before + run * t) / whole - 0.5) * 30;
      std::vector<std::pair<Rect, double>> boxes_here;
      const Rect on{m.x - w / 2, m.y - h / 2, w, h};
      // On the line it may hide neither bends nor the arrow head.
      const double room = across ? run - w : run - h;
      boxes_here.push_back({on, room < 44 ? 400.0 : 0.0});
      for (const double gap : {5.0, 14.0, 26.0, 33.0, 42.0, 56.0, 74.0, 96.0}) {
        const double extra = 8 + 1.5 * gap;
        if (across) {
          boxes_here.push_back({{m.x - w / 2, m.y - h - gap, w, h}, extra});
          boxes_here.push_back({{m.x - w / 2, m.y + gap, w, h}, extra + 2});
        } else {
          boxes_here.push_back({{m.x + gap, m.y - h / 2, w, h}, extra});
          boxes_here.push_back({{m.x - w - gap, m.y - h / 2, w, h}, extra + 2});
        }
      }
      for (const auto& [box, extra] : boxes_here) {
        // Long pieces and the middle of the whole line are where a reader looks for a label.
        double price = extra + off_middle - std::min(run, 200.0) / 10;
        if (price >= best) continue;
        if (look) price += label_cost(edge, route.points, box);
        if (price >= best) continue;
        best = price;
        chosen = box;
      }
    }
    before += run;
  }
  if (e.label_offset) {
    chosen.x += e.label_offset->x;
    chosen.y += e.label_offset->y;
  }
  route.label = chosen;
  labels_.add(edge, chosen);
}

}  // namespace ergode
