#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "solvers/cluster/iterations/partial_backpropagation.h"

namespace ergode {

/// A data-parallel training job.
struct IterationJob {
  double arrival_s = 0.0;
  std::uint64_t iterations = 1;  ///< >= 1
  std::uint32_t workers = 1;     ///< one GPU each
  IterationCosts costs;
  std::vector<double> phi;  ///< shares of its workers; empty: j / k
  template <typename Archive>
  void archive(Archive& a) {
    a(arrival_s, iterations, workers, costs.forward_s, costs.backward_s, costs.parameter_bytes, costs.optimiser_bytes,
      costs.activation_bytes, phi);
  }
};

/// Who runs an iteration, and where.
///
///     jigsaw        jobs share GPUs; an iteration's pieces are packed one by one, the longest on the GPU that is free
///                   first, without a common begin; shares as given
///     time_slicing  jobs share GPUs; all pieces of an iteration begin together; full backpropagation
///     fifo_gang     a job has its GPUs alone until it is done, first come first served; full backpropagation
///     srtf_gang     after each iteration the jobs with the least time left have the GPUs; full backpropagation
///
/// Jobs that share GPUs are ordered by least attained service (GPU time, of equal ones by arrival). The packing is an
/// assumption after the abstract of arXiv 2111.10672: of two candidates the second goes first where the first would
/// leave more GPU time idle before its pieces.
enum class IterationPolicy : std::uint8_t { jigsaw, time_slicing, fifo_gang, srtf_gang };

struct IterationOptions {
  IterationPolicy policy = IterationPolicy::jigsaw;
  std::uint32_t gpus = 4;
  bool partial = true;  ///< jigsaw: shares as given; else all are 1
  bool rotate = true;   ///< shares go round the workers, one place each iteration, so that data are treated alike
  double memory_bytes = std::numeric_limits<double>::infinity();  ///< of a GPU
  double bytes_per_s = std::numeric_limits<double>::infinity();   ///< of the network, each worker
  // Where GPUs may go (IterationStepper): what jobs save, of full iterations, and where they wait again.
  double checkpoint_period_s = std::numeric_limits<double>::infinity();
  double checkpoint_cost_s = 0.0, restart_s = 0.0;
  bool before_all = true;                                    ///< before those who have not begun
  std::size_t most_spans = 0;                                ///< pieces that are kept
  double until_s = std::numeric_limits<double>::infinity();  ///< nothing is told of what comes after it
};

/// One piece of an iteration on one GPU.
struct IterationSpan {
  std::uint32_t gpu = 0, job = 0, worker = 0;  ///< worker from 0
  std::uint64_t iteration = 0;
  double phi = 1.0;
  double start_s = 0.0, forward_end_s = 0.0, end_s = 0.0;
};

struct IterationOutcome {
  double start_s = std::numeric_limits<double>::infinity(), end_s = start_s;
  double gpu_s = 0.0;  ///< computed
  bool runs = false;   ///< until_s finds it at work
  double bytes = 0.0;  ///< gradients that all workers had computed and sent or were sending
  template <typename Archive>
  void archive(Archive& a) {
    a(start_s, end_s, gpu_s, runs, bytes);
  }
};
struct IterationRun {
  std::vector<IterationOutcome> jobs;
  double makespan_s = 0.0;  ///< from the first arrival to the last end
  double mean_jct_s = 0.0;
  double busy = 0.0;  ///< GPU time computed, of all GPUs in the makespan
  double bytes = 0.0;
  double peak_memory_bytes = 0.0;  ///< of the GPU that has most
  std::uint64_t iterations = 0;
  std::vector<IterationSpan> spans;  ///< the first ones, in the order of their iterations' acceptance
};

/// Why jobs cannot be run, one sentence each (job by place, value seen and wanted); empty: they can. At most
/// `most_iterations` together.
inline constexpr std::uint64_t most_iterations = 20'000'000;
std::vector<std::string> iteration_problems(std::span<const IterationJob> jobs, const IterationOptions& options);

/// Runs all jobs to their ends, or until a moment: of those who are not done then it says what they had so far, and
/// nothing of all. GPUs compute one piece at a time; gradients travel while others compute, but where a
/// job has its GPUs alone or begins together they stand until all have arrived. Idle residents of a GPU keep parameters
/// and the optimiser's state there, the one that computes gradients and activations too; a job is let in where that
/// fits whoever computes. Precondition: no iteration_problems(). O(iterations (k log k + jobs)).
IterationRun run_iterations(std::span<const IterationJob> jobs, const IterationOptions& options);

}  // namespace ergode
