// Several edges between the same two boxes: each on a line of its own with its label beside it, away from the others.
//
// In a frame in which the boxes A and B follow each other along u, there are two sides, outward along v. Straight lines
// between facing sides come first, where their labels fit between the boxes; between boxes that stand diagonally one
// corner on either side. Further edges loop around what is there on a side, from outer ports, so that nothing crosses.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/special_values.h"
#include "core/drawing/orthogonal_router.h"
#include "core/drawing/route_geometry.h"

namespace ergode {

using namespace routing;

namespace {
constexpr double label_gap = 5.0;  // from a label to its own line
constexpr double apart = 10.0;     // from a label to the next line
constexpr double between = 18.0;   // two straight lines side by side
constexpr double label_margin = 6.0;
constexpr double leaving_price = 800.0;
}  // namespace

class OrthogonalRouter::Bundle {
 public:
  Bundle(OrthogonalRouter& router, std::vector<int> edges) : router_(router), edges_(std::move(edges)) {
    a_ = router_.edges_[at(edges_.front())].source;
    b_ = router_.edges_[at(edges_.front())].target;
    const Rect &s = router_.nodes_[at(a_)].box, &t = router_.nodes_[at(b_)].box;
    const bool beside = s.right() <= t.x || t.right() <= s.x, above = s.bottom() <= t.y || t.bottom() <= s.y;
    possible_ = beside || above;
    upright_ = !beside;
    if (beside && above && faces(false) < 0.0 && faces(true) >= 0.0) upright_ = true;
    if (box(b_).x < box(a_).x) std::swap(a_, b_);
    const auto [low, high] = facing(upright_);
    low_ = low, high_ = high;
    int fitting = 0;
    for (const int e : edges_) fitting += fits_between(e);
    pair_ = fitting >= 2 && high_ - low_ >= between;
    // Straight lines first: their labels may reach further out than the boxes, and loops run around them.
    std::stable_partition(edges_.begin(), edges_.end(), [this](int e) { return fits_between(e); });
  }

  /// Straight lines stand in the middle unless something is there; then beside it.
  void route() {
    if (!possible_) return;
    std::vector<Placed> best;
    double least = infinity;
    const double middle = (low_ + high_) / 2, room = std::max(0.0, (high_ - low_ - (pair_ ? between : 0.0)) / 2);
    // Sixteen places at most, however long the sides are.
    for (double shift = 0.0; shift <= room && least > clear_price; shift += std::max(24.0, room / 16))
      for (const double sign : {1.0, -1.0}) {
        if (shift == 0.0 && sign < 0.0) continue;
        auto [placed, price] = plan(middle + sign * shift);
        price += 0.3 * shift;
        if (price < least - 1e-9) least = price, best = std::move(placed);
      }
    for (const Placed& placed : best) commit(placed);
  }

 private:
  /// What is drawn so far on one side: how far out it reaches, and over which stretch.
  struct Half {
    double sign = -1.0;
    double out = 0.0;
    double from = infinity, to = -infinity;
    double straight_at = 0.0;  ///< of the next straight line
    double first_loop = 0.0;   ///< how far out the innermost loop runs
    int straight = 0, corners = 0, loops = 0, wraps_a = 0, wraps_b = 0;
  };
  /// A way to draw an edge, from A to B in the frame.
  struct Way {
    std::vector<Point> path;
    Rect label;
    bool is_straight = false, is_corner = false, wraps_a = false, wraps_b = false;
  };
  struct Placed {
    int edge;
    Way way;
  };
  /// No more than this is wrong with a drawing in the middle: nothing is gained by looking further.
  static constexpr double clear_price = 1.0;

