#include "plugins/cost_effectiveness/engine/pareto.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cost_effectiveness {
namespace {

using Points = std::vector<std::vector<double>>;

std::vector<std::size_t> by_sweep(const Points& points) {
  std::vector<std::size_t> order(points.size()), out;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&points](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order)  // equal points stand together
    if (points[i][1] < best || (!out.empty() && points[i] == points[out.back()])) best = points[i][1], out.push_back(i);
  std::sort(out.begin(), out.end());
  return out;
}

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] > b[k]) return false;
    better = better || a[k] < b[k];
  }
  return better;
}

}  // namespace

std::vector<std::size_t> pareto_front(const Points& points) {
  if (!points.empty() && points[0].size() == 2) return by_sweep(points);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool stays = true;
    for (std::size_t j = 0; j < points.size() && stays; ++j) stays = !dominates(points[j], points[i]);
    if (stays) out.push_back(i);
  }
  return out;
}

}  // namespace cost_effectiveness
