#include "core/drawing/box_index.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

constexpr double cell = 160.0;
constexpr std::int64_t stride = std::int64_t{1} << 32;

std::int64_t key(std::int64_t column, std::int64_t row) { return row * stride + column; }

}  // namespace

BoxIndex::Range BoxIndex::range_of(const Rect& box) {
  const auto index = [](double v) {
    return static_cast<std::int64_t>(std::floor(std::isnan(v) ? 0.0 : std::clamp(v, -1e8, 1e8) / cell));
  };
  return {index(box.x), std::max(index(box.x), index(box.right())), index(box.y),
          std::max(index(box.y), index(box.bottom()))};
}

/// The finest level whose cells are larger than the box, so that it touches two of them in each direction at most.
std::size_t BoxIndex::level_of(const Range& range) {
  const std::int64_t extent = std::max(range.right - range.left, range.bottom - range.top);
  std::size_t level = 0;
  while ((std::int64_t{1} << level) <= extent) ++level;
  return level;
}

template <typename Visit>
void BoxIndex::cells(const Range& range, std::size_t level, const Visit& visit) {
  for (std::int64_t row = range.top >> level; row <= range.bottom >> level; ++row)
    for (std::int64_t column = range.left >> level; column <= range.right >> level; ++column) visit(key(column, row));
}

void BoxIndex::add(int item, const Rect& box) {
  const Range range = range_of(box);
  const std::size_t level = level_of(range);
  if (levels_.size() <= level) levels_.resize(level + 1);
  cells(range, level, [&](std::int64_t k) { levels_[level][k].push_back({item, range}); });
}

void BoxIndex::remove(int item, const Rect& box) {
  const Range range = range_of(box);
  const std::size_t level = level_of(range);
  if (levels_.size() <= level) return;
  cells(range, level, [&](std::int64_t k) {
    const auto found = levels_[level].find(k);
    if (found == levels_[level].end()) return;
    std::erase_if(found->second, [&](const Entry& e) { return e.item == item && e.range == range; });
    if (found->second.empty()) levels_[level].erase(found);
  });
}

void BoxIndex::near(const Rect& box, std::vector<int>& found) const {
  found.clear();
  const Range asked = range_of(box);
  const auto take = [&](const std::vector<Entry>& entries) {
    looked_at_ += entries.size();
    for (const auto& [item, range] : entries)
      if (range.left <= asked.right && asked.left <= range.right && range.top <= asked.bottom &&
          asked.top <= range.bottom)
        found.push_back(item);
  };
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const Level& grid = levels_[level];
    const auto columns = static_cast<std::uint64_t>((asked.right >> level) - (asked.left >> level) + 1),
               rows = static_cast<std::uint64_t>((asked.bottom >> level) - (asked.top >> level) + 1);
    if (columns * rows > grid.size()) {
      for (const auto& [k, entries] : grid) take(entries);
      continue;
    }
    looked_at_ += columns * rows;
    cells(asked, level, [&](std::int64_t k) {
      if (const auto there = grid.find(k); there != grid.end()) take(there->second);
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace ergode
