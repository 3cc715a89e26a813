#pragma once
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ergode {

/// What a job gets of so many GPUs, as measured or assumed.
struct SpeedupPoint {
  double gpus = 1.0;   ///< >= 1
  double speed = 1.0;  ///< work done per unit of time; of one GPU 1
};

/// How much faster a job of one type runs on k GPUs than on one: s(k), for any real k >= 0, with s(1) = 1. Work of size
/// x (the time that it takes on one GPU) then takes x / s(k), and costs x k / s(k) GPU-time.
///
///     amdahl        s = 1 / ((1 - p) + p / k), p in [0, 1]: the part p of the work runs side by side
///     power         s = k^a, a in [0, 1]
///     logarithmic   s = 1 + c ln k, c in [0, 1]
///     table         through the corners of the upper hull of points; a job between two corners changes between them
///
/// Each is continuous, non-decreasing and concave on [1, most()], and s(k)/k does not rise. Beyond most() nothing is
/// gained; below one GPU s(k) = k (a share of a GPU is a share of its speed). The hull of points (k, s) has the same
/// corners as the lower hull of (k/s, 1/s), cost and time, because one is the perspective of the other.
///
/// Const; a value that may be copied. Every function but for tables is O(1), of tables O(log points).
///
/// Amdahl, Validity of the single processor approach to achieving large scale computing capabilities, 1967; Li, Berg,
/// Mukhopadhyay and Harchol-Balter, How to Rent GPUs on a Budget, arXiv 2406.15560, 2024.
class Speedup {
 public:
  enum class Family { amdahl, power, logarithmic, table };
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  /// One GPU is as good as many: amdahl with p = 0.
  Speedup() = default;
  /// @param parameter  p, a or c of the family, in [0, 1]; of 1 (but for logarithmic) only with a finite `most`
  /// @param most       GPUs beyond which nothing is gained, >= 1
  /// @returns the speedup, or a sentence that shows the value seen and the value wanted.
  static std::variant<Speedup, std::string> of(Family family, double parameter, double most = unlimited);
  /// @param points  the first of one GPU with speed 1; GPUs rise, speeds do not fall, and none is above the number of
  ///     its GPUs. Not concave ones get their hull: points below it are never worth their GPUs.
  static std::variant<Speedup, std::string> of_table(std::vector<SpeedupPoint> points, double most = unlimited);

  Family family() const { return family_; }
  double parameter() const { return parameter_; }
  /// Widths beyond it are never worth it: the limit, the last corner, or 1 where nothing is ever gained.
  double most() const { return most_; }
  /// Of tables: without the points of fractions of GPUs, which may hide others from the hull; else the same.
  Speedup whole() const;
  /// Of tables: corners of the hull; else none.
  std::span<const SpeedupPoint> corners() const { return corners_; }

  /// s(k), for k >= 0.
  double speed(double gpus) const;
  /// s'(k) from the right; 1 below one GPU, 0 from most() on.
  double slope(double gpus) const;
  /// The most GPUs, at least 1, of which each last one still gains at least `slope` > 0 (slope from the left).
  double gpus_of_slope(double slope) const;

 private:
  Family family_ = Family::amdahl;
  double parameter_ = 0.0, most_ = 1.0;
  std::vector<SpeedupPoint> points_;   ///< of the table, up to its last gain
  std::vector<SpeedupPoint> corners_;  ///< of its hull
};

/// Upper hull of points in the order of their x, ends included: the corners of the least concave function above them.
/// O(points). Andrew, Another efficient algorithm for convex hulls in two dimensions, 1979.
std::vector<SpeedupPoint> upper_hull(std::span<const SpeedupPoint> points);

}  // namespace ergode
