// Routes of single edges: candidates with few bends, a shortest path where these fail, loops, way points of the user.
#include "core/drawing/orthogonal_router.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "core/drawing/route_geometry.h"

namespace ergode {

using namespace routing;

namespace {
struct Step {
  double x, y;
};
}  // namespace

void OrthogonalRouter::candidates(const Ends& ends, const RoutedEdge& edge,
                                  std::vector<std::vector<Point>>& out) const {
  const auto step = [](const Port& p) -> Step {
    const double sign = p.inward ? -1.0 : 1.0;
    switch (p.side) {
      case left:
        return {-sign, 0};
      case right:
        return {sign, 0};
      case top:
        return {0, -sign};
      case bottom:
        return {0, sign};
    }
    return {0, 0};
  };
  const Point a = point_at(edge.source, ends.source), b = point_at(edge.target, ends.target);
  const Step na = step(ends.source), nb = step(ends.target);
  const Point qa{a.x + na.x * stub, a.y + na.y * stub}, qb{b.x + nb.x * stub, b.y + nb.y * stub};
  const bool across_a = na.y == 0, across_b = nb.y == 0;
  const Rect s = nodes_[at(edge.source)].box, t = nodes_[at(edge.target)].box;
  const auto ahead = [](const Point& from, const Step& n, const Point& to, double least) {
    return (to.x - from.x) * n.x + (to.y - from.y) * n.y >= least;
  };
  const auto add = [&](std::vector<Point> path) {
    path = simplified(path);
    if (path.size() < 2) return;
    // A path may not turn back into the box it starts from or ends at.
    const double least = path.size() == 2 ? 1.0 : stub / 2;
    if (!ahead(a, na, path[1], least) || !ahead(b, nb, path[path.size() - 2], least)) return;
    out.push_back(std::move(path));
  };
  constexpr double shifts[] = {0, 14, -14, 28, -28, 42, -42};
  if (across_a && across_b) {
    for (const double shift : shifts) {
      for (const double x : {(qa.x + qb.x) / 2 + shift, std::min(s.x, t.x) - stub - 6 + shift,
                             std::max(s.right(), t.right()) + stub + 6 + shift})
        add({a, {x, a.y}, {x, b.y}, b});
      for (const double y : {std::min(s.y, t.y) - stub + shift, std::max(s.bottom(), t.bottom()) + stub + shift,
                             (std::min(s.bottom(), t.bottom()) + std::max(s.y, t.y)) / 2 + shift})
        add({a, qa, {qa.x, y}, {qb.x, y}, qb, b});
    }
  } else if (!across_a && !across_b) {
    for (const double shift : shifts) {
      for (const double y : {(qa.y + qb.y) / 2 + shift, std::min(s.y, t.y) - stub - 6 + shift,
                             std::max(s.bottom(), t.bottom()) + stub + 6 + shift})
        add({a, {a.x, y}, {b.x, y}, b});
      for (const double x : {std::min(s.x, t.x) - stub + shift, std::max(s.right(), t.right()) + stub + shift,
                             (std::min(s.right(), t.right()) + std::max(s.x, t.x)) / 2 + shift})
        add({a, qa, {x, qa.y}, {x, qb.y}, qb, b});
    }
  } else if (across_a) {
    add({a, {b.x, a.y}, b});
    for (const double shift : shifts) {
      const double x = qa.x + na.x * std::abs(shift), y = qb.y + nb.y * std::abs(shift);
      add({a, {x, a.y}, {x, y}, {b.x, y}, b});
      add({a, {(a.x + t.x) / 2 + shift, a.y}, {(a.x + t.x) / 2 + shift, y}, {b.x, y}, b});
    }
  } else {
    add({a, {a.x, b.y}, b});
    for (const double shift : shifts) {
      const double y = qa.y + na.y * std::abs(shift), x = qb.x + nb.x * std::abs(shift);
      add({a, {a.x, y}, {x, y}, {x, b.y}, b});
      add({a, {a.x, (a.y + t.y) / 2 + shift}, {x, (a.y + t.y) / 2 + shift}, {x, b.y}, b});
    }
  }
}

double OrthogonalRouter::cost(int edge, const std::vector<Point>& path, const std::vector<int>& blocking,
                              const std::vector<int>& lines, double limit) const {
  double sum = length(path) + bend_price * static_cast<double>(path.size() - 2);
  if (sum >= limit) return sum;
  const RoutedEdge& e = edges_[at(edge)];
  effort_ += path.size() * (blocking.size() + 1);
  for (std::size_t i = 1; i < path.size(); ++i) {
    for (const int node : blocking)
      if (crosses(path[i - 1], path[i], grown(nodes_[at(node)].box, clearance - 1))) sum += hit_price;
    // Nor through the inside of its own ends, unless one contains the other.
    for (const int end : {e.source, e.target}) {
      const int other = end == e.source ? e.target : e.source;
      if (!inside(other, end) && crosses(path[i - 1], path[i], grown(nodes_[at(end)].box, -1))) sum += hit_price;
    }
    // Nor along the title of a container that it leaves or enters.
    for (const int end : {e.source, e.target})
      for (int up = nodes_[at(end)].parent; up >= 0; up = nodes_[at(up)].parent) {
        const RoutedNode& around = nodes_[at(up)];
        const Rect title{around.box.x, around.box.y, around.box.width, around.title_height + 12};
        const double along = std::min(std::max(path[i - 1].x, path[i].x), title.right()) -
                             std::max(std::min(path[i - 1].x, path[i].x), title.x);
        if (along > 0 && crosses(path[i - 1], path[i], title)) sum += title_price * along;
      }
    if (sum >= limit) return sum;
  }
  for (const int other : lines) {
    const std::vector<Point>& theirs = routes_[at(other)].points;
    effort_ += path.size() * theirs.size();
    for (std::size_t i = 1; i < path.size(); ++i)
      for (std::size_t j = 1; j < theirs.size(); ++j) {
        bool crossing = false;
        sum += share_price * shared_length(path[i - 1], path[i], theirs[j - 1], theirs[j], 9.5, crossing);
        if (crossing) sum += crossing_price;
      }
    if (sum >= limit) return sum;
  }
  std::vector<int> labels;
  for (std::size_t i = 1; i < path.size(); ++i) {
    labels_.near(segment_box(path[i - 1], path[i]), labels);
    for (const int other : labels)
      if (other != edge && crosses(path[i - 1], path[i], grown(*routes_[at(other)].label, 3))) sum += label_price;
  }
  return sum;
}

void OrthogonalRouter::route_between_ports(int edge) {
  const RoutedEdge& e = edges_[at(edge)];
  const Rect area = grown(united(nodes_[at(e.source)].box, nodes_[at(e.target)].box), 110);
  const std::vector<int> blocking = obstacles(edge, area);
  std::vector<int> lines;
  lines_.near(area, lines);
  std::erase(lines, edge);
  std::vector<std::vector<Point>> paths;
  candidates(ends_[at(edge)], e, paths);
  double best = std::numeric_limits<double>::infinity();
  std::vector<Point>& chosen = routes_[at(edge)].points;
  for (const auto& path : paths) {
    const double price = cost(edge, path, blocking, lines, best);
    if (price >= best) continue;
    best = price;
    chosen = path;
  }
  // Other sides, where these make it run along or across too much.
  const auto plain = [](const std::vector<Point>& path) {
    return length(path) + bend_price * static_cast<double>(path.size() - 2);
  };
  if (chosen.empty() || best - plain(chosen) > 250.0) {
    const Ends first = ends_[at(edge)];
    const Rect wide = grown(area, 80);
    const std::vector<int> more = obstacles(edge, wide);
    lines_.near(wide, lines);
    for (const Side s : {right, bottom, left, top})
      for (const Side t : {left, top, right, bottom})
        for (const double shift : {0.0, 16.0, -16.0}) {
          Ends ends{port_on(e.source, s, e.target, first.source.inward),
                    port_on(e.target, t, e.source, first.target.inward)};
          const auto [low_s, high_s] = port_range(e.source, s);
          const auto [low_t, high_t] = port_range(e.target, t);
          ends.source.at = std::clamp(ends.source.at + shift, low_s, high_s);
          ends.target.at = std::clamp(ends.target.at + shift, low_t, high_t);
          paths.clear();
          candidates(ends, e, paths);
          for (const auto& path : paths) {
            const double price = 60.0 + cost(edge, path, more, lines, best - 60.0);
            if (price >= best) continue;
            best = price;
            chosen = path;
            ends_[at(edge)] = ends;
          }
        }
  }
  // What is cheaper than one hit meets no box.
  if (best < hit_price) return;
  std::vector<Point> path;
  int searches = 0;
  for (const Side s : {ends_[at(edge)].source.side, right, left, top, bottom})
    for (const Side t : {ends_[at(edge)].target.side, left, right, top, bottom}) {
      Ends ends{port_on(e.source, s, e.target, ends_[at(edge)].source.inward),
                port_on(e.target, t, e.source, ends_[at(edge)].target.inward)};
      if (s == ends_[at(edge)].source.side) ends.source = ends_[at(edge)].source;
      if (t == ends_[at(edge)].target.side) ends.target = ends_[at(edge)].target;
      // Few pairs of sides decide it: where nothing leads out of one, little leads out of the next.
      if (searches == 6) break;
      ++searches;
      if (!search_path(edge, ends, path)) continue;
      ends_[at(edge)] = ends;
      chosen = path;
      return;
    }
  if (chosen.empty()) chosen = {nodes_[at(e.source)].box.centre(), nodes_[at(e.target)].box.centre()};
}

/// Dijkstra over the lines beside boxes; the price of a bend keeps paths simple.
bool OrthogonalRouter::search_path(int edge, const Ends& ends, std::vector<Point>& path) const {
  const RoutedEdge& e = edges_[at(edge)];
  const auto out = [](Point p, const Port& port, double by) -> Point {
    const double d = port.inward ? -by : by;
    switch (port.side) {
      case left:
        return {p.x - d, p.y};
      case right:
        return {p.x + d, p.y};
      case top:
        return {p.x, p.y - d};
      case bottom:
        return {p.x, p.y + d};
    }
    return p;
  };
  const Point a = point_at(e.source, ends.source), b = point_at(e.target, ends.target);
  const Point start = out(a, ends.source, stub - 4), goal = out(b, ends.target, stub - 4);
  Rect area = united(nodes_[at(e.source)].box, nodes_[at(e.target)].box);
  area = grown(area, 260 + 0.5 * std::max(area.width, area.height));
  std::vector<Rect> walls;
  for (const int node : obstacles(edge, area)) walls.push_back(grown(nodes_[at(node)].box, clearance - 1));
  for (const int end : {e.source, e.target}) {
    const int other = end == e.source ? e.target : e.source;
    if (!inside(other, end)) walls.push_back(grown(nodes_[at(end)].box, 1));
  }
  if (walls.size() > 60) return false;
  std::vector<double> xs{start.x, goal.x}, ys{start.y, goal.y};
  for (const Rect& w : walls) {
    xs.insert(xs.end(), {w.x - 3, w.right() + 3});
    ys.insert(ys.end(), {w.y - 3, w.bottom() + 3});
  }
  for (auto* axis : {&xs, &ys}) {
    std::sort(axis->begin(), axis->end());
    axis->erase(std::unique(axis->begin(), axis->end()), axis->end());
  }
  const int columns = static_cast<int>(xs.size()), rows = static_cast<int>(ys.size());
  const auto clear = [&](const Point& p, const Point& q) {
    return std::none_of(walls.begin(), walls.end(), [&](const Rect& w) { return crosses(p, q, w); });
  };
  if (!clear(start, start) || !clear(goal, goal)) return false;
  const auto find = [](const std::vector<double>& axis, double v) {
    return static_cast<int>(std::lower_bound(axis.begin(), axis.end(), v) - axis.begin());
  };
  // A node of the search is a crossing of lines together with the direction it was reached in.
  const auto key = [&](int column, int row, int across) { return at((row * columns + column) * 2 + across); };
  std::vector<double> best(at(columns * rows * 2), std::numeric_limits<double>::infinity());
  std::vector<int> from(best.size(), -1);
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const bool begins_across = ends.source.side == left || ends.source.side == right;
  const std::size_t first = key(find(xs, start.x), find(ys, start.y), begins_across ? 1 : 0);
  best[first] = 0.0;
  open.push({0.0, first});
  const int goal_column = find(xs, goal.x), goal_row = find(ys, goal.y);
  const int ends_across = ends.target.side == left || ends.target.side == right ? 1 : 0;
  std::size_t last = best.size();
  while (!open.empty()) {
    const auto [price, here] = open.top();
    open.pop();
    if (price > best[here]) continue;
    const int across = static_cast<int>(here % 2), cell = static_cast<int>(here / 2);
    const int column = cell % columns, row = cell / columns;
    if (column == goal_column && row == goal_row && across == ends_across) {
      last = here;
      break;
    }
    const int moves[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (const auto& move : moves) {
      const int c = column + move[0], r = row + move[1];
      if (c < 0 || r < 0 || c >= columns || r >= rows) continue;
      const Point p{xs[at(column)], ys[at(row)]}, q{xs[at(c)], ys[at(r)]};
      const int next_across = move[0] != 0 ? 1 : 0;
      const double next_price =
          price + std::abs(p.x - q.x) + std::abs(p.y - q.y) + (next_across != across ? bend_price : 0.0);
      const std::size_t next = key(c, r, next_across);
      if (next_price >= best[next] || !clear(p, q)) continue;
      best[next] = next_price;
      from[next] = static_cast<int>(here);
      open.push({next_price, next});
    }
    // Turning on the spot, so that the goal can be entered in its own direction.
    const std::size_t turned = key(column, row, 1 - across);
    if (price + bend_price < best[turned]) {
      best[turned] = price + bend_price;
      from[turned] = static_cast<int>(here);
      open.push({best[turned], turned});
    }
  }
  if (last == best.size()) return false;
  std::vector<Point> reversed{b};
  for (int k = static_cast<int>(last); k >= 0; k = from[at(k)]) {
    const int cell = k / 2;
    reversed.push_back({xs[at(cell % columns)], ys[at(cell / columns)]});
  }
  reversed.push_back(a);
  path = simplified({reversed.rbegin(), reversed.rend()});
  return true;
}

void OrthogonalRouter::route_self_loop(int edge) {
  const int node = edges_[at(edge)].source;
  const Rect b = nodes_[at(node)].box;
  effort_ += incident_[at(node)].size();
  int place = 0;  // several loops stand at different corners, then further out
  for (const int other : incident_[at(node)]) {
    if (other == edge) break;
    if (edges_[at(other)].source == edges_[at(other)].target) ++place;
  }
  const double far = 24.0 + 14.0 * (place / 4);
  const double dx = std::min(24.0, b.width / 3), dy = std::min(18.0, b.height / 3);
  std::vector<std::vector<Point>> corners;
  for (const bool at_top : {true, false})
    for (const bool at_right : {true, false}) {
      const double side = at_right ? b.right() : b.x, out_x = at_right ? side + far : side - far;
      const double edge_y = at_top ? b.y : b.bottom(), out_y = at_top ? edge_y - far : edge_y + far;
      const double x = at_right ? side - dx : side + dx, y = at_top ? edge_y + dy : edge_y - dy;
      corners.push_back({{x, edge_y}, {x, out_y}, {out_x, out_y}, {out_x, y}, {side, y}});
    }
  const std::vector<int> blocking = obstacles(edge, grown(b, far + 20));
  std::vector<int> lines;
  lines_.near(grown(b, far + 20), lines);
  std::erase(lines, edge);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto& path = corners[(i + static_cast<std::size_t>(place)) % corners.size()];
    const double price = cost(edge, path, blocking, lines, best);
    if (price >= best) continue;
    best = price;
    routes_[at(edge)].points = path;
  }
}

/// The user's corners stay; only the two end pieces are made: square on to the box where the corner lies beside it.
void OrthogonalRouter::route_by_way_points(int edge) {
  const RoutedEdge& e = edges_[at(edge)];
  const auto attach = [&](int node, const Point& toward) -> std::vector<Point> {
    const Rect b = nodes_[at(node)].box;
    const bool beside_x = toward.x > b.x && toward.x<b.right(), beside_y = toward.y> b.y && toward.y < b.bottom();
    const bool centred = nodes_[at(node)].centred;
    if (beside_x && !beside_y && !centred) return {{toward.x, toward.y < b.y ? b.y : b.bottom()}};
    if (beside_y && !beside_x && !centred) return {{toward.x < b.x ? b.x : b.right(), toward.y}};
    const Point c = b.centre();
    if (std::abs(toward.x - c.x) * b.height > std::abs(toward.y - c.y) * b.width)
      return {{toward.x < c.x ? b.x : b.right(), c.y}, {toward.x, c.y}};
    return {{c.x, toward.y < c.y ? b.y : b.bottom()}, {c.x, toward.y}};
  };
  std::vector<Point> path = attach(e.source, e.way_points.front());
  path.insert(path.end(), e.way_points.begin(), e.way_points.end());
  const std::vector<Point> tail = attach(e.target, e.way_points.back());
  path.insert(path.end(), tail.rbegin(), tail.rend());
  std::vector<Point> clean;
  for (const Point& p : path)
    if (clean.empty() || !(clean.back() == p)) clean.push_back(p);
  routes_[at(edge)].points = clean;
}

}  // namespace ergode
