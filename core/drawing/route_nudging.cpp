// Where edges leave and enter boxes: the sides, and the places along a side.
#include "core/drawing/orthogonal_router.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/drawing/route_geometry.h"

namespace ergode {

using namespace routing;

/// Edges on the same side of a diamond or circle would run on top of each other.
double OrthogonalRouter::taken_price(int edge, int node, Side side) const {
  if (!nodes_[at(node)].centred) return 0.0;
  effort_ += incident_[at(node)].size();
  double sum = 0.0;
  for (const int other : incident_[at(node)]) {
    if (other == edge || !placed_[at(other)]) continue;
    const Port& port = edges_[at(other)].source == node ? ends_[at(other)].source : ends_[at(other)].target;
    if (port.side == side) sum += 160.0;
  }
  return sum;
}

void OrthogonalRouter::choose_sides(int edge) {
  const RoutedEdge& e = edges_[at(edge)];
  if (e.source == e.target || !e.way_points.empty() || exhausted()) return;
  const bool source_inward = inside(e.target, e.source), target_inward = inside(e.source, e.target);
  const Rect area = grown(united(nodes_[at(e.source)].box, nodes_[at(e.target)].box), 90);
  const std::vector<int> blocking = obstacles(edge, area);
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::vector<Point>> paths;
  for (const Side s : {right, bottom, left, top})
    for (const Side t : {left, top, right, bottom}) {
      const Ends ends{port_on(e.source, s, e.target, source_inward), port_on(e.target, t, e.source, target_inward)};
      const double taken = taken_price(edge, e.source, s) + taken_price(edge, e.target, t);
      paths.clear();
      candidates(ends, e, paths);
      for (const auto& path : paths) {
        const double price = taken + cost(edge, path, blocking, {}, best - taken);
        if (price >= best) continue;
        best = price;
        ends_[at(edge)] = ends;
      }
    }
  placed_[at(edge)] = 1;
}

void OrthogonalRouter::spread_ports(std::span<const int> edges) {
  struct Use {
    int edge;
    bool source;
    double wish, toward;
    bool fixed;
  };
  std::vector<char> moving(edges_.size(), 0);
  for (const int e : edges) moving[at(e)] = 1;
  std::vector<int> touched;
  for (const int e : edges) {
    touched.push_back(edges_[at(e)].source);
    touched.push_back(edges_[at(e)].target);
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const int node : touched) {
    if (nodes_[at(node)].centred) continue;
    for (const Side side : {left, right, top, bottom}) {
      std::vector<Use> uses;
      for (const int e : incident_[at(node)]) {
        const RoutedEdge& edge = edges_[at(e)];
        if (edge.source == edge.target || !placed_[at(e)]) continue;
        for (const bool source : {true, false}) {
          if ((source ? edge.source : edge.target) != node) continue;
          const Port& port = source ? ends_[at(e)].source : ends_[at(e)].target;
          if (port.side != side) continue;
          const Point far = nodes_[at(source ? edge.target : edge.source)].box.centre();
          uses.push_back({e, source, port.at, side == left || side == right ? far.y : far.x, !moving[at(e)]});
        }
      }
      if (uses.size() < 2) continue;
      std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
        return a.wish != b.wish ? a.wish < b.wish : a.toward != b.toward ? a.toward < b.toward : a.edge < b.edge;
      });
      const auto [low, high] = port_range(node, side);
      const double gap = std::min(port_spacing, (high - low) / static_cast<double>(uses.size() - 1));
      // Push apart, centred on where they wanted to be, then back inside the side.
      std::vector<double> place(uses.size());
      double mean = 0.0;
      for (std::size_t i = 0; i < uses.size(); ++i) {
        place[i] = i == 0 ? uses[i].wish : std::max(uses[i].wish, place[i - 1] + gap);
        mean += (uses[i].wish - place[i]) / static_cast<double>(uses.size());
      }
      for (double& p : place) p += mean;
      if (place.back() > high) place.back() = high;
      for (std::size_t i = uses.size() - 1; i > 0; --i) place[i - 1] = std::min(place[i - 1], place[i] - gap);
      if (place.front() < low) place.front() = low;
      for (std::size_t i = 1; i < uses.size(); ++i) place[i] = std::max(place[i], place[i - 1] + gap);
      // Those that stay where they are do not make room.
      std::vector<double> taken;
      for (std::size_t i = 0; i < uses.size(); ++i)
        if (uses[i].fixed) taken.push_back(place[i] = uses[i].wish);
      const auto free = [&, low = low, high = high](double there) {
        effort_ += taken.size();
        return there >= low && there <= high && std::none_of(taken.begin(), taken.end(), [&](double other) {
                 return std::abs(other - there) < 0.7 * gap;
               });
      };
      for (std::size_t i = 0; i < uses.size(); ++i) {
        if (uses[i].fixed || free(place[i])) continue;
        for (double shift = gap; shift <= high - low && !exhausted(); shift += gap)
          if (const double up = place[i] - shift, down = place[i] + shift; free(up) || free(down)) {
            place[i] = free(down) ? down : up;
            break;
          }
      }
      for (std::size_t i = 0; i < uses.size(); ++i)
        if (!uses[i].fixed)
          (uses[i].source ? ends_[at(uses[i].edge)].source : ends_[at(uses[i].edge)].target).at = place[i];
    }
  }
}

/// Makes the two ports of boxes that face each other meet in one straight line where neighbours leave room.
void OrthogonalRouter::align_facing(int edge) {
  const RoutedEdge& e = edges_[at(edge)];
  if (e.source == e.target || !e.way_points.empty() || exhausted()) return;
  Port& a = ends_[at(edge)].source;
  Port& b = ends_[at(edge)].target;
  const bool upright_a = a.side == left || a.side == right, upright_b = b.side == left || b.side == right;
  if (upright_a != upright_b || a.side == b.side || a.at == b.at) return;
  const auto free_at = [&](int node, Side side, double place) {
    const auto [low, high] = port_range(node, side);
    if (place < low || place > high) return false;
    effort_ += incident_[at(node)].size();
    for (const int other : incident_[at(node)]) {
      if (other == edge) continue;
      const RoutedEdge& o = edges_[at(other)];
      if (o.source == o.target || !placed_[at(other)]) continue;
      const Port& port = o.source == node ? ends_[at(other)].source : ends_[at(other)].target;
      if (port.side == side && std::abs(port.at - place) < 10.0) return false;
    }
    return true;
  };
  for (const double place : {a.at, b.at, (a.at + b.at) / 2})
    if (free_at(e.source, a.side, place) && free_at(e.target, b.side, place)) {
      a.at = b.at = place;
      return;
    }
}

}  // namespace ergode
