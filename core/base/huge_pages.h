#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace ergode {

/// Memory for `bytes` > 0 bytes; from some megabytes on in great pages, where the system has them: what is looked up
/// all over a large table waits less for the addresses of its pages than for the table itself. @throws std::bad_alloc
void* allocate_huge(std::size_t bytes, std::size_t alignment);
void free_huge(void* memory, std::size_t bytes, std::size_t alignment) noexcept;

/// Memory for one of many tables, each read now and then and all of them at random: lies with the others in great pages
/// once all of them together have a quarter of a megabyte; before that, and above a megabyte, it is as allocate_huge()
/// has it. Begins with a line of the caches. What was freed goes to tables of the same size, and to the system when the
/// last one is freed. Any thread, one at a time: for tables that grow now and then.
/// @param bytes  > 0; the same when it is freed. @throws std::bad_alloc
void* allocate_among_many(std::size_t bytes);
void free_among_many(void* memory, std::size_t bytes) noexcept;

/// Allocator by the first two.
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

/// Allocator by allocate_among_many().
template <typename T>
struct AmongMany {
  using value_type = T;
  AmongMany() = default;
  template <typename U>
  AmongMany(const AmongMany<U>&) noexcept {}  // NOLINT: allocators convert
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_among_many(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_among_many(memory, count * sizeof(T)); }
  bool operator==(const AmongMany&) const { return true; }
};

/// A vector that may become large and is read at random: megabytes of records, by number.
template <typename T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace ergode