  // Exchanging x and y is its own inverse.
  Rect turned(const Rect& r) const { return upright_ ? Rect{r.y, r.x, r.height, r.width} : r; }
  Point turned(const Point& p) const { return upright_ ? Point{p.y, p.x} : p; }
  Rect box(int node) const { return turned(router_.nodes_[at(node)].box); }
  Point label_size(int edge) const {
    const RoutedEdge& e = router_.edges_[at(edge)];
    return e.label_width > 0 ? turned(Point{e.label_width, e.label_height}) : Point{0, 0};
  }
  static double outward(const Half& half, const Rect& r) { return half.sign < 0 ? -r.y : r.bottom(); }
  /// Ports along u (on the outward sides) or along v (on the ends).
  std::pair<double, double> ports(int node, bool along_u) const {
    return router_.port_range(node, along_u != upright_ ? top : left);
  }
  std::pair<double, double> facing(bool upright) const {
    const Side side = upright ? top : left;
    const auto [low_a, high_a] = router_.port_range(a_, side);
    const auto [low_b, high_b] = router_.port_range(b_, side);
    return {std::max(low_a, low_b), std::min(high_a, high_b)};
  }
  double faces(bool upright) const {
    const auto [low, high] = facing(upright);
    return high - low;
  }
  bool fits_between(int edge) const {
    return high_ >= low_ && box(b_).x - box(a_).right() >= std::max(24.0, label_size(edge).x + 2 * label_margin);
  }
  /// A label beside the line v = `line`, outward, centred on u.
  static Rect beside(const Half& half, double u, double line, const Point& size) {
    const double near = line + half.sign * label_gap;
    return {u - size.x / 2, half.sign < 0 ? near - size.y : near, size.x, size.y};
  }

  std::optional<Way> straight(const Half& half, int edge) const {
    if (!fits_between(edge)) return std::nullopt;
    if (!pair_ && (half.sign > 0 || half.straight > 0)) return std::nullopt;
    if (half.straight_at < low_ || half.straight_at > high_) return std::nullopt;
    const double v = half.straight_at, from = box(a_).right(), to = box(b_).x;
    Way way{
        .path = {{from, v}, {to, v}}, .label = beside(half, (from + to) / 2, v, label_size(edge)), .is_straight = true};
    if (half.loops > 0 && outward(half, way.label) > half.first_loop - apart) return std::nullopt;
    return way;
  }

  std::optional<Way> corner_way(const Half& half, int edge) const {
    if (high_ >= low_ || half.corners > 0) return std::nullopt;
    const Rect a = box(a_), b = box(b_);
    const Point size = label_size(edge);
    const double s = half.sign, mid_a = (ports(a_, false).first + ports(a_, false).second) / 2,
                 mid_b = (ports(b_, false).first + ports(b_, false).second) / 2;
    const bool a_outside = s * (mid_a - mid_b) > 0;
    // The leg along u leaves the outer of the two boxes; the other leg ends on the near side of the inner one.
    const double v = a_outside ? mid_a : mid_b;
    const int inner = a_outside ? b_ : a_;
    const double u = (ports(inner, true).first + ports(inner, true).second) / 2, edge_v = s * outward(half, box(inner));
    const double leg_v = s * (v - edge_v), leg_u = a_outside ? u - a.right() : b.x - u;
    if (leg_v < stub || leg_u < stub) return std::nullopt;
    Way way{.is_corner = true};
    if (a_outside) way.path = {{a.right(), v}, {u, v}, {u, edge_v}};
    else way.path = {{u, edge_v}, {u, v}, {b.x, v}};
    if (leg_u >= size.x + 2 * label_margin) {
      way.label = beside(half, a_outside ? (a.right() + u) / 2 : (u + b.x) / 2, v, size);
    } else if (leg_v >= size.y + 2 * label_margin) {
      way.label = {a_outside ? u + label_gap : u - label_gap - size.x, (v + edge_v) / 2 - size.y / 2, size.x, size.y};
    } else {
      return std::nullopt;
    }
    return way;
  }

