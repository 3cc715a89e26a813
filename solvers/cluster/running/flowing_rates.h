#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/diagnostic.h"
#include "core/expression/program.h"

namespace ergode {

/// Whether an expression reads what flows: then it changes without a word.
/// @param flowing  slots, ascending
inline bool reads_flowing(const Program& program, std::span<const std::uint32_t> flowing) {
  const auto slots = program.slots();
  return std::any_of(slots.begin(), slots.end(),
                     [&](std::uint32_t slot) { return std::binary_search(flowing.begin(), flowing.end(), slot); });
}

/// A rate that may change without a word is a problem with this code, at the property.
/// @param what  "The rate of \"jobs\""
void know_rate(const Program& rate, const char* code, ElementId element, const char* property, const std::string& what,
               std::span<const std::uint32_t> flowing, Diagnostics& problems);

/// Of streams of jobs that have an element, a name and a rate.
template <typename Streams>
void know_rates(const Streams& streams, const char* code, std::span<const std::uint32_t> flowing,
                Diagnostics& problems) {
  for (const auto& one : streams)
    know_rate(one.rate, code, one.element, "rate", "The rate of \"" + one.name + "\"", flowing, problems);
}

}  // namespace ergode
