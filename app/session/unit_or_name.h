#pragma once
#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// Says where a unit was read that may have been meant as a name (EXP009, a remark): in `1/d`, with nothing between, a
/// name is divided by as often as a unit is written. `1 /d`, `3/h` and `1.1e-3 /h` are numbers with units and pass
/// without a word. Where the unit does not fit its place (EXP004), any number before such a slash counts, and the error
/// itself says it instead. Either carries the step that creates the parameter and divides by it.
void say_units_that_may_be_names(const Document& document, Diagnostics& problems);

}  // namespace ergode
