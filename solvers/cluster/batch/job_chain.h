#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "solvers/cluster/batch/minute_cluster.h"

namespace ergode {

/// What a chain of jobs is run against: all jobs of a trace, ordered for the minute clock.
/// Made once and shared; by the minute of submission, within it by the text of the job's identifier.
struct Background {
  std::vector<BatchJob> jobs;
  std::vector<std::uint32_t> places;  ///< in the list that it was made of, by place in `jobs`
  /// @param names  identifiers, by place in `jobs`
  static Background of(std::vector<BatchJob> jobs, const std::vector<std::string>& names);
};

/// A service longer than the longest job: a chain of jobs alike, each submitted by a provisioner while the one before
/// waits for its end. Defaults as in Mirage.
struct ChainRules {
  MinuteRules cluster;
  std::uint32_t hosts = 1;      ///< of each job of the chain
  std::uint32_t jobs = 2;       ///< of the chain, >= 2
  double limit_s = 172800.0;    ///< of each, which it uses in full: a whole number of minutes
  double warm_up_s = 172800.0;  ///< from the start, on an empty cluster, to the submission of the first
  double window_s = 432000.0;  ///< of submissions in the background for a chain of two; longer by a limit for each more
  double decision_s = 600.0;   ///< between two questions to a provisioner that is asked: whole minutes
};

/// What a provisioner sees when it is asked whether the successor should be submitted now.
struct ChainMoment {
  const MinuteCluster& cluster;
  double left_s = 0.0;            ///< until the running job of the chain ends
  double predecessor_wait_s = 0;  ///< how long that one waited
};

/// What a provisioner that is asked says.
struct ChainAnswer {
  bool submit = false;
  /// What it goes by: a quantile of waiting times [h], a predicted interruption [h], how likely it is to submit (0 to
  /// 1). Not a number: by nothing.
  double estimate = std::numeric_limits<double>::quiet_NaN();
};

/// Decides when the next job of a chain is submitted; by when its predecessor ends it is.
///
///     reactive   when the predecessor ends
///     average    the mean wait of the last 100 who started before that end, in whole minutes; the mean is read when
///     the
///                next job of the background has been submitted after the predecessor's start
///     asked      at every decision the function below says whether now
struct Provisioner {
  enum class Kind : std::uint8_t { reactive, average, asked };
  Kind kind = Kind::reactive;
  std::function<ChainAnswer(const ChainMoment&)> now{};
  /// Submits when the time left is no more than this quantile of the waiting times of jobs that are done.
  static Provisioner quantile(double level);
};

/// What an hour without the service costs, and one in which two jobs of it run side by side: e_I and e_O of Mirage.
struct ChainWeights {
  double per_interruption = 1.0, per_overlap = 1.0;  ///< >= 0
  /// What a chain brings whose successor starts so long after its predecessor has ended [s], below 0: before; never
  /// above 0. -(e_I I + e_O O), I and O in hours.
  double reward(std::int64_t interruption_s) const {
    const double hours = static_cast<double>(interruption_s) / 3600.0;
    return hours > 0.0 ? -per_interruption * hours : per_overlap * hours;
  }
};

/// One job of a chain behind the first, and its predecessor. Times in s on the clock of the trace.
struct ChainLink {
  std::int64_t predecessor_wait_s = 0, predecessor_start_s = 0, predecessor_end_s = 0;
  std::int64_t mean_wait_min = 0;  ///< as `average` reads it
  std::size_t queue = 0;           ///< jobs that wait at that moment
  std::int64_t submit_s = 0, start_s = 0;
  /// Above 0: the service is interrupted so long; below: two jobs of it run side by side so long.
  std::int64_t interruption_s() const { return start_s - predecessor_end_s; }
  template <typename Archive>
  void archive(Archive& a) {
    a(predecessor_wait_s, predecessor_start_s, predecessor_end_s, mean_wait_min, queue, submit_s, start_s);
  }
};

/// A cluster, what comes to it from the background, and a chain of jobs beside it, minute by minute.
/// Rules, background and provisioner outlive it.
class ServiceRun {
 public:
  /// Numbers of the chain's jobs begin here; those below are places in the background.
  static constexpr std::uint32_t of_the_chain = 1U << 31;

  /// @param begin_s  a whole minute, at which the cluster is empty
  ServiceRun(const Background& background, std::int64_t begin_s, const ChainRules& rules,
             const Provisioner& provisioner);

  /// Submits what comes at this minute, lets the cluster work, and moves on.
  /// @returns numbers of those who started at the minute that has gone by; valid until the next call
  const std::vector<std::uint32_t>& minute();
  const MinuteCluster& cluster() const { return cluster_; }
  /// Those whose last job has started; it grows with them.
  const std::vector<ChainLink>& links() const { return links_; }
  /// Nothing comes any more, and nobody waits or runs.
  bool at_rest() const;
  /// The provisioner is asked in the next minute().
  bool asks() const;
  /// What it sees then. Precondition: asks().
  ChainMoment moment() const;
  /// The successor is submitted in the next minute(), whatever the provisioner says. Precondition: asks(). A copy goes
  /// on by itself, so that one chain shows what becomes of all moments at which that may happen.
  void submit_now() { submit_at_s_ = cluster_.now_s(); }
  /// Jobs of the chain that have been submitted.
  std::uint32_t submitted() const { return submitted_; }
  /// The next minute in which anything happens; now, while anybody waits. The greatest number: none, at_rest().
  std::int64_t next_s() const;
  /// Passes over minutes in which there is nothing. Precondition: not beyond next_s().
  void pass_to(std::int64_t time_s) { cluster_.pass_to(time_s); }

  template <typename Archive>
  void archive(Archive& a) {
    a(cluster_, next_, submitted_, running_, to_read_, submit_at_s_, link_, links_);
  }

 private:
  static constexpr std::int64_t undecided = std::numeric_limits<std::int64_t>::max();
  bool comes_late(const BatchJob& job) const { return job.submit_s > last_s_; }
  bool fits(const BatchJob& job) const { return job.hosts <= rules_->cluster.hosts; }
  void skip_late();
  bool asked() const;
  void submit();
  void started(std::int64_t now_s);
  void read();

  const ChainRules* rules_;
  const Provisioner* provisioner_;
  const std::vector<BatchJob>* jobs_;
  MinuteCluster cluster_;
  double last_s_;  ///< of submissions in the background
  std::size_t next_ = 0;
  std::uint32_t submitted_ = 0;
  bool running_ = false, to_read_ = false;
  std::int64_t submit_at_s_ = undecided;  ///< of the next job of the chain
  ChainLink link_;
  std::vector<ChainLink> links_;
};

/// Runs one chain from an empty cluster on: SIMULATE_PAIR of Mirage where it has two jobs.
///
/// @param begin_s  a whole minute
/// @param look     called every few minutes of the clock; what it throws ends the chain
/// Jobs of the background that want more hosts than there are are left out. Precondition: the chain's jobs fit.
/// O(minutes * (waiting + running)): some milliseconds for two jobs on a cluster of 88 hosts.
std::vector<ChainLink> simulate_chain(const Background& background, std::int64_t begin_s, const ChainRules& rules,
                                      const Provisioner& provisioner, const std::function<void()>& look = {});

}  // namespace ergode
