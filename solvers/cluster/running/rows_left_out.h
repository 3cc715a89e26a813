#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace ergode {

/// RUN046 for each place (a rental, a pool, a cluster) of whose jobs in the first history the table has the first
/// `most` alone.
/// @param log  that counts the others by place: left_out()
template <class Place, class Log>
Diagnostics rows_left_out(const std::vector<Place>& places, const Log& log, std::size_t most) {
  Diagnostics out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t left_out = log.left_out(i);
    if (left_out == 0) continue;
    out.push_back({.severity = Severity::warning,
                   .code = "RUN046",
                   .element = places[i].element,
                   .message = "The table of jobs of \"" + places[i].name + "\" has the first " + std::to_string(most) +
                              " jobs of the first history; " + std::to_string(left_out) + " further ones are left out.",
                   .hint = "Measures count all of them. A shorter mission has fewer."});
  }
  return out;
}

}  // namespace ergode
