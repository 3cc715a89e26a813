#pragma once

namespace ergode {
class NodePen;

/// The element's box with a plug in its left part, 32 wide: what comes from a plugin.
void draw_plug_box(NodePen& pen);

}  // namespace ergode
