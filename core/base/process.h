#pragma once
#include <cstdint>
#include <string>

namespace ergode {

/// Name of this machine; "unknown" when it has none.
std::string host_name();

/// Half of what this process may have: of the machine's memory, or of the limit set for the process or its container
/// when that is less [bytes]. Read once.
/// Looked at are the RAM (4 GB where it is not known), RLIMIT_AS, RLIMIT_DATA and memory.max of the control group.
std::uint64_t memory_share();

/// This process as "host:pid:start".
std::string this_process();
/// Whether such a process still runs: its start tells it from another that was given the same number. Of another
/// machine nobody can tell; its processes count as gone, as do texts of another form. Reads /proc: where there is none,
/// every process counts as gone.
bool process_alive(const std::string& owner);

}  // namespace ergode
