#pragma once
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/document/document.h"

namespace ergode {

/// Where a node is drawn.
struct NodePlace {
  const Element* node = nullptr;  ///< of the document asked about
  Rect box;
  bool own = false;  ///< its layout says so; else a place was found for it
};

/// All nodes of a diagram that are drawn: parents before children, each with all it contains before its next sibling.
/// Nodes whose layout has no place, or none that can be drawn, stand in rows below the rest, as large as their kind
/// says. However deep they are nested; O(nodes).
std::vector<NodePlace> node_places(const Document& document, ElementId diagram, const Catalogue& catalogue);

}  // namespace ergode
