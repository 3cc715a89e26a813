#pragma once
#include <string>

#include "core/base/csv.h"

namespace ergode {

/// Adds to the problems of a column what no trace may hold: gaps below 0, times below 0 or before the one above.
/// @param times  values are times, else gaps between them
/// @param unit   of the values, for messages: "s"
/// @param most   problems that are told
void check_trace(CsvNumbers& numbers, const std::string& file, bool times, const std::string& unit, std::size_t most);

}  // namespace ergode
