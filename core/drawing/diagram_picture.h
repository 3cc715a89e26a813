#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/presence.h"
#include "core/drawing/diagram_geometry.h"
#include "core/drawing/picture.h"

namespace ergode {

/// Numbers of a run, written below a node: "ρ 0.9  L 9.0".
struct NodeNumbers {
  std::vector<std::string> texts;
  double share = 0.0;  ///< The one that colours them, 0 to 1; NaN: none does.
  bool stale = false;  ///< Of a model that has changed since.
  friend bool operator==(const NodeNumbers& a, const NodeNumbers& b) {
    return a.texts == b.texts && a.stale == b.stale &&
           (a.share == b.share || (a.share != a.share && b.share != b.share));
  }
};

/// What is drawn besides the document: by id, of whatever elements; ids that are not in the diagram mean nothing.
struct DrawOptions {
  /// Elements with problems: red (error) or amber (warning) border and a "!" badge.
  std::unordered_map<ElementId, Severity> problems;
  std::unordered_set<ElementId> active;       ///< States the model is in: green fill and thick border.
  std::unordered_set<ElementId> breakpoints;  ///< States and transitions at which stepping stops: a red dot.
  std::unordered_set<ElementId> selected;     ///< Blue border; handles are the canvas's business.
  bool problem_badges = true;
  /// Of the nodes that a run says something of; with a legend below the diagram where any has a share.
  std::unordered_map<ElementId, NodeNumbers> numbers;
  std::string numbers_caption;  ///< Said in the legend: what the colours mean, and of which run.
  /// A moment of a history is shown: who is where then, by node (RunningPart::present()).
  bool history = false;
  std::unordered_map<ElementId, std::vector<Present>> present;
};

/// One diagram as its notation says: containers, then edges, then nodes and labels on top. Every primitive
/// carries the id of its element. An unknown kind is drawn as a dashed box with its name. The view has a margin of 24.
/// Cost: routing (DiagramGeometry) plus a few microseconds per element.
/// An unknown diagram is an empty picture.
Picture draw_diagram(const Document& document, ElementId diagram, const Catalogue& catalogue,
                     const DrawOptions& options = {});
/// The geometry is of this document and diagram, perhaps with nodes moved; elements that the document has lost since
/// are left out.
Picture draw_diagram(const Document& document, const DiagramGeometry& geometry, const DrawOptions& options = {});

/// One node or edge alone, with everything that belongs to it (name, badge, label), at its place in the diagram. The
/// same primitives as in the whole: a canvas that redraws element by element shows what an export shows. The view has a
/// margin of 4. Nothing for an unknown element.
Picture draw_element(const Document& document, const DiagramGeometry& geometry, ElementId element,
                     const DrawOptions& options = {});

}  // namespace ergode
