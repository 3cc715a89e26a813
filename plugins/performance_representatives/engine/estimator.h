#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugins/performance_representatives/engine/forest.h"
#include "plugins/performance_representatives/engine/grid.h"

namespace performance_representatives {

/// A measured point.
struct Timed {
  Point point;
  double time = 0.0;  ///< above 0, in any unit
};

struct EstimatorOptions {
  std::uint32_t trees = 100;
  std::uint64_t seed = 0;
  bool logarithm = true;  ///< learns ln T, else T
  bool derived = true;    ///< features beside the parameters: the product (operations) and the sum of products of pairs
                          ///< (words) of those above 0
  bool measured = true;   ///< a measured representative is its own estimate
};

/// T(c) ~ R(rho(c)), R learnt from measured points alone.
class Estimator {
 public:
  /// Without a grid, rho(c) = c: the way of random sampling.
  /// @throws std::invalid_argument  no points, or a time that is not above 0
  Estimator(const std::vector<Timed>& training, std::optional<Grid> grid, const EstimatorOptions& options);
  double operator()(const Point& point) const;
  Point representative(const Point& point) const { return grid_ ? grid_->representative(point) : point; }
  std::optional<double> measured(const Point& representative) const;

 private:
  std::vector<double> features(const Point& point) const;
  std::optional<Grid> grid_;
  EstimatorOptions options_;
  std::map<Point, double> times_;
  std::optional<Forest> forest_;
};

/// Errors over test points: MAPE, RMSPE and the greatest, all in percent of the true time.
struct Errors {
  std::size_t points = 0;
  double mape = 0.0, rmspe = 0.0, greatest = 0.0;
};
Errors errors_of(const std::vector<double>& estimates, const std::vector<double>& truths);
Errors errors_of(const Estimator& estimator, const std::vector<Timed>& test);

/// A layer of a network; layers of one block run fused.
struct EstimatedLayer {
  std::string name, block;  ///< block empty: a block of its own
  double estimate = 0.0;
};
struct NetworkEstimate {
  double time = 0.0;
  std::vector<double> counted;  ///< by layer: its time where it is the dominant one of its block, else 0
};
/// t_0 + sum over blocks of the time of their dominant layer.
NetworkEstimate network_time(const std::vector<EstimatedLayer>& layers, double start = 0.0);

/// 64, 128, ... and `most` itself.
std::vector<std::size_t> sample_counts(std::size_t most);

}  // namespace performance_representatives
