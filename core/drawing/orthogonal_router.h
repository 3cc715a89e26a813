#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/document/element.h"
#include "core/drawing/box_index.h"

namespace ergode {

/// A box that edges attach to and must not pass through, in scene coordinates.
struct RoutedNode {
  Rect box;
  int parent = -1;          ///< Index of the node that contains it; -1: none.
  bool centred = false;     ///< Edges attach only in the middle of a side (circles, diamonds).
  double title_height = 0;  ///< Of a container: labels keep off this strip.
  bool container = false;
};

/// An edge from one box to another, or to itself; ends are places in the list of nodes.
struct RoutedEdge {
  int source = 0, target = 0;
  std::vector<Point> way_points;             ///< Kept as they are; empty: routed automatically.
  double label_width = 0, label_height = 0;  ///< 0: no label.
  std::optional<Point> label_offset;         ///< Displacement from the automatic place, kept wherever that is.
};

/// What came out: never fewer than two points once routed.
struct EdgeRoute {
  std::vector<Point> points;  ///< From border to border; horizontal and vertical segments when routed automatically.
  std::optional<Rect> label;
};

/// Draws edges between boxes with horizontal and vertical lines: attached to borders, not through boxes that are no
/// end of the edge, next to each other instead of on top of each other, labels off boxes and off each other.
///
/// Few-bend candidates between all pairs of sides are priced by length, bends, crossings and shared stretches; where
/// all of them meet a box, a shortest path over the lines beside the boxes is searched. Edges between the same two
/// boxes are routed together with their labels, so that each label is nearest to its own line. Deterministic: a full
/// routing depends on the boxes and the order of edges only. In the manner of Wybrow, Marriott and Stuckey, Orthogonal
/// Connector Routing, 2009, without their global nudging.
///
/// Cost of the constructor about 0.1 ms per edge; of reroute() the same for the edges given, whatever the size of the
/// diagram and the distances in it: boxes and lines are found through an index. Where so many boxes or lines lie on top
/// of each other that this would not hold, edges are drawn as well as a few seconds allow and the rest without looking
/// around.
///
/// Places in the lists given to the constructor name nodes and edges; they are checked nowhere. Not for two threads at
/// once.
///
///     OrthogonalRouter router(boxes, edges);             // routes all of them
///     router.set_box(3, moved), router.reroute(incident);  // while box 3 is dragged
///     draw(router.route(7).points);
class OrthogonalRouter {
 public:
  /// Routes all edges.
  /// @param nodes  containers need not come before their contents; parents must not form a circle
  /// @param edges  in the order in which they are to be routed: earlier ones have the first choice
  OrthogonalRouter(std::vector<RoutedNode> nodes, std::vector<RoutedEdge> edges);

  /// As last routed; the reference stays, what it says changes with reroute().
  const EdgeRoute& route(int edge) const { return routes_[static_cast<std::size_t>(edge)]; }
  const RoutedNode& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  /// Moves or resizes one box; edges stay until rerouted. O(1).
  void set_box(int node, const Rect& box);
  /// Routes these edges again among the others, which stay: for the ends of a box being dragged. Each once; in this
  /// order.
  void reroute(std::span<const int> edges);

 private:
  enum Side { left, right, top, bottom };
  /// Where an edge leaves a box.
  struct Port {
    Side side = right;
    double at = 0.0;      ///< Coordinate along the side.
    bool inward = false;  ///< the other end lies inside the box, so the edge goes inwards
  };
  struct Ends {
    Port source, target;
  };
  /// Comparisons of one routing: some seconds.
  static constexpr std::uint64_t most_effort = 1'500'000'000;

  class Bundle;
  /// Edges of which several join the same two boxes, box by box.
  std::vector<std::vector<int>> parallel(std::span<const int> edges) const;
  /// All edges between the same two boxes at once, with their labels.
  void route_bundle(const std::vector<int>& edges);
  /// For all of them, step by step: sides by the cheapest candidate, ports spread along each side,
  /// ports that face each other aligned, then edge by edge the cheapest of the candidates and, where all of them meet a
  /// box, a search.
  void route_single(std::span<const int> edges);
  void choose_sides(int edge);
  void spread_ports(std::span<const int> edges);
  void align_facing(int edge);
  void route_between_ports(int edge);
  void route_self_loop(int edge);
  void route_by_way_points(int edge);
  /// Shortest path in length and bends over the lines beside boxes (Dijkstra); false: there is none.
  bool search_path(int edge, const Ends& ends, std::vector<Point>& path) const;
  /// The cheapest of some places along the line, on it and beside it.
  void place_label(int edge);
  /// Takes the route and its label out of the indices (puts its line into them).
  void forget(int edge);
  void remember(int edge);
  void route_plainly(int edge);
  /// Looking around any longer is not worth it.
  bool exhausted() const { return spent() - spent_before_ > most_effort; }
  std::uint64_t spent() const { return effort_ + boxes_.looked_at() + lines_.looked_at() + labels_.looked_at(); }

  /// What is wrong with a label at this place beside the edge's line.
  double label_cost(int edge, const std::vector<Point>& line, const Rect& box) const;
  /// What it costs to use a side of a diamond or circle that other edges use already.
  double taken_price(int edge, int node, Side side) const;
  /// The node lies in the container, at any depth.
  bool inside(int node, int container) const;
  /// The edge must not pass through the node: it is no end, nor around or inside one, unless the edge runs inside that
  /// end.
  bool blocks(int node, const RoutedEdge& edge) const;
  /// Nodes in the area that block the edge, ascending.
  std::vector<int> obstacles(int edge, const Rect& area) const;
  Port port_on(int node, Side side, int other, bool inward) const;
  Point point_at(int node, const Port& port) const;
  /// Least and greatest coordinate along a side at which edges may attach.
  std::pair<double, double> port_range(int node, Side side) const;
  /// Appends paths of few bends between two ports.
  void candidates(const Ends& ends, const RoutedEdge& edge, std::vector<std::vector<Point>>& out) const;
  /// Price of a path: length, bends, boxes met, other lines shared or crossed, labels crossed. As soon as it is `limit`
  /// or more, what has been added up so far.
  double cost(int edge, const std::vector<Point>& path, const std::vector<int>& blocking, const std::vector<int>& lines,
              double limit) const;

  std::vector<RoutedNode> nodes_;
  std::vector<RoutedEdge> edges_;
  std::vector<EdgeRoute> routes_;
  std::vector<Ends> ends_;
  std::vector<char> placed_;   ///< The sides of this edge have been chosen.
  std::vector<char> bundled_;  ///< Routed together with others, label and all.
  std::vector<std::vector<int>> incident_;
  BoxIndex boxes_, lines_, labels_;
  mutable std::uint64_t effort_ = 0;  ///< Spent on the present routing beside the searches in the indices.
  std::uint64_t spent_before_ = 0;
};

}  // namespace ergode
