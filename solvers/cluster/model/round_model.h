#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "solvers/cluster/budget/speedup.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/model/host_failures.h"
#include "solvers/cluster/model/job_count.h"
#include "solvers/cluster/model/job_law.h"
#include "solvers/cluster/model/table_names.h"
#include "solvers/cluster/rounds/round_plan.h"
#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode {

/// All round schedulers drawn in a model, the traces that they run and the streams of jobs that come to them: resolved,
/// const, shared by threads. Times in s, rates in 1/s, money in USD, power in W.
struct RoundModel {
  static constexpr std::uint32_t none = ~0U;

  /// What a trace comes to with a table of throughputs.
  struct Workload {
    std::vector<RoundJob> jobs;          ///< not empty, without problems_of()
    std::vector<std::uint32_t> numbers;  ///< by job: its place in the trace
    std::vector<JobProfile> profiles;
    std::vector<RoundJob> left_out;  ///< because their throughput is not known
    std::vector<std::uint32_t> numbers_left_out;
  };
  struct Stream {
    ElementId element;
    std::string name;
    std::uint32_t scheduler = none;
    std::uint32_t of_class = 0;             ///< among those of its scheduler
    std::shared_ptr<const Workload> trace;  ///< null: jobs are drawn
    bool has_rate = false;                  ///< then they come at random with `rate`, else with `gap` between two
    Program rate;                           ///< [1/s]
    std::uint32_t reader = none;
    HandedJobs handed;   ///< of size, gpus, epochs
    HandedOn handed_on;  ///< of response_time, gpus
    JobLaw gap;
    JobLaw size;                         ///< work, as its time on one GPU [s]
    std::optional<Distribution> epochs;  ///< instead of it, of a model that is trained
    Distribution gpus = Distribution::deterministic(1.0);
    std::uint64_t most_jobs = jobs_without_end;  ///< so many come
    Speedup speedup;                             ///< of jobs that train no model of the table
    std::string training;                        ///< model of the table; empty: none
    int batch_size = 1;
    BatchMode mode = BatchMode::fixed;
    std::uint32_t submitted = 0, jobs = 0, gpus_now = 0;  ///< slots
  };
  struct Scheduler {
    ElementId element;
    std::string name;
    std::shared_ptr<const Workload> workload;  ///< its own trace; null: jobs come by streams alone
    std::shared_ptr<const Throughputs> speeds;
    RoundOptions options;  ///< with what jobs save within a round
    HostFailures failures;
    std::uint32_t gpus_per_host = 8;
    PlanOptions plan;  ///< of RoundPolicy::shockwave
    int replan_rounds = 8;
    double unfair_above = 1.05;
    double price_per_s = 0.0, budget_per_s = 0.0;  ///< of a GPU that a round has, of all [USD/s]
    double busy_w = 0.0, idle_w = 0.0;             ///< of a GPU
    HandedOn handed_on;                            ///< of response_time, gpus; of those whose stream has none
    std::vector<std::uint32_t> streams;            ///< in document order
    /// Slots: now, and of all jobs that are done.
    std::uint32_t submitted = 0, jobs = 0, running = 0, gpus = 0, done = 0, rejected = 0;
    std::uint32_t makespan = 0, mean_response_time = 0, worst_fairness = 0, unfair_fraction = 0, utilisation = 0;
    std::uint32_t power = 0, spend = 0;
    std::uint32_t up = 0, host_failures = 0, restarts = 0, lost_work = 0;
    std::uint32_t response_time = none, fairness = none, cost = none;  ///< streams of observations, by class
    std::uint32_t job_lost_work = none, job_restarts = none;           ///< so, too

    bool costs() const { return price_per_s > 0.0 || budget_per_s > 0.0 || busy_w > 0.0 || idle_w > 0.0; }
    /// With so many GPUs of hosts that are down, which draw nothing.
    double power_w(double busy, double away = 0.0) const {
      return busy * busy_w + (options.gpus - busy - away) * idle_w;
    }
    std::uint32_t hosts() const {
      return (static_cast<std::uint32_t>(options.gpus) + gpus_per_host - 1) / gpus_per_host;
    }
    /// Nothing that is drawn or happens elsewhere touches it: its schedule is known before a history begins.
    bool played() const { return streams.empty() && !failures.any(); }
    /// By moments, as published, or by rounds: ShockwavePlanner::Clock.
    bool plans_by_moments() const { return streams.empty() && options.as_published; }
    bool planned() const { return options.policy == RoundPolicy::shockwave; }
    /// Fairness is held against an equal part for all jobs, where it is known how many come; else for those that were
    /// there.
    bool fairness_of_all() const { return streams.empty(); }
  };
  std::vector<Stream> streams;        ///< in document order
  std::vector<Scheduler> schedulers;  ///< in document order
  TableNames tables;

  bool any_played() const {
    return std::any_of(schedulers.begin(), schedulers.end(), [](const Scheduler& one) { return one.played(); });
  }
  bool any_live() const {
    return std::any_of(schedulers.begin(), schedulers.end(), [](const Scheduler& one) { return !one.played(); });
  }
};

}  // namespace ergode
