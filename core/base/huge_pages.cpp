#include "core/base/huge_pages.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ergode {
namespace {

constexpr std::size_t page = std::size_t{2} << 20U, from = 2 * page;

bool large(std::size_t bytes) { return bytes >= from; }

}  // namespace

void* allocate_huge(std::size_t bytes, std::size_t alignment) {
  if (!large(bytes)) return ::operator new (bytes, std::align_val_t{alignment});
  void* const memory = ::operator new (bytes, std::align_val_t{page});
#ifdef __linux__
  madvise(memory, bytes / page * page, MADV_HUGEPAGE);  // Advice: where it is not taken nothing else changes.
#endif
  return memory;
}

void free_huge(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  ::operator delete (memory, std::align_val_t{large(bytes) ? page : alignment});
}

}  // namespace ergode
