#pragma once
#include <mutex>
#include <vector>

#include "solvers/cluster/iterations/iteration_stepper.h"
#include "solvers/cluster/model/iteration_model.h"

namespace ergode {

/// What one scheduler of iterations made of the jobs of the first history, and its baseline of the same.
struct IterationRecord {
  static constexpr std::size_t most_jobs = 100'000;
  struct From {
    std::uint32_t stream = 0;  ///< of the model
    std::uint64_t number = 0;  ///< among its jobs, from 0
    double lost_s = 0.0;       ///< work
    std::uint32_t restarts = 0;
    bool rejected = false;
  };
  std::vector<IterationJob> jobs;  ///< by row
  std::vector<From> from;          ///< by row
  IterationRun run, baseline;      ///< with outcomes by row
  std::size_t untold = 0;          ///< further jobs
};

/// Records of the schedulers that play no schedule worked out before: written by the thread that runs the first
/// history, read when the run is over. Only who began last writes.
class IterationLog {
 public:
  static constexpr std::uint32_t no_row = ~0U;

  void begin(const void* writer, std::size_t schedulers);
  /// @returns its row; no_row: it has none
  std::uint32_t add(const void* writer, std::uint32_t scheduler, const IterationJob& job, IterationRecord::From from);
  /// Precondition: `row` is no_row or one that add() gave.
  template <typename Change>
  void change(const void* writer, std::uint32_t scheduler, std::uint32_t row, const Change& what) {
    const std::lock_guard lock(mutex_);
    if (writer == writer_ && row != no_row) what(records_[scheduler]);
  }
  std::vector<IterationRecord> records() const;
  /// Jobs that have no row; 0 where nothing was written.
  std::size_t left_out(std::size_t scheduler) const;

 private:
  mutable std::mutex mutex_;
  const void* writer_ = nullptr;
  std::vector<IterationRecord> records_;
};

}  // namespace ergode
