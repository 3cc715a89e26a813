#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "solvers/cluster/batch/batch_job.h"

namespace ergode {

/// Jobs that a cluster has seen, in the order of their submission, and all that is wrong with the rows of the file.
/// Times in s since the time zero of the file. What is wrong is left out and told: "a.csv, row 5: NNodes is '0', wanted
/// ...".
struct JobTrace {
  std::vector<BatchJob> jobs;
  std::vector<std::string> names;   ///< by job
  std::vector<std::uint32_t> rows;  ///< by job: row of the file, from 1, empty lines not counted; of a JSON list, place
  std::vector<double> recorded_wait_s;  ///< by job: what the file says it waited; NaN: nothing
  std::vector<std::string> users;       ///< by job; empty: the file does not say
  /// Time zero, in s since 1970-01-01T00:00:00 on the clock of the file; NaN: the file does not say.
  double zero_s = std::numeric_limits<double>::quiet_NaN();
  std::size_t seen = 0;  ///< jobs in the file, those with problems included
  /// Left out, because they are no jobs that ran: cancelled, waiting or running ones, those of unknown length, and
  /// steps of jobs.
  std::size_t not_run = 0, steps = 0;
  std::vector<std::string> problems;  ///< at most as many as were asked for
  std::size_t untold = 0;             ///< problems beyond these

  static constexpr double end_of_calendar_s = 1e11;  ///< some 3,000 years
  bool calendar() const { return std::isfinite(zero_s); }
  /// "2023-03-01T00:00:00" where there is a calendar, else the seconds.
  std::string moment_text(double time_s) const;
};

/// One sentence where the file as a whole cannot be read: no such column, no rows.
using JobTraceOr = std::variant<JobTrace, std::string>;

/// "a.swf: 12 jobs never ran, or it does not say how long; they are left out." Empty: nobody is.
std::string left_out_text(const std::string& file, std::size_t not_run, std::size_t steps,
                          std::size_t without_gpus = 0);

/// Accounts of Slurm, as `sacct -X` writes them: a header, then a row for each job, its cells between bars, commas, or
/// blanks with a row of dashes below the header. Columns, in any order, others are passed over:
///
///     JobID                                            unique; steps of jobs ("7.batch") are left out
///     Submit, Start, End                               2023-02-27T01:16:44; submissions do not fall; who has not
///                                                      started or ended (Unknown, None) is left out
///     TimelimitRaw, TimelimitR, TimelimitR_min         min, above 0; or Timelimit: [days-]hours:minutes:seconds;
///                                                      UNLIMITED: none
///     NNodes                                           >= 1
///     User                                             who is treated alike, where there is one
///
/// Time zero is the midnight before the first submission. A job that ran beyond its limit was killed there.
/// @param file  its name, for messages.  @param most  problems told, >= 1.  O(length).
JobTraceOr read_sacct(std::string_view text, const std::string& file, std::size_t most);

/// The standard workload format, version 2.2: 18 numbers a row, comments behind semicolons (Chapin et al., Benchmarks
/// and standards for the evaluation of parallel job schedulers, 1999). Read are the job's number, submission, wait, run
/// time, processors (requested, else allocated), requested time, status and user; -1 is unknown. Who has no known run
/// time or number of processors is left out, and so is who was cancelled (status 5) before he got any; without a
/// requested time there is no limit. A processor is a host. UnixStartTime is time zero. Parameters and cost as above.
JobTraceOr read_swf(std::string_view text, const std::string& file, std::size_t most);

/// A workload of Batsim: a JSON object with `jobs` (id, subtime, walltime, res, profile) and `profiles`. Delays are
/// known times, and so are sequences of them; profiles that compute or communicate need a platform and are problems. Of
/// equal submission time are first the lesser identifiers, as numbers where they are numbers.
/// Poquet, Simulation approach for resource management, 2017. Parameters and cost as above.
JobTraceOr read_batsim(std::string_view text, const std::string& file, std::size_t most);

/// Whether it is one of these rather than a trace of jobs with GPUs: by its ending .swf, an object of JSON, or a first
/// line that names JobID. O(first line).
bool is_job_trace(std::string_view text, const std::string& file);

/// By the ending of the file's name: .swf, .json (Batsim), anything else as accounts of Slurm.
JobTraceOr read_job_trace(std::string_view text, const std::string& file, std::size_t most);

}  // namespace ergode
