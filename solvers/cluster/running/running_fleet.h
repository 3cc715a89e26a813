#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/des/running_part.h"
#include "solvers/cluster/model/fleet_model.h"
#include "solvers/cluster/running/cost_log.h"
#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/fleet_job_log.h"
#include "solvers/cluster/running/history_end.h"

namespace ergode {

/// Fleets of GPUs while they run. One timer for each stream of jobs (the next that comes), one for each fleet (the next
/// job that leaves its GPUs), where nodes of some fail one for each (the next that does), and last one for each fleet
/// at which jobs are placed: whatever happens at one moment has happened by then. A replication draws the GPUs anew,
/// from a stream of their own, so that policies see the same GPUs and the same jobs.
///
/// At most `most_jobs` at one time (RUN002).
class RunningFleet : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  RunningFleet(const FleetModel& model, World& world, std::uint64_t seed, CostLog& log, FleetJobLog& jobs,
               HistoryEnd& history_end);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t timer) override;
  void woken(std::uint32_t reader) override;
  bool settle() override;
  void end(double end_s) override {
    if (logs_) end_.reach(this, end_s), log_.end(this, end_s);
  }
  void save(ByteWriter& into) const override;
  void restore(ByteReader& from, std::uint64_t path) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  using Stream = FleetModel::Stream;
  using Fleet = FleetModel::Fleet;
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  static constexpr std::uint32_t nobody = ~0U;
  struct Job {
    double submit_s = 0.0, run_s = 0.0, slowdown = 1.0;  ///< run_s: as its list says, on median GPUs
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> gpus;     ///< empty while it waits
    double born_s = 0.0;                 ///< when it became part of the model
    FleetJob asks;                       ///< as it waits, with the work that is left
    double start_s = 0.0, lost_s = 0.0;  ///< of this attempt; work that was lost, on median GPUs
    std::uint64_t order = never;         ///< of its end
    std::uint32_t restarts = 0;
    std::uint32_t row = FleetJobLog::no_row;  ///< of the table; not of a saved state
    template <typename Archive>
    void archive(Archive& a) {
      a(submit_s, run_s, slowdown, stream, gpus, born_s, asks.submit_s, asks.run_s, asks.gpus, asks.of_class,
        asks.penalty, start_s, lost_s, order, restarts);
    }
  };
  /// When a job leaves; of equal times in the order of their starts. Stale where it has lost a node since.
  struct End {
    double at_s = 0.0;
    std::uint64_t order = 0;
    std::uint32_t job = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, order, job);
    }
    friend bool operator>(const End& a, const End& b) { return a.at_s != b.at_s ? a.at_s > b.at_s : a.order > b.order; }
  };
  struct State {
    State(const Fleet& fleet, std::uint64_t seed) : hosts(fleet.failures, seed, fleet.element.text()) {}
    std::optional<FleetScheduler> scheduler;
    FailingHosts hosts;
    std::vector<std::uint32_t> on_gpu;  ///< whose it is, where nodes fail
    std::vector<Job> jobs;              ///< by number; with gaps
    std::vector<std::uint32_t> gaps;    ///< numbers that are free
    std::vector<End> ends;              ///< heap, the earliest first
    std::uint64_t started = 0;
    double first_s = -1.0;                    ///< of the first arrival; below 0: none yet
    std::vector<double> power_w;              ///< by GPU, where each has its own
    double busy_w = 0.0;                      ///< of those that work, so
    double gpu_s = 0.0, since_s = 0.0;        ///< GPU time that jobs had until `since`
    double response_s = 0.0, slowdown = 0.0;  ///< sums over the jobs done
    template <typename Archive>
    void archive(Archive& a) {
      a(hosts, on_gpu, jobs, gaps, ends, started, first_s, power_w, busy_w, gpu_s, since_s, response_s, slowdown);
    }
  };

  std::uint32_t end_timer(std::uint32_t fleet) const;
  std::uint32_t host_timer(std::uint32_t fleet) const;
  std::uint32_t ask_timer(std::uint32_t fleet) const;
  void run_baseline(std::uint32_t fleet);
  void await_job(std::uint32_t stream);
  /// @param customer  what is handed over of him; null: he comes by the stream's own law
  void job_comes(std::uint32_t stream, const double* customer = nullptr);
  bool take_customers();
  void jobs_leave(std::uint32_t fleet);
  void job_done(std::uint32_t fleet, std::uint32_t number);
  void await_end(std::uint32_t fleet);
  JobAttempt attempt(const Fleet& fleet, const Job& job) const {
    return fleet.failures.attempt(job.asks.run_s * job.slowdown, job.restarts > 0);
  }
  /// @name Nodes that fail (fleet_nodes.cpp)
  /// @{
  void begin_nodes(std::uint32_t fleet);
  void node_changes(std::uint32_t fleet, std::uint32_t node);
  void job_loses_node(std::uint32_t fleet, std::uint32_t number);
  void await_node(std::uint32_t fleet);
  /// @}
  void ask(std::uint32_t fleet);
  void add(std::uint32_t slot, double more) { world_.set(slot, world_.slots()[slot] + more); }
  /// @param sign  -1: they are given back
  void take_gpus(std::uint32_t fleet, const Stream& stream, const std::vector<std::uint32_t>& gpus, double sign);
  void note_costs(std::uint32_t fleet);

  const FleetModel& model_;
  World& world_;
  std::uint64_t seed_;
  bool hosts_fail_;  ///< of some fleet
  std::uint32_t first_;
  std::vector<FleetDraws> draws_;
  std::vector<RandomStream> placements_;  ///< by fleet
  std::vector<std::uint64_t> next_;       ///< by stream: jobs that have come
  std::vector<State> states_;
  HostConditions conditions_;
  std::uint64_t replication_ = 0;
  bool begun_ = false;
  CostLog& log_;
  FleetJobLog& job_log_;
  HistoryEnd& end_;
  bool logs_ = false;                             ///< the first history is written down; one that is resumed is not
  std::vector<FleetScheduler::Started> started_;  ///< room for a dispatch
  std::vector<double> handed_;                    ///< room for those who are handed over
};

}  // namespace ergode
