#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/rounds/round_plan.h"
#include "solvers/cluster/rounds/round_simulation.h"

namespace ergode {

/// All round schedulers drawn in a model with the traces that they run: resolved, const, shared by threads.
struct RoundModel {
  static constexpr std::uint32_t none = ~0U;

  /// What a trace and a table of throughputs come to.
  struct Workload {
    std::vector<RoundJob> jobs;          ///< not empty, without problems_of()
    std::vector<std::uint32_t> numbers;  ///< by job: its place in the trace
    std::vector<JobProfile> profiles;
    Throughputs speeds;
    std::vector<RoundJob> left_out;  ///< because their throughput is not known
    std::vector<std::uint32_t> numbers_left_out;
  };
  struct Scheduler {
    ElementId element;
    std::string name;
    std::shared_ptr<const Workload> workload;
    RoundOptions options;
    PlanOptions plan;  ///< of RoundPolicy::shockwave
    int replan_rounds = 8;
    double unfair_above = 1.05;
    double price_per_s = 0.0, budget_per_s = 0.0;  ///< of a GPU that a round has, of all [USD/s]
    double busy_w = 0.0, idle_w = 0.0;             ///< of a GPU
    HandedOn handed_on;                            ///< of response_time, gpus
    /// Slots: now, and of all jobs that are done.
    std::uint32_t jobs = 0, running = 0, gpus = 0, done = 0;
    std::uint32_t makespan = 0, mean_response_time = 0, worst_fairness = 0, unfair_fraction = 0, utilisation = 0;
    std::uint32_t power = 0, spend = 0;
    std::uint32_t response_time = none, fairness = none, cost = none;  ///< streams of observations

    bool costs() const { return price_per_s > 0.0 || budget_per_s > 0.0 || busy_w > 0.0 || idle_w > 0.0; }
    double power_w(double busy) const { return busy * busy_w + (options.gpus - busy) * idle_w; }
  };
  std::vector<Scheduler> schedulers;  ///< in document order
};

}  // namespace ergode
