#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace performance_representatives {

/// Rows of features and what each is worth.
struct Samples {
  std::size_t width = 0;
  std::vector<double> features;  ///< width * rows, row by row
  std::vector<double> targets;   ///< by row
  std::size_t rows() const { return targets.size(); }
};

/// Random forest for numbers: the mean of trees, each grown on a bootstrap sample until its leaves hold one value; all
/// features are tried at each node. Breiman, Random forests, Machine Learning 45, 2001. The same seed grows the same.
class Forest {
 public:
  /// O(trees * depth * width * rows). @throws std::invalid_argument  no rows, or sizes that do not fit
  Forest(const Samples& samples, std::uint32_t trees, std::uint64_t seed);
  /// Of `width` features. O(trees * depth).
  double operator()(const double* features) const;

 private:
  struct Node {
    std::uint32_t feature = 0, left = 0;  ///< children are left and left + 1; 0: a leaf
    double value = 0.0;                   ///< left where the feature is at most so much; of a leaf its worth
  };
  std::vector<std::vector<Node>> trees_;
  friend class ForestGrower;
};

}  // namespace performance_representatives
