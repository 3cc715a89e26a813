#pragma once
#include <functional>
#include <string_view>

#include "core/catalogue/catalogue.h"
#include "core/expression/syntax.h"

namespace ergode {

/// Calls `visit` for every node of the tree, or trees, that a property's text holds: of an expression, a trigger,
/// actions (targets first) or arguments. Nothing for texts that hold none, or do not parse.
/// O(text). The nodes live as long as the call.
void walk_property(const PropertySpec& spec, std::string_view text, const std::function<void(const Syntax&)>& visit);

}  // namespace ergode
