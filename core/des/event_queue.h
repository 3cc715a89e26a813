#pragma once
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

namespace ergode {

/// Future event list over timers 0 .. n-1, each armed for at most one time: an indexed 4-ary min-heap.
///
/// Equal times come out in the order of their ids, so give ids in document order. Times are finite numbers or plus
/// infinity (armed, but after everything else); never NaN. No allocation after resize().
/// Costs: next() and next_time() constant; schedule(), cancel() and pop() O(log armed). A linear scan over the armed
/// timers was measured against the heap and lost from about eight timers on, and gained under 3 ns below.
class EventQueue {
 public:
  EventQueue() = default;
  explicit EventQueue(std::uint32_t timers) { resize(timers); }

  /// Sets the number of timers and disarms all of them.
  void resize(std::uint32_t timers) {
    place_.assign(timers, absent);
    heap_.assign(timers, Entry{});
    size_ = 0;
  }
  /// Disarms every timer; costs O(armed).
  void clear() noexcept {
    for (std::uint32_t i = 0; i < size_; ++i) place_[heap_[i].id] = absent;
    size_ = 0;
  }

  /// Arms timer `id` for `time`, or moves it there.
  void schedule(std::uint32_t id, double time) noexcept {
    assert(id < place_.size() && time == time);
    const Entry entry{time, id};
    std::uint32_t hole = place_[id];
    if (hole == absent) {
      rise(size_++, entry);
    } else if (before(entry, heap_[hole])) {
      rise(hole, entry);
    } else {
      sink(hole, entry);
    }
  }
  /// Disarms timer `id`; nothing happens when it is not armed.
  void cancel(std::uint32_t id) noexcept {
    assert(id < place_.size());
    const std::uint32_t hole = place_[id];
    if (hole == absent) return;
    place_[id] = absent;
    const Entry last = heap_[--size_];
    if (hole == size_) return;
    if (hole > 0 && before(last, heap_[parent(hole)])) rise(hole, last);
    else sink(hole, last);
  }

  bool armed(std::uint32_t id) const noexcept { return place_[id] != absent; }
  /// When timer `id` goes off; infinity when it is not armed.
  double time_of(std::uint32_t id) const noexcept {
    return place_[id] != absent ? heap_[place_[id]].time : std::numeric_limits<double>::infinity();
  }
  bool empty() const noexcept { return size_ == 0; }
  std::uint32_t size() const noexcept { return size_; }
  /// The timer that goes off next; only when not empty.
  std::uint32_t next() const noexcept {
    assert(size_ > 0);
    return heap_[0].id;
  }
  /// The time of next(); infinity when empty.
  double next_time() const noexcept { return size_ > 0 ? heap_[0].time : std::numeric_limits<double>::infinity(); }
  /// Disarms next() and returns it; only when not empty.
  std::uint32_t pop() noexcept {
    assert(size_ > 0);
    const std::uint32_t id = heap_[0].id;
    place_[id] = absent;
    if (--size_ > 0) sink(0, heap_[size_]);
    return id;
  }

 private:
  struct Entry {
    double time = 0.0;
    std::uint32_t id = 0;
  };
  static constexpr std::uint32_t absent = 0xffffffffU;

  static bool before(const Entry& a, const Entry& b) noexcept {
    return a.time < b.time || (a.time == b.time && a.id < b.id);
  }
  static std::uint32_t parent(std::uint32_t i) noexcept { return (i - 1) / 4; }
  void put(std::uint32_t at, const Entry& entry) noexcept {
    heap_[at] = entry;
    place_[entry.id] = at;
  }
  void rise(std::uint32_t hole, const Entry& entry) noexcept {
    while (hole > 0 && before(entry, heap_[parent(hole)])) {
      put(hole, heap_[parent(hole)]);
      hole = parent(hole);
    }
    put(hole, entry);
  }
  void sink(std::uint32_t hole, const Entry entry) noexcept {
    for (;;) {
      const std::uint32_t first = 4 * hole + 1;
      if (first >= size_) break;
      const std::uint32_t end = first + 4 < size_ ? first + 4 : size_;
      std::uint32_t best = first;
      for (std::uint32_t child = first + 1; child < end; ++child)
        if (before(heap_[child], heap_[best])) best = child;
      if (!before(heap_[best], entry)) break;
      put(hole, heap_[best]);
      hole = best;
    }
    put(hole, entry);
  }

  std::vector<std::uint32_t> place_;  ///< timer -> index in heap_, or absent
  std::vector<Entry> heap_;
  std::uint32_t size_ = 0;
};

}  // namespace ergode
