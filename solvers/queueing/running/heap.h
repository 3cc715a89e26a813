#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ergode {

/// A binary heap with the least on top, in one piece of memory that is never given back. Elements are compared by `>`,
/// in an order in which no two are equal; so which comes next does not depend on how they stand here. O(log size) to
/// push and to pop, and the top may be replaced in one go.
template <typename T>
class Heap {
 public:
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }
  const T& front() const { return values_[0]; }
  void prefetch() const { __builtin_prefetch(values_.data(), 1); }
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
    if (place != 0 && values_[(place - 1) / 2] > last) rise(place, last);
    else sink(place, last);
  }
  /// Keeps those of whom `counts` is true. O(size).
  template <typename Counts>
  void keep(Counts&& counts) {
    const auto end = values_.begin() + static_cast<std::ptrdiff_t>(count_);
    count_ = static_cast<std::size_t>(std::remove_if(values_.begin(), end, [&](const T& one) { return !counts(one); }) -
                                      values_.begin());
    for (std::size_t place = count_ / 2; place-- > 0;) {
      const T value = values_[place];
      sink(place, value);
    }
  }
  template <typename Archive>
  void archive(Archive& a) {
    a(values_, count_);
  }

 private:
  // Puts the value at the free place or, for those above that are greater, higher. Both inlined by order: a value just
  // made, passed in memory, would be read in greater pieces than it was written, and wait for that.
  [[gnu::always_inline]] void rise(std::size_t place, T value) {
    while (place != 0 && values_[(place - 1) / 2] > value) {
      values_[place] = values_[(place - 1) / 2];
      place = (place - 1) / 2;
    }
    values_[place] = value;
  }
  [[gnu::always_inline]] void sink(std::size_t place, T value) {
    for (std::size_t child = 2 * place + 1; child < count_; child = 2 * place + 1) {
      if (child + 1 < count_ && values_[child] > values_[child + 1]) ++child;
      if (!(value > values_[child])) break;
      values_[place] = values_[child];
      place = child;
    }
    values_[place] = value;
  }

  std::vector<T> values_;  ///< memory for more than there are
  std::size_t count_ = 0;
};

}  // namespace ergode
