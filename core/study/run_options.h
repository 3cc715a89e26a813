#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/study/solver.h"

namespace ergode {

/// One option of a run. The command line's flags, the checks of their values and the manual all come from this table.
struct RunOptionSpec {
  std::string name;   ///< "replications": --replications
  std::string value;  ///< What stands after it, for the manual: "N"
  std::string default_text;
  std::string help;
};

std::span<const RunOptionSpec> run_option_specs();

/// Every option that differs from a fresh request's as text; set_run_option() of all of them makes the request again.
std::map<std::string, std::string> run_option_texts(const RunRequest& request);

/// One RUN010 for each option given that the request makes no use of, as --levels without splitting.
/// @param integrates  whether the model has continuous variables or rates that change continuously; true as long as
///                    that is not known
Diagnostics options_without_use(const std::map<std::string, std::string>& given, const RunRequest& request,
                                bool integrates = true);

/// Sets the option from text; nothing, or an error (RUN010) with the value seen and the values wanted.
std::optional<Diagnostic> set_run_option(RunRequest& request, std::string_view name, std::string_view text);

}  // namespace ergode
