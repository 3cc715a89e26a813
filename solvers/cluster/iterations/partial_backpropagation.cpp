#include "solvers/cluster/iterations/partial_backpropagation.h"

#include <algorithm>

namespace ergode {

std::vector<double> linear_shares(std::uint32_t workers) {
  std::vector<double> out;
  for (std::uint32_t j = 1; j <= workers; ++j) out.push_back(static_cast<double>(j) / workers);
  return out;
}

double worker_time_s(const IterationCosts& costs, double phi) { return costs.forward_s + phi * costs.backward_s; }

double worker_gradient_bytes(const IterationCosts& costs, double phi) { return phi * costs.parameter_bytes; }

double worker_memory_bytes(const IterationCosts& costs, double phi) {
  return costs.parameter_bytes + costs.optimiser_bytes + phi * (costs.parameter_bytes + costs.activation_bytes);
}

double ring_time_s(std::uint32_t workers, double bytes, double bytes_per_s) {
  return 2.0 * (workers - 1.0) / workers * bytes / bytes_per_s;
}

double work_saved(const IterationCosts& costs, std::span<const double> phi) {
  double sum = 0.0;
  for (const double one : phi) sum += worker_time_s(costs, one);
  return 1.0 - sum / static_cast<double>(phi.size()) / (costs.forward_s + costs.backward_s);
}

double mirrored_speedup(const IterationCosts& costs, std::uint32_t workers) {
  return 2.0 * (costs.forward_s + costs.backward_s) /
         (2.0 * costs.forward_s + (1.0 + 1.0 / workers) * costs.backward_s);
}

std::vector<LayerGroup> layer_groups(std::span<const double> phi) {
  std::vector<double> ends(phi.begin(), phi.end());
  ends.push_back(1.0);
  std::sort(ends.begin(), ends.end());
  std::vector<LayerGroup> out;
  double from = 0.0;
  for (const double to : ends) {
    if (to <= from) continue;
    const auto workers =
        static_cast<std::uint32_t>(std::count_if(phi.begin(), phi.end(), [&](double one) { return one >= to; }));
    out.push_back({from, to, workers, static_cast<double>(workers) / static_cast<double>(phi.size())});
    from = to;
  }
  return out;
}

}  // namespace ergode
