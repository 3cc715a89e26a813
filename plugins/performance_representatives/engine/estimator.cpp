#include "plugins/performance_representatives/engine/estimator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace performance_representatives {

Estimator::Estimator(const std::vector<Timed>& training, std::optional<Grid> grid, const EstimatorOptions& options)
    : grid_(std::move(grid)), options_(options) {
  Samples samples;
  for (const Timed& one : training) {
    if (!(one.time > 0.0)) throw std::invalid_argument("a time is not above 0");
    times_[one.point] = one.time;
    const std::vector<double> row = features(one.point);
    samples.width = row.size();
    samples.features.insert(samples.features.end(), row.begin(), row.end());
    samples.targets.push_back(options_.logarithm ? std::log(one.time) : one.time);
  }
  forest_.emplace(samples, options_.trees, options_.seed);
}

std::vector<double> Estimator::features(const Point& point) const {
  std::vector<double> out(point.begin(), point.end());
  if (!options_.derived || point.size() < 2) return out;
  double product = 1.0, pairs = 0.0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] == 0) continue;  // other types have it
    product *= static_cast<double>(point[i]);
    for (std::size_t j = 0; j < i; ++j) pairs += static_cast<double>(point[i]) * static_cast<double>(point[j]);
  }
  out.push_back(product), out.push_back(pairs);
  return out;
}

std::optional<double> Estimator::measured(const Point& representative) const {
  const auto found = times_.find(representative);
  return found != times_.end() ? std::optional<double>(found->second) : std::nullopt;
}

double Estimator::operator()(const Point& point) const {
  const Point at = representative(point);
  if (options_.measured)
    if (const auto time = measured(at)) return *time;
  const double out = (*forest_)(features(at).data());
  return options_.logarithm ? std::exp(out) : out;
}

Errors errors_of(const std::vector<double>& estimates, const std::vector<double>& truths) {
  if (estimates.size() != truths.size()) throw std::invalid_argument("estimates and truths are not as many");
  Errors out;
  out.points = truths.size();
  if (truths.empty()) return out;
  double squares = 0.0;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const double error = 100.0 * std::fabs(estimates[i] - truths[i]) / truths[i];
    out.mape += error, squares += error * error, out.greatest = std::max(out.greatest, error);
  }
  out.mape /= static_cast<double>(truths.size());
  out.rmspe = std::sqrt(squares / static_cast<double>(truths.size()));
  return out;
}

Errors errors_of(const Estimator& estimator, const std::vector<Timed>& test) {
  std::vector<double> estimates, truths;
  for (const Timed& one : test) estimates.push_back(estimator(one.point)), truths.push_back(one.time);
  return errors_of(estimates, truths);
}

NetworkEstimate network_time(const std::vector<EstimatedLayer>& layers, double start) {
  NetworkEstimate out{start, std::vector<double>(layers.size(), 0.0)};
  std::map<std::string, std::size_t> dominant;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].block.empty()) {
      out.counted[i] = layers[i].estimate;
      continue;
    }
    const auto [at, is_new] = dominant.emplace(layers[i].block, i);
    if (!is_new && layers[i].estimate > layers[at->second].estimate) at->second = i;
  }
  for (const auto& [block, i] : dominant) out.counted[i] = layers[i].estimate;
  for (const double time : out.counted) out.time += time;
  return out;
}

std::vector<std::size_t> sample_counts(std::size_t most) {
  constexpr std::size_t first = 64;
  std::vector<std::size_t> out;
  for (std::size_t n = first; n < most; n *= 2) out.push_back(n);
  out.push_back(most);
  return out;
}

}  // namespace performance_representatives
