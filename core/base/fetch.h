#pragma once

namespace ergode {

/// Asks for the line of the caches in which `where` lies, because it will be needed soon; nothing is read or changed,
/// and any address will do. Worth it where many such lines are far apart and it is known some hundred instructions
/// before which will be needed.
///
/// GCC 12 takes a function that does nothing but `__builtin_prefetch` for one without any effect, and leaves calls of
/// it out without a word, unless it was inlined before it looked; the empty statement of machine code is an effect.
[[gnu::always_inline]] inline void fetch_line(const void* where) noexcept {
  __builtin_prefetch(where);
  __asm__ volatile("");
}

}  // namespace ergode
