#pragma once
#include <optional>
#include <string_view>
#include <variant>

#include "core/base/data_files.h"
#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/expression/compile.h"
#include "core/random/distribution.h"
#include "solvers/queueing/lowering/process_forms.h"

namespace ergode {

/// What is written in the place of a law of times and is none (mmpp, map, burst, trace, schedule), as somebody sees it
/// who chooses it: one time in the long run, and how much the next is like it.
struct GapsSeen {
  /// Of MAP and MMPP in phases; else of the times that are listed, or of 20,000 that were drawn, as empirical().
  Distribution law;
  double neighbours = 0.0;  ///< correlation of a time with the next one
};

/// @param call   a call, or anything else
/// @param taken  where it stands
/// @returns nothing: it is none of these; the diagnostics that the model would get where it is wrong. Files are read
///     through `files`. O(phases^3), or O(n log n) of n times.
std::optional<std::variant<GapsSeen, Diagnostics>> gaps_seen(const Syntax& call, TimesWithMemory taken, Scope& scope,
                                                             const DataFiles& files);

}  // namespace ergode
