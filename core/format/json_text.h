#pragma once
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/document/element.h"

namespace ergode {

/// Levels of lists and objects that are read; what is deeper is refused, so that walks over a value may recurse.
inline constexpr std::size_t deepest_json = 200;

/// Reads one JSON text (RFC 8259) and refuses what other readers let pass in silence: keys that stand twice in one
/// object (FMT004), more than `deepest_json` levels (FMT003), numbers that a double cannot hold, be they too large or
/// too small (FMT002). Everything else that is no JSON is FMT002 too. Messages name line and column.
/// Never throws. O(length), whatever the number of keys.
/// @returns the value; a discarded one when there were errors.
Value parse_json_text(std::string_view text, Diagnostics& problems);

}  // namespace ergode
