#pragma once
#include <string>

#include "core/document/document.h"

namespace ergode {

/// The argument of ccf(...) in the trigger or guard of a drawn transition, whatever else is wrong with them; empty: no
/// common cause drives it. Reads the text alone and looks at the trigger first: for drawing and quick fixes, while a
/// chart is half finished.
std::string common_cause_of(const Element& transition);

}  // namespace ergode
