#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "solvers/cluster/batch/batch_job.h"
#include "solvers/cluster/batch/job_chain.h"
#include "solvers/cluster/batch/learned_provisioner.h"
#include "solvers/cluster/devices/fleet_variation.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/model/host_failures.h"
#include "solvers/cluster/model/job_count.h"
#include "solvers/cluster/model/job_law.h"
#include "solvers/cluster/model/table_names.h"
#include "solvers/cluster/traces/job_trace.h"

namespace ergode {

/// All pools of hosts drawn in a model, the streams of jobs that come to them and the provisioners beside them:
/// resolved, const, shared by threads. Times in s, rates in 1/s.
struct BatchModel {
  static constexpr std::uint32_t none = ~0U;

  /// The policies of BatchPolicy, and a scheduler on a clock of minutes in the way of Slurm (MinuteCluster).
  enum class Policy : std::uint8_t { fifo, sjf, easy, conservative, slurm };
  enum class Decider : std::uint8_t { reactive, average, quantile, random_forest, gradient_boosting, policy_gradient };

  struct Stream {
    ElementId element;
    std::string name;
    std::uint32_t pool = none;
    std::uint32_t of_class = 0;             ///< place among the streams of its pool
    std::shared_ptr<const JobTrace> trace;  ///< null: jobs are drawn
    bool has_rate = false;                  ///< then they come at random with `rate`, else with `gap` between two
    Program rate;                           ///< [1/s]
    std::uint32_t reader = none;
    HandedJobs handed;            ///< of size, limit, hosts
    HandedOn handed_on;           ///< of wait, response_time, run_time, hosts
    JobLaw gap, size;             ///< [s]
    std::optional<JobLaw> limit;  ///< [s]; none: jobs are not ended
    Distribution hosts = Distribution::deterministic(1.0);
    std::uint64_t most_jobs = jobs_without_end;       ///< so many come
    std::uint32_t submitted = 0, jobs = 0, gpus = 0;  ///< slots
  };

  struct Pool {
    ElementId element;
    std::string name;
    std::uint32_t hosts = 1;
    std::uint32_t accelerators = 1;  ///< of each host
    std::string type;                ///< of the accelerators; for people
    double speed = 1.0;              ///< times as fast as what jobs' times are of
    double memory_bytes = 0.0;       ///< of an accelerator; 0: nobody asks
    FleetVariation variation;        ///< how accelerators differ, for class A; a job waits for the slowest of its own
    Policy policy = Policy::easy;
    MinuteRules minute;                  ///< of slurm
    std::vector<std::uint32_t> streams;  ///< in document order
    std::uint32_t provisioner = none;
    HostFailures failures;
    std::uint32_t up = 0, host_failures = 0, restarts = 0, lost_work = 0, useful_work = 0, used_time = 0;  ///< slots
    std::uint32_t job_lost_work = none, job_restarts = none;  ///< streams of observations, by stream of jobs
    Background background;                                    ///< on_its_trace(): its jobs
    std::uint32_t submitted = 0, jobs = 0, waiting = 0, busy = 0, gpus = 0, killed = 0, rejected = 0;  ///< slots
    std::uint32_t power = 0, spend = 0;                                                                ///< slots
    std::uint32_t wait = none, response_time = none, slowdown = none;  ///< streams of observations, by stream of jobs
    double price_per_s = 0.0;                                          ///< of a host that a job has [USD/s]
    double busy_w = 0.0, idle_w = 0.0;  ///< of a host, and of one that is up and has no job [W]

    /// When its jobs start and end is known before anything is drawn, where they come by a trace.
    bool drawn() const { return failures.any() || failures.checkpoints() || variation.any(); }
    /// Jobs know which hosts they have.
    bool numbered() const { return failures.any() || variation.any(); }
    /// Its accelerators in a history, those of host 0 first; of hosts without any one each, which is the host.
    DrawnDevices devices(std::uint64_t seed, std::uint64_t replication) const;
    std::uint32_t devices_of_host() const { return accelerators == 0 ? 1 : accelerators; }
    bool costs() const { return price_per_s > 0.0 || busy_w > 0.0 || idle_w > 0.0; }
    bool by_minutes() const { return policy == Policy::slurm; }
    /// Of the others. Precondition: not by minutes.
    BatchPolicy scheduling() const { return static_cast<BatchPolicy>(policy); }
  };

  /// Keeps a service alive by a chain of jobs. A replication is one start of it, on an empty cluster.
  struct Service {
    ElementId element;
    std::string name;
    std::uint32_t pool = none;
    Decider decider = Decider::reactive;
    double level = 0.99;   ///< of quantile
    ChainWeights weights;  ///< what its tables count, and a policy gradient learns from
    ChainLessons lessons;  ///< of those that learn
    ChainRules rules;
    double first_start_s = 0.0, start_period_s = 14400.0;  ///< on the clock of the trace; whole minutes
    std::uint32_t starts = 1;
    Provisioner provisioner;
    std::uint32_t interruption = none, overlap = none, wait = none;  ///< streams of observations

    bool learns() const { return decider >= Decider::random_forest; }
    std::int64_t begin_s(std::uint64_t start) const {
      return static_cast<std::int64_t>(first_start_s + static_cast<double>(start % starts) * start_period_s);
    }
  };

  std::vector<Stream> streams;  ///< in document order
  std::vector<Pool> pools;
  std::vector<Service> services;
  TableNames tables;

  /// The only stream of a pool whose jobs come by a trace, where it has no other; null otherwise.
  const Stream* traced(const Pool& pool) const {
    return pool.streams.size() == 1 && streams[pool.streams[0]].trace ? &streams[pool.streams[0]] : nullptr;
  }
  /// What becomes of its jobs depends on nothing that is drawn: their table is worked out from the trace.
  bool known_beforehand(const Pool& pool) const { return traced(pool) != nullptr && !pool.drawn(); }
  /// A clock of minutes that knows all jobs beforehand, because they come by one trace and nothing is drawn: the
  /// published simulator as it stands. Else minutes are ticks of the clock that all share.
  bool on_its_trace(const Pool& pool) const { return pool.by_minutes() && known_beforehand(pool); }
  bool by_ticks(const Pool& pool) const { return pool.by_minutes() && !on_its_trace(pool); }
  const Service* service_of(const Pool& pool) const {
    return pool.provisioner == none ? nullptr : &services[pool.provisioner];
  }
};

}  // namespace ergode
