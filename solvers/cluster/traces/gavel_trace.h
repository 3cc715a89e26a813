#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/cluster/rounds/round_job.h"

namespace ergode {

/// A trace of training jobs as Gavel has them: one job a line, seven cells between tabs
///
///     "Model (batch size b)", command, argument for steps, whether it needs data, total steps, arrival [s], GPUs
///
/// in the order of arrivals. Batch sizes stay as
/// they are, and no duration is listed.
/// Narayanan, Santhanam, Kazhamiaka, Phanishayee and Zaharia, Heterogeneity-aware cluster scheduling policies for deep
/// learning workloads, OSDI 2020.
/// @returns as read_shockwave_trace(), RND011 too.
std::variant<std::vector<RoundJob>, Diagnostics> read_gavel_trace(std::string_view text, const std::string& file);

/// Whether the first row has seven cells between tabs.
bool is_gavel_trace(std::string_view text);

/// Whichever of the two a text is, told by the number of cells of its first row; of another number it is refused as a
/// trace of Shockwave.
std::variant<std::vector<RoundJob>, Diagnostics> read_training_trace(std::string_view text, const std::string& file);

}  // namespace ergode
