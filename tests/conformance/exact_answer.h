#pragma once
#include <stdexcept>
#include <variant>

#include "solvers/queueing/exact/queueing_network.h"

namespace ergode::test {

/// What an algorithm answers; thrown, where it refuses: why.
template <class Result>
Result solved(const Solved<Result>& answer) {
  if (const auto* bad = std::get_if<Diagnostic>(&answer)) throw std::runtime_error(bad->code + " " + bad->message);
  return std::get<Result>(answer);
}

}  // namespace ergode::test
