#pragma once
#include <optional>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "statecharts/model/state_chart.h"

namespace ergode {

/// Gives a drawn statechart its meaning. Pure; every defect found is appended to `problems` (SCH codes; DOC001 for
/// unknown kinds, DOC002 for words that a property does not have, EXP of texts that do not parse). The chart returned
/// is usable only when no error was found. Expressions are parsed here and compiled later, once for each component:
/// what names mean and whether units fit is not looked at.
///
/// Time O(nodes + edges) but for junctions, whose ways multiply: at most 10,000 of one edge. Deterministic: the same
/// document gives the same numbers of states and transitions.
/// @param diagram  of the document, of the notation statechart
StateChart lower_chart(const Document& document, const Element& diagram, Diagnostics& problems);

}  // namespace ergode
