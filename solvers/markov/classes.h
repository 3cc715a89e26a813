#pragma once
#include <cstdint>
#include <vector>

#include "solvers/markov/sparse_generator.h"

namespace ergode {

/// The communicating classes of a chain. A class that cannot be left is a bottom class; all other states are transient.
struct Classes {
  std::vector<std::uint32_t> of;     ///< by state: number of its class; classes that it leads to have smaller ones
  std::vector<std::uint8_t> bottom;  ///< by class: 1 where no transition leaves it
  std::size_t bottoms = 0;           ///< how many of them, >= 1 unless the chain has no states
};

/// Tarjan, Depth-first search and linear graph algorithms, SIAM Journal on Computing 1(2), 1972; without recursion.
/// O(states + transitions).
Classes find_classes(const RateRows& rows);

}  // namespace ergode
