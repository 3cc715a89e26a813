#include "core/base/freed_memory.h"

#include <cstdlib>  // says which library it is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ergode {

void keep_freed_memory() {
#ifdef __GLIBC__
  // Setting one stops both from adapting by themselves; blocks above the second, its greatest, are the system's.
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

}  // namespace ergode
