#pragma once

namespace ergode_child {

/// Loads a library and does what the messages on standard input say until they end.
/// @param messages  descriptor to which answers are written, a line each
/// @returns exit code: 0, or 3 where the library cannot be used (a message says why)
int serve_library(const char* path, int messages);

}  // namespace ergode_child
