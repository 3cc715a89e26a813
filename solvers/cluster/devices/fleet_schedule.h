#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solvers/cluster/devices/gpu_placement.h"

namespace ergode {

/// One job of a fleet of GPUs.
struct FleetJob {
  double submit_s = 0.0;
  double run_s = 0.0;  ///< on median GPUs of one node, > 0
  std::uint32_t gpus = 1;
  std::uint32_t of_class = 0;  ///< of application
  double penalty = 1.0;        ///< on several nodes, >= 1
};

/// Who begins when not all fit.
///
///     fifo       first come first served: who does not fit stops those behind
///     first_fit  in the order of arrival, whoever fits
enum class FleetOrder : std::uint8_t { fifo, first_fit };

/// Jobs of a fleet in the order of their arrival, and the GPUs they have. Told of submissions and ends, asked who
/// begins: the same for a list of jobs and for a model's clock.
class FleetScheduler {
 public:
  struct Started {
    std::uint32_t job = 0;  ///< number that submit() was told
    std::uint32_t nodes = 1;
    double slowdown = 1.0;
    std::vector<std::uint32_t> gpus;  ///< ascending
  };

  FleetScheduler(FleetOrder order, GpuPlacer placer, ByClass<std::vector<double>> slowdowns)
      : order_(order), placer_(std::move(placer)), slowdowns_(std::move(slowdowns)) {}

  GpuPlacer& placer() { return placer_; }
  const GpuPlacer& placer() const { return placer_; }
  /// True slowdown by class and GPU, which placement need not know.
  const ByClass<std::vector<double>>& slowdowns() const { return slowdowns_; }
  /// Precondition: job.gpus <= placer().gpus(). O(1).
  void submit(std::uint32_t number, const FleetJob& job) { line_.push_back({number, job}); }
  /// A job that has lost a node waits again, before all others or behind them. O(waiting).
  void submit_again(std::uint32_t number, const FleetJob& job, bool before_all) {
    line_.insert(before_all ? line_.begin() : line_.end(), {number, job});
  }
  /// Those who begin now; appended. O(started placements; of first_fit the line).
  void dispatch(RandomStream& stream, std::vector<Started>& out);
  void ended(std::span<const std::uint32_t> gpus) { placer_.release(gpus); }
  std::size_t waiting() const { return line_.size(); }

  template <typename Archive>
  void archive(Archive& a) {
    a(placer_, line_);
  }

 private:
  struct InLine {
    std::uint32_t number = 0;
    FleetJob job;
    template <typename Archive>
    void archive(Archive& a) {
      a(number, job.submit_s, job.run_s, job.gpus, job.of_class, job.penalty);
    }
  };
  FleetOrder order_;
  GpuPlacer placer_;
  ByClass<std::vector<double>> slowdowns_;
  std::vector<InLine> line_;  ///< first come first
};

/// What became of one job.
struct FleetOutcome {
  double start_s = 0.0, end_s = 0.0, slowdown = 1.0;
  std::uint32_t nodes = 1;
  std::vector<std::uint32_t> gpus;
};
struct FleetRun {
  std::vector<FleetOutcome> jobs;  ///< by job
  double makespan_s = 0.0;         ///< from the first arrival to the last end
  double mean_jct_s = 0.0, mean_slowdown = 1.0;
  double utilisation = 0.0;  ///< GPU time that jobs had, of all GPUs in the makespan
};
/// A list of jobs in the order of submission until the last has ended. Precondition: each has at most as many GPUs as
/// there are. At one moment ends come before arrivals and these before starts. O(jobs (log jobs + GPUs)).
FleetRun run_fleet(std::span<const FleetJob> jobs, FleetScheduler scheduler, RandomStream& placements);

}  // namespace ergode
