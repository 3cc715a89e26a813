#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "solvers/cluster/gang/gang_job.h"
#include "solvers/cluster/traces/job_trace.h"

namespace ergode {

/// Jobs of a cluster of GPUs, in the order of their arrival, and all that is wrong with the file. Times in s since the
/// first arrival. What is wrong is left out and told: "a.csv, row 5: num_gpu is '-1', wanted ...".
struct GangTrace {
  std::vector<GangJob> jobs;
  std::vector<std::string> names, kinds;  ///< by job; kinds: the model or application, where the file says
  std::vector<std::uint32_t> rows;        ///< by job: row of the file from 1, empty lines not counted; of a list, place
  std::vector<std::string> users;         ///< by number of GangJob::user, in the order of their first jobs
  bool lengths = true;                    ///< whether the file says how long jobs ran
  /// GPUs are hosts, as the file counts these (Slurm), or processors, of which each is one (SWF, Batsim).
  enum class Unit : std::uint8_t { gpus, processors, hosts } unit = Unit::gpus;
  std::size_t over_limit = 0;                            ///< jobs that ran beyond their time limit, and end at it
  std::size_t without_speed = 0;                         ///< left out, because their throughput is not known
  std::size_t without_gpus = 0, not_run = 0, steps = 0;  ///< left out, because they are no jobs of such a cluster
  std::vector<std::string> problems;                     ///< at most as many as were asked for
  std::size_t untold = 0;                                ///< problems beyond these
};

/// One sentence where the file as a whole cannot be read: no such column, no rows.
using GangTraceOr = std::variant<GangTrace, std::string>;

/// A table in CSV with a header. Columns, in any order and by any of these names, others are passed over:
///
///     job_id, job, name                      unique
///     submit_time, submit, arrival_s, time   s, or 2020-04-01T10:00:00 with a blank for the T and an offset +08:00 if
///                                            wanted; do not fall. Tiresias, Pollux, Helios, Acme
///     num_gpu, gpu_num, num_gpus, gpus, num_replicas   a whole number from 0; jobs without GPUs are left out
///     duration, duration_s                   s, >= 0; else start_time, start and end_time, end; where there is none of
///                                            these lengths are not known
///     user, else vc                          who is treated alike
///     cpu_num, cpus; memory_gib, memory      of the whole job, >= 0
///     model_name, application, type          for people
///
/// @param file  its name, for messages.  @param most  problems told, >= 1.  O(length).
GangTraceOr read_gang_table(std::string_view text, const std::string& file, std::size_t most);

/// Jobs of Microsoft Philly: a list of objects with jobid, vc, submitted_time and attempts, each with start_time,
/// end_time (or start, end) and detail, a list of {ip, gpus}. A job is as wide as its widest attempt and as long as all
/// of its attempts; who has none that began and ended is left out as not run. In any order of submissions.
/// Jeon et al., Analysis of large-scale multi-tenant GPU clusters for DNN training workloads, USENIX ATC 2019.
GangTraceOr read_philly(std::string_view text, const std::string& file, std::size_t most);

/// By the name of the file: .json as Philly, else a table.
GangTraceOr read_gang_trace(std::string_view text, const std::string& file, std::size_t most);

/// Jobs of hosts, or of processors, as jobs of as many GPUs: each as long as on its hosts, its limit included. Times in
/// s since the first submission.
GangTraceOr gang_trace_of(JobTraceOr jobs, GangTrace::Unit unit);
/// What read_job_trace() counts in a file of this name.
GangTrace::Unit unit_of_job_trace(const std::string& file);

/// 2020-04-01T10:00:00 or with a blank for the T, with an offset if one is written (+08:00, Z), in s since 1970 UTC.
/// NaN: no such time.
double moment_of(std::string_view text);

}  // namespace ergode
