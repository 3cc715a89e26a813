#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "solvers/cluster/gang/gang_job.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/model/host_failures.h"
#include "solvers/cluster/model/job_count.h"
#include "solvers/cluster/model/job_law.h"
#include "solvers/cluster/model/table_names.h"
#include "solvers/cluster/traces/gang_trace.h"

namespace ergode {

/// All clusters of GPUs under a scheduler of gangs drawn in a model, and the streams of jobs that come to them:
/// resolved, const, shared by threads. Times in s, rates in 1/s, money in USD, power in W.
struct GangModel {
  static constexpr std::uint32_t none = ~0U;

  struct Stream {
    ElementId element;
    std::string name;
    std::uint32_t cluster = none;
    std::uint32_t of_class = 0;              ///< place among the streams of its cluster
    std::shared_ptr<const GangTrace> trace;  ///< null: jobs are drawn
    bool has_rate = false;                   ///< then they come at random with `rate`, else with `gap` between two
    Program rate;                            ///< [1/s]
    std::uint32_t reader = none;
    HandedJobs handed;   ///< of size, gpus, cpus, memory
    HandedOn handed_on;  ///< of wait, response_time, run_time, gpus
    JobLaw gap;
    JobLaw size;  ///< work, as its time on one GPU [s]
    Distribution gpus = Distribution::deterministic(1.0);
    double cpus = 0.0, memory = 0.0;             ///< of a job
    std::uint64_t most_jobs = jobs_without_end;  ///< so many come
    Speedup speedup;
    std::uint32_t submitted = 0, jobs = 0, gpus_now = 0;  ///< slots

    /// Its jobs are customers of a queueing network as they come: no cluster is between.
    bool passes() const { return cluster == none && handed_on.any(); }
  };

  struct Cluster {
    ElementId element;
    std::string name;
    GangOptions options;  ///< with the speedups of its streams, and what jobs save
    HostFailures failures;
    std::string type;                    ///< of GPU; for people
    double speed = 1.0;                  ///< times as fast as what jobs' times are of
    double price_per_s = 0.0;            ///< of a GPU that a job has [USD/s]
    double budget_per_s = 0.0;           ///< to be spent [USD/s]; 0: none is said
    double busy_w = 0.0, idle_w = 0.0;   ///< of a GPU [W]
    std::vector<std::uint32_t> streams;  ///< in document order
    std::uint32_t submitted = 0, jobs = 0, waiting = 0, gpus = 0, free = 0, stranded = 0, preemptions = 0, done = 0,
                  rejected = 0, power = 0, makespan = 0;                            ///< slots
    std::uint32_t up = 0, host_failures = 0, restarts = 0, lost_work = 0;           ///< slots
    std::uint32_t response_time = none, wait = none, slowdown = none, cost = none;  ///< streams, by stream of jobs
    std::uint32_t job_lost_work = none, job_restarts = none;                        ///< so, too

    std::uint32_t hosts() const { return (options.gpus + options.gpus_per_host - 1) / options.gpus_per_host; }
    /// What the GPUs draw when so many are busy and so many belong to hosts that are down, which draw nothing [W].
    double power_w(double busy, double away) const { return busy * busy_w + (options.gpus - busy - away) * idle_w; }
  };

  std::vector<Stream> streams;  ///< in document order
  std::vector<Cluster> clusters;
  TableNames tables;

  /// Whether all of its jobs come by traces and no host fails: then nothing of it is drawn.
  bool traced(const Cluster& cluster) const {
    if (cluster.failures.any()) return false;
    for (const std::uint32_t s : cluster.streams)
      if (!streams[s].trace) return false;
    return !cluster.streams.empty();
  }
  /// Of a job of a stream: as its scheduler sees it. Users of several streams are told apart by `first_user`.
  GangJob seen(const Cluster& cluster, std::uint32_t stream, GangJob job) const {
    job.speedup = streams[stream].of_class;
    job.work_s /= cluster.speed;
    for (const std::uint32_t s : cluster.streams) {
      if (s == stream) break;
      job.user += streams[s].trace ? static_cast<std::uint32_t>(streams[s].trace->users.size()) : 1U;
    }
    return job;
  }
};

}  // namespace ergode
