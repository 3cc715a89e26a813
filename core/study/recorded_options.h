#pragma once
#include <map>
#include <span>
#include <string>

#include "core/study/run_option.h"

namespace ergode {

/// How options stand, for the record of a run (Provenance::options): each that means something to the request
/// (RunOption::applies), by its name with _ for -, as text; where nothing was said, its default or what the default is
/// called ("the solver's"). O(options).
void record_options(std::span<const RunOption> options, const RunRequest& request,
                    std::map<std::string, std::string>& into);

/// When a run that samples ends, under the same names for every solver: replications, confidence, precision,
/// wall_time_s.
/// @param waits         whether some measure is waited for
/// @param replications  what the model or the plugin says, where nobody else does
void record_stopping(const RunRequest& request, bool waits, const std::string& replications,
                     std::map<std::string, std::string>& into);

}  // namespace ergode
