#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/diagnostic.h"

namespace ergode {

/// What a computation may take, as whoever orders it says. Absent limits are none, but for memory.
struct Limits {
  std::optional<double> time_s = {};  ///< of the wall clock, from when the Budget is made; none: as long as it takes
  std::optional<std::uint64_t> bytes = {};  ///< none: memory_share()
  /// Simple operations (see Budget::operations()), counted where they are done: the same question ends at the same
  /// point on every machine, however busy it is. None: as many as fit into the time, by estimate, and none is counted.
  std::optional<double> operations = {};
};

/// Thrown where a computation ended because it cost, or would have cost, more than it may: which cost, how much of it
/// was seen, and how much is allowed. Not a std::exception: solvers catch it and answer with the diagnostic.
struct OverBudget {
  Diagnostic diagnostic;
};

/// The time, memory and wish to stop that hold for one computation; passed down to every loop in it. A value: copies
/// share the same end. Loops poll stop_requested() at least every few milliseconds; whoever can tell beforehand what a
/// step costs asks allow_bytes() or compares with operations() before it begins.
///
/// Any number of threads may ask one budget; OverBudget leaves the thread that asked.
class Budget {
 public:
  /// Unlimited time, memory_share(), and nobody who stops it.
  Budget() : Budget(std::stop_token{}) {}
  /// The time begins now.
  explicit Budget(std::stop_token stop, const Limits& limits = {});

  /// Whether somebody asked to stop. @throws OverBudget (RUN003) when the time is over. About 30 ns.
  bool stop_requested() const;
  /// As the limits say, from the beginning; not what is left.
  std::optional<double> time_s() const { return limits_.time_s; }
  /// How much memory one structure may take [bytes]: the limit, or memory_share().
  std::uint64_t bytes() const { return bytes_; }
  /// Simple operations (a product and a sum, operands from memory) that may still be done: what is left of the limit.
  /// Where only the time is limited, what fits into the whole of it on a slow machine, 3e8 a second; infinity without
  /// a limit. The same on every machine, so that what is refused does not depend on it.
  double operations() const;
  /// Whether operations are counted: a limit on them was given.
  bool counts() const { return spent_ != nullptr; }
  /// "9e+08 operations", "9e+08 operations in 3 s": what may be done, for people.
  std::string operations_text() const;
  /// Counts operations, before they are done; one count for all copies. About 10 ns. Nothing without a limit on them.
  /// @param operations  >= 0; what a loop costs between two calls should take a millisecond or more
  /// @throws OverBudget (RUN003) when they are more than are left.
  void spend(double operations) const;
  /// @param bytes  that are about to be taken; 0 and NaN are always allowed
  /// @param code   of the diagnostic: each solver has its own
  /// @param what   "The states", begins the message
  /// @throws OverBudget  when so many bytes are more than bytes().
  void allow_bytes(double bytes, const char* code, const std::string& what) const;
  /// "256 MB", "11.7 GB, half of what this process may have"
  std::string bytes_text() const;

 private:
  std::stop_token stop_;
  Limits limits_;
  std::uint64_t bytes_;
  double end_s_;                                ///< of the steady clock; infinity: never
  std::shared_ptr<std::atomic<double>> spent_;  ///< operations, of all copies; null: not limited
};

/// "3.2 GB", "512 bytes", for people: three digits, decimal units.
std::string memory_text(double bytes);

}  // namespace ergode
