#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/study/run_option.h"

namespace ergode {

/// Every option of a run: those that all runs have, then those of each solver's own table (Solver::options()), by name
/// once. The command line's flags, the desktop's form, the checks of their values, the manual and the command that
/// makes a run again all come from it. Solvers registered later are in it from then on.
const std::vector<RunOption>& run_options();

/// Those of them that say how continuous variables are integrated.
std::vector<RunOption> integration_options();

/// Every option that differs from a fresh request's as text; set_run_option() of all of them makes the request again.
std::map<std::string, std::string> run_option_texts(const RunRequest& request);

/// One RUN010 for each option given that the request makes no use of, as --levels without splitting.
/// @param integrates  whether the model has continuous variables or rates that change continuously; true as long as
///                    that is not known
Diagnostics options_without_use(const std::map<std::string, std::string>& given, const RunRequest& request,
                                bool integrates = true);

/// Sets an option from text; nothing, or an error (RUN010) with the value seen and the values wanted.
std::optional<Diagnostic> set_run_option(RunRequest& request, const RunOption& option, std::string_view text);
/// The one of run_options() of this name; nothing, or an error (RUN010) with the value seen and the values wanted.
std::optional<Diagnostic> set_run_option(RunRequest& request, std::string_view name, std::string_view text);

}  // namespace ergode
