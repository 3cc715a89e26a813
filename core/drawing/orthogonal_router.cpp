#include "core/drawing/orthogonal_router.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "core/drawing/picture.h"

namespace ergode {
namespace {

constexpr double stub = 18.0;      // straight piece before the first bend: room for an arrow head
constexpr double clearance = 8.0;  // between a line and a box it passes
constexpr double port_spacing = 14.0;
constexpr double corner = 12.0;  // ports keep off the rounded corners
constexpr double bend_price = 45.0;
constexpr double hit_price = 1e5;
constexpr double share_price = 12.0;  // per pixel of running along another edge
constexpr double crossing_price = 30.0;
constexpr double title_price = 6.0;  // per pixel of running along a container's title

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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

/// Drops repeated points and points in the middle of a straight line.
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

/// Length over which two axis-parallel segments run within `gap` of each other, and whether they cross.
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

}  // namespace

template <typename Visit>
void OrthogonalRouter::Grid::cells(const Rect& box, const Visit& visit) const {
  const auto index = [](double v) { return static_cast<long long>(std::floor(std::clamp(v, -1e7, 1e7) / cell)); };
  for (long long row = index(box.y); row <= index(box.bottom()); ++row)
    for (long long column = index(box.x); column <= index(box.right()); ++column) visit(row * 1000003LL + column);
}

void OrthogonalRouter::Grid::add(int item, const Rect& box) {
  cells(box, [&](long long key) { items_[key].push_back(item); });
}

void OrthogonalRouter::Grid::remove(int item, const Rect& box) {
  cells(box, [&](long long key) {
    if (const auto found = items_.find(key); found != items_.end()) std::erase(found->second, item);
  });
}

void OrthogonalRouter::Grid::near(const Rect& box, std::vector<int>& found) const {
  found.clear();
  cells(box, [&](long long key) {
    if (const auto cell_items = items_.find(key); cell_items != items_.end())
      found.insert(found.end(), cell_items->second.begin(), cell_items->second.end());
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

OrthogonalRouter::OrthogonalRouter(std::vector<RoutedNode> nodes, std::vector<RoutedEdge> edges)
    : nodes_(std::move(nodes)),
      edges_(std::move(edges)),
      routes_(edges_.size()),
      ends_(edges_.size()),
      placed_(edges_.size(), 0),
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
  for (const int e : edges) forget(e);
  for (const int e : edges) choose_sides(e);
  spread_ports(edges);
  for (const int e : edges) align_facing(e);
  for (const int e : edges) {
    const RoutedEdge& edge = edges_[at(e)];
    if (!edge.way_points.empty()) route_by_way_points(e);
    else if (edge.source == edge.target) route_self_loop(e);
    else route_between_ports(e);
    remember(e);
  }
  for (const int e : edges) place_label(e);
}

void OrthogonalRouter::forget(int edge) {
  placed_[at(edge)] = 0;
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
    for (std::size_t i = 1; i < path.size(); ++i)
      for (std::size_t j = 1; j < theirs.size(); ++j) {
        bool crossing = false;
        sum += share_price * shared_length(path[i - 1], path[i], theirs[j - 1], theirs[j], 9.5, crossing);
        if (crossing) sum += crossing_price;
      }
    if (sum >= limit) return sum;
  }
  return sum;
}

/// Edges on the same side of a diamond or circle would run on top of each other.
double OrthogonalRouter::taken_price(int edge, int node, Side side) const {
  if (!nodes_[at(node)].centred) return 0.0;
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
  if (e.source == e.target || !e.way_points.empty()) return;
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
        if (edge.source == edge.target || !edge.way_points.empty()) continue;
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
      for (std::size_t i = 0; i < uses.size(); ++i)
        if (!uses[i].fixed)
          (uses[i].source ? ends_[at(uses[i].edge)].source : ends_[at(uses[i].edge)].target).at = place[i];
    }
  }
}

/// Makes the two ports of boxes that face each other meet in one straight line where neighbours leave room.
void OrthogonalRouter::align_facing(int edge) {
  const RoutedEdge& e = edges_[at(edge)];
  if (e.source == e.target || !e.way_points.empty()) return;
  Port& a = ends_[at(edge)].source;
  Port& b = ends_[at(edge)].target;
  const bool upright_a = a.side == left || a.side == right, upright_b = b.side == left || b.side == right;
  if (upright_a != upright_b || a.side == b.side || a.at == b.at) return;
  const auto free_at = [&](int node, Side side, double place) {
    const auto [low, high] = port_range(node, side);
    if (place < low || place > high) return false;
    for (const int other : incident_[at(node)]) {
      if (other == edge) continue;
      const RoutedEdge& o = edges_[at(other)];
      if (o.source == o.target || !o.way_points.empty()) continue;
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

void OrthogonalRouter::place_label(int edge) {
  const RoutedEdge& e = edges_[at(edge)];
  EdgeRoute& route = routes_[at(edge)];
  if (e.label_width <= 0.0 || route.points.size() < 2) return;
  const double w = e.label_width, h = e.label_height;
  const Rect area = grown(path_box(route.points), std::max(w, h) + 60);
  std::vector<int> boxes, lines, labels;
  boxes_.near(area, boxes);
  lines_.near(area, lines);
  labels_.near(area, labels);
  const auto price_of = [&](const Rect& box) {
    double sum = 0.0;
    for (const int n : boxes) {
      const RoutedNode& node = nodes_[at(n)];
      const bool around = n != e.source && n != e.target && (inside(e.source, n) || inside(e.target, n));
      if (!node.container || !around) {
        // Inside a container that is itself an end, only its title counts.
        const bool own_inside = node.container && (inside(e.source, n) || inside(e.target, n));
        const Rect solid = own_inside ? Rect{node.box.x, node.box.y, node.box.width, node.title_height} : node.box;
        if (overlaps(grown(box, 2), solid)) sum += 3000;
        continue;
      }
      const Rect title{node.box.x, node.box.y, node.box.width, node.title_height};
      if (overlaps(box, title)) sum += 2500;
      const Rect b = node.box;  // across the border of a container around it
      if (overlaps(box, b) && !(box.x > b.x && box.right() < b.right() && box.y > b.y && box.bottom() < b.bottom()))
        sum += 500;
    }
    for (const int other : labels)
      if (other != edge && overlaps(grown(box, 3), *routes_[at(other)].label)) sum += 2500;
    for (const int other : lines) {
      const auto& points = routes_[at(other)].points;
      for (std::size_t i = 1; i < points.size(); ++i)
        if (crosses(points[i - 1], points[i], grown(box, other == edge ? -2 : 2))) sum += other == edge ? 12 : 320;
    }
    return sum;
  };
  double best = std::numeric_limits<double>::infinity();
  Rect chosen;
  const double whole = length(route.points);
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
        double price = extra + off_middle - std::min(run, 200.0) / 10;
        if (price >= best) continue;
        price += price_of(box);
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
