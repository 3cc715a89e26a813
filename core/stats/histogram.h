#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ergode {

/// Counts of observations between fixed edges. Bin i holds edge[i] <= x < edge[i+1]; the last bin holds its upper edge
/// too. What lies outside (and NaN) is counted beside. Counts are integers: merging is exact in any order.
///
/// Memory 16 bytes a bin. Edges and observations are in the same unit, whichever.
///
///     Histogram h({0.0, 1.0, 2.0, 5.0});   // [0, 1) [1, 2) [2, 5]
///     h.observe(5.0);                      // counts()[2]
///     h.observe(-1.0);                     // below()
class Histogram {
 public:
  /// @param edges  strictly increasing, at least two, finite: the debug build asserts that they are.
  explicit Histogram(std::vector<double> edges) : edges_(std::move(edges)), counts_(edges_.size() - 1, 0) {
    assert(edges_.size() >= 2 &&
           std::adjacent_find(edges_.begin(), edges_.end(), std::greater_equal<>()) == edges_.end());
  }

  /// O(log bins), no allocation.
  void observe(double x) noexcept {
    if (x < edges_.front()) ++below_;
    else if (x == edges_.back()) ++counts_.back();
    else if (x < edges_.back())
      ++counts_[static_cast<std::size_t>(std::upper_bound(edges_.begin(), edges_.end(), x) - edges_.begin()) - 1];
    else ++above_;
  }
  /// Adds the other's counts.
  /// @returns false, changing nothing, when the edges differ.
  bool merge(const Histogram& other) noexcept {
    if (edges_ != other.edges_) return false;
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    below_ += other.below_;
    above_ += other.above_;
    return true;
  }

  /// One more than counts().
  const std::vector<double>& edges() const noexcept { return edges_; }
  const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }
  /// Observations below the first edge; above() those beyond the last, and NaN.
  std::uint64_t below() const noexcept { return below_; }
  std::uint64_t above() const noexcept { return above_; }

 private:
  std::vector<double> edges_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t below_ = 0;
  std::uint64_t above_ = 0;
};

}  // namespace ergode
