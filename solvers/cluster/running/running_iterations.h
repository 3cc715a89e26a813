#pragma once
#include <vector>

#include "core/random/random_stream.h"
#include "solvers/cluster/iterations/iteration_stepper.h"
#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/iteration_part.h"

namespace ergode {

/// Schedulers of iterations while they run. Those of which nothing is drawn and nothing fails play the schedule that
/// was worked out before: a timer for each goes off whenever a job comes or ends (running_iterations.cpp). The others
/// run as they go (live_iterations.cpp), beside their baseline with the same jobs and hosts: a timer for each stream of
/// jobs, for each scheduler one at which iterations end, where hosts of some fail one at which one does, and last one
/// at which it decides: whatever happens at one moment has happened by then.
///
/// Gaps, sizes, GPUs and iterations are drawn from streams of their own for each stream of jobs, so that policies see
/// the same jobs. At most `most_jobs` at one time (RUN002).
class RunningIterations : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  RunningIterations(const IterationPart& part, World& world, std::uint64_t seed, HistoryEnd& history_end);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t timer) override;
  void woken(std::uint32_t reader) override;
  bool settle() override;
  void end(double end_s) override;
  void save(ByteWriter& into) const override;
  void restore(ByteReader& from, std::uint64_t path) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  using Stream = IterationModel::Stream;
  using Scheduler = IterationModel::Scheduler;
  struct Step {
    double at_s = 0.0;
    bool ends = false;
    std::uint32_t job = 0;
  };
  struct Job {
    double arrival_s = 0.0, born_s = 0.0;  ///< born: when it became part of the model
    double lost_s = 0.0;                   ///< work
    std::uint32_t stream = 0, workers = 1, restarts = 0, row = ~0U;
    bool runs = true, runs_in_baseline = true;
    template <typename Archive>
    void archive(Archive& a) {
      a(arrival_s, born_s, lost_s, stream, workers, restarts, runs, runs_in_baseline);
    }
  };
  struct Live {
    Live(const Scheduler& one, std::uint64_t seed)
        : run(one.options), baseline(one.baseline), hosts(one.failures, seed, one.element.text()) {}
    IterationStepper run, baseline;
    FailingHosts hosts;
    std::vector<Job> jobs;            ///< by number; with gaps
    std::vector<std::uint32_t> gaps;  ///< numbers that are free
    double first_s = -1.0;            ///< arrival
    double sum_s = 0.0, baseline_sum_s = 0.0, baseline_done = 0.0;
    template <typename Archive>
    void archive(Archive& a) {
      a(run, baseline, hosts, jobs, gaps, first_s, sum_s, baseline_sum_s, baseline_done);
    }
  };
  struct Draws {
    RandomStream gaps, sizes, gpus, iterations;
  };

  /// @name What is played
  /// @{
  void read_steps(std::size_t scheduler);
  void play(std::uint32_t scheduler);
  void take(std::uint32_t scheduler, const Step& step);
  /// @}

  /// @name What runs as it goes (live_iterations.cpp)
  /// @{
  void restart_draws(std::uint64_t replication);
  void await_job(std::uint32_t stream);
  /// @param customer  what is handed over of him; null: he comes by the stream's own law
  IterationJob next_job(std::uint32_t stream, const double* customer);
  void job_comes(std::uint32_t stream, const double* customer = nullptr);
  void pass(std::uint32_t scheduler);
  void decide(std::uint32_t scheduler);
  void tell(std::uint32_t scheduler, bool baseline);
  void job_ends(std::uint32_t scheduler, std::uint32_t number);
  void baseline_job_ends(std::uint32_t scheduler, std::uint32_t number);
  void free_number(Live& live, std::uint32_t number);
  void begin_hosts(std::uint32_t scheduler);
  void host_changes(std::uint32_t scheduler, std::uint32_t host);
  void await_host(std::uint32_t scheduler);
  void count_gpus(std::uint32_t stream, const Live& live);
  void log_end(std::uint32_t scheduler, double end_s);
  /// @}

  std::uint32_t due_timer(std::uint32_t scheduler) const {
    return first_ + static_cast<std::uint32_t>(part_.model.streams.size()) + scheduler;
  }
  std::uint32_t host_timer(std::uint32_t scheduler) const { return due_timer(scheduler) + schedulers(); }
  std::uint32_t decide_timer(std::uint32_t scheduler) const {
    return due_timer(scheduler) + (hosts_fail_ ? 2U : 1U) * schedulers();
  }
  std::uint32_t schedulers() const { return static_cast<std::uint32_t>(part_.model.schedulers.size()); }
  /// none: nobody counts it.
  void add(std::uint32_t slot, double more) {
    if (slot != IterationModel::none) world_.set(slot, world_.slots()[slot] + more);
  }

  const IterationPart& part_;
  HistoryEnd& end_;
  bool logs_ = false;  ///< this replication
  World& world_;
  bool hosts_fail_;  ///< of some scheduler
  std::uint32_t first_;
  std::vector<std::vector<Step>> steps_;  ///< by scheduler; empty: it is live
  std::vector<std::uint64_t> next_;       ///< of these
  std::vector<double> sum_s_;             ///< of the completion times of the jobs done
  std::vector<Live> live_;                ///< by scheduler
  std::vector<std::uint64_t> keys_;       ///< four for each stream of jobs
  std::vector<Draws> draws_;              ///< by stream of jobs
  std::vector<std::uint64_t> in_trace_;   ///< likewise: place in its trace
  HostConditions conditions_;
  bool begun_ = false;
  std::vector<IterationEvent> events_;  ///< room for a moment
  std::vector<double> handed_;          ///< room for those who are handed over
};

}  // namespace ergode
