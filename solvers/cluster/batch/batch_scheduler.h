#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "solvers/cluster/batch/batch_job.h"
#include "solvers/cluster/batch/free_profile.h"
#include "solvers/cluster/batch/job_line.h"

namespace ergode {

/// Decides when jobs of one pool of alike hosts start. Whoever runs it says what happens, in the order of time, and
/// asks once a moment, when all ends and then all submissions of that moment have been told:
///
///     scheduler.ended(3, now_s), scheduler.submit(7, job, now_s);
///     started.clear(), scheduler.dispatch(now_s, started);          // these start now
///     // ... and again at scheduler.next_due_s(), if nothing happens before
///
/// Numbers of jobs are the owner's; a small one may be used again when its job has ended. Limits are what is planned
/// with, so they must be finite with easy and conservative.
///
/// conservative keeps what it has promised: when a job ends before its limit, each who waits is asked in turn whether
/// he can come earlier, and his hosts are given back for that question alone, so that nobody ever comes later.
///
/// A dispatch costs O(log waiting) for each job that starts, with easy one search more, over the planned ends of what
/// runs; with conservative a search for each job submitted, and after an early end for each who waits and for whom more
/// is free somewhere before his time (FreeProfile).
class BatchScheduler {
 public:
  BatchScheduler(BatchPolicy policy, std::uint32_t hosts) : policy_(policy), hosts_(hosts) { reset(0.0); }
  /// Nothing runs, nobody waits.
  void reset(double now_s);
  /// Precondition: it needs no more hosts than there are.
  void submit(std::uint32_t number, const BatchJob& job);
  /// Precondition: it runs.
  void ended(std::uint32_t number, double now_s);
  /// Takes from the line who starts now, in the order of the line, and appends their numbers.
  void dispatch(double now_s, std::vector<std::uint32_t>& started);
  /// Somebody who was ended for another reason than his own waits again, before all others or behind them.
  void submit_again(std::uint32_t number, const BatchJob& job, bool before_all);
  /// A free host has gone (-1) or one has come back (+1). Nobody knows for how long: plans take it as for ever, and
  /// conservative promises anew, in the order of the line; a promise that cannot be kept then is not one. O(log
  /// waiting); conservative, at the next dispatch: O(waiting) searches. Precondition: a host that goes is free.
  void host_comes(int more, double now_s);
  /// When it must be asked though nothing happens; infinity: never.
  double next_due_s();

  std::uint32_t free_hosts() const { return static_cast<std::uint32_t>(free_); }
  std::uint32_t hosts() const { return static_cast<std::uint32_t>(hosts_); }

  template <typename Archive>
  void archive(Archive& a) {
    a(free_, asked_, before_all_, freed_, anew_, known_, line_, profile_, short_ones_, due_);
  }

 private:
  struct Known {
    std::uint32_t hosts = 0;
    double limit_s = 0.0, planned_end_s = 0.0;
    double due_s = 0.0;  ///< conservative: when it may start
    std::uint64_t order = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(hosts, limit_s, planned_end_s, due_s, order);
    }
  };
  /// Somebody and what he is ranked by; of equal ones who came first.
  struct Ranked {
    double key = 0.0;
    std::uint64_t order = 0;
    std::uint32_t job = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(key, order, job);
    }
    friend bool operator>(const Ranked& a, const Ranked& b) {
      return a.key != b.key ? a.key > b.key : a.order > b.order;
    }
  };
  static constexpr std::uint64_t first_order = std::uint64_t{1} << 40U;
  bool plans() const { return policy_ >= BatchPolicy::easy; }
  void start(std::uint32_t number, double now_s, std::vector<std::uint32_t>& started);
  void take_in_order(double now_s, std::vector<std::uint32_t>& started);
  void take_shortest(double now_s, std::vector<std::uint32_t>& started);
  void backfill(double now_s, std::vector<std::uint32_t>& started);
  void keep_promises(double now_s, std::vector<std::uint32_t>& started);
  void promise(std::uint32_t number, double now_s);
  void come_earlier(double now_s);
  void promise_anew(double now_s);
  void withdraw(const Known& job);
  void drop_stale_dues();

  BatchPolicy policy_;
  std::int64_t hosts_, free_ = 0;
  std::uint64_t asked_ = first_order, before_all_ = first_order;  ///< orders of the next behind and before all others
  bool freed_ = false;                                            ///< conservative: somebody ended before his limit
  bool anew_ = false;                                             ///< conservative: all promises are made anew
  std::vector<Known> known_;                                      ///< by number
  JobLine line_;                                                  ///< not with sjf
  FreeProfile profile_;               ///< easy: by the limits of what runs; conservative: by what is promised too
  std::vector<Ranked> short_ones_;    ///< sjf: heap of who waits
  std::vector<Ranked> due_;           ///< conservative: heap of promises; those that were bettered are stale
  std::vector<std::uint32_t> fresh_;  ///< conservative: submitted since the last dispatch
};

/// Runs all jobs on one pool from their submission on.
///
/// @param jobs   in the order of submission; easy and conservative: limits are finite
/// @param hosts  of the pool, >= 1; who needs more never starts
/// @param look   called every few events; what it throws ends the simulation
/// Ends and submissions of one moment come before the starts of that moment. O(jobs log jobs) and what dispatches cost;
/// memory O(jobs).
BatchSchedule simulate_batch(const std::vector<BatchJob>& jobs, std::uint32_t hosts, BatchPolicy policy,
                             const std::function<void()>& look = {});

}  // namespace ergode
