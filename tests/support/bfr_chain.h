#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solvers/markov/state_reduction.h"
#include "solvers/markov/uniformisation.h"
#include "solvers/reliability/ccf_parameters.h"

namespace ergode {

/// For comparison: a group with instantaneous shocks and repair as a continuous-time Markov chain on the number of
/// failed members, 0 .. n: Atwood's binomial failure rate model with lethal shocks (C. L. Atwood, "The Binomial Failure
/// Rate Common Cause Model", Technometrics 28, 1986). Members are alike, so their number says it all. Precondition:
/// rates passed validation, 1 <= n <= ccf_group_limit, crews >= 0, repair_rate >= 0 [1/s].
struct BfrChain {
  BfrRates rates;
  int n = 0;
  int crews = 0;                   ///< members repaired at the same time; 0: no repair
  double repair_rate = 0.0;        ///< 1 / MTTR [1/s]
  bool absorb_all_failed = false;  ///< Stay in state n once reached: turns "failed at t" into "failed by t".
};

/// q[i][j]: rate from state i to state j [1/s]; the diagonal is minus the sum of its row. Square, n + 1 rows, dense: a
/// non-lethal shock leads from i to i + j with rate mu * C(n - i, j) * rho^j * (1 - rho)^(n - i - j), since it strikes
/// each member that works with probability rho. O(n^2).
using Generator = std::vector<std::vector<double>>;
inline Generator generator(const BfrChain& chain) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int n = chain.n;
  const BfrRates& r = chain.rates;
  Generator q(at(n + 1), std::vector<double>(at(n + 1), 0.0));
  for (int i = 0; i <= n; ++i) {
    if (i == n && chain.absorb_all_failed) break;
    for (int j = 1; i + j <= n; ++j)
      q[at(i)][at(i + j)] += r.mu * binomial(n - i, j) * std::pow(r.rho, j) * std::pow(1.0 - r.rho, n - i - j);
    if (i < n) {
      q[at(i)][at(i + 1)] += (n - i) * r.lambda_ind;
      q[at(i)][at(n)] += r.omega;
    }
    if (i > 0) q[at(i)][at(i - 1)] += std::min(i, chain.crews) * chain.repair_rate;
  }
  for (int i = 0; i <= n; ++i) {
    std::vector<double>& row = q[at(i)];
    row[at(i)] = 0.0;
    row[at(i)] = -std::accumulate(row.begin(), row.end(), 0.0);
  }
  return q;
}

/// As the solvers of chains want it: rows without the diagonal; rates of zero are handed on. O(n^2).
inline SparseGenerator sparse_of(const Generator& q) {
  SparseGenerator out;
  std::vector<RateEntry> row;
  for (std::size_t i = 0; i < q.size(); ++i) {
    row.clear();
    for (std::size_t j = 0; j < q.size(); ++j)
      if (j != i) row.push_back({static_cast<std::uint32_t>(j), q[i][j]});
    out.push_row(row);
  }
  return out;
}

/// Distribution at t from `initial` by uniformisation, see solve_transient().
/// @param initial  probabilities of the states, as many as `q` has rows, sum 1.
/// @param t_s      >= 0 [s].
/// @param error  bound on the total probability left out by truncation, in (0, 1).
inline std::vector<double> transient(const Generator& q, const std::vector<double>& initial, double t_s,
                                     double error = 1e-14) {
  const SparseGenerator chain = sparse_of(q);
  TransientQuestion question;
  question.initial = initial;
  question.times_s = {&t_s, 1};
  question.error = error;
  question.want_distribution = true;
  return solve_transient(chain, chain.incoming(), question).distribution;
}

/// Long-run distribution of an irreducible chain, see reduce_states().
/// @returns empty when the chain is not irreducible (no repair, or nothing fails).
inline std::vector<double> steady_state(const Generator& q) {
  return reduce_states(sparse_of(q)).value_or(std::vector<double>());
}

}  // namespace ergode
