#pragma once
#include <optional>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "statecharts/model/state_chart.h"

namespace ergode {

/// Gives a drawn statechart its meaning. Pure; every defect found is appended to `problems` (SCH codes). The chart
/// returned is usable only when no error was found.
StateChart lower_chart(const Document& document, const Element& diagram, Diagnostics& problems);

}  // namespace ergode
