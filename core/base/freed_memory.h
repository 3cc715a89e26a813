#pragma once

namespace ergode {

/// Asks the allocator to keep what is freed, up to 256 MiB, instead of giving it back to the system: histories free and
/// ask for the same few megabytes again and again, and a page that comes from the system costs a fault, which took half
/// of a run with distributions. For programs, at their beginning; elsewhere than with the GNU library it does nothing.
void keep_freed_memory();

}  // namespace ergode
