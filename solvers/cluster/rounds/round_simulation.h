#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/cluster/rounds/round_job.h"
#include "solvers/cluster/rounds/training_models.h"

namespace ergode {

enum class RoundPolicy { max_min, max_sum, gandiva_fair, allox, ossp, themis, shockwave };

/// A cluster that is scheduled in rounds.
struct RoundOptions {
  int gpus = 32;           ///< >= those of every job
  double round_s = 120.0;  ///< length of a round, > restore_s
  /// Lost by a job that did not run in the round before, in its first round too; not in the first round of all, and not
  /// where it is done more than 5 s before its round ends.
  double restore_s = 20.0;
  double reset_interval_s = 1000.0;  ///< shares are computed anew when jobs came or went, and at the earliest after it
  int most_failures = 5;             ///< rounds in a row without a step, after which a job is removed; >= 1
  RoundPolicy policy = RoundPolicy::max_min;
  /// As published: when its batch size changes a job's steps done may pass those that it has, and it then holds its
  /// GPUs for `most_failures` rounds before it is removed. Else it is done at once. Plans go by it, too
  /// (ShockwavePlanner::Clock).
  bool as_published = true;
  double allox_considered = 0.2;  ///< part of the waiting jobs that AlloX looks at, in (0, 1]
  /// All that a job has done is saved when a round ends, which is part of a restore; within a round after each period
  /// of work, but with its end, which takes this time.
  double checkpoint_period_s = std::numeric_limits<double>::infinity();  ///< > 0
  double checkpoint_cost_s = 0.0;

  bool writes() const { return checkpoint_cost_s > 0.0 && checkpoint_period_s < round_s; }
};

/// Why jobs cannot be run: each a sentence with the number of a job from 0, the value seen and the value wanted. Empty:
/// all can. A job needs as many GPUs as there are or fewer, a throughput, at least one step in a round that begins with
/// a restore, at most a million epochs, and all together at most ten million rounds. O(jobs log entries)
std::vector<std::string> problems_of(const std::vector<RoundJob>& jobs, const Throughputs& speeds,
                                     const RoundOptions& options);
/// The same of one job, whatever the number of rounds. @param name  with which sentences begin
std::vector<std::string> problems_of(const RoundJob& job, const std::string& name, const Throughputs& speeds,
                                     const RoundOptions& options);

/// What a job takes by its first throughput, over the duration that is listed for it: the median of those for which
/// both are known, nothing where none is. Traces list what they were made with, so it is 1 with the table of their own.
/// O(jobs log entries)
std::optional<double> ratio_to_listed(const std::vector<RoundJob>& jobs, const Throughputs& speeds);

/// What happened to one job.
struct RoundJobOutcome {
  double start_s = 0.0;          ///< of its first round
  double finish_s = 0.0;         ///< when it was removed
  std::int64_t rounds = 0;       ///< in which it ran
  std::int64_t preemptions = 0;  ///< rounds after one in which it did not run, but for the first and after interrupt()
  double busy_s = 0.0;           ///< time that it ran, without restores
  double epochs = 0.0;           ///< done
  bool removed = false;          ///< after rounds without a step
  std::int64_t restarts = 0;     ///< how often it lost a host
  double lost_s = 0.0;           ///< time of work that was not saved then; part of busy_s
};

/// One round.
struct Round {
  double start_s = 0.0, end_s = 0.0;
  std::vector<std::uint32_t> jobs;  ///< that ran, in the order in which they were taken
  int gpus = 0;                     ///< of these
  std::uint32_t active = 0;         ///< jobs that were there
  double busy_gpu_s = 0.0;          ///< GPU time that they ran, without restores and without waits for its end
};

struct RoundRun {
  std::vector<RoundJobOutcome> jobs;
  std::vector<Round> rounds;
  double begin_s = 0.0, end_s = 0.0;
  double busy_gpu_s = 0.0;  ///< GPU time that jobs ran, without restores
  bool stopped = false;     ///< the caller did not want it to go on: what did not finish has no finish_s
};

/// What decides by itself which jobs run in a round, instead of shares: told of all that it can know.
class RoundPlanner {
 public:
  virtual ~RoundPlanner() = default;
  virtual void arrived(std::uint32_t job, const RoundJob& what, const Throughputs& speeds, double now_s) = 0;
  /// At the end of a round in which it ran.
  struct Ran {
    std::int64_t round = 0;    ///< rounds that have begun
    double steps_per_s = 0.0;  ///< measured in the round; 0: it made no step
    int batch_size = 1;        ///< it had in the round
    std::int64_t epochs = 0;   ///< done, with the batch size that it has now
  };
  virtual void ran(std::uint32_t job, const Ran& what) = 0;
  virtual void left(std::uint32_t job) = 0;
  /// All jobs that ran in the last round have been told.
  virtual void round_ended() = 0;
  /// So many GPUs are there from the next round on, >= 0.
  virtual void set_gpus(int gpus) = 0;
  /// Jobs that run in the round that begins now; together within the GPUs.
  virtual std::vector<std::uint32_t> next_round() = 0;
};

/// Whether to go on, asked once a round with the share of jobs that are done.
class RoundWatch {
 public:
  virtual ~RoundWatch() = default;
  virtual bool go_on(double done) = 0;
};

/// Runs a trace to its end.
///
/// Rounds begin one after the other; a round is as long as its longest job, at most round_s. Jobs arrive, finish and
/// change their batch size between rounds. Who runs is taken in the order of share / (time had / time of all), then of
/// the time that was withheld, then of the share, then of arrival, as long as GPUs are left. Jobs that have no share
/// yet keep the GPUs that they would take idle. Nothing is random. Zheng et al., Shockwave, NSDI 2023, artifact;
/// Narayanan et al., Gavel, OSDI 2020.
///
/// @param jobs      in the order of arrivals, without problems_of()
/// @param planner   for RoundPolicy::shockwave; else null
/// @param watch     may be null
/// O(rounds * jobs present * log). Rounds in which nobody can run are passed over.
RoundRun run_rounds(const std::vector<RoundJob>& jobs, const Throughputs& speeds, const RoundOptions& options,
                    RoundPlanner* planner = nullptr, RoundWatch* watch = nullptr);

}  // namespace ergode
