#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/element_id.h"
#include "core/base/value.h"

namespace ergode {

/// Scene coordinates of a diagram: x to the right, y downwards, one unit = one pixel at 100 %.
struct Point {
  double x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// A rectangle by its upper left corner; its edges belong to it.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  /// Size and place are not checked: a negative width makes right() lie left of x.
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
  bool contains(Point p) const { return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom(); }
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// Where an element is drawn; apart from its meaning, so that moving it never changes a result. All coordinates are
/// scene coordinates of the diagram (not relative to the parent), one unit = one pixel at 100 %. Not checked here: see
/// layout_limits.h.
struct Layout {
  std::optional<Rect> bounds;         ///< Nodes.
  std::vector<Point> way_points;      ///< Edges: fixed corners between the ends; empty: routed automatically.
  std::optional<Point> label_offset;  ///< Edges: label displacement from its automatic place.
  bool empty() const { return !bounds && way_points.empty() && !label_offset; }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Which list of the document an element stands in.
enum class Section { model, parameter, diagram, node, edge, measure, scenario, study, exclusion };

/// One thing the user made: the model's header, a parameter, a diagram, a node or edge of a diagram, a measure, ...
/// It has no meaning by itself: the notation that owns its `kind` gives it one.
///
///     Element state;
///     state.kind = "state", state.diagram = chart;
///     state.properties["name"] = "Failed";
///     state.layout.bounds = Rect{100, 100, 120, 60};
///     const ElementId id = edit.insert(state);      // gives it its id
///
/// Properties hold texts, numbers or booleans as the file had them; text() reads all three, and a property that is
/// written is best a text.
struct Element {
  ElementId id;
  Section section = Section::node;
  std::string kind;          ///< "state", "transition", "parameter", ...; a kind nobody knows is kept as it is.
  ElementId diagram;         ///< Nodes and edges: the diagram they are drawn in.
  ElementId parent;          ///< Nodes: the node that contains them; null: directly in the diagram.
  ElementId source, target;  ///< Edges.
  Value properties = Value::object();  ///< name -> value; a property at its default is absent.
  Layout layout;

  /// Drawn in a diagram, as is_edge(); all others are of the model as a whole.
  bool is_node() const { return section == Section::node; }
  bool is_edge() const { return section == Section::edge; }
  /// The text of a property, or `otherwise` when it is absent. Numbers and booleans are converted to text, lists and
  /// objects to their JSON.
  std::string text(std::string_view property, std::string_view otherwise = {}) const;
  /// Whether the element says anything of the property, be it empty.
  bool has(std::string_view property) const { return properties.contains(property); }
  /// Empty where it has none.
  std::string name() const { return text("name"); }
  friend bool operator==(const Element&, const Element&) = default;
};

}  // namespace ergode
