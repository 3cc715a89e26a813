#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Adds common-cause groups and their membership edges to the system notation.
NotationSpec reliability_notation();

/// A property of common-cause groups, by its name; there must be one.
const PropertySpec& ccf_property(std::string_view name);

}  // namespace ergode
