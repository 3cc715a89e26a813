#pragma once
#include <cstdint>
#include <span>

#include "core/study/budget.h"
#include "solvers/queueing/chain/network_space.h"
#include "solvers/queueing/chain/tail_drift.h"

namespace ergode {

/// How far means of a network that is cut at a limit are from those of the network itself.
struct TruncationBound {
  double weight = 0.0;  ///< below 1 where there is a bound
  /// Bound on |mean of f, cut - mean of f|, where |f(x)| <= c g(x) in every state of the network; infinite where there
  /// is none.
  double of(double c, double mean) const;
};

/// With the solution h of Poisson's equation Q h = m - f for a mean m of the network itself, and the long run p of the
/// cut one, whose generator is Q', p f - m = p (Q' - Q) h: only moves that are cut count, weighted with how probable
/// their states are (Schweitzer, Perturbation theory and finite Markov chains, Journal of Applied Probability 5, 1968).
/// |h| is at most the sum of |f| and |m| until a state that is often visited is reached, and that has a bound by the
/// drift: where it falls short, on finitely many states, what that comes to is worked out, by an elimination without
/// subtractions or by sweeps until their result is surely too great.
/// @param distribution  long run of the space, whose limit this is
/// @returns weight infinite: the limit is below what the drift needs, or that would cost too much.
/// O(transitions), and up to 10^9 operations.
TruncationBound bound_truncation(const NetworkChain& chain, const NetworkSpace& space, std::uint64_t limit,
                                 std::span<const double> distribution, const TailDrift& drift, const Budget& budget);

}  // namespace ergode
