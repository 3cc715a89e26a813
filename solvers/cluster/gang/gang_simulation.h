#pragma once
#include <functional>
#include <vector>

#include "solvers/cluster/gang/gang_scheduler.h"

namespace ergode {

/// What became of one job. Times in s.
struct GangOutcome {
  double start_s = GangOptions::unlimited;  ///< when it first had GPUs; infinity: never, it does not fit on the cluster
  double end_s = GangOptions::unlimited;
  double gpu_time_s = 0.0;  ///< that it had, restarts included [GPU s]
  double waited_s = 0.0;    ///< without GPUs
  bool runs = false;        ///< it had GPUs when the schedule ended
  std::uint32_t preemptions = 0;
  std::uint32_t failures = 0;  ///< times that it has lost a host
  double lost_s = 0.0;         ///< work that it lost so
};

/// A job on GPUs of hosts that are neighbours without interruption.
struct GangStretch {
  std::uint32_t host = 0, last_host = 0, job = 0;
  std::uint32_t gpus = 0;  ///< of all these hosts together: of each as many
  double from_s = 0.0, to_s = 0.0;
};

struct GangSchedule {
  std::vector<GangOutcome> jobs;       ///< by place in the list of jobs; of those who have come
  std::vector<GangStretch> stretches;  ///< in the order in which they end; none of equi
  std::uint64_t events = 0;
  double begin_s = 0.0, end_s = 0.0;  ///< first arrival, last end, of those who fit; at most until_s
  double busy_gpu_s = 0.0, free_gpu_s = 0.0, stranded_gpu_s = 0.0;  ///< over that time [GPU s]
};

/// Runs all jobs on one cluster from their arrival on, until all are done that fit on it, or until a moment: whatever
/// happens at it has happened, and who is there then has what he had so far.
///
/// @param jobs  in the order of arrival
/// @param look     called every few events; what it throws ends the simulation
/// @param until_s  [s]
/// O(jobs) times what decisions cost; memory O(jobs).
GangSchedule simulate_gang(const std::vector<GangJob>& jobs, const GangOptions& options,
                           const std::function<void()>& look = {}, double until_s = GangOptions::unlimited);

}  // namespace ergode
