#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/byte_archive.h"
#include "solvers/queueing/running/block.h"

namespace ergode {

/// A row of values that grows and shrinks at both ends: O(1) each, in one piece of memory that is never given back.
template <typename T>
class Ring : private Block<T> {
 public:
  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  void clear() { head_ = count_ = 0; }
  /// By place from the front.
  T& operator[](std::uint32_t place) { return Memory::operator[]((head_ + place) & (Memory::size() - 1)); }
  const T& operator[](std::uint32_t place) const { return Memory::operator[]((head_ + place) & (Memory::size() - 1)); }
  void push_back(const T& value) {
    if (count_ == Memory::size()) grow();
    (*this)[count_++] = value;
  }
  void push_front(const T& value) {
    if (count_ == Memory::size()) grow();
    head_ = (head_ - 1) & (Memory::size() - 1);
    ++count_;
    (*this)[0] = value;
  }
  T pop_front() {
    const T out = (*this)[0];
    head_ = (head_ + 1) & (Memory::size() - 1);
    --count_;
    return out;
  }
  T pop_back() { return (*this)[--count_]; }
  /// Fetches the cache line of whom pop_front() takes, where there has ever been one.
  void prefetch_first() const {
    if (Memory::size() != 0) fetch_line(&(*this)[0]);
  }
  /// Fetches that of the place behind the last one.
  void prefetch_behind() const {
    if (Memory::size() != 0) fetch_line(&(*this)[count_]);
  }
  /// Keeps the first ones.
  void shorten(std::uint32_t count) { count_ = count; }
  template <typename Archive>
  void archive(Archive& a) {
    std::vector<T> all(count_);
    for (std::uint32_t i = 0; i < count_; ++i) all[i] = (*this)[i];
    a(all);
    if constexpr (!std::is_same_v<Archive, ByteWriter>) {
      clear();
      for (const T& one : all) push_back(one);
    }
  }

 private:
  using Memory = Block<T>;  ///< as many as a power of two
  void grow() {
    const std::uint32_t before = Memory::size();
    Memory::grow(std::max(8U, 2 * before));
    // Those who stood before the front, round the end, now stand behind the others.
    for (std::uint32_t i = 0; i < head_; ++i) Memory::operator[](before + i) = Memory::operator[](i);
  }
  std::uint32_t head_ = 0, count_ = 0;
};

}  // namespace ergode
