#include "solvers/cluster/batch/regression_trees.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random/random_stream.h"

namespace ergode {
namespace {

/// Grows one tree on some rows, which may stand there more than once.
class TreeGrower {
 public:
  TreeGrower(const TrainingRows& rows, const std::vector<double>& targets, const TreeRules& rules, double shrinkage,
             RandomStream* draw)
      : rows_(rows), targets_(targets), rules_(rules), shrinkage_(shrinkage), draw_(draw), features_(rows.width) {
    std::iota(features_.begin(), features_.end(), 0U);
  }
  RegressionTree grow(std::vector<std::uint32_t> members) {
    tree_.nodes.assign(1, {});
    grow_at(0, members, 0);
    return std::move(tree_);
  }

 private:
  struct Cut {
    double gain = 0.0, threshold = 0.0;
    std::uint32_t feature = 0;
  };

  double sum_of(const std::vector<std::uint32_t>& members) const {
    double out = 0.0;
    for (const std::uint32_t at : members) out += targets_[at];
    return out;
  }
  // What the squares of a leaf's answer take away of the error.
  double worth(double sum, double count) const { return sum * sum / (count + shrinkage_); }

  void try_feature(std::uint32_t feature, std::vector<std::uint32_t>& members, double all, Cut& best) const {
    const auto value = [&](std::uint32_t at) { return rows_.row(at)[feature]; };
    std::sort(members.begin(), members.end(),
              [&](std::uint32_t a, std::uint32_t b) { return value(a) != value(b) ? value(a) < value(b) : a < b; });
    const auto count = static_cast<double>(members.size());
    double left = 0.0;
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
      left += targets_[members[i]];
      const double low = value(members[i]), high = value(members[i + 1]);
      const std::size_t lefts = i + 1;
      if (low == high || lefts < rules_.least_leaf || members.size() - lefts < rules_.least_leaf) continue;
      const auto lefts_count = static_cast<double>(lefts);
      const double gain = worth(left, lefts_count) + worth(all - left, count - lefts_count) - worth(all, count);
      if (gain > best.gain) best = {gain, low + (high - low) / 2.0, feature};
    }
  }
  /// So many features of all, drawn without putting back; all, where nothing is drawn.
  std::size_t draw_features() {
    const auto wanted = static_cast<std::size_t>(std::ceil(rules_.tried * static_cast<double>(features_.size())));
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, features_.size());
    if (draw_ == nullptr || count == features_.size()) return features_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto more = static_cast<std::size_t>(draw_->uniform() * static_cast<double>(features_.size() - i));
      std::swap(features_[i], features_[std::min(i + more, features_.size() - 1)]);
    }
    return count;
  }

  void grow_at(std::uint32_t node, std::vector<std::uint32_t>& members, std::uint32_t depth) {
    const double all = sum_of(members);
    tree_.nodes[node].value = all / (static_cast<double>(members.size()) + shrinkage_);
    if (depth == rules_.depth || members.size() < 2 * std::max(1U, rules_.least_leaf)) return;
    constexpr double least_gain = 1e-12;
    Cut best{.gain = least_gain};
    const std::size_t tried = draw_features();
    for (std::size_t i = 0; i < tried; ++i) try_feature(features_[i], members, all, best);
    if (best.gain <= least_gain) return;
    std::vector<std::uint32_t> left, right;
    for (const std::uint32_t at : members) (rows_.row(at)[best.feature] <= best.threshold ? left : right).push_back(at);
    if (left.empty() || right.empty()) return;  // a threshold between neighbours that rounding made one of them
    const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.resize(tree_.nodes.size() + 2);
    tree_.nodes[node] = {best.feature, first, first + 1, best.threshold};
    grow_at(first, left, depth + 1);
    grow_at(first + 1, right, depth + 1);
  }

  const TrainingRows& rows_;
  const std::vector<double>& targets_;
  const TreeRules& rules_;
  double shrinkage_;
  RandomStream* draw_;
  std::vector<std::uint32_t> features_;
  RegressionTree tree_;
};

}  // namespace

double RegressionTree::operator()(const double* features) const {
  std::uint32_t at = 0;
  while (nodes[at].left != 0) at = features[nodes[at].feature] <= nodes[at].value ? nodes[at].left : nodes[at].right;
  return nodes[at].value;
}

TreeEnsemble TreeEnsemble::forest(const TrainingRows& rows, const TreeRules& rules, std::uint64_t seed) {
  TreeEnsemble out;
  out.share_ = 1.0 / rules.trees;
  const auto count = static_cast<double>(rows.rows());
  for (std::uint32_t tree = 0; tree < rules.trees; ++tree) {
    RandomStream draw(stream_key(seed, "random forest"), tree);
    std::vector<std::uint32_t> sample(rows.rows());
    for (std::uint32_t& at : sample) at = static_cast<std::uint32_t>(std::min(draw.uniform() * count, count - 1.0));
    out.trees_.push_back(TreeGrower(rows, rows.targets, rules, 0.0, &draw).grow(std::move(sample)));
  }
  return out;
}

TreeEnsemble TreeEnsemble::boosted(const TrainingRows& rows, const TreeRules& rules) {
  TreeEnsemble out;
  out.share_ = rules.rate;
  out.first_ = std::accumulate(rows.targets.begin(), rows.targets.end(), 0.0) / static_cast<double>(rows.rows());
  std::vector<double> left = rows.targets;
  for (double& one : left) one -= out.first_;
  std::vector<std::uint32_t> all(rows.rows());
  std::iota(all.begin(), all.end(), 0U);
  for (std::uint32_t tree = 0; tree < rules.trees; ++tree) {
    out.trees_.push_back(TreeGrower(rows, left, rules, rules.shrinkage, nullptr).grow(all));
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= rules.rate * out.trees_.back()(rows.row(i));
  }
  return out;
}

double TreeEnsemble::operator()(const double* features) const {
  double out = first_;
  for (const RegressionTree& tree : trees_) out += share_ * tree(features);
  return out;
}

}  // namespace ergode
