#pragma once
#include <cstdint>
#include <vector>

namespace ergode {

/// Rows of numbers and what each is worth: a table of `width` columns, row by row.
struct TrainingRows {
  std::size_t width = 0;
  std::vector<double> features;  ///< width * rows
  std::vector<double> targets;   ///< by row
  std::size_t rows() const { return targets.size(); }
  const double* row(std::size_t at) const { return features.data() + at * width; }
};

/// A binary tree over thresholds of features, its leaves numbers.
struct RegressionTree {
  struct Node {
    std::uint32_t feature = 0, left = 0, right = 0;  ///< children; both 0: a leaf
    double value = 0.0;  ///< the threshold: left where the feature is at most so much; of a leaf its worth
  };
  std::vector<Node> nodes;
  double operator()(const double* features) const;
};

/// What is grown, and how.
struct TreeRules {
  std::uint32_t trees = 100;
  std::uint32_t depth = 30;      ///< at most
  std::uint32_t least_leaf = 5;  ///< rows of a leaf
  double tried = 1.0 / 3.0;      ///< share of the features that are tried at a node
  double rate = 0.3;             ///< boosting: share of each tree's answer
  double shrinkage = 1.0;        ///< boosting: added to the number of rows of a leaf (L2)
};

/// Many trees: a forest answers with their mean, boosted trees with the sum of a first guess and shares of each.
class TreeEnsemble {
 public:
  /// Trees of bootstrap samples with features drawn at each node. Breiman, Random forests, Machine Learning 45, 2001.
  /// Precondition of both: at least one row. O(trees * depth * features * rows log rows); the seed names every draw.
  static TreeEnsemble forest(const TrainingRows& rows, const TreeRules& rules, std::uint64_t seed);
  /// Trees of what those before left over. Friedman, Greedy function approximation: a gradient boosting machine, Annals
  /// of Statistics 29, 2001; leaves as in Chen and Guestrin, XGBoost, KDD 2016, squared error, whose defaults are those
  /// of boosting_rules().
  static TreeEnsemble boosted(const TrainingRows& rows, const TreeRules& rules);
  double operator()(const double* features) const;

 private:
  double first_ = 0.0, share_ = 1.0;
  std::vector<RegressionTree> trees_;
};

inline TreeRules boosting_rules() { return {.trees = 100, .depth = 6, .least_leaf = 1, .tried = 1.0}; }

}  // namespace ergode
