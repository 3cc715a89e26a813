#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// A value that jumps without end, as a Markov or a semi-Markov process does: where it comes again and again.
struct ValueChain {
  struct Jump {
    std::uint32_t from = 0, to = 0;  ///< states
    double rate = 0.0;               ///< [1/s], > 0
  };
  std::vector<double> value;  ///< by state [SI], finite
  std::vector<double> share;  ///< by state: of the time, in the long run; > 0, sum 1
  std::vector<Jump> jumps;    ///< between different states, each pair once
  bool memoryless = true;     ///< else jumps come as often as that, but stays are not exponential

  /// Over time, in the long run. O(states).
  double mean() const {
    double out = 0.0;
    for (std::size_t i = 0; i < value.size(); ++i) out += share[i] * value[i];
    return out;
  }
  /// By how much it falls each second in the long run, its rises not taken off. O(jumps).
  double falls_per_s() const {
    double out = 0.0;
    for (const Jump& jump : jumps)
      if (value[jump.to] < value[jump.from]) out += share[jump.from] * jump.rate * (value[jump.from] - value[jump.to]);
    return out;
  }
};

/// What is known of the slots of a model before it runs. Views: of whoever asks or tells, for the call.
struct KnownSlots {
  /// What changes between events without a word (time, variables with flows): slots, ascending.
  std::span<const std::uint32_t> flowing = {};
  std::span<const Range> ranges = {};  ///< by slot, what it can hold [SI]; none: only what does not change is known
  /// Answers chain(); empty: nobody knows.
  std::function<const ValueChain*(const Program&)> long_run = {};

  /// Null where what a program reads is no Markov chain that comes back to where it was, needs more than a moment to be
  /// found, or may hang on others than drawn charts. Lives as long as this; found once for each program, by address.
  const ValueChain* chain(const Program& program) const {
    return long_run && !program.is_constant() ? long_run(program) : nullptr;
  }
};

}  // namespace ergode
