#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/cluster/devices/fleet_schedule.h"

namespace ergode {

/// Jobs of a fleet of GPUs as a file has them.
struct FleetTrace {
  static constexpr std::uint32_t no_class = ~0U;
  std::vector<FleetJob> jobs;      ///< in the order of the file, which is that of submission; of_class may be
                                   ///< no_class and penalty NaN: the file does not say
  std::vector<std::string> names;  ///< by job
};

/// Reads a CSV file whose first row names its columns: arrival_s (or submit_time, time), gpus (or num_gpu, num_gpus)
/// and run_s (or duration, duration_s) at least; job (or job_id, name: once each), class (A ... D), locality_penalty as
/// there are. Tiresias' lists of jobs are read as they are. Times in s.
/// @returns the jobs, at least one, or what is wrong, DEV014: all rows, the first twenty told. O(length).
std::variant<FleetTrace, Diagnostics> read_fleet_trace(std::string_view text, const std::string& file);

/// "A" ... "D", in either case. Nothing for other words.
std::optional<std::uint32_t> application_class(std::string_view word);
inline constexpr const char* application_class_names[application_classes] = {"A", "B", "C", "D"};

}  // namespace ergode
