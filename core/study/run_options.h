#pragma once
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

/// Sets the option from text; nothing, or an error (RUN010) with the value seen and the values wanted.
std::optional<Diagnostic> set_run_option(RunRequest& request, std::string_view name, std::string_view text);

}  // namespace ergode
