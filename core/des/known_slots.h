#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// A value that jumps as a Markov chain does which comes back to each of its states.
struct ValueChain {
  struct Jump {
    std::uint32_t from = 0, to = 0;  ///< states
    double rate = 0.0;               ///< [1/s], > 0
  };
  std::vector<double> value;  ///< by state [SI], finite
  std::vector<double> share;  ///< by state: of the time, in the long run; > 0, sum 1
  std::vector<Jump> jumps;    ///< between different states, each pair once
};

/// A value that jumps again and again without end, in the long run. [SI]
struct LongRunValue {
  double mean = 0.0;               ///< over time
  double falls_per_s = 0.0;        ///< by how much it falls each second, its rises not taken off; >= 0
  double least = 0.0, most = 0.0;  ///< what it can be
  bool memoryless = true;          ///< whatever comes at moments of its own sees it as it is in the long run
  /// As what it moves; nothing where that is no Markov chain, or has too many states.
  std::optional<ValueChain> chain = {};
  /// For who asks more of the chain and wants to work it out once: by a number of his.
  mutable std::map<double, std::optional<double>> worked_out = {};
};

/// What is known of the slots of a model before it runs. Views: of whoever asks or tells, for the call.
struct KnownSlots {
  /// What changes between events without a word (time, variables with flows): slots, ascending.
  std::span<const std::uint32_t> flowing = {};
  std::span<const Range> ranges = {};  ///< by slot, what it can hold [SI]; none: only what does not change is known
  double horizon_s = 0.0;              ///< mission time; 0: not known
  /// Answers in_the_long_run(); empty: nobody knows.
  std::function<const LongRunValue*(const Program&)> long_run = {};

  /// Null where what a program reads may end, needs more than a moment to be found out, or may hang on others than
  /// drawn charts. Lives as long as this; found once for each program.
  const LongRunValue* in_the_long_run(const Program& program) const {
    return long_run && !program.is_constant() ? long_run(program) : nullptr;
  }
};

}  // namespace ergode
