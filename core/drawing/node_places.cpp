#include "core/drawing/node_places.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/document/layout_limits.h"

namespace ergode {

std::vector<NodePlace> node_places(const Document& document, ElementId diagram, const Catalogue& catalogue) {
  std::unordered_map<ElementId, std::vector<const Element*>> contents;  // siblings in document order
  for (const Element* node : document.nodes(diagram)) contents[node->parent].push_back(node);
  std::vector<NodePlace> out;
  std::vector<const Element*> open;  // no recursion
  const auto descend = [&](ElementId parent) {
    if (const auto found = contents.find(parent); found != contents.end())
      open.insert(open.end(), found->second.rbegin(), found->second.rend());
  };
  descend({});
  double below = 40.0;
  std::size_t unplaced = 0;
  while (!open.empty()) {
    const Element* const node = open.back();
    open.pop_back();
    const auto& bounds = node->layout.bounds;
    const bool own = bounds && drawable(*bounds);
    if (own) below = std::max(below, bounds->bottom() + 40.0);
    else ++unplaced;
    out.push_back({node, own ? *bounds : Rect{}, own});
    descend(node->id);
  }
  const NotationSpec* const notation = catalogue.notation_of(document, diagram);
  const double row_end = 220.0 * std::max(20.0, std::ceil(std::sqrt(static_cast<double>(unplaced))));
  double beside = 40.0, row_height = 0.0;
  for (NodePlace& place : out) {
    if (place.own) continue;
    const KindSpec* const kind = notation != nullptr ? notation->kind(place.node->kind) : nullptr;
    const Point size = kind != nullptr ? Point{kind->width, kind->height} : Point{140, 60};
    place.box = {beside, below, size.x, size.y};
    row_height = std::max(row_height, size.y);
    beside += size.x + 40.0;
    if (beside > row_end) beside = 40.0, below += row_height + 40.0, row_height = 0.0;
  }
  return out;
}

}  // namespace ergode
