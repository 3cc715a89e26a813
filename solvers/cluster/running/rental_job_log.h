#pragma once
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/rental_model.h"

namespace ergode {

/// What became of the jobs of rentals in the first history of a run, for the table `jobs`: written by the thread that
/// runs it, read when the run is over. Of each rental the first `most_jobs` that come.
class RentalJobLog {
 public:
  static constexpr std::size_t most_jobs = 100'000;
  static constexpr std::uint32_t no_row = ~0U;
  /// A job when it is done.
  struct Done {
    double end_s = std::numeric_limits<double>::infinity(), gpu_time_s = 0.0;
    double lost_s = 0.0;  ///< work, as its time on one GPU
    double cost = 0.0;    ///< [USD]
    std::uint32_t interruptions = 0;
  };

  /// A history that is written down begins. Whoever wrote before is forgotten, and what he says is passed over.
  void begin(const void* writer, const RentalModel& model);
  /// The next job of a stream comes. @returns its row, to be told when it is done. Amortised O(1).
  std::uint32_t job_comes(const void* writer, std::uint32_t rental, std::uint32_t stream, double now_s);
  /// Precondition: of a row that job_comes() gave for this rental. O(1).
  void job_done(const void* writer, std::uint32_t rental, std::uint32_t row, const Done& what);
  /// One for each rental to which somebody came, jobs in the order in which they came; who was not done when the
  /// history ended has no completion.
  std::vector<ResultTable> tables(const RentalModel& model, const std::string& solver) const;

 private:
  struct Row {
    std::uint32_t stream = 0;
    std::uint64_t number = 0;  ///< among those of its stream
    double came_s = 0.0;
    Done done;
  };
  struct Rental {
    std::vector<Row> rows;
    std::size_t untold = 0;  ///< further jobs
  };
  mutable std::mutex mutex_;
  const void* writer_ = nullptr;
  std::vector<Rental> rentals_;
  std::vector<std::uint64_t> came_;  ///< by stream
};

}  // namespace ergode
