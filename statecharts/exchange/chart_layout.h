#pragma once
#include "core/document/document.h"

namespace ergode {

/// Gives every node of a statechart diagram a place: nested nodes inside their parents, vertices of one container in
/// columns by their distance from its initial state, regions below each other, variables in a column on the right.
/// Nothing overlaps. Time O(nodes + edges) per level of nesting.
void layout_chart(Document& document, ElementId diagram);

}  // namespace ergode
