#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include "core/base/byte_archive.h"
#include "solvers/queueing/running/block.h"

namespace ergode {

/// A heap with the least on top and four below each. The top stands here, so that whoever has the heap at hand has it
/// too, and a heap of one needs no memory; the others stand in one piece of memory that is never given back, in which
/// the first four begin a line of the caches. Elements are compared by `>`, in an order in which no two are equal; so
/// which comes next does not depend on how they stand here.
/// O(log size) to push and to pop, and the top may be replaced in one go. Four below each are half as many steps down
/// as two, and stand in two lines of the caches. LaMarca and Ladner, The Influence of Caches on the Performance of
/// Heaps, ACM J. Experimental Algorithmics 1, 1996.
template <typename T>
class Heap : private Block<T> {
 public:
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }
  const T& front() const { return top_; }
  /// @name Of many heaps that are far away, one step some time before the next
  /// @{
  /// Fetches what pop() reads on a level: 0 those below the top, 1 those below the least of these, and so on. What is
  /// above that level has been fetched.
  void prefetch_level(int level) const {
    std::size_t place = 0;
    for (; level > 0 && below(place) < count_; --level) place = least_of(below(place));
    const std::size_t first = below(place), end = std::min<std::size_t>(count_, first + 4);
    // Every line in which one of them lies: what is left out is what the event will wait for.
    if (first < end) Memory::fetch(first - 1, end - 1);
  }
  /// Fetches who stands last, with whom pop() begins.
  void prefetch_last() const {
    if (count_ > 1) Memory::fetch(count_ - 2, count_ - 1);
  }
  /// Fetches what push() reads and writes most often: the free place and two above it.
  void prefetch_push() const {
    std::size_t place = count_;
    if (place > Memory::size()) return;
    for (int i = 0; i < 3 && place != 0; ++i, place = above(place)) Memory::fetch(place - 1, place);
  }
  /// @}
  /// In no particular order, but always the same after the same calls.
  const T& operator[](std::size_t place) const { return place == 0 ? top_ : rest(place); }
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    Iterator() = default;
    Iterator(const Heap* of, std::size_t place) : of_(of), place_(place) {}
    const T& operator*() const { return (*of_)[place_]; }
    const T* operator->() const { return &(*of_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    Iterator operator++(int) { return {of_, place_++}; }
    bool operator==(const Iterator&) const = default;
    std::size_t place() const { return place_; }

   private:
    const Heap* of_ = nullptr;
    std::size_t place_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, count_}; }

  [[gnu::always_inline]] void push(T value) {
    if (count_ > Memory::size()) [[unlikely]]
      Memory::grow(std::max(4U, 2 * Memory::size()));
    rise(count_++, value);
  }
  /// Takes the top away; there is one.
  void pop() {
    if (--count_ != 0) sink_from_top(rest(count_));
  }
  /// pop() and push().
  [[gnu::always_inline]] void replace_front(T value) { sink_from_top(value); }
  /// Takes away whoever stands there.
  void take_out(std::size_t place) {
    if (place == --count_) return;
    const T last = rest(count_);
    if (place != 0 && (*this)[above(place)] > last) rise(place, last);
    else sink(place, last);
  }
  /// Keeps those of whom `counts` is true. O(size).
  template <typename Counts>
  void keep(Counts&& counts) {
    std::uint32_t kept = 0;
    for (std::uint32_t place = 0; place < count_; ++place) {
      const T value = (*this)[place];
      if (counts(value)) at(kept++) = value;
    }
    count_ = kept;
    for (std::size_t place = (count_ + 2) / 4; place-- > 0;) {
      const T value = (*this)[place];
      sink(place, value);
    }
  }
  template <typename Archive>
  void archive(Archive& a) {
    std::vector<T> all(begin(), end());
    a(all);
    if constexpr (!std::is_same_v<Archive, ByteWriter>) {
      // They stood in order already, so each stays where he is put.
      clear();
      for (const T& one : all) push(one);
    }
  }

 private:
  using Memory = Block<T>;
  static std::size_t above(std::size_t place) { return (place - 1) / 4; }  // of the top: somewhere
  static std::size_t below(std::size_t place) { return 4 * place + 1; }    // the first of four
  /// Whoever is not the top.
  T& rest(std::size_t place) { return Memory::operator[](place - 1); }
  const T& rest(std::size_t place) const { return Memory::operator[](place - 1); }
  T& at(std::size_t place) { return place == 0 ? top_ : rest(place); }
  std::size_t lesser(std::size_t a, std::size_t b) const { return rest(a) > rest(b) ? b : a; }
  /// Of those, up to four, who stand there. All four are compared in pairs, which do not wait for each other.
  std::size_t least_of(std::size_t first) const {
    if (first + 4 <= count_) return lesser(lesser(first, first + 1), lesser(first + 2, first + 3));
    std::size_t least = first;
    while (++first < count_) least = lesser(least, first);
    return least;
  }
  // Puts the value at the free place or, for those above that are greater, higher. All inlined by order: a value just
  // made, passed in memory, would be read in greater pieces than it was written, and wait for that.
  [[gnu::always_inline]] void rise(std::size_t place, T value) {
    while (place > 4 && rest(above(place)) > value) {
      rest(place) = rest(above(place));
      place = above(place);
    }
    if (place > 4) {
      rest(place) = value;
    } else if (place == 0) {
      top_ = value;
    } else if (top_ > value) {
      rest(place) = top_;
      top_ = value;
    } else {
      rest(place) = value;
    }
  }
  [[gnu::always_inline]] void sink_from_top(T value) {
    if (count_ > 1)
      if (const std::size_t least = least_of(1); value > rest(least)) {
        top_ = rest(least);
        return sink_below(least, value);
      }
    top_ = value;
  }
  [[gnu::always_inline]] void sink_below(std::size_t place, T value) {
    while (below(place) < count_) {
      const std::size_t least = least_of(below(place));
      if (!(value > rest(least))) break;
      rest(place) = rest(least);
      place = least;
    }
    rest(place) = value;
  }
  void sink(std::size_t place, T value) {
    if (place == 0) sink_from_top(value);
    else sink_below(place, value);
  }

  std::uint32_t count_ = 0;
  T top_{};
};

}  // namespace ergode
