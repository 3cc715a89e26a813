#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/document/document.h"
#include "core/drawing/orthogonal_router.h"
#include "core/drawing/text_metrics.h"

namespace ergode {

/// "trigger [guard] / action", without the parts that are absent.
std::string transition_label(const Element& transition);
/// The label in lines of at most about 210 pixels, broken between trigger, guard and action first.
std::vector<std::string> transition_label_lines(const Element& transition);
/// The argument of ccf(...) in the trigger or guard of a transition; empty: no common cause drives it.
std::string common_cause_of(const Element& transition);
/// What the badge of a common-cause group says: "CCF A" for a group named "A" or "CCF A".
std::string group_badge(const std::string& name);
inline constexpr double label_font_size = 12.0;

/// Where the nodes and edges of one diagram are: node boxes as laid out (or a default place and size where there is
/// none that can be drawn), routes and label places as computed. Build it once when a diagram is opened or changed;
/// while a node is dragged, call move().
class DiagramGeometry {
 public:
  DiagramGeometry(const Document& document, ElementId diagram);

  /// Empty rectangle for an element that is no node of the diagram.
  Rect box(ElementId node) const;
  /// Null for an element that is no edge of the diagram or lacks an end.
  const EdgeRoute* route(ElementId edge) const;
  bool composite(ElementId node) const;                           ///< It contains states or regions.
  const std::vector<ElementId>& regions(ElementId node) const;    ///< Directly inside it, in document order.
  const std::vector<ElementId>& nodes() const { return nodes_; }  ///< Containers before their contents.
  const std::vector<ElementId>& edges() const { return edges_; }
  /// The pill on a transition that a common cause drives: "CCF A"; empty: none.
  const std::string& pill(ElementId edge) const;

  /// Moves boxes (a container's contents must be among them) and routes their edges again, nothing else.
  /// @returns the edges whose routes changed. Cost: about 0.1 ms per incident edge, whatever the size of the diagram.
  std::vector<ElementId> move(const std::vector<std::pair<ElementId, Rect>>& boxes);

 private:
  std::vector<ElementId> nodes_, edges_;
  std::unordered_map<ElementId, int> node_index_, edge_index_;
  std::unordered_map<ElementId, std::vector<ElementId>> regions_;
  std::unordered_map<ElementId, std::string> pills_;
  std::vector<std::vector<int>> incident_;
  std::vector<char> composite_;
  std::unique_ptr<OrthogonalRouter> router_;
};

/// Height of a composite state's title bar.
inline constexpr double title_bar_height = 26.0;
/// Space between the left end of a pill and its text, and its height.
inline constexpr double pill_padding = 8.0;
inline constexpr double pill_height = 18.0;

/// Whether nodes of a kind are small signs without an inside, whose name is optional and stands beside them: initial
/// and final states, choices, histories, connectors.
bool is_point_kind(std::string_view kind);

}  // namespace ergode
