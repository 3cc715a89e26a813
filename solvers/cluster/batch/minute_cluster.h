#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/cluster/batch/batch_job.h"

namespace ergode {

/// How a scheduler in the way of Slurm ranks and plans. Defaults are those of Mirage's artifact.
struct MinuteRules {
  std::uint32_t hosts = 88;         ///< of the cluster, >= 1
  double size_weight = 100.0;       ///< of the share of the hosts that a job wants
  double age_weight = 7000.0;       ///< of the share of max_age that it has waited; not capped
  double max_age_s = 7 * 86400.0;   ///< > 0
  std::uint32_t interval_min = 10;  ///< between two passes of backfilling, >= 1
  double slot_s = 600.0;            ///< by which they plan, > 0
  std::uint32_t slots = 288;        ///< how far they see, >= 1
  std::uint32_t tested = 3000;      ///< jobs that a pass looks at
};

/// A cluster of alike hosts under such a scheduler, on a clock of minutes: the simulator of Mirage (Ding, Zheng,
/// Kudari, Venkataraman and Zhang, Mirage: Towards low-interruption services on batch GPU clusters with reinforcement
/// learning, SC 2023), by its rules:
///
///     a minute   submissions enter the queue, which is then sorted by priority (the highest first, equals as they
///                stood); jobs start; the clock moves on; all who wait age; jobs that are done give their hosts back
///     priority   size_weight * hosts / hosts of the cluster, and age_weight * 60 / max_age for each minute of waiting
///     starts     in the first minute and in every tenth behind it by a plan in slots, else in the order of the queue
///     up
///                to the first who does not fit
///     the plan   a slot is taken by what runs while its limit has not come by the slot's begin; each in turn gets the
///                earliest slots in which his hosts are free for his limit, as far as the plan sees, and starts now if
///                that is the first slot
///
/// A job keeps its hosts for its time rounded up to minutes, at least one. Copies go on independently. A minute costs
/// O(waiting + running), one with a plan O(slots * waiting) more.
///
/// Where somebody else knows when jobs are done, because hosts fail, they enter and leave, and only wait and start
/// here:
///
///     cluster.enter(7, job, false);        // now or before now: he is looked at in the next minute
///     cluster.leave(3), cluster.host_comes(-1);
///     cluster.pass_to(T), cluster.minute();   // T: a whole minute, at most one behind the last where anybody waits
class MinuteCluster {
 public:
  struct Waiting {
    std::uint32_t number = 0, hosts = 1;
    std::int64_t submit_s = 0;  ///< truncated to the minute
    std::int64_t long_s = 60;   ///< keeps its hosts so long
    double limit_s = 0.0;
    double priority = 0.0;
    template <typename Archive>
    void archive(Archive& a) {
      a(number, hosts, submit_s, long_s, limit_s, priority);
    }
  };
  struct Running {
    std::uint32_t number = 0, hosts = 1;
    std::int64_t submit_s = 0, start_s = 0, end_s = 0;
    double limit_s = 0.0;
    template <typename Archive>
    void archive(Archive& a) {
      a(number, hosts, submit_s, start_s, end_s, limit_s);
    }
  };

  /// @param begin_s  a whole minute; the cluster is empty
  MinuteCluster(const MinuteRules& rules, std::int64_t begin_s);

  std::int64_t now_s() const { return now_s_; }
  /// It enters the queue at this minute, behind who entered it before. Precondition: it fits into the cluster, its
  /// submission is not later than now, its limit is finite.
  void submit(std::uint32_t number, const BatchJob& job);
  /// The same of one who keeps his hosts until leave(). What he waited is not noted.
  /// @param before_all  he had hosts and lost them: he comes before all who wait, whatever they weigh
  void enter(std::uint32_t number, const BatchJob& job, bool before_all);
  /// One who entered gives his hosts back. Precondition: he runs. O(running).
  void leave(std::uint32_t number);
  /// A free host has gone (-1) or one has come back (+1); plans take it as for ever. Precondition: a host that goes is
  /// free.
  void host_comes(int more);
  /// Sorts, starts, and moves on by a minute.
  /// @returns numbers of those who started at the minute that has gone by; valid until the next call
  const std::vector<std::uint32_t>& minute();

  /// Those whose jobs ended when the last minute was over.
  const std::vector<Running>& ended() const { return ended_; }
  /// The minute at whose end the next job ends; the greatest number where nobody runs. O(running).
  std::int64_t next_end_minute_s() const;
  /// Passes over minutes in which nothing happens. Precondition: nobody waits, and a whole minute from now up to that
  /// of the next end.
  void pass_to(std::int64_t time_s);

  std::size_t waiting() const { return queue_.size(); }
  const std::vector<Waiting>& queue() const { return queue_; }
  const std::vector<Running>& running() const { return running_; }
  std::uint32_t busy_hosts() const { return up_ - free_; }
  /// Waiting times of those who have started, in that order [s].
  const std::vector<std::int64_t>& waits() const { return waits_; }
  /// Mean of the last 100 of them; 0 where there are none [s].
  double recent_wait_s() const;
  /// Of those whose jobs are done, the quantile between order statistics; 0 where there are none [s].
  /// @param level  0 to 1. Hyndman and Fan, Sample quantiles in statistical packages, 1996, type 7.
  double done_wait_quantile_s(double level) const;
  /// The first instant of a minute at or before this time [s].
  static std::int64_t minute_of(double time_s);

  template <typename Archive>
  void archive(Archive& a) {
    a(now_s_, minutes_, up_, free_, unsorted_, queue_, running_, waits_, done_waits_);
  }

 private:
  void dispatch();
  void plan();
  void start(const Waiting& job);

  static constexpr std::int64_t until_he_leaves = std::numeric_limits<std::int64_t>::max() / 2;
  MinuteRules rules_;
  std::int64_t now_s_ = 0;
  std::uint64_t minutes_ = 0;        ///< since the begin
  std::uint32_t up_ = 0, free_ = 0;  ///< hosts
  bool unsorted_ = false;
  std::vector<Waiting> queue_;
  std::vector<Running> running_;
  std::vector<std::int64_t> waits_, done_waits_;
  std::vector<std::uint32_t> started_;
  std::vector<Running> ended_;
  std::vector<std::int64_t> slots_;  ///< room for a plan
};

}  // namespace ergode
