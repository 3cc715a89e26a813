#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace performance_representatives {

/// Values of the parameters of a layer.
using Point = std::vector<std::int64_t>;

/// A parameter: its range, and its stairs, which end at offset + j * width.
struct Axis {
  std::int64_t low = 1, high = 1;
  std::int64_t width = 1, offset = 0;  ///< 0 <= offset < width
  /// rho(c) = min(o + ceil((c - o) / w) * w, C): where the stair of `value` ends.
  std::int64_t representative(std::int64_t value) const;
  /// Ends of stairs from low to high; the last stair ends at high at the latest.
  std::int64_t representatives() const;
  std::int64_t representative_at(std::int64_t index) const;  ///< ascending, from 0
};

/// All representatives of several parameters. Jung et al., arXiv 2406.08330, 2024.
class Grid {
 public:
  /// @throws std::invalid_argument  a range is empty, a width is below 1, an offset is not in [0, width)
  explicit Grid(std::vector<Axis> axes);
  const std::vector<Axis>& axes() const { return axes_; }
  Point representative(const Point& point) const;
  double size() const;        ///< representatives
  double range_size() const;  ///< all points
  std::vector<Point> corners() const;
  /// `count` of them, none twice, uniformly; all where there are fewer. Corners come first, and are always there (more
  /// than `count`, if there are more corners). O(count log count).
  std::vector<Point> sample(std::size_t count, std::uint64_t seed) const;
  /// Points of the whole range, uniformly and independently.
  std::vector<Point> sample_range(std::size_t count, std::uint64_t seed) const;

 private:
  std::vector<Axis> axes_;
};

}  // namespace performance_representatives
