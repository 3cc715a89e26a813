#pragma once
#include <string>

namespace ergode {

/// Name of this machine; "unknown" when it has none.
std::string host_name();

/// This process as "host:pid:start", and whether such a process still runs: its start tells it from another that was
/// given the same number. Of another machine nobody can tell; its processes count as gone.
std::string this_process();
bool process_alive(const std::string& owner);

}  // namespace ergode
