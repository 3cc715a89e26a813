#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace ergode {

/// Memory for `bytes` > 0 bytes; from some megabytes on in great pages, where the system has them: what is looked up
/// all over a large table waits less for the addresses of its pages than for the table itself. @throws std::bad_alloc
void* allocate_huge(std::size_t bytes, std::size_t alignment);
void free_huge(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

/// Allocator by the two above.
template <typename T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) noexcept {}  // NOLINT: allocators convert
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_huge(count * sizeof(T), alignof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_huge(memory, count * sizeof(T), alignof(T)); }
  bool operator==(const HugePages&) const { return true; }
};

/// A vector that may become large and is read at random: megabytes of records, by number.
template <typename T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace ergode
