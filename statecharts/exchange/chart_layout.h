#pragma once
#include "core/document/document.h"

namespace ergode {

/// Gives every node of a statechart diagram a place: nested nodes inside their parents, vertices of one container in
/// columns by their distance from its initial state, regions below each other, variables in a column on the right.
/// Nothing overlaps. After six columns a row goes on below.
///
/// Lengths are in units of the scene, as in Layout::bounds; y grows downwards. Bounds the nodes already had are
/// replaced; edges keep their way points and labels. The same diagram gets the same places on every machine. Recursive
/// by level of nesting. Time O(nodes + edges) per level of nesting, and one Document::replace() for each node.
/// @param diagram  of notation `statechart` in this document; nothing happens when it has no nodes.
void layout_chart(Document& document, ElementId diagram);

}  // namespace ergode
