#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugins/performance_representatives/engine/estimator.h"
#include "plugins/performance_representatives/engine/grid.h"
#include "plugins/performance_representatives/engine/steps.h"

namespace performance_representatives {

/// What is known of a parameter of a layer before anything is measured.
struct SizeRange {
  std::string name;
  std::optional<std::int64_t> low, high, base, width, offset;  ///< a width of 0 is one that is to be found
  std::vector<std::int64_t> hints;
};
/// Layers of one type: their parameters by name, what was measured.
struct LayerType {
  std::string name;  ///< empty: there is one
  std::vector<Timed> sweeps = {}, representatives = {}, random = {}, tests = {},
                     any = {};  ///< by the column `set`; any: it does not say
};
struct StudyOptions {
  std::size_t samples = 512, tests = 400;
  std::uint32_t repeats = 5;  ///< of each measurement, of which the median counts
  EstimatorOptions estimator;
  StepRules steps;
};

/// What a target is asked: one measurement of a point.
using TimeSource = std::function<double(const Point&)>;

struct AxisFound {
  Axis axis;
  std::vector<SizeSweep> sweeps;  ///< none: one value, a width that was given, or nothing measured that is one
  Steps steps;                    ///< its sweeps: one for each of these
};
/// Errors of so many representatives, and of as many random points.
struct Compared {
  std::size_t samples = 0;
  Errors representatives;
  std::optional<Errors> random;  ///< none: there are not so many
};
struct Studied {
  std::vector<AxisFound> axes;
  std::optional<Grid> grid;
  std::vector<Point> wanted;           ///< representatives to measure, corners first
  std::vector<Timed> training;         ///< those that were
  std::size_t off_grid = 0;            ///< measured as representatives, and are none
  std::optional<Estimator> estimator;  ///< none: nothing was measured to learn from
  Errors errors;                       ///< of it, over points that it has not seen; none tested: 0 points
  double known = 0.0;                  ///< share of these whose representative was measured
  std::vector<Compared> curve;         ///< over sample_counts(); forests alone
};

/// Sweeps, stairs, samples, forest and errors of one type of layer: of a target that is asked, or of what was measured.
/// Measurements that do not say what they are for: those at ends of stairs are representatives; of the others half are
/// random points and half tests, or all random points where some are marked as tests.
/// @param ranges  by parameter; where they say nothing: the range of what was measured
/// @throws std::invalid_argument  a range that is empty, a time not above 0
Studied study(const LayerType& type, const std::vector<SizeRange>& ranges, const StudyOptions& options,
              const TimeSource& target = nullptr);

/// Sweeps of parameter `at` in measured points: at least four that differ in it alone, by one step. O(n log n).
std::vector<SizeSweep> sweeps_in(const std::vector<Timed>& points, std::size_t at);
/// One of each point, its time the median of its repeats; in the order of points.
std::vector<Timed> medians_of(const std::vector<Timed>& points);

}  // namespace performance_representatives
