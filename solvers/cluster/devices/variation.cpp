#include "solvers/cluster/devices/variation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ergode {
namespace {

constexpr double no_figure = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double quantile_between(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double mean_greatest_of(std::span<const double> sorted, std::size_t k) {
  if (k > sorted.size()) return no_figure;
  // Value i of n is the greatest with probability C(i - 1, k - 1) / C(n, k): k / n of the last.
  double probability = static_cast<double>(k) / static_cast<double>(sorted.size()), sum = 0.0;
  for (std::size_t i = sorted.size(); i >= k; --i) {
    sum += probability * sorted[i - 1];
    if (i > k) probability *= static_cast<double>(i - k) / static_cast<double>(i - 1);
  }
  return sum;
}

BoxStatistics box_statistics(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  BoxStatistics out;
  out.count = sorted.size();
  out.least = sorted.front(), out.greatest = sorted.back();
  out.q1 = quantile_between(sorted, 0.25), out.median = quantile_between(sorted, 0.5);
  out.q3 = quantile_between(sorted, 0.75);
  const double reach = 1.5 * (out.q3 - out.q1), low = out.q1 - reach, high = out.q3 + reach;
  out.lower_whisker = *std::lower_bound(sorted.begin(), sorted.end(), low);
  out.upper_whisker = *(std::upper_bound(sorted.begin(), sorted.end(), high) - 1);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] > high) out.high.push_back(i);
    if (values[i] < low) out.low.push_back(i);
  }
  const auto n = static_cast<double>(values.size());
  out.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0.0;
  for (const double x : sorted) squares += (x - out.mean) * (x - out.mean);
  out.sd = sorted.size() > 1 ? std::sqrt(squares / (n - 1.0)) : 0.0;
  return out;
}

double pearson_correlation(std::span<const double> x, std::span<const double> y) {
  if (x.size() < 2) return no_figure;
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n,
               mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x, dy = y[i] - mean_y;
    xy += dx * dy, xx += dx * dx, yy += dy * dy;
  }
  return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : no_figure;
}

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    // Places from + 1 ... to, shared.
    for (std::size_t i = from; i < to; ++i) out[order[i]] = 0.5 * static_cast<double>(from + 1 + to);
    from = to;
  }
  return out;
}

double spearman_correlation(std::span<const double> x, std::span<const double> y) {
  return pearson_correlation(mean_ranks(x), mean_ranks(y));
}

double VarianceComponents::between_cv() const { return std::sqrt(between) / mean; }
double VarianceComponents::within_cv() const { return std::sqrt(within) / mean; }
double VarianceComponents::icc() const { return between + within > 0.0 ? between / (between + within) : no_figure; }

VarianceComponents variance_components(std::span<const double> values, std::span<const std::uint32_t> group_of,
                                       std::size_t groups) {
  VarianceComponents out;
  out.values = values.size(), out.groups = groups;
  std::vector<double> sum(groups), count(groups);
  for (std::size_t i = 0; i < values.size(); ++i) sum[group_of[i]] += values[i], count[group_of[i]] += 1.0;
  const auto n = static_cast<double>(values.size()), g = static_cast<double>(groups);
  out.mean = std::accumulate(sum.begin(), sum.end(), 0.0) / n;
  double within = 0.0, between = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - sum[group_of[i]] / count[group_of[i]];
    within += off * off;
  }
  for (std::size_t k = 0; k < groups; ++k) {
    const double off = sum[k] / count[k] - out.mean;
    between += count[k] * off * off, squares += count[k] * count[k];
  }
  if (groups < 2 || values.size() == groups) {
    out.between = out.within = no_figure;
    return out;
  }
  out.within = within / (n - g);
  const double size = (n - squares / n) / (g - 1.0);
  out.between = std::max(0.0, (between / (g - 1.0) - out.within) / size);
  return out;
}

}  // namespace ergode
