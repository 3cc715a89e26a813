#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Every notation and kind this program knows; made once.
const Catalogue& catalogue();

}  // namespace ergode
