#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ergode {

/// One transition of a chain: to `state`, at `rate` [1/s] > 0.
struct RateEntry {
  std::uint32_t state = 0;
  double rate = 0.0;
};

/// What a state does in a question about reaching something.
enum class StateRole : std::uint8_t {
  ordinary,
  target,    ///< Reaching it is what is asked for: the chain stays there.
  forbidden  ///< The chain stays there, and has not reached the target.
};

/// Compressed rows of rates between states: 12 bytes a transition and 4 a state, so that 10^6 states with ten
/// transitions each take 124 MB. At most 2^32 - 1 transitions.
struct RateRows {
  std::vector<std::uint32_t> start = {0};  ///< row r is [start[r], start[r + 1])
  std::vector<std::uint32_t> other;        ///< the state at the other end
  std::vector<double> rate;                ///< [1/s], > 0
  std::size_t size() const { return start.size() - 1; }
  std::size_t entries() const { return other.size(); }
};

/// Generator of a continuous-time Markov chain with states 0 ... size() - 1. Only rates between different states are
/// stored; a diagonal element is minus the sum of its row.
class SparseGenerator {
 public:
  /// Appends the row of the next state. Entries of the same target are added up; rates of zero (and what is no number)
  /// and entries that lead back to the state itself are dropped. The order of `row` is not kept: it is sorted by
  /// target. Targets may be states whose rows come later. O(n log n) in the entries.
  void push_row(std::vector<RateEntry>& row);
  /// Makes vectors no larger than what they hold; call when the last row is in.
  void shrink();

  std::size_t size() const { return rows_.size(); }
  std::size_t transitions() const { return rows_.entries(); }
  /// By source: what leaves each state.
  const RateRows& rows() const { return rows_; }
  /// By target: what enters each state. Made anew by each call, O(transitions).
  RateRows incoming() const;
  /// Rate of leaving each state [1/s].
  const std::vector<double>& exit() const { return exit_; }
  /// Greatest rate of leaving a state; 0 when nothing moves.
  double fastest() const;

 private:
  RateRows rows_;
  std::vector<double> exit_;
};

/// Largest part of |x Q| in any state [1/s] over the fastest rate, for a row vector x: 0 for a stationary distribution.
/// Dimensionless, at most 1 for a probability vector; says nothing of relative errors of small entries. O(transitions).
/// @param x  by state
double residual(const SparseGenerator& generator, std::span<const double> x);

}  // namespace ergode