  Way loop(const Half& half, int edge, double further) const {
    const double s = half.sign;
    const double nodes_out = std::max(outward(half, box(a_)), outward(half, box(b_)));
    const double lane = s * (std::max(half.out + apart, nodes_out + stub) + further);
    Way way;
    // From the outward side where it clears what is there, else from the end that faces away.
    const auto leave = [&](int node, bool first, int wraps, bool& wrapped, std::vector<Point>& points) {
      const Rect r = box(node);
      const auto [low, high] = ports(node, true);
      const double wish = (low + high) / 2 + (first ? 0.25 : -0.25) * (high - low);
      const double u = first ? std::min(wish, half.from - port_spacing) : std::max(wish, half.to + port_spacing);
      if (u >= low && u <= high) {
        points = {{u, s * outward(half, r)}, {u, lane}};
        return;
      }
      wrapped = true;
      const auto [low_v, high_v] = ports(node, false);
      const double half_range = (high_v - low_v) / 2;
      const double v = (low_v + high_v) / 2 + s * std::max(std::min(3.0, half_range), half_range - 10.0 * wraps);
      const double away = first ? std::min(half.from - apart, r.x - stub) : std::max(half.to + apart, r.right() + stub);
      points = {{first ? r.x : r.right(), v}, {away, v}, {away, lane}};
    };
    std::vector<Point> end;
    leave(a_, true, half.wraps_a, way.wraps_a, way.path);
    leave(b_, false, half.wraps_b, way.wraps_b, end);
    const double middle = (way.path.back().x + end.back().x) / 2;
    way.path.insert(way.path.end(), end.rbegin(), end.rend());
    way.label = beside(half, middle, lane, label_size(edge));
    return way;
  }

  /// All edges in turn, each where it costs least beside those before it. An edge for which everything meets a box is
  /// left out: it is routed like any other.
  /// @returns also how much is wrong: what the edges cost beyond their length and bends.
  std::pair<std::vector<Placed>, double> plan(double centre) {
    halves_[0] = {.sign = -1.0}, halves_[1] = {.sign = 1.0};
    for (Half& half : halves_) {
      half.out = std::max(outward(half, box(a_)), outward(half, box(b_)));
      half.straight_at = centre + (pair_ ? half.sign * between / 2 : 0.0);
    }
    std::vector<Placed> out;
    double wrong = 0.0;
    for (const int edge : edges_) {
      if (router_.exhausted()) break;  // What is left out is routed like any other.
      double best = hit_price;
      Half* chosen_half = nullptr;
      Way chosen;
      const auto consider = [&](Half& half, Way way) {
        const double price = price_of(edge, way);
        const bool clear = price - plain(edge, way) <= clear_price;
        if (price < best) best = price, chosen = std::move(way), chosen_half = &half;
        return clear;
      };
      // Of two sides that are as good, the one that holds less.
      const bool second_first = halves_[1].straight < halves_[0].straight;
      for (const bool second : {second_first, !second_first}) {
        Half& half = halves_[second ? 1 : 0];
        if (auto way = straight(half, edge)) consider(half, *std::move(way));
        if (auto way = corner_way(half, edge)) consider(half, *std::move(way));
        for (const double further : {0.0, 30.0, 60.0, 100.0, 150.0})
          if (consider(half, loop(half, edge, further))) break;  // further out only where something is there
      }
      if (chosen_half == nullptr) {
        wrong += hit_price;
        continue;
      }
      take(*chosen_half, chosen, label_size(edge));
      wrong += best - plain(edge, chosen);
      out.push_back({edge, std::move(chosen)});
    }
    return {std::move(out), wrong};
  }

  /// What a way costs when nothing is wrong with it.
  double plain(int edge, const Way& way) const {
    const std::vector<Point> path = drawn(edge, way.path);
    return length(path) + bend_price * static_cast<double>(path.size() - 2);
  }

