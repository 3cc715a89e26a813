#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/fetch.h"
#include "core/base/huge_pages.h"

namespace ergode {

/// Memory for a heap: the second element begins a line of the caches, so that four of them, from there on, lie in as
/// few lines as they can.
template <typename T>
struct HeapMemory {
  using value_type = T;
  static constexpr std::size_t line = 64, before = (line - sizeof(T) % line) % line;
  static_assert(alignof(T) <= line);
  HeapMemory() = default;
  template <typename U>
  HeapMemory(const HeapMemory<U>&) noexcept {}  // NOLINT: allocators convert
  T* allocate(std::size_t count) {
    return reinterpret_cast<T*>(static_cast<char*>(allocate_among_many(before + count * sizeof(T))) + before);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    free_among_many(reinterpret_cast<char*>(memory) - before, before + count * sizeof(T));
  }
  bool operator==(const HeapMemory&) const { return true; }
};

/// A heap with the least on top and four below each, in one piece of memory that is never given back. Elements are
/// compared by `>`, in an order in which no two are equal; so which comes next does not depend on how they stand here.
/// O(log size) to push and to pop, and the top may be replaced in one go. Four below each are half as many steps down
/// as two, and stand in two lines of the caches. LaMarca and Ladner, The Influence of Caches on the Performance of
/// Heaps, ACM J. Experimental Algorithmics 1, 1996.
template <typename T>
class Heap {
 public:
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }
  const T& front() const { return values_[0]; }
  /// @name Of many heaps that are far away, one step some time before the next
  /// @{
  /// Fetches what pop() reads on a level: 0 the top and those below it, 1 those below the least of these, and so on.
  /// What is above that level has been fetched.
  void prefetch_level(int level) const {
    std::size_t place = 0;
    for (; level > 0 && below(place) < count_; --level) place = least_of(below(place));
    const std::size_t first = place == 0 ? 0 : below(place), end = std::min(count_, below(place) + 4);
    // Every line in which one of them lies: what is left out is what the event will wait for.
    if (first < end) fetch(first, end);
  }
  /// Fetches who stands last, with whom pop() begins.
  void prefetch_last() const {
    if (count_ != 0) fetch(count_ - 1, count_);
  }
  /// Fetches what push() reads and writes most often: the free place, two above it, and the top, to which whoever comes
  /// is compared.
  void prefetch_push() const {
    if (count_ == 0) return;
    const std::size_t parent = above(count_);
    if (count_ < values_.size()) fetch(count_, count_ + 1);
    fetch(parent, parent + 1), fetch(0, 1);
    if (parent != 0) fetch(above(parent), above(parent) + 1);
  }
  /// @}
  /// In no particular order.
  const T& operator[](std::size_t place) const { return values_[place]; }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + count_; }

  [[gnu::always_inline]] void push(T value) {
    if (count_ == values_.size()) [[unlikely]]
      values_.resize(std::max<std::size_t>(1, 2 * values_.size()));
    rise(count_++, value);
  }
  /// Takes the top away; there is one.
  void pop() {
    if (--count_ != 0) sink(0, values_[count_]);
  }
  /// pop() and push().
  [[gnu::always_inline]] void replace_front(T value) { sink(0, value); }
  /// Takes away whoever stands there.
  void take_out(std::size_t place) {
    if (place == --count_) return;
    const T last = values_[count_];
    if (place != 0 && values_[above(place)] > last) rise(place, last);
    else sink(place, last);
  }
  /// Keeps those of whom `counts` is true. O(size).
  template <typename Counts>
  void keep(Counts&& counts) {
    const auto end = values_.begin() + static_cast<std::ptrdiff_t>(count_);
    count_ = static_cast<std::size_t>(std::remove_if(values_.begin(), end, [&](const T& one) { return !counts(one); }) -
                                      values_.begin());
    for (std::size_t place = (count_ + 2) / 4; place-- > 0;) {
      const T value = values_[place];
      sink(place, value);
    }
  }
  template <typename Archive>
  void archive(Archive& a) {
    a(values_, count_);
  }

 private:
  static constexpr std::size_t line = HeapMemory<T>::line;
  static std::size_t above(std::size_t place) { return (place - 1) / 4; }  // of the top: somewhere
  static std::size_t below(std::size_t place) { return 4 * place + 1; }    // the first of four
  void fetch(std::size_t first, std::size_t end) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(values_.data() + first) / line;
    const auto last = (reinterpret_cast<std::uintptr_t>(values_.data() + end) - 1) / line;
    for (std::uintptr_t at = begin; at <= last; ++at) fetch_line(reinterpret_cast<const void*>(at * line));
  }
  std::size_t lesser(std::size_t a, std::size_t b) const { return values_[a] > values_[b] ? b : a; }
  /// Of those, up to four, who stand there. All four are compared in pairs, which do not wait for each other.
  std::size_t least_of(std::size_t first) const {
    if (first + 4 <= count_) return lesser(lesser(first, first + 1), lesser(first + 2, first + 3));
    std::size_t least = first;
    while (++first < count_) least = lesser(least, first);
    return least;
  }
  // Puts the value at the free place or, for those above that are greater, higher. Both inlined by order: a value just
  // made, passed in memory, would be read in greater pieces than it was written, and wait for that.
  [[gnu::always_inline]] void rise(std::size_t place, T value) {
    while (place != 0 && values_[above(place)] > value) {
      values_[place] = values_[above(place)];
      place = above(place);
    }
    values_[place] = value;
  }
  [[gnu::always_inline]] void sink(std::size_t place, T value) {
    while (below(place) < count_) {
      const std::size_t least = least_of(below(place));
      if (!(value > values_[least])) break;
      values_[place] = values_[least];
      place = least;
    }
    values_[place] = value;
  }

  std::vector<T, HeapMemory<T>> values_;  ///< memory for more than there are
  std::size_t count_ = 0;
};

}  // namespace ergode
