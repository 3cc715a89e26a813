#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/cluster/batch/minute_cluster.h"

namespace ergode {

/// What a chain of jobs is run against: all jobs of a trace, ordered for the minute clock.
/// Made once and shared; by the minute of submission, within it by the text of the job's identifier.
struct Background {
  std::vector<BatchJob> jobs;
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
  std::function<bool(const ChainMoment&)> now{};
  /// Submits when the time left is no more than this quantile of the waiting times of jobs that are done.
  static Provisioner quantile(double level);
};

/// One job of a chain behind the first, and its predecessor. Times in s on the clock of the trace.
struct ChainLink {
  std::int64_t predecessor_wait_s = 0, predecessor_start_s = 0, predecessor_end_s = 0;
  std::int64_t mean_wait_min = 0;  ///< as `average` reads it
  std::size_t queue = 0;           ///< jobs that wait at that moment
  std::int64_t submit_s = 0, start_s = 0;
  /// Above 0: the service is interrupted so long; below: two jobs of it run side by side so long.
  std::int64_t interruption_s() const { return start_s - predecessor_end_s; }
};

/// Runs one chain from an empty cluster on: SIMULATE_PAIR of Mirage where it has two jobs.
///
/// @param begin_s  a whole minute
/// Jobs of the background that want more hosts than there are are left out. Precondition: the chain's jobs fit.
/// O(minutes * (waiting + running)): some milliseconds for two jobs on a cluster of 88 hosts.
std::vector<ChainLink> simulate_chain(const Background& background, std::int64_t begin_s, const ChainRules& rules,
                                      const Provisioner& provisioner);

}  // namespace ergode