  void commit(const Placed& placed) {
    const int edge = placed.edge;
    const RoutedEdge& e = router_.edges_[at(edge)];
    EdgeRoute& route = router_.routes_[at(edge)];
    route.points = drawn(edge, placed.way.path);
    router_.ends_[at(edge)] = {port_of(e.source, route.points.front()), port_of(e.target, route.points.back())};
    router_.placed_[at(edge)] = router_.bundled_[at(edge)] = 1;
    router_.remember(edge);
    if (e.label_width <= 0) return;
    Rect label = turned(placed.way.label);
    if (e.label_offset) label.x += e.label_offset->x, label.y += e.label_offset->y;
    route.label = label;
    router_.labels_.add(edge, label);
  }

  std::vector<Point> drawn(int edge, const std::vector<Point>& path) const {
    std::vector<Point> out;
    for (const Point& p : path) out.push_back(turned(p));
    out = simplified(out);
    if (router_.edges_[at(edge)].source != a_) std::reverse(out.begin(), out.end());
    return out;
  }

  Port port_of(int node, const Point& p) const {
    const Rect& r = router_.nodes_[at(node)].box;
    if (p.x == r.x || p.x == r.right()) return {p.x == r.x ? left : right, p.y, false};
    return {p.y == r.y ? top : bottom, p.x, false};
  }

  double price_of(int edge, const Way& way) const {
    const std::vector<Point> path = drawn(edge, way.path);
    const Rect label = turned(way.label), area = grown(united(path_box(path), label), 20);
    const std::vector<int> blocking = router_.obstacles(edge, area);
    std::vector<int> lines;
    router_.lines_.near(area, lines);
    double price = router_.cost(edge, path, blocking, lines, infinity);
    // An edge between two states of a container does not look as if it left the container.
    for (int around = router_.nodes_[at(a_)].parent; around >= 0; around = router_.nodes_[at(around)].parent) {
      const Rect all = path_box(path), &b = router_.nodes_[at(around)].box;
      const bool within = all.x > b.x && all.right() < b.right() && all.y > b.y && all.bottom() < b.bottom();
      if (router_.inside(b_, around) && !within) price += leaving_price;
    }
    if (label.width > 0) price += router_.label_cost(edge, path, label);
    return price;
  }

  void take(Half& half, const Way& way, const Point& size) {
    Rect all = path_box(way.path);
    const bool labelled = size.x > 0;
    if (way.is_straight) {
      half.straight_at += half.sign * (labelled ? label_gap + size.y + apart : port_spacing);
      ++half.straight;
    }
    if (!way.is_straight && !way.is_corner && half.loops++ == 0) half.first_loop = outward(half, all);
    half.corners += way.is_corner, half.wraps_a += way.wraps_a, half.wraps_b += way.wraps_b;
    if (labelled) all = united(all, way.label);
    half.out = std::max(half.out, outward(half, all));
    half.from = std::min(half.from, all.x), half.to = std::max(half.to, all.right());
  }

  OrthogonalRouter& router_;
  std::vector<int> edges_;
  int a_ = 0, b_ = 0;
  bool possible_ = false, upright_ = false, pair_ = false;
  double low_ = 0.0, high_ = -1.0;  ///< where the boxes' ports face each other
  Half halves_[2] = {{.sign = -1.0}, {.sign = 1.0}};
};

std::vector<std::vector<int>> OrthogonalRouter::parallel(std::span<const int> edges) const {
  std::map<std::pair<int, int>, std::vector<int>> pairs;
  for (const int e : edges) {
    const RoutedEdge& edge = edges_[at(e)];
    const bool nested = inside(edge.source, edge.target) || inside(edge.target, edge.source);
    if (edge.source != edge.target && edge.way_points.empty() && !nested)
      pairs[std::minmax(edge.source, edge.target)].push_back(e);
  }
  std::vector<std::vector<int>> out;
  for (auto& [ends, bundle] : pairs)
    if (bundle.size() >= 2) out.push_back(std::move(bundle));
  return out;
}

void OrthogonalRouter::route_bundle(const std::vector<int>& edges) { Bundle(*this, edges).route(); }

}  // namespace ergode
