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
///
/// Not for two threads at once, reading included (it counts what searches cost). Boxes in scene coordinates; what lies
/// beyond 1e8 pixels counts as lying there, a coordinate that is no number as 0.
class BoxIndex {
 public:
  /// An item may be added at several places; its number means nothing here. O(1).
  void add(int item, const Rect& box);
  /// Forgets the item at the place where it was added; nothing happens when it is not there. O(boxes in its cells).
  void remove(int item, const Rect& box);
  /// Items near the box, each once, ascending. O(cells of the box and boxes in them), never more than all there are.
  /// @param found  is replaced.
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
