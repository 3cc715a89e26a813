#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/document/document.h"
#include "core/drawing/orthogonal_router.h"
#include "core/drawing/text_metrics.h"

namespace ergode {

/// A label in lines of at most about 210 pixels, broken between its parts first. A word that is wider stays whole.
std::vector<std::string> label_lines(const std::vector<std::string>& parts);
/// Pixels at 100 %, as all sizes here.
inline constexpr double label_font_size = 12.0;

/// Where the nodes and edges of one diagram are: node boxes as laid out (or a default place and size where there is
/// none that can be drawn), routes and label places as computed. Build it once when a diagram is opened or changed;
/// while a node is dragged, call move().
///
/// Coordinates are those of the scene (core/document/element.h). Not for two threads at once, not even for reading
/// while one calls move(). What is drawn with it: diagram_picture.h.
class DiagramGeometry {
 public:
  /// @param catalogue  says of each kind how it is drawn; outlives this.
  /// Copies what it needs: the document may change afterwards, and then this shows what it was. Nodes may be nested to
  /// any depth. Cost: routing all edges (orthogonal_router.h).
  DiagramGeometry(const Document& document, ElementId diagram, const Catalogue& catalogue);

  /// Empty rectangle for an element that is no node of the diagram.
  Rect box(ElementId node) const;
  /// Null for an element that is no edge of the diagram or lacks an end.
  const EdgeRoute* route(ElementId edge) const;
  bool composite(ElementId node) const;  ///< It contains nodes.
  /// Compartments directly inside it, in document order.
  const std::vector<ElementId>& compartments(ElementId node) const;
  const std::vector<ElementId>& nodes() const { return nodes_; }  ///< Containers before their contents.
  const std::vector<ElementId>& edges() const { return edges_; }
  /// How an edge is drawn; a plain arrow for an element that is no edge of the diagram.
  const EdgeLook& look(ElementId edge) const;
  /// Its label in lines.
  const std::vector<std::string>& label(ElementId edge) const;
  /// The pill above its label: "CCF A"; empty: none.
  const std::string& pill(ElementId edge) const;
  /// The place of an element among those of its kind that are told apart; of an edge: of what it is drawn like. -1: it
  /// is not told apart.
  int series(ElementId element) const;
  /// The kind of an element of the diagram, or null when its notation does not know it.
  const KindSpec* kind(const Element& element) const;

  /// Moves boxes (a container's contents must be among them) and routes their edges again, nothing else. Nodes that are
  /// not in the diagram are ignored.
  /// @returns the edges that were routed again. Cost: about 0.1 ms per incident edge, whatever the size of the diagram.
  std::vector<ElementId> move(const std::vector<std::pair<ElementId, Rect>>& boxes);

 private:
  std::vector<ElementId> nodes_, edges_;
  std::unordered_map<ElementId, int> node_index_, edge_index_;
  struct EdgeWords {
    EdgeLook look;
    std::vector<std::string> lines;
    std::string pill;
  };
  const EdgeWords& words(ElementId edge) const;
  const NotationSpec* notation_;
  std::unordered_map<ElementId, std::vector<ElementId>> compartments_;
  std::vector<EdgeWords> words_;  ///< of each edge
  std::unordered_map<ElementId, int> series_;
  std::vector<std::vector<int>> incident_;
  std::vector<char> composite_;
  std::unique_ptr<OrthogonalRouter> router_;
};

/// Height of the title bar of a node with others inside, and of a compartment's.
inline constexpr double title_bar_height = 26.0, compartment_title_height = 22.0;
/// Space between the left end of a pill and its text, and its height.
inline constexpr double pill_padding = 8.0;
inline constexpr double pill_height = 18.0;

}  // namespace ergode
