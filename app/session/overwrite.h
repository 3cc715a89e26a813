#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace ergode {

/// What a command may put its output upon.
struct OverwriteRule {
  bool force = false;                    ///< the user said so: any file but models and stores
  bool models = false;                   ///< with `force`: models too, because the command makes models
  std::vector<std::string> inputs = {};  ///< files that the command reads: never these
};

/// Why `path` must not be overwritten (FMT009); nothing when it may be: when there is no such file, when it is no
/// regular file (a pipe, a device), or when it was made by this program as output. Models and result stores are
/// nobody's output: they hold work. Names of stores, and of what the database keeps beside them (-wal, -shm, -journal),
/// are refused whether there is such a file or not. Links are followed. Reads a few kilobytes.
std::optional<Diagnostic> refuse_overwrite(const std::string& path, const OverwriteRule& rule);

}  // namespace ergode
