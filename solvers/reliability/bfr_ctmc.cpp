#include "solvers/reliability/bfr_ctmc.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
  const std::size_t size = q.size();
  double fastest = 0.0;
  for (std::size_t i = 0; i < size; ++i) fastest = std::max(fastest, -q[i][i]);
  if (fastest == 0.0 || t_s == 0.0) return initial;

  // Short steps keep exp(-mean) far from underflow, so that one plain summation serves any horizon.
  const int steps = std::max(1, static_cast<int>(std::ceil(fastest * t_s / 16.0)));
  const double mean = fastest * t_s / steps;
  std::vector<double> p = initial;
  for (int s = 0; s < steps; ++s) {
    std::vector<double> term = p, sum(size, 0.0);
    double weight = std::exp(-mean), covered = 0.0;
    for (int k = 0; k < 4096; ++k) {
      for (std::size_t i = 0; i < size; ++i) sum[i] += weight * term[i];
      covered += weight;
      if (1.0 - covered <= error / steps && k > mean + static_cast<double>(size)) break;
      std::vector<double> next(size, 0.0);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
          next[j] += term[i] * (i == j ? (fastest + q[i][i]) / fastest : q[i][j] / fastest);
      term.swap(next);
      weight *= mean / (k + 1);
      if (weight == 0.0) break;
    }
    double total = 0.0;
    for (const double x : sum) total += x;
    for (double& x : sum) x /= total;
    p.swap(sum);
  }
  return p;
}

std::vector<double> steady_state(const Generator& q) {
  const std::size_t size = q.size();
  Generator a = q;
  for (std::size_t k = size - 1; k > 0; --k) {
    double down = 0.0;
    for (std::size_t j = 0; j < k; ++j) down += a[k][j];
    if (down == 0.0) return {};
    for (std::size_t i = 0; i < k; ++i) a[i][k] /= down;
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j)
        if (i != j) a[i][j] += a[i][k] * a[k][j];
  }
  std::vector<double> pi(size, 0.0);
  pi[0] = 1.0;
  double total = 1.0;
  for (std::size_t k = 1; k < size; ++k) {
    for (std::size_t i = 0; i < k; ++i) pi[k] += pi[i] * a[i][k];
    if (pi[k] == 0.0) return {};
    total += pi[k];
  }
  for (double& x : pi) x /= total;
  return pi;
}

}  // namespace ergode
