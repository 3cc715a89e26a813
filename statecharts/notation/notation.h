#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// The statechart notation: states, regions, initial, final and choice states, notes, variables, transitions.
NotationSpec statechart_notation();

/// The system notation: components (instances of charts, arrays allowed) and notes. Other rooms add kinds to it
/// (common-cause groups) by adding a notation of the same name to the catalogue.
NotationSpec system_notation();

}  // namespace ergode
