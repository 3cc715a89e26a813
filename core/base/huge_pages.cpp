#include "core/base/huge_pages.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ergode {
namespace {

constexpr std::size_t page = std::size_t{2} << 20U, from = 2 * page;

#ifdef __linux__
constexpr int collapse = 25;  // MADV_COLLAPSE of Linux 6.1, which older headers do not have
#endif

bool large(std::size_t bytes) { return bytes >= from; }

constexpr std::size_t line = 64, of_many_from = page / 8, largest_of_many = page / 2;  // bytes

/// Tables of one size, of so many lines, are taken from those of that size that are free, else from the newest slab.
class Stock {
 public:
  void* take(std::size_t bytes) {
    const std::size_t lines = lines_of(bytes);
    const std::lock_guard lock(mutex_);
    void* const out =
        taken_ + lines * line < of_many_from ? ::operator new (bytes, std::align_val_t{line}) : from_slabs(lines);
    taken_ += lines * line;
    return out;
  }
  void give_back(void* memory, std::size_t bytes) noexcept {
    const std::size_t lines = lines_of(bytes);
    const std::lock_guard lock(mutex_);
    taken_ -= lines * line;
    if (in_a_slab(memory)) sizes_.find(lines)->second.free.push_back(memory);
    else ::operator delete (memory, std::align_val_t{line});
    if (taken_ != 0) return;
    sizes_.clear();
    for (char* const one : slabs_) free_huge(one, slab, page);
    slabs_.clear(), left_ = 0;
  }

 private:
  static constexpr std::size_t slab = from;
  static std::size_t lines_of(std::size_t bytes) { return (bytes + line - 1) / line; }
  void* from_slabs(std::size_t lines) {
    Size& same = sizes_[lines];
    if (!same.free.empty()) {
      void* const out = same.free.back();
      same.free.pop_back();
      return out;
    }
    // Room to note that it is free, which must not fail.
    if (same.made == same.free.capacity()) same.free.reserve(2 * same.made + 1);
    if (left_ < lines * line) {
      slabs_.reserve(slabs_.size() + 1);
      newest_ = static_cast<char*>(allocate_huge(slab, page)), left_ = slab;
      slabs_.insert(std::upper_bound(slabs_.begin(), slabs_.end(), newest_, std::less<>()), newest_);
    }
    ++same.made;
    left_ -= lines * line;
    return newest_ + left_;
  }
  bool in_a_slab(const void* memory) const {
    const char* const at = static_cast<const char*>(memory);
    const auto after = std::upper_bound(slabs_.begin(), slabs_.end(), at, std::less<>());
    return after != slabs_.begin() && std::less<>()(at, *std::prev(after) + slab);
  }

  struct Size {
    std::vector<void*> free;
    std::size_t made = 0;  ///< that lie in slabs
  };
  std::mutex mutex_;
  std::size_t taken_ = 0;  ///< bytes
  std::vector<char*> slabs_;
  char* newest_ = nullptr;
  std::size_t left_ = 0;                         ///< bytes of the newest
  std::unordered_map<std::size_t, Size> sizes_;  ///< by lines
};

// Never destroyed: who frees the last table may be a static object too.
Stock& stock() {
  static Stock& one = *new Stock;
  return one;
}

}  // namespace

void* allocate_among_many(std::size_t bytes) {
  return bytes > largest_of_many ? allocate_huge(bytes, line) : stock().take(bytes);
}

void free_among_many(void* memory, std::size_t bytes) noexcept {
  if (bytes > largest_of_many) free_huge(memory, bytes, line);
  else stock().give_back(memory, bytes);
}

void* allocate_huge(std::size_t bytes, std::size_t alignment) {
  if (!large(bytes)) return ::operator new (bytes, std::align_val_t{alignment});
  void* const memory = ::operator new (bytes, std::align_val_t{page});
#ifdef __linux__
  // Advice: where it is not taken nothing else changes. What was freed before and is used again has pages already.
  const std::size_t whole = bytes / page * page;
  madvise(memory, whole, MADV_HUGEPAGE);
  madvise(memory, whole, collapse);
#endif
  return memory;
}

void free_huge(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  ::operator delete (memory, std::align_val_t{large(bytes) ? page : alignment});
}

}  // namespace ergode
