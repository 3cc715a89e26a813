#include "solvers/markov/poisson_weights.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ergode {

PoissonWindow poisson_window(double mean, double error) {
  // Beyond 2^53 numbers have no successor any more, and long before that the weights fill the memory.
  if (!(mean <= most_poisson_mean)) throw std::domain_error("Poisson weights of a mean above 1e10");
  PoissonWindow out;
  if (mean <= 0.0) {
    out.weights = {1.0};
    return out;
  }
  const double mode = std::floor(mean);
  // The sum of all weights relative to the one at the mode is at least one, so bounds relative to the mode are safe.
  const double share = 0.5 * error;
  std::vector<double> below, above;
  double weight = 1.0, tail = 0.0;
  for (double k = mode; k > 0.0; k -= 1.0) {
    weight *= k / mean;  // P(k - 1) over P(k)
    // What is left of here is less than a geometric series of this ratio.
    const double ratio = (k - 1.0) / mean;
    tail = weight / (1.0 - ratio);
    if (tail <= share) break;
    below.push_back(weight);
    tail = 0.0;
  }
  out.outside = tail;
  weight = 1.0;
  for (double k = mode + 1.0;; k += 1.0) {
    weight *= mean / k;
    const double ratio = mean / (k + 1.0);
    tail = weight / (1.0 - ratio);
    if (tail <= share) {
      out.outside += tail;
      out.overshoot = tail / (1.0 - ratio);
      break;
    }
    above.push_back(weight);
  }
  out.left = static_cast<std::uint64_t>(mode) - below.size();
  double low = 0.0, high = 0.0;
  // From the small ends, so that small weights are not lost in large sums.
  for (std::size_t i = below.size(); i-- > 0;) low += below[i];
  for (std::size_t i = above.size(); i-- > 0;) high += above[i];
  const double sum = low + high + 1.0;
  out.outside /= sum, out.overshoot /= sum;
  out.weights.reserve(below.size() + above.size() + 1);
  for (std::size_t i = below.size(); i-- > 0;) out.weights.push_back(below[i] / sum);
  out.weights.push_back(1.0 / sum);
  for (const double w : above) out.weights.push_back(w / sum);
  return out;
}

double poisson_end(double mean, double error) {
  const double l = -std::log(error);
  return std::ceil(mean + l / 3.0 + std::sqrt(l * l / 9.0 + 2.0 * mean * l));
}

double poisson_begin(double mean, double error) {
  if (!std::isfinite(mean)) return mean;
  return std::max(0.0, std::floor(mean - std::sqrt(-2.0 * mean * std::log(error))));
}

}  // namespace ergode
