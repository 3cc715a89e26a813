#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/fetch.h"
#include "core/base/huge_pages.h"

namespace ergode {

/// A row of values that grows and shrinks at both ends: O(1) each, in one piece of memory that is never given back.
template <typename T>
class Ring {
 public:
  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  void clear() { head_ = count_ = 0; }
  /// By place from the front.
  T& operator[](std::uint32_t place) { return values_[(head_ + place) & (values_.size() - 1)]; }
  const T& operator[](std::uint32_t place) const { return values_[(head_ + place) & (values_.size() - 1)]; }
  void push_back(const T& value) {
    if (count_ == values_.size()) grow();
    (*this)[count_++] = value;
  }
  void push_front(const T& value) {
    if (count_ == values_.size()) grow();
    head_ = (head_ - 1) & static_cast<std::uint32_t>(values_.size() - 1);
    ++count_;
    (*this)[0] = value;
  }
  T pop_front() {
    const T out = (*this)[0];
    head_ = (head_ + 1) & static_cast<std::uint32_t>(values_.size() - 1);
    --count_;
    return out;
  }
  T pop_back() { return (*this)[--count_]; }
  /// Fetches the cache lines of both ends.
  void prefetch() const {
    if (values_.empty()) return;
    fetch_line(&(*this)[0]), fetch_line(&(*this)[count_]);
  }
  /// Keeps the first ones.
  void shorten(std::uint32_t count) { count_ = count; }
  template <typename Archive>
  void archive(Archive& a) {
    a(values_, head_, count_);
  }

 private:
  void grow() {
    std::vector<T, AmongMany<T>> more(std::max<std::size_t>(8, 2 * values_.size()));
    for (std::uint32_t i = 0; i < count_; ++i) more[i] = (*this)[i];
    values_ = std::move(more);
    head_ = 0;
  }
  std::vector<T, AmongMany<T>> values_;  ///< as many as a power of two
  std::uint32_t head_ = 0, count_ = 0;
};

}  // namespace ergode
