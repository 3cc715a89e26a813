#include "solvers/cluster/devices/device_scores.h"

#include <cmath>

#include "core/random/normal_quantile.h"

namespace ergode {

ByClass<ByClass<double>> ScoreLaw::assumed_correlations() {
  constexpr double r = 0.7;
  return {{{1.0, r, r, 0.0}, {r, 1.0, r, 0.0}, {r, r, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}};
}

ScoreLaw::ScoreLaw(ByClass<SlownessProfile> profiles, const ByClass<ByClass<double>>& rank_correlations)
    : profiles_(std::move(profiles)), factor_{} {
  constexpr double pi = 3.14159265358979323846;
  // Cholesky's factor of what normal variables of these rank correlations are correlated by.
  for (std::size_t i = 0; i < application_classes; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double left = i == j ? 1.0 : 2.0 * std::sin(pi * rank_correlations[i][j] / 6.0);
      for (std::size_t k = 0; k < j; ++k) left -= factor_[i][k] * factor_[j][k];
      factor_[i][j] = i == j ? std::sqrt(left) : left / factor_[j][j];
    }
}

ByClass<double> ScoreLaw::draw(RandomStream& stream) const {
  double of_a = 0.0;
  return draw(stream, of_a);
}

ByClass<double> ScoreLaw::draw(RandomStream& stream, double& of_a) const {
  ByClass<double> z{}, out{};
  for (double& one : z) one = stream.normal();
  of_a = z[0];
  for (std::size_t i = 0; i < application_classes; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k <= i; ++k) sum += factor_[i][k] * z[k];
    out[i] = profiles_[i].quantile(normal_cdf(sum));
  }
  return out;
}

}  // namespace ergode
