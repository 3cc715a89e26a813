#pragma once
#include "core/base/unit.h"
#include "core/expression/syntax.h"

namespace ergode {

/// Ends the reading of a distribution that was written without the names of its arguments, with EXP005 at one of them.
/// Who wrote `uniform(2 h, 30 h)` is told `uniform(low = 2 h, high = 30 h)`: what he wrote in the form of that many
/// arguments whose units fit; where none does, or something is too long to repeat, which forms there are.
/// @param dimension  of the variable that is drawn
[[noreturn]] void fail_unnamed(const Syntax& call, const Syntax& argument, const Dimension& dimension);

}  // namespace ergode
