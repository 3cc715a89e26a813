#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "solvers/cluster/budget/speedup.h"
#include "solvers/cluster/iterations/iteration_schedule.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/model/host_failures.h"
#include "solvers/cluster/model/job_count.h"
#include "solvers/cluster/model/job_law.h"
#include "solvers/cluster/model/table_names.h"
#include "solvers/cluster/traces/iteration_trace.h"

namespace ergode {

/// All schedulers of iterations drawn in a model with the jobs that they run: resolved, const, shared by threads.
/// Times in s, rates in 1/s, money in USD.
struct IterationModel {
  /// An iteration of no time would never let the clock go on: shorter ones that are drawn take so long [s].
  static constexpr double least_iteration_s = 1e-9;
  static constexpr std::uint32_t none = ~0U;

  struct Stream {
    ElementId element;
    std::string name;
    std::uint32_t scheduler = none;
    std::uint32_t of_class = 0;                   ///< among those of its scheduler
    std::shared_ptr<const IterationTrace> trace;  ///< null: jobs are drawn
    bool has_rate = false;                        ///< then they come at random with `rate`, else with `gap` between two
    Program rate;                                 ///< [1/s]
    std::uint32_t reader = none;
    HandedJobs handed;   ///< of size, gpus, iterations
    HandedOn handed_on;  ///< of response_time, gpus
    JobLaw gap;
    JobLaw size;  ///< work, as its time on one GPU with full backpropagation [s]
    Distribution gpus = Distribution::deterministic(1.0), iterations = Distribution::deterministic(1.0);
    std::uint64_t most_jobs = jobs_without_end;  ///< so many come
    Speedup speedup;
    std::uint32_t submitted = none, jobs = none, gpus_now = none;  ///< slots; none: a trace of the scheduler itself
  };

  struct Scheduler {
    ElementId element;
    std::string name;
    std::shared_ptr<const IterationTrace> trace;  ///< of its own, without iteration_problems(); null: there is none
    IterationOptions options, baseline;
    IterationCosts costs;               ///< of drawn jobs: bytes
    double backward_per_forward = 2.0;  ///< of drawn jobs
    std::vector<double> phi;            ///< of drawn jobs; empty: j / k
    HostFailures failures;
    std::uint32_t gpus_per_host = 1;
    double price_per_s = 0.0;            ///< of a GPU while it computes for a job [USD/s]
    HandedOn handed_on;                  ///< of response_time, gpus; of jobs of its own trace
    std::vector<std::uint32_t> streams;  ///< its own trace first, where it is live
    /// Slots: now, and of all jobs that are done; of the baseline.
    std::uint32_t submitted = 0, jobs = 0, done = 0, rejected = 0, makespan = 0, mean_response_time = 0, busy = 0,
                  network_bytes = 0, peak_memory = 0;
    std::uint32_t baseline_makespan = 0, baseline_response_time = 0, baseline_busy = 0;
    std::uint32_t up = 0, host_failures = 0, restarts = 0, lost_work = 0;
    /// Streams of observations, by stream of jobs.
    std::uint32_t response_time = none, baseline_times = none, cost = none, job_lost_work = none, job_restarts = none;

    std::uint32_t hosts() const { return (options.gpus + gpus_per_host - 1) / gpus_per_host; }
    /// GPUs of a host; the last one may have fewer.
    std::uint32_t gpus_of(std::uint32_t host) const {
      return std::min(gpus_per_host, options.gpus - host * gpus_per_host);
    }
    /// Nothing is drawn and nothing fails: its schedule is worked out once, and every history plays it.
    bool played() const { return streams.empty(); }
  };

  std::vector<Stream> streams;
  std::vector<Scheduler> schedulers;  ///< in document order
  TableNames tables;
};

}  // namespace ergode
