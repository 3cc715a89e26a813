#pragma once
#include <optional>
#include <string>
#include <utility>

#include "core/expression/compile.h"

// Inside of core/expression: errors leave the walk over a tree by exception, and the room as values.
namespace ergode {

struct Failure {
  ExpressionError error;
};

/// @param offset  0-based, of the place in the text.
[[noreturn]] inline void fail(const char* code, std::string message, int offset, std::string hint = {},
                              std::optional<Dimension> wanted = {}) {
  throw Failure{{code, std::move(message), offset + 1, std::move(hint), wanted}};
}

/// What `act` makes, or what it failed of.
template <class T, class Do>
Checked<T> guarded(Do act) {
  try {
    return act();
  } catch (const Failure& failure) {
    return failure.error;
  }
}

}  // namespace ergode
