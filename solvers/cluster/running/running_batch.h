#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/des/running_part.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/batch/batch_scheduler.h"
#include "solvers/cluster/model/batch_model.h"
#include "solvers/cluster/running/batch_job_log.h"
#include "solvers/cluster/running/cost_log.h"
#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/history_end.h"

namespace ergode {

/// Pools of hosts while they run. One timer for each stream of jobs (the next that comes), one for each pool (the next
/// job that leaves its hosts), and last one for each pool at which its scheduler is asked: whatever happens at one
/// moment has happened by then. Pools on a clock of minutes are asked at whole minutes; those that know all their jobs
/// beforehand use this timer alone.
///
/// Where hosts fail, or differ, each has a number and jobs know theirs (batch_hosts.cpp); where they fail one more
/// timer for each pool then, the next host that fails or is repaired by its own laws. Free ones of low numbers are
/// taken first.
///
/// Arrivals, sizes, limits and hosts are drawn from streams of their own for each stream of jobs, so that policies see
/// the same jobs. A pool with a provisioner runs one start of it each replication, the first one in replication 0.
///
/// At most `most_jobs` at one time (RUN002).
class RunningBatch : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  RunningBatch(const BatchModel& model, World& world, std::uint64_t seed, CostLog& log, BatchJobLog& jobs,
               HistoryEnd& history_end, std::atomic<std::uint64_t>& starts);
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
  using Stream = BatchModel::Stream;
  using Pool = BatchModel::Pool;
  struct Job {
    double submit_s = 0.0, limit_s = 0.0, run_s = 0.0;
    std::uint32_t hosts = 1, stream = 0;
    double born_s = 0.0;                                ///< when it became part of the model
    double start_s = 0.0, saved_s = 0.0, lost_s = 0.0;  ///< of this attempt; work that is saved, and that was lost
    std::uint64_t order = ~std::uint64_t{0};            ///< of its end; all ones: none
    std::uint32_t restarts = 0, first_host = nobody;
    double slowdown = 1.0;                    ///< of its hosts
    std::uint32_t row = BatchJobLog::no_row;  ///< of the table; not of a saved state
    template <typename Archive>
    void archive(Archive& a) {
      a(submit_s, limit_s, run_s, hosts, stream, born_s, start_s, saved_s, lost_s, order, restarts, first_host,
        slowdown);
    }
  };
  static constexpr std::uint32_t nobody = ~0U;
  struct Host {
    std::uint32_t job = nobody, next = nobody;  ///< whose it is, and the next one of that job
    bool listed = false;                        ///< among those that are free, though it may not be
    template <typename Archive>
    void archive(Archive& a) {
      a(job, next, listed);
    }
  };
  /// When a job leaves; of equal times in the order of their starts. Stale where the job has started anew since.
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
    State(const Pool& pool, bool by_ticks, std::uint64_t seed)
        : ticks(by_ticks),
          scheduler(pool.by_minutes() ? BatchPolicy::fifo : pool.scheduling(), pool.hosts),
          minutes(pool.minute, 0),
          failing(pool.failures, seed, pool.element.text()) {}
    /// @name Of the scheduler, whichever it is
    /// @{
    void submit(std::uint32_t number, const BatchJob& job) {
      if (ticks) minutes.enter(number, job, false);
      else scheduler.submit(number, job);
    }
    void submit_again(std::uint32_t number, const BatchJob& job, bool before_all) {
      if (ticks) minutes.enter(number, job, before_all);
      else scheduler.submit_again(number, job, before_all);
    }
    void ended(std::uint32_t number, double now_s) {
      if (ticks) minutes.leave(number);
      else scheduler.ended(number, now_s);
    }
    void host_comes(int more, double now_s) {
      if (ticks) minutes.host_comes(more);
      else scheduler.host_comes(more, now_s);
    }
    /// @}
    bool ticks;
    BatchScheduler scheduler;
    MinuteCluster minutes;            ///< where minutes are ticks, instead of it
    std::vector<Job> jobs;            ///< by number; with gaps
    std::vector<std::uint32_t> gaps;  ///< numbers that are free
    std::vector<End> ends;            ///< heap, the earliest first
    std::uint64_t started = 0;
    std::vector<Host> hosts;          ///< where they fail
    std::vector<std::uint32_t> free;  ///< heap of numbers, the least first; some are stale
    std::vector<double> slowdown;     ///< by host, where they differ
    FailingHosts failing;
    template <typename Archive>
    void archive(Archive& a) {
      a(scheduler, minutes, jobs, gaps, ends, started, hosts, free, slowdown, failing);
    }
  };
  /// Of a pool on the clock of its trace.
  struct Minutes {
    std::optional<ServiceRun> run;
    std::int64_t begin_s = 0;                   ///< of this replication, on the clock of the trace
    std::vector<MinuteCluster::Running> ended;  ///< at the end of the last minute; not told yet
    std::size_t told = 0;                       ///< links of the chain
    std::vector<std::uint32_t> too_wide;        ///< places in the trace of jobs that want more hosts than there are
    std::size_t rejected = 0;                   ///< of these
  };
  struct Draws {
    RandomStream gaps, sizes, limits, hosts;
  };

  std::uint32_t end_timer(std::uint32_t pool) const;
  std::uint32_t host_timer(std::uint32_t pool) const;
  std::uint32_t ask_timer(std::uint32_t pool) const;
  void restart_draws(std::uint64_t replication);
  void begin_minutes(std::uint32_t pool, std::uint64_t start);
  void await_job(std::uint32_t stream);
  /// @param customer  what is handed over of him; null: he comes by the stream's own law
  void job_comes(std::uint32_t stream, const double* customer = nullptr);
  BatchJob next_job(std::uint32_t stream, const double* customer);
  bool take_customers();
  void jobs_leave(std::uint32_t pool);
  void ask(std::uint32_t pool);
  void tick(std::uint32_t pool);
  void begin_jobs(std::uint32_t pool);
  /// Something has happened that the scheduler should look at, this moment or at the next whole minute.
  void call_scheduler(std::uint32_t pool);
  void minute(std::uint32_t pool);
  void tell_minute(std::uint32_t pool);
  /// @name Jobs of a trace on its clock that want more hosts than there are: its cluster never sees them
  /// @{
  void list_too_wide(std::uint32_t pool);
  /// When the next one comes; the greatest number: none does.
  std::int64_t next_too_wide_s(std::uint32_t pool) const;
  void reject_too_wide(std::uint32_t pool);
  /// @}
  void add(std::uint32_t slot, double more) { world_.set(slot, world_.slots()[slot] + more); }
  void await_end(std::uint32_t pool);
  bool stale(const State& state, const End& end) const { return state.jobs[end.job].order != end.order; }

  /// @name Hosts that fail (batch_hosts.cpp)
  /// @{
  void begin_hosts(std::uint32_t pool);
  void give_hosts(std::uint32_t pool, std::uint32_t number);
  void free_hosts(std::uint32_t pool, std::uint32_t number);
  void list_host(State& state, std::uint32_t host);
  void host_changes(std::uint32_t pool, std::uint32_t host);
  void job_is_stopped(std::uint32_t pool, std::uint32_t number);
  void hosts_change(std::uint32_t pool);
  void await_host(std::uint32_t pool);
  /// @}

  /// From when it has its hosts on.
  JobAttempt attempt(const Pool& pool, const Job& job) const {
    return pool.failures.attempt((job.run_s - job.saved_s) * job.slowdown, job.restarts > 0);
  }
  void take_hosts(const Pool& pool, const Stream& stream, double hosts);
  /// After hosts are taken, left, fail or come back.
  void tell_power(const Pool& pool);
  void tell_slowdown(const Pool& pool, const Stream& stream, double response_s, const BatchJob& job);

  const BatchModel& model_;
  World& world_;
  std::uint64_t seed_, replication_ = 0;
  std::uint32_t first_;
  bool hosts_fail_ = false;          ///< of some pool
  std::vector<std::uint64_t> keys_;  ///< four for each stream of jobs
  std::vector<Draws> draws_;
  HostConditions conditions_;
  std::vector<std::size_t> next_;  ///< by stream: place in its trace
  std::vector<State> states_;
  std::vector<Minutes> minutes_;
  Provisioner nobody_;
  std::vector<ChainRules> alone_;  ///< by pool: rules without a chain
  bool begun_ = false;
  CostLog& log_;
  BatchJobLog& job_log_;
  HistoryEnd& end_;
  std::atomic<std::uint64_t>& starts_;  ///< of provisioners: one more than the greatest that has begun
  bool logs_ = false;                   ///< the first history is written down; one that is resumed is not
  std::vector<std::uint32_t> started_;  ///< room for a dispatch
  std::vector<double> handed_;          ///< room for those who are handed over
};

}  // namespace ergode
