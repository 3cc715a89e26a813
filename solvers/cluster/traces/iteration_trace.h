#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/cluster/iterations/iteration_schedule.h"

namespace ergode {

/// Training jobs as a file has them.
struct IterationTrace {
  std::vector<IterationJob> jobs;  ///< in the order of the file, which is that of arrival
  std::vector<std::string> names;
};

/// What holds where a file does not say.
struct IterationDefaults {
  double backward_per_forward = 2.0;  ///< T_b / T_f, of files that have the time of whole iterations
  double parameter_bytes = 1.4e9, activation_bytes = 0.0, optimiser_bytes = 0.0;
};

/// Reads a CSV file whose first row names its columns: arrival_s (or submit_time), iterations, workers (or num_gpu) and
/// forward_s with backward_s, or duration (of all iterations, alone on its GPUs); as there are job (or job_id; once),
/// parameter_bytes, activation_bytes, optimiser_bytes and phi (shares with blanks between). Tiresias' lists of jobs are
/// read as they are.
/// @returns at least one job, or what is wrong, ITR011: all rows, the first twenty told. O(length).
std::variant<IterationTrace, Diagnostics> read_iteration_trace(std::string_view text, const std::string& file,
                                                               const IterationDefaults& defaults);

/// Shares with commas or blanks between, perhaps in brackets, each from 0 to 1; nothing where they are something else.
std::optional<std::vector<double>> parse_shares(std::string_view text);

}  // namespace ergode
