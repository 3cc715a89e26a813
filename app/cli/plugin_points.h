#pragma once
#include <string>
#include <vector>

#include "core/study/run_request.h"
#include "plugins/host/discovery.h"

namespace ergode::cli {

/// `ergode plugins run NAME --points FILE`: runs the plugin once for each row of a table and prints the table as CSV
/// with a column more for each measure, so that whoever learns from measurements can measure with any plugin. Columns
/// whose header names a parameter set it, in the parameter's unit where a cell is a plain number; others stay as they
/// are. A row that fails ends it; those before it are printed.
/// @param measures  names of outputs; empty: the plugin's first
/// @returns exit code; messages were printed
int measure_points(const FoundPlugin& plugin, const RunRequest& request, const std::string& file,
                   const std::vector<std::string>& measures);

}  // namespace ergode::cli
