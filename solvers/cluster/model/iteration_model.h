#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "solvers/cluster/iterations/iteration_schedule.h"
#include "solvers/cluster/model/handed_jobs.h"
#include "solvers/cluster/traces/iteration_trace.h"

namespace ergode {

/// All schedulers of iterations drawn in a model with the jobs that they run: resolved, const, shared by threads.
struct IterationModel {
  static constexpr std::uint32_t none = ~0U;
  struct Scheduler {
    ElementId element;
    std::string name;
    std::shared_ptr<const IterationTrace> trace;  ///< without iteration_problems()
    IterationOptions options, baseline;
    double price_per_s = 0.0;  ///< of a GPU while it computes for a job [USD/s]
    HandedOn handed_on;        ///< of response_time, gpus
    /// Slots: now, and of all jobs that are done; of the baseline when all are.
    std::uint32_t jobs = 0, done = 0, makespan = 0, mean_response_time = 0, busy = 0, network_bytes = 0,
                  peak_memory = 0;
    std::uint32_t baseline_makespan = 0, baseline_response_time = 0, baseline_busy = 0;
    std::uint32_t response_time = none;  ///< stream of observations
  };
  std::vector<Scheduler> schedulers;  ///< in document order
};

}  // namespace ergode
