#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Adds common-cause groups and their membership edges to the system notation.
NotationSpec reliability_notation();

}  // namespace ergode
