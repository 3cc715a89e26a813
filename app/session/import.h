#pragma once
#include <string>

#include "core/format/model_file.h"

namespace ergode {

/// Reads a model in whatever format its file's extension names: `.dft` is a fault tree in the Galileo format
/// (solvers/reliability/galileo/galileo.h), everything else the project's own.
ReadOutcome read_any_model(const std::string& path);
/// The file is of a format that is imported.
bool is_imported(const std::string& path);

}  // namespace ergode
