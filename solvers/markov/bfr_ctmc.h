#pragma once
#include <vector>

#include "solvers/reliability/ccf_parameters.h"

namespace ergode {

/// The group with instantaneous shocks and repair as a continuous-time Markov chain on the number of failed members,
/// 0 .. n. Precondition: rates passed validation, 1 <= n <= ccf_group_limit, crews >= 0, repair_rate >= 0 [1/s].
struct BfrChain {
  BfrRates rates;
  int n = 0;
  int crews = 0;                   ///< members repaired at the same time; 0: no repair
  double repair_rate = 0.0;        ///< 1 / MTTR [1/s]
  bool absorb_all_failed = false;  ///< Stay in state n once reached: turns "failed at t" into "failed by t".
};

/// Rate from state i to state j; the diagonal is minus the sum of its row [1/s].
using Generator = std::vector<std::vector<double>>;
Generator generator(const BfrChain& chain);

/// Distribution at t from `initial` by uniformisation, see solve_transient().
/// @param error  bound on the total probability left out by truncation, in (0, 1).
std::vector<double> transient(const Generator& q, const std::vector<double>& initial, double t_s, double error = 1e-14);

/// Long-run distribution of an irreducible chain, see reduce_states().
/// @returns empty when the chain is not irreducible (no repair, or nothing fails).
std::vector<double> steady_state(const Generator& q);

}  // namespace ergode
