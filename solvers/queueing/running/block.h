#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/base/fetch.h"
#include "core/base/huge_pages.h"

namespace ergode {

/// Memory of one of many small tables (allocate_among_many()), which begins with a line of the caches: elements are
/// what was last put there. Twelve bytes, behind which its owner has room for a count: a record that stands in a few
/// lines has two such tables in the place of one vector and its count. Moves, is not copied.
template <typename T>
class Block {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  Block() = default;
  Block(Block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_);
    return *this;
  }
  ~Block() {
    if (data_ != nullptr) free_among_many(data_, size_ * sizeof(T));
  }
  std::uint32_t size() const { return size_; }
  T& operator[](std::size_t place) { return data_[place]; }
  const T& operator[](std::size_t place) const { return data_[place]; }
  /// Room for so many > size(); those who are there stay. @throws std::bad_alloc
  void grow(std::uint32_t size) {
    T* const more = static_cast<T*>(allocate_among_many(size * sizeof(T)));
    std::copy(data_, data_ + size_, more);
    std::fill(more + size_, more + size, T());
    if (data_ != nullptr) free_among_many(data_, size_ * sizeof(T));
    data_ = more, size_ = size;
  }
  /// Fetches all lines in which those from `first` on, up to `end`, lie; `first` < `end`.
  void fetch(std::size_t first, std::size_t end) const {
    constexpr std::size_t line = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(data_ + first) / line;
    const auto last = (reinterpret_cast<std::uintptr_t>(data_ + end) - 1) / line;
    for (std::uintptr_t at = begin; at <= last; ++at) fetch_line(reinterpret_cast<const void*>(at * line));
  }

 private:
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace ergode
