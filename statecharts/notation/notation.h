#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// The statechart notation: states, regions, initial, final and choice states, history, junction, bar, entry and exit
/// points, terminate, notes, variables, transitions; their properties, forms, shapes and labels, what may stand in
/// what, what may be joined, the names that a chart declares, and quick fixes. UML 2.5.1 where it has a sign. Made anew
/// by each call; charts that no component uses are given one when a model is checked whole.
NotationSpec statechart_notation();

/// The system notation: components (instances of charts, arrays allowed) and notes. Other rooms add kinds to it
/// (common-cause groups) by adding a notation of the same name to the catalogue. Components declare their names to the
/// whole model, and behind a dot those of their chart.
NotationSpec system_notation();

}  // namespace ergode
