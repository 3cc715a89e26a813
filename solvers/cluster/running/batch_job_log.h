#pragma once
#include <limits>
#include <utility>
#include <vector>

#include "solvers/cluster/model/batch_model.h"
#include "solvers/cluster/running/first_history_jobs.h"
#include "solvers/cluster/running/job_state.h"

namespace ergode {

/// Of a job at a pool (BatchJobLog).
struct BatchJobRow {
  std::uint32_t stream = 0;
  std::uint64_t number = 0;
  BatchJob job;
  double start_s = std::numeric_limits<double>::infinity(), end_s = start_s;
  double since_s = 0.0;                           ///< when it last got its hosts
  std::vector<std::pair<double, double>> before;  ///< from when to when it had hosts in attempts that lost one
  double held_s = 0.0;                            ///< its hosts, all attempts that are over together
  double lost_s = 0.0;                            ///< of its work
  std::uint32_t restarts = 0;
  double slowdown = 1.0;  ///< of the hosts that it had last
  JobState state = JobState::waiting;
};

/// What became of the jobs of pools in the first history of a run, for the table `jobs` where it is not worked out from
/// a trace beforehand (BatchModel::known_beforehand()): then nobody tells of any.
class BatchJobLog : public FirstHistoryJobs<BatchJobRow> {
 public:
  void begin(const void* writer, const BatchModel& model);
  /// @param rejected  it wants more hosts than the pool has
  std::uint32_t job_comes(const void* writer, std::uint32_t pool, std::uint32_t stream, const BatchJob& job,
                          bool rejected);
  /// @param slowdown  of its hosts
  void job_starts(const void* writer, std::uint32_t pool, std::uint32_t row, double slowdown, double now_s);
  /// @param held_s  since it got its hosts, @param lost_s  work [s]
  void job_is_stopped(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s, double lost_s);
  void job_leaves(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s, double now_s, bool killed);
  /// @param end_s  of the run [s]: who runs then has held his hosts so long
  std::vector<ResultTable> tables(const BatchModel& model, const std::string& solver, double end_s) const;
};

}  // namespace ergode
