#pragma once
#include <map>
#include <string>

namespace ergode {

/// What tells runs of one model apart: the scenario, "Base" without one, and what was set: "Peak", "lambda = 0.5 /s",
/// "Peak, lambda = 0.5 /s, desk.servers = 3".
std::string run_name(const std::string& scenario, const std::map<std::string, std::string>& overrides);

}  // namespace ergode
