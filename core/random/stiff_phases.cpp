#include "core/random/stiff_phases.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

/// Square, of n phases and, last, the end, which is not left.
class Probabilities {
 public:
  explicit Probabilities(std::size_t n) : n_(n), at_((n + 1) * (n + 1), 0.0) { (*this)(n, n) = 1.0; }
  double& operator()(std::size_t i, std::size_t j) { return at_[i * (n_ + 1) + j]; }
  double operator()(std::size_t i, std::size_t j) const { return at_[i * (n_ + 1) + j]; }

  Probabilities times(const Probabilities& other) const {
    Probabilities out(n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k <= n_; ++k)
        if (const double share = (*this)(i, k); share != 0.0)
          for (std::size_t j = 0; j <= n_; ++j) out(i, j) += share * other(k, j);
    return out;
  }
  void add(double share, const Probabilities& other) {
    for (std::size_t i = 0; i < n_ * (n_ + 1); ++i) at_[i] += share * other.at_[i];
  }
  /// What has ended stays as it is: it may be so little that the rest's rounding would drown it.
  void hold_rows_to_one() {
    for (std::size_t i = 0; i < n_; ++i) {
      double alive = 0.0;
      for (std::size_t j = 0; j < n_; ++j) alive += (*this)(i, j);
      const double wanted = std::max(0.0, 1.0 - (*this)(i, n_));
      if (alive > 0.0)
        for (std::size_t j = 0; j < n_; ++j) (*this)(i, j) *= wanted / alive;
    }
  }

 private:
  std::size_t n_;
  std::vector<double> at_;
};

}  // namespace

PhasesLater phases_later(std::span<const double> initial, std::span<const double> rates, std::span<const double> jumps,
                         double x) {
  const std::size_t n = rates.size();
  const double q = *std::max_element(rates.begin(), rates.end());
  int halvings = 0;
  double h = x;
  for (; q * h > 0.5; ++halvings) h *= 0.5;
  Probabilities step(n), power(n), now(n);
  for (std::size_t i = 0; i < n; ++i) {
    double leaves = 1.0;
    for (std::size_t j = 0; j < n; ++j) step(i, j) = rates[i] / q * jumps[i * n + j], leaves -= jumps[i * n + j];
    step(i, i) += 1.0 - rates[i] / q;
    step(i, n) = rates[i] / q * std::max(0.0, leaves);
    power(i, i) = 1.0;
  }
  double poisson = std::exp(-q * h);
  for (int k = 1; k <= 20; ++k) {  // 0.5^20 / 20! is below 1e-24
    now.add(poisson, power);
    power = power.times(step);
    poisson *= q * h / k;
  }
  now.hold_rows_to_one();
  for (int s = 0; s < halvings; ++s) {
    now = now.times(now);
    now.hold_rows_to_one();
  }
  PhasesLater out{std::vector<double>(n, 0.0), 1.0};
  for (std::size_t i = 0; i < n; ++i) {
    out.ended -= initial[i];
    for (std::size_t j = 0; j < n; ++j) out.in[j] += initial[i] * now(i, j);
  }
  out.ended = std::max(0.0, out.ended);
  for (std::size_t i = 0; i < n; ++i) out.ended += initial[i] * now(i, n);
  return out;
}

}  // namespace ergode
