#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/des/running_part.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/batch/batch_scheduler.h"
#include "solvers/cluster/model/batch_model.h"

namespace ergode {

/// Pools of hosts while they run. One timer for each stream of jobs (the next that comes), one for each pool (the next
/// job that leaves its hosts), and last one for each pool at which its scheduler is asked: whatever happens at one
/// moment has happened by then. Pools on a clock of minutes use the last one alone, once a minute.
///
/// Arrivals, sizes, limits and hosts are drawn from streams of their own for each stream of jobs, so that policies see
/// the same jobs. A pool with a provisioner runs one start of it each replication, the first one in replication 0.
///
/// At most `most_jobs` at one time (RUN002).
class RunningBatch : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  RunningBatch(const BatchModel& model, World& world, std::uint64_t seed);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t timer) override;
  void woken(std::uint32_t reader) override;
  bool settle() override;
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
    template <typename Archive>
    void archive(Archive& a) {
      a(submit_s, limit_s, run_s, hosts, stream);
    }
  };
  /// When a job leaves; of equal times in the order of their starts.
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
    explicit State(const Pool& pool)
        : scheduler(pool.by_minutes() ? BatchPolicy::fifo : pool.scheduling(), pool.hosts) {}
    BatchScheduler scheduler;
    std::vector<Job> jobs;            ///< by number; with gaps
    std::vector<std::uint32_t> gaps;  ///< numbers that are free
    std::vector<End> ends;            ///< heap, the earliest first
    std::uint64_t started = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(scheduler, jobs, gaps, ends, started);
    }
  };
  /// Of a pool on a clock of minutes.
  struct Minutes {
    std::optional<ChainRun> run;
    std::int64_t begin_s = 0;                   ///< of this replication, on the clock of the trace
    std::vector<MinuteCluster::Running> ended;  ///< at the end of the last minute; not told yet
    std::size_t told = 0;                       ///< links of the chain
  };
  struct Draws {
    RandomStream gaps, sizes, limits, hosts;
  };

  std::uint32_t end_timer(std::uint32_t pool) const;
  std::uint32_t ask_timer(std::uint32_t pool) const;
  void restart_draws(std::uint64_t replication);
  void begin_minutes(std::uint32_t pool, std::uint64_t start);
  void await_job(std::uint32_t stream);
  void job_comes(std::uint32_t stream);
  BatchJob next_job(std::uint32_t stream);
  void jobs_leave(std::uint32_t pool);
  void ask(std::uint32_t pool);
  void minute(std::uint32_t pool);
  void tell_minute(std::uint32_t pool);
  void add(std::uint32_t slot, double more) { world_.set(slot, world_.slots()[slot] + more); }
  void take_hosts(const Pool& pool, const Stream& stream, double hosts);

  const BatchModel& model_;
  World& world_;
  std::uint32_t first_;
  std::vector<std::uint64_t> keys_;  ///< four for each stream of jobs
  std::vector<Draws> draws_;
  std::vector<std::size_t> next_;  ///< by stream: place in its trace
  std::vector<State> states_;
  std::vector<Minutes> minutes_;
  Provisioner nobody_;
  std::vector<ChainRules> alone_;  ///< by pool: rules without a chain
  bool begun_ = false;
  std::vector<std::uint32_t> started_;  ///< room for a dispatch
};

}  // namespace ergode
