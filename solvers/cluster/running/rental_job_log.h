#pragma once
#include <limits>

#include "solvers/cluster/model/rental_model.h"
#include "solvers/cluster/running/first_history_jobs.h"

namespace ergode {

/// Of a job at a rental (RentalJobLog).
struct RentalJobRow {
  /// When it is done, or the run ends.
  struct Done {
    double end_s = std::numeric_limits<double>::infinity();
    double until_s = 0.0, alone_s = 0.0;  ///< of what is told here; that its work takes with nothing in its way
    double gpu_time_s = 0.0;
    double lost_s = 0.0;              ///< work, as its time on one GPU
    double cost = 0.0;                ///< [USD]
    std::uint32_t interruptions = 0;  ///< by the provider
    std::uint32_t failures = 0;       ///< of its GPUs
    bool waits = false;               ///< its GPUs have been taken
    bool told = false;
  };
  std::uint32_t stream = 0;
  std::uint64_t number = 0;
  double came_s = 0.0;
  /// With so many GPUs of its own; until infinity: it has them yet.
  struct Stretch {
    double from_s = 0.0, to_s = std::numeric_limits<double>::infinity(), gpus = 0.0;
  };
  std::vector<Stretch> stretches;  ///< none where a cluster is shared
  Done done;
};

/// What became of the jobs of rentals in the first history of a run, for the table `jobs`. Who was not done when the
/// history ended has no completion, and what he had until then.
class RentalJobLog : public FirstHistoryJobs<RentalJobRow> {
 public:
  using Done = RentalJobRow::Done;
  void begin(const void* writer, const RentalModel& model);
  std::uint32_t job_comes(const void* writer, std::uint32_t rental, std::uint32_t stream, double now_s);
  void job_takes(const void* writer, std::uint32_t rental, std::uint32_t row, double now_s, double gpus);
  void job_gives(const void* writer, std::uint32_t rental, std::uint32_t row, double now_s);
  void job_done(const void* writer, std::uint32_t rental, std::uint32_t row, const Done& what);
  std::vector<ResultTable> tables(const RentalModel& model, const std::string& solver) const;
};

}  // namespace ergode
