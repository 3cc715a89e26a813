#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace ergode {

/// Where what is written to `path` lies: links followed, also where their end does not exist yet. A path that is no
/// link, and one of a circle of links, stays as it is.
std::string link_end(const std::string& path);

/// Replaces the file at `path` by `text`, wholly or not at all: written beside it, forced to disk, renamed over it.
/// Links are followed, and a file made where a dangling one points, as the shell's `>` does; permissions of an earlier
/// file are kept; a device or a pipe is written to directly.
/// @returns nothing, or RES001 with the path and the system's reason (disk full, no permission ...); the earlier file
///          is then as it was and nothing is left beside it.
/// Blocks until the disk has it: milliseconds to seconds.
std::optional<Diagnostic> write_file_atomically(const std::string& path, std::string_view text);

}  // namespace ergode
