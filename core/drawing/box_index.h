#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/document/element.h"

namespace ergode {

/// Finds what lies near a rectangle, to within a square of 160 pixels. Boxes are kept by size: each in at most four
/// cells of a grid as coarse as the box is large (a hierarchical spatial hash; Ericson, Real-Time Collision Detection,
/// 2005, section 7.2). So memory and time depend on how many boxes there are, never on how large or how far apart.
class BoxIndex {
 public:
  void add(int item, const Rect& box);
  /// Forgets the item at the place where it was added.
  void remove(int item, const Rect& box);
  /// Items near the box, each once, ascending.
  void near(const Rect& box, std::vector<int>& found) const;
  /// Entries that near() has looked at so far: what the searches have cost.
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  /// Columns and rows of the finest grid that a box touches.
  struct Range {
    std::int64_t left, right, top, bottom;
    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Entry {
    int item;
    Range range;
  };
  using Level = std::unordered_map<std::int64_t, std::vector<Entry>>;
  static Range range_of(const Rect& box);
  static std::size_t level_of(const Range& range);
  template <typename Visit>
  static void cells(const Range& range, std::size_t level, const Visit& visit);

  std::vector<Level> levels_;
  mutable std::uint64_t looked_at_ = 0;
};

}  // namespace ergode
