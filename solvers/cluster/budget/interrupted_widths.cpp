#include "solvers/cluster/budget/interrupted_widths.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"

namespace ergode {
namespace {

/// Jobs that a GPU takes away between two corners.
double worth_between(const WidthCorner& from, const WidthCorner& to) {
  return (from.jobs - to.jobs) / (to.cost - from.cost);
}

}  // namespace

std::vector<double> widths_to_try(const Speedup& speedup, bool whole) {
  constexpr double step = 1.04, most_tried = 1e6;
  std::vector<double> out;
  for (const SpeedupPoint& corner : speedup.corners())
    if (!whole || corner.gpus == std::floor(corner.gpus)) out.push_back(corner.gpus);
  if (!out.empty()) return out;
  const double most = std::min(whole ? std::floor(speedup.most()) : speedup.most(), most_tried);
  for (double gpus = 1.0; gpus < most; gpus = whole ? std::max(gpus + 1.0, std::floor(gpus * step)) : gpus * step)
    out.push_back(gpus);
  out.push_back(most);
  return out;
}

std::vector<WidthCorner> worthwhile_widths(double rate, std::span<const double> tried,
                                           const std::function<InterruptedMeans(double gpus)>& means) {
  std::vector<WidthCorner> all;
  double fastest = std::numeric_limits<double>::infinity();
  int slower = 0;
  constexpr int enough = 20;
  for (const double gpus : tried) {
    const InterruptedMeans one = means(gpus);
    all.push_back({gpus, rate * gpus * one.held, rate * one.time});
    slower = one.time < fastest ? 0 : slower + 1;
    fastest = std::min(fastest, one.time);
    if (slower == enough || !std::isfinite(one.time)) break;
  }
  std::sort(all.begin(), all.end(), [](const WidthCorner& a, const WidthCorner& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.jobs < b.jobs;
  });
  std::vector<WidthCorner> hull = {all.front()};
  for (const WidthCorner& one : all) {
    if (!std::isfinite(one.cost) || !(one.jobs < hull.back().jobs)) continue;
    while (hull.size() > 1 && worth_between(hull[hull.size() - 2], hull.back()) <= worth_between(hull.back(), one))
      hull.pop_back();
    if (one.cost > hull.back().cost) hull.push_back(one);
    else hull.back() = one;
  }
  return hull;
}

std::variant<WidthPlan, std::string> interrupted_widths(const std::vector<std::vector<WidthCorner>>& types,
                                                        double budget) {
  struct Segment {
    double worth;
    std::size_t type, to;
  };
  constexpr double last_digits = 1e-12;
  WidthPlan out;
  std::vector<Segment> segments;
  double left = budget;
  for (std::size_t t = 0; t < types.size(); ++t) {
    left -= types[t].front().cost;
    out.widths.push_back({types[t].front().gpus, types[t].front().gpus, 0.0});
    for (std::size_t c = 1; c < types[t].size(); ++c)
      segments.push_back({worth_between(types[t][c - 1], types[t][c]), t, c});
  }
  if (!(left >= -last_digits * budget))
    return "The budget is " + number_text(budget, 6) + " GPUs, and jobs take " + number_text(budget - left, 6) +
           " at least, interruptions counted.";
  // Of one type in their order: hulls flatten.
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Segment& a, const Segment& b) { return a.worth > b.worth; });
  for (const Segment& one : segments) {
    const WidthCorner &from = types[one.type][one.to - 1], &to = types[one.type][one.to];
    const double cost = to.cost - from.cost;
    out.multiplier = one.worth;
    if (cost > left) {
      const double share = std::max(0.0, left / cost);
      // A job is drawn its width: shares of jobs, whose costs are those of the corners.
      if (share > 0.0) out.widths[one.type] = {from.gpus, to.gpus, share};
      return out;
    }
    left -= cost;
    out.widths[one.type] = {to.gpus, to.gpus, 0.0};
  }
  out.multiplier = 0.0;
  return out;
}

}  // namespace ergode
