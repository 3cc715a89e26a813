#include "solvers/markov/bfr_ctmc.h"

#include <algorithm>
#include <cmath>

#include "solvers/markov/state_reduction.h"
#include "solvers/markov/uniformisation.h"

namespace ergode {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

SparseGenerator sparse(const Generator& q) {
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

void close_rows(Generator& q) {
  for (std::size_t i = 0; i < q.size(); ++i) {
    q[i][i] = 0.0;
    double sum = 0.0;
    for (const double rate : q[i]) sum += rate;
    q[i][i] = -sum;
  }
}

}  // namespace

Generator generator(const BfrChain& chain) {
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
  close_rows(q);
  return q;
}

std::vector<double> transient(const Generator& q, const std::vector<double>& initial, double t_s, double error) {
  const SparseGenerator chain = sparse(q);
  TransientQuestion question;
  question.initial = initial;
  question.times_s = {&t_s, 1};
  question.error = error;
  question.want_distribution = true;
  return solve_transient(chain, chain.incoming(), question).distribution;
}

std::vector<double> steady_state(const Generator& q) {
  return reduce_states(sparse(q)).value_or(std::vector<double>());
}

}  // namespace ergode
