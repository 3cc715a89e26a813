#pragma once
#include <cstdint>
#include <optional>

#include "core/expression/program.h"

namespace ergode {

/// A condition that compares one slot with a finite constant, as what the slot must reach: `slot OP constant` or
/// `constant OP slot`. A slot that holds NaN fulfils none. Strict and other comparisons are one kind: `slot > 3` begins
/// to hold at the double after 3, so every condition is true on one side of `at` that `at` itself belongs to or not.
struct Comparison {
  enum class Kind : std::uint8_t { rising, equal, falling };
  Kind kind = Kind::rising;  ///< holds from `at` on, exactly at it, below it
  std::uint32_t slot = 0;
  double at = 0.0;  ///< infinite where the constant is the greatest double and the comparison strict

  /// Nothing: the program is something else. `!=` is no comparison in this sense, for it holds on two sides.
  static std::optional<Comparison> of(const Program& program);
  /// The greatest and the least value that fulfil it; infinite where there is no end.
  Range holds_within() const;
};

}  // namespace ergode
