#include "solvers/queueing/exact/saturation_sectors.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

using Pair = std::array<double, 2>;
constexpr double alike = 1e-9;

double load(const Pair& demand, const Pair& throughput) {
  return demand[0] * throughput[0] + demand[1] * throughput[1];
}

std::vector<std::size_t> full_at(const std::vector<Pair>& demand, const Pair& x) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < demand.size(); ++k)
    if (load(demand[k], x) >= 1.0 - alike) out.push_back(k);
  return out;
}

}  // namespace

std::vector<SaturationSector> saturation_sectors(const std::vector<Pair>& demand) {
  Pair most{};
  for (const Pair& d : demand)
    for (std::size_t c = 0; c < 2; ++c) most[c] = std::max(most[c], d[c]);
  if (!(most[0] > 0.0) || !(most[1] > 0.0)) return {};
  // From the second class alone to the first alone.
  std::vector<Pair> corners = {{0.0, 1.0 / most[1]}};
  for (std::size_t i = 0; i < demand.size(); ++i)
    for (std::size_t j = i + 1; j < demand.size(); ++j) {
      const double det = demand[i][0] * demand[j][1] - demand[i][1] * demand[j][0];
      if (std::fabs(det) <= alike * most[0] * most[1]) continue;
      const Pair x = {(demand[j][1] - demand[i][1]) / det, (demand[i][0] - demand[j][0]) / det};
      if (!(x[0] > alike / most[0]) || !(x[1] > alike / most[1])) continue;
      if (std::any_of(demand.begin(), demand.end(), [&](const Pair& d) { return load(d, x) > 1.0 + alike; })) continue;
      corners.push_back(x);
    }
  corners.push_back({1.0 / most[0], 0.0});
  // Along the border, which goes round the origin: by angle, as an edge may stand upright.
  const auto angle = [&](const Pair& x) { return std::atan2(x[0] * most[0], x[1] * most[1]); };
  std::sort(corners.begin(), corners.end(), [&](const Pair& a, const Pair& b) { return angle(a) < angle(b); });
  const auto near = [&](double a, double b, std::size_t c) { return std::fabs(a - b) <= alike / most[c]; };
  corners.erase(std::unique(corners.begin(), corners.end(),
                            [&](const Pair& a, const Pair& b) { return near(a[0], b[0], 0) && near(a[1], b[1], 1); }),
                corners.end());
  std::vector<SaturationSector> out;
  double reached = 0.0;
  const auto add = [&](double to, std::vector<std::size_t> stations) {
    to = std::clamp(to, reached, 1.0);
    if (to - reached > alike) out.push_back({reached, to, std::move(stations)});
    reached = to;
  };
  for (std::size_t v = 1; v < corners.size(); ++v) {
    const Pair &before = corners[v - 1], &x = corners[v];
    const Pair middle = {0.5 * (before[0] + x[0]), 0.5 * (before[1] + x[1])};
    const std::vector<std::size_t> full = full_at(demand, x);
    const bool last = v + 1 == corners.size();
    double least = 1.0, greatest = 0.0;
    for (const std::size_t k : full)
      least = std::min(least, x[0] * demand[k][0]), greatest = std::max(greatest, x[0] * demand[k][0]);
    add(last ? 1.0 : least, full_at(demand, middle));
    if (!last) add(greatest, full);
  }
  if (!out.empty()) out.back().to = 1.0;
  return out;
}

}  // namespace ergode
