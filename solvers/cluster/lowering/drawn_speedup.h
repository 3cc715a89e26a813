#pragma once
#include "core/des/lowering.h"
#include "solvers/cluster/budget/speedup.h"

namespace ergode {

/// The speedup that a stream of jobs says: a family with its parameter, which may be fitted to a file of measurements,
/// or a table. What is wrong is refused with `code`. RNT020 (info): what a fit came to;
/// RNT021 (warning): a parameter that should name measurements and names none.
Speedup drawn_speedup(Lowering& model, Scope& scope, const Element& element, const char* code);

}  // namespace ergode
