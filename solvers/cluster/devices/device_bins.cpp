#include "solvers/cluster/devices/device_bins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/cluster/devices/variation.h"

namespace ergode {
namespace {

constexpr std::size_t most_bins = 10;

/// Sums of sorted values and of their squares, about their mean so that nothing cancels.
class BinSums {
 public:
  explicit BinSums(std::span<const double> sorted)
      : middle_(std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size())),
        sum_(sorted.size() + 1),
        square_(sorted.size() + 1) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const double x = sorted[i] - middle_;
      sum_[i + 1] = sum_[i] + x, square_[i + 1] = square_[i] + x * x;
    }
  }
  /// Sum of squares about the mean of values from ... to - 1.
  double spread(std::size_t from, std::size_t to) const {
    const double sum = sum_[to] - sum_[from];
    return std::max(0.0, square_[to] - square_[from] - sum * sum / static_cast<double>(to - from));
  }
  double sum(std::size_t from, std::size_t to) const {
    return sum_[to] - sum_[from] + middle_ * static_cast<double>(to - from);
  }

 private:
  double middle_;
  std::vector<double> sum_, square_;
};

/// One row of the programme: the best cost of the first `to` values in one cluster more. The best place of the last
/// cluster does not fall while `to` rises, so halves are solved on either side of it.
void fill_row(const BinSums& sums, const std::vector<double>& before, std::vector<double>& now,
              std::vector<std::size_t>& place, std::size_t low, std::size_t high, std::size_t from, std::size_t until) {
  if (low > high) return;
  const std::size_t to = low + (high - low) / 2;
  double best = std::numeric_limits<double>::infinity();
  std::size_t at = from;
  for (std::size_t begin = from; begin <= std::min(until, to - 1); ++begin) {
    const double cost = before[begin] + sums.spread(begin, to);
    if (cost < best) best = cost, at = begin;
  }
  now[to] = best, place[to] = at;
  if (to > low) fill_row(sums, before, now, place, low, to - 1, from, at);
  fill_row(sums, before, now, place, to + 1, high, at, until);
}

}  // namespace

std::vector<std::size_t> best_clusters(std::span<const double> sorted, std::size_t k) {
  const std::size_t n = sorted.size();
  const BinSums sums(sorted);
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> before(n + 1, never), now(n + 1, never);
  std::vector<std::vector<std::size_t>> places(k + 1, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t to = 1; to <= n; ++to) before[to] = sums.spread(0, to);
  for (std::size_t clusters = 2; clusters <= k; ++clusters) {
    std::fill(now.begin(), now.end(), never);
    fill_row(sums, before, now, places[clusters], clusters, n, clusters - 1, n - 1);
    std::swap(before, now);
  }
  std::vector<std::size_t> out(k, 0);
  for (std::size_t clusters = k, to = n; clusters > 1; --clusters) to = out[clusters - 1] = places[clusters][to];
  return out;
}

double mean_silhouette(std::span<const double> sorted, std::span<const std::size_t> begins) {
  const std::size_t n = sorted.size(), k = begins.size();
  if (k < 2) return 0.0;
  std::vector<double> sum(n + 1);
  for (std::size_t i = 0; i < n; ++i) sum[i + 1] = sum[i] + sorted[i];
  const auto end_of = [&](std::size_t cluster) { return cluster + 1 < k ? begins[cluster + 1] : n; };
  double total = 0.0;
  std::size_t own = 0;
  for (std::size_t i = 0; i < n; ++i) {
    while (i >= end_of(own)) ++own;
    const std::size_t from = begins[own], to = end_of(own);
    if (to - from < 2) continue;
    const double x = sorted[i];
    // Sorted values: those below i are nearer by x - y, those above by y - x.
    const double within =
        x * static_cast<double>(i - from) - (sum[i] - sum[from]) + (sum[to] - sum[i]) - x * static_cast<double>(to - i);
    const double a = within / static_cast<double>(to - from - 1);
    double b = std::numeric_limits<double>::infinity();
    // The nearest other cluster is a neighbour.
    for (const std::size_t other : {own - 1, own + 1}) {
      if (other >= k) continue;
      const std::size_t begin = begins[other], end = end_of(other);
      b = std::min(b, std::fabs((sum[end] - sum[begin]) / static_cast<double>(end - begin) - x));
    }
    if (const double most = std::max(a, b); most > 0.0) total += (b - a) / most;
  }
  return total / static_cast<double>(n);
}

std::vector<double> DeviceBins::scores() const {
  std::vector<double> out;
  for (const std::uint32_t bin : bin_of) out.push_back(score[bin]);
  return out;
}

DeviceBins bin_devices(std::span<const double> values) {
  const std::size_t n = values.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
  std::vector<double> sorted;
  for (const std::uint32_t i : order) sorted.push_back(values[i]);
  const BoxStatistics box = box_statistics(values);
  const auto rest = static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), box.mean + 3.0 * box.sd) -
                                             sorted.begin());
  const std::span<const double> clustered(sorted.data(), rest);
  std::size_t different = 1;
  for (std::size_t i = 1; i < rest; ++i) different += sorted[i] != sorted[i - 1] ? 1 : 0;
  DeviceBins out;
  std::vector<std::size_t> begins{0};
  for (std::size_t k = 2; k <= std::min(most_bins, different); ++k) {
    auto tried = best_clusters(clustered, k);
    const double good = mean_silhouette(clustered, tried);
    if (begins.size() == 1 || good > out.silhouette) out.silhouette = good, begins = std::move(tried);
  }
  for (std::size_t i = rest; i < n; ++i) begins.push_back(i);
  const std::size_t middle = (n - 1) / 2;  // of the two middle ones the lower
  std::vector<double> centroid;
  double of_median = 1.0;
  out.bin_of.resize(n);
  const BinSums sums(sorted);
  for (std::size_t bin = 0; bin < begins.size(); ++bin) {
    const std::size_t from = begins[bin], to = bin + 1 < begins.size() ? begins[bin + 1] : n;
    centroid.push_back(sums.sum(from, to) / static_cast<double>(to - from));
    if (from <= middle && middle < to) of_median = centroid.back();
    for (std::size_t i = from; i < to; ++i) out.bin_of[order[i]] = static_cast<std::uint32_t>(bin);
  }
  for (const double one : centroid) out.score.push_back(one / of_median);
  return out;
}

}  // namespace ergode
