#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Every notation and kind this program knows.
const Catalogue& catalogue();

/// Adds a notation, or kinds to a known one, before the first document is opened: panels and pictures point into the
/// catalogue, and several threads read it.
void register_notation(NotationSpec notation);

}  // namespace ergode
