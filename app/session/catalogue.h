#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Every notation and kind this program knows. Made at the first call, then const for any thread; lives as long as the
/// program.
const Catalogue& catalogue();

/// Adds a notation, or kinds to a known one, before the first document is opened: panels and pictures point into the
/// catalogue, and several threads read it.
void register_notation(NotationSpec notation);

}  // namespace ergode
