#pragma once
#include <limits>

#include "solvers/cluster/model/fleet_model.h"
#include "solvers/cluster/running/first_history_jobs.h"
#include "solvers/cluster/running/job_state.h"

namespace ergode {

/// Of a job at a fleet of GPUs (FleetJobLog).
struct FleetJobRow {
  std::uint32_t stream = 0;
  std::uint64_t number = 0;
  FleetJob job;
  double start_s = std::numeric_limits<double>::infinity(), end_s = start_s;
  /// With its GPUs from when to when until it lost a node.
  struct Stretch {
    double from_s = 0.0, to_s = 0.0;
    std::vector<std::uint32_t> gpus;
  };
  std::vector<Stretch> before;
  double since_s = start_s;  ///< that it has those it has now; infinity: none
  double lost_s = 0.0;       ///< work, on median GPUs
  double slowdown = 1.0;
  std::uint32_t nodes = 0;
  std::vector<std::uint32_t> gpus;
  bool rejected = false;
};

/// What became of the jobs of fleets in the first history of a run, for the table `jobs`.
class FleetJobLog : public FirstHistoryJobs<FleetJobRow> {
 public:
  void begin(const void* writer, const FleetModel& model);
  /// @param job       as it runs here; as it came where it is rejected
  /// @param rejected  it wants more GPUs than there are
  std::uint32_t job_comes(const void* writer, std::uint32_t fleet, std::uint32_t stream, const FleetJob& job,
                          bool rejected);
  void job_starts(const void* writer, std::uint32_t fleet, std::uint32_t row, const FleetScheduler::Started& how,
                  double now_s);
  void job_loses_node(const void* writer, std::uint32_t fleet, std::uint32_t row, double now_s, double lost_s);
  void job_leaves(const void* writer, std::uint32_t fleet, std::uint32_t row, double now_s);
  /// @param end_s  of the run [s]: who runs then has held his GPUs so long
  std::vector<ResultTable> tables(const FleetModel& model, const std::string& solver, double end_s) const;
};

}  // namespace ergode
