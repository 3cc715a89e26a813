#include "plugins/performance_representatives/engine/grid.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "plugins/performance_representatives/engine/draws.h"

namespace performance_representatives {
namespace {

std::int64_t ceil_of_quotient(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace

std::int64_t Axis::representative(std::int64_t value) const {
  return std::min(offset + ceil_of_quotient(value - offset, width) * width, high);
}
std::int64_t Axis::representatives() const {
  return ceil_of_quotient(high - offset, width) - ceil_of_quotient(low - offset, width) + 1;
}
std::int64_t Axis::representative_at(std::int64_t index) const {
  return std::min(offset + (ceil_of_quotient(low - offset, width) + index) * width, high);
}

Grid::Grid(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (const Axis& axis : axes_) {
    if (axis.low > axis.high)
      throw std::invalid_argument("the range from " + std::to_string(axis.low) + " to " + std::to_string(axis.high) +
                                  " is empty");
    if (axis.width < 1)
      throw std::invalid_argument("the width is " + std::to_string(axis.width) + "; wanted 1 or more");
    if (axis.offset < 0 || axis.offset >= axis.width)
      throw std::invalid_argument("the offset is " + std::to_string(axis.offset) + "; wanted 0 to " +
                                  std::to_string(axis.width - 1));
  }
}

Point Grid::representative(const Point& point) const {
  Point out = point;
  for (std::size_t i = 0; i < axes_.size(); ++i) out[i] = axes_[i].representative(point[i]);
  return out;
}
double Grid::size() const {
  double out = 1.0;
  for (const Axis& axis : axes_) out *= static_cast<double>(axis.representatives());
  return out;
}
double Grid::range_size() const {
  double out = 1.0;
  for (const Axis& axis : axes_) out *= static_cast<double>(axis.high - axis.low + 1);
  return out;
}

std::vector<Point> Grid::corners() const {
  std::vector<Point> out = {{}};
  for (const Axis& axis : axes_) {
    const std::int64_t first = axis.representative_at(0), last = axis.representative_at(axis.representatives() - 1);
    std::vector<Point> longer;
    for (const Point& start : out)
      for (const std::int64_t end : first == last ? Point{first} : Point{first, last})
        longer.push_back(start), longer.back().push_back(end);
    out = std::move(longer);
  }
  return out;
}

std::vector<Point> Grid::sample(std::size_t count, std::uint64_t seed) const {
  Draws draw(seed);
  std::vector<Point> out = corners();
  std::set<Point> there(out.begin(), out.end());
  if (size() <= 2.0 * static_cast<double>(count)) {  // then drawing again and again would take long: shuffles all
    std::vector<Point> others;
    const auto all = static_cast<std::size_t>(size());
    for (std::size_t i = 0; i < all; ++i) {
      Point one;
      for (std::size_t rest = i; const Axis& axis : axes_) {
        const auto here = static_cast<std::size_t>(axis.representatives());
        one.push_back(axis.representative_at(static_cast<std::int64_t>(rest % here))), rest /= here;
      }
      if (there.count(one) == 0) others.push_back(std::move(one));
    }
    draw.shuffle(others);
    for (Point& one : others)
      if (out.size() < count) out.push_back(std::move(one));
    return out;
  }
  while (out.size() < count) {
    Point one;
    for (const Axis& axis : axes_) one.push_back(axis.representative_at(draw.below(axis.representatives())));
    if (there.insert(one).second) out.push_back(std::move(one));
  }
  return out;
}

std::vector<Point> Grid::sample_range(std::size_t count, std::uint64_t seed) const {
  Draws draw(seed);
  std::vector<Point> out(count);
  for (Point& one : out)
    for (const Axis& axis : axes_) one.push_back(axis.low + draw.below(axis.high - axis.low + 1));
  return out;
}

}  // namespace performance_representatives
