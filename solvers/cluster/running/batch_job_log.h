#pragma once
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/batch_model.h"

namespace ergode {

/// What became of the jobs of pools in the first history of a run, for the table `jobs` where it is not worked out from
/// a trace beforehand: written by the thread that runs it, read when the run is over. Of each pool the first
/// `most_jobs` that come.
class BatchJobLog {
 public:
  static constexpr std::size_t most_jobs = 100'000;
  static constexpr std::uint32_t no_row = ~0U;
  enum class Outcome : std::uint8_t { waits, begun, completed, killed, rejected };

  /// A history that is written down begins. Whoever wrote before is forgotten, and what he says is passed over.
  void begin(const void* writer, const BatchModel& model);
  /// @param rejected  it wants more hosts than the pool has
  /// @returns its row, to be told what becomes of it; no_row: it has none. Amortised O(1).
  std::uint32_t job_comes(const void* writer, std::uint32_t pool, std::uint32_t stream, const BatchJob& job,
                          bool rejected);
  /// @name Of a row that job_comes() gave for this pool. O(1).
  /// @{
  void job_starts(const void* writer, std::uint32_t pool, std::uint32_t row, double now_s);
  /// @param held_s  since it got its hosts, @param lost_s  work [s]
  void job_is_stopped(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s, double lost_s);
  void job_leaves(const void* writer, std::uint32_t pool, std::uint32_t row, double held_s, double now_s, bool killed);
  /// @}
  /// One for each pool to which somebody came, jobs in the order in which they came.
  std::vector<ResultTable> tables(const BatchModel& model, const std::string& solver) const;

 private:
  struct Row {
    std::uint32_t stream = 0;
    std::uint64_t number = 0;  ///< among those of its stream
    BatchJob job;
    double start_s = std::numeric_limits<double>::infinity(), end_s = start_s;
    double held_s = 0.0;  ///< its hosts, all attempts together
    double lost_s = 0.0;
    std::uint32_t restarts = 0;
    Outcome outcome = Outcome::waits;
  };
  struct Pool {
    std::vector<Row> rows;
    std::size_t untold = 0;       ///< further jobs
    bool told_otherwise = false;  ///< BatchModel::known_beforehand()
  };
  Row* row_of(const void* writer, std::uint32_t pool, std::uint32_t row);

  mutable std::mutex mutex_;
  const void* writer_ = nullptr;
  std::vector<Pool> pools_;
  std::vector<std::uint64_t> came_;  ///< by stream
};

}  // namespace ergode
