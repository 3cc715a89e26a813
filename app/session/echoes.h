#pragma once
#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// One fact gives one problem: drops what follows from another one.
///  * A parameter has an error of its own: every complaint, but for those of syntax, about a text that names it, itself
///    or through other parameters.
///  * A component could not be made: unknown names in texts that name it, but for those of values of a thing that is
///    there with all of them (a scheduler without its trace).
///  * A property is empty, or a unit is none: whatever else is said of that place.
/// O(text of all properties that are complained about, and of all parameters), times a logarithm. What is kept keeps
/// its order.
void drop_echoes(const Document& document, Diagnostics& problems);

}  // namespace ergode
