#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "solvers/cluster/devices/fleet_schedule.h"
#include "solvers/cluster/devices/fleet_variation.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/model/host_failures.h"
#include "solvers/cluster/model/job_count.h"
#include "solvers/cluster/model/job_law.h"
#include "solvers/cluster/model/table_names.h"
#include "solvers/cluster/traces/fleet_trace.h"

namespace ergode {

/// All fleets of GPUs drawn in a model and the streams of jobs that come to them: resolved, const, shared by threads.
/// Times in s, rates in 1/s.
struct FleetModel {
  static constexpr std::uint32_t none = ~0U;

  struct Stream {
    ElementId element;
    std::string name;
    std::uint32_t fleet = none;
    std::uint32_t place = 0;                  ///< among the streams of its fleet
    std::shared_ptr<const FleetTrace> trace;  ///< null: jobs are drawn
    bool has_rate = false;                    ///< then they come at random with `rate`, else with `gap` between two
    Program rate;                             ///< [1/s]
    std::uint32_t reader = none;
    HandedJobs handed;   ///< of size, gpus
    HandedOn handed_on;  ///< of wait, response_time, run_time, gpus
    JobLaw gap, size;
    Distribution gpus = Distribution::deterministic(1.0);
    std::uint64_t most_jobs = jobs_without_end;  ///< so many come
    std::uint32_t of_class = 0;
    std::optional<double> penalty;                        ///< none: that of the class
    std::uint32_t submitted = 0, jobs = 0, gpus_now = 0;  ///< slots

    /// Class and penalty of a job of its trace, where that says nothing, and of those that are drawn.
    void complete(FleetJob& job) const;
    bool ends() const { return trace || (most_jobs != jobs_without_end && !has_rate && !handed.any()); }
  };

  struct Fleet {
    ElementId element;
    std::string name, type;
    std::uint32_t nodes = 16, gpus_per_node = 4;
    double memory_bytes = 0.0;                ///< of a GPU; 0: nobody asks
    double speed = 1.0;                       ///< times as fast as what jobs' times are of
    double price_per_s = 0.0, power_w = 0.0;  ///< of a GPU; power: of one that works
    bool power_said = false;                  ///< else each GPU draws what its variation says, where it says that
    PlacementPolicy placement = PlacementPolicy::pal;
    std::optional<PlacementPolicy> baseline;  ///< that the same jobs and GPUs are run under beside it
    FleetOrder order = FleetOrder::fifo;
    FleetVariation variation;
    HostFailures failures;               ///< of its nodes
    std::vector<std::uint32_t> streams;  ///< in document order
    /// Slots: now, and of jobs that are done.
    std::uint32_t submitted = 0, rejected = 0, jobs = 0, waiting = 0, busy = 0, done = 0, spend = 0, power = 0;
    std::uint32_t makespan = 0, mean_response_time = 0, mean_slowdown = 0, utilisation = 0;
    std::uint32_t baseline_response_time = 0, baseline_slowdown = 0, baseline_makespan = 0, baseline_utilisation = 0;
    std::uint32_t up = 0, host_failures = 0, restarts = 0, lost_work = 0;
    std::uint32_t wait = none, response_time = none, slowdown = none;  ///< streams of observations, by stream of jobs
    std::uint32_t job_lost_work = none, job_restarts = none;           ///< so, too

    std::uint32_t gpus() const { return nodes * gpus_per_node; }
    /// The GPUs of one history and who places jobs on them.
    FleetScheduler scheduler(ByClass<std::vector<double>> slowdowns) const {
      return scheduler(placement, std::move(slowdowns));
    }
    FleetScheduler scheduler(PlacementPolicy policy, ByClass<std::vector<double>> slowdowns) const;
    /// The GPUs that a history has.
    DrawnDevices devices(std::uint64_t seed, std::uint64_t replication) const;
    /// A job as it runs here.
    FleetJob here(FleetJob job) const;
  };

  std::vector<Stream> streams;  ///< in document order
  std::vector<Fleet> fleets;
  TableNames tables;
};

/// The random streams of a replication, named by what they drive.
struct FleetDraws {
  static std::uint64_t key(std::uint64_t seed, ElementId element, const char* purpose);
  RandomStream gaps, sizes, gpus;
  void restart(std::uint64_t seed, const FleetModel::Stream& stream, std::uint64_t replication);
  /// What the next job of the stream is; not when it comes. Of a job that is drawn.
  /// @param slots     World::slots()
  /// @param customer  what is handed over of him; null: nothing
  FleetJob next(const FleetModel::Stream& stream, const double* slots, const double* customer = nullptr);
};

/// All jobs of a fleet whose streams end by themselves, in the order of their arrival, as a history draws them.
struct FleetJobList {
  std::vector<FleetJob> jobs;  ///< as they run there; without those that are rejected
};
/// Nothing where a stream goes on without end, its rate may change, or more than `most` come.
/// @param slots  World::slots() at the begin of that history
std::optional<FleetJobList> fleet_job_list(const FleetModel& model, const FleetModel::Fleet& fleet, std::uint64_t seed,
                                           std::uint64_t replication, const double* slots, std::size_t most);

}  // namespace ergode
