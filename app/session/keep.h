#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/results/result_set.h"

namespace ergode {

/// Folder of what this program remembers of its user: $XDG_STATE_HOME/ergode, or ~/.local/state/ergode.
std::string state_folder();

/// Where runs were kept, and what went wrong on the way there.
struct Kept {
  std::string store;        ///< empty: nowhere
  Diagnostics diagnostics;  ///< RES013 (warning): kept elsewhere; errors: nowhere
};

/// Where runs go when the store at `path` cannot be written: a store of the same name in the state folder, in a folder
/// of its own for each folder of models, `<state folder>/runs/<folder>-<hash of its whole path>/`.
std::string second_store(const std::string& path);

/// Adds finished runs to the store at `path`. Where one of them cannot be written (a read-only
/// folder, a full disk), all are kept in second_store(path), so that hours of work are not lost.
/// Waits for the disk, and up to 10 s for a store that another program writes.
/// @param runs  each with an id that the store has not; kept in this order.
Kept keep_runs(const std::string& path, const std::vector<std::shared_ptr<const ResultSet>>& runs);

}  // namespace ergode
