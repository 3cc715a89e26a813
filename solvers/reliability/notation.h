#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Adds common-cause groups and their membership edges to the system notation: properties with their defaults and
/// choices, forms, drawing, and the preview of what a group expands into.
NotationSpec reliability_notation();

/// A property of common-cause groups, by its name, with default and choices; there must be one. Static: good for ever.
const PropertySpec& ccf_property(std::string_view name);

}  // namespace ergode
