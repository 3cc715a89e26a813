#include "plugins/performance_representatives/engine/forest.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "plugins/performance_representatives/engine/draws.h"

namespace performance_representatives {

/// Keeps the rows of each node sorted by every feature: sorted once, parted in order at each cut.
class ForestGrower {
 public:
  explicit ForestGrower(const Samples& samples) : all_(samples), sorted_(samples.width), goes_left_(samples.rows()) {
    std::vector<std::uint32_t> rows(samples.rows());
    std::iota(rows.begin(), rows.end(), 0U);
    for (std::size_t f = 0; f < all_.width; ++f) {
      sorted_[f] = rows;
      std::stable_sort(sorted_[f].begin(), sorted_[f].end(),
                       [&](std::uint32_t a, std::uint32_t b) { return feature(a, f) < feature(b, f); });
    }
  }

  std::vector<Forest::Node> grow(Draws& draw) {
    const std::size_t rows = all_.rows();
    std::vector<std::uint32_t> times(rows, 0);
    for (std::size_t i = 0; i < rows; ++i)
      ++times[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(rows)))];
    weights_ = std::move(times);
    lists_ = sorted_;
    for (auto& list : lists_)
      list.erase(std::remove_if(list.begin(), list.end(), [this](std::uint32_t row) { return weights_[row] == 0; }),
                 list.end());
    std::vector<Forest::Node> nodes(1);
    struct Open {
      std::uint32_t node;
      std::size_t begin, end;
    };
    std::vector<Open> open = {{0, 0, lists_.empty() ? 0 : lists_[0].size()}};
    while (!open.empty()) {
      const Open here = open.back();
      open.pop_back();
      const Cut cut = best_cut(here.begin, here.end);
      nodes[here.node].value = cut.mean;
      if (cut.lefts == 0) continue;
      part(here.begin, here.end, cut);
      const auto left = static_cast<std::uint32_t>(nodes.size());
      nodes.resize(nodes.size() + 2);
      nodes[here.node] = {cut.feature, left, cut.threshold};
      open.push_back({left, here.begin, here.begin + cut.lefts});
      open.push_back({left + 1, here.begin + cut.lefts, here.end});
    }
    return nodes;
  }

 private:
  struct Cut {
    double threshold = 0.0, mean = 0.0;
    std::uint32_t feature = 0;
    std::size_t lefts = 0;  ///< 0: a leaf
  };
  double feature(std::uint32_t row, std::size_t f) const { return all_.features[row * all_.width + f]; }

  Cut best_cut(std::size_t begin, std::size_t end) const {
    double sum = 0.0, weight = 0.0;
    bool equal = true;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = lists_[0][i];
      sum += weights_[row] * all_.targets[row], weight += weights_[row];
      equal = equal && all_.targets[row] == all_.targets[lists_[0][begin]];
    }
    Cut best;
    best.mean = sum / weight;
    if (equal) {
      best.mean = all_.targets[lists_[0][begin]];
      return best;
    }
    double most = -1.0;
    for (std::size_t f = 0; f < all_.width; ++f) {
      // Sums of differences from the mean, so that large times lose no digits.
      double left = 0.0, lefts = 0.0;
      for (std::size_t i = begin; i + 1 < end; ++i) {
        const std::uint32_t row = lists_[f][i];
        left += weights_[row] * (all_.targets[row] - best.mean), lefts += weights_[row];
        const double low = feature(row, f), high = feature(lists_[f][i + 1], f);
        if (low == high) continue;
        const double gain = left * left * (1.0 / lefts + 1.0 / (weight - lefts));
        // Of cuts as good as each other the first, whatever rounding says: times in another unit grow the same trees.
        constexpr double better = 1.0 + 1e-9;
        if (gain <= most * better) continue;
        const double middle = low + (high - low) / 2.0;
        most = gain;
        best.threshold = middle < high ? middle : low;
        best.feature = static_cast<std::uint32_t>(f), best.lefts = i + 1 - begin;
      }
    }
    return best;
  }

  void part(std::size_t begin, std::size_t end, const Cut& cut) {
    for (std::size_t i = begin; i < end; ++i) goes_left_[lists_[cut.feature][i]] = i < begin + cut.lefts ? 1 : 0;
    for (auto& list : lists_)
      std::stable_partition(list.begin() + static_cast<std::ptrdiff_t>(begin),
                            list.begin() + static_cast<std::ptrdiff_t>(end),
                            [this](std::uint32_t row) { return goes_left_[row] != 0; });
  }

  const Samples& all_;
  std::vector<std::vector<std::uint32_t>> sorted_, lists_;  ///< rows by feature
  std::vector<std::uint32_t> weights_;                      ///< how often the bootstrap drew a row
  std::vector<char> goes_left_;
};

Forest::Forest(const Samples& samples, std::uint32_t trees, std::uint64_t seed) {
  if (samples.rows() == 0 || samples.width == 0 || samples.features.size() != samples.width * samples.rows())
    throw std::invalid_argument("a forest wants rows of one width, one at least");
  ForestGrower grower(samples);
  Draws draw(seed);
  for (std::uint32_t tree = 0; tree < trees; ++tree) trees_.push_back(grower.grow(draw));
}

double Forest::operator()(const double* features) const {
  double sum = 0.0;
  for (const std::vector<Node>& nodes : trees_) {
    std::uint32_t at = 0;
    while (nodes[at].left != 0) at = nodes[at].left + (features[nodes[at].feature] <= nodes[at].value ? 0U : 1U);
    sum += nodes[at].value;
  }
  return sum / static_cast<double>(trees_.size());
}

}  // namespace performance_representatives
