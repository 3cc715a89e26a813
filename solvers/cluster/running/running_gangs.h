#pragma once
#include <cstdint>
#include <vector>

#include "core/des/running_part.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/gang/gang_scheduler.h"
#include "solvers/cluster/model/gang_model.h"
#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/gang_log.h"
#include "solvers/cluster/running/history_end.h"

namespace ergode {

/// Clusters of GPUs while they run. One timer for each stream of jobs (the next that comes), one for each cluster at
/// which its scheduler is due, where hosts of some fail one for each at which one does, and last one for each at which
/// it decides: whatever happens at one moment has happened by then.
///
/// Gaps, sizes and GPUs are drawn from streams of their own for each stream of jobs, so that policies see the same
/// jobs. At most `most_jobs` at one time (RUN002).
class RunningGangs : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  RunningGangs(const GangModel& model, World& world, std::uint64_t seed, GangLog& log, HistoryEnd& history_end);
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
  using Stream = GangModel::Stream;
  using Cluster = GangModel::Cluster;
  struct Job {
    double arrival_s = 0.0, work_s = 0.0, since_s = 0.0, waited_s = 0.0;
    std::uint32_t gpus = 1, stream = 0;
    double born_s = 0.0;  ///< when it became part of the model
    double lost_s = 0.0;  ///< work, so far
    template <typename Archive>
    void archive(Archive& a) {
      a(arrival_s, work_s, since_s, waited_s, gpus, stream, born_s, lost_s);
    }
  };
  struct State {
    State(const Cluster& cluster, std::uint64_t seed)
        : scheduler(cluster.options), hosts(cluster.failures, seed, cluster.element.text()) {}
    GangScheduler scheduler;
    FailingHosts hosts;
    std::vector<Job> jobs;            ///< by number; with gaps
    std::vector<std::uint32_t> gaps;  ///< numbers that are free
    double first_s = -1.0;            ///< arrival
    template <typename Archive>
    void archive(Archive& a) {
      a(scheduler, hosts, jobs, gaps, first_s);
    }
  };
  struct Draws {
    RandomStream gaps, sizes, gpus;
  };

  std::uint32_t due_timer(std::uint32_t cluster) const;
  std::uint32_t host_timer(std::uint32_t cluster) const;
  std::uint32_t decide_timer(std::uint32_t cluster) const;
  void restart_draws(std::uint64_t replication);
  void await_job(std::uint32_t stream);
  /// @param customer  what is handed over of him; null: he comes by the stream's own law
  GangJob next_job(std::uint32_t stream, const double* customer);
  void job_passes(std::uint32_t stream, const double* customer);
  void job_comes(std::uint32_t stream, const double* customer = nullptr);
  bool take_customers();
  void pass(std::uint32_t cluster);
  void decide(std::uint32_t cluster);
  void tell(std::uint32_t cluster);
  void count(std::uint32_t cluster);
  void job_ends(std::uint32_t cluster, std::uint32_t number);
  void job_loses_host(std::uint32_t cluster, std::uint32_t number);
  void begin_hosts(std::uint32_t cluster);
  void host_changes(std::uint32_t cluster, std::uint32_t host);
  void await_host(std::uint32_t cluster);
  void add(std::uint32_t slot, double more) { world_.set(slot, world_.slots()[slot] + more); }

  const GangModel& model_;
  World& world_;
  bool hosts_fail_ = false;  ///< of some cluster
  std::uint32_t first_;
  std::vector<std::uint64_t> keys_;  ///< three for each stream of jobs
  std::vector<Draws> draws_;
  std::vector<std::size_t> next_;  ///< by stream: place in its trace
  GangLog& log_;
  HistoryEnd& end_;
  bool logs_ = false;  ///< the first history is written down; one that is resumed from a saved state is not
  std::vector<State> states_;
  HostConditions conditions_;
  bool begun_ = false;
  std::vector<GangEvent> events_;  ///< room for a moment
  std::vector<double> handed_;     ///< room for those who are handed over
};

}  // namespace ergode
