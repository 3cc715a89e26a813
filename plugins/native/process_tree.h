#pragma once
#include <sys/types.h>

namespace ergode {

/// Kills all that descends from a living process, but not that one: also what has left its group and its session. Who
/// has lost his parents belongs to the nearest above him that is a subreaper (PR_SET_CHILD_SUBREAPER), which `of`
/// should be; it should start nobody meanwhile, nor ask how they ended. Reads /proc at least twice: O(processes of the
/// machine), some milliseconds; waits until they are gone, at most a second. Nothing where there is no /proc.
void kill_descendants(pid_t of);

}  // namespace ergode
