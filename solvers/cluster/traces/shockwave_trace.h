#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/cluster/rounds/round_job.h"

namespace ergode {

/// A trace of training jobs as Shockwave has them: one job a line, twelve cells between tabs
///
///     "Model (batch size b)", command, working folder, argument for steps, whether it needs data, total steps, GPUs,
///     mode (static, accordion, gns), priority, SLO, duration [s], arrival [s]
///
/// in the order of arrivals. Commands, folders, priorities and SLOs are not read.
/// @param file  its name, for messages
/// @returns the jobs (at least one), or RND011: each row that is wrong with the value seen and the value wanted, at
/// most
///     20 of them. O(length)
std::variant<std::vector<RoundJob>, Diagnostics> read_shockwave_trace(std::string_view text, const std::string& file);

/// The trace that reads back as these jobs: what a generator writes. Cells that are not read hold "-".
std::string write_shockwave_trace(const std::vector<RoundJob>& jobs);

}  // namespace ergode
