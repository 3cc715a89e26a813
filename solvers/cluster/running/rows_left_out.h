#pragma once
#include <cstddef>
#include <string>

#include "core/base/diagnostic.h"

namespace ergode {

/// RUN046: a table of jobs of the first history has its first `most` rows alone; appended where any are left out.
inline void tell_rows_left_out(std::size_t most, std::size_t left_out, const ElementId& element,
                               const std::string& place, Diagnostics& out) {
  if (left_out == 0) return;
  out.push_back({.severity = Severity::warning,
                 .code = "RUN046",
                 .element = element,
                 .message = "The table of jobs of \"" + place + "\" has the first " + std::to_string(most) +
                            " jobs of the first history; " + std::to_string(left_out) + " further ones are left out.",
                 .hint = "Measures count all of them. A shorter mission has fewer."});
}

}  // namespace ergode
