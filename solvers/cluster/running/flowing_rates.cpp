#include "solvers/cluster/running/flowing_rates.h"

namespace ergode {

void know_rate(const Program& rate, const char* code, ElementId element, const char* property, const std::string& what,
               std::span<const std::uint32_t> flowing, Diagnostics& problems) {
  if (!reads_flowing(rate, flowing)) return;
  problems.push_back(
      {.code = code,
       .element = element,
       .pointer = property,
       .message = what + " may change at any time, because what is read there flows; wanted what changes at events.",
       .hint = "Draw it as a chart with two states and when(...), and read which of them is active."});
}

}  // namespace ergode
