#include "core/drawing/orthogonal_router.h"

#include <algorithm>
#include <cmath>

#include "core/drawing/route_geometry.h"

namespace ergode {

using namespace routing;

OrthogonalRouter::OrthogonalRouter(std::vector<RoutedNode> nodes, std::vector<RoutedEdge> edges)
    : nodes_(std::move(nodes)),
      edges_(std::move(edges)),
      routes_(edges_.size()),
      ends_(edges_.size()),
      placed_(edges_.size(), 0),
      bundled_(edges_.size(), 0),
      incident_(nodes_.size()) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) boxes_.add(static_cast<int>(i), nodes_[i].box);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    incident_[at(edges_[e].source)].push_back(static_cast<int>(e));
    if (edges_[e].target != edges_[e].source) incident_[at(edges_[e].target)].push_back(static_cast<int>(e));
  }
  std::vector<int> all(edges_.size());
  for (std::size_t e = 0; e < all.size(); ++e) all[e] = static_cast<int>(e);
  reroute(all);
}

void OrthogonalRouter::set_box(int node, const Rect& box) {
  boxes_.remove(node, nodes_[at(node)].box);
  nodes_[at(node)].box = box;
  boxes_.add(node, box);
}

void OrthogonalRouter::reroute(std::span<const int> edges) {
  spent_before_ = spent();
  for (const int e : edges) forget(e);
  const std::vector<std::vector<int>> bundles = parallel(edges);
  std::vector<char> waits(edges_.size(), 0);
  for (const std::vector<int>& bundle : bundles)
    for (const int e : bundle) waits[at(e)] = 1;
  // Single edges have fewer places to go than bundles, which go around them; all labels of single edges come last.
  std::vector<int> single, rest;
  for (const int e : edges)
    if (waits[at(e)] == 0) single.push_back(e);
  route_single(single);
  for (const std::vector<int>& bundle : bundles) route_bundle(bundle);
  for (const int e : edges)
    if (waits[at(e)] != 0 && bundled_[at(e)] == 0) rest.push_back(e);
  route_single(rest);
  for (const int e : edges)
    if (bundled_[at(e)] == 0) place_label(e);
}

void OrthogonalRouter::route_single(std::span<const int> edges) {
  for (const int e : edges) choose_sides(e);
  spread_ports(edges);
  for (const int e : edges) align_facing(e);
  for (const int e : edges) {
    const RoutedEdge& edge = edges_[at(e)];
    if (exhausted()) route_plainly(e);
    else if (!edge.way_points.empty()) route_by_way_points(e);
    else if (edge.source == edge.target) route_self_loop(e);
    else route_between_ports(e);
    remember(e);
  }
}

/// From middle to middle with one corner.
void OrthogonalRouter::route_plainly(int edge) {
  const Point from = nodes_[at(edges_[at(edge)].source)].box.centre();
  const Point to = nodes_[at(edges_[at(edge)].target)].box.centre();
  std::vector<Point>& points = routes_[at(edge)].points;
  points = edges_[at(edge)].way_points;
  if (points.empty() && from.x != to.x && from.y != to.y) points = {{to.x, from.y}};
  points.insert(points.begin(), from), points.push_back(to);
}

void OrthogonalRouter::forget(int edge) {
  placed_[at(edge)] = bundled_[at(edge)] = 0;
  EdgeRoute& route = routes_[at(edge)];
  for (std::size_t i = 1; i < route.points.size(); ++i)
    lines_.remove(edge, segment_box(route.points[i - 1], route.points[i]));
  if (route.label) labels_.remove(edge, *route.label);
  route = {};
}

void OrthogonalRouter::remember(int edge) {
  const EdgeRoute& route = routes_[at(edge)];
  for (std::size_t i = 1; i < route.points.size(); ++i)
    lines_.add(edge, segment_box(route.points[i - 1], route.points[i]));
}

bool OrthogonalRouter::inside(int node, int container) const {
  for (int up = nodes_[at(node)].parent; up >= 0; up = nodes_[at(up)].parent)
    if (up == container) return true;
  return false;
}

bool OrthogonalRouter::blocks(int node, const RoutedEdge& edge) const {
  for (const int end : {edge.source, edge.target})
    if (node == end || inside(end, node) || inside(node, end)) {
      // What lies inside an end still blocks an edge that runs inside it.
      const int other = end == edge.source ? edge.target : edge.source;
      const bool runs_inside =
          inside(other, end) && inside(node, end) && node != other && !inside(other, node) && !inside(node, other);
      if (!runs_inside) return false;
    }
  return true;
}

std::vector<int> OrthogonalRouter::obstacles(int edge, const Rect& area) const {
  std::vector<int> found;
  boxes_.near(area, found);
  std::erase_if(found,
                [&](int node) { return !overlaps(nodes_[at(node)].box, area) || !blocks(node, edges_[at(edge)]); });
  return found;
}

std::pair<double, double> OrthogonalRouter::port_range(int node, Side side) const {
  const RoutedNode& n = nodes_[at(node)];
  const bool upright = side == left || side == right;
  const double low = upright ? n.box.y : n.box.x, size = upright ? n.box.height : n.box.width;
  if (n.centred || size < 2 * corner) return {low + size / 2, low + size / 2};
  return {low + corner, low + size - corner};
}

/// Opposite the other end where the two boxes face each other, else in the middle of the side.
OrthogonalRouter::Port OrthogonalRouter::port_on(int node, Side side, int other, bool inward) const {
  const auto [low, high] = port_range(node, side);
  const auto [other_low, other_high] = port_range(other, side);
  const double from = std::max(low, other_low), to = std::min(high, other_high);
  return {side, from <= to ? (from + to) / 2 : (low + high) / 2, inward};
}

Point OrthogonalRouter::point_at(int node, const Port& port) const {
  const Rect& b = nodes_[at(node)].box;
  switch (port.side) {
    case left:
      return {b.x, port.at};
    case right:
      return {b.right(), port.at};
    case top:
      return {port.at, b.y};
    case bottom:
      return {port.at, b.bottom()};
  }
  return {};
}

}  // namespace ergode
